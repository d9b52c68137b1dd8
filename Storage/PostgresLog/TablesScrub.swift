import EventLog
import EventLogFormat
import EventLogModel

/// Reads everything that a database holds for a store, a little at a time, while nodes write there: every row
/// of the catalog, every block with its checksums and the hash chain, every snapshot. Images and frames are
/// not among it: a frame is sealed within a minute or so, and read by whoever recovers it.
///
/// Of all processes that have the same store one does this at a time: the one that has a lock, which the
/// server gives up with the connection. How far it is stands in the tables, so that another goes on there. Used by one thread.
public final class TablesScrub: @unchecked Sendable {
  /// How far passes have come.
  public struct Progress: Sendable, Hashable {
    /// When the pass under way began, and where it is; nil between two passes.
    public var began: Timestamp?
    public var place = Scrub.ScrubPosition.beginning
    /// When the last whole pass ended; nil before the first.
    public var finished: Timestamp?

    public init() {}
  }

  /// Milliseconds after which a statement is given up.
  private static let silence = 30_000

  private let address: DatabaseAddress
  /// The connection that has the lock.
  private var connection: PostgresConnection?
  private var state = PassState()

  private struct PassState {
    /// The log that is being read, or the least number that the next one has; nil when all were read.
    var number: UInt64? = 0
    var log = LogScrub()
    /// Snapshots of that log that are not read yet; nil before its blocks are.
    var snapshots: ArraySlice<Revision>?
    /// The parts that were read of it.
    var parts: Set<[UInt8]> = []

    /// Behind the last log there is none of this number.
    var place: Scrub.ScrubPosition {
      Scrub.ScrubPosition(number: number ?? UInt64(Int64.max), revision: log.last)
    }

    /// Begins with the next log.
    mutating func goOn() { self = PassState(number: number.map { $0 + 1 }) }
  }

  /// - Parameter address: as libpq takes it. Nobody is asked before the first call.
  public init(address: String) throws(LogError) { self.address = try DatabaseAddress(address) }

  // MARK: Whose turn it is

  /// How far passes have come, and whether this process makes them: it does if no other does. Throws `stopped` while
  /// nobody answers.
  public func turn() throws(LogError) -> (progress: Progress, isOurs: Bool) {
    if connection != nil {
      // It may have been cut since, and another may have the lock.
      do throws(LogError) { return (try progress(), true) } catch { connection = nil }
    }
    let fresh: PostgresConnection
    do throws(PostgresFailure) {
      fresh = try PostgresConnection.reading(address, limit: Self.silence)
    } catch { throw error.asLogError(in: address.place) }
    let found = try transaction(on: fresh).run([Query(Self.lock), Query(Self.rows)])
    let isOurs = !found[0].isEmpty
    if isOurs { connection = fresh }
    return (Self.progress(found[1]), isOurs)
  }

  /// Notes how far passes have come. Throws `stopped` if this process makes them no more.
  public func note(_ progress: Progress) throws(LogError) {
    var values = [
      (Name.number, Int64(bitPattern: progress.place.number)),
      (Name.revision, Int64(bitPattern: progress.place.revision.rawValue)),
    ]
    if let began = progress.began { values.append((Name.began, began.milliseconds)) }
    if let finished = progress.finished { values.append((Name.finished, finished.milliseconds)) }
    let writes = values.map { name, value in
      Query(
        "insert into meta(name, value) values ($1, $2) on conflict (name) do update set value = excluded.value",
        .text(name), .integer(value))
    }
    try again { () throws(LogError) in
      try withConnection { transaction throws(LogError) in
        try transaction.run(
          [Query("begin"), Query("delete from meta where name = $1", .text(Name.began))] + writes
            + [Query("commit")])
      }
    }
  }

  /// Gives the turn to others.
  public func close() { connection = nil }

  /// The store's own lock, because several stores may be in one database. It is held until the connection ends.
  private static let lock = """
    select 1 from store where pg_try_advisory_lock(hashtextextended('boardroom scrub ' || encode(identity, 'hex'), 0))
    """

  private enum Name {
    static let began = "scrub_began"
    static let finished = "scrub_finished"
    static let number = "scrub_log"
    static let revision = "scrub_revision"
  }

