// The database of the sealed store: log.db. docs/FORMAT.md, "Sealed database", is the reference.
//
// `user_version` is major * 1000 + minor. A reader refuses another major. Within a major, three sets of
// feature bits in `meta` say what a build must know: `incompatible` to do anything, `read_only_compatible`
// to write; bits of `compatible` may be unknown. So a newer minor is accepted as far as its bits allow.
//
// Every rowid of block, snap and part's log is log number << 40 | revision: one integer key, no second index
// (a WITHOUT ROWID table would put all but 1,000 bytes of a block on overflow pages).

import EventLogModel

/// What a build knows of the database's versions, and how it brings an older file up to date.
struct Schema: Sendable {
  /// One step up. Its statements run in one transaction, which also sets the version.
  struct Migration: Sendable {
    /// The version that the file has afterwards.
    var version: Int64
    var statements: [String]
  }

  /// Feature bits that a build knows.
  struct Features: Sendable, Hashable {
    var incompatible: UInt64 = 0
    var readOnlyCompatible: UInt64 = 0
  }

  /// In rising order of version; the last one's is the build's own.
  var migrations: [Migration]
  var known = Features()

  var version: Int64 { migrations.last?.version ?? 0 }

  /// "BRL1", in the file's header.
  static let applicationID: Int64 = 0x4252_4C31
  static let current = Schema(
    migrations: [Migration(version: 1_000, statements: version1)],
    known: Features(
      incompatible: ImportTable.feature | SealedStore.erasedBlocks | SealedStore.columnBlocks))

  private static let version1 = [
    "CREATE TABLE meta(k TEXT PRIMARY KEY, v) WITHOUT ROWID",
    """
    CREATE TABLE log(
      no INTEGER PRIMARY KEY, id BLOB NOT NULL UNIQUE CHECK(length(id) = 16), epoch INTEGER NOT NULL,
      created_ms INTEGER NOT NULL, state INTEGER NOT NULL, low INTEGER NOT NULL, next INTEGER NOT NULL,
      last_ms INTEGER NOT NULL, blocks INTEGER NOT NULL, raw_bytes INTEGER NOT NULL,
      stored_bytes INTEGER NOT NULL, chain BLOB NOT NULL, first_kept INTEGER NOT NULL,
      chain_before BLOB NOT NULL, open_first INTEGER NOT NULL, open_before BLOB NOT NULL,
      crc INTEGER NOT NULL)
    """,
    """
    CREATE TABLE block(
      id INTEGER PRIMARY KEY, n INTEGER NOT NULL, raw INTEGER NOT NULL, t0 INTEGER NOT NULL,
      d BLOB NOT NULL)
    """,
    "CREATE INDEX block_time ON block(id >> 40, t0)",
    """
    CREATE TABLE snap(
      id INTEGER PRIMARY KEY, t INTEGER NOT NULL, hash BLOB NOT NULL, keys BLOB NOT NULL,
      root BLOB NOT NULL)
    """,
    """
    CREATE TABLE part(
      id INTEGER PRIMARY KEY, log INTEGER NOT NULL, key BLOB NOT NULL, d BLOB NOT NULL)
    """,
    "CREATE UNIQUE INDEX part_key ON part(log, key)",
    """
    CREATE TABLE bad(
      n INTEGER PRIMARY KEY, found_ms INTEGER NOT NULL, place TEXT NOT NULL, off INTEGER, log INTEGER,
      first INTEGER, last INTEGER, what TEXT NOT NULL)
    """,
    """
    INSERT INTO meta VALUES('incompatible', 0), ('read_only_compatible', 0), ('compatible', 0)
    """,
  ]
}

extension Schema {
  /// Makes the file usable by this build or says why it is not: creates what an empty file lacks, brings an
  /// older version up, checks version and feature bits. A refused file is left as it was.
  func prepare(_ database: SQLiteConnection) throws(LogError) {
    if try isEmpty(database) {
      // An empty file is a start that was cut short, unless there is a journal that continues from a
      // database.
      let folder = DurableFile.folder(of: database.path)
      try SealedStore.requireNoJournal(folder, database.path, on: database.disk)
      guard database.role == .writer else { throw .unstarted(path: folder) }
      try create(database)
    }
    try checkVersion(database)
    if database.role == .writer {
      try applyWriterSettings(database)
    } else {
      try applyReaderSettings(database)
    }
    if database.role == .writer { try migrate(database) }
  }

