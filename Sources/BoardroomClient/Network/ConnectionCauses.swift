import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

// What NIO and its TLS call a failure, in the words of the SDK.
extension ConnectionFailure.Cause {
  /// What an error means that came while `step` was done.
  init(of error: any Error, during step: ConnectionStep) {
    switch error {
    case let error as NIOConnectionError: self = Self.connecting(error)
    case let error as IOError: self.init(errno: error.errnoCode, during: step)
    case is SocketAddressError.UnknownHost, is SocketAddressError: self = .unknownHost
    case ChannelError.connectTimeout: self = .timeout(.connecting)
    case let error as NIOSSLError: self.init(error, during: step)
    case is NIOSSLExtraError: self = .wrongName
    case is BoringSSLError: self = .handshake
    case is HTTPParserError: self = .notHTTP
    case let error as HTTPClientError: self.init(error, during: step)
    default: self = Self.networkFramework(error) ?? .closed(step)
    }
  }

  /// Of several addresses of one name, that which says most: one where a machine answered.
  private static func connecting(_ error: NIOConnectionError) -> Self {
    let causes = error.connectionErrors.map { Self(of: $0.error, during: .connecting) }
    return causes.first { $0 == .refused } ?? causes.last ?? .unknownHost
  }

  init(errno number: Int32, during step: ConnectionStep) {
    switch number {
    case ECONNREFUSED: self = .refused
    case EHOSTUNREACH, ENETUNREACH, ENETDOWN, EHOSTDOWN, EADDRNOTAVAIL: self = .unreachable
    case ETIMEDOUT: self = .timeout(step)
    case ECONNRESET, EPIPE, ECONNABORTED, ENOTCONN: self = .closed(step)
    default: self = .osError(number)
    }
  }

  private init(_ error: HTTPClientError, during step: ConnectionStep) {
    switch error {
    case .connectTimeout, .getConnectionFromPoolTimeout: self = .timeout(.connecting)
    case .tlsHandshakeTimeout: self = .timeout(.securing)
    case .deadlineExceeded, .readTimeout, .writeTimeout: self = .timeout(step)
    case .proxyAuthenticationRequired: self = .proxy(status: 407)
    default: self = .closed(step)
    }
  }

  // MARK: TLS

  private init(_ error: NIOSSLError, during step: ConnectionStep) {
    switch error {
    case .handshakeFailed(let error): self = Self.handshake(error)
    case .unableToValidateCertificate, .noCertificateToValidate: self = .untrustedCertificate
    default: self = .closed(step)
    }
  }

  private static func handshake(_ error: BoringSSLError) -> Self {
    switch error {
    case .sslError(let stack), .unknownError(let stack):
      if stack.contains(.eofDuringHandshake) { return .closed(.securing) }
      // BoringSSL has names for its reasons; NIO hands out nothing else of them.
      let names = stack.map(\.description)
      if names.contains(where: { $0.contains("CERTIFICATE_VERIFY_FAILED") }) { return .untrustedCertificate }
      let isForeign = ["WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST", "UNEXPECTED_RECORD"]
      if names.contains(where: { name in isForeign.contains { name.contains($0) } }) { return .notTLS }
      return .handshake
    case .syscallError, .zeroReturn: return .closed(.securing)
    case .noError, .wantRead, .wantWrite, .wantConnect, .wantAccept, .wantX509Lookup,
      .wantCertificateVerify, .invalidSNIName, .failedToSetALPN:
      return .handshake
    }
  }

  /// Why nobody vouches for a certificate, as far as its own dates say. `now`: seconds since 1970.
  func detailed(by certificate: NIOSSLCertificate?, at now: Int64) -> Self {
    guard self == .untrustedCertificate, let certificate else { return self }
    if Int64(certificate.notValidAfter) < now { return .expiredCertificate }
    return Int64(certificate.notValidBefore) > now ? .futureCertificate : self
  }

  // MARK: HTTP

  /// The longest time that an answer may ask a client to wait, in seconds: a day.
  private static let longestRetry: Int64 = 86_400

  /// What an answer means that is not the one that was asked for.
  init(_ head: HTTPResponseHead) {
    let status = Int(head.status.code)
    guard status != 407, !head.headers.contains(name: "proxy-authenticate") else {
      self = .proxy(status: status)
      return
    }
    let seconds = head.headers.first(name: "retry-after").flatMap { Int64($0) }
    let wait = seconds.flatMap { (0...Self.longestRetry).contains($0) ? Duration.seconds($0) : nil }
    self = .status(status, retryAfter: wait)
  }
}
