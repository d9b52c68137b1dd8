import BoardroomClient

/// What a Signaling client tells: a closure for each callback, with the arguments in the source system's order (PARITY rows SCBK). Reached
/// as properties of the client. All are called on the client's context; a uid is always 0.
public struct SignalingCallbacks: Sendable {
  /// The connection is lost, and this attempt to come back begins: 1, 2, 3…
  public var onReconnecting: (@Sendable (_ nretry: Int) -> Void)?
  /// Signed in again. `fd` counts this client's connections.
  public var onReconnected: (@Sendable (_ fd: Int) -> Void)?
  /// Signed in. `uid` is always 0.
  public var onLoginSuccess: (@Sendable (_ uid: UInt32, _ fd: Int) -> Void)?
  /// Not signed in, and no attempt follows.
  public var onLoginFailed: (@Sendable (_ ecode: SignalingCode) -> Void)?
  /// Signed in no longer.
  public var onLogout: (@Sendable (_ ecode: SignalingCode) -> Void)?
  /// The method `name` failed and has no callback of its own to say so, or this says more.
  public var onError: (@Sendable (_ name: String, _ ecode: SignalingCode, _ desc: String) -> Void)?
  /// A line for the app's log; never a text or a token.
  public var onLog: (@Sendable (_ txt: String) -> Void)?
  /// The answer to one `invoke`, always exactly one. `err` is empty or a code; then `resp` is empty.
  public var onInvokeRet: (@Sendable (_ callID: String, _ err: String, _ resp: String) -> Void)?
  /// `status`: "1" signed in, "0" not.
  public var onQueryUserStatusResult: (@Sendable (_ name: String, _ status: String) -> Void)?
  /// One attribute; an empty value where there is none (SIG-A9, X-21).
  public var onUserAttrResult: (@Sendable (_ account: String, _ name: String, _ value: String) -> Void)?
  /// All attributes as a JSON object.
  public var onUserAttrAllResult: (@Sendable (_ account: String, _ value: String) -> Void)?
  /// It is in the log of whom it is for.
  public var onMessageSendSuccess: (@Sendable (_ messageID: String) -> Void)?
  /// It was refused, or no receipt came within 10 s (401).
  public var onMessageSendError: (@Sendable (_ messageID: String, _ ecode: SignalingCode) -> Void)?
  /// A message of that account to this one.
  public var onMessageInstantReceive: (@Sendable (_ account: String, _ uid: UInt32, _ msg: String) -> Void)?
  /// A message in the channel; one's own too (SIG-M3).
  public var onMessageChannelReceive:
    (@Sendable (_ channelID: String, _ account: String, _ uid: UInt32, _ msg: String) -> Void)?
  /// In the channel.
  public var onChannelJoined: (@Sendable (_ channelID: String) -> Void)?
  /// Not in; `onError` says why.
  public var onChannelJoinFailed: (@Sendable (_ channelID: String, _ ecode: SignalingCode) -> Void)?
  /// In the channel no longer: 0 for one's own leave or for joining another, 601 to 604 otherwise.
  public var onChannelLeaved: (@Sendable (_ channelID: String, _ ecode: SignalingCode) -> Void)?
  /// Another is in the channel.
  public var onChannelUserJoined: (@Sendable (_ account: String, _ uid: UInt32) -> Void)?
  /// Somebody left the channel; after one's own leave, oneself.
  public var onChannelUserLeaved: (@Sendable (_ account: String, _ uid: UInt32) -> Void)?
  /// After one's own join: the newest 200, oldest first.
  public var onChannelUserList: (@Sendable (_ accounts: [String], _ uids: [UInt32]) -> Void)?
  /// How many are in the channel; 0 where `ecode` is not.
  public var onChannelQueryUserNumResult:
    (@Sendable (_ channelID: String, _ ecode: SignalingCode, _ num: Int) -> Void)?
  /// `type`: "update", "del" or "clear"; never "set" (SIG-C23).
  public var onChannelAttrUpdated:
    (@Sendable (_ channelID: String, _ name: String, _ value: String, _ type: String) -> Void)?
  /// That account invites this one.
  public var onInviteReceived:
    (@Sendable (_ channelID: String, _ account: String, _ uid: UInt32, _ extra: String) -> Void)?
  /// The other device has the invitation.
  public var onInviteReceivedByPeer:
    (@Sendable (_ channelID: String, _ account: String, _ uid: UInt32) -> Void)?
  /// Accepted.
  public var onInviteAcceptedByPeer:
    (@Sendable (_ channelID: String, _ account: String, _ uid: UInt32, _ extra: String) -> Void)?
  /// Refused.
  public var onInviteRefusedByPeer:
    (@Sendable (_ channelID: String, _ account: String, _ uid: UInt32, _ extra: String) -> Void)?
  /// It came to nothing. `extra` is one's own.
  public var onInviteFailed:
    (
      @Sendable (
        _ channelID: String, _ account: String, _ uid: UInt32, _ ecode: SignalingCode, _ extra: String
      ) -> Void
    )?
  /// The other side ended it, or it is over before an answer.
  public var onInviteEndByPeer:
    (@Sendable (_ channelID: String, _ account: String, _ uid: UInt32, _ extra: String) -> Void)?
  /// This side ended it.
  public var onInviteEndByMyself: (@Sendable (_ channelID: String, _ account: String, _ uid: UInt32) -> Void)?
  /// Tones: `msgType` "DTMF", `msgData` of 0–9 * #.
  public var onInviteMsg:
    (
      @Sendable (
        _ channelID: String, _ account: String, _ uid: UInt32, _ msgType: String, _ msgData: String,
        _ extra: String
      ) -> Void
    )?

  /// Makes callbacks of which none is set.
  public init() {}
}
