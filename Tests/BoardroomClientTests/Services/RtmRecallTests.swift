import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// RP-72: what `RtmRecall` tells is what the clients heard live.
@Suite struct RtmRecallTests {
  private let world = World(seed: 43)

  private func recalled(
    _ account: String, without missing: SpaceName? = nil
  ) throws -> (lines: [RtmListener.Line], outcome: RtmRecall.Outcome) {
    let (begin, store) = (world.start, world.store)
    let result = world.perform { () async -> Result<([RtmListener.Line], RtmRecall.Outcome), any Error> in
      var lines: [RtmListener.Line] = []
      do {
        let recall = RtmRecall(account) { space in
          LogReplaySource(space == missing ? SpaceName.account("nobody").log : space.log, in: store)
        }
        let outcome = try await recall.tell { event, time in
          lines.append(.init(at: Int((time - begin).wholeMilliseconds), event: event))
        }
        return .success((lines, outcome))
      } catch { return .failure(error) }
    }
    return try result.get()
  }

  private func expectSame(_ users: RtmListener..., logins: Int = 1) throws {
    let (lines, outcome) = try recalled(users[0].name)
    let live = users.flatMap(\.lines)
    #expect(lines.count == live.count, "\(lines)\n\(live)")
    for (one, other) in zip(lines, live) { #expect(one == other) }
    #expect(outcome.logins == logins)
    #expect(outcome.missing.isEmpty)
    #expect(outcome.gaps.isEmpty)
  }

  private func user(_ name: String, stays: StayMemory? = nil) -> RtmListener {
    let user = RtmListener(world, name, stays)
    user.login()
    world.run(for: 1)
    return user
  }

  private func act(for seconds: Double = 2, _ work: @escaping @Sendable () -> Void) {
    world.loop.execute(work)
    world.run(for: seconds)
  }

  @Test(
    "RP-72: messages, attributes, members, invitations: each side to the millisecond")
  func whole() throws {
    let (anna, ben) = (user("anna"), user("ben"))
    for user in [anna, ben] { act { user.join("room") } }
    act { ben.client.addOrUpdateChannel("room", attributes: ["topic": "tea", "b": "2"], completion: nil) }
    act { anna.client.deleteChannel("room", attributesByKeys: ["b"], completion: nil) }
    act { anna.say("hello", in: "room") }
    act { ben.say("hello yourself", in: "room") }
    act { anna.client.sendMessage("one", toPeer: "ben", completion: nil) }
    act { ben.client.clearChannelAttributes("room", completion: nil) }
    let (annas, bens) = (anna.client, ben.client)
    world.perform {
      _ = try? await annas.sendLocalInvitation(to: "ben", content: "chess?", channelId: "room")
    }
    world.run(for: 1)
    let asked = try #require(ben.invitation)
    act { bens.acceptRemoteInvitation(asked, response: "yes", completion: nil) }
    world.perform { _ = try? await bens.sendLocalInvitation(to: "anna", content: "go?", channelId: "x") }
    world.run(for: 1)
    let other = try #require(anna.invitation)
    act { annas.refuseRemoteInvitation(other, response: "no", completion: nil) }
    let mine = world.perform { try? await annas.sendLocalInvitation(to: "ben", channelId: "room") }
    world.run(for: 1)
    let withdrawn = try #require(mine)
    act { annas.cancelLocalInvitation(withdrawn, completion: nil) }
    world.perform { _ = try? await annas.sendLocalInvitation(to: "nobody", channelId: "room") }
    world.run(for: 70)
    // Comings and goings within a second are counted once it is over.
    let carl = user("carl")
    for _ in 1...3 {
      act(for: 0.2) { carl.join("room") }
      act(for: 0.2) { carl.leave("room") }
    }
    world.run(for: 5)
    act { ben.client.logoutWithCompletion(nil) }
    act { anna.client.sendMessage("for later", toPeer: "ben", completion: nil) }
    let again = user("ben")
    act { again.join("room") }
    act { anna.leave("room") }
    act { again.join("other") }
    world.kick("ben", from: .channel(.rtm, "other"))
    world.run(for: 2)
    let kinds = Set(anna.lines.map(\.kind))
    #expect(
      kinds == [
        "state", "channelMessage", "memberJoined", "memberLeft", "memberCount", "attributesUpdated",
        "localInvitation", "remoteInvitation",
      ])
    #expect(again.lines.map(\.kind).contains("peerMessage"))
    #expect(again.lines.map(\.kind).last == "removed")
    try expectSame(anna)
    try expectSame(ben, again, logins: 2)
    try expectSame(carl)
  }

