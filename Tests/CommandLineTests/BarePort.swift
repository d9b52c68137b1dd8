import NIOCore
import NIOPosix
import Testing

/// A port that takes connections and says nothing by itself: what comes of a request is the test's affair.
final class BarePort: Sendable {
  let port: Int
  private let listening: any Channel

  private final class RequestEar: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let asked: @Sendable (any Channel) -> Void
    private let left: @Sendable () -> Void

    init(_ asked: @escaping @Sendable (any Channel) -> Void, _ left: @escaping @Sendable () -> Void) {
      (self.asked, self.left) = (asked, left)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) { asked(context.channel) }
    func channelInactive(context: ChannelHandlerContext) { left() }
  }

  /// `asked`: a request has come; `left`: a connection is closed.
  init(
    asked: @escaping @Sendable (any Channel) -> Void = { _ in }, left: @escaping @Sendable () -> Void = {}
  ) async throws {
    listening = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { $0.pipeline.addHandler(RequestEar(asked, left)) }
      .bind(host: "127.0.0.1", port: 0).get()
    port = try #require(listening.localAddress?.port)
  }

  func end() async throws { try await listening.close() }

  /// Answers a request as a server does that is there and can do nothing now.
  static func answer(_ channel: any Channel) {
    let words = "HTTP/1.1 503 Service Unavailable\r\ncontent-length: 0\r\nconnection: close\r\n\r\n"
    channel.writeAndFlush(ByteBuffer(string: words)).whenComplete { _ in channel.close(promise: nil) }
  }
}
