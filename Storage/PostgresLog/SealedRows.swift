import EventLog
import EventLogFormat
import EventLogModel

/// Reads the sealed half; used by one thread. A read whose connection was lost is done once more behind a new one.
final class SealedRows: SealedReading {
  private let address: DatabaseAddress
  private var connection: PostgresConnection?
  /// Milliseconds after which a read is given up.
  private static let silence = 10_000
  /// Blocks that one read brings at most.
  private static let blocks = 32

  var place: String { address.place }

  init(_ address: DatabaseAddress) { self.address = address }

  func close() { connection = nil }

  func ask(_ queries: Query...) throws(LogError) -> [Rows] {
    let (wasOpen, start) = (connection != nil, PostgresConnection.milliseconds)
    do throws(PostgresFailure) { return try answers(to: queries) } catch {
      connection = nil
      // A connection that nobody used for a while may have been cut meanwhile: the database may be there.
      guard wasOpen, case .unknown = error, PostgresConnection.milliseconds - start < Self.silence else {
        throw self.error(error)
      }
    }
    do throws(PostgresFailure) { return try answers(to: queries) } catch {
      connection = nil
      throw self.error(error)
    }
  }

  private func error(_ failure: PostgresFailure) -> LogError {
    guard case .refused = failure else { return address.silent }
    guard !failure.isDamage else { return failure.asReadingError(in: place) }
    return .io(operation: "a query of PostgreSQL", path: place, code: ErrorNumber.io)
  }

  private func answers(to queries: [Query]) throws(PostgresFailure) -> [Rows] {
    let open: PostgresConnection
    if let connection {
      open = connection
    } else {
      open = try PostgresConnection.reading(address, limit: Self.silence)
    }
    connection = open
    return try open.run(queries) { milliseconds throws(PostgresFailure) in
      if milliseconds >= Self.silence { throw .unknown(reason: "no answer in \(Self.silence) ms") }
    }
  }

  private func entry(_ number: UInt64) throws(LogError) -> CatalogEntry? {
    let rows = try ask(Query(CatalogEntry.select + " where no = $1", .bits(number)))[0]
    return rows.isEmpty ? nil : try CatalogEntry(rows, 0, place)
  }

  func row(number: UInt64) throws(LogError) -> LogRow? { try entry(number)?.row }

  /// The row of the log of this name, and the owner; nil if there is none.
  func sharedWithOwner(_ log: LogID) throws(LogError) -> (log: SharedLog?, owner: LogOwnerRow?) {
    let rows = try ask(SharedLog.query(log), LogOwnerRow.query(ofAny: [log]))
    let found = rows[0].isEmpty ? nil : try SharedLog(rows[0], 0, place)
    return (found, rows[1].isEmpty ? nil : LogOwnerRow(rows[1], 0))
  }

  /// The row of the log of this name; nil if there is none.
  func shared(_ log: LogID) throws(LogError) -> SharedLog? {
    let rows = try ask(SharedLog.query(log))[0]
    return rows.isEmpty ? nil : try SharedLog(rows, 0, place)
  }

  /// Rows of logs that are not deleted, in order of their names after one: of imports that are not finished,
  /// or of all others.
  func page(after: LogID?, limit: Int, imports: Bool = false) throws(LogError) -> [SharedLog] {
    let isThere = imports ? "is not null" : "is null"
    let rows = try ask(
      Query(
        SharedLog.select + " where state = 0 and import_last \(isThere) and id > $1 order by id limit $2",
        .bytes(after?.bytes ?? []), .integer(limit)))[0]
    return try SharedLog.all(rows, place)
  }

  func chain(number: UInt64) throws(LogError) -> ChainEnds? {
    guard let entry = try entry(number), entry.row.next > entry.firstKept else { return nil }
    return ChainEnds(
      first: entry.firstKept, before: entry.chainBefore, last: entry.row.next.previous, value: entry.row.chain
    )
  }

  // MARK: Events

  /// The condition of the block that a revision (`$2`) lies in, and of all after it.
  private static let from = """
    log = $1 and first >= coalesce((select max(first) from block where log = $1 and first <= $2), 0)
    """

