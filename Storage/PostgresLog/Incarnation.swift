import EventLog
import EventLogFormat
import EventLogModel

/// A start of a node: it fences the incarnations before it, recovers their frames, and owns all logs from
/// then on. Beside others it fences and recovers only those that are dead, and owns no log yet. All of it is
/// one transaction: one that is cut short has changed nothing, and the next start does it again.
struct Incarnation {
  var id: Int64
  var slot: Int64
  var logs: [UInt64: RecoveredLog]
  var hasRemains: Bool
  /// 16 bytes, chosen when the tables were made.
  var identity: [UInt8]
  /// The connection of the start, which carries the incarnation's name. It must live until another one does: a second
  /// start that waited for this one would take the node for dead.
  var presence: PostgresConnection

  /// Throws `locked` while another node's connections are there, unless it is to be taken over; `damaged`
  /// where frames are missing or not what was written.
  static func begin(
    _ address: DatabaseAddress, options: PostgresLogStore.Options
  ) throws(LogError) -> Incarnation {
    try SealingTransaction.onItsOwn(at: address) { transaction, connection throws(LogError) in
      try NodeStart(
        transaction: transaction, found: NodeTables(transaction: transaction, place: address.place),
        options: options
      ).run(connection)
    }
  }
}

private struct NodeStart {
  let transaction: SealingTransaction
  let found: NodeTables
  let options: PostgresLogStore.Options
  /// Milliseconds after which the server ends the start of a node that stands still, so that others can
  /// start.
  private static let standstill = 60_000

  func run(_ connection: PostgresConnection) throws(LogError) -> Incarnation {
    try transaction.begin(
      trying: PostgresSchema.tryingLock, otherwise: PostgresSchema.locking, waiting: options.onWaiting)
    if options.sharing != nil {
      try transaction.run([Query("set local idle_in_transaction_session_timeout = \(Self.standstill)")])
    }
    let version = try PostgresSchema.version(transaction)
    if version == nil { try PostgresSchema.bring(transaction, from: nil, partitions: options.partitions) }
    let isPresent = version.map { $0 == PostgresSchema.version } ?? true
    var earlier: [NodeTables.StartedNode] = []
    for node in try isPresent ? found.started() : found.unrecovered() where try isDue(node) {
      earlier.append(node)
    }
    try fence(earlier)
    // Only now: a node of an older program is not there any more.
    if let version { try PostgresSchema.bring(transaction, from: version, partitions: options.partitions) }
    let before = try options.sharing == nil ? found.rows() : []
    var hasRemains = before.contains { $0.deleted && $0.blocks > 0 }
    let recovery = NodeRecovery(found: found, openBlock: options.openBlock)
    for node in earlier { hasRemains = try recovery.recover(node).hasRemains || hasRemains }
    // Until here no other node took numbers: an exclusive one suffers none beside it.
    if options.sharing != nil, earlier.contains(where: \.isExclusive) {
      try transaction.run([Query(PostgresSchema.raiseNumbers)])
    }
    let (id, slot) = try make()
    // Before the lock is free.
    try transaction.run([NodeTables.naming(id)])
    var logs: [UInt64: RecoveredLog] = [:]
    if options.sharing == nil { logs = try found.fold(JournalContents(), over: try found.rows()).logs }
    let identity = try PostgresSchema.identity(transaction)
    try transaction.commit()
    return Incarnation(
      id: id, slot: slot, logs: logs, hasRemains: hasRemains, identity: identity, presence: connection)
  }

  /// Whether a node's time is over with this start. A node that shares the tables leaves the living ones
  /// alone: all but its own earlier incarnations, those that share with nobody, and those that are certainly
  /// dead.
  private func isDue(_ node: NodeTables.StartedNode) throws(LogError) -> Bool {
    guard let sharing = options.sharing, !node.isExclusive, node.name != options.node else { return true }
    return try found.isCertainlyDead(
      node, silence: sharing.silence.wholeMilliseconds, grace: sharing.grace.wholeMilliseconds)
  }

  /// Nothing of these incarnations is written from here on. Waits for what they have under way.
  private func fence(_ earlier: [NodeTables.StartedNode]) throws(LogError) {
    let ids = QueryParameter.integers(earlier.map(\.id))
    for node in earlier {
      if options.sharing == nil || node.isExclusive {
        guard try found.isConnected(node, attempts: options.takesOver ? 1 : NodeTables.attempts) else {
          continue
        }
        guard options.takesOver else { throw .locked(path: found.place) }
      }
      // A client that stands still inside a transaction would hold the fence up.
      try transaction.run(NodeTables.endConnections(of: node.id))
    }
    try transaction.run([Query("update fence set fenced = true where incarnation = any($1)", ids)])
  }

  /// Makes the new incarnation, its fences and its frame tables, in the lowest slot that nobody has.
  private func make() throws(LogError) -> (id: Int64, slot: Int64) {
    let taken = Set(try found.started().map(\.slot))
    let slot = (0...).first { !taken.contains($0) } ?? 0
    try PostgresSchema.makeFrameTables(transaction, slot: slot)
    let made = try transaction.run([
      Query(
        "insert into incarnation(node, slot) values ($1, $2) returning id", .text(options.node),
        .integer(slot))
    ])[0]
    let id = made.integer(0, 0)
    let kinds = FencedConnection.Purpose.allCases.map(\.rawValue)
    try transaction.run([
      Query(
        "insert into fence(incarnation, kind) select $1, * from unnest($2)", .integer(id), .integers(kinds))
    ])
    if let sharing = options.sharing {
      try transaction.run([
        Query("update incarnation set address = $2 where id = $1", .integer(id), .text(sharing.address)),
        Query("insert into beat(incarnation, at) values ($1, clock_timestamp())", .integer(id)),
      ])
    } else {
      try transaction.run([
        Query("delete from beat"), Query("update log set owner = $1", .integer(id)),
      ])
    }
    return (id, slot)
  }
}
