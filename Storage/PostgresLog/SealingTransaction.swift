import EventLog
import EventLogFormat
import EventLogModel

/// One transaction on the tables of the sealed half. What `Sealing` writes is collected, and sent in few
/// statements of bounded size: server and libpq take no more than 1 GiB in one.
final class SealingTransaction: SealedTables {
  let path: String
  private let connection: PostgresConnection
  private let silence: Int
  /// Whether nothing is written: then what the server cannot read is `damaged`, and leaves the transaction as it was.
  private let isReading: Bool
  /// Whether a transaction that only reads has begun.
  private var isOpen = false
  /// Whether an answer was missing, so that the connection must be given up.
  private(set) var isUnknown = false

  private var entries: [UInt64: CatalogEntry] = [:]
  private var changed: Set<UInt64> = []
  /// One of the rows of the catalog that were written.
  private(set) var lastWritten: CatalogEntry?
  private var lasts: [UInt64: Revision?] = [:]
  private var known: [BlockName: (block: Block, run: Run)] = [:]
  private var fresh: [BlockName: (block: Block, encoded: [UInt8])] = [:]
  private var freshBytes = 0

  /// Bytes of blocks, or of parts of snapshots, that one statement writes at most, unless one of them is longer.
  static let pieceBytes = 8 << 20

  private struct BlockName: Hashable {
    var number: UInt64
    var first: Revision
  }

  /// - Parameter isReading: whether nothing is written. What the server cannot read is `damaged` then, and what follows in
  ///   the same transaction can be asked for still.
  init(_ connection: PostgresConnection, place: String, silence: Int, isReading: Bool = false) {
    self.connection = connection
    self.silence = silence
    self.isReading = isReading
    path = place
  }

  private static let mark = Query("savepoint reading")
  private static let unmark = Query("release savepoint reading")

  /// Runs statements inside the transaction, after what was collected.
  @discardableResult
  func run(_ queries: [Query]) throws(LogError) -> [Rows] {
    guard !isOpen else { return try runMarked(queries) }
    let due = collected()
    return Array(try send(due + queries).dropFirst(due.count))
  }

  /// Runs statements so that damage does not end the transaction, whose moment is kept.
  private func runMarked(_ queries: [Query]) throws(LogError) -> [Rows] {
    do throws(LogError) {
      return Array(try send([Self.mark] + queries + [Self.unmark]).dropFirst().dropLast())
    } catch {
      guard case .damaged = error else { throw error }
      _ = try send([Query("rollback to savepoint reading"), Self.unmark])
      throw error
    }
  }

  private func send(_ queries: [Query]) throws(LogError) -> [Rows] {
    let limit = silence
    do throws(PostgresFailure) {
      return try connection.run(queries) { milliseconds throws(PostgresFailure) in
        if milliseconds >= limit { throw .unknown(reason: "no answer in \(limit) ms") }
      }
    } catch {
      if case .unknown = error { isUnknown = true }
      throw isReading ? error.asReadingError(in: path) : error.asLogError(in: path)
    }
  }

  /// Begins a transaction whose first statement finds a row; where it finds none, `refusal` is thrown.
  func begin(
    check: String, parameters: [QueryParameter], otherwise refusal: LogError
  ) throws(LogError) {
    var query = Query(check)
    query.parameters = parameters
    let found = try send([Query("begin"), query])
    guard !found[1].isEmpty else { throw refusal }
  }

  /// Begins a transaction that holds a lock to its end.
  func begin(under lock: String) throws(LogError) { _ = try send([Query("begin"), Query(lock)]) }

  /// The same for a lock that another may have; `waiting` is called before it is waited for.
  func begin(trying: String, otherwise lock: String, waiting: () -> Void) throws(LogError) {
    guard try send([Query("begin"), Query(trying)])[1].isEmpty else { return }
    waiting()
    _ = try send([Query(lock)])
  }

  /// Begins a transaction that changes nothing and sees one moment throughout.
  func beginReading() throws(LogError) {
    _ = try send([Query("begin isolation level repeatable read, read only")])
    isOpen = isReading
  }

