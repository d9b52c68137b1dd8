import EventLog
import EventLogFormat
import EventLogModel

/// Some blocks of one log, in their order. Rows that the server cannot read are left out, and named.
struct BlockPage: CheckedBlocks {
  /// 2 MiB of records at most.
  static let limit = 32

  /// The first revisions, in order, each once.
  private(set) var firsts: [Revision] = []
  /// Whether these are the last blocks of the log.
  private(set) var isLast = false
  /// What is wrong with the rows.
  private(set) var damages: [Damage] = []
  private var rows: [Revision: BlockRow] = [:]
  private let log: LogRow
  private let transaction: SealingTransaction

  private struct BlockRow {
    /// Events, bytes of records and base time.
    var columns: [Int64]
    /// The answer with the block's bytes, and its row there; nil where they were not asked for.
    var bytes: (rows: Rows, row: Int)?
  }

  /// The blocks after the one that begins at a revision.
  init(
    _ transaction: SealingTransaction, _ log: LogRow, after first: Revision, isDeep: Bool
  ) throws(LogError) {
    (self.transaction, self.log) = (transaction, log)
    do throws(LogError) {
      let found = try ask(after: first, Self.limit, withBytes: isDeep)
      let strange = take(found, after: first, withBytes: isDeep)
      guard firsts.isEmpty, !found.isEmpty else {
        isLast = found.count < Self.limit
        // Those at the end of a page begin the next one.
        if isLast { damages += strange }
        return
      }
    } catch {
      guard case .damaged = error else { throw error }
    }
    try takeEach(after: first)
  }

  private func ask(after first: Revision, _ limit: Int, withBytes: Bool) throws(LogError) -> Rows {
    try transaction.run([
      Query(
        """
        select first, count, raw, t0\(withBytes ? ", bytes" : "") from block where log = $1 and first > $2
        order by first fetch first \(limit) rows with ties
        """, .bits(log.number), .revision(first))
    ])[0]
  }

  /// Returns what is wrong with rows that no other follows: where the index has another key than the row, the row would lead the
  /// reading back, or past all others.
  private mutating func take(_ found: Rows, after last: Revision, withBytes: Bool) -> [Damage] {
    var strange: [Damage] = []
    for row in 0..<found.count {
      let first = found.revision(row, 0)
      guard isPossible(first, after: firsts.last?.previous ?? last) else {
        strange.append(impossible(first))
        continue
      }
      damages += strange
      strange = []
      add(found, row, withBytes: withBytes)
    }
    return strange
  }

  private func isPossible(_ first: Revision, after last: Revision) -> Bool {
    first > last && first < log.next
  }

  private func impossible(_ first: Revision) -> Damage {
    Damage(
      what: "the row of a block has revision \(first), where it cannot be", place: transaction.path,
      log: log.log)
  }

  private mutating func add(_ found: Rows, _ row: Int, withBytes: Bool) {
    let first = found.revision(row, 0)
    let new = BlockRow(
      columns: (1...3).map { found.integer(row, $0) }, bytes: withBytes ? (found, row) : nil)
    guard let other = rows[first] else {
      firsts.append(first)
      rows[first] = new
      return
    }
    // A lost write of a page lets an earlier version of a row be seen beside the later one, and each page of the two is
    // sound for itself. The block that was open then is the shorter one.
    let damage = Damage(
      what: "several rows are of the block at \(first)", place: transaction.path, log: log.log)
    if damages.last != damage { damages.append(damage) }
    if new.columns[0] > other.columns[0] { rows[first] = new }
  }

  /// Row by row, up to the first one that cannot be read; if that is the first of all, it is named, and the one behind it is
  /// taken.
  private mutating func takeEach(after first: Revision) throws(LogError) {
    func one(after last: Revision) throws(LogError) -> Rows {
      let found = try ask(after: last, 1, withBytes: false)
      guard found.isEmpty || isPossible(found.revision(0, 0), after: last) else {
        throw .damaged(impossible(found.revision(0, 0)))
      }
      return found
    }
    var last = first
    while firsts.count < Self.limit {
      var found: Rows?
      do throws(LogError) { found = try one(after: last) } catch {
        guard case .damaged(var damage) = error else { throw error }
        guard firsts.isEmpty else { return }
        damage.log = log.log
        damages.append(damage)
        found = try UnreadableRows.first(behind: last.rawValue) { key throws(LogError) in
          try one(after: Revision(key))
        }
      }
      guard let found, !found.isEmpty else {
        isLast = true
        return
      }
      _ = take(found, after: last, withBytes: false)
      last = firsts.last ?? last
    }
  }

  func sizes(at first: Revision) throws(LogError) -> (count: Int, raw: Int)? {
    rows[first].map { (count: Int($0.columns[0]), raw: Int($0.columns[1])) }
  }

  func block(at first: Revision) throws(LogError) -> (block: Block, columns: [Int64])? {
    guard let row = rows[first] else { return nil }
    do throws(LogError) {
      let (rows, index, column) = try stored(row, at: first)
      defer { withExtendedLifetime(rows) {} }
      let bytes = rows.borrowed(index, column)
      return (try Block(stored: bytes, at: first, of: log.log, in: transaction.path), row.columns)
    } catch {
      guard case .damaged(var found) = error else { throw error }
      // The row beside it says how many events it held.
      let end = first + max(0, Int(clamping: row.columns[0]) - 1)
      found.log = log.log
      found.lost = first.rawValue...max(first, min(end, log.next.previous)).rawValue
      throw .damaged(found)
    }
  }

  /// Where the bytes of a block are in an answer.
  private func stored(
    _ row: BlockRow, at first: Revision
  ) throws(LogError) -> (rows: Rows, row: Int, column: Int) {
    if let (rows, index) = row.bytes { return (rows, index, 4) }
    let found = try transaction.run([
      Query(
        "select bytes from block where log = $1 and first = $2 order by count desc limit 1",
        .bits(log.number),
        .revision(first))
    ])[0]
    return (found, 0, 0)
  }

  func isAccepted(_ lost: ClosedRange<UInt64>) throws(LogError) -> Bool {
    try transaction.isAccepted(lost, number: log.number)
  }
}