  private static let rows = "select name, value from meta where starts_with(name, 'scrub_')"

  private func progress() throws(LogError) -> Progress {
    Self.progress(
      try withConnection { transaction throws(LogError) in try transaction.run([Query(Self.rows)])[0] })
  }

  private static func progress(_ rows: Rows) -> Progress {
    var progress = Progress()
    for row in 0..<rows.count {
      switch rows.text(row, 0) {
      case Name.began: progress.began = rows.time(row, 1)
      case Name.finished: progress.finished = rows.time(row, 1)
      case Name.number: progress.place.number = rows.unsigned(row, 1)
      case Name.revision: progress.place.revision = rows.revision(row, 1)
      default: continue
      }
    }
    return progress
  }

  private func transaction(on connection: PostgresConnection) -> SealingTransaction {
    SealingTransaction(connection, place: address.place, silence: Self.silence, isReading: true)
  }

  /// A connection that does not answer is given up, and the turn with it.
  @discardableResult
  private func withConnection<Value>(
    _ body: (SealingTransaction) throws(LogError) -> Value
  ) throws(LogError) -> Value {
    guard let connection else { throw .stopped(reason: "another process may read \(address.place) now") }
    let transaction = transaction(on: connection)
    do throws(LogError) { return try body(transaction) } catch {
      if !transaction.isUnknown { transaction.rollBack() }
      if transaction.isUnknown { self.connection = nil }
      throw error
    }
  }

  /// Does something once more, in the turn that is asked for anew, if the connection is lost by it: one that nobody has used
  /// for a while may have been cut, and the database may be there. `body` may be carried out twice with the same effect.
  @discardableResult
  private func again<Value>(_ body: () throws(LogError) -> Value) throws(LogError) -> Value {
    let wasOpen = connection != nil
    do throws(LogError) { return try body() } catch {
      guard wasOpen, connection == nil else { throw error }
    }
    _ = try turn()
    return try body()
  }

  // MARK: The pass

  private static let sizes = """
    select coalesce(sum(stored_bytes), 0)::bigint,
      coalesce(sum(stored_bytes) filter (where no < $1), 0)::bigint from log
    """
  private static let sizesOfFiles = """
    select coalesce(sum(pg_table_size(inhrelid)), 0)::bigint, 0::bigint from pg_inherits
    where inhparent = 'block'::regclass
    """
  /// Rows of logs that are not read further in one step: those of deleted logs, and damaged ones.
  private static let rowsAtOnce = 100

  /// Begins a pass at a place, in its turn. Returns the stored bytes of all logs, and of those before the place.
  public func begin(from place: Scrub.ScrubPosition) throws(LogError) -> (total: Int, before: Int) {
    let found = try again { () throws(LogError) in
      try withConnection { transaction throws(LogError) in
        do throws(LogError) {
          return try transaction.run([Query(Self.sizes, .bits(place.number))])[0]
        } catch {
          guard case .damaged = error else { throw error }
          // Of the catalog not all can be read. The pass names it; here only its pace is asked for.
          return try transaction.run([Query(Self.sizesOfFiles)])[0]
        }
      }
    }
    state = PassState(number: place.number, log: LogScrub(after: place.revision))
    return (Int(found.integer(0, 0)), Int(found.integer(0, 1)))
  }

  /// Does the next step, in a transaction of its own; nil when everything was read. Damage is in the step. Throws
  /// `stopped` if the pass cannot go on: nobody answers, or another process has the turn.
  public func next() throws(LogError) -> Scrub.Step? {
    let before = state
    return try again { () throws(LogError) in
      state = before
      return try step()
    }
  }

  private func step() throws(LogError) -> Scrub.Step? {
    guard state.number != nil else { return nil }
    var step = Scrub.Step(place: state.place)
    try withConnection { transaction throws(LogError) in
      try transaction.beginReading()
      try read(transaction, &step)
      try transaction.commit()
    }
    step.place = state.place
    return step
  }

