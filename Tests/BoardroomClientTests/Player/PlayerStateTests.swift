import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import StorageTestKit
import TestKit
import Testing

/// What is true at a moment of a recording (RP-60 to RP-65).
@Suite struct PlayerStateTests {
  /// The fold of all events not after a moment.
  private func fold(_ log: [RoomEvent], _ until: Timestamp) -> RoomState {
    var state = RoomState()
    for event in log where event.time <= until { state.apply(event) }
    return state
  }

  @Test(
    "RP-60, RP-61, RP-62: playing to a moment and seeking to it give the fold of all events up to it",
    arguments: [1, 2, 3, 4] as [UInt64], [0.5, 1, 3.7, 16])
  func playingAndSeeking(seed: UInt64, speed: Double) throws {
    let world = try RecordedRoom.busy(seed: seed, seconds: 8).world
    let log = world.log
    world.snapshot(at: [20, 60, 100].filter { $0 < UInt64(log.count) })
    let begin = try #require(log.first?.time)
    let (playing, _) = world.player(SlowSource(world.recording, on: world.loop, pages: 7))
    let (seeking, _) = world.player()
    world.ready(playing)
    world.ready(seeking)
    playing.playbackSpeed = speed
    var luck = SeededGenerator(seed: seed)
    playing.play()
    while playing.phase != .ended {
      world.run(for: Double(luck.next() % 1_500) / 1_000)
      playing.pause()
      let info = try #require(world.perform { await playing.getTimeInfo() })
      let played = world.perform { await playing.getBoard() }
      world.perform { _ = await seeking.seekToScheduleTime(info.scheduleTime) }
      let sought = world.perform { await seeking.getBoard() }
      let until = begin + .milliseconds(Int64((info.scheduleTime * 1_000).rounded()))
      #expect(hash(played) == hash(sought))
      #expect(hash(played) == hash(fold(log, until)))
      playing.play()
    }
  }

  @Test("RP-61: a far seek reads from the nearest snapshot, not from the beginning")
  func nearestSnapshot() throws {
    let world = World()
    var records = (0..<19_000).map { number in
      record(.state(.global(JSONPatch([("k", JSONText(unchecked: "\(number)"))]))), at: 10 * Int64(number))
    }
    records.insert(record(.room(.created(RoomCreated(name: "long"))), at: 0), at: 0)
    let base = world.recorded(records)
    let source = SlowSource(Shelf(base, state: fold(records, 18_000)), on: world.loop, pages: 500)
    let (player, _) = world.player(source)
    world.run(for: 1)
    source.watch()
    world.perform { _ = await player.seekToScheduleTime(185) }
    #expect(source.firstRead == 18_000)
    #expect(player.globalState["k"]?.text == "18500")
  }

  private func record(_ event: Event, at time: Int64, by actor: Actor = .server) -> Record {
    Record(
      kind: event.kind, time: Timestamp(milliseconds: 1_700_000_000_000 + time), actor: actor.code,
      body: EventCodec.encodeBody(event, counter: 0))
  }

  private func fold(_ records: [Record], _ count: Int) -> RoomState {
    var state = RoomState()
    for (index, record) in records.prefix(count).enumerated() {
      guard let event = try? EventCodec.decode(record, at: Revision(UInt64(index + 1))) else { continue }
      state.apply(event)
    }
    return state
  }

  /// A source with one snapshot.
  private struct Shelf: ReplaySource {
    let base: any ReplaySource
    let state: RoomState
    init(_ base: any ReplaySource, state: RoomState) { (self.base, self.state) = (base, state) }
    var room: RoomID { base.room }
    func outline() async throws(ReplaySourceError) -> ReplayOutline { try await base.outline() }
    func runs(after: Revision, limit: Int) async throws(ReplaySourceError) -> [Run] {
      try await base.runs(after: after, limit: limit)
    }
    func state(notAfter revision: Revision) async throws(ReplaySourceError) -> RoomState? {
      state.revision <= revision ? state : nil
    }
    func state(notBefore revision: Revision) async throws(ReplaySourceError) -> RoomState? {
      state.revision >= revision ? state : nil
    }
    func revision(at time: Timestamp) async throws(ReplaySourceError) -> Revision {
      try await base.revision(at: time)
    }
  }

