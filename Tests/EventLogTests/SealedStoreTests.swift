import EventLogFormat
import EventLogModel
import Testing

@testable import EventLog

@Suite struct SealedStoreTests {
  @Test("What was sealed is read back, across logs, portions and reopening")
  func sealAndRead() throws {
    let folder = try SealedFolder()
    var store = try folder.store()
    let identity = store.storeID
    try store.apply([Sample.created(1), Sample.created(2)], oldestSegment: 3)
    for start in stride(from: UInt64(1), to: 3_001, by: 250) {
      try store.apply(
        [Sample.change(1, start...start + 249), Sample.change(2, start...start + 99 + 150)],
        oldestSegment: start)
    }
    let reader = try folder.reader()
    for number: UInt64 in [1, 2] {
      let all = try Sample.readAll(reader, number)
      Sample.expect(all.records, are: 1...3_000, of: number)
      #expect(all.lost.isEmpty)
    }
    store.close()
    store = try folder.store()
    #expect(store.storeID == identity)
    #expect(try store.oldestSegment() == 2_751)
    let row = try #require(try store.logs().first)
    #expect(row.log == Sample.log(1))
    #expect(row.next == 3_001)
    #expect(row.low == 1)
    #expect(row.epoch == Epoch(8))
    #expect(row.lastTime == Sample.time(3_000))
    #expect(row.storedBytes < row.rawBytes)
  }

