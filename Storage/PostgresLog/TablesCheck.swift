import EventLog
import EventLogFormat
import EventLogModel

extension PostgresLogStore {
  /// Checks the tables at an address, as `Verify` checks a folder. Changes nothing; a node may be writing
  /// meanwhile. One log is looked at at a time, in a transaction of its own. `progress` is called for every block; when
  /// it answers false the check ends.
  ///
  /// Damage is in the report. Throws `incompatible` for tables of a later version and where there are none, `stopped`
  /// when nobody answers. Frames that are not sealed are checked by `openReading`.
  public static func verify(
    address: String, level: VerifyLevel, progress: (InspectProgress) -> Bool = { _ in true }
  ) throws(LogError) -> VerifyReport {
    let address = try DatabaseAddress(address)
    let connection: PostgresConnection
    do throws(PostgresFailure) {
      connection = try PostgresConnection.reading(address)
    } catch {
      throw error.asLogError(in: address.place)
    }
    let transaction = SealingTransaction(connection, place: address.place, silence: Int.max, isReading: true)
    return try withoutActuallyEscaping(progress) { progress throws(LogError) in
      let check = TablesCheck(transaction, level, progress)
      try check.run()
      return check.report
    }
  }

  /// Damage that was found and noted earlier, the oldest first. Throws `damaged` where the server cannot read it.
  public static func earlierDamage(address: String) throws(LogError) -> [Damage] {
    let address = try DatabaseAddress(address)
    do throws(PostgresFailure) {
      let connection = try PostgresConnection.reading(address)
      let rows = try connection.run([
        Query(
          """
          select damage.what, damage.place, log.id, damage.first, damage.last from damage
          left join log on log.no = damage.log order by n
          """)
      ])[0]
      return (0..<rows.count).map { row in
        let (first, last) = (rows.unsigned(row, 3), rows.unsigned(row, 4))
        return Damage(
          what: rows.text(row, 0), place: rows.text(row, 1), log: LogID(bytes: rows.bytes(row, 2)),
          lost: last > 0 && first <= last ? first...last : nil)
      }
    } catch { throw error.asReadingError(in: address.place) }
  }
}

/// One check of the tables of one store.
private final class TablesCheck {
  private(set) var report: VerifyReport
  private let transaction: SealingTransaction
  private let place: String
  private let progress: (InspectProgress) -> Bool
  private var total = 0

  init(
    _ transaction: SealingTransaction, _ level: VerifyLevel, _ progress: @escaping (InspectProgress) -> Bool
  ) {
    report = VerifyReport(level: level)
    self.transaction = transaction
    place = transaction.path
    self.progress = progress
  }

  func run() throws(LogError) {
    // Where the version cannot be read, the statements fit the tables or are refused.
    let version = try finding { () throws(LogError) in try PostgresSchema.version(transaction) }
    if case .some(nil) = version { throw PostgresSchema.incompatible("no tables of Boardroom", place) }
    let blocks = try? transaction.run([Query("select coalesce(sum(blocks), 0)::bigint from log")])[0]
    total = Int(blocks?.integer(0, 0) ?? 0)
    for number in try numbers() where !report.wasCancelled {
      try transaction.beginReading()
      do throws(LogError) {
        try check(number)
        try transaction.commit()
      } catch {
        if !transaction.isUnknown { transaction.rollBack() }
        throw error
      }
    }
  }

  /// What `body` gives; damage becomes a finding and `nil`.
  @discardableResult
  private func finding<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result? {
    do throws(LogError) { return try body() } catch {
      guard let found = error.damage(in: place) else { throw error }
      report.findings.append(found)
      return nil
    }
  }

  private func note(_ what: String, _ log: LogID? = nil) {
    report.findings.append(Damage(what: what, place: place, log: log))
  }

  /// The numbers of all logs in the catalog, after a look for blocks of others.
  private func numbers() throws(LogError) -> [UInt64] {
    try finding { () throws(LogError) -> Void in
      let rows = try transaction.run([
        Query(
          """
          select distinct log from block where not exists (select 1 from log where no = block.log) order by log
          """)
      ])[0]
      for row in 0..<rows.count {
        note("blocks of log number \(rows.unsigned(row, 0)), which is not in the catalog")
      }
    }
    let numbers = try finding { () throws(LogError) -> [UInt64] in
      let rows = try transaction.run([Query("select no from log order by no")])[0]
      return (0..<rows.count).map { rows.unsigned($0, 0) }
    }
    if let numbers { return numbers }
    return try readableNumbers()
  }

