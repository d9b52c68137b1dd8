import BoardroomCodec
import BoardroomModel

/// Where a server is.
public struct Endpoint: Sendable, Hashable {
  /// A name or an address, without a scheme.
  public var host: String
  /// A TCP port, 1 to 65,535.
  public var port: Int
  /// The path of the WebSocket. docs/PROTOCOL.md: `/v1/rooms`.
  public var path: String
  /// Whether TLS is spoken (`wss://`).
  public var isSecure: Bool

  /// Makes an endpoint. `isSecure` chooses TLS.
  public init(host: String, port: Int, path: String = "/v1/rooms", isSecure: Bool = false) {
    self.host = host
    self.port = port
    self.path = path
    self.isSecure = isSecure
  }
}

/// What happens to one connection. `closed`, `failed` or `refused` comes once and last, also if it never opened.
public enum TransportEvent: Sendable {
  /// It is at this step now. `tls`: the version of TLS, once that is agreed on.
  case reached(ConnectionStep, tls: String?)
  case opened
  /// Bytes came; what they are part of may not be whole yet. A large message on a slow line is no silence.
  case heard
  /// One message, whole.
  case received([UInt8])
  case closed
  /// It did not open, or broke, and this is why.
  case failed(ConnectionFailure)
  /// It cannot be opened, and trying again will not mend it: the other end is not who it should be.
  case refused(Refusal)
}

/// Carries messages to a server and back: a WebSocket, or a simulated network in tests.
public protocol Transport: Sendable {
  /// Begins to open a connection. `events` is called on the context of the SDK, never before this returns.
  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection
}

/// One connection. All methods are called on the context; after `close` no event comes but `closed`.
public protocol TransportConnection: Sendable {
  func send(_ message: [UInt8])
  func close()
  /// Closes, and what was sent and has not left this machine never does: its author has been told that it failed.
  func abandon()
}

extension TransportConnection {
  /// By default, the same as `close`.
  public func abandon() { close() }
}