  @Test("A read begins in the block that holds the event asked for and ends at the limit or at the end")
  func readPortions() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...4_000)], oldestSegment: nil)
    let reader = try folder.reader()
    for after: UInt64 in [0, 1, 700, 1_999, 3_999] {
      let runs = try reader.read(number: 1, log: Sample.log(1), after: Revision(after), limit: 1)
      #expect(runs.count == 1)
      #expect(runs[0].first.rawValue <= after + 1)
      #expect(runs[0].lastRevision.rawValue > after)
    }
    #expect(try reader.read(number: 1, log: Sample.log(1), after: 4_000, limit: 1).isEmpty)
    #expect(try reader.read(number: 9, log: Sample.log(9), after: 0, limit: 1).isEmpty)
    let all = try reader.read(number: 1, log: Sample.log(1), after: 0, limit: .max)
    #expect(all.count == (try store.logs()[0].blocks))
    #expect(all.last?.lastRevision == 4_000)
  }

  @Test(
    "No block is longer than 64 KiB of records, and a short last block is open and merged with what follows")
  func blocksAreCutAndMerged() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1)], oldestSegment: nil)
    var sealed: UInt64 = 0
    for size: UInt64 in [1, 5, 900, 2, 2, 2_000, 300, 1] {
      try store.apply([Sample.change(1, sealed + 1...sealed + size)], oldestSegment: nil)
      sealed += size
      let reader = try folder.reader()
      let runs = try reader.read(number: 1, log: Sample.log(1), after: 0, limit: .max)
      #expect(runs.allSatisfy { $0.rawLength <= 64 << 10 })
      #expect(runs.dropLast().allSatisfy { $0.rawLength >= 32 << 10 })
      #expect(runs.map(\.count).reduce(0, +) == Int(sealed))
      Sample.expect(try Sample.readAll(reader, 1).records, are: 1...sealed, of: 1)
    }
  }

  @Test("The chain over many seals is the chain over the blocks as they lie there")
  func chainSurvivesMerges() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1)], oldestSegment: nil)
    for start in stride(from: UInt64(1), to: 2_001, by: 100) {
      try store.apply([Sample.change(1, start...start + 99)], oldestSegment: nil)
    }
    var chain = Chain.origin
    for stored in try folder.reader().read(number: 1, log: Sample.log(1), after: 0, limit: .max) {
      chain = Chain.value(after: chain, log: Sample.log(1), run: try stored.unpacked())
    }
    #expect(try store.logs()[0].chain == chain)
  }

  @Test("LOG-9: changes that come again change nothing (replay after a crash)")
  func idempotent() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    let changes = [Sample.created(1), Sample.change(1, 1...500), Sample.change(1, 501...900)]
    try store.apply(changes, oldestSegment: nil)
    let before = try store.logs()
    try store.apply(changes, oldestSegment: nil)
    try store.apply([Sample.change(1, 300...900)], oldestSegment: nil)
    #expect(try store.logs() == before)
    try store.apply([Sample.change(1, 800...1_000)], oldestSegment: nil)
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...1_000, of: 1)
  }

  @Test("A gap before a run is refused with the missing revisions; accepted loss notes and reports it")
  func gaps() throws {
    let folder = try SealedFolder()
    var store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...10)], oldestSegment: nil)
    let error = #expect(throws: LogError.self) {
      try store.apply([Sample.change(1, 21...30)], oldestSegment: nil)
    }
    guard case .damaged(let damage) = error else { throw try #require(error) }
    #expect(damage.lost == 11...20)
    #expect(damage.log == Sample.log(1))
    #expect(try store.logs()[0].next == 11)
    store.close()
    store = try folder.store(acceptsGaps: true)
    try store.apply([Sample.change(1, 21...30)], oldestSegment: nil)
    let all = try Sample.readAll(folder.reader(), 1)
    #expect(all.lost == [11...20])
    #expect(Set(all.records.keys) == Set(1...10).union(21...30))
    #expect(try store.database.integer("SELECT count(*) FROM bad WHERE first = 11 AND last = 20") == 1)
  }

  @Test("A run of a log that was never created is refused; a name is never given to two numbers")
  func unknownNumbers() throws {
    let store = try SealedFolder().store()
    #expect(throws: LogError.self) { try store.apply([Sample.change(5, 1...2)], oldestSegment: nil) }
    try store.apply([Sample.created(1)], oldestSegment: nil)
    #expect(throws: LogError.self) {
      try store.apply(
        [.created(number: 1, log: Sample.log(2), epoch: Epoch(1), at: .zero)], oldestSegment: nil)
    }
    #expect(throws: LogError.full(place: "\(store.path): log numbers")) {
      try store.apply(
        [.created(number: 1 << 23, log: Sample.log(3), epoch: Epoch(1), at: .zero)], oldestSegment: nil)
    }
  }

  @Test("LOG-11: the revision at a time is the last one not after it, for every millisecond")
  func timeSeek() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.created(2), Sample.change(1, 1...2_500)], oldestSegment: nil)
    let reader = try folder.reader()
    for offset in stride(from: Int64(0), through: 10_020, by: 1) where offset % 4 < 2 || offset < 20 {
      let expected = offset < 4 ? nil : Revision(UInt64(min(offset / 4, 2_500)))
      let found = try reader.revision(number: 1, at: Timestamp(milliseconds: 1_000_000 + offset))
      if found != expected { Issue.record("at \(offset): \(String(describing: found))") }
    }
    #expect(try reader.revision(number: 2, at: Sample.time(9)) == nil)
  }

  @Test("Many events at one time, over several blocks: the last of them counts")
  func timeSeekEqualTimes() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    var builder = RunBuilder(first: 1)
    for revision in 1...3_000 {
      let time = Timestamp(milliseconds: revision <= 2_900 ? 50 : 60)
      builder.append(Record(kind: 1, time: time, actor: 1, body: [UInt8](repeating: 1, count: 100)))
    }
    try store.apply([Sample.created(1), .run(number: 1, builder.takeRun()!)], oldestSegment: nil)
    let reader = try folder.reader()
    #expect(try reader.revision(number: 1, at: Timestamp(milliseconds: 49)) == nil)
    #expect(try reader.revision(number: 1, at: Timestamp(milliseconds: 50)) == 2_900)
    #expect(try reader.revision(number: 1, at: Timestamp(milliseconds: 59)) == 2_900)
    #expect(try reader.revision(number: 1, at: Timestamp(milliseconds: 60)) == 3_000)
  }

  @Test("Each statement is prepared once")
  func statementsAreKept() throws {
    let store = try SealedFolder().store()
    let text = "SELECT 1 FROM snap"
    #expect(try store.database.statement(text) === store.database.statement(text))
  }
}