  @Test("RP-72, FACE-10: a blip of the socket is not told, and what came in it is; an outage has its times")
  func outage() throws {
    let (anna, ben, carl) = (user("anna"), user("ben"), user("carl"))
    for user in [anna, ben] { act { user.join("room") } }
    act(for: 1) { anna.network.set(.cut) }
    act(for: 1) { ben.say("anna?", in: "room") }
    act(for: 10) { anna.network.set(.clear) }
    let before = anna.lines
    #expect(before.map(\.kind).suffix(1) == ["channelMessage"])
    act(for: 6) { anna.network.set(.silent) }
    act { ben.say("still there?", in: "room") }
    act { carl.join("room") }
    act { ben.client.sendMessage("call me", toPeer: "anna", completion: nil) }
    act { ben.client.addOrUpdateChannel("room", attributes: ["lost": "anna"], completion: nil) }
    act(for: 20) {
      anna.network.set(.clear)
      anna.client.networkIsBack()
    }
    let outage = anna.lines.dropFirst(before.count).map(\.kind)
    #expect(outage.prefix(2) == ["state", "state"])
    #expect(
      Set(outage.dropFirst(2)) == [
        "channelMessage", "memberJoined", "peerMessage", "attributesUpdated", "memberCount",
      ])
    try expectSame(anna)
    try expectSame(ben)
    try expectSame(carl)
  }

  @Test("RP-72, FACE-2: back after the grace: signed in anew, in its channels anew, and told the difference")
  func late() throws {
    let (anna, ben, carl) = (user("anna"), user("ben"), user("carl"))
    for user in [anna, ben] { act { user.join("room") } }
    act(for: 40) { anna.network.set(.silent) }
    act { carl.join("room") }
    act { ben.leave("room") }
    act(for: 20) {
      anna.network.set(.clear)
      anna.client.networkIsBack()
    }
    #expect(anna.lines.suffix(4).map(\.kind) == ["memberLeft", "memberCount", "memberJoined", "memberCount"])
    try expectSame(anna, logins: 2)
    try expectSame(ben)
    try expectSame(carl)
  }

  @Test("RP-72: one client after the other: a takeover, one that was killed, one that was removed")
  func several() throws {
    let stays = StayMemory()
    let ben = user("ben")
    act { ben.join("room") }
    let first = user("anna")
    act { first.join("room") }
    let second = user("anna", stays: stays)
    #expect(first.lines.last?.event == .state(.aborted, .remoteLogin))
    act { second.join("room") }
    act { ben.say("welcome", in: "room") }
    // What a killed program would have said is told by nobody.
    let heard = second.lines
    act(for: 10) { second.network.set(.cut) }
    let third = user("anna", stays: stays)
    act { third.join("room") }
    act { ben.say("again", in: "room") }
    world.kick(Service.rtm.rawValue, from: .account("anna"))
    world.run(for: 2)
    #expect(third.lines.last?.event == .state(.disconnected, .bannedByServer))
    let (lines, outcome) = try recalled("anna")
    #expect(lines == first.lines + heard + third.lines)
    #expect(outcome.logins == 2)
    try expectSame(ben)
  }

  @Test("RP-72, TL-10: never back: reconnecting, reckoned from what the server saw, and nothing after it")
  func never() throws {
    let (anna, ben) = (user("anna"), user("ben"))
    for user in [anna, ben] { act { user.join("room") } }
    act(for: 5) { anna.network.set(.silent) }
    act(for: 60) { ben.say("anna?", in: "room") }
    let lines = try recalled("anna").lines
    #expect(lines.map(\.event) == anna.lines.map(\.event))
    #expect(lines.last?.event == .state(.reconnecting, .interrupted))
    for (one, other) in zip(lines, anna.lines) { #expect(abs(one.at - other.at) <= 1_100) }
  }

  @Test("RP-72: an account that never signed in was told nothing; a channel without a log is named")
  func nothing() throws {
    let anna = user("anna")
    act { anna.join("room") }
    act { anna.leave("room") }
    #expect(throws: ReplaySourceError.self) { try recalled("nobody") }
    let (lines, outcome) = try recalled("anna", without: .channel(.rtm, "room"))
    #expect(outcome.logins == 1)
    #expect(outcome.missing == ["room"])
    #expect(lines == anna.lines.filter { $0.kind == "state" })
  }
}

