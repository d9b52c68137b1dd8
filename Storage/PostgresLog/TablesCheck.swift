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
    let transaction = SealingTransaction(connection, place: address.place, silence: Int.max)
    guard try PostgresSchema.version(transaction) != nil else {
      throw PostgresSchema.incompatible("no tables of Boardroom", address.place)
    }
    return try withoutActuallyEscaping(progress) { progress throws(LogError) in
      let check = TablesCheck(transaction, level, progress)
      try check.run()
      return check.report
    }
  }

  /// Damage that was found and noted earlier, the oldest first.
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
    } catch { throw error.asLogError(in: address.place) }
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
    total = Int(
      try transaction.run([Query("select coalesce(sum(blocks), 0)::bigint from log")])[0].integer(0, 0))
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
      switch error {
      case .damaged(let found): report.findings.append(found)
      case .missingPart(let log, let key): note("snapshot part \(key) is missing", log)
      default: throw error
      }
      return nil
    }
  }

  private func note(_ what: String, _ log: LogID? = nil) {
    report.findings.append(Damage(what: what, place: place, log: log))
  }

  /// The numbers of all logs in the catalog, after a look for blocks of others.
  private func numbers() throws(LogError) -> [UInt64] {
    let rows = try transaction.run([
      Query("select no from log order by no"),
      Query(
        "select distinct log from block where not exists (select 1 from log where no = block.log) order by log"
      ),
    ])
    for row in 0..<rows[1].count {
      note("blocks of log number \(rows[1].unsigned(row, 0)), which is not in the catalog")
    }
    return (0..<rows[0].count).map { rows[0].unsigned($0, 0) }
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
      guard !blocks.firsts.isEmpty else { break }
      report.findings += blocks.duplicates(in: place)
      for first in blocks.firsts {
        guard progress(InspectProgress(done: report.checked.blocks, total: total, log: entry.row.log)) else {
          report.wasCancelled = true
          return
        }
        try check.block(at: first, blocks, &report)
        after = first
      }
    }
    check.finish(&report)
    if report.level == .full { try checkSnapshots(of: entry.row) }
  }

  // MARK: Snapshots

  private func checkSnapshots(of row: LogRow) throws(LogError) {
    let number = QueryParameter.bits(row.number)
    let heads = try transaction.run([
      Query(
        "select revision, time_ms, hash, keys, bytes from snapshot where log = $1 order by revision", number),
      Query("select key from part where log = $1", number),
    ])
    var named: Set<[UInt8]> = []
    for index in 0..<heads[0].count {
      let head = SnapshotHead(
        revision: heads[0].revision(index, 0), time: heads[0].time(index, 1), hash: heads[0].bytes(index, 2),
        keys: heads[0].bytes(index, 3))
      let root = heads[0].borrowed(index, 4)
      try finding { () throws(LogError) in
        try transaction.prove(root, of: head, row.log)
      }
      report.checked.snapshots += 1
      // Snapshots of one log share nearly all of their parts.
      for key in SnapshotHead.split(head.keys) where named.insert(key).inserted {
        try finding { () throws(LogError) in _ = try transaction.provePart(key, of: row) }
      }
    }
    let stored = Set((0..<heads[1].count).map { heads[1].bytes($0, 0) })
    let unnamed = stored.subtracting(named).count
    if unnamed > 0 { note("\(unnamed) snapshot parts that no snapshot names", row.log) }
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

/// Some blocks of one log, in their order.
struct BlockPage: CheckedBlocks {
  /// 2 MiB of records at most.
  static let limit = 32

  /// The first revisions, each once.
  let firsts: [Revision]
  /// Whether these are the last blocks of the log.
  let isLast: Bool
  /// Keys that several rows have.
  private var doubled: [Revision] = []
  private let rows: Rows
  private let indices: [Revision: Int]
  private let log: LogRow
  private let transaction: SealingTransaction

  /// The blocks after the one that begins at a revision.
  init(
    _ transaction: SealingTransaction, _ log: LogRow, after first: Revision, isDeep: Bool
  ) throws(LogError) {
    rows = try transaction.run([
      Query(
        """
        select first, count, raw, t0\(isDeep ? ", bytes" : "") from block where log = $1 and first > $2
        order by first fetch first \(Self.limit) rows with ties
        """, .bits(log.number), .revision(first))
    ])[0]
    (self.transaction, self.log) = (transaction, log)
    isLast = rows.count < Self.limit
    var (firsts, indices): ([Revision], [Revision: Int]) = ([], [:])
    for row in 0..<rows.count {
      let first = rows.revision(row, 0)
      guard let other = indices[first] else {
        firsts.append(first)
        indices[first] = row
        continue
      }
      if doubled.last != first { doubled.append(first) }
      // The block that was open is the shorter one.
      if rows.integer(row, 1) > rows.integer(other, 1) { indices[first] = row }
    }
    (self.firsts, self.indices) = (firsts, indices)
  }

  /// Keys that several rows have, as damage: a lost write of a page lets an earlier version of a row be seen beside the
  /// later one, and each page of the two is sound for itself.
  func duplicates(in path: String) -> [Damage] {
    doubled.map {
      Damage(what: "several rows are of the block at \($0)", place: path, log: log.log)
    }
  }

  func sizes(at first: Revision) -> (count: Int, raw: Int)? {
    indices[first].map { (count: Int(rows.integer($0, 1)), raw: Int(rows.integer($0, 2))) }
  }

  func block(at first: Revision) throws(LogError) -> (block: Block, columns: [Int64])? {
    guard let row = indices[first] else { return nil }
    let columns = (1...3).map { rows.integer(row, $0) }
    let block: Block
    do throws(LogError) {
      block = try Block(stored: rows.borrowed(row, 4), at: first, of: log.log, in: transaction.path)
    } catch {
      guard case .damaged(var found) = error else { throw error }
      // The row beside it says how many events it held.
      let end = first + max(0, Int(clamping: columns[0]) - 1)
      found.lost = first.rawValue...max(first, min(end, log.next.previous)).rawValue
      throw .damaged(found)
    }
    return (block, columns)
  }

  func isAccepted(_ lost: ClosedRange<UInt64>) throws(LogError) -> Bool {
    try transaction.isAccepted(lost, number: log.number)
  }
}
