import EventLogFormat
import EventLogModel

/// The sealed part of a folder: log.db. One instance writes, from the sealer's thread only; readers have
/// connections of their own (`SealedReader`), opened read-only.
///
/// After an `.io` error the outcome of a write is unknown. Then the connection is closed, the WAL is
/// overwritten with its own bytes and synced, a new connection is opened, and the write is done once more;
/// doing it twice changes nothing. A second failure stops the store for good. `.full` rolls back and does not
/// stop the store.
final class SealedStore {
  /// Which snapshots of a log stay.
  enum SnapshotKeeping: Sendable, Hashable {
    /// About log2 of them stay, with growing distances from the newest.
    case thinned
    case all
  }

  static let fileName = "log.db"

  let path: String
  /// The identity of the store: 16 random bytes that never change.
  private(set) var storeID: [UInt8] = []
  var snapshotKeeping = SnapshotKeeping.all
  /// A last block of fewer bytes of records stays open.
  var openBlock = BlockSize.open
  let acceptsGaps: Bool
  /// Whether trimmed or deleted blocks may be left to remove.
  var mayBeUntidy = true

  /// Bytes of the write-ahead log from which on it is settled: 1,000 pages, as SQLite would do by itself.
  static let settleBytes = 1_000 * 4_096
  /// Nanoseconds to the next try while a reader's view prevents settling.
  private static let settlePause: UInt64 = 500_000_000
  private var settleNext: UInt64 = 0

  private(set) var database: SQLiteConnection
  private let disk: any Disk
  private let schema: Schema
  private var stopReason: String?
  /// The connection is closed and another one could not be opened yet.
  private var isClosed = false

  /// Opens `log.db` of the folder; makes it when `writable`. The folder exists and the caller has locked it.
  ///
  /// With `acceptsGaps` a run that begins after `next` is taken, and the gap is noted in the table of damage;
  /// without it such a run is refused as damage. Throws `.incompatible` for files of other versions or
  /// programs.
  convenience init(
    folder: String, writable: Bool, acceptsGaps: Bool = false, on disk: any Disk = SystemDisk()
  ) throws(LogError) {
    try self.init(folder: folder, writable: writable, acceptsGaps: acceptsGaps, schema: .current, on: disk)
  }

  init(
    folder: String, writable: Bool, acceptsGaps: Bool, schema: Schema, on disk: any Disk = SystemDisk()
  ) throws(LogError) {
    path = folder + "/" + SealedStore.fileName
    self.disk = disk
    self.schema = schema
    self.acceptsGaps = acceptsGaps
    try SealedStore.requireDatabase(path, folder, writable: writable, on: disk)
    if writable {
      try DurableFile(path, on: disk).create()
      try DurableFile(path + "-wal", on: disk).rewrite()
    }
    database = try SQLiteConnection.prepared(
      path: path, role: writable ? .writer : .reader, schema: schema, on: disk)
    if writable { try disk.flushFolder(folder) }
    storeID = try identity()
  }

  /// A journal without its database is damage. With a new database the journal would belong to another store,
  /// and the start would have changed files that a repair needs.
  static func requireDatabase(
    _ path: String, _ folder: String, writable: Bool, on disk: any Disk
  ) throws(LogError) {
    guard try DurableFile(path, on: disk).hasContent() else {
      try requireNoJournal(folder, path, on: disk)
      guard !writable, try isOurs(folder, disk) else { return }
      throw .unstarted(path: folder)
    }
    // Only a first start has a rollback journal, until the file is in WAL mode.
    guard !writable, try DurableFile(path + "-journal", on: disk).hasContent(), try !hasSegments(folder, disk)
    else { return }
    throw .unstarted(path: folder)
  }

  /// Whether the folder has what a first start makes before anything else.
  private static func isOurs(_ folder: String, _ disk: any Disk) throws(LogError) -> Bool {
    if try DurableFile(folder + "/" + fileName, on: disk).exists() { return true }
    return try DurableFile(folder + "/LOCK", on: disk).exists()
  }