  func read(
    number: UInt64, log: LogID, after: Revision, limit: Int
  ) throws(LogError) -> [StoredRun] {
    let count = min(Self.blocks, max(0, limit) / BlockSize.open + 2)
    let rows = try ask(
      Query(
        "select first, bytes from block where \(Self.from) order by first limit \(count)", .bits(number),
        .revision(after.next)))[0]
    var runs: [StoredRun] = []
    var bytes = 0
    for index in 0..<rows.count where runs.isEmpty || bytes < limit {
      do throws(LogError) {
        let run = try stored(rows, index, log)
        // The first block may end before the revision asked for.
        if run.lastRevision <= after { continue }
        let due = runs.last?.lastRevision.next ?? after.next
        guard run.first <= due else { break }
        // Where damage lets an earlier version of a row be seen, too, the longer one has all of both.
        if let last = runs.last, last.first == run.first {
          guard run.lastRevision > last.lastRevision else { continue }
          bytes -= runs.removeLast().bytes.count
        }
        runs.append(run)
        bytes += run.bytes.count
      } catch {
        // Damage further on is reported by the read that begins there.
        guard runs.isEmpty else { break }
        throw error
      }
    }
    if runs.isEmpty { try explain(number, log, after.next) }
    return runs
  }

  private func stored(_ rows: Rows, _ index: Int, _ log: LogID) throws(LogError) -> StoredRun {
    let first = rows.revision(index, 0)
    let block = try Block(stored: rows.borrowed(index, 1), at: first, of: log, in: place)
    do throws(WireError) { return try block.stored() } catch {
      throw .damaged(
        Damage(
          what: "the block does not unpack", place: place, log: log,
          lost: first.rawValue...max(first, block.last).rawValue))
    }
  }

  /// Throws why there is no block with a revision; returns at the end of what is sealed.
  private func explain(_ number: UInt64, _ log: LogID, _ revision: Revision) throws(LogError) {
    guard let row = try row(number: number), !row.deleted else { return }
    guard revision >= row.low else { throw .trimmed(log, low: row.low) }
    guard revision < row.next else { return }
    throw .damaged(
      Damage(
        what: "a block is missing", place: place, log: log, lost: revision.rawValue...revision.rawValue))
  }

  func spans(
    number: UInt64, log: LogID, after: Revision, limit: Int
  ) throws(LogError) -> [StoredSpan] {
    // One more than asked for, because the first may end before the revision asked for.
    let rows = try ask(
      Query(
        """
        select first, count, t0, t1, length(bytes) from block where \(Self.from) order by first limit $3
        """, .bits(number), .revision(after.next), .integer(min(limit, Int(Int32.max)) + 1)))[0]
    let spans = (0..<rows.count).map { row in
      let first = rows.revision(row, 0)
      return StoredSpan(
        first: first, last: first + (max(1, Int(rows.integer(row, 1))) - 1), begin: rows.time(row, 2),
        end: max(rows.time(row, 2), rows.time(row, 3)),
        bytes: max(0, Int(rows.integer(row, 4)) - Block.headerLength))
    }
    return Array(spans.filter { $0.last > after }.prefix(limit))
  }

  func revision(number: UInt64, at time: Timestamp) throws(LogError) -> Revision? {
    guard let row = try row(number: number) else { return nil }
    let rows = try ask(
      Query(
        """
        select first, bytes from block where log = $1 and t0 <= $2 order by t0 desc, first desc limit 1
        """, .bits(number), .integer(time.milliseconds)))[0]
    guard !rows.isEmpty else { return nil }
    let first = rows.revision(0, 0)
    let block = try Block(stored: rows.borrowed(0, 1), at: first, of: row.log, in: place)
    guard block.lastTime > time else { return block.last }
    let run: Run
    do throws(WireError) { run = try block.unpacked() } catch {
      throw .damaged(Damage(what: "the block does not unpack", place: place, log: row.log))
    }
    var last = first.previous
    run.forEach { view, _ in
      if view.time <= time { last = view.revision }
    }
    // Before the first record of a log there is nothing.
    return last == .zero ? nil : last
  }

  // MARK: Snapshots

  /// The newest readable one from which all later events are still there. A damaged one is passed over: the
  /// events are in the log. Throws only if retention has removed the events between.
  func latestSnapshot(
    number: UInt64, log: LogID, notAfter: Revision
  ) throws(LogError) -> Snapshot? {
    let found = try ask(
      Query(CatalogEntry.select + " where no = $1", .bits(number)),
      Query(
        """
        select revision from snapshot where log = $1 and revision <= $2
        and revision + 1 >= (select low from log where no = $1) order by revision desc
        """, .bits(number), .revision(notAfter)))
    guard !found[0].isEmpty else { return nil }
    let row = try CatalogEntry(found[0], 0, place).row
    guard !row.deleted else { return nil }
    let rows = found[1]
    var firstFailure: LogError?
    for index in 0..<rows.count {
      do throws(LogError) {
        if let found = try snapshot(number, log, rows.revision(index, 0)) { return found }
      } catch {
        if case .io = error { throw error }
        firstFailure = firstFailure ?? error
      }
    }
    if let firstFailure, row.low > 1 { throw firstFailure }
    return nil
  }

