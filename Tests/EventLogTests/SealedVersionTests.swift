import EventLogModel
import Testing

@testable import EventLog

/// docs/FORMAT.md, "Versions of the database" (LOG-14).
@Suite struct SealedVersionTests {
  private func open(_ folder: SealedFolder, _ schema: Schema, writable: Bool = true) throws -> SealedStore {
    try SealedStore(folder: folder.path, writable: writable, acceptsGaps: false, schema: schema)
  }

  private func made(_ changes: String) throws -> SealedFolder {
    let folder = try SealedFolder()
    let store = try folder.store()
    try store.apply([Sample.created(1), Sample.change(1, 1...20)], oldestSegment: nil)
    try store.database.execute(changes)
    store.close()
    return folder
  }

  private func isRefused(_ folder: SealedFolder, writable: Bool) throws -> Bool {
    let before = try SealedFile.read(folder.database)
    do throws(LogError) {
      try SealedStore(folder: folder.path, writable: writable).close()
      return false
    } catch {
      guard case .incompatible = error else { throw error }
      #expect(try SealedFile.read(folder.database) == before, "a refused file is left as it was")
      return true
    }
  }

  @Test(
    "LOG-14: another major version is refused, for reading too",
    arguments: [999, 2_000, 2_001, 0, 12_000])
  func otherMajor(version: Int) throws {
    let folder = try made("PRAGMA user_version=\(version)")
    #expect(try isRefused(folder, writable: false))
    // An older file can be brought up by a writer, if its tables are not there already; a newer one cannot.
    if version >= 2_000 { #expect(try isRefused(folder, writable: true)) }
  }

  @Test(
    "A newer minor version is accepted as far as its feature bits allow",
    arguments: [
      ("compatible", true, true), ("read_only_compatible", true, false), ("incompatible", false, false),
    ])
  func newerMinor(set: String, reads: Bool, writes: Bool) throws {
    let folder = try made("PRAGMA user_version=1007; UPDATE meta SET v = 4096 WHERE k = '\(set)'")
    #expect(try isRefused(folder, writable: false) == !reads)
    #expect(try isRefused(folder, writable: true) == !writes)
    guard writes else { return }
    let store = try folder.store()
    try store.apply([Sample.change(1, 21...30)], oldestSegment: nil)
    #expect(try store.database.integer("PRAGMA user_version") == 1_007)
  }

  @Test("LOG-14: a database of another program, and a file that is none, are refused and left as they were")
  func foreignFiles() throws {
    let folder = try SealedFolder()
    try DurableFile(folder.database).create()
    let other = try SQLiteConnection(path: folder.database, role: .writer)
    try other.execute("CREATE TABLE theirs(a); PRAGMA application_id=7")
    other.close()
    #expect(try isRefused(folder, writable: true))
    #expect(try isRefused(folder, writable: false))
    try SealedFile.write(Array("not a database at all, but text of some length".utf8), to: folder.database)
    let error = #expect(throws: LogError.self) { try folder.store() }
    guard case .damaged = error else { throw try #require(error) }
  }

  /// What a later build could add: a table and a feature that older builds may ignore.
  private var next: Schema {
    var schema = Schema.current
    schema.migrations.append(
      Schema.Migration(
        version: 1_001,
        statements: [
          "CREATE TABLE note(no INTEGER PRIMARY KEY, text TEXT)",
          "ALTER TABLE log ADD COLUMN keep_ms INTEGER",
          "UPDATE meta SET v = v | 1 WHERE k = 'compatible'",
        ]))
    return schema
  }

  @Test("Opening for writing brings an older file up, keeps all of it, and an older build still opens it")
  func upgrade() throws {
    let folder = try made("SELECT 1")
    let newer = try open(folder, next)
    #expect(try newer.database.integer("PRAGMA user_version") == 1_001)
    #expect(try newer.database.integer("SELECT count(*) FROM note") == 0)
    try newer.apply([Sample.change(1, 21...40)], oldestSegment: nil)
    newer.close()
    let older = try folder.store()
    try older.apply([Sample.change(1, 41...60)], oldestSegment: nil)
    older.close()
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...60, of: 1)
  }

  @Test("LOG-14: reading does not bring a file up; an upgrade that fails leaves the old file")
  func upgradeIsWhole() throws {
    let folder = try made("SELECT 1")
    let reading = try open(folder, next, writable: false)
    #expect(try reading.database.integer("PRAGMA user_version") == 1_000)
    reading.close()
    var broken = next
    broken.migrations[1].statements.append("CREATE TABLE log(again)")
    #expect(throws: LogError.self) { try open(folder, broken) }
    let store = try folder.store()
    #expect(try store.database.integer("PRAGMA user_version") == 1_000)
    #expect(try store.database.integer("SELECT count(*) FROM sqlite_schema WHERE name = 'note'") == 0)
    store.close()
    try open(folder, next).close()
  }

  @Test("A file of version 0.9 goes through every step up to the present")
  func fromAnEarlierMajor() throws {
    let folder = try SealedFolder()
    let old = Schema.Migration(version: 900, statements: ["CREATE TABLE meta(a)"])
    try DurableFile(folder.database).create()
    try Schema(migrations: [old]).prepare(try SQLiteConnection(path: folder.database, role: .writer))
    var steps = Schema.current
    steps.migrations[0].statements.insert("DROP TABLE meta", at: 0)
    steps.migrations.insert(old, at: 0)
    #expect(throws: LogError.self) { try open(folder, steps, writable: false) }
    let store = try open(folder, steps)
    #expect(try store.database.integer("PRAGMA user_version") == 1_000)
    try store.apply([Sample.created(1), Sample.change(1, 1...20)], oldestSegment: nil)
    store.close()
    Sample.expect(try Sample.readAll(folder.reader(), 1).records, are: 1...20, of: 1)
  }
}
