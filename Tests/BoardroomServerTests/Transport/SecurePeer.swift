import NIOCore
import NIOPosix
import NIOSSL
import Synchronization
import TestKit

/// Hears everything up to the end.
final class Listener: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer
  private let heard = Mutex("")
  private let (ends, end) = AsyncStream<Bool>.makeStream()

  var text: String { heard.withLock { $0 } }

  /// Waits for the end, or for `mark`.
  func wait(for mark: String? = nil) async -> String {
    for await isOver in ends where isOver || mark.map({ text.contains($0) }) ?? false { break }
    return text
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    heard.withLock { $0 += String(buffer: unwrapInboundIn(data)) }
    end.yield(false)
  }
  func channelInactive(context: ChannelHandlerContext) { end.yield(true) }
  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}

/// Another's TLS on our port.
struct SecurePeer {
  let channel: any Channel
  let listener = Listener()

  init(port: Int, trusting certificate: Certificates, atMost version: TLSVersion? = nil) async throws {
    var configuration = TLSConfiguration.makeClientConfiguration()
    configuration.trustRoots = .file(certificate.certificate)
    configuration.minimumTLSVersion = .tlsv1
    configuration.maximumTLSVersion = version
    let (context, listener) = (try NIOSSLContext(configuration: configuration), listener)
    channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .channelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: context, serverHostname: nil))
          try channel.pipeline.syncOperations.addHandler(listener)
        }
      }
      .connect(host: "127.0.0.1", port: port).get()
  }

  /// What the server says to this before it closes, or up to `mark`.
  func ask(_ request: String, until mark: String? = nil) async throws -> String {
    try? await channel.writeAndFlush(ByteBuffer(string: request))
    return await listener.wait(for: mark)
  }

  static let health = "GET /healthz HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
  static let kept = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
}
