import EventLogFormat
import EventLogModel
import Testing

@testable import EventLog

/// What the sealer does when the database fails (LOG-7).
@Suite struct SealedFailureTests {
  @Test(
    "SQLITE_FULL: rolled back, reported as full, reads go on, works again once there is room, sound after")
  func fullDisk() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...500)], oldestSegment: 4)
    let pages = try store.database.integer("PRAGMA page_count")
    try store.database.execute("PRAGMA max_page_count=\(pages + 5)")
    let before = try store.logs()
    for _ in 0..<3 {
      #expect(throws: LogError.full(place: store.path)) {
        try store.apply([Sample.change(1, 501...9_000)], oldestSegment: 9)
      }
    }
    #expect(try store.logs() == before)
    #expect(try store.oldestSegment() == 4)
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...500, of: 1)
    #expect(throws: LogError.full(place: store.path)) {
      var snapshot = Sample.snapshot(1, 9)
      var random = SealedRandom(state: 3)
      let noise = (0..<90_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      snapshot.parts.append(SnapshotPart(key: [UInt8](repeating: 1, count: 16), bytes: noise))
      try store.put(snapshot, number: 1)
    }
    try store.database.execute("PRAGMA max_page_count=1000000")
    try store.apply([Sample.change(1, 501...9_000)], oldestSegment: 9)
    #expect(try store.oldestSegment() == 9)
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...9_000, of: 1)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  /// SQLITE_IOERR_FSYNC.
  static let failedSync: Int32 = 1_034

  @Test(
    "A failed sync closes, reopens and seals again by itself; nothing is there twice",
    arguments: [
      "COMMIT", "BEGIN IMMEDIATE", "INSERT OR REPLACE INTO block", "UPDATE log",
      "INSERT OR REPLACE INTO meta",
    ])
  func oneFailedSync(statement: String) throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...100)], oldestSegment: nil)
    let opened = store.database
    var failures = 1
    store.database.fault = { sql in
      guard failures > 0, sql.hasPrefix(statement) else { return nil }
      failures -= 1
      return Self.failedSync
    }
    try store.apply([Sample.change(1, 101...700)], oldestSegment: 2)
    #expect(failures == 0)
    #expect(store.database !== opened)
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...700, of: 1)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("A sync that failed after the frames were written: sealing again changes nothing")
  func failedAfterWriting() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...100)], oldestSegment: nil)
    var failures = 1
    store.database.fault = { [unowned store] sql in
      guard failures > 0, sql == "COMMIT" else { return nil }
      failures -= 1
      // Commits, and then says that it failed.
      store.database.fault = nil
      try? store.database.execute("COMMIT")
      return Self.failedSync
    }
    try store.apply([Sample.change(1, 101...700)], oldestSegment: 2)
    #expect(failures == 0)
    #expect(try store.logs()[0].next == 701)
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...700, of: 1)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("Two failures in a row stop the sealed store; a new start finds everything that was committed")
  func twoFailedSyncs() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...100)], oldestSegment: nil)
    store.database.fault = { $0 == "COMMIT" ? Self.failedSync : nil }
    for _ in 0..<2 {
      let error = #expect(throws: LogError.self) {
        try store.apply([Sample.change(1, 101...200)], oldestSegment: nil)
      }
      guard case .stopped = error else { throw try #require(error) }
    }
    let error = #expect(throws: LogError.self) { try store.put(Sample.snapshot(1, 5), number: 1) }
    guard case .stopped = error else { throw try #require(error) }
    store.close()
    let again = try folder.store()
    #expect(try again.logs()[0].next == 101)
    try again.apply([Sample.change(1, 1...200)], oldestSegment: nil)
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...200, of: 1)
  }

  @Test("Before a connection is opened again the WAL is written afresh, with the same bytes")
  func rewrite() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...3_000)], oldestSegment: nil)
    let wal = try SealedFile.read(folder.database + "-wal")
    #expect(!wal.isEmpty)
    try DurableFile(folder.database + "-wal").rewrite()
    #expect(try SealedFile.read(folder.database + "-wal") == wal)
    try DurableFile(folder.path + "/nothing").rewrite()
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...3_000, of: 1)
  }

  @Test("A damaged open block is left alone, noted once, and what follows goes into the next block")
  func damagedOpenBlock() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...100)], oldestSegment: nil)
    try store.database.execute("UPDATE block SET d = zeroblob(length(d))")
    for start: UInt64 in [101, 201, 301] {
      try store.apply([Sample.change(1, start...start + 99)], oldestSegment: nil)
    }
    let all = try Sample.readAll(folder.reader(), 1)
    #expect(all.lost == [1...100])
    Sample.expect(all.records, are: 101...400, of: 1)
    #expect(try store.database.integer("SELECT count(*) FROM bad") == 1)
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.findings.contains { $0.lost == 1...100 && $0.log == Sample.log(1) })
    #expect(report.logs.first?.revisions == [101...400])
  }

  @Test("Damage that a reader met is noted once for each place")
  func notes() throws {
    let store = try SealedFolder().store()
    let damage = Damage(what: "w", place: "p", offset: 3, log: Sample.log(1), lost: 4...9)
    for _ in 0..<3 { try store.note(damage, number: 1) }
    #expect(try store.database.integer("SELECT count(*) FROM bad WHERE last = 9 AND off = 3") == 1)
  }

  @Test("A store opened for reading refuses to write and to make what is not there")
  func readOnly() throws {
    let folder = try SealedFolder()
    #expect(throws: LogError.self) { try SealedStore(folder: folder.path, writable: false) }
    try folder.store().close()
    let store = try SealedStore(folder: folder.path, writable: false)
    #expect(throws: LogError.readOnly) { try store.apply([Sample.created(1)], oldestSegment: nil) }
    #expect(throws: LogError.readOnly) { try store.put(Sample.snapshot(1, 1), number: 1) }
  }
}

