import EventLog
import EventLogFormat
import EventLogModel
import NodeCore
import Synchronization

/// Which logs a node owns, where several share the tables: makes, claims and gives them up. A thread of its
/// own does one after the other.
///
/// The engine holds only logs whose row says that this incarnation owns them: a log is taken after that was
/// answered, and dropped before another can be said to own it. Between a fence and this node's hearing of it
/// the rows say nothing any more, but then nothing that the engine writes is taken.
final class Ownership: Sendable {
  let incarnation: Int64
  private let base: EngineStore
  private let sharing: PostgresLogStore.Sharing
  private let writer: SealWriter
  private let thread = JobThread()
  private let claims = Mutex<[Claim]>([])

  init(
    base: EngineStore, address: DatabaseAddress, incarnation: Int64, sharing: PostgresLogStore.Sharing
  ) {
    (self.base, self.incarnation, self.sharing) = (base, incarnation, sharing)
    writer = SealWriter(
      fenced: FencedConnection(address, incarnation: incarnation, kind: .catalog, isShared: true))
  }

  var place: String { writer.place }

  /// Connects before anything is claimed. A node that has just been started gets the rooms of the next one that is drained: their
  /// members would wait until all servers are asked and a link is answered, some 100 ms.
  func connect() {
    _ = thread.add { [self] in _ = try? look(for: []) }
  }

  /// Ends the thread. Blocks.
  func close() {
    thread.close()
    writer.close()
  }

  /// Makes a log that this node owns. Its row is there when this returns, for all nodes.
  ///
  /// - Parameters:
  ///   - first: its first revision.
  ///   - last: the last revision of an import; nil for a log that is no import.
  func create(
    _ log: LogID, epoch: Epoch, at time: Timestamp, from first: Revision = 1, importing last: Revision? = nil
  ) async throws(LogError) {
    try await onThread { [self] () throws(LogError) in
      if let obstacle = base.obstacle(toMaking: log) { throw obstacle }
      var isAgain = false
      let found = try writer.writing { transaction throws(LogError) in
        defer { isAgain = true }
        // Asked first, because a number that was taken is not used again.
        if !isAgain, let known = try SharedLog(log, transaction) { throw known.obstacleToMaking }
        let number = try transaction.run([Query("select nextval('log_number')")])[0].unsigned(0, 0)
        guard number <= EngineStore.maximumLogs else { throw .full(place: "the catalog") }
        let entry = CatalogEntry(created: number, log, epoch, max(time, .zero))
        guard try !transaction.run([entry.insertion(owner: incarnation)])[0].isEmpty else {
          guard let known = try SharedLog(log, transaction) else { throw .changingOwner(log) }
          // The first attempt had an unknown outcome.
          guard isAgain, known.owner == incarnation, known.entry.row.epoch == epoch else {
            throw known.obstacleToMaking
          }
          return known
        }
        if first > 1 || last != nil {
          var sealing = Sealing(into: transaction, acceptsGaps: false, openBlock: 0)
          if let last { try sealing.add(.importing(number: number, through: last)) }
          if first > 1 { try sealing.add(.low(number: number, first)) }
          try sealing.finish()
        }
        guard let made = try SharedLog(log, transaction) else { throw .noSuchLog(log) }
        return made
      }
      try adopt(found)
    }
  }

  /// Returns once the engine holds the log, which nobody owned, or this node. Throws `elsewhere` if another
  /// one owns it, `changingOwner` if that is dead, or if this node is giving the log up. Claims that wait for
  /// one another are made together: after a node's end all its logs are asked for at once.
  func claim(_ log: LogID) async throws(LogError) {
    guard base.holding(of: log) != .held else { return }
    let failure = await withCheckedContinuation { (continuation: CheckedContinuation<LogError?, Never>) in
      let isFirst = claims.withLock { claims in
        claims.append(Claim(log: log, done: { continuation.resume(returning: $0) }))
        return claims.count == 1
      }
      guard isFirst, !thread.add({ [self] in makeClaims() }) else { return }
      for claim in takeClaims() { claim.done(JobThread.isClosed) }
    }
    if let failure { throw told(failure) }
  }

  private struct Claim: Sendable {
    var log: LogID
    var done: @Sendable (LogError?) -> Void
  }

