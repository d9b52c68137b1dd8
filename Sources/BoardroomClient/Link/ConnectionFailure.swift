import BoardroomModel

/// How far an attempt to connect had come.
public enum ConnectionStep: String, Sendable, Hashable, CaseIterable {
  /// The name is looked up and a TCP connection is opened.
  case connecting
  /// TLS is agreed on, and the server proves who it is.
  case securing
  /// The server was asked over HTTP: for a WebSocket, or for what is read.
  case requesting
  /// The WebSocket is open, and the server has not let this client in yet.
  case entering
}

/// Why one attempt to reach a server came to nothing. It holds no token, path, query or text of a member.
public struct ConnectionFailure: Error, Sendable, Hashable {
  /// What went wrong, for programs.
  public enum Cause: Sendable, Hashable {
    /// The machine answers, and no program listens on this port.
    case refused
    /// No address belongs to the name, or no name server answers.
    case unknownHost
    /// No route leads to the address.
    case unreachable
    /// Nothing came in time while this was done.
    case timeout(ConnectionStep)
    /// The connection ended while this was done.
    case closed(ConnectionStep)
    /// TLS: no authority that is trusted vouches for the certificate.
    case untrustedCertificate
    /// TLS: the certificate's time is over.
    case expiredCertificate
    /// TLS: the certificate's time has not begun.
    case futureCertificate
    /// TLS: the certificate is for another name.
    case wrongName
    /// TLS: both sides have no version or cipher in common, or the handshake went wrong otherwise.
    case handshake
    /// The port does not speak TLS, and it was asked to.
    case notTLS
    /// The port speaks TLS, and it was not asked to.
    case needsTLS
    /// The answer is no HTTP.
    case notHTTP
    /// A proxy on the way answered for itself, with this HTTP status.
    case proxy(status: Int)
    /// The answer to the request is this HTTP status. `retryAfter`: when the server wants to be asked again, if it said so, up to a
    /// day.
    case status(Int, retryAfter: Duration?)
    /// The server is reached and turned this attempt away for now.
    case turnedAway(RefusalCode)
    /// The system refused for a reason of its own: a value of `errno`.
    case osError(Int32)
  }

  /// What went wrong.
  public let cause: Cause
  /// Whom the attempt was for: a name or an address.
  public let host: String
  /// The TCP port.
  public let port: Int
  /// Which attempt of its join or outage it was: 1, 2, 3…; zero for what has no attempts, as a read over HTTP.
  public internal(set) var attempt = 0

  /// Makes a failure, for a ``Transport`` of an app's own.
  public init(_ cause: Cause, at endpoint: Endpoint) {
    self.cause = cause
    (host, port) = (String(endpoint.host.prefix(Self.longestHost)), endpoint.port)
  }

  /// The longest name in texts: that of DNS.
  private static let longestHost = 255

  /// Whether the same attempt would fail again until somebody changes something: a join is given up at once.
  public var isLasting: Bool {
    switch cause {
    case .untrustedCertificate, .expiredCertificate, .futureCertificate, .wrongName, .handshake, .notTLS,
      .needsTLS:
      true
    case .refused, .unknownHost, .unreachable, .timeout, .closed, .notHTTP, .proxy, .status, .turnedAway,
      .osError:
      false
    }
  }

  /// As a refusal of this attempt.
  var refusal: Refusal { Refusal(.networkLost, cause: description, cure: cure) }
}

extension ConnectionFailure: CustomStringConvertible {
  private var place: String { Endpoint(host: host, port: port).address }

