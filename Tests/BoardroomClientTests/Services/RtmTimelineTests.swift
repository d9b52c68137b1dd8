import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// The golden timelines of RTM (PARITY rows TL), against the real server: Anna is silent from 100 on.
@Suite struct RtmTimelineTests {
  func near(_ second: Double?, _ expected: Double, within tolerance: Double = 1.1) -> Bool {
    second.map { abs($0 - expected) <= tolerance } ?? false
  }

  @Test(
    "TL-7, RTMT-5, RTMT-6, RTMO-short, RTMM-received, RTMR-5, FACE-1, X-48: back before 130: (4, 5), (3, 2); others nothing"
  )
  func short() {
    let scene = RtmScene()
    scene.run(to: 110)
    for text in ["one", "two", "three"] { scene.ben.say(text) }
    scene.ben.send("hello", to: "anna")
    scene.comeBack(at: 128)
    #expect(scene.anna.heard.texts.prefix(2) == ["state 4 5", "state 3 2"])
    #expect(near(scene.anna.heard.second(of: "state 4 5"), 104 + scene.localShift))
    #expect(near(scene.anna.heard.second(of: "state 3 2"), 128 + scene.localShift))
    #expect(scene.anna.heard.texts("ben: ") == ["ben: one", "ben: two", "ben: three"])
    #expect(scene.anna.heard.texts("peer ") == ["peer ben: hello"])
    #expect(scene.anna.heard.texts("login").isEmpty, "the login block is not called")
    scene.run(to: 160)
    #expect(scene.ben.heard.texts("member").isEmpty)
  }

  @Test(
    "TL-8, RTMO-long, FACE-2: back at 200: memberLeft at 130, memberJoined at 200; (3, 2); attributes are there again"
  )
  func long() {
    let scene = RtmScene()
    scene.run(to: 150)
    let gone = scene.world.perform { [ben = scene.ben.client] in
      try? await ben.getUserAllAttributes("anna")
    }
    #expect(gone == [:])
    scene.ben.say("while away")
    scene.comeBack(at: 200)
    #expect(scene.anna.heard.texts.prefix(2) == ["state 4 5", "state 3 2"])
    #expect(scene.ben.heard.texts("member") == ["memberLeft anna", "memberJoined anna"])
    #expect(near(scene.ben.heard.second(of: "memberLeft anna"), 130 + scene.remoteShift))
    #expect(near(scene.ben.heard.second(of: "memberJoined anna"), 200 + scene.localShift))
    let back = scene.world.perform { [ben = scene.ben.client] in
      try? await ben.getUserAllAttributes("anna")
    }
    #expect(back == ["mood": "fine"])
    scene.ben.say("again")
    scene.world.run(for: 1)
    // What was said while it was gone is not for who comes in anew (10.5, X-48).
    #expect(scene.anna.heard.texts("ben: ") == ["ben: again"])
  }

  @Test(
    "TL-9, X-1: back at the very millisecond at which the grace ends: counted as gone; a little earlier: not")
  func boundary() throws {
    /// Without a way to go, so that what is sent at an instant arrives at it.
    func play(backAt second: Double?) -> (RtmUser, RtmUser, gone: Double?) {
      let world = World(seed: 22)
      let users = ["anna", "ben"].map { RtmUser(world, $0, latency: 0...0) }
      for user in users {
        user.login()
        world.run(for: 1)
        user.join()
        world.run(for: 1)
      }
      world.run(to: 100)
      for user in users { user.heard.clear() }
      users[0].network.set(.silent)
      world.run(to: second ?? 140)
      if second != nil {
        users[0].network.set(.clear)
        users[0].client.networkIsBack()
        world.run(for: 20)
      }
      let left = world.log(of: .channel(.rtm, "room")).first {
        if case .members(.left(.timeout)) = $0.event { true } else { false }
      }
      return (users[0], users[1], left.map { Double(($0.time - world.start).wholeMilliseconds) / 1_000 })
    }
    // The same seed gives the same run: this is when the server lets go of it.
    let end = try #require(play(backAt: nil).gone)
    #expect((129...130.3).contains(end))
    let (anna, ben, _) = play(backAt: end)
    #expect(anna.heard.texts.prefix(2) == ["state 4 5", "state 3 2"])
    #expect(ben.heard.texts("member") == ["memberLeft anna", "memberJoined anna"])
    let (early, other, _) = play(backAt: end - 0.5)
    #expect(early.heard.texts.prefix(2) == ["state 4 5", "state 3 2"])
    #expect(other.heard.texts("member").isEmpty)
  }