  private func takeClaims() -> [Claim] {
    claims.withLock { claims in
      defer { claims = [] }
      return claims
    }
  }

  private func makeClaims() {
    var due: [Claim] = []
    for claim in takeClaims() {
      switch base.holding(of: claim.log) {
      case .held: claim.done(nil)
      case .givenUp: claim.done(.changingOwner(claim.log))
      case .none: due.append(claim)
      }
    }
    guard !due.isEmpty else { return }
    do throws(LogError) {
      let logs = Array(Set(due.map(\.log)))
      // To hear that a log is another's costs no commit.
      let before = try look(for: logs)
      let free = logs.filter { before[$0] == nil }
      var after: [LogID: LogError] = [:]
      if !free.isEmpty {
        let rows = try writer.writingAtOnce { fence in [Self.claim(free, fence)] + Self.sight(of: free) }
        // Only now: after a crash the server may show what no standby has, until the commit's answer covers it. What was seen
        // before that answer, in the same transaction, is still so: nobody else changes what this node owns.
        after = obstacles(of: free, rows[1], rows[2], adopting: true)
      }
      for claim in due { claim.done(before[claim.log] ?? after[claim.log]) }
    } catch {
      for claim in due { claim.done(error) }
    }
  }

  /// Takes what nobody owns, in one order, so that two nodes that claim the same logs do not wait for each other.
  private static func claim(_ logs: [LogID], _ fence: [QueryParameter]) -> Query {
    var query = Query(
      """
      update log set owner = $1 where no in (select no from log where id = any($3)
      and owner is null and state = 0 order by no for update) and \(FencedConnection.isOpen(.catalog))
      """)
    query.parameters = fence + [.byteLists(logs.map(\.bytes))]
    return query
  }

  private static func sight(of logs: [LogID]) -> [Query] {
    [SharedLog.query(logs), LogOwnerRow.query(ofAny: logs)]
  }

  /// Why logs cannot be this node's; nothing of those that nobody owns, or this node.
  private func look(for logs: [LogID]) throws(LogError) -> [LogID: LogError] {
    let rows = try writer.reading(Self.sight(of: logs))
    return obstacles(of: logs, rows[0], rows[1])
  }

  /// - Parameter adopting: the engine takes those that this node owns, and those of nobody are changing their owner.
  private func obstacles(
    of logs: [LogID], _ shares: Rows, _ rows: Rows, adopting: Bool = false
  ) -> [LogID: LogError] {
    let owners = (0..<rows.count).map { LogOwnerRow(rows, $0) }
    var obstacles: [LogID: LogError] = [:]
    for log in logs { obstacles[log] = .noSuchLog(log) }
    for row in 0..<shares.count {
      guard let log = LogID(bytes: shares.borrowed(row, 1)) else { continue }
      do throws(LogError) {
        let shared = try SharedLog(shares, row, writer.place)
        obstacles[log] = obstacle(shared, owners)
        guard obstacles[log] == nil, adopting else { continue }
        if shared.owner == incarnation { try adopt(shared) } else { obstacles[log] = .changingOwner(log) }
      } catch {
        // Damage of one row concerns its log only.
        obstacles[log] = error
      }
    }
    return obstacles
  }

  private func obstacle(_ shared: SharedLog, _ owners: [LogOwnerRow]) -> LogError? {
    let log = shared.entry.row.log
    let owner = shared.owner == incarnation ? nil : owners.first { $0.node.incarnation == shared.owner }
    let found = OwnershipObstacle(
      isLive: shared.entry.state == .live,
      owner: owner.map { .init(isFenced: $0.isFenced, silence: $0.silence) },
      limit: sharing.silence.wholeMilliseconds)
    switch found {
    case nil: return nil
    case .deleted: return .deleted(log)
    case .elsewhere:
      return .elsewhere(log, node: owner?.node.name ?? "", address: owner?.node.address ?? "")
    case .changingOwner: return .changingOwner(log)
    }
  }

  private func adopt(_ found: SharedLog) throws(LogError) {
    let row = found.entry.row
    let fold = JournalFold(
      rows: [row], imports: found.importLast.map { [row.number: $0] } ?? [:], acceptLoss: false,
      place: writer.place)
    if let log = fold.logs[row.number] { base.adopt(log) }
  }

