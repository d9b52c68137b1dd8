import BoardroomClient
import BoardroomCodec
import BoardroomHosting
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// Sockets that close, and servers that speak less often than every second.
@Suite struct CutTests {
  @Test(
    "FACE-10, RTC-T3, RTC-T4: a server that is restarted within 4 s: nobody in RTC and RTM is told of anything"
  )
  func drain() {
    let world = World(seed: 31)
    let (one, two) = (RtcUser(world, 1), RtcUser(world, 2))
    let (anna, ben) = (RtmUser(world, "anna"), RtmUser(world, "ben"))
    for user in [one, two] { user.join() }
    for user in [anna, ben] {
      user.login()
      world.run(for: 1)
      user.join()
    }
    world.run(to: 20)
    for user in [one, two] { user.heard.clear() }
    for user in [anna, ben] { user.heard.clear() }
    world.restart()
    world.run(for: 10)
    for user in [one, two] { #expect(user.heard.texts.isEmpty, "\(user.heard.texts)") }
    for user in [anna, ben] { #expect(user.heard.texts.isEmpty, "\(user.heard.texts)") }
    ben.say("still here")
    ben.send("you too", to: "anna")
    world.run(for: 1)
    #expect(anna.heard.texts.sorted() == ["ben: still here", "peer ben: you too"])
    #expect(ben.heard.texts.sorted() == ["said still here 0", "sent you too 0"])
  }

  @Test("FACE-10, FACE-1: what is sent while the socket is made up for goes out with the next one, once")
  func sentMeanwhile() {
    let world = World(seed: 31)
    let (anna, ben) = (RtmUser(world, "anna"), RtmUser(world, "ben"))
    for user in [anna, ben] {
      user.login()
      world.run(for: 1)
      user.join()
      world.run(for: 1)
    }
    for user in [anna, ben] { user.heard.clear() }
    anna.network.set(.cut)
    world.run(for: 0.1)
    anna.say("in the room")
    anna.send("to ben", to: "ben")
    world.run(for: 1)
    #expect(anna.heard.texts.isEmpty)
    #expect(anna.client.connectionState == .connected)
    anna.network.set(.clear)
    world.run(for: 2.5)
    #expect(anna.heard.texts.sorted() == ["said in the room 0", "sent to ben 0"])
    #expect(ben.heard.texts.sorted() == ["anna: in the room", "peer anna: to ben"])
  }

  @Test("FACE-10, X-9: what failed because another stay has begun is not sent in that stay")
  func failedIsNotSent() {
    let world = World(seed: 31)
    let anna = RtmUser(world, "anna")
    anna.login()
    world.run(for: 2)
    anna.heard.clear()
    anna.network.set(.cut)
    world.run(for: 0.1)
    world.kick("rtm", from: .account("anna"))
    world.run(for: 1)
    anna.network.set(.clear)
    // Nobody has told her: to her she is there, and what she sets waits for the next socket, also while that opens.
    for number in 0..<10 {
      anna.client.addOrUpdateLocalUserAttributes(["n\(number)": "x"]) { [heard = anna.heard] in
        heard.add("set \(number) \($0.rawValue)")
      }
      world.run(for: 0.03)
    }
    world.run(for: 5)
    let answered = anna.heard.texts.filter { $0.hasPrefix("set ") }
    let recorded = world.log(of: .account("anna")).count { event in
      if case .space(.attributesSet) = event.event { true } else { false }
    }
    #expect(answered.count == 10)
    #expect(answered.count { $0.hasSuffix(" 0") } == recorded, "\(anna.heard.texts)")
  }

  private func slow() -> ServerPolicy {
    var policy = ServerPolicy()
    (policy.timings.heartbeat, policy.timings.suspectAfter) = (.seconds(5), .seconds(12))
    policy.timings.offlineAfter = .seconds(60)
    policy.quietHeartbeat = .zero
    return policy
  }

  @Test("FACE-9: where the operator has heartbeats every 5 s and suspects after 12, clients wait that long")
  func welcomeBinds() throws {
    let world = World(seed: 33, policy: slow())
    let white = world.client("carl")
    let room = try white.join()
    let (anna, one) = (RtmUser(world, "anna"), RtcUser(world, 1))
    let dora = SignalingUser(world, "dora")
    anna.login()
    one.join()
    dora.login()
    world.run(to: 20)
    white.recorder.clear()
    anna.heard.clear()
    one.heard.clear()
    dora.heard.clear()
    dora.client.setAttr("_conn_timeout", value: "60")
    world.run(to: 120)
    #expect(white.recorder.phases.isEmpty)
    #expect(room.phase == .connected)
    #expect(anna.heard.texts.isEmpty)
    #expect(one.heard.texts.isEmpty)
    #expect(dora.heard.texts.isEmpty)
    // Its last byte was up to 5 s before.
    white.network.set(.silent)
    world.run(to: 140)
    let told = try #require(white.recorder.phases.first)
    #expect(told.phase == .reconnecting)
    #expect((126...132.3).contains(told.second))
  }

  @Test("FACE-11: a large piece on a slow line is no silence: bytes count, not messages")
  func slowLine() throws {
    let world = World(seed: 34)
    let ben = world.client("ben")
    let bens = try ben.join()
    for key in 0..<12 {
      let letters = Array("abcdefghijklmnopqrstuvwxyz0123456789")
      let text = String((0..<20_000).map { _ in letters[world.loop.random(0...35)] })
      world.perform { _ = try? await bens.setGlobalState(["k\(key)": .string(text)]) }
    }
    world.run(for: 1)
    let anna = world.client("anna")
    // The snapshot takes about 16 s.
    anna.network.slowDown(to: 15_000)
    anna.sdk.joinRoom(with: anna.config, callbacks: anna.recorder) { _, _, _ in }
    world.run(for: 40)
    #expect(anna.recorder.phases.map(\.phase) == [.connecting, .connected])
    #expect((15...30).contains(anna.recorder.phases.last?.second ?? 0))
  }
}