  private func snapshot(
    _ number: UInt64, _ log: LogID, _ revision: Revision
  ) throws(LogError) -> Snapshot? {
    // At one moment: the sealer may remove the snapshot, and its parts with it.
    let length = SnapshotHead.keyLength
    let answers = try ask(
      Query("begin isolation level repeatable read, read only"),
      Query(
        "select time_ms, hash, keys, bytes from snapshot where log = $1 and revision = $2", .bits(number),
        .revision(revision)),
      Query(
        """
        select key, bytes from part where log = $1 and key in (
          select substring(keys from n * \(length) + 1 for \(length))
          from snapshot, generate_series(0, length(keys) / \(length) - 1) as n
          where log = $1 and revision = $2)
        """, .bits(number), .revision(revision)),
      Query("commit"))
    let (found, rows) = (answers[1], answers[2])
    guard !found.isEmpty else { return nil }
    let head = SnapshotHead(
      revision: revision, time: found.time(0, 0), hash: found.bytes(0, 1), keys: found.bytes(0, 2))
    let keys = SnapshotHead.split(head.keys)
    var stored: [[UInt8]: Int] = [:]
    for row in 0..<rows.count { stored[rows.bytes(row, 0)] = row }
    let root = try decode(found.borrowed(0, 3), seed: head.seed(log), "the root of a snapshot", log, revision)
    var parts: [SnapshotPart] = []
    for key in keys {
      guard let row = stored[key] else { throw .missingPart(log, key: SnapshotHead.hex(key)) }
      let bytes = try decode(
        rows.borrowed(row, 1), seed: SnapshotHead.partSeed(log, key), "a part of a snapshot", log, revision)
      parts.append(SnapshotPart(key: key, bytes: bytes))
    }
    return Snapshot(revision: revision, time: head.time, stateHash: head.hash, root: root, parts: parts)
  }

  private func decode(
    _ piece: UnsafeRawBufferPointer, seed: UInt32, _ what: String, _ log: LogID, _ revision: Revision
  ) throws(LogError) -> [UInt8] {
    do throws(WireError) { return try Piece.decode(piece, seed: seed) } catch {
      throw .damaged(Damage(what: "\(what) at revision \(revision)", place: place, log: log))
    }
  }

  func snapshots(number: UInt64, log: LogID) throws(LogError) -> [SnapshotInfo] {
    guard let row = try row(number: number), !row.deleted else { return [] }
    let found = try ask(
      Query(
        """
        select revision, time_ms, keys, length(bytes) from snapshot where log = $1 and revision + 1 >= $2
        order by revision
        """, .bits(number), .revision(row.low)),
      Query("select key, length(bytes) from part where log = $1", .bits(number)))
    var lengths: [[UInt8]: Int] = [:]
    for part in 0..<found[1].count { lengths[found[1].bytes(part, 0)] = Int(found[1].integer(part, 1)) }
    return (0..<found[0].count).map { row in
      let parts = SnapshotHead.split(found[0].bytes(row, 2)).reduce(0) { $0 + (lengths[$1] ?? 0) }
      return SnapshotInfo(
        revision: found[0].revision(row, 0), time: found[0].time(row, 1),
        bytes: Int(found[0].integer(row, 3)) + parts)
    }
  }

  /// As `SealedReader` says it: the beginning of a block, never above the newest snapshot at or below
  /// `revision`; behind the last event if that is asked for and there is a snapshot at it; the present `low`
  /// if nothing can go.
  func trimPoint(number: UInt64, below revision: Revision) throws(LogError) -> Revision {
    guard let row = try row(number: number) else { return 1 }
    let anchor = try ask(
      Query(
        "select max(revision) from snapshot where log = $1 and revision <= $2", .bits(number),
        .revision(revision)))[0]
    guard !anchor.isNull(0, 0) else { return row.low }
    let snapshot = anchor.revision(0, 0)
    if revision == row.next, snapshot == row.next.previous { return row.next }
    let start = try ask(
      Query(
        "select max(first) from block where log = $1 and first <= $2", .bits(number), .revision(snapshot)))[0]
    return start.isNull(0, 0) ? row.low : max(row.low, start.revision(0, 0))
  }
}
