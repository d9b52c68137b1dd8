import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

private func lobby(_ account: String, _ service: Service = .signaling) -> Place {
  Place(service: service, account: account, channel: "lobby")
}

extension SimulatedServer {
  /// Signs in first, where the service knows logins.
  fileprivate func enter(_ place: Place) -> SimulatedPeer {
    if place.service != .rtc { _ = join(Place(service: place.service, account: place.account)) }
    return join(place)
  }
}

extension SimulatedPeer {
  fileprivate func set(_ name: String, _ value: String?) {
    command(.space(.setAttributes(AttributesSet([.init(name: name, value: value)]))))
    receive()
  }

  fileprivate func say(_ text: String) {
    command(.space(.say(ChannelMessage(id: "1", text: text))))
    receive()
  }

  fileprivate func quit() {
    say(.leave)
    receive()
  }

  fileprivate var attributes: [String: String] { mirror.space?.attributes ?? [:] }
  fileprivate var presences: [Presence] {
    spaceEvents.compactMap { if case .presence(let presence) = $0 { presence } else { nil } }
  }
}

@Suite("Channels on the server")
struct ChannelTests {
  private let server = SimulatedServer()

  private func wait(_ seconds: Int, keeping peers: SimulatedPeer...) {
    server.advance(by: .seconds(seconds)) { for peer in peers { peer.say(.heartbeat(1)) } }
    for peer in peers { peer.receive() }
  }

  @Test("SIG-C1, SIG-C4: who joins is told, and the others; who leaves is told, and all the others")
  func comingAndGoing() {
    let (ada, bob) = (server.enter(lobby("ada")), server.enter(lobby("bob")))
    ada.receive()
    #expect(bob.isLive)
    #expect(bob.mirror.newestMembers(200).accounts == ["ada", "bob"])
    #expect(ada.mirror.newestMembers(200).accounts == ["ada", "bob"])
    bob.quit()
    ada.receive()
    for peer in [ada, bob] {
      #expect(peer.events.last?.event == .members(.left(.left)))
      #expect(peer.faults.isEmpty)
    }
    #expect(ada.mirror.newestMembers(200).accounts == ["ada"])
    let long = server.join(
      Place(service: .signaling, account: "ada", channel: String(repeating: "c", count: 129)))
    #expect(long.farewell?.refusal.code == .badName)
    #expect(long.farewell?.refusal.allowed == 128)
    #expect(
      server.join(Place(service: .signaling, account: "a b", channel: "x")).farewell?.refusal.code == .badName
    )
  }

  @Test(
    "SIG-M3, SIG-C20, SIG-C21, SIG-C22, SIG-C24: messages and changes reach all, their author too; C9: and who comes later"
  )
  func everybodyIsTold() {
    let (ada, bob) = (server.enter(lobby("ada")), server.enter(lobby("bob")))
    ada.say("hello")
    ada.set("a", "1")
    ada.set("b", "2")
    bob.set("a", nil)
    let late = server.enter(lobby("cora"))
    #expect(late.attributes == ["b": "2"], "SIG-C9")
    bob.command(.space(.clearAttributes))
    for peer in [ada, bob] {
      peer.receive()
      #expect(
        peer.spaceEvents == [
          .channelMessage(ChannelMessage(id: "1", text: "hello")),
          .attributesSet(AttributesSet([.init(name: "a", value: "1")])),
          .attributesSet(AttributesSet([.init(name: "b", value: "2")])),
          .attributesSet(AttributesSet([.init(name: "a", value: nil)])), .attributesCleared(by: nil),
        ])
      #expect(peer.faults.isEmpty)
      #expect(peer.attributes.isEmpty)
    }
  }

  @Test("SIG-M4: the 61st message of a second is refused, and the limit is named")
  func rate() {
    let ada = server.enter(lobby("ada"))
    for _ in 0..<61 { ada.say("x") }
    #expect(ada.refusals.count == 1)
    let refusal = ada.refusals.first?.refusal
    #expect(refusal?.code == .rateLimited)
    #expect(refusal?.actual == 61)
    #expect(refusal?.allowed == 60)
    #expect(ada.spaceEvents.count == 60)
  }

  @Test("SPC-9: _userNotification 0 changes nothing in what members get: it is for their apps")
  func userNotification() {
    let ada = server.enter(lobby("ada"))
    ada.set("_userNotification", "0")
    server.enter(lobby("bob")).quit()
    ada.receive()
    #expect(ada.events.suffix(2).map(\.kindName) == ["memberJoined", "memberLeft"])
    #expect(ada.attributes == ["_userNotification": "0"])
  }

  @Test("SIG-C10: who is not heard of for 120 s has left, and the others are told why")
  func offline() {
    let (ada, bob) = (server.enter(lobby("ada")), server.enter(lobby("bob")))
    wait(119, keeping: ada)
    #expect(ada.mirror.members.count == 2)
    wait(2, keeping: ada)
    #expect(ada.events.last?.event == .members(.left(.timeout)))
    #expect(bob.farewell == nil)
  }

  @Test(
    "TL-20, SPC-6: at 7,199 s the attributes are there and a join stops the countdown; at 7,200 s they are gone"
  )
  func life() {
    let ada = server.enter(lobby("ada"))
    ada.set("a", "1")
    ada.quit()
    wait(7_199)
    let bob = server.enter(lobby("bob"))
    #expect(bob.attributes == ["a": "1"])
    wait(5, keeping: bob)
    #expect(bob.attributes == ["a": "1"])
    bob.quit()
    // It is closed long before its life ends, and records that when it is opened.
    wait(7_200)
    let cora = server.enter(lobby("cora"))
    #expect(cora.attributes.isEmpty)
    #expect(cora.faults.isEmpty)
    #expect(cora.mirror.space?.joins == 1)
  }

  @Test("SPC-6: an RTC channel is gone 10 s after its last member, an RTM channel at once")
  func otherServices() {
    for (service, seconds) in [(Service.rtc, 10), (.rtm, 0)] {
      let ada = server.enter(lobby("ada", service))
      ada.set("a", "1")
      ada.quit()
      if seconds > 0 {
        wait(seconds - 1)
        let back = server.enter(lobby("ada", service))
        #expect(back.attributes == ["a": "1"])
        back.quit()
        wait(seconds)
      }
      let bob = server.enter(lobby("bob", service))
      #expect(bob.attributes.isEmpty, "\(service)")
    }
  }

  @Test("TL-21, SPC-7: numbers are told at 5, 10 and 15 s, each within a tick, and not at 20")
  func numbers() {
    let ada = server.enter(lobby("ada"))
    ada.set("_auto_update_num", "5")
    let start = server.now
    var others: [SimulatedPeer] = []
    for number in 0..<40 {
      server.advance(by: .milliseconds(300))
      others.append(server.enter(lobby("u\(number)")))
    }
    wait(15, keeping: ada)
    let told = ada.events.filter { if case .space(.numbersTold) = $0.event { true } else { false } }
    #expect(told.map { ($0.time - start).components.seconds } == [5, 10, 15])
    #expect(ada.mirror.channelAttributes["_member_num"] == "41")
  }

  @Test("SPC-8: a restarted server goes on with the clocks of its channels")
  func restart() {
    let ada = server.enter(lobby("ada"))
    ada.set("_channel_ttl", "100")
    ada.quit()
    let next = server.restarted()
    next.advance(by: .seconds(99))
    let bob = next.enter(lobby("bob"))
    #expect(bob.attributes == ["_channel_ttl": "100"])
    bob.quit()
    let last = next.restarted()
    last.clock.advance(by: .seconds(100))
    #expect(last.enter(lobby("cora")).attributes.isEmpty)
  }
}

