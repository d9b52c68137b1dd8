import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import TestKit

/// A user of RTM in a simulated world, and what it was told.
final class RtmUser: RtmDelegate, RtmChannelDelegate, Sendable {
  let name: String
  let network: SimulatedNetwork
  let heard: HeardLines
  /// What `memberCount` told.
  let counts: HeardLines
  let client: RtmClient

  init(
    _ world: World, _ name: String, appId: String = "simulated", latency: ClosedRange<Int> = 5...25,
    over transport: (SimulatedNetwork) -> any Transport = { $0 }
  ) {
    self.name = name
    network = world.network(latency: latency)
    heard = HeardLines(world)
    counts = HeardLines(world)
    client = RtmClient(
      configuration: World.services(appId: appId), context: world.loop, transport: transport(network))
    client.delegate = self
  }

  func login(token: String = "token") {
    client.loginByToken(token, user: name) { [heard] in heard.add("login \($0.rawValue)") }
  }

  func logout() { client.logoutWithCompletion { [heard] in heard.add("logout \($0.logoutValue)") } }

  @discardableResult
  func join(_ channel: String = "room") -> RtmChannel {
    let channel = client.createChannel(channel, delegate: self)
    channel.join { [heard] in heard.add("join \($0.rawValue)") }
    return channel
  }

  func leave(_ channel: String = "room") {
    client.createChannel(channel, delegate: self).leave { [heard] in heard.add("leave \($0.rawValue)") }
  }

  func say(_ text: String, in channel: String = "room") {
    client.createChannel(channel).sendMessage(text) { [heard] in heard.add("said \(text) \($0.rawValue)") }
  }

  func send(_ text: String, to peer: String, holds: Bool = true) {
    client.sendMessage(text, toPeer: peer, options: RtmSendOptions(enableOfflineMessaging: holds)) {
      [heard] in
      heard.add("sent \(text) \($0.rawValue)")
    }
  }

  func connectionStateChanged(_ state: RtmConnectionState, reason: RtmConnectionReason) {
    heard.add("state \(state.rawValue) \(reason.rawValue)")
  }
  func rtmKitTokenDidExpire() { heard.add("tokenDidExpire") }
  func messageReceived(_ text: String, fromPeer peerId: String) { heard.add("peer \(peerId): \(text)") }
  func localInvitation(_ invitation: RtmInvitation, news: RtmLocalInvitationNews) {
    heard.add("local \(invitation.calleeId) \(news) \(invitation.response)")
  }
  func remoteInvitation(_ invitation: RtmInvitation, news: RtmRemoteInvitationNews) {
    heard.add("remote \(invitation.callerId) \(news) \(invitation.content)")
    if news == .received { lastInvitation.value = invitation }
  }
  func memberJoined(_ userId: String) { heard.add("memberJoined \(userId)") }
  func memberCount(_ count: Int) { counts.add("\(count)") }
  func memberLeft(_ userId: String) { heard.add("memberLeft \(userId)") }
  func messageReceived(_ text: String, fromMember userId: String) { heard.add("\(userId): \(text)") }
  func messageDelivered(_ text: String) { heard.add("delivered \(text)") }
  func attributeUpdate(_ attributes: [String: String]) {
    heard.add("attributes \(attributes.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" })")
  }
  func removedFromChannel(_ reason: RtmErrorCode) { heard.add("removed \(reason.rawValue)") }

  let lastInvitation = Box<RtmInvitation?>(nil)
}

/// Anna and Ben signed in and in one channel. Anna's network falls silent at 100 s or so.
struct RtmScene {
  let gate = NamedGate()
  let world: World
  let anna: RtmUser
  let ben: RtmUser
  let localShift: Double
  let remoteShift: Double

  init() {
    world = World(seed: 21, gate: gate)
    anna = RtmUser(world, "anna")
    ben = RtmUser(world, "ben")
    for user in [anna, ben] {
      user.login()
      world.run(for: 1)
      user.join()
      world.run(for: 1)
    }
    anna.client.setLocalUserAttributes(["mood": "fine"], completion: nil)
    // The login's last byte, not the channel's, begins the silence: both are within the second.
    let last = world.silence(anna.network, at: 100)
    (localShift, remoteShift) = (last.client - 100, last.server - 100)
    anna.heard.clear()
    ben.heard.clear()
  }

  func run(to second: Double) { world.run(to: second + localShift) }

  func comeBack(at second: Double) {
    run(to: second)
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 3)
  }
}
