import EventLogFormat
import EventLogModel
import Testing

@testable import EventLog

@Suite struct SealedInspectTests {
  /// A closed database of three logs: 6,000, 900 and 5 events.
  static func sample() throws -> SealedFolder {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply((1...3).map { Sample.created($0) }, oldestSegment: nil)
    for start in stride(from: UInt64(1), to: 6_001, by: 1_500) {
      try store.apply([Sample.change(1, start...start + 1_499)], oldestSegment: nil)
    }
    try store.apply([Sample.change(2, 1...900), Sample.change(3, 1...5)], oldestSegment: nil)
    try store.put(Sample.snapshot(1, 2_000), number: 1)
    store.close()
    return folder
  }

  static let counts: [UInt64: UInt64] = [1: 6_000, 2: 900, 3: 5]

  @Test("A sound database has no findings and is readable from end to end, at both levels")
  func sound() throws {
    let folder = try Self.sample()
    for level in [VerifyLevel.quick, .full] {
      var asked = 0
      let report = try Verify.database(folder: folder.path, level: level) {
        asked += 1
        return $0.done < $0.total
      }
      #expect(report.isSound)
      #expect(report.checked.logs == 3)
      #expect(report.checked.records == 6_905)
      #expect(report.checked.blocks == asked)
      #expect(asked > 6)
      #expect(report.logs.map(\.revisions) == [[1...6_000], [1...900], [1...5]])
      if level == .full {
        #expect(report.checked.snapshots == 1)
        #expect(report.checked.rawBytes > 400_000)
      }
    }
  }

  @Test("A check ends when its caller says so, and says that it did")
  func cancellation() throws {
    let folder = try Self.sample()
    let report = try Verify.database(folder: folder.path, level: .full) { $0.done < 3 }
    #expect(report.wasCancelled)
    #expect(!report.isSound)
    #expect(report.checked.blocks == 3)
  }

  @Test(
    "Each kind of wrong row is found, at the level that looks at it",
    arguments: [
      ("DELETE FROM block WHERE id = (SELECT min(id) FROM block)", true),
      ("DELETE FROM block WHERE id = (SELECT id FROM block ORDER BY id LIMIT 1 OFFSET 2)", true),
      ("DELETE FROM block WHERE id = (SELECT max(id) FROM block WHERE id >> 40 = 1)", true),
      ("UPDATE block SET id = id + 1 WHERE id = (SELECT id FROM block ORDER BY id LIMIT 1 OFFSET 2)", true),
      ("UPDATE block SET n = n + 1 WHERE id >> 40 = 2", true),
      ("UPDATE block SET raw = raw + 1 WHERE id >> 40 = 2", true),
      ("UPDATE log SET blocks = blocks + 1 WHERE no = 1", true),
      ("UPDATE log SET next = next + 5 WHERE no = 2", true),
      ("UPDATE log SET next = next - 5 WHERE no = 2", true),
      ("UPDATE log SET low = 100000 WHERE no = 2", true),
      ("UPDATE log SET state = 9 WHERE no = 2", true),
      ("UPDATE log SET open_first = 7 WHERE no = 1", true),
      ("DELETE FROM log WHERE no = 2", true),
      ("UPDATE block SET id = (99 << 40) | 1 WHERE id = (3 << 40) | 1", true),
      ("UPDATE log SET raw_bytes = raw_bytes - 1 WHERE no = 3", true),
      ("UPDATE log SET stored_bytes = 0 WHERE no = 3", false),
      ("UPDATE log SET chain = zeroblob(32) WHERE no = 3", false),
      ("UPDATE log SET chain_before = randomblob(32) WHERE no = 1", false),
      ("UPDATE block SET t0 = t0 - 1 WHERE id >> 40 = 3", false),
      ("UPDATE block SET d = zeroblob(length(d)) WHERE id >> 40 = 3", false),
      ("UPDATE block SET d = (SELECT d FROM block WHERE id = (1 << 40) | 1) WHERE id >> 40 = 3", false),
      ("UPDATE log SET id = randomblob(16) WHERE no = 3", false),
      ("DELETE FROM part", false),
      ("DELETE FROM snap", false),
      ("UPDATE snap SET t = 0", false),
    ])
  func wrongRows(change: String, atOnce: Bool) throws {
    let folder = try Self.sample()
    let store = try folder.store()
    try store.database.execute(change)
    store.close()
    #expect(!(try Verify.database(folder: folder.path, level: .full).findings.isEmpty))
    // The same with a catalog whose checksums are right.
    try store.signRows(of: folder)
    #expect(!(try Verify.database(folder: folder.path, level: .full).findings.isEmpty))
    if atOnce { #expect(!(try Verify.database(folder: folder.path, level: .quick).findings.isEmpty)) }
  }

  @Test("A block put together again by someone who knows the format is found by the chain")
  func forgedBlock() throws {
    let folder = try Self.sample()
    let store = try folder.store()
    let place = BlockPlace(number: 1, log: Sample.log(1), path: folder.database)
    let first = try #require(try place.fetch(1, from: store.database))
    var records = try place.unpack(first).unpacked
    records[7].body[0] ^= 1
    var builder = RunBuilder(first: 1)
    for record in records { builder.append(record) }
    let forged = Block(
      sealing: builder.takeRun()!, of: Sample.log(1), after: Chain.origin, isOpen: first.isOpen)
    try store.database.statement("UPDATE block SET d = ? WHERE id = ?").run(
      .blob(forged.encoded), BlockKey.value(1, 1))
    store.close()
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.findings.contains { $0.what.contains("chain breaks") && $0.log == Sample.log(1) })
  }