  static func requireNoJournal(_ folder: String, _ path: String, on disk: any Disk) throws(LogError) {
    let hasManifest = try DurableFile(folder + "/" + Manifest.name, on: disk).exists()
    let hasSegments = try hasSegments(folder, disk)
    guard hasSegments || hasManifest else { return }
    let what = hasSegments ? "journal" : "manifest"
    throw .damaged(Damage(what: "the database is missing beside its \(what)", place: path))
  }

  private static func hasSegments(_ folder: String, _ disk: any Disk) throws(LogError) -> Bool {
    let journal = JournalFolder(of: folder).path
    do throws(LogError) {
      return try disk.list(journal).contains { JournalFolder.segmentNumber($0) != nil }
    } catch {
      guard case .io(_, _, ErrorNumber.noEntry) = error else { throw error }
      return false
    }
  }

  /// The store's identity; chosen when the store is new.
  private func identity() throws(LogError) -> [UInt8] {
    if let known = try Meta(database: database).read(.store) { return known }
    let isEmpty = try database.integer("SELECT count(*) FROM log") == 0
    let folder = DurableFile.folder(of: path)
    if isEmpty {
      try SealedStore.requireNoJournal(folder, path, on: disk)
      guard database.role == .writer else { throw .unstarted(path: folder) }
    }
    guard isEmpty else {
      throw .damaged(Damage(what: "the store's identity is missing", place: path))
    }
    let chosen = LogID.random().bytes
    try writing { database throws(LogError) in try Meta(database: database).write(.store, chosen) }
    return chosen
  }

  func close() { database.close() }

  /// All logs in order of their numbers, deleted ones too.
  func logs() throws(LogError) -> [LogRow] {
    try database.statement(LogRow.selectAll).all { row throws(LogError) in try CatalogEntry(row, path).row }
  }

  /// The last revisions of the imports that are not finished, by log number.
  func imports() throws(LogError) -> [UInt64: Revision] { try ImportTable(database: database).all() }

  /// The number of the first journal segment that is still needed.
  func oldestSegment() throws(LogError) -> UInt64 {
    try Meta(database: database).number(.oldestSegment) ?? 0
  }

  func oldestFrame() throws(LogError) -> UInt64 { try Meta(database: database).oldestFrame() ?? 0 }

  /// Bytes of each of the journal's segments; `nil` where an older version wrote last.
  func segmentBytes() throws(LogError) -> Int? {
    try Meta(database: database).number(.segmentBytes).map { Int(truncatingIfNeeded: $0) }
  }

  /// Moves the write-ahead log into the database file and syncs both; false while a reader's view needs a part of it.
  func finishChanges() throws(LogError) -> Bool {
    if isClosed { try reopen() }
    settleNext = MonotonicClock.now &+ SealedStore.settlePause
    return try database.checkpoint()
  }

  /// Keeps the write-ahead log short, so that reads from it stay fast.
  func settleIfLong() throws(LogError) {
    guard MonotonicClock.now >= settleNext,
      try DurableFile(path + "-wal", on: disk).size() >= SealedStore.settleBytes
    else { return }
    _ = try finishChanges()
  }

  func knowsManifest() throws(LogError) -> Bool { try Meta(database: database).number(.manifest) != nil }

  func noteManifest() throws(LogError) {
    guard try !knowsManifest() else { return }
    try writing { database throws(LogError) in try Meta(database: database).write(.manifest, number: 1) }
  }

  /// Notes damage that a reader has met, once for each place.
  func note(_ damage: Damage, number: UInt64?) throws(LogError) {
    try writing { database throws(LogError) in try database.note(damage, number: number) }
  }

  func noted() throws(LogError) -> [Damage] { try database.noted() }