  @Test("TL-10, RTMT-7: hours: the state stays 4 all the time and attempts go on; then (3, 2)")
  func hours() {
    let scene = RtmScene()
    scene.run(to: 7_300)
    #expect(scene.anna.heard.texts == ["state 4 5"])
    scene.anna.network.set(.clear)
    scene.world.run(for: 20)
    #expect(scene.anna.heard.texts.prefix(2) == ["state 4 5", "state 3 2"])
  }

  @Test(
    "TL-11, RTMT-8: the token ends in an outage: one tokenDidExpire, state 4, attempts fail until it is renewed"
  )
  func token() {
    let scene = RtmScene()
    scene.run(to: 150)
    scene.gate.refuse("token", with: .tokenExpired)
    scene.anna.network.set(.clear)
    scene.run(to: 200)
    #expect(scene.anna.heard.texts == ["state 4 5", "tokenDidExpire"])
    #expect(scene.anna.client.connectionState == .reconnecting)
    scene.anna.client.renewToken("fresh", completion: nil)
    scene.run(to: 203)
    #expect(scene.anna.heard.texts.prefix(3) == ["state 4 5", "tokenDidExpire", "state 3 2"])
    #expect(scene.ben.heard.texts("member") == ["memberLeft anna", "memberJoined anna"])
  }

  @Test("TL-12, RTMT-4, RTMR-4, RTML-9: the server is silent: at 12.0 (1, 4), login block error 9")
  func login() {
    let world = World(seed: 5)
    let anna = RtmUser(world, "anna")
    anna.network.set(.silent)
    anna.login()
    world.run(to: 60)
    #expect(anna.heard.texts == ["state 2 1", "state 1 4", "login 9"])
    #expect(near(anna.heard.second(of: "state 1 4"), 12, within: 0.05))
  }

  @Test(
    "TL-13, RTMT-10..12, RTMR-8, RTML-8, X-4: taken over: (5, 8); calls fail; login 8; after logout it works again"
  )
  func takeover() {
    let world = World(seed: 5)
    let (anna, other) = (RtmUser(world, "anna"), RtmUser(world, "anna"))
    anna.login()
    world.run(to: 5)
    anna.heard.clear()
    other.login()
    world.run(to: 100)
    #expect(anna.heard.texts == ["state 5 8"])
    #expect(other.client.connectionState == .connected)
    anna.heard.clear()
    anna.join()
    anna.send("x", to: "ben")
    anna.login()
    world.run(to: 101)
    #expect(anna.heard.texts == ["join 102", "sent x 102", "login 8"])
    anna.heard.clear()
    anna.logout()
    world.run(to: 102)
    anna.login()
    world.run(to: 105)
    #expect(anna.heard.texts == ["state 1 6", "logout 0", "state 2 1", "state 3 2", "login 0"])
    #expect(other.client.connectionState == .aborted)
  }

  @Test("TL-14, RTMM-sent, X-48: what is sent at 110 fails at once and is never delivered later")
  func sending() {
    let scene = RtmScene()
    scene.run(to: 110)
    scene.anna.say("lost")
    scene.anna.send("lost too", to: "ben")
    scene.world.run(for: 0.01)
    #expect(scene.anna.heard.texts == ["state 4 5", "said lost 102", "sent lost too 102"])
    scene.comeBack(at: 120)
    scene.run(to: 160)
    #expect(scene.ben.heard.texts.filter { $0.contains("lost") }.isEmpty)
  }
}
