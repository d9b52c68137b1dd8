import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// A callbacks object hears the same in a replay as it heard live (issue 4, acceptance 4).
@Suite struct ViewerTests {
  /// Milliseconds since the room was made, and what was heard.
  struct Line: Hashable, CustomStringConvertible {
    var at: Int
    var heard: Recorder.Heard
    var description: String { "\(at) \(heard)\n" }
  }

  func lines(_ recorder: Recorder) -> [Line] {
    recorder.all.map { Line(at: Int(($0.second * 1_000).rounded()), heard: $0.heard) }
  }

  /// Plays the whole log to a recorder whose clock is the recording's.
  private func replayed(
    _ world: World, through viewer: WhiteReplayViewer, speed: Double = 1,
    _ change: (inout WhitePlayerConfig) -> Void = { _ in }
  ) throws -> [Line] {
    let from = world.seconds
    let recorder = Recorder { (world.seconds - from) * speed }
    let (player, _) = world.player(roomCallbacks: recorder) { config in
      config.viewer = viewer
      config.begin = world.start
      config.duration = world.loop.now - world.start
      change(&config)
    }
    player.addMagixEventListener(WhiteRoom.allMagixEvents)
    player.playbackSpeed = speed
    player.play()
    world.run(atMost: 3_000) { player.phase == .ended || player.phase == .stopped }
    #expect(player.phase == .ended)
    return lines(recorder)
  }

  /// Everybody's words arrive at once, so that a client's moments are the log's.
  func client(_ world: World, _ name: String) -> SimulatedClient {
    world.client(name, latency: 0...0)
  }

