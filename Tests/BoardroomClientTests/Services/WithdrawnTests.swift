import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// FACE-7: what was reported as failed is not delivered later, and what is sent again is not doubled.
@Suite struct WithdrawnTests {
  /// What is on its way when its socket is given up may still arrive: 25 ms to the server, and as long to the other.
  private static let way = 0.06

  private struct Users {
    let world: World
    let rtmAnna: RtmUser
    let rtmBen: RtmUser
    let anna: SignalingUser
    let ben: SignalingUser

    init(seed: UInt64 = 41) {
      world = World(seed: seed)
      (rtmAnna, rtmBen) = (RtmUser(world, "anna"), RtmUser(world, "ben"))
      (anna, ben) = (SignalingUser(world, "anna"), SignalingUser(world, "ben"))
      for user in [rtmAnna, rtmBen] {
        user.login()
        world.run(for: 1)
        user.join()
      }
      for user in [anna, ben] {
        user.login()
        world.run(for: 1)
        user.client.channelJoin("room")
      }
      world.run(for: 2)
      clear()
    }

    func clear() {
      for user in [rtmAnna, rtmBen] { user.heard.clear() }
      for user in [anna, ben] { user.heard.clear() }
    }

    func set(_ weather: SimulatedNetwork.Weather) {
      rtmAnna.network.set(weather)
      anna.network.set(weather)
    }

    func sendAll(_ text: String) {
      rtmAnna.say(text)
      rtmAnna.send(text, to: "ben")
      anna.client.messageChannelSend("room", msg: text, msgID: "c " + text)
      anna.client.messageInstantSend("ben", msg: text, msgID: "p " + text)
    }

    func comeBack() {
      set(.clear)
      rtmAnna.client.networkIsBack()
      anna.client.networkIsBack()
      world.run(for: 3)
    }

    /// What Ben heard of this text, over both services.
    func arrived(_ text: String) -> [String] {
      (rtmBen.heard.texts + ben.heard.texts).filter { $0.hasSuffix(text) && !$0.hasPrefix("said") }.sorted()
    }
  }

  @Test(
    "FACE-7, RTMM-sent, SIGE-401: sent in the first seconds of a silence, failed, and not delivered at the return"
  )
  func withdrawn() {
    let users = Users()
    users.set(.silent)
    users.world.run(for: 1)
    users.sendAll("lost")
    users.world.run(for: 14)
    #expect(users.rtmAnna.heard.texts("s").filter { $0.contains("lost") }.count == 2)
    #expect(
      users.anna.heard.texts("onMessageSend").sorted() == [
        "onMessageSendError c lost 401", "onMessageSendError p lost 401",
      ])
    users.comeBack()
    users.world.run(for: 60)
    #expect(users.arrived("lost").isEmpty, "\(users.arrived("lost"))")
    #expect(users.anna.heard.texts("onMessageSendSuccess").isEmpty)
    // No counter is missing: what follows gets through.
    users.sendAll("next")
    users.world.run(for: 2)
    #expect(
      users.arrived("next") == [
        "anna: next", "onMessageChannelReceive room anna 0 next", "onMessageInstantReceive anna 0 next",
        "peer anna: next",
      ])
  }

  @Test("FACE-7: what had arrived before its failure was told is reported, before the state says connected")
  func reported() {
    let users = Users()
    users.set(.halfOpen(.toClient))
    users.sendAll("here")
    users.world.run(for: 14)
    #expect(users.anna.heard.texts.contains("onMessageSendError c here 401"))
    users.comeBack()
    users.world.run(for: 60)
    #expect(users.arrived("here").count == 4, "\(users.arrived("here"))")
    let heard = users.anna.heard.texts
    let told = heard.firstIndex(of: "onMessageSendSuccess c here")
    let back = heard.firstIndex { $0.hasPrefix("onReconnected") }
    #expect(told != nil)
    #expect(back != nil)
    let rtm = users.rtmAnna.heard.texts
    #expect(rtm.filter { $0 == "delivered here" }.count == 1, "\(rtm)")
  }

  @Test("FACE-7, ACC-14: what is sent again after such a failure, as the sources advise, comes once")
  func sentAgain() {
    let users = Users()
    users.set(.halfOpen(.toClient))
    users.rtmAnna.send("again", to: "ben")
    users.anna.client.messageInstantSend("ben", msg: "again", msgID: "1")
    users.world.run(for: 14)
    #expect(users.arrived("again") == ["onMessageInstantReceive anna 0 again", "peer anna: again"])
    users.comeBack()
    users.rtmAnna.send("again", to: "ben")
    users.anna.client.messageInstantSend("ben", msg: "again", msgID: "1")
    users.world.run(for: 3)
    #expect(users.rtmAnna.heard.texts.last == "sent again 0")
    #expect(users.anna.heard.texts.last == "onMessageSendSuccess 1")
    #expect(users.arrived("again").count == 2, "\(users.arrived("again"))")
    // The same words said once more are another message.
    users.rtmAnna.send("again", to: "ben")
    users.world.run(for: 1)
    #expect(users.arrived("again").count == 3)
  }

  @Test(
    "FACE-7: under any weather, nothing comes after its failure was told, and nothing twice",
    arguments: UInt64(1)...40)
  func property(_ seed: UInt64) {
    let users = Users(seed: seed)
    let loop = users.world.loop
    for number in 0..<25 {
      switch loop.random(0...7) {
      case 0: users.set(.silent)
      case 1: users.set(.cut)
      case 2: users.set(.halfOpen(.toClient))
      case 3: users.set(.halfOpen(.toServer))
      case 4, 5: users.comeBack()
      default: break
      }
      users.sendAll("m\(number).")
      users.world.run(for: 7 * loop.chance())
    }
    users.comeBack()
    users.world.run(for: 30)
    for number in 0..<25 {
      let text = "m\(number)."
      #expect(Set(users.arrived(text)).count == users.arrived(text).count, "seed \(seed): \(text) came twice")
      for kind in ["c", "p"] {
        let id = "\(kind) \(text)"
        let failed = users.anna.heard.all.first { $0.text == "onMessageSendError \(id) 401" }
        let told = users.anna.heard.second(of: "onMessageSendSuccess \(id)")
        let line =
          kind == "c"
          ? "onMessageChannelReceive room anna 0 \(text)" : "onMessageInstantReceive anna 0 \(text)"
        let came = users.ben.heard.second(of: line)
        #expect((failed == nil) != (told == nil) || kind == "c", "seed \(seed): \(id) ends once")
        if let failed, let came {
          #expect(came <= failed.second + Self.way, "seed \(seed): \(id) came after its failure")
        }
        if told != nil { #expect(came != nil, "seed \(seed): \(id) was told to have come") }
        if kind == "c", came != nil, users.anna.heard.texts("onChannelLeaved").isEmpty {
          #expect(told != nil, "seed \(seed): \(id) came, and nobody said so")
        }
      }
      for line in ["anna: \(text)", "peer anna: \(text)"] {
        let name = line.hasPrefix("peer") ? "sent" : "said"
        let failed = users.rtmAnna.heard.all.first {
          $0.text.hasPrefix("\(name) \(text)") && !$0.text.hasSuffix(" 0")
        }
        if let failed, let came = users.rtmBen.heard.second(of: line) {
          #expect(came <= failed.second + Self.way, "seed \(seed): \(line) came after its failure")
        }
      }
    }
  }
}
