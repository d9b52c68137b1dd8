import BoardroomClient
import NIOCore
import NIOPosix

/// A program on a port of this machine that is no Boardroom server: it gives every connection the same answer.
public struct FixedServer: Sendable {
  /// What it answers.
  public enum Answer: Sendable {
    /// This, to the first bytes that come; then it closes.
    case text(String)
    /// It closes when the first bytes come.
    case nothing
    /// It takes what comes and says nothing.
    case silence
  }

  /// Where it listens.
  public let endpoint: Endpoint

  /// Runs `body` while the program runs.
  public static func run(
    _ answer: Answer, _ body: @Sendable (FixedServer) async throws -> Void
  ) async throws {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(Answerer(answer))
        }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    do {
      let port = listener.localAddress?.port ?? 0
      try await body(FixedServer(endpoint: Endpoint(host: "127.0.0.1", port: port)))
    } catch {
      try? await listener.close()
      throw error
    }
    try? await listener.close()
  }

  /// A port of this machine on which nobody listens.
  public static func closedPort() async throws -> Endpoint {
    let listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .bind(host: "127.0.0.1", port: 0).get()
    let port = listener.localAddress?.port ?? 0
    try await listener.close()
    return Endpoint(host: "127.0.0.1", port: port)
  }

  private final class Answerer: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    private let answer: Answer
    private var hasAnswered = false

    init(_ answer: Answer) { self.answer = answer }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      guard !hasAnswered else { return }
      hasAnswered = true
      switch answer {
      case .text(let text):
        let buffer = context.channel.allocator.buffer(string: text)
        let channel = context.channel
        context.writeAndFlush(wrapOutboundOut(buffer)).whenComplete { _ in channel.close(promise: nil) }
      case .nothing: context.close(promise: nil)
      case .silence: break
      }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}