  @Test(
    "A row of the catalog or of meta with any column changed is damage, never another value",
    arguments: [
      "log SET epoch = epoch + 1", "log SET created_ms = 1", "log SET state = 1", "log SET low = 2",
      "log SET next = next + 1", "log SET last_ms = 1", "log SET blocks = 0", "log SET raw_bytes = 1",
      "log SET stored_bytes = 1", "log SET chain = zeroblob(32)", "log SET first_kept = 2",
      "log SET chain_before = x''", "log SET open_first = 0", "log SET open_before = x'01'",
      "log SET id = zeroblob(16)", "log SET crc = crc + 1", "log SET no = 77",
      "meta SET v = zeroblob(12) WHERE k = 'oldest_segment'", "meta SET v = zeroblob(20) WHERE k = 'store'",
    ])
  func catalogChecksum(change: String) throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...20)], oldestSegment: 5)
    store.close()
    let raw = try SQLiteConnection(path: folder.database, role: .writer)
    try raw.execute("UPDATE \(change)")
    raw.close()
    let error = #expect(throws: LogError.self) {
      let again = try folder.store()
      _ = try again.logs()
      _ = try again.oldestSegment()
    }
    guard case .damaged = error else { throw try #require(error) }
    #expect(!(try Verify.database(folder: folder.path, level: .quick).findings.isEmpty))
  }

  @Test("A time index that differs from the blocks is damage, never a wrong revision")
  func damagedTimeIndex() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...4_000)], oldestSegment: nil)
    let times = try store.database.statement("SELECT t0 FROM block ORDER BY id").all { $0.integer(0) }
    #expect(times.count > 4)
    store.close()
    let good = try SealedFile.read(folder.database)
    // A row of the index holds the time as six bytes, big-endian, after log number 1, a constant.
    let pattern = (0..<6).map { UInt8(truncatingIfNeeded: times[2] >> (40 - 8 * $0)) }
    let short = Array(pattern.drop { $0 == 0 })
    var hits = 0
    for offset in 0..<good.count - 6 where Array(good[offset..<offset + short.count]) == short {
      let other = try SealedFolder()
      var bad = good
      bad[offset] ^= 0x10
      try SealedFile.write(bad, to: other.database)
      guard let reader = try? other.reader() else { continue }
      hits += 1
      for revision: UInt64 in stride(from: 1, through: 4_000, by: 97) {
        do throws(LogError) {
          let found = try reader.revision(number: 1, at: Sample.time(revision))
          if found?.rawValue != revision {
            Issue.record("\(offset): \(String(describing: found)) at \(revision)")
          }
        } catch {
          guard case .damaged = error else { throw error }
        }
      }
    }
    #expect(hits >= 2)
  }

  @Test("What a check of the journal finds joins the report")
  func journalFindings() {
    var report = VerifyReport(level: .full)
    report.add(journal: [Damage(what: "w", place: "p")], frames: 12)
    #expect(!report.isSound)
    #expect(report.checked.journalFrames == 12)
  }

  @Test(
    "LOG-10: a flipped bit, at hundreds of places: never a wrong record, at most a block lost, always found")
  func flippedBits() throws {
    let folder = try Self.sample()
    let good = try SealedFile.read(folder.database)
    var random = SealedRandom(state: 2_026)
    var tally = (silent: 0, byChecksum: 0, bySQLite: 0, salvaged: 0)
    for round in 0..<300 {
      var offset = Int(random.next() % UInt64(good.count))
      // Half of them aim at page headers and cell pointers.
      if round % 2 == 0 { offset = offset / 4_096 * 4_096 + Int(random.next() % 40) }
      let bit = UInt8(1) << UInt8(random.next() % 8)
      try SealedFile.overwrite(folder.database, at: offset, with: [good[offset] ^ bit])
      try check(folder, "byte \(offset), bit \(bit)", &tally)
      try SealedFile.overwrite(folder.database, at: offset, with: [good[offset]])
    }
    print("flipped bits: \(tally)")
    #expect(tally.byChecksum > 100)
  }

  private func check(
    _ folder: SealedFolder, _ place: String,
    _ tally: inout (silent: Int, byChecksum: Int, bySQLite: Int, salvaged: Int)
  ) throws {
    let report = try? Verify.database(folder: folder.path, level: .full)
    let isFound = report?.isSound != true
    var lostBlocks = 0
    for (number, count) in Self.counts {
      let reading = readable(folder, number)
      for (revision, record) in reading where record != Sample.record(number, revision) {
        Issue.record("\(place): revision \(revision) of log \(number) is wrong")
      }
      guard reading.count < Int(count) else { continue }
      #expect(isFound, "\(place): loss in log \(number) was not found")
      // What SQLite no longer leads to is still in the pages.
      let salvage = try Salvage(file: folder.database)
      var left = reading
      for run in try salvage.runs(of: Sample.log(number)) {
        for (index, record) in run.unpacked.enumerated() {
          let revision = run.first.rawValue + UInt64(index)
          if record != Sample.record(number, revision) {
            Issue.record("\(place): salvage gave a wrong record")
          }
          left[revision] = record
        }
      }
      if left.count == Int(count) { tally.salvaged += 1 } else { lostBlocks += 1 }
      #expect(Int(count) - left.count <= 1_000, "\(place): more than one block of log \(number) is lost")
    }
    #expect(lostBlocks <= 1, "\(place)")
    switch report {
    case nil: tally.bySQLite += 1
    case let report? where report.isSound: tally.silent += 1
    case let report?:
      let isSQLite = report.findings.contains { $0.what.contains("SQLite") }
      if isSQLite { tally.bySQLite += 1 } else { tally.byChecksum += 1 }
    }
  }

  /// All that a reader gives, block by block: after an error it goes on behind the lost range.
  private func readable(_ folder: SealedFolder, _ number: UInt64) -> [UInt64: Record] {
    guard let reader = try? folder.reader() else { return [:] }
    return (try? Sample.readAll(reader, number).records) ?? [:]
  }
}