  private func read(_ transaction: SealingTransaction, _ step: inout Scrub.Step) throws(LogError) {
    for _ in 0..<Self.rowsAtOnce {
      guard let rows = try row(transaction, &step) else {
        state = PassState(number: nil)
        return
      }
      // The log that was being read may have been removed since.
      let number = rows.unsigned(0, 0)
      if number != state.number { state = PassState(number: number) }
      do throws(LogError) {
        let entry = try CatalogEntry(rows, 0, transaction.path)
        if entry.state == .live { return try read(entry, transaction, &step) }
      } catch {
        guard case .damaged(let found) = error else { throw error }
        // A log whose row, or the list of its snapshots, cannot be read cannot be checked further, so the next log follows.
        step.damages.append(found)
      }
      state.goOn()
    }
  }

  /// The row of the log that is being read, or of the next one; nil if there is none. One that cannot be read is named, and the one
  /// behind it follows.
  private func row(_ transaction: SealingTransaction, _ step: inout Scrub.Step) throws(LogError) -> Rows? {
    func next(_ number: UInt64) throws(LogError) -> Rows {
      let rows = try transaction.run([
        Query(CatalogEntry.select + " where no >= $1 order by no limit 1", .bits(number))
      ])[0]
      // The index may have another number than the row, which would lead the pass back.
      guard rows.isEmpty || (number...UInt64(Int64.max)).contains(rows.unsigned(0, 0)) else {
        let what = "row \(rows.unsigned(0, 0)) of the catalog is not where it belongs"
        throw .damaged(Damage(what: what, place: transaction.path))
      }
      return rows
    }
    let number = state.number ?? 0
    var rows: Rows?
    do throws(LogError) { rows = try next(number) } catch {
      guard case .damaged(let found) = error else { throw error }
      step.damages.append(found)
      rows = try UnreadableRows.first(behind: number, next)
    }
    return rows.flatMap { $0.isEmpty ? nil : $0 }
  }

  private func read(
    _ entry: CatalogEntry, _ transaction: SealingTransaction, _ step: inout Scrub.Step
  ) throws(LogError) {
    if state.snapshots != nil { return try readSnapshot(of: entry.row, transaction, &step) }
    state.log.meet(entry)
    let page = try BlockPage(transaction, entry.row, after: state.log.last, isDeep: true)
    step.damages += page.damages
    for first in page.firsts {
      try state.log.block(at: first, page, of: entry, in: transaction.path, &step)
    }
    guard page.isLast else { return }
    try state.log.finish(page, of: entry, in: transaction.path, &step)
    let revisions = try transaction.run([
      Query("select revision from snapshot where log = $1 order by revision desc", .bits(entry.row.number))
    ])[0]
    state.snapshots = (0..<revisions.count).map { revisions.revision($0, 0) }[...]
  }

  private func readSnapshot(
    of row: LogRow, _ transaction: SealingTransaction, _ step: inout Scrub.Step
  ) throws(LogError) {
    guard let revision = state.snapshots?.popFirst() else { return state.goOn() }
    var keys: [UInt8] = []
    try finding(&step) { () throws(LogError) in
      let found = try transaction.run([
        Query(
          "select time_ms, hash, keys, bytes from snapshot where log = $1 and revision = $2",
          .bits(row.number),
          .revision(revision))
      ])[0]
      defer { withExtendedLifetime(found) {} }
      // It may have been removed since.
      guard !found.isEmpty else { return 0 }
      keys = found.bytes(0, 2)
      let head = SnapshotHead(revision: revision, time: found.time(0, 0), hash: found.bytes(0, 1), keys: keys)
      let root = found.borrowed(0, 3)
      try transaction.prove(root, of: head, row.log)
      return root.count
    }
    // Snapshots of one log share nearly all of their parts.
    for key in SnapshotHead.split(keys) where state.parts.insert(key).inserted {
      try finding(&step) { () throws(LogError) in try transaction.provePart(key, of: row) }
    }
  }

  /// Counts the bytes that `body` has read; damage is in the step.
  private func finding(_ step: inout Scrub.Step, _ body: () throws(LogError) -> Int) throws(LogError) {
    do throws(LogError) { step.bytes += try body() } catch {
      guard let found = error.damage(in: address.place) else { throw error }
      step.damages.append(found)
    }
  }
}
