import BoardroomClient
import BoardroomModel

/// How a message to one user is sent.
public struct RtmSendOptions: Sendable, Hashable {
  /// Whether it is kept for a user that is not there, for as long as the server keeps messages (X-50: an hour). Without, such a
  /// send fails with `peerUnreachable`.
  public var enableOfflineMessaging: Bool
  /// Makes options of a message.
  public init(enableOfflineMessaging: Bool = true) { self.enableOfflineMessaging = enableOfflineMessaging }
}

/// A call invitation, as either side knows it.
public struct RtmInvitation: Sendable, Hashable {
  /// The user who invites.
  public var callerId: String
  /// The user who is invited.
  public var calleeId: String
  /// The channel into which the user is invited; empty if none was named.
  public var channelId: String
  /// Up to 8 KiB of any text.
  public var content: String
  /// What the callee answered with; empty before.
  public var response: String
  /// Names it among all of its caller.
  var serial: UInt64

  init(caller: String, _ invitation: Invitation, response: String = "") {
    callerId = caller
    calleeId = invitation.callee
    channelId = invitation.channel
    content = invitation.extra
    serial = invitation.serial
    self.response = response
  }

  init(_ key: CallKey, _ call: Call, callee: String, response: String = "") {
    callerId = key.caller
    calleeId = callee
    channelId = call.channel
    content = call.extra
    serial = key.serial
    self.response = response
  }
}

/// Why an own invitation failed. The numbers are RTM's.
public enum RtmInvitationFailure: Int, Sendable, Hashable, CaseIterable {
  case unknown = 0
  case peerOffline = 1
  case peerNoResponse = 2
  case invitationExpire = 3
  case notLoggedIn = 4

  /// From Signaling's codes, which the log has (PARITY rows SIGE).
  init(signaling code: Int) {
    switch SignalingCode(rawValue: code) {
    case .invitePeerOffline: self = .peerOffline
    case .inviteTimeout: self = .invitationExpire
    case .inviteNet: self = .notLoggedIn
    default: self = .unknown
    }
  }
}

/// What an RTM client tells, as values for `RtmClient.events`.
public enum RtmEvent: Sendable, Hashable {
  case state(RtmConnectionState, RtmConnectionReason)
  case tokenDidExpire
  case tokenWillExpire
  case peerMessage(String, from: String)
  /// One's own message, of which it was said that it failed for want of a receipt, is in the channel all the same.
  case channelMessageDelivered(String, channel: String)
  case memberJoined(String, channel: String)
  case memberLeft(String, channel: String)
  case memberCount(Int, channel: String)
  case channelMessage(String, from: String, channel: String)
  case attributesUpdated([String: String], channel: String)
  /// This client was removed from the channel.
  case removed(RtmErrorCode, channel: String)
  case localInvitation(RtmInvitation, RtmLocalInvitationNews)
  case remoteInvitation(RtmInvitation, RtmRemoteInvitationNews)
}

/// What became of an invitation that this user made.
public enum RtmLocalInvitationNews: Sendable, Hashable {
  case receivedByPeer, accepted, refused, canceled
  case failure(RtmInvitationFailure)
}

/// What became of an invitation that another user made.
public enum RtmRemoteInvitationNews: Sendable, Hashable {
  case received, accepted, refused, canceled
}

/// What an RTM client tells of its login and its user. Held weakly; called on the client's context. Every method is optional.
public protocol RtmDelegate: AnyObject {
  /// At each change (PARITY rows RTMR).
  func connectionStateChanged(_ state: RtmConnectionState, reason: RtmConnectionReason)
  /// An attempt to come back was refused because the token has ended: once for each token. Trying goes on; give another
  /// with `renewToken`.
  func rtmKitTokenDidExpire()
  /// The token ends within `TokenRenewal.margin`: once for each token whose text says when it ends. Give another with
  /// `renewToken`, unless `ServiceConfiguration.tokenProvider` does.
  func rtmKitTokenPrivilegeWillExpire()
  func messageReceived(_ text: String, fromPeer peerId: String)
  func localInvitation(_ invitation: RtmInvitation, news: RtmLocalInvitationNews)
  func remoteInvitation(_ invitation: RtmInvitation, news: RtmRemoteInvitationNews)
}

extension RtmDelegate {
  /// By default, does nothing.
  public func connectionStateChanged(_ state: RtmConnectionState, reason: RtmConnectionReason) {}
  /// By default, does nothing.
  public func rtmKitTokenDidExpire() {}
  /// By default, does nothing.
  public func rtmKitTokenPrivilegeWillExpire() {}
  /// By default, does nothing.
  public func messageReceived(_ text: String, fromPeer peerId: String) {}
  /// By default, does nothing.
  public func localInvitation(_ invitation: RtmInvitation, news: RtmLocalInvitationNews) {}
  /// By default, does nothing.
  public func remoteInvitation(_ invitation: RtmInvitation, news: RtmRemoteInvitationNews) {}
}

/// What an RTM client tells of a channel. Held weakly. Every method is optional. One's own coming, going and messages are
/// not told.
public protocol RtmChannelDelegate: AnyObject {
  /// Off above 512 members, as `memberLeft` (PARITY rows RTML, RTMX).
  func memberJoined(_ userId: String)
  func memberLeft(_ userId: String)
  /// At most once a second, and every 3 s above 512 members.
  func memberCount(_ count: Int)
  func messageReceived(_ text: String, fromMember userId: String)
  /// One's own message, of which it was said that it failed with a timeout, is in the channel all the same. Told before the
  /// state is connected again, so that nobody sends it twice.
  func messageDelivered(_ text: String)
  /// All attributes, after they changed; also for who changed them.
  func attributeUpdate(_ attributes: [String: String])
  /// This client is in the channel no longer, by the server's doing.
  func removedFromChannel(_ reason: RtmErrorCode)
}

extension RtmChannelDelegate {
  /// By default, does nothing.
  public func memberJoined(_ userId: String) {}
  /// By default, does nothing.
  public func memberLeft(_ userId: String) {}
  /// By default, does nothing.
  public func memberCount(_ count: Int) {}
  /// By default, does nothing.
  public func messageReceived(_ text: String, fromMember userId: String) {}
  /// By default, does nothing.
  public func messageDelivered(_ text: String) {}
  /// By default, does nothing.
  public func attributeUpdate(_ attributes: [String: String]) {}
  /// By default, does nothing.
  public func removedFromChannel(_ reason: RtmErrorCode) {}
}