extension SealedStore {
  /// Gives every row of the catalog a right checksum.
  fileprivate func signRows(of folder: SealedFolder) throws {
    let database = try SQLiteConnection.prepared(path: folder.database, role: .writer, schema: .current)
    for number in SealedInspectTests.counts.keys {
      do throws(LogError) {
        try CatalogEntry.load(number, from: database, isChecked: false)?.update(in: database)
      } catch {
        guard case .damaged = error else { throw error }
      }
    }
    database.close()
  }
}

@Suite struct SealedSalvageTests {
  private func expectAll(_ folder: SealedFolder) throws {
    let salvage = try Salvage(file: folder.database)
    #expect(Set(salvage.blocks.keys) == Set(SealedInspectTests.counts.keys.map(Sample.log)))
    for (number, count) in SealedInspectTests.counts {
      var records: [UInt64: Record] = [:]
      for run in try salvage.runs(of: Sample.log(number)) {
        for (index, record) in run.unpacked.enumerated() {
          records[run.first.rawValue + UInt64(index)] = record
        }
      }
      Sample.expect(records, are: 1...count, of: number)
    }
  }

  @Test("Salvage finds every block of a sound file")
  func soundFile() throws { try expectAll(try SealedInspectTests.sample()) }

  @Test("LOG-16: salvage finds every block without page 1: no header, no schema")
  func withoutPage1() throws {
    let folder = try SealedInspectTests.sample()
    try SealedFile.overwrite(folder.database, at: 0, with: [UInt8](repeating: 0xA5, count: 4_096))
    #expect(throws: LogError.self) { try folder.reader() }
    let report = try Verify.database(folder: folder.path, level: .quick)
    #expect(report.findings.count == 1)
    try expectAll(folder)
  }

  @Test("LOG-16: salvage finds every block without any inner page and with all leaves' headers destroyed")
  func withoutInnerPages() throws {
    let folder = try SealedInspectTests.sample()
    let bytes = try SealedFile.read(folder.database)
    var inner = 0
    for page in stride(from: 4_096, to: bytes.count, by: 4_096) {
      switch bytes[page] {
      case 0x05, 0x02:
        inner += 1
        try SealedFile.overwrite(folder.database, at: page, with: [UInt8](repeating: 0, count: 4_096))
      case 0x0D: try SealedFile.overwrite(folder.database, at: page, with: [UInt8](repeating: 0, count: 8))
      default: continue
      }
    }
    #expect(inner > 0)
    try expectAll(folder)
  }

