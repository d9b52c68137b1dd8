import BoardroomClient
import BoardroomCore

/// Where a channel connection stands. The numbers are RTC's (PARITY rows RTC).
public enum RtcConnectionState: Int, Sendable, Hashable, CaseIterable {
  case disconnected = 1
  case connecting = 2
  case connected = 3
  case reconnecting = 4
  /// Trying has ended; leave, then join again.
  case failed = 5

  init(_ phase: ConnectionPhase) {
    switch phase.rtc {
    case .disconnected: self = .disconnected
    case .connecting: self = .connecting
    case .connected: self = .connected
    case .reconnecting: self = .reconnecting
    case .failed: self = .failed
    }
  }
}

/// Why the state changed. The numbers are RTC's (PARITY rows RTCR). Those that need media or a proxy, 11 to 14, 16 to 18 and 20,
/// are there for apps that name them and are never told.
public enum RtcConnectionReason: Int, Sendable, Hashable, CaseIterable {
  case connecting = 0
  case joinSuccess = 1
  case interrupted = 2
  case bannedByServer = 3
  case joinFailed = 4
  case leaveChannel = 5
  case invalidAppId = 6
  case invalidChannelName = 7
  case invalidToken = 8
  case tokenExpired = 9
  case rejectedByServer = 10
  case settingProxyServer = 11
  case renewToken = 12
  case clientIpAddressChanged = 13
  case keepAliveTimeout = 14
  case rejoinSuccess = 15
  case lost = 16
  case echoTest = 17
  case clientIpChangedByUser = 18
  case sameUidLogin = 19
  case tooManyBroadcasters = 20
}

/// Why another user is gone (PARITY rows RTCR).
public enum RtcOfflineReason: Int, Sendable, Hashable, CaseIterable {
  /// It left, or was removed.
  case quit = 0
  /// It was not heard of for 20 s.
  case dropped = 1
  /// Never told: without media there is no audience.
  case becomeAudience = 2
}

/// Why `joinChannel` or `leaveChannel` did nothing. The numbers are RTC's.
public enum RtcError: Int, Error, Sendable, Hashable, CaseIterable {
  /// A join is under way or done, or the connection has failed and was not left (TL-6).
  case joinChannelRejected = -17
  /// There is nothing to leave.
  case leaveChannelRejected = -18
}

/// Switches of the two points in which RTC's own texts differ.
public struct RtcOptions: Sendable, Hashable {
  /// When an outage ends in failure: 1,200 s after the last byte, as the seed says, or 1,220 s, as the FAQ does.
  public var failsAfterOffline = false
  /// Whether a rejoin is told with reason 1, as old SDKs did, and not with 15.
  public var rejoinsWithJoinSuccess = false
  /// Makes the options of the source system's defaults.
  public init() {}

  var policy: ConnectionPolicy {
    var policy = ConnectionPolicy.rtc
    if failsAfterOffline, let limit = policy.giveUpAfter { policy.giveUpAfter = limit + policy.offlineAfter }
    return policy
  }
}

/// What a channel connection tells. Held weakly; called on the connection's context. Every method is optional.
public protocol RtcConnectionDelegate: AnyObject {
  /// RTC-7: at each change.
  func connectionChangedToState(_ state: RtcConnectionState, reason: RtcConnectionReason)
  /// 10 s without a byte from the server; trying goes on (T5).
  func rtcEngineConnectionDidLost()
  /// In. `elapsed`: milliseconds since the join was asked for.
  func didJoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int)
  /// In again after an outage. `elapsed`: milliseconds since the outage was told.
  func didRejoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int)
  /// Another user is in the channel: also those that were there before. `elapsed`: as of `didJoinChannel`.
  func didJoinedOfUid(_ uid: UInt, elapsed: Int)
  func didOfflineOfUid(_ uid: UInt, reason: RtcOfflineReason)
  /// The channel was left by this side.
  func didLeaveChannel()
  /// The token ends within `TokenRenewal.margin`: once for each token whose text says when it ends. Give another with
  /// `renewToken`, unless `ServiceConfiguration.tokenProvider` does. Who is in the channel stays when its token ends; it cannot come
  /// back with it.
  func tokenPrivilegeWillExpire()
}

extension RtcConnectionDelegate {
  /// By default, does nothing.
  public func connectionChangedToState(_ state: RtcConnectionState, reason: RtcConnectionReason) {}
  /// By default, does nothing.
  public func rtcEngineConnectionDidLost() {}
  /// By default, does nothing.
  public func didJoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int) {}
  /// By default, does nothing.
  public func didRejoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int) {}
  /// By default, does nothing.
  public func didJoinedOfUid(_ uid: UInt, elapsed: Int) {}
  /// By default, does nothing.
  public func didOfflineOfUid(_ uid: UInt, reason: RtcOfflineReason) {}
  /// By default, does nothing.
  public func didLeaveChannel() {}
  /// By default, does nothing.
  public func tokenPrivilegeWillExpire() {}
}

/// The same as values, for `RtcConnection.events`.
public enum RtcEvent: Sendable, Hashable {
  case state(RtcConnectionState, RtcConnectionReason)
  case connectionDidLost
  case joinedChannel(String, uid: UInt, elapsed: Int)
  case rejoinedChannel(String, uid: UInt, elapsed: Int)
  case userJoined(UInt, elapsed: Int)
  case userOffline(UInt, RtcOfflineReason)
  case leftChannel
  case tokenWillExpire
}
