import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

@Suite struct PlayerTests {
  @Test(
    "RPT-1, RP-20, RP-35, RP-36, RP-41: nil and waitingFirstFrame; then full state, loadFirstFrame, phase")
  func firstFrame() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    #expect(player.phase == .waitingFirstFrame)
    #expect(player.phase.rawValue == 0)
    #expect(player.state == nil)
    #expect(!player.isPlayable)
    world.ready(player)
    #expect(player.phase == .pause)
    #expect(player.isPlayable)
    let kinds = ears.heard.map { heard in
      switch heard {
      case .playable(true): "playable"
      case .state(let state): state == player.state && state.sceneState != nil ? "full state" : "state"
      case .firstFrame: "first frame"
      case .phase(.pause): "pause"
      case .slice: "slice"
      case .elements: "elements"
      case .playable, .phase, .time, .stopped, .misfit, .render, .magix, .batch, .gap: "other"
      }
    }
    #expect(kinds == ["playable", "full state", "first frame", "pause", "slice"])
  }

  @Test("RPT-1: play() before the first frame leads to playing; RP-40: each change of the phase is told")
  func playBefore() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    player.play()
    world.run(for: 1)
    #expect(ears.phases == [.playing])
    #expect(player.phase == .playing)
  }

  @Test("RP-21, RP-22, RP-30, RPT-2, RPT-3, RP-42: played on and paused; members come and go as changes")
  func playAndPause() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    world.ready(player)
    ears.clear()
    let start = world.seconds
    player.play()
    world.run(to: start + 4)
    #expect(player.phase.rawValue == 1)
    player.pause()
    world.run(for: 100)
    #expect(player.phase.rawValue == 2)
    #expect(player.roomMembers.map(\.uid) == ["anna", "ben"])
    #expect(player.globalState.isEmpty)
    player.play()
    world.run(for: 1.5)
    #expect(player.globalState["topic"]?.text == "\"one\"")
    world.run(for: 3)
    #expect(ears.phases == [.playing, .pause, .playing])
    #expect(ears.states.map { $0.roomMembers?.map(\.uid) } == [["anna"], ["anna", "ben"], nil, nil])
    #expect(ears.states[0].globalState == nil)
    #expect(ears.states[2].roomMembers == nil)
    world.run(for: 3)
    #expect(ears.states.last?.roomMembers == [])
  }

  @Test("RP-24, RPT-6, RPT-7, RP-53: ends with the board; play() begins at 0 again, a seek back goes on")
  func ends() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    player.play()
    world.ready(player)
    let start = world.seconds
    world.run(for: 30)
    #expect(player.phase == .ended)
    #expect(player.phase.rawValue == 4)
    let info = try #require(world.perform { await player.getTimeInfo() })
    #expect(info.scheduleTime == info.timeDuration)
    // From the room's creation at 0 until the last member left at 10 s.
    #expect(abs(info.timeDuration - 10) < 0.05)
    let ended = try #require(ears.all.last { $0.heard == .phase(.ended) })
    #expect(abs(ended.second + start - start - info.timeDuration) < 0.01)
    ears.clear()
    player.play()
    world.run(for: 2)
    #expect(ears.phases.last == .playing)
    #expect(player.roomMembers.map(\.uid) == ["anna"])
    world.run(for: 30)
    player.pause()
    let back = world.perform { await player.seekToScheduleTime(4) }
    #expect(back == .success)
    #expect(player.phase == .pause)
    #expect(player.roomMembers.count == 2)
  }

  @Test("RP-23, RPT-8, RP-31: stopped is the end: nothing follows, and a seek answers stopped")
  func stops() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    player.play()
    world.run(for: 2)
    player.stop()
    world.run(for: 1)
    #expect(player.phase == .stopped)
    #expect(player.phase.rawValue == 3)
    ears.clear()
    player.play()
    #expect(world.perform { await player.seekToScheduleTime(1) } == .stopped)
    world.run(for: 20)
    #expect(ears.all.isEmpty)
  }

  @Test("RP-31: success, unnecessary, overridden by a newer seek, stopped")
  func seekResults() throws {
    let world = try RecordedRoom.short().world
    let source = SlowSource(world.recording, on: world.loop)
    let (player, _) = world.player(source)
    world.ready(player)
    let results = Box<[String]>([])
    func seek(_ seconds: Double, _ name: String) {
      player.seekToScheduleTime(seconds) { result in
        results.change { $0.append("\(name) \(result.rawValue)") }
      }
    }
    seek(6.5, "first")
    world.run(for: 1)
    seek(6.5, "again")
    world.run(for: 1)
    source.delay = .seconds(2)
    seek(2, "older")
    world.run(for: 1)
    #expect(player.phase == .buffering)
    seek(4, "newer")
    world.run(for: 5)
    seek(1, "last")
    world.run(for: 1)
    player.stop()
    world.run(for: 5)
    #expect(
      results.value == [
        "first success", "again successUnnecessary", "older overridden", "newer success", "last stopped",
      ])
  }

  @Test("RP-31: a seek before the first frame leads to a first frame there")
  func seekFirst() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    let results = Box<[WhitePlayerSeekResult]>([])
    for second in [2.0, 8.0] {
      player.seekToScheduleTime(second) { result in results.change { $0.append(result) } }
    }
    world.ready(player)
    world.run(for: 1)
    #expect(results.value == [.overridden, .success])
    #expect(player.phase == .pause)
    #expect(player.globalState["topic"]?.text == "\"two\"")
    try #require(ears.states.count == 1)
    #expect(ears.times == [8])
  }

  @Test(
    "RP-25, RPT-4, RPT-5: missing data buffers, and it ends in what was wanted last",
    arguments: [true, false])
  func buffers(plays: Bool) throws {
    let world = try RecordedRoom.busy(seed: 5).world
    let source = SlowSource(world.recording, on: world.loop, pages: 5)
    source.delay = .seconds(1)
    let (player, ears) = world.player(source)
    world.ready(player)
    player.seekToScheduleTime(10, completion: { _ in })
    player.play()
    world.run(for: 1.5)
    #expect(player.phase == .buffering)
    #expect(player.phase.rawValue == 5)
    if !plays { player.pause() }
    world.run(atMost: 5_000) { player.phase != .buffering }
    #expect(player.phase == (plays ? .playing : .pause))
    guard plays else { return }
    world.run(atMost: 5_000) { player.phase == .ended }
    // Each page is a second away, and holds less than a second.
    #expect(ears.phases.filter { $0 == .buffering }.count > 3)
    #expect(hash(world.perform { await player.getBoard() }) == hash(world.foldedState))
  }

  @Test("RP-32: at four times the speed a quarter of the time; it stays while paused, and is never 0")
  func speed() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    player.playbackSpeed = 4
    player.play()
    world.run(for: 1.6)
    #expect(player.globalState["topic"]?.text == "\"one\"")
    player.pause()
    world.run(for: 1)
    #expect(player.playbackSpeed == 4)
    for bad in [0, -1, Double.infinity, .nan] { player.playbackSpeed = bad }
    #expect(player.playbackSpeed == 4)
    player.play()
    world.run(for: 2)
    let ended = try #require(ears.all.first { $0.heard == .phase(.ended) })
    #expect(abs(ended.second - 2.5 - 1) < 0.05)
  }

  @Test(
    "RP-6, RP-43: the time is told at each multiple of the step and in the last one, again after a seek back")
  func progress() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player { $0.step = .seconds(2) }
    player.play()
    world.run(for: 7)
    #expect(ears.times == [2, 4, 6])
    player.seekToScheduleTime(1, completion: { _ in })
    world.run(for: 4)
    #expect(ears.times == [2, 4, 6, 1, 2, 4])
    world.run(for: 20)
    let duration = try #require(world.perform { await player.getTimeInfo() }?.timeDuration)
    #expect(ears.times.last == duration)
    #expect(WhitePlayerConfig(room: "").step == .milliseconds(500))
  }

  @Test("RP-47, RP-37: custom events of subscribed names at their time, and none of a stretch jumped over")
  func magix() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    let handled = Box(0)
    player.addMagixEventListener("ping") { _ in handled.change { $0 += 1 } }
    player.addHighFrequencyEventListener("ping", fireInterval: 1_000)
    player.play()
    world.run(for: 8)
    let told = ears.all.filter { if case .magix = $0.heard { true } else { false } }
    try #require(told.count == 1)
    #expect(abs(told[0].second - 6) < 0.02)
    #expect(handled.value == 1)
    let batches = ears.all.filter { if case .batch = $0.heard { true } else { false } }
    try #require(batches.count == 1)
    #expect(abs(batches[0].second - 7) < 0.02)
    #expect(ears.magix[0].authorId == 1)
    #expect(ears.magix[0].payload.text == "1")
    #expect(!ears.magix[0].isLate)
    player.seekToScheduleTime(2, completion: { _ in })
    player.seekToScheduleTime(8, completion: { _ in })
    world.run(for: 1)
    #expect(ears.magix.count == 1)
    player.removeMagixEventListener("ping")
    player.seekToScheduleTime(5, completion: { _ in })
    world.run(for: 3)
    #expect(ears.magix.count == 1)
  }

  @Test("RP-61: a seek begins at the nearest snapshot, and tells one change with all that differs")
  func oneDelta() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player()
    world.ready(player)
    ears.clear()
    world.perform { _ = await player.seekToScheduleTime(8) }
    #expect(ears.states.count == 1)
    #expect(ears.states[0].globalState?["topic"]?.text == "\"two\"")
    #expect(ears.states[0].roomMembers?.count == 2)
    #expect(ears.states[0].sceneState == nil)
  }

  @Test("RP-46: an event that does not fit is told, and the player goes on")
  func misfit() throws {
    let world = World(seed: 2)
    let anna = world.client("anna")
    let a = try anna.join()
    world.inject(
      RoomEvent(
        revision: 0, time: world.loop.now, actor: .member(0), counter: 0,
        event: .elements(.erased([ElementID(member: 1, number: 99)]))))
    world.run(for: 5)
    world.perform { await a.disconnect() }
    let (player, ears) = world.player()
    player.play()
    world.run(for: 30)
    #expect(ears.heard.contains { if case .misfit(let what) = $0 { !what.isEmpty } else { false } })
    #expect(player.phase == .ended)
    world.perform { _ = try? await player.getScenePreviewImage("/nowhere") }
    world.run(for: 1)
    #expect(ears.heard.contains { if case .render = $0 { true } else { false } })
  }

  @Test("RP-45: what no waiting mends stops the player with an error; a network that mends does not")
  func fatal() throws {
    let world = try RecordedRoom.short().world
    let source = SlowSource(world.recording, on: world.loop)
    let (player, ears) = world.player(source)
    source.fail(2)
    world.run(for: 30)
    #expect(player.phase == .pause)
    source.fail(100)
    // What is ahead was read already; what is behind was not kept.
    #expect(world.perform { await player.seekToScheduleTime(5) } == .success)
    player.seekToScheduleTime(1, completion: { _ in })
    world.run(for: 60)
    #expect(player.phase == .stopped)
    let errors = ears.heard.compactMap { if case .stopped(let error) = $0 { error } else { nil } }
    #expect(errors.map(\.code) == [.networkLost])
  }
}
