import EventLogFormat
import EventLogModel
import Testing

@testable import EventLog

@Suite struct SealedRetentionTests {
  private func filled(_ folder: SealedFolder, _ count: UInt64 = 5_000) throws -> SealedStore {
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...count)], oldestSegment: nil)
    return store
  }

  @Test(
    "A trim point is the beginning of a block, at or below the newest snapshot at or below what was asked")
  func trimPoint() throws {
    let folder = try SealedFolder()
    let store = try filled(folder)
    let reader = try folder.reader()
    #expect(try reader.trimPoint(number: 1, below: 4_000) == 1)
    try store.put(Sample.snapshot(1, 2_500), number: 1)
    try store.put(Sample.snapshot(1, 4_500), number: 1)
    let firsts = try reader.read(number: 1, log: Sample.log(1), after: 0, limit: .max).map(\.first)
    for asked: UInt64 in [1, 2_499, 2_500, 3_000, 4_499, 4_500, 5_000, 9_999] {
      let point = try reader.trimPoint(number: 1, below: Revision(asked))
      #expect(firsts.contains(point))
      #expect(point.rawValue <= (asked < 2_500 ? 1 : asked < 4_500 ? 2_500 : 4_500))
    }
  }

  @Test("LOG-12: a trim removes whole blocks, keeps the chain provable, and refuses what is below")
  func trim() throws {
    let folder = try SealedFolder()
    let store = try filled(folder)
    try store.put(Sample.snapshot(1, 100), number: 1)
    try store.put(Sample.snapshot(1, 3_000), number: 1)
    let reader = try folder.reader()
    let blocks = try store.logs()[0].blocks
    let low = try reader.trimPoint(number: 1, below: 3_500)
    try store.apply([.low(number: 1, 3_000)], oldestSegment: nil)
    while try store.tidy() {}
    let row = try store.logs()[0]
    #expect(row.low == low)
    #expect(low > 1)
    #expect(row.blocks < blocks)
    #expect(try store.database.integer("SELECT count(*) FROM block") == Int64(row.blocks))
    #expect(throws: LogError.trimmed(Sample.log(1), low: low)) {
      try reader.read(number: 1, log: Sample.log(1), after: 0, limit: 1)
    }
    Sample.expect(
      try Sample.readAll(reader, 1, after: low.previous).records, are: low.rawValue...5_000, of: 1)
    #expect(try reader.latestSnapshot(number: 1, log: Sample.log(1), notAfter: 2_999) == nil)
    #expect(try reader.latestSnapshot(number: 1, log: Sample.log(1), notAfter: 9_999)?.revision == 3_000)
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.findings.isEmpty)
    try store.apply([.low(number: 1, 3_000), .low(number: 1, 2)], oldestSegment: nil)
    #expect(try store.logs()[0].low == low)
  }

  @Test("LOG-12: a deleted log goes in transactions of 64 blocks, leaves its name, and takes nothing more")
  func deletion() throws {
    let folder = try SealedFolder()
    let store = try filled(folder, 90_000)
    try store.apply([Sample.created(2), Sample.change(2, 1...50)], oldestSegment: nil)
    try store.put(Sample.snapshot(1, 5), number: 1)
    let blocks = try store.logs()[0].blocks
    #expect(blocks > 80)
    try store.apply([.deleted(number: 1, at: .zero)], oldestSegment: nil)
    // apply has removed one portion itself.
    #expect(try store.logs()[0].blocks == blocks - 64)
    let reader = try folder.reader()
    #expect(try reader.latestSnapshot(number: 1, log: Sample.log(1), notAfter: 9) == nil)
    while try store.tidy() {}
    let row = try store.logs()[0]
    #expect(row.deleted)
    #expect(row.blocks == 0)
    #expect(row.rawBytes == 0)
    #expect(row.storedBytes == 0)
    #expect(row.log == Sample.log(1))
    for table in ["block WHERE id >> 40 = 1", "snap", "part"] {
      #expect(try store.database.integer("SELECT count(*) FROM \(table)") == 0)
    }
    try store.apply(
      [.deleted(number: 1, at: .zero), Sample.change(1, 90_001...90_010), .low(number: 1, 5)],
      oldestSegment: nil)
    #expect(try reader.read(number: 1, log: Sample.log(1), after: 0, limit: 1).isEmpty)
    #expect(throws: LogError.deleted(Sample.log(1))) { try store.put(Sample.snapshot(1, 5), number: 1) }
    Sample.expect(try Sample.readAll(reader, 2).records, are: 1...50, of: 2)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("A long trim goes in portions, and the log is sound and readable between them")
  func longTrim() throws {
    let folder = try SealedFolder()
    let store = try filled(folder, 90_000)
    try store.put(Sample.snapshot(1, 10), number: 1)
    try store.put(Sample.snapshot(1, 85_000), number: 1)
    try store.apply([.low(number: 1, 85_000)], oldestSegment: nil)
    let low = try store.logs()[0].low
    let reader = try folder.reader()
    var portions = 0
    repeat {
      portions += 1
      let report = try Verify.database(folder: folder.path, level: .full)
      #expect(report.findings.isEmpty)
      #expect(report.logs[0].revisions == [low.rawValue...90_000])
      // Still stored, but the events after it are not all kept.
      #expect(try reader.latestSnapshot(number: 1, log: Sample.log(1), notAfter: 1_000) == nil)
      #expect(try reader.read(number: 1, log: Sample.log(1), after: low, limit: 1).count == 1)
    } while try store.tidy(blocks: 10)
    #expect(portions > 3)
    #expect(try store.database.integer("SELECT count(*) FROM snap") == 1)
    #expect(try store.database.integer("SELECT min(id) & 0xFFFFFFFFFF FROM block") == Int64(low.rawValue))
  }

  @Test("LOG-27: a deleted log leaves nothing to salvage in the database")
  func erasing() throws {
    let folder = try SealedFolder()
    let store = try filled(folder, 20_000)
    try store.apply([Sample.created(2), Sample.change(2, 1...50)], oldestSegment: nil)
    try store.apply([.deleted(number: 1, at: .zero)], oldestSegment: nil)
    while try store.tidy() {}
    store.close()
    let salvage = try Salvage(file: folder.database)
    #expect(salvage.blocks[Sample.log(2)]?.count == 1)
    #expect(salvage.blocks[Sample.log(1)] == nil)
  }

  @Test("LOG-12: with a snapshot at the last event a trim behind it leaves no event, and the log goes on")
  func wholeTrim() throws {
    let folder = try SealedFolder()
    let store = try filled(folder)
    try store.put(Sample.snapshot(1, 4_000), number: 1)
    let reader = try folder.reader()
    #expect(try reader.trimPoint(number: 1, below: 5_001) < 4_001)
    try store.put(Sample.snapshot(1, 5_000), number: 1)
    #expect(try reader.trimPoint(number: 1, below: 5_000) < 5_001)
    #expect(try reader.trimPoint(number: 1, below: 5_001) == 5_001)
    try store.apply([.low(number: 1, 5_001)], oldestSegment: nil)
    while try store.tidy() {}
    var row = try store.logs()[0]
    #expect(row.low == 5_001)
    #expect(row.next == 5_001)
    #expect(row.blocks == 0)
    #expect(row.rawBytes == 0)
    #expect(try store.database.integer("SELECT count(*) FROM block") == 0)
    #expect(try reader.latestSnapshot(number: 1, log: Sample.log(1), notAfter: 9_999)?.revision == 5_000)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
    try store.apply([Sample.change(1, 5_001...5_100)], oldestSegment: nil)
    try store.apply([Sample.change(1, 5_101...5_200)], oldestSegment: nil)
    row = try store.logs()[0]
    #expect(row.low == 5_001)
    #expect(row.next == 5_201)
    Sample.expect(try Sample.readAll(reader, 1, after: 5_000).records, are: 5_001...5_200, of: 1)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("A trim of all events goes in portions too, and the log is sound between them and goes on")
  func longWholeTrim() throws {
    let folder = try SealedFolder()
    let store = try filled(folder, 90_000)
    try store.put(Sample.snapshot(1, 90_000), number: 1)
    try store.apply([.low(number: 1, 90_001)], oldestSegment: nil)
    let reader = try folder.reader()
    var portions = 0
    repeat {
      portions += 1
      #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
    } while try store.tidy(blocks: 5)
    #expect(portions > 3)
    try store.apply([Sample.change(1, 90_001...90_020)], oldestSegment: nil)
    Sample.expect(try Sample.readAll(reader, 1, after: 90_000).records, are: 90_001...90_020, of: 1)
    #expect(try store.logs()[0].low == 90_001)
    #expect(try store.database.integer("SELECT min(id) & 0xFFFFFFFFFF FROM block") == 90_001)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("Equal parts are stored once; a part goes with the last snapshot that names it")
  func parts() throws {
    let folder = try SealedFolder()
    let store = try filled(folder, 50)
    for revision: UInt64 in 1...40 { try store.put(Sample.snapshot(1, revision), number: 1) }
    let snapshots = try store.database.integer("SELECT count(*) FROM snap")
    #expect(try store.database.integer("SELECT count(*) FROM part") == snapshots + 1)
    let reader = try folder.reader()
    for revision: UInt64 in [39, 40] {
      let found = try reader.latestSnapshot(number: 1, log: Sample.log(1), notAfter: Revision(revision))
      #expect(found == Sample.snapshot(1, revision))
    }
    #expect(try reader.latestSnapshot(number: 1, log: Sample.log(1), notAfter: 0) == nil)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test(
    "About log2 of all snapshots stay, with growing distance, never without the newest two",
    arguments: [3, 10, 100, 1_000])
  func thinning(count: Int) {
    var kept: [Revision] = []
    for index in 1...count {
      kept.append(Revision(UInt64(index) * 32_768))
      let stays = SnapshotThinning.kept(of: kept)
      #expect(stays.isSuperset(of: kept.suffix(2)))
      kept = kept.filter(stays.contains)
    }
    let bits = Int.bitWidth - count.leadingZeroBitCount
    #expect(kept.count >= min(count, bits))
    #expect(kept.count <= 2 * bits + 2)
    let newest = kept[kept.count - 1]
    for (old, new) in zip(kept, kept.dropFirst()).dropLast(2).dropFirst() {
      // The gap to the next older snapshot is at most about as long as the way back to it.
      #expect(new - old <= 2 * (newest - new))
    }
  }

  @Test("A part without bytes names a stored one; one that is not stored is refused")
  func missingParts() throws {
    let folder = try SealedFolder()
    let store = try filled(folder, 50)
    var snapshot = Sample.snapshot(1, 10)
    let full = snapshot.parts
    snapshot.parts = full.map { SnapshotPart(key: $0.key, bytes: []) }
    #expect(throws: LogError.self) { try store.put(snapshot, number: 1) }
    #expect(try store.database.integer("SELECT count(*) FROM snap") == 0)
    try store.put(Sample.snapshot(1, 10), number: 1)
    snapshot.revision = 12
    try store.put(snapshot, number: 1)
    let found = try folder.reader().latestSnapshot(number: 1, log: Sample.log(1), notAfter: 12)
    #expect(found?.parts == full)
    #expect(found?.revision == 12)
  }

  @Test("LOG-17: a damaged snapshot is passed over for an older one, never handed out")
  func damagedSnapshots() throws {
    let folder = try SealedFolder()
    let store = try filled(folder, 50)
    for (column, change) in [
      ("root", "zeroblob(30)"), ("hash", "zeroblob(32)"), ("t", "t + 1"), ("keys", "zeroblob(32)"),
    ] {
      try store.put(Sample.snapshot(1, 10), number: 1)
      try store.put(Sample.snapshot(1, 20), number: 1)
      try store.database.execute("UPDATE snap SET \(column) = \(change) WHERE id & 255 = 20")
      let found = try folder.reader().latestSnapshot(number: 1, log: Sample.log(1), notAfter: 30)
      #expect(found == Sample.snapshot(1, 10), "\(column)")
      #expect(try Verify.database(folder: folder.path, level: .full).findings.count >= 1)
    }
    try store.put(Sample.snapshot(1, 20), number: 1)
    let key = String(repeating: "14", count: 16)
    try store.database.execute("UPDATE part SET d = zeroblob(length(d)) WHERE key = x'\(key)'")
    #expect(
      try folder.reader().latestSnapshot(number: 1, log: Sample.log(1), notAfter: 30)?.revision == 10)
  }
}
