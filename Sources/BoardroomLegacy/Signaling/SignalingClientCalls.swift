import BoardroomClient
import BoardroomCore
import BoardroomModel

// Messages, channels and calls of a Signaling client, by the names of the source system.

extension SignalingClient {
  // MARK: Messages

  /// SIG-M1: up to 8,192 bytes. Kept for an account that is not there, unless `onlineOnly`; then it fails with 401.
  public func messageInstantSend(
    _ account: String, uid: UInt32 = 0, msg: String, msgID: String, onlineOnly: Bool = false
  ) {
    core.enter { $0.send(account, msg, msgID, holds: !onlineOnly) }
  }

  /// SIG-M3: to everybody in the channel, oneself too.
  public func messageChannelSend(_ channelID: String, msg: String, msgID: String) {
    core.enter { $0.say(channelID, msg, msgID) }
  }

  /// SIG-M5: from outside of the channel. Not meant for apps.
  public func messageChannelSendForce(_ channelID: String, msg: String, msgID: String) {
    core.enter { $0.sayFromOutside(channelID, msg, msgID) }
  }

  // MARK: Channels

  /// SIG-C1, SIG-C2: leaves the channel that this client is in, then joins this one.
  public func channelJoin(_ channelID: String) { core.enter { $0.join(channelID) } }

  /// SIG-C4.
  public func channelLeave(_ channelID: String) { core.enter { $0.leave(channelID) } }

  /// SIG-C5.
  public func channelQueryUserNum(_ channelID: String) { core.enter { $0.countUsers(channelID) } }

  /// SIG-C20.
  public func channelSetAttr(_ channelID: String, name: String, value: String) {
    core.enter { $0.setAttribute("channelSetAttr", channelID, name, value) }
  }

  /// SIG-C21.
  public func channelDelAttr(_ channelID: String, name: String) {
    core.enter { $0.setAttribute("channelDelAttr", channelID, name, nil) }
  }

  /// SIG-C22.
  public func channelClearAttr(_ channelID: String) { core.enter { $0.clearAttributes(channelID) } }

  // MARK: Calls

  /// SIG-I1.
  public func channelInviteUser(_ channelID: String, account: String, uid: UInt32 = 0) {
    core.enter { $0.invite(channelID, account, "") }
  }

  /// SIG-I3: `extra` is a JSON object of up to 8,192 bytes, or empty. `_require_peer_online` and `_timeout` (0 to 30 s) mean
  /// something to the server; the rest is the callee's.
  public func channelInviteUser2(_ channelID: String, account: String, extra: String) {
    core.enter { $0.invite(channelID, account, extra) }
  }

  /// SIG-I9: `extra` is a JSON object of up to 8,192 bytes, or empty.
  public func channelInviteAccept(
    _ channelID: String, account: String, uid: UInt32 = 0, extra: String = ""
  ) {
    core.enter { $0.answer("channelInviteAccept", channelID, account, extra, .accept(extra: extra)) }
  }

  /// SIG-I10: `extra` as above.
  public func channelInviteRefuse(
    _ channelID: String, account: String, uid: UInt32 = 0, extra: String = ""
  ) {
    core.enter { $0.answer("channelInviteRefuse", channelID, account, extra, .refuse(extra: extra)) }
  }

  /// SIG-I11, SIG-I14: by either side, in any open step.
  public func channelInviteEnd(_ channelID: String, account: String, uid: UInt32 = 0) {
    core.enter { $0.moveEither("channelInviteEnd", channelID, account, .end(extra: "")) }
  }

  /// SIG-I12: tones, 0–9 * #, to the other side of a call.
  public func channelInviteDTMF(_ channelID: String, phoneNum: String, dtmf: String) {
    core.enter { $0.tones("channelInviteDTMF", channelID, phoneNum, dtmf) }
  }

  // MARK: Deprecated in the source system (PARITY rows SIGD)

  /// Tones to the other side of this client's newest call. A `uid` is always 0 here and names nobody. Answers as a message
  /// does: `onMessageSendSuccess` or `onMessageSendError`.
  @available(*, deprecated, message: "use channelInviteDTMF")
  public func messageDTMFSend(_ uid: UInt32, msg: String, msgID: String) {
    core.enter { $0.sendTones(msg, msgID) }
  }

  /// Invites a telephone number, as the source system's first form did.
  @available(*, deprecated, message: "use channelInviteUser2 with srcNum")
  public func channelInvitePhone(_ channelID: String, phoneNum: String, uid: UInt32 = 0) {
    channelInviteUser2(channelID, account: phoneNum, extra: ["srcNum": ""].json)
  }

  /// Invites a telephone number, from another number.
  @available(*, deprecated, message: "use channelInviteUser2 with srcNum")
  public func channelInvitePhone2(_ channelID: String, phoneNum: String, sourcesNum: String) {
    channelInviteUser2(channelID, account: phoneNum, extra: ["srcNum": sourcesNum].json)
  }

  /// Invites a telephone number, from another number, with more options as JSON.
  @available(*, deprecated, message: "use channelInviteUser2")
  public func channelInvitePhone3(
    _ channelID: String, phoneNum: String, sourcesNum: String, extra: String
  ) {
    channelInviteUser2(
      channelID, account: phoneNum, extra: extra.isEmpty ? ["srcNum": sourcesNum].json : extra)
  }

  /// Whether `getStatus` is 2.
  @available(*, deprecated, message: "use getStatus")
  public func isOnline() -> Bool { shownStatus.with { $0 == .loggedIn } }

  /// The same, once what was asked before has been done.
  @available(*, deprecated, message: "use getStatus")
  nonisolated(nonsending) public func isOnline() async -> Bool { await core.ask { $0.status == .loggedIn } }
}
