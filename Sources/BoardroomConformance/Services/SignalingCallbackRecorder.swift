import BoardroomClient

/// Records the arguments of a client's callbacks, and passes them on to callbacks that are set already.
struct SignalingCallbackRecorder {
  private let client: SignalingClient
  private let log: CallbackLog

  init(_ client: SignalingClient, _ log: CallbackLog) { (self.client, self.log) = (client, log) }

  /// The lines of `onLog` are not recorded, because no timeline judges them.
  func listen() {
    hear("onReconnecting", \.onReconnecting)
    hear("onReconnected", \.onReconnected)
    hear("onLoginSuccess", \.onLoginSuccess)
    hear("onLoginFailed", \.onLoginFailed)
    hear("onLogout", \.onLogout)
    hear("onError", \.onError)
    hear("onInvokeRet", \.onInvokeRet)
    hear("onQueryUserStatusResult", \.onQueryUserStatusResult)
    hear("onUserAttrResult", \.onUserAttrResult)
    hear("onUserAttrAllResult", \.onUserAttrAllResult)
    hear("onMessageSendSuccess", \.onMessageSendSuccess)
    hear("onMessageSendError", \.onMessageSendError)
    hear("onMessageInstantReceive", \.onMessageInstantReceive)
    hear("onMessageChannelReceive", \.onMessageChannelReceive)
    hear("onChannelJoined", \.onChannelJoined)
    hear("onChannelJoinFailed", \.onChannelJoinFailed)
    hear("onChannelLeaved", \.onChannelLeaved)
    hear("onChannelUserJoined", \.onChannelUserJoined)
    hear("onChannelUserLeaved", \.onChannelUserLeaved)
    hear("onChannelUserList", \.onChannelUserList)
    hear("onChannelQueryUserNumResult", \.onChannelQueryUserNumResult)
    hear("onChannelAttrUpdated", \.onChannelAttrUpdated)
    hear("onInviteReceived", \.onInviteReceived)
    hear("onInviteReceivedByPeer", \.onInviteReceivedByPeer)
    hear("onInviteAcceptedByPeer", \.onInviteAcceptedByPeer)
    hear("onInviteRefusedByPeer", \.onInviteRefusedByPeer)
    hear("onInviteFailed", \.onInviteFailed)
    hear("onInviteEndByPeer", \.onInviteEndByPeer)
    hear("onInviteEndByMyself", \.onInviteEndByMyself)
    hear("onInviteMsg", \.onInviteMsg)
  }

  // One function for each number of arguments, because Swift has no key path to a closure with any number of
  // them.

  private typealias Path<Closure> = WritableKeyPath<SignalingCallbacks, Closure?> & Sendable

  private func note(_ name: String, _ arguments: any Worded...) {
    log.heard(.signaling(name, arguments.map(\.word)))
  }

  private func hear<A: Worded>(
    _ name: String, _ path: any Path<@Sendable (A) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a in
      note(name, a)
      own?(a)
    }
  }
  private func hear<A: Worded, B: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b in
      note(name, a, b)
      own?(a, b)
    }
  }
  private func hear<A: Worded, B: Worded, C: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B, C) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b, c in
      note(name, a, b, c)
      own?(a, b, c)
    }
  }
  private func hear<A: Worded, B: Worded, C: Worded, D: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B, C, D) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b, c, d in
      note(name, a, b, c, d)
      own?(a, b, c, d)
    }
  }
  private func hear<A: Worded, B: Worded, C: Worded, D: Worded, E: Worded>(
    _ name: String, _ path: any Path<@Sendable (A, B, C, D, E) -> Void>
  ) {
    let own = client[dynamicMember: path]
    client[dynamicMember: path] = { a, b, c, d, e in
      note(name, a, b, c, d, e)
      own?(a, b, c, d, e)
    }
  }
  private func hear<A: Worded, B: Worded, C: Worded, D: Worded, E: Worded, F: Worded>(
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