  /// Runs one transaction. After `.io` it does what the type's comment describes.
  func writing<Result>(_ body: (SQLiteConnection) throws(LogError) -> Result) throws(LogError) -> Result {
    if let stopReason { throw .stopped(reason: stopReason) }
    guard database.role == .writer else { throw .readOnly }
    if isClosed { try reopen() }
    do throws(LogError) {
      return try database.transaction { () throws(LogError) in try body(database) }
    } catch {
      guard case .io = error else { throw error }
    }
    do throws(LogError) {
      try reopen()
      return try database.transaction { () throws(LogError) in try body(database) }
    } catch {
      guard case .io = error, !ErrorNumber.isOfFiles(error) else { throw error }
      let reason = "the sealed store failed twice in a row: \(error)"
      stopReason = reason
      throw .stopped(reason: reason)
    }
  }

  private func reopen() throws(LogError) {
    let fault = database.fault
    // If no file can be opened now, the connection is opened before the next write.
    isClosed = true
    database.close()
    try DurableFile(path + "-wal", on: disk).rewrite()
    database = try SQLiteConnection.prepared(path: path, role: .writer, schema: schema, on: disk)
    isClosed = false
    database.fault = fault
  }
}

extension SQLiteConnection {
  static func prepared(
    path: String, role: ConnectionUse, schema: Schema, on disk: any Disk = SystemDisk()
  ) throws(LogError) -> SQLiteConnection {
    let connection = try SQLiteConnection(path: path, role: role, on: disk)
    try schema.prepare(connection)
    return connection
  }

  /// The rows of `bad`, the oldest first.
  func noted() throws(LogError) -> [Damage] {
    var names: [UInt64: LogID] = [:]
    let ids = try statement("SELECT no, id FROM log").all { ($0.unsigned(0), LogID(bytes: $0.borrowed(1))) }
    for (number, log) in ids { names[number] = log }
    return try statement("SELECT what, place, off, log, first, last FROM bad ORDER BY n").all { row in
      let (offset, first, last) = (row.integer(2), row.unsigned(4), row.unsigned(5))
      return Damage(
        what: row.text(0), place: row.text(1), offset: offset < 0 ? nil : Int(offset),
        log: names[row.unsigned(3)], lost: first > 0 && last >= first ? first...last : nil)
    }
  }

  /// Whether the loss of these revisions was accepted.
  func isAccepted(_ lost: ClosedRange<UInt64>, number: UInt64) throws(LogError) -> Bool {
    let known = try statement(
      "SELECT 1 FROM bad WHERE log = ? AND first <= ? AND last >= ? AND what LIKE ? LIMIT 1"
    ).first(
      .bits(number), .bits(lost.lowerBound), .bits(lost.upperBound), .text(Damage.missingEvents + "%")
    ) { _ in true }
    return known ?? false
  }

  /// A row of `bad`, unless one for the same place is there.
  func note(_ damage: Damage, number: UInt64?) throws(LogError) {
    let number = Int64(bitPattern: number ?? 0)
    let first = Int64(bitPattern: damage.lost?.lowerBound ?? 0)
    let last = Int64(bitPattern: damage.lost?.upperBound ?? 0)
    let known = try statement(
      "SELECT 1 FROM bad WHERE log = ? AND first = ? AND last = ? AND what = ? AND place = ?"
    ).first(
      .integer(number), .integer(first), .integer(last), .text(damage.what), .text(damage.place)
    ) { _ in true }
    guard known == nil else { return }
    try statement(
      """
      INSERT INTO bad(found_ms, place, off, log, first, last, what)
      VALUES(CAST((julianday('now') - 2440587.5) * 86400000 AS INTEGER), ?, ?, ?, ?, ?, ?)
      """
    ).run(
      .text(damage.place), .integer(Int64(damage.offset ?? -1)), .integer(number), .integer(first),
      .integer(last), .text(damage.what))
  }
}
