import BoardroomModel
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// Certificates that may vouch for a server, besides the system's own roots: those of a company's own issuer, or
/// a server's self-signed one.
public struct TrustRoots: Sendable, Hashable {
  let certificates: [NIOSSLCertificate]

  /// - Parameter pem: one or more certificates, one after the other.
  public init(pem: [UInt8]) throws(BoardroomError) {
    guard let certificates = try? NIOSSLCertificate.fromPEMBytes(pem), !certificates.isEmpty else {
      throw BoardroomError(
        .malformed, cause: "These are no certificates in PEM.",
        cure: "Give the content of a file that begins with BEGIN CERTIFICATE.")
    }
    self.certificates = certificates
  }
}

/// TLS on a client's connections. The system's roots are read once, when the first one is opened.
final class ClientTLS: Sendable {
  private let trust: TrustRoots?
  private let context = Mutex<NIOSSLContext?>(nil)

  init(_ trust: TrustRoots?) { self.trust = trust }

  /// Puts TLS into an empty pipeline. `told` is called with the version once TLS is agreed on, and with the cause if that fails.
  func add(
    to channel: any Channel, host: String, told: @escaping @Sendable (HandshakeNews) -> Void
  ) throws {
    // A name goes along for the server to choose its certificate by; an address must not (RFC 6066, section 3).
    let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    let handler = try NIOSSLClientHandler(context: try made(), serverHostname: isAddress ? nil : host)
    try channel.pipeline.syncOperations.addHandlers([handler, HandshakeWatch(handler, told)])
  }

  private func made() throws -> NIOSSLContext {
    try context.withLock { context in
      if let context { return context }
      var configuration = TLSConfiguration.makeClientConfiguration()
      configuration.minimumTLSVersion = .tlsv12
      configuration.applicationProtocols = ["http/1.1"]
      if let trust { configuration.additionalTrustRoots = [.certificates(trust.certificates)] }
      let new = try NIOSSLContext(configuration: configuration)
      context = new
      return new
    }
  }
}

/// Asks a server for a handshake and nothing else, to learn why it fails.
final class HandshakeProbe: Sendable {
  private let tls: ClientTLS

  init(_ trust: TrustRoots?) { tls = ClientTLS(trust) }

  /// Why the handshake fails; nil if it does not, or says nothing in time.
  func cause(at endpoint: Endpoint, within limit: TimeAmount) async -> ConnectionFailure.Cause? {
    let loop = MultiThreadedEventLoopGroup.singleton.next()
    let news = loop.makePromise(of: ConnectionFailure.Cause?.self)
    let wait = loop.scheduleTask(in: limit) { news.succeed(nil) }
    let connecting = ClientBootstrap(group: loop)
      .connectTimeout(limit)
      .channelInitializer { [tls] channel in
        channel.eventLoop.makeCompletedFuture {
          try tls.add(to: channel, host: endpoint.host) { told in
            switch told {
            case .agreed: news.succeed(nil)
            case .failed(let cause): news.succeed(cause)
            }
          }
        }
      }
      .connect(host: endpoint.host, port: endpoint.port)
    connecting.whenFailure { _ in news.succeed(nil) }
    let cause = try? await news.futureResult.get()
    wait.cancel()
    connecting.whenSuccess { $0.close(promise: nil) }
    return cause ?? nil
  }
}

/// What becomes of a handshake.
enum HandshakeNews: Sendable {
  case agreed(version: String?)
  case failed(ConnectionFailure.Cause)
}

/// Tells what becomes of the handshake, and why it failed: a server that cannot prove who it is, or a connection that broke.
private final class HandshakeWatch: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private let tls: NIOSSLClientHandler
  private let told: @Sendable (HandshakeNews) -> Void
  private var isAgreed = false

  init(_ tls: NIOSSLClientHandler, _ told: @escaping @Sendable (HandshakeNews) -> Void) {
    (self.tls, self.told) = (tls, told)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if case TLSUserEvent.handshakeCompleted? = event as? TLSUserEvent {
      isAgreed = true
      told(.agreed(version: tls.tlsVersion?.name))
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    if !isAgreed {
      let cause = ConnectionFailure.Cause(of: error, during: .securing)
      told(.failed(cause.detailed(by: tls.peerCertificate, at: LoopContext.wallClock() / 1_000)))
    }
    context.fireErrorCaught(error)
  }
}

extension TLSVersion {
  fileprivate var name: String {
    switch self {
    case .tlsv1: "1.0"
    case .tlsv11: "1.1"
    case .tlsv12: "1.2"
    case .tlsv13: "1.3"
    }
  }
}
