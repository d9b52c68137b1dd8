import BoardroomModel
import BoardroomReplay
import EventLog
import EventLogModel
import StorageTestKit
import Testing

@Suite("Imports")
struct ImportTests {
  private let session = RecordedSession(seed: 11, events: 10_000)

  private func writer(_ store: any ImportStore, snapshotEvents: Int = 32_768) -> LogImport {
    LogImport(
      RecordedSession.room, into: store, events: session.records.count, snapshotEvents: snapshotEvents)
  }

  private func expectWhole(_ store: any ImportStore, _ info: LogInfo) async throws {
    #expect(info.last == Revision(UInt64(session.records.count)))
    var replay = try await Replay.open(RecordedSession.room, in: store)
    try await replay.seek(to: replay.end)
    #expect(replay.moment.state == (try session.state(after: session.records.count)))
  }

  @Test("IMP-6: an import has snapshots at the interval of a server, and each is proved")
  func snapshots() async throws {
    let store = MemoryLogStore()
    var writer = writer(store, snapshotEvents: 4_096)
    try await writer.add(session.records)
    try await expectWhole(store, try await writer.finish())
    #expect(try await store.snapshots(of: RecordedSession.room).map(\.revision) == [4_096, 8_192])
    let report = try await DeepVerify.run(try await Recording.open(RecordedSession.room, in: store))
    #expect(report.snapshots == 2)
    #expect(report.findings.isEmpty)
  }

  @Test(
    "IMP-2: an import that stopped anywhere goes on with the same file, with its snapshots",
    arguments: [0, 1, 4_095, 4_096, 4_097, 9_999])
  func goesOn(stopped: Int) async throws {
    let store = MemoryLogStore()
    let room = RecordedSession.room
    let total = Revision(UInt64(session.records.count))
    let begun = try await store.beginImport(room, epoch: nil, through: total, at: session.records[0].time)
    if stopped > 0 {
      try await store.append(
        Array(session.records[..<stopped]), to: room, expecting: .zero, epoch: begun.epoch)
    }
    var writer = writer(store, snapshotEvents: 4_096)
    try await writer.add(session.records)
    let info = try await writer.finish()
    #expect(info.epoch == begun.epoch)
    #expect(writer.resumedAt == Revision(UInt64(stopped)))
    try await expectWhole(store, info)
    #expect(try await store.snapshots(of: room).map(\.revision) == [4_096, 8_192])
  }

  @Test("IMP-2: another file does not go on with it, and changes nothing")
  func otherFile() async throws {
    let store = MemoryLogStore()
    let room = RecordedSession.room
    var records = session.records
    let total = Revision(UInt64(records.count))
    let begun = try await store.beginImport(room, epoch: nil, through: total, at: records[0].time)
    try await store.append(Array(records[..<5_000]), to: room, expecting: .zero, epoch: begun.epoch)
    records[4_500].body.append(1)
    var writer = writer(store)
    let error = await #expect(throws: ReplayError.self) { try await writer.add(records) }
    #expect(error?.description.hasPrefix("Revision 4501: The unfinished import") == true)
    #expect(try await store.imports().map(\.info.last) == [5_000])

    var shorter = LogImport(room, into: store, events: 6_000)
    await #expect(throws: ReplayError.self) { try await shorter.add(Array(session.records[..<6_000])) }
    var otherLife = LogImport(room, into: store, events: records.count, epoch: Epoch(5))
    await #expect(throws: ReplayError.self) { try await otherLife.add(session.records) }
    #expect(try await store.imports().map(\.info.last) == [5_000])
  }

  @Test("IMP-1: an import that ends without its last events is not there")
  func tooFew() async throws {
    let store = MemoryLogStore()
    var writer = writer(store)
    try await writer.add(Array(session.records.dropLast()))
    let error = await #expect(throws: ReplayError.self) { _ = try await writer.finish() }
    let isUnfinished = if case .log(.unfinished) = error { true } else { false }
    #expect(isUnfinished, "\(String(describing: error))")
  }

  @Test("IMP-6: an event that cannot be decoded is kept; behind it there are no snapshots")
  func undecodable() async throws {
    let store = MemoryLogStore()
    var records = session.records
    records[5_000] = Record(kind: 1, time: records[5_000].time, actor: 0, body: [0xff])
    var writer = LogImport(
      RecordedSession.room, into: store, events: records.count, snapshotEvents: 4_096)
    try await writer.add(records)
    #expect(try await writer.finish().last == Revision(UInt64(records.count)))
    #expect(try await store.snapshots(of: RecordedSession.room).map(\.revision) == [4_096])
  }
}
