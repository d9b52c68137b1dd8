import BoardroomClient
import BoardroomLegacy

/// Records the arguments of a client's callbacks, and passes them on to callbacks that are set already.
struct SignalingCallbackRecorder {
  private let client: SignalingClient
  private let log: CallbackLog

  init(_ client: SignalingClient, _ log: CallbackLog) { (self.client, self.log) = (client, log) }

  /// The lines of `onLog` are not recorded, because no timeline judges them.
  func listen() {
    record("onReconnecting", \.onReconnecting)
    record("onReconnected", \.onReconnected)
    record("onLoginSuccess", \.onLoginSuccess)
    record("onLoginFailed", \.onLoginFailed)
    record("onLogout", \.onLogout)
    record("onError", \.onError)
    record("onInvokeRet", \.onInvokeRet)
    record("onQueryUserStatusResult", \.onQueryUserStatusResult)
    record("onUserAttrResult", \.onUserAttrResult)
    record("onUserAttrAllResult", \.onUserAttrAllResult)
    record("onMessageSendSuccess", \.onMessageSendSuccess)
    record("onMessageSendError", \.onMessageSendError)
    record("onMessageInstantReceive", \.onMessageInstantReceive)
    record("onMessageChannelReceive", \.onMessageChannelReceive)
    record("onChannelJoined", \.onChannelJoined)
    record("onChannelJoinFailed", \.onChannelJoinFailed)
    record("onChannelLeaved", \.onChannelLeaved)
    record("onChannelUserJoined", \.onChannelUserJoined)
    record("onChannelUserLeaved", \.onChannelUserLeaved)
    record("onChannelUserList", \.onChannelUserList)
    record("onChannelQueryUserNumResult", \.onChannelQueryUserNumResult)
    record("onChannelAttrUpdated", \.onChannelAttrUpdated)
    record("onInviteReceived", \.onInviteReceived)
    record("onInviteReceivedByPeer", \.onInviteReceivedByPeer)
    record("onInviteAcceptedByPeer", \.onInviteAcceptedByPeer)
    record("onInviteRefusedByPeer", \.onInviteRefusedByPeer)
    record("onInviteFailed", \.onInviteFailed)
    record("onInviteEndByPeer", \.onInviteEndByPeer)
    record("onInviteEndByMyself", \.onInviteEndByMyself)
    record("onInviteMsg", \.onInviteMsg)
  }

  // One function for each number of arguments, because Swift has no key path to a closure with any number of
  // them.

  private typealias Path<Closure> = WritableKeyPath<SignalingCallbacks, Closure?> & Sendable

  private func note(_ name: String, _ arguments: any Worded...) {
    log.record(.signaling(name, arguments.map(\.word)))
  }

  private func record<A: Worded>(
    _ name: String, _ path: any Path<@Sendable (A) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a in
      note(name, a)
      own?(a)
    }
  }
  private func record<A: Worded, B: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b in
      note(name, a, b)
      own?(a, b)
    }
  }
  private func record<A: Worded, B: Worded, C: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B, C) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b, c in
      note(name, a, b, c)
      own?(a, b, c)
    }
  }
  private func record<A: Worded, B: Worded, C: Worded, D: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B, C, D) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b, c, d in
      note(name, a, b, c, d)
      own?(a, b, c, d)
    }
  }
  private func record<A: Worded, B: Worded, C: Worded, D: Worded, E: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B, C, D, E) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b, c, d, e in
      note(name, a, b, c, d, e)
      own?(a, b, c, d, e)
    }
  }
  private func record<A: Worded, B: Worded, C: Worded, D: Worded, E: Worded, F: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B, C, D, E, F) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b, c, d, e, f in
      note(name, a, b, c, d, e, f)
      own?(a, b, c, d, e, f)
    }
  }
}

/// An argument of a callback, as timelines write it.
private protocol Worded: Sendable { var word: String { get } }

extension Int: Worded { var word: String { "\(self)" } }
extension UInt32: Worded { var word: String { "\(self)" } }
extension String: Worded { var word: String { self } }
extension SignalingCode: Worded { var word: String { "\(rawValue)" } }
extension Array: Worded where Element: Worded {
  var word: String { map(\.word).joined(separator: ",") }
}
