import EventLog
import EventLogFormat
import EventLogModel

/// The end of an incarnation: nothing of it is written any more, what its frames hold is sealed, and its logs
/// are nobody's. Whoever does it, and however often it is begun, the outcome is the same.
struct NodeRecovery {
  let found: NodeTables
  let openBlock: Int

  private var transaction: SealingTransaction { found.transaction }

  struct Outcome: Sendable {
    var node: NodeTables.StartedNode
    /// The logs that were the node's, without the deleted.
    var logs: [LogID]
    var hasRemains: Bool
  }

  /// Seals the frames of a fenced node, empties its tables and gives up its logs, in the transaction that is
  /// open. The node's row must be locked.
  func recover(_ node: NodeTables.StartedNode) throws(LogError) -> Outcome {
    var contents = try found.frames(of: node)
    let rows = try found.rows(of: node.isExclusive ? nil : node.id)
    if !node.isExclusive {
      // Its frames may still have entries of logs that it gave up long ago. These were sealed before.
      let own = Set(rows.map(\.number))
      contents.entries.removeAll { !own.contains($0.entry.number) }
    }
    let fold = try found.fold(contents, over: rows)
    let logs = fold.logs.values.sorted { $0.number < $1.number }
    try seal(logs)
    try transaction.run([
      Query("update log set owner = null" + (node.isExclusive ? "" : " where owner = \(node.id)")),
      Query("update incarnation set recovered = true where id = $1", .integer(node.id)),
    ])
    try empty(Self.tables(of: node))
    return Outcome(
      node: node, logs: logs.filter { !$0.isDeleted }.map(\.log),
      hasRemains: logs.contains(where: \.hasUnsealedRemoval))
  }

  /// Only those that have rows: each makes files anew, and for as long as that takes the commits of all nodes wait for the same disk
  /// (50 to 140 ms for all eight, while the members of a node that leaves come to others).
  private func empty(_ tables: [String]) throws(LogError) {
    let having = tables.map { "select '\($0)' where exists (select 1 from \($0))" }
    let rows = try transaction.run([Query(having.joined(separator: " union all "))])[0]
    guard !rows.isEmpty else { return }
    let full = (0..<rows.count).map { rows.text($0, 0) }
    try transaction.run([Query("truncate \(full.joined(separator: ", "))")])
  }

  private static func tables(of node: NodeTables.StartedNode) -> [String] {
    (0..<PostgresSchema.frameTables).map { PostgresSchema.frameTable(slot: node.slot, segment: $0) }
  }

  /// Logs that are sealed together, so that neither their rows nor their open blocks are too much at once.
  private static let portion = 500

  private func seal(_ logs: [RecoveredLog]) throws(LogError) {
    var due = logs.map(\.unsealedWhole).filter { !$0.isEmpty }[...]
    while !due.isEmpty {
      let changes = due.prefix(Self.portion).flatMap { $0 }
      due = due.dropFirst(Self.portion)
      try transaction.prefetch(Set(changes.map(\.number)))
      var sealing = Sealing(into: transaction, acceptsGaps: false, openBlock: openBlock)
      for change in changes { try sealing.add(change) }
      try sealing.finish()
    }
  }
}

/// Fences and recovers another node, or this one when it leaves. Used by one thread.
struct NodeEnd {
  let address: DatabaseAddress
  /// The incarnation that does it: its connections carry its name, so that another node ends them if this one
  /// stands still in the middle.
  let incarnation: Int64
  let openBlock: Int

  /// Why a node may be fenced.
  enum FencingCause {
    /// It is this node, which has sealed everything and leaves.
    case leaves
    /// Its beats are missing. Asked once more by the statement that fences: the node that judged may have
    /// stood still since.
    case silent(milliseconds: Int64)
  }

  /// Milliseconds after which the server is taken for unreachable; a node that leaves has less patience than
  /// one that recovers another, which may have much to write.
  private static func silence(_ cause: FencingCause) -> Int {
    switch cause {
    case .leaves: 10_000
    case .silent: 60_000
    }
  }

