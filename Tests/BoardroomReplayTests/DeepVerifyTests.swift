import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import Testing

@Suite("Deep verify and damage")
struct DeepVerifyTests {
  @Test("Deep verify refolds from nothing and proves every stored snapshot")
  func soundLog() async throws {
    let session = RecordedSession(seed: 1, events: 1_000)
    let report = try await DeepVerify.run(try await session.stored(snapshotEvery: 100))
    #expect(report.findings == [])
    #expect(report.events == 1_000)
    #expect(report.snapshots > 0)
    #expect(try report.stateHash == StateEncoder.hash(of: session.state(after: 1_000)))
  }

  @Test("A snapshot whose hash is not that of the events is found and named")
  func wrongSnapshot() async throws {
    let session = RecordedSession(seed: 2, events: 300)
    let recording = try await session.stored()
    var other = try session.state(after: 200)
    other.globalState["planted"] = JSONText(unchecked: "1")
    var encoder = StateEncoder()
    try await recording.store.put(encoder.snapshot(of: other), for: RecordedSession.room)
    let report = try await DeepVerify.run(recording)
    #expect(report.findings.map(\.revision) == [200])
    #expect(report.stateHash != nil)
  }

  @Test("A snapshot whose content is not what its hash names is found and named")
  func forgedSnapshot() async throws {
    let session = RecordedSession(seed: 3, events: 300)
    let recording = try await session.stored()
    var encoder = StateEncoder()
    var snapshot = encoder.snapshot(of: try session.state(after: 150))
    snapshot.stateHash = StateEncoder.hash(of: try session.state(after: 151))
    try await recording.store.put(snapshot, for: RecordedSession.room)
    let report = try await DeepVerify.run(recording)
    #expect(report.findings.map(\.revision) == [150, 150])
  }

  @Test("RP-65: damage stops nothing else: a seek goes on at the next snapshot and reports the gap")
  func seekPastDamage() async throws {
    let session = RecordedSession(seed: 4, events: 500)
    let store = WatchedStore(MemoryLogStore())
    let recording = try await session.stored(in: store, snapshotEvery: 200)
    store.damage(150...180)
    var replay = try await Replay(recording)
    try await replay.seek(to: 149)
    try await replay.seek(to: 450)
    #expect(try replay.moment.state == session.state(after: 450))
    #expect(replay.gaps.map(\.first) == [150])
    #expect(replay.gaps.map(\.last) == [180])
  }

  @Test("RP-65: stepping leaps over damage to the next snapshot")
  func stepPastDamage() async throws {
    let session = RecordedSession(seed: 5, events: 300)
    let store = WatchedStore(MemoryLogStore())
    let recording = try await session.stored(in: store, snapshotEvery: 200)
    store.damage(50...60)
    var replay = try await Replay(recording)
    var seen: [Revision] = []
    while let event = try await replay.step() { seen.append(event.revision) }
    #expect(seen == (1...49).map { Revision($0) } + (201...300).map { Revision($0) })
    #expect(replay.gaps.count == 1)
    #expect(try replay.moment.state == session.state(after: 300))
  }

  @Test("RP-65: where no snapshot lies beyond the damage, the error names the gap")
  func noSnapshotBeyond() async throws {
    let store = WatchedStore(MemoryLogStore())
    let recording = try await RecordedSession(seed: 6, events: 100).stored(in: store)
    store.damage(50...60)
    var replay = try await Replay(recording)
    let error = await #expect(throws: ReplayError.self) { try await replay.seek(to: 90) }
    guard case .gap(let gap, let wanted)? = error else {
      Issue.record("no gap is named")
      return
    }
    #expect(gap.first == 50)
    #expect(gap.last == 60)
    #expect(wanted == 90)
    #expect(replay.revision == 49)
  }

  @Test("RP-70: a store that stops while it is verified is an error, and no damage of the log")
  func stopWhileVerified() async throws {
    let store = WatchedStore(MemoryLogStore())
    let recording = try await RecordedSession(seed: 8, events: 300).stored(in: store)
    store.stop(after: 0)
    let error = await #expect(throws: ReplayError.self) { _ = try await DeepVerify.run(recording) }
    guard case .log(.stopped)? = error else {
      Issue.record("it was \(String(describing: error))")
      return
    }
  }

  @Test("RP-65: deep verify reports the damage and proves what lies beyond it")
  func verifyPastDamage() async throws {
    let store = WatchedStore(MemoryLogStore())
    let session = RecordedSession(seed: 7, events: 300)
    let recording = try await session.stored(in: store, snapshotEvery: 100)
    store.damage(120...130)
    let report = try await DeepVerify.run(recording)
    #expect(report.findings.map(\.revision) == [120])
    #expect(report.stateHash == StateEncoder.hash(of: try session.state(after: 300)))
  }

  @Test("LOG-23: what was lost before is no new damage, with a snapshot behind it and without")
  func verifyPastKnownLoss() async throws {
    for interval in [100, 1_000] {
      let store = WatchedStore(MemoryLogStore())
      let session = RecordedSession(seed: 7, events: 300)
      let recording = try await session.stored(in: store, snapshotEvery: interval)
      store.lose(120...130)
      let report = try await DeepVerify.run(recording)
      #expect(report.findings == [])
      #expect(report.lost == [120...130])
      #expect(report.stateHash != nil)
      if interval == 100 {
        #expect(report.stateHash == StateEncoder.hash(of: try session.state(after: 300)))
      } else {
        #expect(report.events == 289)
      }
    }
  }

  @Test("CB-16: an event that could not be applied is counted, and keeps its revision")
  func anomalies() async throws {
    var session = RecordedSession(seed: 8, events: 20)
    session.command(.scenes(.switched(77)), by: 0)
    session.command(.magix(MagixEvent(name: "after", payload: .null)), by: 0)
    let before = try await DeepVerify.run(RecordedSession(seed: 8, events: 20).stored()).anomalies
    let report = try await DeepVerify.run(session.stored())
    #expect(report.anomalies == before + 1)
    #expect(report.events == 22)
    #expect(report.findings == [])
  }
}
