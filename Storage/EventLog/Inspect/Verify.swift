import EventLogFormat
import EventLogModel

/// Checks what is stored. Changes nothing. A writer may be at work at the same time: a view of the file is
/// held for one log, and SQLite's WAL grows during that time.
public enum Verify {
  /// Checks `log.db` of a folder. `progress` is called for every block; when it answers false the check ends.
  ///
  /// Damage is in the report; throws only when the file cannot be looked at at all (`.io`, `.incompatible`).
  public static func database(
    folder: String, level: VerifyLevel, progress: (InspectProgress) -> Bool = { _ in true }
  ) throws(LogError) -> VerifyReport {
    try database(folder: folder, level: level, on: SystemDisk(), progress: progress)
  }

  /// The same check, of a folder on another disk.
  package static func database(
    folder: String, level: VerifyLevel, on disk: any Disk,
    progress: (InspectProgress) -> Bool = { _ in true }
  ) throws(LogError) -> VerifyReport {
    let reader: SealedReader
    do throws(LogError) { reader = try SealedReader(folder: folder, on: disk) } catch {
      guard case .damaged(let found) = error else { throw error }
      var report = VerifyReport(level: level)
      report.findings = [found]
      return report
    }
    defer { reader.close() }
    return try withoutActuallyEscaping(progress) { progress throws(LogError) in
      let check = DatabaseCheck(reader, level, progress)
      try check.run()
      return check.report
    }
  }

  /// Damage that was found and noted earlier, the oldest first. What was lost then is still missing.
  public static func earlier(folder: String) throws(LogError) -> [Damage] {
    let reader = try SealedReader(folder: folder)
    defer { reader.close() }
    return try reader.database.noted()
  }

  /// The imports that are unfinished according to the database, and the last revisions that they will have.
  /// Imports that only the journal knows are not included.
  public static func unfinishedImports(folder: String) throws(LogError) -> [LogID: Revision] {
    let reader = try SealedReader(folder: folder)
    defer { reader.close() }
    let lasts = try ImportTable(database: reader.database).all()
    return Dictionary(
      uniqueKeysWithValues: try reader.logs().compactMap { row in lasts[row.number].map { (row.log, $0) } })
  }
}

/// One check of one database.
final class DatabaseCheck {
  private(set) var report: VerifyReport
  private let database: SQLiteConnection
  private let path: String
  private let progress: (InspectProgress) -> Bool
  private var total = 0

  init(_ reader: SealedReader, _ level: VerifyLevel, _ progress: @escaping (InspectProgress) -> Bool) {
    report = VerifyReport(level: level)
    database = reader.database
    path = reader.path
    self.progress = progress
  }

  func run() throws(LogError) {
    total = Int(
      try finding { () throws(LogError) in
        try database.integer("SELECT CAST(total(blocks) AS INTEGER) FROM log")
      } ?? 0)
    for key in [Meta.Key.store, .oldestSegment, .segmentBytes] {
      _ = try finding { () throws(LogError) in try Meta(database: database).read(key) }
    }
    _ = try finding { () throws(LogError) in try ImportTable(database: database).all() }
    if report.level == .full { try checkPages() }
    for number in try numbers() where !report.wasCancelled {
      try database.reading { () throws(LogError) in try check(number) }
    }
  }

  /// What `body` gives; damage becomes a finding and `nil`.
  @discardableResult
  private func finding<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result? {
    do throws(LogError) { return try body() } catch {
      guard let found = error.damage(in: path) else { throw error }
      report.findings.append(found)
      return nil
    }
  }

  private func note(_ what: String, _ log: LogID? = nil, lost: ClosedRange<UInt64>? = nil) {
    report.findings.append(Damage(what: what, place: path, log: log, lost: lost))
  }

  private func checkPages() throws(LogError) {
    let lines = try finding { () throws(LogError) in
      try database.statement("PRAGMA integrity_check(100)").all { $0.text(0) }
    }
    for line in lines ?? [] where line != "ok" { note("SQLite's check: \(line)") }
  }

  /// The numbers of all logs in the catalog, and of those that only have blocks.
  private func numbers() throws(LogError) -> [UInt64] {
    let listed = try finding { () throws(LogError) in
      try database.statement("SELECT no FROM log ORDER BY no").all { $0.unsigned(0) }
    }
    let used = try finding { () throws(LogError) in
      try database.statement("SELECT DISTINCT id >> 40 FROM block INDEXED BY block_time").all {
        $0.unsigned(0)
      }
    }
    let unlisted = Set(used ?? []).subtracting(listed ?? [])
    for number in unlisted.sorted() { note("blocks of log number \(number), which is not in the catalog") }
    return listed ?? []
  }

  private func check(_ number: UInt64) throws(LogError) {
    let entry = try finding { () throws(LogError) in try CatalogEntry.load(number, from: database) }
    guard let entry = entry ?? nil else { return }
    report.checked.logs += 1
    switch entry.state {
    case .deleting, .deleted: return
    case .live: break
    }
    let keys = try keys(of: entry)
    var check = LogCheck(entry: entry, path: path, level: report.level)
    let blocks = FolderBlocks(
      place: BlockPlace(number: number, log: entry.row.log, path: path), database: database)
    for first in keys {
      guard progress(InspectProgress(done: report.checked.blocks, total: total, log: entry.row.log)) else {
        report.wasCancelled = true
        return
      }
      try check.block(at: first, blocks, &report)
    }
    check.finish(&report)
    if report.level == .full { try checkSnapshots(of: entry) }
  }

  /// The first revisions of all blocks, from the table and from the time index, because rows on a damaged
  /// page of one of them are missing without an error.
  private func keys(of entry: CatalogEntry) throws(LogError) -> [Revision] {
    let (lower, upper) = BlockKey.bounds(entry.row.number)
    var inTable: Set<Revision> = []
    let tableWasRead: Void? = try finding { () throws(LogError) in
      try database.statement("SELECT id FROM block NOT INDEXED WHERE id > ? AND id <= ?").each(lower, upper) {
        inTable.insert(BlockKey.revision($0.integer(0)))
        return true
      }
    }
    let inIndex = try finding { () throws(LogError) in
      try database.statement("SELECT id FROM block INDEXED BY block_time WHERE id >> 40 = ?").all(
        .bits(entry.row.number)
      ) { BlockKey.revision($0.integer(0)) }
    }
    if tableWasRead != nil, let inIndex, Set(inIndex) != inTable {
      note("the time index and the blocks differ", entry.row.log)
    }
    return inTable.union(inIndex ?? []).sorted()
  }

  private func checkSnapshots(of entry: CatalogEntry) throws(LogError) {
    let table = SnapshotTable(database: database, number: entry.row.number)
    var proved: Set<[UInt8]> = []
    for revision in try finding({ () throws(LogError) in try table.revisions() }) ?? [] {
      try finding { () throws(LogError) in
        try table.prove(revision, of: entry.row.log, proved: &proved)
      }
      report.checked.snapshots += 1
    }
    let unnamed = try finding { () throws(LogError) in try table.unnamedParts() } ?? 0
    if unnamed > 0 { note("\(unnamed) snapshot parts that no snapshot names", entry.row.log) }
  }
}