  /// Milliseconds after which the server ends a transaction whose node stands still.
  private static let standstill = 20_000

  /// Ends a node. Nil if there was nothing to do: it is alive, or another node recovers it or has done so.
  func end(_ node: Int64, because cause: FencingCause) throws(LogError) -> NodeRecovery.Outcome? {
    let silence = Self.silence(cause)
    let connection: PostgresConnection
    do throws(PostgresFailure) {
      connection = try PostgresConnection(address, incarnation: incarnation)
      try run(connection, silence, [Query(FencedConnection.durability)])
      if case .silent(let milliseconds) = cause { try fence(node, milliseconds, connection, silence) }
    } catch { throw error.asLogError(in: address.place) }
    let transaction = SealingTransaction(connection, place: address.place, silence: silence)
    do throws(LogError) {
      try transaction.begin(
        under: "set local idle_in_transaction_session_timeout = \(Self.standstill)")
      if case .leaves = cause {
        // Together with the recovery, so that no other node comes between the two.
        try transaction.run([Query("update fence set fenced = true where incarnation = \(node)")])
      }
      let found = NodeTables(transaction: transaction, place: address.place)
      let isFenced =
        "id = \(node) and not exists (select 1 from fence where incarnation = \(node) and not fenced)"
      guard let locked = try found.started(where: isFenced, locking: "for update skip locked").first else {
        transaction.rollBack()
        return nil
      }
      let outcome = try NodeRecovery(found: found, openBlock: openBlock).recover(locked)
      try transaction.run([Query("delete from beat where incarnation = \(node)")])
      try transaction.commit()
      return outcome
    } catch {
      if !transaction.isUnknown { transaction.rollBack() }
      throw error
    }
  }

  private func run(
    _ connection: PostgresConnection, _ silence: Int, _ queries: [Query]
  ) throws(PostgresFailure) {
    _ = try connection.run(queries) { milliseconds throws(PostgresFailure) in
      if milliseconds >= silence { throw .unknown(reason: "no answer in \(silence) ms") }
    }
  }

  private static let fencing = "update fence set fenced = true"
  /// Milliseconds after which a fence that has no answer is left to itself, and tried again: what holds it up is ended first
  /// then, if it is a connection that the node has opened since.
  private static let fenceSilence = 2_000

  /// Fences a node, if it is fenced already, or if this node beats and that one does not.
  private func fence(
    _ node: Int64, _ milliseconds: Int64, _ connection: PostgresConnection, _ silence: Int
  ) throws(PostgresFailure) {
    func beats(_ node: Int64) -> String {
      """
      exists (select 1 from beat where incarnation = \(node)
      and at > clock_timestamp() - interval '\(milliseconds) milliseconds')
      """
    }
    let condition = """
      (exists (select 1 from fence where incarnation = \(node) and fenced)
      or \(beats(incarnation)) and not \(beats(node)))
      """
    // A client that stands still inside a transaction would hold the fence up: also one that was sent before, when this
    // node's own beats were not fresh for a moment and nothing was ended. So this is done first.
    try run(connection, silence, NodeTables.endConnections(of: node, where: condition))
    // An earlier attempt may wait for the standbys still, without its client; another one would only wait behind it.
    let waits = try connection.run([NodeTables.underWay(Self.fencing, of: incarnation)]) {
      milliseconds throws(PostgresFailure) in
      guard milliseconds < silence else { throw .unknown(reason: "no answer in \(silence) ms") }
    }[0]
    guard waits.isEmpty else { throw .unknown(reason: "an earlier fence waits for the standbys") }
    // A transaction of its own, also for a node that is fenced already: its answer says that the fence and
    // all before it are where they must be.
    try run(
      connection, Self.fenceSilence,
      [Query("\(Self.fencing) where incarnation = \(node) and \(condition)")])
  }
}
