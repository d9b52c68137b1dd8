import BoardroomClient

/// Hears of everything that a Signaling client tells, where the client calls its callbacks. An object of the main actor can be
/// one, where a closure of `SignalingCallbacks` cannot touch it.
public protocol SignalingDelegate: AnyObject {
  /// A callback, with its arguments.
  func handleSignalingEvent(_ event: SignalingEvent)
}

/// The same as values, for `SignalingClient.events`: each case has the arguments of its callback, in their order.
public enum SignalingEvent: Sendable, Hashable {
  case reconnecting(nretry: Int)
  case reconnected(fd: Int)
  case loginSuccess(uid: UInt32, fd: Int)
  case loginFailed(ecode: SignalingCode)
  case logout(ecode: SignalingCode)
  case error(name: String, ecode: SignalingCode, desc: String)
  case log(txt: String)
  case invokeRet(callID: String, err: String, resp: String)
  case queryUserStatusResult(name: String, status: String)
  case userAttrResult(account: String, name: String, value: String)
  case userAttrAllResult(account: String, value: String)
  case messageSendSuccess(messageID: String)
  case messageSendError(messageID: String, ecode: SignalingCode)
  case messageInstantReceive(account: String, uid: UInt32, msg: String)
  case messageChannelReceive(channelID: String, account: String, uid: UInt32, msg: String)
  case channelJoined(channelID: String)
  case channelJoinFailed(channelID: String, ecode: SignalingCode)
  case channelLeaved(channelID: String, ecode: SignalingCode)
  case channelUserJoined(account: String, uid: UInt32)
  case channelUserLeaved(account: String, uid: UInt32)
  case channelUserList(accounts: [String], uids: [UInt32])
  case channelQueryUserNumResult(channelID: String, ecode: SignalingCode, num: Int)
  case channelAttrUpdated(channelID: String, name: String, value: String, type: String)
  case inviteReceived(channelID: String, account: String, uid: UInt32, extra: String)
  case inviteReceivedByPeer(channelID: String, account: String, uid: UInt32)
  case inviteAcceptedByPeer(channelID: String, account: String, uid: UInt32, extra: String)
  case inviteRefusedByPeer(channelID: String, account: String, uid: UInt32, extra: String)
  case inviteFailed(channelID: String, account: String, uid: UInt32, ecode: SignalingCode, extra: String)
  case inviteEndByPeer(channelID: String, account: String, uid: UInt32, extra: String)
  case inviteEndByMyself(channelID: String, account: String, uid: UInt32)
  case inviteMsg(
    channelID: String, account: String, uid: UInt32, msgType: String, msgData: String, extra: String)
}

extension SignalingCallbacks {
  func deliver(_ event: SignalingEvent) {
    switch event {
    case .reconnecting(let nretry): onReconnecting?(nretry)
    case .reconnected(let fd): onReconnected?(fd)
    case .loginSuccess(let uid, let fd): onLoginSuccess?(uid, fd)
    case .loginFailed(let ecode): onLoginFailed?(ecode)
    case .logout(let ecode): onLogout?(ecode)
    case .error(let name, let ecode, let desc): onError?(name, ecode, desc)
    case .log(let txt): onLog?(txt)
    case .invokeRet(let callID, let err, let resp): onInvokeRet?(callID, err, resp)
    case .queryUserStatusResult(let name, let status): onQueryUserStatusResult?(name, status)
    case .userAttrResult(let account, let name, let value): onUserAttrResult?(account, name, value)
    case .userAttrAllResult(let account, let value): onUserAttrAllResult?(account, value)
    case .messageSendSuccess(let messageID): onMessageSendSuccess?(messageID)
    case .messageSendError(let messageID, let ecode): onMessageSendError?(messageID, ecode)
    case .messageInstantReceive(let account, let uid, let msg): onMessageInstantReceive?(account, uid, msg)
    case .messageChannelReceive(let channelID, let account, let uid, let msg):
      onMessageChannelReceive?(channelID, account, uid, msg)
    case .channelJoined(let channelID): onChannelJoined?(channelID)
    case .channelJoinFailed(let channelID, let ecode): onChannelJoinFailed?(channelID, ecode)
    case .channelLeaved(let channelID, let ecode): onChannelLeaved?(channelID, ecode)
    case .channelUserJoined(let account, let uid): onChannelUserJoined?(account, uid)
    case .channelUserLeaved(let account, let uid): onChannelUserLeaved?(account, uid)
    case .channelUserList(let accounts, let uids): onChannelUserList?(accounts, uids)
    case .channelQueryUserNumResult(let channelID, let ecode, let num):
      onChannelQueryUserNumResult?(channelID, ecode, num)
    case .channelAttrUpdated(let channelID, let name, let value, let type):
      onChannelAttrUpdated?(channelID, name, value, type)
    case .inviteReceived(let channelID, let account, let uid, let extra):
      onInviteReceived?(channelID, account, uid, extra)
    case .inviteReceivedByPeer(let channelID, let account, let uid):
      onInviteReceivedByPeer?(channelID, account, uid)
    case .inviteAcceptedByPeer(let channelID, let account, let uid, let extra):
      onInviteAcceptedByPeer?(channelID, account, uid, extra)
    case .inviteRefusedByPeer(let channelID, let account, let uid, let extra):
      onInviteRefusedByPeer?(channelID, account, uid, extra)
    case .inviteFailed(let channelID, let account, let uid, let ecode, let extra):
      onInviteFailed?(channelID, account, uid, ecode, extra)
    case .inviteEndByPeer(let channelID, let account, let uid, let extra):
      onInviteEndByPeer?(channelID, account, uid, extra)
    case .inviteEndByMyself(let channelID, let account, let uid):
      onInviteEndByMyself?(channelID, account, uid)
    case .inviteMsg(let channelID, let account, let uid, let msgType, let msgData, let extra):
      onInviteMsg?(channelID, account, uid, msgType, msgData, extra)
    }
  }
}
