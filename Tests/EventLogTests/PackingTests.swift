import EventLogFormat
import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// Blocks of idle logs are packed into columns, in place.
@Suite(.timeLimit(.minutes(15))) struct PackingTests {
  private static let shapes: [UInt8: BodyShape] = [2: BodyShape([.byte(0), .rest]), 3: BodyShape([.rest])]
  /// All sealed events of the samples are before it.
  private static let later = Timestamp(milliseconds: 1 << 40)

  @discardableResult
  private static func pack(
    _ store: SealedStore, blocks: Int = 8, idleSince: Timestamp = later, portions: Int = .max
  ) throws -> Int {
    var packed = 0
    for _ in 0..<portions {
      let done = try store.pack(.init(idleSince: idleSince, shapes: shapes), blocks: blocks)
      packed += done.blocks
      guard done.hasMore else { break }
    }
    return packed
  }

  private static func codecs(_ store: SealedStore) throws -> [Block.Codec] {
    try store.database.statement("SELECT d FROM block ORDER BY id").all {
      (try? Block(reading: $0.borrowed(0)))?.codec ?? .plain
    }
  }

  private static func chains(_ store: SealedStore) throws -> [[UInt8]] { try store.logs().map(\.chain) }

  private static func expectWhole(_ folder: SealedFolder) throws {
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.isSound, "\(report.findings)")
    let reader = try folder.reader()
    defer { reader.close() }
    for (number, count) in SealedInspectTests.counts {
      let (records, lost) = try Sample.readAll(reader, number)
      #expect(lost.isEmpty)
      Sample.expect(records, are: 1...count, of: number)
    }
  }

  @Test(
    "LOG-31: full blocks of idle logs take fewer bytes in columns: same keys, revisions, chain; nothing else changes"
  )
  func packs() throws {
    let folder = try SealedInspectTests.sample()
    let store = try folder.store()
    let (before, chains) = (try store.logs(), try Self.chains(store))
    let keys = try store.database.statement("SELECT id, n, raw, t0 FROM block ORDER BY id").all { row in
      (0..<4).map { row.integer($0) }
    }
    let packed = try Self.pack(store)
    #expect(packed > 4)
    #expect(try Self.codecs(store).filter { $0 == .columns }.count == packed)
    #expect(try Self.chains(store) == chains)
    let now = try store.database.statement("SELECT id, n, raw, t0 FROM block ORDER BY id").all { row in
      (0..<4).map { row.integer($0) }
    }
    #expect(now == keys)
    for (old, new) in zip(before, try store.logs()) {
      #expect(new.blocks == old.blocks)
      #expect(new.rawBytes == old.rawBytes)
      #expect(new.next == old.next)
      #expect(new.storedBytes <= old.storedBytes)
    }
    // A second time there is nothing to do.
    #expect(try store.pack(.init(idleSince: Self.later, shapes: Self.shapes), blocks: 8) == .init())
    store.close()
    try Self.expectWhole(folder)
  }

  @Test("LOG-31: the open block stays as it is, and grows as ever; what comes later is packed later")
  func openBlock() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...50)], oldestSegment: nil)
    #expect(try Self.pack(store) == 0)
    #expect(try Self.codecs(store).allSatisfy { $0 != .columns })
    try store.apply([Sample.change(1, 51...2_000)], oldestSegment: nil)
    let first = try Self.pack(store)
    #expect(first > 0)
    try store.apply([Sample.change(1, 2_001...4_000)], oldestSegment: nil)
    #expect(try Self.pack(store) > 0)
    let (records, lost) = try Sample.readAll(try folder.reader(), 1)
    #expect(lost.isEmpty)
    Sample.expect(records, are: 1...4_000, of: 1)
    store.close()
    #expect(try Verify.database(folder: folder.path, level: .full).isSound)
  }

  @Test("LOG-31: packing goes on where it was cut short, a portion at a time, and looks at no block twice")
  func portions() throws {
    let folder = try SealedInspectTests.sample()
    var packed = 0
    for _ in 0..<100 {
      let store = try folder.store()
      packed += try Self.pack(store, blocks: 1, portions: 1)
      store.close()
    }
    let store = try folder.store()
    #expect(try Self.pack(store) == 0)
    #expect(try Self.codecs(store).filter { $0 == .columns }.count == packed)
    #expect(packed > 4)
    store.close()
    try Self.expectWhole(folder)
  }

  @Test("LOG-31: logs with events since, and logs being trimmed, deleted or imported, are left alone")
  func leavesAlone() throws {
    let folder = try SealedInspectTests.sample()
    let store = try folder.store()
    let last = Sample.time(6_000).milliseconds
    #expect(try Self.pack(store, idleSince: Timestamp(milliseconds: Sample.time(5).milliseconds - 1)) == 0)
    #expect(try store.database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'pack'") == 0)
    try store.apply([.importing(number: 1, through: 9_000)], oldestSegment: nil)
    try store.apply([.deleted(number: 2, at: .zero)], oldestSegment: nil)
    #expect(try Self.pack(store, idleSince: Timestamp(milliseconds: last)) == 0)
    store.close()
  }

  @Test(
    "LOG-14, LOG-31: a build that does not know columns refuses the folder from the first packed block on")
  func olderBuilds() throws {
    let folder = try SealedInspectTests.sample()
    var older = Schema.current
    older.known.incompatible &= ~SealedStore.columnBlocks
    func opens() throws -> Bool {
      do throws(LogError) {
        try SealedStore(folder: folder.path, writable: false, acceptsGaps: false, schema: older).close()
        return true
      } catch {
        guard case .incompatible = error else { throw error }
        return false
      }
    }
    #expect(try opens())
    let store = try folder.store()
    try Self.pack(store, blocks: 1, portions: 1)
    store.close()
    #expect(try !opens())
  }

  @Test("LOG-31: readers are handed plain runs and LZ4 blocks only")
  func handedOut() throws {
    let folder = try SealedInspectTests.sample()
    let store = try folder.store()
    let before = try folder.reader().read(number: 1, log: Sample.log(1), after: 0, limit: .max)
    try Self.pack(store)
    let reader = try folder.reader()
    #expect(try reader.read(number: 1, log: Sample.log(1), after: 0, limit: .max) == before)
    for revision in stride(from: UInt64(1), to: 6_000, by: 331) {
      #expect(try reader.revision(number: 1, at: Sample.time(revision)) == Revision(revision))
    }
    reader.close()
    store.close()
  }

  @Test("LOG-31: salvage and repair read packed blocks; a damaged one costs its own revisions, and is named")
  func damage() throws {
    let folder = try SealedInspectTests.sample()
    let store = try folder.store()
    try Self.pack(store)
    let keys = try store.database.statement("SELECT id FROM block WHERE id >> 40 = 1 ORDER BY id").all {
      BlockKey.revision($0.integer(0)).rawValue
    }
    store.close()
    let salvage = try Salvage(file: folder.database)
    for (number, count) in SealedInspectTests.counts {
      let runs = try salvage.runs(of: Sample.log(number))
      #expect(runs.flatMap(\.unpacked) == (1...count).map { Sample.record(number, $0) })
    }
    let found = try #require(salvage.blocks[Sample.log(1)]?.first { $0.first.rawValue == keys[1] })
    var bytes = try SealedFile.read(folder.database)
    bytes[found.offset + 140] ^= 4
    try SealedFile.write(bytes, to: folder.database)
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.findings.contains { $0.lost == keys[1]...keys[2] - 1 })
    let (records, lost) = try Sample.readAll(try folder.reader(), 1)
    #expect(lost == [keys[1]...keys[2] - 1])
    #expect(records.count == 6_000 - Int(keys[2] - keys[1]))
    // A damaged block is not packed either, and hinders nothing.
    let again = try folder.store()
    try again.database.execute("DELETE FROM pack")
    #expect(try Self.pack(again) == 0)
    again.close()
  }

  @Test("LOG-29, LOG-31: packed records are erased as others, and what is left is packed again")
  func erasing() throws {
    let folder = try SealedInspectTests.sample()
    let store = try folder.store()
    let packed = try Self.pack(store)
    let chain = try Self.chains(store)
    let erasure = SealedErasure(number: 1, epoch: Epoch(77), base: nil) { run in
      var builder = RunBuilder(first: run.first, base: run.base)
      for record in run.unpacked {
        builder.append(
          record.actor % 2 == 0 ? record : Record(kind: 99, time: record.time, actor: record.actor, body: [0])
        )
      }
      return builder.takeRun()
    }
    var next: Revision?
    repeat { next = try store.erase(erasure, before: next, blocks: 3) } while next != nil
    #expect(try Self.codecs(store).filter { $0 == .columns }.count < packed)
    #expect(try Self.pack(store) > 3)
    #expect(try Self.chains(store) == chain)
    store.close()
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.isSound, "\(report.findings)")
    let (records, lost) = try Sample.readAll(try folder.reader(), 1)
    #expect(lost.isEmpty)
    #expect(records.count == 6_000)
    for (revision, record) in records {
      let was = Sample.record(1, revision)
      #expect(
        record == (was.actor % 2 == 0 ? was : Record(kind: 99, time: was.time, actor: was.actor, body: [0])))
    }
  }

  @Test("LOG-31: a trim removes packed blocks, and what is left stays proved")
  func trimming() throws {
    let folder = try SealedInspectTests.sample()
    let store = try folder.store()
    try Self.pack(store)
    try store.apply([.low(number: 1, 2_000)], oldestSegment: nil)
    while try store.tidy(blocks: 2) {}
    #expect(try Self.pack(store) == 0)
    store.close()
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.isSound, "\(report.findings)")
  }

  @Test("LOG-31: a running store packs by itself once a log is idle, and not without being told to")
  func running() async throws {
    let schedule = SeededSchedule(seed: 5)
    let log = LogID(high: 9, low: 1)
    let found = try await schedule.run { () -> Result<[Int], any Error> in
      do {
        var packed: [Int] = []
        let disk = SimulatedDisk(recording: false)
        for idle in [nil, .seconds(3_600), .seconds(3_600)] as [Duration?] {
          let session = DiskSession(disk, faults: DiskFaults(nil, on: schedule), schedule: schedule)
          var options = StoreLife.options(on: session)
          options.segmentBytes = 256 << 10
          (options.packAfter, options.bodyShapes) = (idle, Self.shapes)
          let store = try EmbeddedLogStore.open(folder: "/store", options: options)
          if packed.isEmpty {
            _ = try await store.create(log, at: .zero)
            let now = Timestamp(milliseconds: schedule.wallMilliseconds)
            for revision in stride(from: UInt64(1), to: 3_000, by: 100) {
              let records = (revision..<revision + 100).map { revision in
                var record = Sample.record(1, revision)
                record.time = now
                return record
              }
              try await store.append(records, to: log, expecting: nil, epoch: nil)
            }
            try await store.seal()
          }
          schedule.sleep(nanoseconds: 200_000_000_000)
          packed.append(store.statistics.packedBlocks)
          if packed.count == 3 { schedule.sleep(nanoseconds: 4_000_000_000_000) }
          packed.append(store.statistics.packedBlocks)
          let bodies = try await store.allRuns(of: log).flatMap(\.unpacked).map(\.body)
          #expect(bodies == (1...3_000).map { Sample.record(1, $0).body })
          await store.shutdown()
          session.kill()
        }
        return .success(packed)
      } catch { return .failure(error) }
    }.get()
    // Never; not before an hour, then all; nothing left.
    #expect(found.count == 6)
    #expect([found[0], found[1], found[2], found[4], found[5]] == [0, 0, 0, 0, 0])
    #expect(found[3] > 2)
  }
}
