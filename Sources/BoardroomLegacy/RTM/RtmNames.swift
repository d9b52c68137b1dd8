import BoardroomClient
import BoardroomCore
import BoardroomModel

/// Where a login stands. The numbers are RTM's (PARITY rows RTMR).
public enum RtmConnectionState: Int, Sendable, Hashable, CaseIterable {
  case disconnected = 1
  case connecting = 2
  case connected = 3
  case reconnecting = 4
  /// The same user signed in elsewhere; log out before logging in again.
  case aborted = 5

  init(_ phase: ConnectionPhase) {
    switch phase.rtm {
    case .disconnected: self = .disconnected
    case .connecting: self = .connecting
    case .connected: self = .connected
    case .reconnecting: self = .reconnecting
    case .aborted: self = .aborted
    }
  }
}

/// Why the state changed. The numbers are RTM's (PARITY rows RTMR).
public enum RtmConnectionReason: Int, Sendable, Hashable, CaseIterable {
  case login = 1
  case loginSuccess = 2
  case loginFailure = 3
  case loginTimeout = 4
  case interrupted = 5
  case logout = 6
  case bannedByServer = 7
  case remoteLogin = 8
  /// For apps that name it: a token that ends changes no state here (RTMT-8).
  case tokenExpired = 9
}

/// Why something did not work. 0 to 10 and 101, 102 are RTM's numbers for logins (PARITY rows RTML, RTMX); the others have none in common
/// there, and are ours.
public enum RtmErrorCode: Int, Error, Sendable, Hashable, CaseIterable {
  case ok = 0
  case unknown = 1
  case rejected = 2
  case invalidArgument = 3
  case invalidAppId = 4
  case invalidToken = 5
  case tokenExpired = 6
  case notAuthorized = 7
  /// Also: still Aborted.
  case alreadyLogin = 8
  /// Also: the task that waited was cancelled. What had been sent may be done.
  case timeout = 9
  case tooOften = 10
  case notInitialized = 101
  case notLoggedIn = 102
  case messageTooLong = 201
  case notInChannel = 202
  case peerUnreachable = 203
  case invitationAlreadySent = 204
  case noSuchInvitation = 205
  /// Over the limit of channels, attributes or ids in one call.
  case tooMany = 206
  /// This channel was joined by this client already.
  case alreadyJoined = 207

  /// RTM counts the errors of a logout otherwise.
  public var logoutValue: Int {
    switch self {
    case .ok: 0
    case .notInitialized: 101
    case .notLoggedIn: 102
    case .unknown, .rejected, .invalidArgument, .invalidAppId, .invalidToken, .tokenExpired, .notAuthorized,
      .alreadyLogin, .timeout, .tooOften, .messageTooLong, .notInChannel, .peerUnreachable,
      .invitationAlreadySent, .noSuchInvitation, .tooMany, .alreadyJoined:
      1
    }
  }
}