/// A user whose network takes no time, so that its moments are the logs'.
private final class RtmListener: RtmDelegate, Sendable {
  struct Line: Hashable, Sendable {
    var at: Int
    var event: RtmEvent

    /// The event's name.
    var kind: String { String("\(event)".prefix { $0 != "(" }) }
  }
  /// A channel's delegate is not told which channel it is.
  private final class Ear: RtmChannelDelegate, Sendable {
    let channel: String
    let add: @Sendable (RtmEvent) -> Void
    init(_ channel: String, _ add: @escaping @Sendable (RtmEvent) -> Void) {
      (self.channel, self.add) = (channel, add)
    }
    func memberJoined(_ userId: String) { add(.memberJoined(userId, channel: channel)) }
    func memberLeft(_ userId: String) { add(.memberLeft(userId, channel: channel)) }
    func memberCount(_ count: Int) { add(.memberCount(count, channel: channel)) }
    func messageReceived(_ text: String, fromMember userId: String) {
      add(.channelMessage(text, from: userId, channel: channel))
    }
    func messageDelivered(_ text: String) { add(.channelMessageDelivered(text, channel: channel)) }
    func attributeUpdate(_ attributes: [String: String]) {
      add(.attributesUpdated(attributes, channel: channel))
    }
    func removedFromChannel(_ reason: RtmErrorCode) { add(.removed(reason, channel: channel)) }
  }

  let name: String
  let network: SimulatedNetwork
  let client: RtmClient
  private let clock: @Sendable () -> Double
  private let heard = Mutex<[Line]>([])
  private let ears = Mutex<[String: Ear]>([:])

  init(_ world: World, _ name: String, _ stays: StayMemory?) {
    self.name = name
    network = world.network(latency: 0...0)
    clock = { world.seconds }
    client = RtmClient(
      configuration: World.services(stays: stays), context: world.loop, transport: network)
    client.delegate = self
  }

  var lines: [Line] { heard.withLock { $0 } }
  var invitation: RtmInvitation? {
    lines.compactMap { if case .remoteInvitation(let one, .received) = $0.event { one } else { nil } }.last
  }

  func login() { client.loginByToken("token", user: name, completion: nil) }
  func join(_ channel: String) {
    let ear = ears.withLock { ears in
      let ear = ears[channel] ?? Ear(channel) { [weak self] in self?.add($0) }
      ears[channel] = ear
      return ear
    }
    client.createChannel(channel, delegate: ear).join(completion: nil)
  }
  func leave(_ channel: String) { client.createChannel(channel).leave(completion: nil) }
  func say(_ text: String, in channel: String) {
    client.createChannel(channel).sendMessage(text, completion: nil)
  }

  private func add(_ event: RtmEvent) {
    let line = Line(at: Int((clock() * 1_000).rounded()), event: event)
    heard.withLock { $0.append(line) }
  }

  func connectionStateChanged(_ state: RtmConnectionState, reason: RtmConnectionReason) {
    add(.state(state, reason))
  }
  func messageReceived(_ text: String, fromPeer peerId: String) { add(.peerMessage(text, from: peerId)) }
  func localInvitation(_ invitation: RtmInvitation, news: RtmLocalInvitationNews) {
    add(.localInvitation(invitation, news))
  }
  func remoteInvitation(_ invitation: RtmInvitation, news: RtmRemoteInvitationNews) {
    add(.remoteInvitation(invitation, news))
  }
}
