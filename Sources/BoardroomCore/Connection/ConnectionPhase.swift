import BoardroomModel

/// Why a connection is over.
public enum ConnectionEnd: Sendable, Hashable {
  /// This side said goodbye.
  case left
  /// The server refused or removed us, for good.
  case refused(Farewell)
  /// The first entry took longer than the limit allows.
  case joinLimit(after: Duration, tries: Int)
  /// The outage took longer than the limit allows.
  case gaveUp(after: Duration, tries: Int)
}

/// Where a connection stands, for all four services. Each has its own view of it.
public enum ConnectionPhase: Sendable, Hashable {
  case idle
  case connecting
  case connected
  case reconnecting
  case closing
  case closed(ConnectionEnd)
  case failed(ConnectionEnd)
  /// The session goes on elsewhere, where the service tells this apart.
  case aborted(ConnectionEnd)

  /// Why it is over, if it is.
  public var end: ConnectionEnd? {
    switch self {
    case .idle, .connecting, .connected, .reconnecting, .closing: nil
    case .closed(let end), .failed(let end), .aborted(let end): end
    }
  }
}

/// RTC's connection states (PARITY rows RTC).
public enum RTCState: Int, Sendable, Hashable, CaseIterable {
  case disconnected = 1, connecting, connected, reconnecting, failed
}

/// RTM's connection states (PARITY rows RTMR).
public enum RTMState: Int, Sendable, Hashable, CaseIterable {
  case disconnected = 1, connecting, connected, reconnecting, aborted
}

/// What Signaling's getStatus answers (PARITY rows SIGT).
public enum SignalingStatus: Int, Sendable, Hashable, CaseIterable {
  case loggedOut = 0, loggingIn, loggedIn, reconnecting
}

extension ConnectionPhase {
  /// White's phase; nil while there is no room.
  public var white: RoomPhase? {
    switch self {
    case .idle: nil
    case .connecting: .connecting
    case .connected: .connected
    case .reconnecting: .reconnecting
    case .closing: .disconnecting
    case .closed, .failed, .aborted: .disconnected
    }
  }

  /// RTC's state. Leaving has none of its own: it stays connected until it is disconnected.
  public var rtc: RTCState {
    switch self {
    case .idle, .closed: .disconnected
    case .connecting: .connecting
    case .connected, .closing: .connected
    case .reconnecting: .reconnecting
    case .failed, .aborted: .failed
    }
  }

  /// RTM's state. `failed` is not used there and reads as disconnected.
  public var rtm: RTMState {
    switch self {
    case .idle, .closed, .failed: .disconnected
    case .connecting: .connecting
    case .connected, .closing: .connected
    case .reconnecting: .reconnecting
    case .aborted: .aborted
    }
  }

  public var signaling: SignalingStatus {
    switch self {
    case .idle, .closed, .failed, .aborted: .loggedOut
    case .connecting: .loggingIn
    case .connected, .closing: .loggedIn
    case .reconnecting: .reconnecting
    }
  }
}