  /// What went wrong, in one sentence.
  public var description: String {
    switch cause {
    case .refused: "Nothing listens at \(place): the connection was refused."
    case .unknownHost: "The name \(host) was not found."
    case .unreachable: "No route leads to \(place)."
    case .timeout(.connecting): "\(place) does not answer: no TCP connection was opened in time."
    case .timeout(.securing): "\(place) gave no answer in time while TLS was agreed on."
    case .timeout(.requesting): "\(place) gave no answer in time to an HTTP request."
    case .timeout(.entering): "\(place) opened a WebSocket and then said nothing in time."
    case .closed(.connecting): "No connection to \(place) was opened."
    case .closed(.securing): "\(place) closed the connection while TLS was agreed on."
    case .closed(.requesting): "\(place) closed the connection without an answer to an HTTP request."
    case .closed(.entering): "\(place) closed the WebSocket before it let this client in."
    case .untrustedCertificate:
      "\(place) does not prove who it is: its certificate is of no authority that is trusted here."
    case .expiredCertificate: "\(place) does not prove who it is: its certificate has expired."
    case .futureCertificate: "\(place) does not prove who it is: its certificate is not valid yet."
    case .wrongName: "\(place) does not prove who it is: its certificate is for another name."
    case .handshake: "TLS with \(place) could not be agreed on."
    case .notTLS: "\(place) does not speak TLS."
    case .needsTLS: "\(place) speaks TLS, and was asked without."
    case .notHTTP: "What answers at \(place) does not speak HTTP."
    case .proxy(let status): "A proxy on the way to \(place) answered with HTTP status \(status)."
    case .status(let status, _): "\(place) answered with HTTP status \(status)."
    case .turnedAway(let code): "\(place) turned this client away for now: \(code.usualCause)"
    case .osError(let number): "The system opens no connection to \(place): error \(number)."
    }
  }

  /// What helps, in one sentence.
  public var cure: String {
    switch cause {
    case .refused: "Check the port, and that the server runs."
    case .unknownHost: "Check the name, the network of this machine and its name server."
    case .unreachable: "Check the address, and this machine's network and VPN."
    case .timeout(.connecting): "Check the address, and whether a firewall keeps the port closed."
    case .timeout(.securing), .closed(.securing): "Check that this port speaks TLS."
    case .timeout(.requesting), .closed(.requesting), .notHTTP:
      "Check that a Boardroom server listens on this port."
    case .timeout(.entering), .closed(.entering): "Look into the server's log."
    case .closed(.connecting): "Check the network and the server's address."
    case .untrustedCertificate: "Give the certificate of its issuer as one to trust, if it is your own."
    case .expiredCertificate: "Renew the certificate of the server, and check the clock of this machine."
    case .futureCertificate: "Check the clocks of this machine and of the server."
    case .wrongName: "Connect to a name that the certificate is for."
    case .handshake: "Check that the server speaks TLS 1.2 or later."
    case .notTLS: "Connect without TLS, or to the port that speaks it."
    case .needsTLS: "Connect with TLS."
    case .proxy(407): "Give the proxy the name and password that it asks for, or go around it."
    case .proxy: "Check the settings of the proxy, or go around it."
    case .status(let status, let retryAfter): Self.cure(status, retryAfter)
    case .turnedAway(let code): code.usualCure
    case .osError: "Check how many connections this program has open, and what the system lets it do."
    }
  }

  private static func cure(_ status: Int, _ retryAfter: Duration?) -> String {
    if let retryAfter { return "Try again in \(retryAfter.inSeconds) s." }
    return switch status {
    case 300...399: "Connect to the address that the answer names; redirects are not followed."
    case 400: "Check that a Boardroom server listens there, and whether the port speaks TLS."
    case 401, 403: "Check what the servers in front of the Boardroom server ask for."
    case 404, 405: "Check the path of the endpoint, and that a Boardroom server listens there."
    case 429: "Try again later, and less often."
    case 502, 504: "Check that the server behind this one runs."
    case 503: "Try again in a while."
    default: "Check that a Boardroom server of this version listens there."
    }
  }
}

extension Endpoint {
  /// The host and the port, as in an address.
  package var address: String { host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)" }
}

extension BoardroomError {
  /// An answer that never came, and why.
  init(_ failure: ConnectionFailure) { self.init(failure.refusal, connection: failure) }
}