@Suite("Special channels")
struct SpecialChannelTests {
  private func home(of name: SpaceName, in channel: String? = nil) -> Place {
    Place(service: .signaling, account: "watcher." + name.text, channel: channel)
  }

  private func watch(_ server: SimulatedServer, _ name: SpaceName) -> SimulatedPeer {
    server.enter(home(of: name, in: name.text))
  }

  @Test(
    "SIG-C6, SIG-C7, SIG-C8: who joins a special channel hears of every login and logout, join and leave",
    arguments: [1, 3])
  func presence(loops: Int) {
    let server = SimulatedServer(loops: loops)
    let homes = [SpaceName.userOnline, .channelEvents].map { server.join(home(of: $0)) }
    let online = server.join(home(of: .userOnline, in: SpaceName.userOnline.text))
    let channels = server.join(home(of: .channelEvents, in: SpaceName.channelEvents.text))
    let ada = server.join(Place(service: .signaling, account: "ada"))
    let inLobby = server.join(lobby("ada"))
    let bob = server.enter(lobby("bob"))
    inLobby.quit()
    ada.quit()
    _ = (server.enter(lobby("rita", .rtm)), server.join(Place(service: .rtm, account: "rita")))
    bob.cut()
    server.advance(by: .seconds(121)) {
      for peer in homes + [online, channels] { peer.say(.heartbeat(1)) }
    }
    for peer in [online, channels] { peer.receive() }
    #expect(
      online.presences.filter { !$0.account.hasPrefix("watcher") } == [
        Presence(account: "ada", channel: nil, isHere: true),
        Presence(account: "bob", channel: nil, isHere: true),
        Presence(account: "ada", channel: nil, isHere: false),
        Presence(account: "bob", channel: nil, isHere: false),
      ], "Signaling's logins; RTM's are not told")
    #expect(
      channels.presences == [
        Presence(account: "ada", channel: "lobby", isHere: true),
        Presence(account: "bob", channel: "lobby", isHere: true),
        Presence(account: "ada", channel: "lobby", isHere: false),
        Presence(account: "bob", channel: "lobby", isHere: false),
      ], "the watchers' own joins are not told")
    #expect(online.faults.isEmpty)
    #expect(channels.faults.isEmpty)
  }

  @Test("SPC-10: nothing is told before the log holds it, and nothing again after a restart")
  func afterTheCommit() {
    let server = SimulatedServer()
    let online = watch(server, .userOnline)
    server.commits = false
    _ = server.join(Place(service: .signaling, account: "ada"))
    server.commit()
    online.receive()
    #expect(
      !online.presences.contains { $0.account == "ada" },
      "the account's log is made, and the login waits for its commit")
    server.commit()
    server.commit()
    server.commit()
    online.receive()
    #expect(online.presences.count { $0.account == "ada" } == 1)
    server.commits = true
    let next = server.restarted()
    let again = watch(next, .userOnline)
    _ = next.join(Place(service: .signaling, account: "bob"))
    again.receive()
    let told = again.presences.map(\.account).filter { !$0.hasPrefix("watcher") }
    #expect(told == ["bob"])
  }

  @Test("SPC-10: the special channels are made on demand and never expire; the setting turns them off")
  func onDemand() {
    for isOn in [true, false] {
      let server = SimulatedServer(policy: ServerPolicy(tellsPresence: isOn))
      _ = server.join(Place(service: .signaling, account: "ada"))
      let store = server.store
      let found = server.wait { try? await store.info(of: SpaceName.userOnline.log).last }
      #expect((found ?? .zero) == (isOn ? 2 : 0))
      guard isOn else { continue }
      server.clock.advance(by: .seconds(1_000_000))
      server.advance(by: .seconds(1))
      #expect(!watch(server, .userOnline).spaceEvents.contains(.expired))
    }
  }
}