  /// All of a transaction in one round, beside nothing that was collected. Where `check` finds no row `refusal` is thrown, although the
  /// others were carried out: what they write must ask for that row, too.
  func atOnce(
    check: String, parameters: [QueryParameter], otherwise refusal: LogError, _ queries: [Query]
  ) throws(LogError) -> [Rows] {
    var query = Query(check)
    query.parameters = parameters
    let found = try send([Query("begin"), query] + queries + [Query("commit")])
    guard !found[1].isEmpty else { throw refusal }
    return Array(found[2...].dropLast())
  }

  /// The same of a transaction that changes nothing and sees one moment throughout.
  func read(_ queries: [Query]) throws(LogError) -> [Rows] {
    let begin = Query("begin isolation level repeatable read, read only")
    return Array(try send([begin] + queries + [Query("commit")]).dropFirst().dropLast())
  }

  func commit() throws(LogError) {
    isOpen = false
    let due = collected()
    _ = try send(due + [Query("commit")])
  }

  func rollBack() {
    isOpen = false
    do throws(LogError) { _ = try send([Query("rollback")]) } catch { isUnknown = true }
  }

  /// Reads the rows and the open blocks of logs at once, so that sealing them asks for nothing more. What was read
  /// before is forgotten.
  func prefetch(_ numbers: Set<UInt64>) throws(LogError) {
    let list = QueryParameter.integers(numbers.sorted().map { Int64(bitPattern: $0) })
    let found = try run([
      Query(CatalogEntry.select + " where no = any($1)", list),
      Query(
        """
        select block.bytes from log join block on block.log = log.no and block.first = log.open_first
        where log.no = any($1) and log.open_first > 0
        """, list),
    ])
    (entries, known) = ([:], [:])
    for row in 0..<found[0].count {
      let entry = try CatalogEntry(found[0], row, path)
      entries[entry.row.number] = entry
    }
    var names: [LogID: UInt64] = [:]
    for entry in entries.values { names[entry.row.log] = entry.row.number }
    for row in 0..<found[1].count {
      // A damaged one is read again where it is needed, and reported there.
      guard let block = try? Block(reading: found[1].borrowed(row, 0)), let run = try? block.unpacked(),
        let number = names[block.log]
      else { continue }
      known[BlockName(number: number, first: block.first)] = (block, run)
    }
  }

  // MARK: What Sealing asks and writes

  func entry(_ number: UInt64) throws(LogError) -> CatalogEntry? {
    if let entry = entries[number] { return entry }
    let rows = try run([Query(CatalogEntry.select + " where no = $1", .bits(number))])[0]
    guard !rows.isEmpty else { return nil }
    let entry = try CatalogEntry(rows, 0, path)
    entries[number] = entry
    return entry
  }

  func insert(_ entry: CatalogEntry) throws(LogError) { try update(entry) }

  func update(_ entry: CatalogEntry) throws(LogError) {
    entries[entry.row.number] = entry
    changed.insert(entry.row.number)
  }

  func block(at first: Revision, of row: LogRow) throws(LogError) -> (block: Block, run: Run)? {
    let name = BlockName(number: row.number, first: first)
    if let block = known[name] { return block }
    let rows = try run([
      Query("select bytes from block where log = $1 and first = $2", .bits(row.number), .revision(first))
    ])[0]
    guard !rows.isEmpty else { return nil }
    let block = try Block(stored: rows.borrowed(0, 0), at: first, of: row.log, in: path)
    do throws(WireError) { return (block, try block.unpacked()) } catch {
      throw .damaged(
        Damage(
          what: "the block does not unpack", place: path, log: row.log,
          lost: first.rawValue...max(first, block.last).rawValue))
    }
  }

  func put(_ block: Block, encoded: [UInt8], number: UInt64) throws(LogError) {
    let name = BlockName(number: number, first: block.first)
    freshBytes += encoded.count - (fresh[name]?.encoded.count ?? 0)
    fresh[name] = (block, encoded)
    known[name] = nil
    if freshBytes >= Self.pieceBytes { try run([]) }
  }

  func beginning(ofBlockWith revision: Revision, of row: LogRow) throws(LogError) -> Revision? {
    let rows = try run([
      Query(
        "select first from block where log = $1 and first <= $2 order by first desc limit 1",
        .bits(row.number), .revision(revision))
    ])[0]
    return rows.isEmpty ? nil : rows.revision(0, 0)
  }