  @Test("Salvage reads what only the WAL holds yet, and a torn WAL up to its last whole commit")
  func throughTheWAL() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...900)], oldestSegment: nil)
    let (main, wal) = (
      try SealedFile.read(folder.database), try SealedFile.read(folder.database + "-wal")
    )
    let other = try SealedFolder()
    try SealedFile.write(main, to: other.database)
    try SealedFile.write(wal, to: other.database + "-wal")
    let salvage = try Salvage(file: other.database)
    #expect(try salvage.runs(of: Sample.log(1)).map(\.count).reduce(0, +) == 900)
    try SealedFile.write(Array(wal[..<(wal.count - 100)]), to: other.database + "-wal")
    #expect(try Salvage(file: other.database).blocks.isEmpty)
  }

  @Test("Of a block that grew, salvage gives the longest form; a damaged block is named with its place")
  func grownAndDamaged() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1)], oldestSegment: nil)
    for start in stride(from: UInt64(1), to: 301, by: 20) {
      try store.apply([Sample.change(1, start...start + 19)], oldestSegment: nil)
    }
    store.close()
    let salvage = try Salvage(file: folder.database)
    let found = try #require(salvage.blocks[Sample.log(1)]?.last)
    #expect(try salvage.runs(of: Sample.log(1)).map(\.count) == [300])
    let bytes = try SealedFile.read(folder.database)
    try SealedFile.overwrite(folder.database, at: found.offset + 200, with: [bytes[found.offset + 200] ^ 4])
    let again = try Salvage(file: folder.database)
    #expect(again.damaged.contains { $0.offset == found.offset })
    #expect(throws: LogError.self) { try salvage.run(of: found) }
  }

  @Test("A file that is not there is an error; one that is not ours has nothing")
  func otherFiles() throws {
    let folder = try SealedFolder()
    #expect(throws: LogError.self) { try Salvage(file: folder.database) }
    var random = SealedRandom(state: 1)
    try SealedFile.write(
      (0..<50_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }, to: folder.database)
    #expect(try Salvage(file: folder.database).blocks.isEmpty)
    // Magics without cells around them, at the ends of pages too.
    var magics = [UInt8](repeating: 0, count: 8_192)
    for offset in [0, 7, 50, 3_967, 3_968, 4_090, 8_188] {
      magics.replaceSubrange(offset..<offset + 4, with: Array("BRB1".utf8))
    }
    try SealedFile.write(magics, to: folder.database)
    #expect(try Salvage(file: folder.database).blocks.isEmpty)
  }
}

@Suite struct SealedBackupTests {
  @Test(
    "LOG-15: a copy of a store in use is sound and holds all that was sealed before it",
    arguments: [
      Backup.CopyMethod.exact, .compact,
    ])
  func copy(form: Backup.CopyMethod) throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.created(2), Sample.change(1, 1...30_000)], oldestSegment: 6)
    try store.apply([Sample.change(2, 1...20_000)], oldestSegment: nil)
    try store.apply([.deleted(number: 2, at: .zero)], oldestSegment: nil)
    while try store.tidy() {}
    let copy = try SealedFolder()
    var last = InspectProgress(done: 0, total: 0)
    let isDone = try Backup.database(of: folder.path, to: copy.database, form: form) {
      last = $0
      // The writer goes on meanwhile; the copy is of one moment.
      _ = try? store.apply([Sample.change(1, 30_001...30_050)], oldestSegment: 7)
      return true
    }
    #expect(isDone)
    if form == .exact {
      #expect(last.total > 100)
      #expect(last.done == last.total)
    }
    #expect(try Verify.database(folder: copy.path, level: .full).findings.isEmpty)
    let restored = try copy.store()
    #expect(try restored.oldestSegment() == 6)
    #expect(restored.storeID == store.storeID)
    Sample.expect(try Sample.readAll(copy.reader(), 1).records, are: 1...30_000, of: 1)
    #expect(try (restored.database.integer("PRAGMA freelist_count") == 0) == (form == .compact))
    try restored.apply([Sample.change(1, 30_001...30_100)], oldestSegment: nil)
  }

  @Test("A copy that is stopped leaves nothing; one onto an existing file is refused and leaves it")
  func stoppedCopy() throws {
    let folder = try SealedInspectTests.sample()
    let copy = try SealedFolder()
    #expect(try !Backup.database(of: folder.path, to: copy.database) { _ in false })
    #expect(try !DurableFile(copy.database).exists())
    try SealedFile.write([1, 2, 3], to: copy.database)
    #expect(throws: LogError.self) { try Backup.database(of: folder.path, to: copy.database) }
    #expect(try SealedFile.read(copy.database) == [1, 2, 3])
  }
}