  /// Those in rows of the catalog that can be read, where not all can.
  private func readableNumbers() throws(LogError) -> [UInt64] {
    func next(_ key: UInt64) throws(LogError) -> UInt64? {
      let rows = try transaction.run([
        Query("select no from log where no > $1 order by no limit 1", .bits(key))
      ])[0]
      let number = rows.isEmpty ? nil : rows.unsigned(0, 0)
      guard let number, number <= key else { return number }
      throw .damaged(Damage(what: "row \(number) of the catalog is not where it belongs", place: place))
    }
    var (found, last) = ([] as [UInt64], 0 as UInt64)
    while true {
      var number = try finding { () throws(LogError) -> UInt64? in try next(last) }
      if number == nil { number = try UnreadableRows.first(behind: last, next) }
      guard let number = number ?? nil else { return found }
      found.append(number)
      last = number
    }
  }

  private func check(_ number: UInt64) throws(LogError) {
    let entry = try finding { () throws(LogError) -> CatalogEntry? in
      let rows = try transaction.run([Query(CatalogEntry.select + " where no = $1", .bits(number))])[0]
      return rows.isEmpty ? nil : try CatalogEntry(rows, 0, place)
    }
    guard let entry = entry ?? nil else { return }
    report.checked.logs += 1
    guard entry.state == .live else { return }
    var check = LogCheck(entry: entry, path: place, level: report.level)
    var after = Revision.zero
    while true {
      let blocks = try BlockPage(transaction, entry.row, after: after, isDeep: report.level == .full)
      report.findings += blocks.damages
      for first in blocks.firsts {
        guard progress(InspectProgress(done: report.checked.blocks, total: total, log: entry.row.log)) else {
          report.wasCancelled = true
          return
        }
        try check.block(at: first, blocks, &report)
        after = first
      }
      guard !blocks.isLast else { break }
    }
    check.finish(&report)
    if report.level == .full { try finding { () throws(LogError) in try checkSnapshots(of: entry.row) } }
  }

  // MARK: Snapshots

  private func checkSnapshots(of row: LogRow) throws(LogError) {
    let number = QueryParameter.bits(row.number)
    let revisions = try transaction.run([
      Query("select revision from snapshot where log = $1 order by revision", number)
    ])[0]
    var named: Set<[UInt8]> = []
    var isComplete = true
    for index in 0..<revisions.count {
      do throws(LogError) {
        try checkSnapshot(at: revisions.revision(index, 0), of: row, &named)
      } catch {
        guard case .damaged(let found) = error else { throw error }
        report.findings.append(found)
        isComplete = false
      }
    }
    // Those of a snapshot that cannot be read are not known.
    guard isComplete else { return }
    let keys = try transaction.run([Query("select key from part where log = $1", number)])[0]
    let stored = Set((0..<keys.count).map { keys.bytes($0, 0) })
    let unnamed = stored.subtracting(named).count
    if unnamed > 0 { note("\(unnamed) snapshot parts that no snapshot names", row.log) }
  }

  private func checkSnapshot(
    at revision: Revision, of row: LogRow, _ named: inout Set<[UInt8]>
  ) throws(LogError) {
    let found = try transaction.run([
      Query(
        "select time_ms, hash, keys, bytes from snapshot where log = $1 and revision = $2", .bits(row.number),
        .revision(revision))
    ])[0]
    defer { withExtendedLifetime(found) {} }
    let head = SnapshotHead(
      revision: revision, time: found.time(0, 0), hash: found.bytes(0, 1), keys: found.bytes(0, 2))
    let root = found.borrowed(0, 3)
    try finding { () throws(LogError) in try transaction.prove(root, of: head, row.log) }
    report.checked.snapshots += 1
    // Snapshots of one log share nearly all of their parts.
    for key in SnapshotHead.split(head.keys) where named.insert(key).inserted {
      try finding { () throws(LogError) in _ = try transaction.provePart(key, of: row) }
    }
  }
}

extension SealingTransaction {
  /// Throws `damaged` unless a snapshot's root has its checksum and unpacks.
  func prove(_ root: UnsafeRawBufferPointer, of head: SnapshotHead, _ log: LogID) throws(LogError) {
    try prove(root, head.seed(log), "the root of a snapshot at revision \(head.revision)", log)
  }

  /// Reads one part of snapshots, and returns its stored bytes. Throws `damaged` or `missingPart`.
  func provePart(_ key: [UInt8], of row: LogRow) throws(LogError) -> Int {
    let found = try run([
      Query("select bytes from part where log = $1 and key = $2", .bits(row.number), .bytes(key))
    ])[0]
    guard !found.isEmpty else { throw .missingPart(row.log, key: SnapshotHead.hex(key)) }
    let piece = found.borrowed(0, 0)
    try prove(piece, SnapshotHead.partSeed(row.log, key), "a part of a snapshot", row.log)
    return piece.count
  }

  private func prove(_ piece: UnsafeRawBufferPointer, _ seed: UInt32, _ what: String, _ log: LogID)
    throws(LogError)
  {
    do throws(WireError) {
      _ = try Piece.decode(piece, seed: seed)
    } catch { throw .damaged(Damage(what: what, place: path, log: log)) }
  }
}
