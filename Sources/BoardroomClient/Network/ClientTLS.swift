import BoardroomModel
import NIOCore
import NIOSSL
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

  /// Puts TLS into an empty pipeline; `refused` is called if the server does not prove that it is `host`.
  func add(
    to channel: any Channel, host: String, refused: @escaping @Sendable (Refusal) -> Void
  ) throws {
    // A name goes along for the server to choose its certificate by; an address must not (RFC 6066, section 3).
    let isAddress = (try? SocketAddress(ipAddress: host, port: 0)) != nil
    let handler = try NIOSSLClientHandler(context: try made(), serverHostname: isAddress ? nil : host)
    try channel.pipeline.syncOperations.addHandlers([handler, ProofWatch(refused)])
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

/// Tells a server that cannot prove who it is from a connection that broke.
private final class ProofWatch: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  private static let notTrusted = Refusal(
    .networkLost,
    cause: "The server does not prove who it is: its certificate is not trusted, or not for this name.",
    cure: "Check the address; give the certificate of its issuer as one to trust, if it is your own.")

  private let refused: @Sendable (Refusal) -> Void

  init(_ refused: @escaping @Sendable (Refusal) -> Void) { self.refused = refused }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    switch error {
    case NIOSSLError.handshakeFailed, NIOSSLError.unableToValidateCertificate,
      NIOSSLError.noCertificateToValidate:
      refused(Self.notTrusted)
    case is NIOSSLExtraError: refused(Self.notTrusted)
    default: break
    }
    context.fireErrorCaught(error)
  }
}