  /// Gives up logs: everything appended is committed and sealed, and then nobody owns them, or `next` does.
  func release(_ logs: [LogID], to next: Int64?) async throws(LogError) {
    guard !logs.isEmpty else { return try await base.seal() }
    let given = try await base.giveUp(logs)
    try await onThread { [self] () throws(LogError) in
      // Before the rows can say that they are another's. If it is not known then what they say, a claim finds
      // out.
      base.drop(given)
      let gone = logs.filter { base.holding(of: $0) == .none }
      _ = try writer.writingAtOnce { fence in [Self.release(gone, to: next, fence)] }
    }
  }

  /// The share keeps a recovery of the next owner from ending before it knows of these logs.
  private static func release(_ logs: [LogID], to next: Int64?, _ fence: [QueryParameter]) -> Query {
    var query = Query(
      """
      with heir as materialized (
        select id from incarnation where id = $3 and not recovered and address is not null for share
      )
      update log set owner = (select id from heir)
      where owner = $1 and id = any($4) and \(FencedConnection.isOpen(.catalog))
      """)
    query.parameters = fence + [.integer(next ?? 0), .byteLists(logs.map(\.bytes))]
    return query
  }

  private func onThread<Value: Sendable>(
    _ body: @escaping @Sendable () throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    do throws(LogError) { return try await thread.run(body) } catch { throw told(error) }
  }

  /// The engine hears of it if this node is fenced.
  private func told(_ error: LogError) -> LogError {
    if case .nodeFenced = error { base.fail(error) }
    return error
  }
}

/// The row of one log as all nodes see it.
struct SharedLog {
  var entry: CatalogEntry
  var importLast: Revision?
  var owner: Int64?

  static let select = "select \(CatalogEntry.columns), import_last, owner from log"

  init(_ rows: Rows, _ row: Int, _ place: String) throws(LogError) {
    entry = try CatalogEntry(rows, row, place)
    importLast = rows.isNull(row, 17) ? nil : rows.revision(row, 17)
    owner = rows.isNull(row, 18) ? nil : rows.integer(row, 18)
  }

  static func query(_ log: LogID) -> Query { Query(select + " where id = $1", .bytes(log.bytes)) }

  static func query(_ logs: [LogID]) -> Query {
    Query(select + " where id = any($1)", .byteLists(logs.map(\.bytes)))
  }

  static func all(_ rows: Rows, _ place: String) throws(LogError) -> [SharedLog] {
    var found: [SharedLog] = []
    for row in 0..<rows.count { found.append(try SharedLog(rows, row, place)) }
    return found
  }

  /// Nil if there is no such log.
  init?(_ log: LogID, _ transaction: SealingTransaction) throws(LogError) {
    let rows = try transaction.run([Self.query(log)])[0]
    guard !rows.isEmpty else { return nil }
    try self.init(rows, 0, transaction.path)
  }

  /// Why an import alone may use the log; nil if everybody may.
  var unfinished: LogError? {
    let last = entry.row.next.previous
    return importLast.flatMap { last < $0 ? .unfinished(entry.row.log, last: last, of: $0) : nil }
  }

  var obstacleToMaking: LogError {
    guard entry.state == .live else { return .deleted(entry.row.log) }
    return unfinished ?? .logExists(entry.row.log)
  }
}

/// The incarnation that owns a log.
struct LogOwnerRow {
  var node: PostgresLogStore.LivingNode
  var isFenced: Bool
  /// Milliseconds since its last beat; zero for a node that shares the database with none.
  var silence: Int64

  /// The owners of some logs, each once.
  static func query(ofAny logs: [LogID]) -> Query {
    Query(
      """
      select id, node, coalesce(address, ''),
        (exists (select 1 from fence where fence.incarnation = id and fenced))::int::bigint,
        coalesce((extract(epoch from clock_timestamp() - at) * 1000)::bigint, 0)
      from incarnation left join beat on beat.incarnation = id
      where id in (select owner from log where log.id = any($1))
      """, .byteLists(logs.map(\.bytes)))
  }

  init(_ rows: Rows, _ row: Int) {
    node = .init(incarnation: rows.integer(row, 0), name: rows.text(row, 1), address: rows.text(row, 2))
    isFenced = rows.integer(row, 3) != 0
    silence = rows.integer(row, 4)
  }
}