  private func isEmpty(_ database: SQLiteConnection) throws(LogError) -> Bool {
    guard try database.integer("PRAGMA application_id") == 0 else { return false }
    return try database.integer("SELECT count(*) FROM sqlite_schema") == 0
  }

  private func create(_ database: SQLiteConnection) throws(LogError) {
    // Page size and vacuum mode hold only when they are set before the first table.
    try database.execute("PRAGMA page_size=4096; PRAGMA auto_vacuum=NONE")
    try applyWriterSettings(database)
    try database.transaction { () throws(LogError) in
      try database.execute("PRAGMA application_id=\(Schema.applicationID)")
      for migration in migrations { try migration.apply(to: database) }
    }
  }

  private func checkVersion(_ database: SQLiteConnection) throws(LogError) {
    guard try database.integer("PRAGMA application_id") == Schema.applicationID else {
      throw refusal(database, found: "a database of another program")
    }
    let found = try database.integer("PRAGMA user_version")
    let isOlder = found < version && migrations.contains { $0.version > found }
    let canUpgrade = isOlder && database.role == .writer
    guard found / 1_000 == version / 1_000 || canUpgrade else { throw refusal(database, found: text(found)) }
    guard found >= 1_000 else { return }
    try checkFeatures(database, found: found)
  }

  private func checkFeatures(_ database: SQLiteConnection, found: Int64) throws(LogError) {
    let unknown = try feature("incompatible", database) & ~known.incompatible
    guard unknown == 0 else {
      throw refusal(database, found: "\(text(found)) with unknown features \(String(unknown, radix: 16))")
    }
    let forWriting = try feature("read_only_compatible", database) & ~known.readOnlyCompatible
    guard forWriting == 0 || database.role != .writer else {
      throw refusal(
        database, found: "\(text(found)), which this build may only read (\(String(forWriting, radix: 16)))")
    }
  }

  private func feature(_ set: String, _ database: SQLiteConnection) throws(LogError) -> UInt64 {
    try database.statement("SELECT v FROM meta WHERE k = ?").first(.text(set)) { $0.unsigned(0) } ?? 0
  }

  private func migrate(_ database: SQLiteConnection) throws(LogError) {
    let found = try database.integer("PRAGMA user_version")
    for migration in migrations where migration.version > found {
      try database.transaction { () throws(LogError) in try migration.apply(to: database) }
    }
  }

  private func applyWriterSettings(_ database: SQLiteConnection) throws(LogError) {
    let mode = try database.statement("PRAGMA journal_mode=WAL").first { $0.text(0) }
    guard mode == "wal" else { throw .io(operation: "journal_mode=WAL", path: database.path, code: 0) }
    // FULL: one sync for each commit; with NORMAL sealed events are lost once segments are used again. Only
    // `settle` writes into the file, and it empties the write-ahead log at once. What is removed is
    // overwritten at once, so that nothing of a deleted room stays (LOG-27); a block that grows is mostly
    // written over its own pages.
    try database.execute(
      """
      PRAGMA synchronous=FULL; PRAGMA wal_autocheckpoint=0; PRAGMA secure_delete=ON;
      PRAGMA cache_size=-65536; PRAGMA cell_size_check=ON; PRAGMA trusted_schema=OFF;
      PRAGMA temp_store=MEMORY; PRAGMA journal_size_limit=8388608; PRAGMA mmap_size=0
      """)
  }

  private func applyReaderSettings(_ database: SQLiteConnection) throws(LogError) {
    try database.execute(
      """
      PRAGMA query_only=ON; PRAGMA cache_size=-8192; PRAGMA cell_size_check=ON;
      PRAGMA trusted_schema=OFF; PRAGMA temp_store=MEMORY; PRAGMA mmap_size=0
      """)
  }

  private func text(_ version: Int64) -> String { "\(version / 1_000).\(version % 1_000)" }

  private func refusal(_ database: SQLiteConnection, found: String) -> LogError {
    .incompatible(path: database.path, found: found, supported: text(version))
  }
}

extension Schema.Migration {
  fileprivate func apply(to database: SQLiteConnection) throws(LogError) {
    for statement in statements { try database.execute(statement) }
    try database.execute("PRAGMA user_version=\(version)")
  }
}