  @Test("RP-62: of equal times all count, and become one change, whatever the clients' clocks say")
  func ties() throws {
    let world = World()
    let records = [
      record(.room(.created(RoomCreated(name: "ties"))), at: 0),
      record(.state(.global(JSONPatch([("k", JSONText(unchecked: "1"))]))), at: 500),
      record(.state(.global(JSONPatch([("k", JSONText(unchecked: "2"))]))), at: 500),
      record(.state(.global(JSONPatch([("k", JSONText(unchecked: "3"))]))), at: 900),
    ]
    let source = world.recorded(records)
    let (player, ears) = world.player(source)
    world.ready(player)
    ears.clear()
    player.play()
    world.run(for: 0.7)
    #expect(ears.states.map { $0.globalState?["k"]?.text } == ["2"])
  }

  @Test("RP-4, RP-44: slices of 32,768 events: told as they begin, and playable alone")
  func slices() throws {
    let world = World()
    var records = (0..<40_000).map { number in
      record(.state(.global(JSONPatch([("k", JSONText(unchecked: "\(number)"))]))), at: Int64(number))
    }
    records.insert(record(.room(.created(RoomCreated(name: "long"))), at: 0), at: 0)
    let source = world.recorded(records)
    let (player, ears) = world.player(source)
    player.playbackSpeed = 100
    player.play()
    world.run(for: 1)
    let slices = ears.heard.compactMap { if case .slice(let slice) = $0 { slice } else { nil } }
    #expect(slices == ["0", "1"])
    let (second, _) = world.player(source) { $0.slice = "1" }
    world.ready(second)
    #expect(second.globalState["k"]?.text == "32767")
    let info = try #require(world.perform { await second.getTimeInfo() })
    #expect(abs(info.timeDuration - Double(40_000 - 32_768) / 1_000) < 0.01)
    let (third, _) = world.player(source) { $0.slice = "2" }
    world.ready(third)
    #expect(third.playability == .nothingRecorded)
  }

  @Test("RP-63: idle stretches are shortened to what was asked, and the map says where")
  func idle() throws {
    let world = try RecordedRoom.short().world
    let (player, ears) = world.player { $0.idleLimit = .milliseconds(500) }
    world.ready(player)
    let map = try #require(player.timeMap)
    #expect(map.entries.count > 5)
    let info = try #require(world.perform { await player.getTimeInfo() })
    #expect(info.timeDuration < 5)
    #expect(map.utc(at: .milliseconds(Int64(info.timeDuration * 1_000))) >= world.start + .seconds(9))
    for entry in map.entries { #expect(map.schedule(of: entry.utc) == entry.schedule) }
    ears.clear()
    player.addMagixEventListener("ping")
    player.play()
    world.run(for: 6)
    #expect(player.phase == .ended)
    #expect(ears.magix.count == 1)
    #expect(ears.states.count == 7 - 1)
  }

  @Test("RP-65: damage is passed over: told as a gap, and playing goes on at the next snapshot")
  func damage() throws {
    let world = try RecordedRoom.busy(seed: 9).world
    let log = world.log
    let count = UInt64(log.count)
    world.snapshot(at: [count / 2])
    let source = SlowSource(world.recording, on: world.loop, pages: 3)
    source.damage(20...(count / 4))
    let (player, ears) = world.player(source)
    player.play()
    world.run(for: 60)
    #expect(player.phase == .ended)
    let gaps = ears.heard.compactMap { if case .gap(let gap) = $0 { gap } else { nil } }
    #expect(gaps.map(\.first.rawValue) == [20])
    #expect(gaps == player.gaps)
    #expect(hash(world.perform { await player.getBoard() }) == hash(world.foldedState))
    // Inside of it there is what was before it; after the snapshot all is right.
    let begin = try #require(log.first?.time)
    func sought(_ revision: UInt64) -> [UInt8] {
      let time = Double((log[Int(revision) - 1].time - begin).wholeMilliseconds) / 1_000
      world.perform { _ = await player.seekToScheduleTime(time) }
      return hash(world.perform { await player.getBoard() })
    }
    #expect(sought(count / 8) == hash(fold(log, log[18].time)) || log[18].time == log[19].time)
    let late = count / 2 + 5
    #expect(sought(late) == hash(fold(log, log[Int(late) - 1].time)))
  }

  @Test("RP-65: damage without a snapshot after it: the rest cannot be shown, and time goes on to the end")
  func damageToTheEnd() throws {
    let world = try RecordedRoom.busy(seed: 10, seconds: 5).world
    let source = SlowSource(world.recording, on: world.loop)
    source.damage(20...10_000)
    let (player, _) = world.player(source)
    player.play()
    world.run(for: 30)
    #expect(player.phase == .ended)
    #expect(player.gaps.count == 1)
    #expect(world.perform { await player.getBoard() }.revision == 19)
  }
}
