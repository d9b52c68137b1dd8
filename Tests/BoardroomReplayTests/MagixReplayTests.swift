import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import Testing

@Suite("What a replay delivers, and what it leaves alone")
struct MagixReplayTests {
  /// Three custom events, at 100, 5 100 and 5 300 ms after the last join.
  private func session() -> RecordedSession {
    var session = RecordedSession(seed: 1, events: 4)
    for (number, pause) in [100, 5_000, 200].enumerated() {
      session.wait(.milliseconds(pause))
      session.command(.magix(MagixEvent(name: "tick", payload: JSONText(unchecked: "\(number)"))), by: 0)
    }
    return session
  }

  @Test("ME-5, RP-47: replay delivers each custom event again at its time; a seek across one skips it")
  func customEvents() async throws {
    let session = session()
    let recording = try await session.stored()
    func heard(from revision: Revision) async throws -> [String] {
      var replay = try await Replay(recording)
      try await replay.seek(to: revision)
      var heard: [String] = []
      try await replay.play(Playback(rate: .infinity), clock: ContinuousClock()) { event, moment in
        guard case .custom(.magix(let magix)) = event.event else { return true }
        heard.append(
          "\(magix.name) \(magix.payload.text) \((event.time - RecordedSession.start).wholeMilliseconds)")
        #expect(moment.time == event.time)
        return true
      }
      return heard
    }
    let joined = try session.events[3].time
    let offset = Int((joined - RecordedSession.start).wholeMilliseconds)
    let all = [(0, 100), (1, 5_100), (2, 5_300)].map { "tick \($0) \($1 + offset)" }
    #expect(try await heard(from: 4) == all)
    #expect(try await heard(from: 5) == Array(all[1...]))
    #expect(try await heard(from: 6) == Array(all[2...]))
    #expect(try await heard(from: 7) == [])
  }

  @Test("RS-13: whatever is done with a replay, the room's log stays as it was")
  func readOnly() async throws {
    let store = MemoryLogStore()
    let session = RecordedSession(seed: 5, events: 300)
    let recording = try await session.stored(in: store, snapshotEvery: 100)
    let before = try await store.info(of: RecordedSession.room)
    let runs = try await store.runs(of: RecordedSession.room, after: .zero, limit: 1 << 24)
    var replay = try await Replay(recording)
    try await replay.seek(to: 250)
    _ = try await replay.step()
    _ = try await replay.stepBack()
    try await replay.seek(at: replay.moment.time)
    try await replay.play(Playback(rate: .infinity), clock: ContinuousClock()) { _, _ in true }
    _ = try await DeepVerify.run(recording)
    #expect(try await store.info(of: RecordedSession.room) == before)
    #expect(try await store.runs(of: RecordedSession.room, after: .zero, limit: 1 << 24) == runs)
  }
}