/// ADR 0004: no connection but the writer's commits or checkpoints.
@Suite struct SealedConnectionTests {
  @Test("The writer syncs each commit and checkpoints; no other role can write")
  func settings() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    let writer = store.database
    for (name, value) in [
      ("synchronous", 2), ("wal_autocheckpoint", 0), ("secure_delete", 1), ("cell_size_check", 1),
      ("page_size", 4_096), ("application_id", 0x4252_4C31), ("user_version", 1_000), ("trusted_schema", 0),
      ("temp_store", 2), ("cache_size", -65_536), ("auto_vacuum", 0), ("mmap_size", 0),
    ] { #expect(try writer.integer("PRAGMA \(name)") == Int64(value), "\(name)") }
    let reader = try folder.reader().database
    #expect(reader.role == .reader)
    #expect(throws: LogError.readOnly) { try reader.execute("UPDATE meta SET v = 1") }
    // Neither the guard of query_only nor its absence lets a reader write: the file itself is open read-only.
    try reader.execute("PRAGMA query_only=OFF")
    #expect(throws: LogError.readOnly) { try reader.execute("UPDATE meta SET v = 1") }
  }

  @Test("A reader that closes last leaves the WAL as it is: only the writer checkpoints")
  func readersNeverCheckpoint() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...3_000)], oldestSegment: nil)
    // What a killed writer leaves behind: main file and WAL.
    let (main, wal) = (
      try SealedFile.read(folder.database), try SealedFile.read(folder.database + "-wal")
    )
    let other = try SealedFolder()
    try SealedFile.write(main, to: other.database)
    try SealedFile.write(wal, to: other.database + "-wal")
    let reader = try other.reader()
    Sample.expect(try Sample.readAll(reader, 1).records, are: 1...3_000, of: 1)
    reader.close()
    #expect(try SealedFile.read(other.database) == main)
    #expect(try SealedFile.read(other.database + "-wal") == wal)
    let again = try other.store()
    #expect(try again.logs()[0].next == 3_001)
    again.close()
    Sample.expect(try Sample.readAll(other.reader(), 1).records, are: 1...3_000, of: 1)
  }

  @Test("A reader sees commits that come after it was opened, and a torn WAL gives the last whole commit")
  func tornWAL() throws {
    let folder = try SealedFolder()
    let store = try folder.store()
    let reader = try folder.reader()
    try store.apply([Sample.created(1), Sample.change(1, 1...700)], oldestSegment: nil)
    #expect(try reader.row(number: 1)?.next == 701)
    let length = try SealedFile.read(folder.database + "-wal").count
    try store.apply([Sample.change(1, 701...1_400)], oldestSegment: nil)
    let wal = try SealedFile.read(folder.database + "-wal")
    for cut in stride(from: length, to: wal.count, by: 4_000) {
      let other = try SealedFolder()
      try SealedFile.write(try SealedFile.read(folder.database), to: other.database)
      try SealedFile.write(Array(wal[..<cut]), to: other.database + "-wal")
      let again = try other.store()
      #expect(try again.logs()[0].next == 701)
      try again.apply([Sample.change(1, 1...1_400)], oldestSegment: nil)
      Sample.expect(try Sample.readAll(other.reader(), 1).records, are: 1...1_400, of: 1)
      #expect(try Verify.database(folder: other.path, level: .full).findings.isEmpty)
    }
  }

  @Test("The library's version can be told")
  func libraryVersion() { #expect(SQLiteLibrary.version.split(separator: ".").count >= 3) }

  @Test("Odd characters in a path are a path, not an address")
  func oddPaths() throws {
    let folder = try SealedFolder()
    for name in ["a?b=c", "per%20cent", "hash#tag", "späße 日本"] {
      let path = folder.path + "/" + name
      try DurableFile(path).create()
      let connection = try SQLiteConnection(path: path, role: .writer)
      try connection.execute("CREATE TABLE t(a)")
      connection.close()
      #expect(try SealedFile.read(path).count > 0)
      let still = try SQLiteConnection(path: path, role: .stillReader)
      #expect(try still.integer("SELECT count(*) FROM sqlite_schema") == 1)
      still.close()
      DurableFile(path).remove()
    }
  }
}
