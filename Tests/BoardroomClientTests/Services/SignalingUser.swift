import BoardroomClient
import BoardroomLegacy
import Synchronization
import TestKit

/// An account of Signaling in a simulated world, and what its callbacks heard: each with its arguments in order.
final class SignalingUser: Sendable {
  let account: String
  let network: SimulatedNetwork
  let heard: HeardLines
  /// What `onLog` told.
  let lines: HeardLines
  let client: SignalingClient
  /// The same as values; without `onLog`.
  let events = HeardEvents()

  init(
    _ world: World, _ account: String, appId: String = "simulated", stays: (any StayKeeper)? = nil,
    over transport: (SimulatedNetwork) -> any Transport = { $0 }
  ) {
    self.account = account
    network = world.network()
    let heard = HeardLines(world)
    self.heard = heard
    let lines = HeardLines(world)
    self.lines = lines
    client = SignalingClient.createSigInstance(
      World.services(appId: appId, stays: stays), context: world.loop, transport: transport(network))
    client.tellAll { [events] event in events.add(event) }
    client.onReconnecting = { heard.add("onReconnecting \($0)") }
    client.onReconnected = { heard.add("onReconnected \($0)") }
    client.onLoginSuccess = { heard.add("onLoginSuccess \($0) \($1)") }
    client.onLoginFailed = { heard.add("onLoginFailed \($0.rawValue)") }
    client.onLogout = { heard.add("onLogout \($0.rawValue)") }
    client.onError = { name, code, _ in heard.add("onError \(name) \(code.rawValue)") }
    client.onLog = { lines.add("onLog \($0)") }
    client.onInvokeRet = { heard.add("onInvokeRet \($0) \($1) \($2)") }
    client.onQueryUserStatusResult = { heard.add("onQueryUserStatusResult \($0) \($1)") }
    client.onUserAttrResult = { heard.add("onUserAttrResult \($0) \($1) \($2)") }
    client.onUserAttrAllResult = { heard.add("onUserAttrAllResult \($0) \($1)") }
    client.onMessageSendSuccess = { heard.add("onMessageSendSuccess \($0)") }
    client.onMessageSendError = { heard.add("onMessageSendError \($0) \($1.rawValue)") }
    client.onMessageInstantReceive = { heard.add("onMessageInstantReceive \($0) \($1) \($2)") }
    client.onMessageChannelReceive = { heard.add("onMessageChannelReceive \($0) \($1) \($2) \($3)") }
    client.onChannelJoined = { heard.add("onChannelJoined \($0)") }
    client.onChannelJoinFailed = { heard.add("onChannelJoinFailed \($0) \($1.rawValue)") }
    client.onChannelLeaved = { heard.add("onChannelLeaved \($0) \($1.rawValue)") }
    client.onChannelUserJoined = { heard.add("onChannelUserJoined \($0) \($1)") }
    client.onChannelUserLeaved = { heard.add("onChannelUserLeaved \($0) \($1)") }
    client.onChannelUserList = { heard.add("onChannelUserList \($0) \($1)") }
    client.onChannelQueryUserNumResult = {
      heard.add("onChannelQueryUserNumResult \($0) \($1.rawValue) \($2)")
    }
    client.onChannelAttrUpdated = { heard.add("onChannelAttrUpdated \($0) \($1) \($2) \($3)") }
    client.onInviteReceived = { heard.add("onInviteReceived \($0) \($1) \($2) \($3)") }
    client.onInviteReceivedByPeer = { heard.add("onInviteReceivedByPeer \($0) \($1) \($2)") }
    client.onInviteAcceptedByPeer = { heard.add("onInviteAcceptedByPeer \($0) \($1) \($2) \($3)") }
    client.onInviteRefusedByPeer = { heard.add("onInviteRefusedByPeer \($0) \($1) \($2) \($3)") }
    client.onInviteFailed = { heard.add("onInviteFailed \($0) \($1) \($2) \($3.rawValue) \($4)") }
    client.onInviteEndByPeer = { heard.add("onInviteEndByPeer \($0) \($1) \($2) \($3)") }
    client.onInviteEndByMyself = { heard.add("onInviteEndByMyself \($0) \($1) \($2)") }
    client.onInviteMsg = { heard.add("onInviteMsg \($0) \($1) \($2) \($3) \($4) \($5)") }
  }

  func login(token: String = "token") { client.login("simulated", account: account, token: token) }

  func getStatus(in world: World) -> Int { world.perform { [client] in await client.getStatus() } }
}

/// What a client's callbacks were, as values.
final class HeardEvents: Sendable {
  private let events = Mutex<[SignalingEvent]>([])
  var all: [SignalingEvent] { events.withLock { $0 } }
  func add(_ event: SignalingEvent) {
    if case .log = event { return }
    events.withLock { $0.append(event) }
  }
}
