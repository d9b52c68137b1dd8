import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel

extension SignalingEvent {
  /// The callback's name, and its arguments in their order.
  var callback: (name: String, arguments: [JSONValue]) {
    switch self {
    case .reconnecting(let nretry): ("onReconnecting", [JSONValue(nretry)])
    case .reconnected(let fd): ("onReconnected", [JSONValue(fd)])
    case .loginSuccess(let uid, let fd): ("onLoginSuccess", [JSONValue(Int(uid)), JSONValue(fd)])
    case .loginFailed(let ecode): ("onLoginFailed", [JSONValue(ecode.rawValue)])
    case .logout(let ecode): ("onLogout", [JSONValue(ecode.rawValue)])
    case .error(let name, let ecode, let desc):
      ("onError", [.string(name), JSONValue(ecode.rawValue), .string(desc)])
    case .log(let txt): ("onLog", [.string(txt)])
    case .invokeRet(let callID, let err, let resp):
      ("onInvokeRet", [.string(callID), .string(err), .string(resp)])
    case .queryUserStatusResult(let name, let status):
      ("onQueryUserStatusResult", [.string(name), .string(status)])
    case .userAttrResult(let account, let name, let value):
      ("onUserAttrResult", [.string(account), .string(name), .string(value)])
    case .userAttrAllResult(let account, let value):
      ("onUserAttrAllResult", [.string(account), .string(value)])
    case .messageSendSuccess(let messageID): ("onMessageSendSuccess", [.string(messageID)])
    case .messageSendError(let messageID, let ecode):
      ("onMessageSendError", [.string(messageID), JSONValue(ecode.rawValue)])
    case .messageInstantReceive(let account, let uid, let msg):
      ("onMessageInstantReceive", [.string(account), JSONValue(Int(uid)), .string(msg)])
    case .messageChannelReceive(let channelID, let account, let uid, let msg):
      ("onMessageChannelReceive", [.string(channelID), .string(account), JSONValue(Int(uid)), .string(msg)])
    case .channelJoined(let channelID): ("onChannelJoined", [.string(channelID)])
    case .channelJoinFailed(let channelID, let ecode):
      ("onChannelJoinFailed", [.string(channelID), JSONValue(ecode.rawValue)])
    case .channelLeaved(let channelID, let ecode):
      ("onChannelLeaved", [.string(channelID), JSONValue(ecode.rawValue)])
    case .channelUserJoined(let account, let uid):
      ("onChannelUserJoined", [.string(account), JSONValue(Int(uid))])
    case .channelUserLeaved(let account, let uid):
      ("onChannelUserLeaved", [.string(account), JSONValue(Int(uid))])
    case .channelUserList(let accounts, let uids):
      ("onChannelUserList", [.array(accounts.map { .string($0) }), .array(uids.map { JSONValue(Int($0)) })])
    case .channelQueryUserNumResult(let channelID, let ecode, let num):
      ("onChannelQueryUserNumResult", [.string(channelID), JSONValue(ecode.rawValue), JSONValue(num)])
    case .channelAttrUpdated(let channelID, let name, let value, let type):
      ("onChannelAttrUpdated", [.string(channelID), .string(name), .string(value), .string(type)])
    case .inviteReceived(let channelID, let account, let uid, let extra):
      ("onInviteReceived", [.string(channelID), .string(account), JSONValue(Int(uid)), .string(extra)])
    case .inviteReceivedByPeer(let channelID, let account, let uid):
      ("onInviteReceivedByPeer", [.string(channelID), .string(account), JSONValue(Int(uid))])
    case .inviteAcceptedByPeer(let channelID, let account, let uid, let extra):
      ("onInviteAcceptedByPeer", [.string(channelID), .string(account), JSONValue(Int(uid)), .string(extra)])
    case .inviteRefusedByPeer(let channelID, let account, let uid, let extra):
      ("onInviteRefusedByPeer", [.string(channelID), .string(account), JSONValue(Int(uid)), .string(extra)])
    case .inviteFailed(let channelID, let account, let uid, let ecode, let extra):
      (
        "onInviteFailed",
        [
          .string(channelID), .string(account), JSONValue(Int(uid)), JSONValue(ecode.rawValue),
          .string(extra),
        ]
      )
    case .inviteEndByPeer(let channelID, let account, let uid, let extra):
      ("onInviteEndByPeer", [.string(channelID), .string(account), JSONValue(Int(uid)), .string(extra)])
    case .inviteEndByMyself(let channelID, let account, let uid):
      ("onInviteEndByMyself", [.string(channelID), .string(account), JSONValue(Int(uid))])
    case .inviteMsg(let channelID, let account, let uid, let msgType, let msgData, let extra):
      (
        "onInviteMsg",
        [
          .string(channelID), .string(account), JSONValue(Int(uid)), .string(msgType), .string(msgData),
          .string(extra),
        ]
      )
    }
  }

  /// As `onMessageChannelReceive("lobby", "bert", 0, "hello")`.
  var line: String { CallbackText(callback).line }

  /// One object with the time in ms since 1970.
  func jsonLine(at time: Timestamp) -> String { CallbackText(callback).jsonLine(at: time) }
}
