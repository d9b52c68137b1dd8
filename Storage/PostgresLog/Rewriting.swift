import EventLog
import EventLogModel

extension PostgresLogStore {
  /// Writes the tables anew that have held records, snapshots or images of some logs, and those of frames without what is sealed, so
  /// that no file of the server's tables has a byte of what was replaced or removed. Blocks for as long as that takes, and needs as much free space as the largest of
  /// them; nobody else can use such a table meanwhile. Not written anew is what the server keeps beside its tables: its write-ahead
  /// log, until that is recycled, and archives and backups, until somebody removes them.
  ///
  /// Throws `locked` while a node is there, and `stopped` with what the database refuses: it takes the owner of the tables.
  ///
  /// - Parameter progress: is told how many tables are done, and of how many, before each and at the end. If it answers false, no more
  ///   are written; a table that is under way is finished first.
  /// - Returns: whether all were written.
  @discardableResult
  public static func rewriteTables(
    address: String, of logs: [LogID], progress: (Int, Int) -> Bool = { _, _ in true }
  ) throws(LogError) -> Bool {
    let address = try DatabaseAddress(address)
    let due = try SealingTransaction.onItsOwn(at: address) { transaction, _ throws(LogError) in
      try transaction.begin(under: PostgresSchema.locking)
      try transaction.refuseWhileNodesAreThere(address.place)
      let due = try tables(of: logs, transaction) + emptiedFrames(transaction)
      try transaction.commit()
      return due
    }
    do throws(PostgresFailure) {
      let connection = try PostgresConnection(address, name: "boardroom rewriting")
      for (done, table) in due.enumerated() {
        guard progress(done, due.count) else { return false }
        // Outside of a transaction, as the server asks for it.
        _ = try connection.run([Query("vacuum full \(table)")])
      }
    } catch { throw error.asLogError(in: address.place) }
    return progress(due.count, due.count)
  }

  /// Removes frames of nodes that have left, all of which are sealed; the frame tables. They are emptied in turn otherwise, which
  /// may take long.
  private static func emptiedFrames(_ transaction: SealingTransaction) throws(LogError) -> [String] {
    let found = try transaction.run([
      Query(
        """
        select relname::text from pg_class where relnamespace = current_schema()::regnamespace and relkind = 'r'
        and relname ~ '^frame_[0-9]+_[0-9]+$' order by 1
        """)
    ])[0]
    let tables = (0..<found.count).map { found.text($0, 0) }
    for table in tables {
      try transaction.run([
        Query(
          "delete from \(table) where incarnation not in (select id from incarnation where not recovered)")
      ])
    }
    return tables
  }

  /// The parts of the table of blocks in which the logs are or were, and all tables that have content and no parts.
  private static func tables(
    of logs: [LogID], _ transaction: SealingTransaction
  ) throws(LogError) -> [String] {
    let found = try transaction.run([
      Query(
        """
        with parts as (select count(*)::int n from pg_inherits where inhparent = 'block'::regclass)
        select distinct part::bigint from parts, generate_series(0, n - 1) part, log
        where id = any($1) and satisfies_hash_partition('block'::regclass, n, part, no) order by 1
        """, .byteLists(logs.map(\.bytes)))
    ])[0]
    return (0..<found.count).map { "block_\(found.integer($0, 0))" } + ["snapshot", "part", "image", "log"]
  }
}