  /// By an index of these rows alone: each seal asks for them.
  static let unfinished = "select no, import_last from log where import_last is not null"

  func imports() throws(LogError) -> [UInt64: Revision] {
    let rows = try run([Query(Self.unfinished)])[0]
    var found: [UInt64: Revision] = [:]
    for row in 0..<rows.count { found[rows.unsigned(row, 0)] = rows.revision(row, 1) }
    return found
  }

  func beginImport(_ number: UInt64, through last: Revision) throws(LogError) { lasts[number] = .some(last) }
  func endImport(_ number: UInt64) throws(LogError) { lasts[number] = .some(nil) }

  func isAccepted(_ lost: ClosedRange<UInt64>, number: UInt64) throws(LogError) -> Bool {
    let rows = try run([
      Query(
        "select 1 from damage where log = $1 and first <= $2 and last >= $3 and starts_with(what, $4) limit 1",
        .bits(number), .bits(lost.lowerBound), .bits(lost.upperBound), .text(Damage.missingEvents))
    ])[0]
    return !rows.isEmpty
  }

  func note(_ damage: Damage, number: UInt64?) throws(LogError) {
    try run([
      Query(
        """
        insert into damage(log, first, last, what, place) select $1, $2, $3, $4, $5 where not exists
        (select 1 from damage where log = $1 and first = $2 and last = $3 and what = $4 and place = $5)
        """, .bits(number ?? 0), .bits(damage.lost?.lowerBound ?? 0), .bits(damage.lost?.upperBound ?? 0),
        .text(damage.what), .text(damage.place))
    ])
  }

  // MARK: What was collected

  /// Statements that write what was collected; nothing is collected afterwards.
  private func collected() -> [Query] {
    var queries: [Query] = []
    if !changed.isEmpty {
      let rows = changed.sorted().compactMap { entries[$0] }
      lastWritten = rows.last
      queries.append(CatalogEntry.upsert(rows))
      changed = []
    }
    if !fresh.isEmpty {
      queries.append(
        insertion(of: fresh.sorted { ($0.key.number, $0.key.first) < ($1.key.number, $1.key.first) }))
      (fresh, freshBytes) = ([:], 0)
    }
    for (number, last) in lasts.sorted(by: { $0.key < $1.key }) {
      // Zero stands for none: there is no null among the parameters.
      queries.append(
        Query(
          "update log set import_last = nullif($2, 0) where no = $1", .bits(number),
          .revision(last ?? .zero)))
    }
    lasts = [:]
    return queries
  }

  private func insertion(of blocks: [(key: BlockName, value: (block: Block, encoded: [UInt8]))]) -> Query {
    func column(_ value: (Block) -> Int64) -> QueryParameter {
      .integers(blocks.map { value($0.value.block) })
    }
    return Query(
      """
      insert into block(log, first, count, raw, t0, t1, bytes)
      select * from unnest($1, $2, $3, $4, $5, $6, $7) on conflict (log, first) do update set
      count = excluded.count, raw = excluded.raw, t0 = excluded.t0, t1 = excluded.t1, bytes = excluded.bytes
      """,
      .integers(blocks.map { Int64(bitPattern: $0.key.number) }),
      column { Int64(bitPattern: $0.first.rawValue) },
      column { Int64($0.count) }, column { Int64($0.rawLength) }, column { $0.base.milliseconds },
      column { $0.lastTime.milliseconds }, .byteLists(blocks.map(\.value.encoded)))
  }
}

extension Block {
  /// A stored block, checked to be the one that belongs there. Throws `damaged`.
  init(
    stored bytes: UnsafeRawBufferPointer, at first: Revision, of log: LogID, in place: String
  ) throws(LogError) {
    let what: String
    do throws(WireError) {
      let block = try Block(reading: bytes)
      if block.log == log, block.first == first {
        self = block
        return
      }
      what = "a block of another place lies under this key"
    } catch {
      what = "the block fails its checksum"
    }
    throw .damaged(Damage(what: what, place: place, log: log, lost: first.rawValue...first.rawValue))
  }
}
