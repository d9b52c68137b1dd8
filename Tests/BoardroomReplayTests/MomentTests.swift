import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import StorageTestKit
import Testing

@Suite("Moments")
struct MomentTests {
  @Test(
    "RP-60: a seek to any revision gives the state of folding all events up to it", arguments: [nil, 100, 7])
  func seekEqualsFold(spacing: Int?) async throws {
    let session = RecordedSession(seed: 1, events: 600)
    var replay = try await Replay(session.stored(snapshotEvery: spacing))
    for target in [600, 1, 300, 299, 301, 0, 599, 100, 101, 42] {
      try await replay.seek(to: Revision(UInt64(target)))
      let folded = try session.state(after: target)
      #expect(replay.moment.state == folded, "revision \(target)")
      #expect(replay.moment.stateHash == StateEncoder.hash(of: folded))
    }
  }

  @Test("RP-60: playing to a time and seeking to it give the same bytes")
  func playingEqualsSeeking() async throws {
    let session = RecordedSession(seed: 2, events: 500)
    let recording = try await session.stored(snapshotEvery: 64)
    let time = session.records[321].time
    var sought = try await Replay(recording)
    try await sought.seek(at: time)
    var played = try await Replay(recording)
    while let event = try await played.next(), event.time <= time { _ = try await played.step() }
    #expect(played.revision == sought.revision)
    var (one, other) = (StateEncoder(), StateEncoder())
    #expect(one.snapshot(of: played.moment.state) == other.snapshot(of: sought.moment.state))
  }

  @Test("RP-60, RP-62: a time means every event up to and with it; of equal times, all, by revision")
  func timesIncludeTies() async throws {
    var session = RecordedSession(seed: 3, events: 10)
    session.wait(.seconds(1))
    for _ in 0..<3 { session.command(.magix(MagixEvent(name: "tie", payload: .null)), by: 0) }
    let tied = try #require(session.records.last).time
    session.wait(.milliseconds(1))
    session.command(.magix(MagixEvent(name: "after", payload: .null)), by: 0)
    var replay = try await Replay(session.stored())
    try await replay.seek(at: tied)
    #expect(replay.revision == 13)
    try await replay.seek(at: Timestamp(milliseconds: tied.milliseconds - 1))
    #expect(replay.revision == 10)
    try await replay.seek(at: Timestamp(milliseconds: RecordedSession.start.milliseconds - 1))
    #expect(replay.revision == .zero)
  }

  @Test("RP-61: a seek begins at the nearest snapshot, reads on from there, and tells one combined change")
  func seekStartsAtSnapshot() async throws {
    let session = RecordedSession(seed: 4, events: 9_000)
    let store = WatchedStore(MemoryLogStore())
    var replay = try await Replay(session.stored(in: store, snapshotEvery: 3_000))
    let change = try await replay.seek(to: 8_000)
    #expect(store.firstRead == 6_000)
    #expect(change.from == .zero)
    #expect(change.to == 8_000)
    #expect(change.joined == [0, 1, 2])
    #expect(change.put == replay.moment.state.elements.count)
    #expect(try replay.moment.state == session.state(after: 8_000))
    let none = try await replay.seek(to: 8_000)
    #expect(none.isEmpty)
  }

  @Test("A seek beyond the end is refused and names the end")
  func beyondEnd() async throws {
    var replay = try await Replay(RecordedSession(seed: 5, events: 20).stored())
    await #expect(throws: ReplayError.self) { try await replay.seek(to: 21) }
    #expect(replay.revision == .zero)
  }

  @Test("Stepping visits every event once, and the moment at each is that of a seek")
  func steppingForward() async throws {
    let session = RecordedSession(seed: 6, events: 300)
    var replay = try await Replay(session.stored(snapshotEvery: 50))
    var seen: [RoomEvent] = []
    while let event = try await replay.step() {
      seen.append(event)
      #expect(replay.revision == event.revision)
    }
    #expect(try seen == session.events)
    #expect(try replay.moment.state == session.state(after: 300))
    #expect(try await replay.step() == nil)
  }

  @Test("RP-66: stepping back goes through the same moments in reverse")
  func steppingBack() async throws {
    let session = RecordedSession(seed: 7, events: 400)
    var replay = try await Replay(session.stored(snapshotEvery: 128))
    try await replay.seek(to: 400)
    for count in stride(from: 399, through: 330, by: -1) {
      let event = try await replay.stepBack()
      #expect(event?.revision == Revision(UInt64(count)))
      if count % 10 == 0 { #expect(try replay.moment.state == session.state(after: count)) }
    }
    try await replay.seek(to: 1)
    #expect(try await replay.stepBack() == nil)
    #expect(replay.revision == .zero)
    #expect(replay.moment.state == RoomState())
    #expect(try await replay.stepBack() == nil)
  }

  @Test("A filter by kind and member chooses what steps show, forwards and backwards; the fold sees all")
  func filters() async throws {
    let session = RecordedSession(seed: 8, events: 300)
    let filter = EventFilter(kinds: [EventKind.magix.rawValue, 200], members: [1])
    let expected = try session.events.filter { [30, 200].contains($0.event.kind) && $0.actor == .member(1) }
    #expect(expected.count > 5)
    var replay = try await Replay(session.stored())
    var forwards: [RoomEvent] = []
    while let event = try await replay.step(filter) { forwards.append(event) }
    #expect(forwards == expected)
    #expect(try replay.moment.state == session.state(after: 300))
    var backwards: [RoomEvent] = []
    while let event = try await replay.stepBack(filter) { backwards.append(event) }
    #expect(backwards == expected.reversed())
    #expect(replay.revision == .zero)
  }

  @Test("A kick belongs to the one who was thrown out, too")
  func kicksConcernTheirVictim() {
    let kick = RoomEvent(
      revision: 1, time: .zero, actor: .member(0), counter: 1,
      event: .members(.kicked(MemberKicked(member: 4, reason: .kickByAdmin))))
    #expect(EventFilter(members: [4]).passes(kick))
    #expect(EventFilter(members: [0]).passes(kick))
    #expect(!EventFilter(members: [1]).passes(kick))
  }

  @Test("Kinds are named by name or number; anything else is refused")
  func kindNames() {
    #expect(EventFilter.kinds(named: ["stroke", "200", "magix"]) == [1, 200, 30])
    #expect(EventFilter.kinds(named: ["strokes"]) == nil)
    #expect(EventFilter.kinds(named: ["256"]) == nil)
    #expect(EventFilter.kinds(named: []) == [])
  }

  @Test("A room that goes on is followed after a refresh")
  func refreshing() async throws {
    let session = RecordedSession(seed: 9, events: 40)
    let store = MemoryLogStore()
    var replay = try await Replay(session.stored(in: store))
    try await replay.seek(to: 40)
    try await store.append([session.records[1]], to: RecordedSession.room, expecting: 40, epoch: nil)
    #expect(try await replay.step() == nil)
    try await replay.refresh()
    #expect(try await replay.step()?.revision == 41)
  }
}