  func expectEqual(_ replay: [Line], _ live: [Line]) {
    #expect(replay.count == live.count)
    for (one, other) in zip(replay, live) { #expect(one == other) }
  }

  /// Anna comes, changes things, is without a network for 12 s, comes back, and is thrown out; Ben and Cleo work.
  func story() throws -> (world: World, anna: SimulatedClient, ben: SimulatedClient) {
    let world = World(seed: 21)
    let (anna, ben, cleo) = (client(world, "anna"), client(world, "ben"), client(world, "cleo"))
    world.run(to: 2)
    let a = try anna.join()
    a.addMagixEventListener(WhiteRoom.allMagixEvents)
    world.run(to: 4)
    let b = try ben.join()
    b.addMagixEventListener(WhiteRoom.allMagixEvents)
    world.run(to: 6)
    a.setGlobalState(["topic": .string("birds")], completion: nil)
    world.run(to: 7)
    a.moveCamera(WhiteCameraState(centerX: 3, centerY: 4, scale: 2), completion: nil)
    b.dispatchMagixEvent("ping", payload: JSONValue(1), completion: nil)
    world.run(to: 8)
    b.setGlobalState(["topic": .string("bees"), "page": JSONValue(2)], completion: nil)
    var pen = WhiteMemberState()
    pen.strokeWidth = 7
    b.setMemberState(pen, completion: nil)
    world.run(to: 9)
    a.putScenes(
      "/book", scenes: [WhiteScene(name: "one"), WhiteScene(name: "two")], index: 0, completion: nil)
    a.setScenePath("/book/two", completion: nil)
    world.run(to: 10)
    let c = try cleo.join { $0.isWritable = false }
    world.run(to: 11)
    b.setViewMode(.broadcaster, completion: nil)
    world.run(to: 12)
    a.setWritable(false, completion: nil)
    world.run(to: 13)
    a.setWritable(true, completion: nil)
    world.run(to: 14)
    a.dispatchMagixEvent("own", payload: JSONValue(2), completion: nil)
    world.run(to: 20)
    anna.network.set(.silent)
    world.run(to: 22)
    b.dispatchMagixEvent("ping", payload: JSONValue(3), completion: nil)
    b.setGlobalState(["topic": .string("lost")], completion: nil)
    world.run(to: 28)
    b.setGlobalState(["topic": .string("found")], completion: nil)
    world.perform { await c.disconnect() }
    world.run(to: 32)
    anna.network.set(.clear)
    a.networkIsBack()
    world.run(to: 40)
    b.dispatchMagixEvent("ping", payload: JSONValue(4), completion: nil)
    world.run(to: 41)
    world.inject(
      RoomEvent(
        revision: 0, time: world.loop.now, actor: .member(1), counter: 0,
        event: .elements(.erased([ElementID(member: 1, number: 99)]))))
    world.run(to: 55)
    b.setGlobalState(["after": .bool(true)], completion: nil)
    world.run(to: 60)
    world.kick(try #require(a.roomMemberId))
    world.run(to: 63)
    world.perform { await b.disconnect() }
    world.run(to: 70)
    return (world, anna, ben)
  }

  @Test(
    "RP-64, RP-42, RP-47, RP-62: entry by entry and to the millisecond what Anna heard: outage, return, kick")
  func anna() throws {
    let (world, anna, _) = try story()
    let live = lines(anna.recorder)
    #expect(live.contains { $0.heard == .kicked("kickByAdmin") })
    #expect(live.count > 20)
    let replay = try replayed(world, through: .user("anna"))
    expectEqual(replay, live)
    expectEqual(try replayed(world, through: .member(0)), live)
    let session = world.log.compactMap { event in
      if case .members(.joined(let joined)) = event.event { joined.session.description } else { nil }
    }
    expectEqual(try replayed(world, through: .session(session[0])), live)
  }

  @Test("RP-64: and what Ben heard, who stayed and then left")
  func ben() throws {
    let (world, _, ben) = try story()
    expectEqual(try replayed(world, through: .user("ben")), lines(ben.recorder))
  }

  @Test("RP-32, RP-64: at eight times the speed the same, in the same order")
  func faster() throws {
    let (world, anna, _) = try story()
    let replay = try replayed(world, through: .user("anna"), speed: 8)
    #expect(replay.map(\.heard) == lines(anna.recorder).map(\.heard))
    for (one, other) in zip(replay, lines(anna.recorder)) { #expect(abs(one.at - other.at) <= 8) }
  }

  @Test("RP-61, RP-64: a seek tells phases that differ and one state; what was jumped over is not told")
  func seeks() throws {
    let (world, _, _) = try story()
    let recorder = Recorder { world.seconds }
    let (player, _) = world.player(roomCallbacks: recorder) { $0.viewer = .user("anna") }
    player.addMagixEventListener(WhiteRoom.allMagixEvents)
    world.ready(player)
    func seek(_ seconds: Double) -> [Recorder.Heard] {
      recorder.clear()
      world.perform { _ = await player.seekToScheduleTime(seconds) }
      return recorder.heard
    }
    #expect(player.phase == .pause)
    #expect(recorder.heard.isEmpty)
    #expect(seek(10) == [.phase(.connecting), .phase(.connected), .committable(true)])
    let away = seek(30)
    #expect(away.prefix(2) == [.phase(.reconnecting), .committable(false)])
    #expect(recorder.states.allSatisfy { $0.globalState?["topic"]?.text != "\"lost\"" })
    let back = seek(35)
    #expect(back.prefix(2) == [.phase(.connected), .committable(true)])
    try #require(recorder.states.count == 1)
    #expect(recorder.states[0].globalState?["topic"]?.text == "\"found\"")
    #expect(recorder.magix.isEmpty)
    #expect(seek(61.5) == [.phase(.disconnected), .committable(false)])
  }

  @Test("TL-22, TL-27: an outage and the return: the same board and the same instants")
  func timelineShort() throws {
    let (world, anna, kept) = try timeline { scene in
      scene.anna.network.set(.silent)
      scene.world.run(to: 110)
      scene.ben.setGlobalState(["topic": .string("one")], completion: nil)
      scene.world.run(to: 120)
      scene.anna.network.set(.clear)
      scene.room.networkIsBack()
      scene.world.run(to: 125)
    }
    defer { withExtendedLifetime(kept) {} }
    expectEqual(try replayed(world, through: .user("anna")), lines(anna.recorder))
  }

  @Test("TL-23, TL-27: never back: nobody told the log when, so its instants are the server's and 45 s later")
  func timelineLong() throws {
    let (world, anna, kept) = try timeline { scene in
      scene.anna.network.set(.silent)
      scene.world.run(to: 160)
    }
    defer { withExtendedLifetime(kept) {} }
    let (live, replay) = (lines(anna.recorder), try replayed(world, through: .user("anna")))
    #expect(replay.count == live.count)
    for (one, other) in zip(replay, live) {
      #expect(abs(one.at - other.at) <= 300)
      guard case .disconnect(let text) = one.heard, case .disconnect(let said) = other.heard else {
        #expect(one.heard == other.heard)
        continue
      }
      // Why the last attempt came to nothing and how often it tried is not in the log.
      #expect(text.hasPrefix("networkLost: Reconnecting took longer than the limit of 45 s."))
      #expect(said.hasPrefix("networkLost: "))
      #expect(said.contains(#/does not answer: .* given up after 45 s \(\d+ attempts\)/#))
    }
  }

  @Test("TL-24, TL-27: joined again after giving up: the old callbacks object hears of the new stay")
  func timelineRejoin() throws {
    let (world, anna, kept) = try timeline { scene in
      scene.anna.network.set(.silent)
      scene.world.run(to: 160)
      scene.anna.network.set(.clear)
      scene.world.perform { [anna = scene.anna] in
        _ = await asResult { () async throws(BoardroomError) in try await anna.sdk.joinRoom(anna.config) }
      }
      scene.world.run(to: 170)
    }
    defer { withExtendedLifetime(kept) {} }
    let replay = try replayed(world, through: .user("anna"))
    let phases = replay.compactMap { if case .phase(let phase) = $0.heard { phase } else { nil } }
    #expect(phases == anna.recorder.phases.map(\.phase))
  }

  @Test("TL-25, TL-27: two outages, the second without a return")
  func timelineTwo() throws {
    let (world, anna, kept) = try timeline { scene in
      scene.anna.network.set(.silent)
      scene.world.run(to: 120)
      scene.anna.network.set(.clear)
      scene.room.networkIsBack()
      scene.world.run(to: 158)
      // In a quiet room the two sides may notice a silence ten seconds apart (WIRE-20).
      scene.ben.setGlobalState(["topic": .string("two")], completion: nil)
      scene.world.run(to: 160)
      scene.anna.network.set(.silent)
      scene.world.run(to: 215)
    }
    defer { withExtendedLifetime(kept) {} }
    let (live, replay) = (lines(anna.recorder), try replayed(world, through: .user("anna")))
    #expect(replay.count == live.count)
    for (one, other) in zip(replay, live) { #expect(abs(one.at - other.at) <= 300) }
  }

  @Test("TL-9, TL-27: back after the grace, as another member on the same room object")
  func timelineOther() throws {
    let (world, anna, kept) = try timeline { scene in
      scene.anna.network.set(.cut)
      scene.world.run(to: 133)
      scene.anna.network.set(.clear)
      scene.room.networkIsBack()
      scene.world.run(to: 140)
    }
    defer { withExtendedLifetime(kept) {} }
    expectEqual(try replayed(world, through: .user("anna")), lines(anna.recorder))
  }

  @Test("TL-26, TL-27: a kick")
  func timelineKick() throws {
    let (world, anna, kept) = try timeline { scene in
      scene.world.kick(scene.room.roomMemberId ?? 0)
      scene.world.run(to: 110)
    }
    defer { withExtendedLifetime(kept) {} }
    expectEqual(try replayed(world, through: .user("anna")), lines(anna.recorder))
  }

  struct Scene {
    var world: World
    var anna: SimulatedClient
    var room: WhiteRoom
    var ben: WhiteRoom
  }

  /// Anna and Ben in one room until 100 s, then `body`.
  func timeline(
    _ body: (Scene) throws -> Void
  ) throws -> (world: World, anna: SimulatedClient, kept: [WhiteRoom]) {
    let world = World(seed: 7)
    let (anna, ben) = (client(world, "anna"), client(world, "ben"))
    world.run(to: 1)
    let a = try anna.join()
    let b = try ben.join()
    world.run(to: 99.94)
    a.moveCamera(WhiteCameraState(centerX: 1, centerY: 1, scale: 1), completion: nil)
    world.run(to: 100)
    try body(Scene(world: world, anna: anna, room: a, ben: b))
    // A room that is let go leaves, which would be one event more.
    return (world, anna, [a, b])
  }

  @Test(
    "RP-64: commands of the member's that were refused are told to the common callbacks object, by their codes"
  )
  func refusals() throws {
    let world = World(seed: 8)
    let anna = try Listener(world)
    let ben = try world.client("ben").join()
    anna.room.setScenePath("/nowhere", completion: nil)
    ben.setScenePath("/nowhere/else", completion: nil)
    // Of refusals within a second only one is recorded (BOUND-7), and the network takes its time.
    world.run(for: 2)
    anna.room.removeScenes("/nowhere", completion: nil)
    world.run(for: 1)
    world.perform { await anna.room.disconnect() }
    world.run(for: 1)
    let live = anna.ears.heard.errors.map(\.code)
    #expect(live.count == 2)
    let ears = Ears()
    let (player, _) = world.player(roomCallbacks: ears, commonCallbacks: ears) { $0.viewer = .user("anna") }
    player.play()
    world.run(for: 60)
    #expect(ears.heard.errors.map(\.code) == live)
    withExtendedLifetime(ben) {}
  }

  @Test(
    "With a network that takes its time, the same in the same order, and no further off than it takes")
  func latency() throws {
    let world = World(seed: 33)
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let (a, b) = (try anna.join(), try ben.join())
    for step in 1...20 {
      (step % 2 == 0 ? a : b).setGlobalState(["k": JSONValue(step)], completion: nil)
      world.run(for: 0.5)
    }
    world.perform { await a.disconnect() }
    world.run(for: 1)
    withExtendedLifetime(b) {}
    let (live, replay) = (lines(anna.recorder), try replayed(world, through: .user("anna")))
    #expect(replay.map(\.heard) == live.map(\.heard))
    for (one, other) in zip(replay, live) { #expect(abs(one.at - other.at) <= 120) }
  }
}
