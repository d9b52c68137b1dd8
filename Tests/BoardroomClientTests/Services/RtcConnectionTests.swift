import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct RtcConnectionTests {
  @Test("RTC-1..5, RTC-6: the states and their numbers; getConnectionState has the one told last")
  func states() {
    #expect(RtcConnectionState.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
    let world = World(seed: 2)
    let user = RtcUser(world, 1)
    #expect(user.connection.getConnectionState() == .disconnected)
    user.join()
    world.run(atMost: 1) { user.connection.getConnectionState() == .connecting }
    #expect(user.connection.getConnectionState() == .connecting)
    world.run(for: 1)
    #expect(user.connection.getConnectionState() == .connected)
  }

  @Test("Reasons and offline reasons have RTC's numbers, also those that nothing here gives")
  func numbers() {
    #expect(RtcConnectionReason.allCases.map(\.rawValue) == Array(0...20))
    #expect(RtcOfflineReason.allCases.map(\.rawValue) == [0, 1, 2])
    let named: [(RtcConnectionReason, Int)] = [
      (.connecting, 0), (.joinSuccess, 1), (.interrupted, 2), (.bannedByServer, 3), (.joinFailed, 4),
      (.leaveChannel, 5), (.invalidAppId, 6), (.invalidChannelName, 7), (.invalidToken, 8),
      (.tokenExpired, 9), (.rejectedByServer, 10), (.rejoinSuccess, 15), (.sameUidLogin, 19),
    ]
    for (reason, number) in named { #expect(reason.rawValue == number) }
  }

  @Test(
    "RTC-T0..T2, RTC-7, RTCR-0, RTCR-1, RTCT-1, RTCT-2: a join: (2, 0), then (3, 1) and didJoinChannel; the other has joined"
  )
  func join() throws {
    let world = World(seed: 2)
    let (one, two) = (RtcUser(world, 1), RtcUser(world, 2))
    one.join()
    world.run(to: 10)
    #expect(one.heard.texts == ["state 2 0", "state 3 1", "didJoin room 1"])
    #expect(try #require(one.heard.second(of: "didJoin room 1")) <= 0.2)
    two.join()
    world.run(to: 11)
    #expect(two.heard.texts == ["state 2 0", "state 3 1", "didJoin room 2", "joined 1"])
    let joined = try #require(two.heard.second(of: "didJoin room 2"))
    #expect(try #require(one.heard.second(of: "joined 2")) <= joined + 0.1)
  }

  @Test("RTCB-leave, RTCO-0, RTCR-5, RTCT-6: a leave: (1, 5); the other has offline (0) at once")
  func leave() throws {
    let world = World(seed: 2)
    let (one, two) = (RtcUser(world, 1), RtcUser(world, 2))
    one.join()
    two.join()
    world.run(to: 10)
    one.heard.clear()
    two.heard.clear()
    one.connection.leaveChannel()
    world.run(to: 11)
    #expect(one.heard.texts == ["state 1 5", "didLeave"])
    #expect(two.heard.texts == ["offline 1 0"])
    #expect(try #require(two.heard.second(of: "offline 1 0")) <= 10.3)
  }

  @Test("RTCT-4, RTCT-11: a leave while connecting or reconnecting is (1, 5), and no attempt follows")
  func leaveEarly() {
    let world = World(seed: 2)
    let one = RtcUser(world, 1)
    one.network.set(.silent)
    one.join()
    world.run(to: 1)
    one.connection.leaveChannel()
    world.run(to: 2)
    #expect(one.heard.texts == ["state 2 0", "state 1 5", "didLeave"])
    let scene = RtcScene()
    scene.run(to: 106)
    scene.local.connection.leaveChannel()
    scene.run(to: 107)
    #expect(scene.local.heard.texts == ["state 4 2", "state 1 5", "didLeave"])
    scene.local.network.set(.clear)
    scene.run(to: 119)
    #expect(scene.local.heard.texts.count == 3)
  }

  @Test("RTCB-sameUid, RTCR-19, RTCT-7: the same uid elsewhere: (5, 19), and no way back but leave and join")
  func sameUid() {
    let world = World(seed: 2)
    let (one, other) = (RtcUser(world, 1), RtcUser(world, 1))
    one.join()
    world.run(to: 5)
    one.heard.clear()
    other.join()
    world.run(to: 60)
    #expect(one.heard.texts == ["state 5 19"])
    #expect(other.connection.getConnectionState() == .connected)
    one.join()
    world.run(to: 61)
    #expect(one.heard.texts == ["state 5 19", "joinChannel -17"])
  }

  @Test(
    "RTCB-banned, RTCR-3: removed by the server: (5, 3); the other has offline (0)",
    arguments: [
      KickReason.kickByAdmin, .roomBan,
    ])
  func banned(reason: KickReason) {
    let world = World(seed: 2)
    let (one, two) = (RtcUser(world, 1), RtcUser(world, 2))
    one.join()
    two.join()
    world.run(to: 5)
    one.heard.clear()
    two.heard.clear()
    world.kick("1", from: .channel(.rtc, "room"), reason: reason)
    world.run(to: 60)
    #expect(one.heard.texts == ["state 5 3"])
    #expect(two.heard.texts == ["offline 1 0"])
  }

  @Test(
    "RTCT-3, RTCR-6..10: a refused join is Failed, with the reason of the refusal",
    arguments: [
      (RefusalCode.banned, 3), (.tokenInvalid, 8), (.tokenExpired, 9), (.forbidden, 10), (.notFound, 10),
      (.writerLimit, 10), (.badName, 7),
    ])
  func refused(code: RefusalCode, reason: Int) {
    let gate = NamedGate()
    gate.refuse("bad", with: code)
    let world = World(seed: 2, gate: gate)
    let user = RtcUser(world, 1)
    user.join(token: "bad")
    world.run(to: 60)
    #expect(user.heard.texts == ["state 2 0", "state 5 \(reason)"])
    user.connection.leaveChannel()
    user.join()
    world.run(to: 61)
    #expect(user.heard.texts.suffix(3) == ["state 2 0", "state 3 1", "didJoin room 1"])
  }

  @Test(
    "RTCT-10: refused on a retry: Failed, with the reason",
    arguments: [
      (RefusalCode.banned, 3), (.tokenInvalid, 8), (.tokenExpired, 9), (.forbidden, 10),
    ])
  func refusedLater(code: RefusalCode, reason: Int) {
    let gate = NamedGate()
    let world = World(seed: 2, gate: gate)
    let user = RtcUser(world, 1)
    user.join()
    world.run(to: 5)
    user.heard.clear()
    gate.refuse("token", with: code)
    user.network.set(.cut)
    world.run(to: 6)
    user.network.set(.clear)
    world.run(to: 60)
    #expect(user.heard.texts == ["state 4 2", "state 5 \(reason)"])
  }

  @Test(
    "RTCR-6, RTCR-7: an empty app id and a name that RTC does not allow fail before anybody is asked",
    arguments: [
      ("", "room", 6), ("app", "", 7), ("app", "käse", 7), ("app", "a/b", 7),
      ("app", String(repeating: "a", count: 65), 7),
    ])
  func badNames(appId: String, channel: String, reason: Int) {
    let world = World(seed: 2)
    let user = RtcUser(world, 1, appId: appId)
    user.join(channel)
    world.run(to: 5)
    #expect(user.heard.texts == ["state 2 0", "state 5 \(reason)"])
    #expect(user.network.passed(.toServer) == 0)
    user.join(channel)
    user.connection.leaveChannel()
    world.run(to: 6)
    #expect(user.heard.texts.suffix(3) == ["joinChannel -17", "state 1 5", "didLeave"])
  }

  @Test("RTCR-7: 64 bytes of RTC's characters are a good name")
  func goodName() {
    let world = World(seed: 2)
    let user = RtcUser(world, 1)
    let name = "aZ09 !#$%&()+-:;<=.>?@[]^_{}|~," + String(repeating: "b", count: 33)
    #expect(name.utf8.count == 64)
    user.join(name)
    world.run(to: 5)
    #expect(user.heard.texts.last == "didJoin \(name) 1")
  }

  @Test("RTC-7: the stream tells what the delegate hears; a join that is awaited gives the uid or the reason")
  func streams() async {
    let world = World(seed: 2)
    let user = RtcUser(world, 0)
    let connection = user.connection
    let uid = world.perform { try? await connection.joinChannel(byToken: "token", channelId: "room") }
    #expect((uid ?? 0) > 0)
    let error = world.perform { () async -> (any Error)? in
      do { _ = try await connection.joinChannel(byToken: "token", channelId: "room") } catch { return error }
      return nil
    }
    #expect(error as? RtcError == .joinChannelRejected)
    let events = connection.events
    let heard = world.perform { () async -> [RtcEvent] in
      connection.leaveChannel()
      var heard: [RtcEvent] = []
      for await event in events {
        heard.append(event)
        if event == .leftChannel { break }
      }
      return heard
    }
    #expect(heard == [.state(.disconnected, .leaveChannel), .leftChannel])
  }
}
