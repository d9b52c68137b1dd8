import EventLogModel

/// Which keys the nodes of a database sign with and accept, as marks that tell two keys apart and nothing of them. A node with other
/// keys would refuse the tokens that the others give out, and be refused by them as forged; so it is told at its start.
public struct NodeKeys: Sendable, Hashable {
  /// Marks of the accepted keys; the first one signs. A mark is 32 bits of a hash.
  public var marks: [UInt32]

  public init(marks: [UInt32]) { self.marks = marks }

  /// Whether nodes with these and with the other keys accept what either signs. So keys can be changed while nodes run: a new key
  /// is accepted by all first, then signs at all, then the old one goes (NODE-13).
  public func accepts(_ other: NodeKeys) -> Bool {
    guard let signer = marks.first, let others = other.marks.first else { return false }
    return marks.contains(others) && other.marks.contains(signer)
  }

  /// The keys of the node that was started last; nil if none has said its keys yet.
  ///
  /// - Parameter address: as `PostgresLogStore.open` takes it. The tables must be there.
  public static func known(at address: String) throws(LogError) -> NodeKeys? {
    try inTransaction(at: address) { transaction throws(LogError) in try read(transaction) }
  }

  /// Notes these keys as those of the node that starts, if it and the one that was started last accept what either signs.
  ///
  /// - Parameter address: as `PostgresLogStore.open` takes it. The tables must be there.
  /// - Returns: false: they do not, and nothing was noted.
  public func note(at address: String) throws(LogError) -> Bool {
    try Self.inTransaction(at: address) { transaction throws(LogError) in
      if let known = try Self.read(transaction) {
        if known == self { return true }
        guard accepts(known) else { return false }
      }
      try transaction.run([
        Query("delete from meta where name like '\(Self.prefix)%'"),
        Query(
          "insert into meta(name, value) select '\(Self.prefix)' || n, mark from unnest($1) with ordinality as mark(mark, n)",
          .integers(marks.map { Int64($0) })),
      ])
      return true
    }
  }

  /// Rows of the table of plain numbers, so that programs that know nothing of them run beside.
  private static let prefix = "key "

  private static func read(_ transaction: SealingTransaction) throws(LogError) -> NodeKeys? {
    let rows = try transaction.run([
      Query(
        "select value from meta where name like '\(prefix)%' order by substr(name, \(prefix.count + 1))::bigint"
      )
    ])[0]
    guard !rows.isEmpty else { return nil }
    return NodeKeys(marks: (0..<rows.count).map { UInt32(truncatingIfNeeded: rows.integer($0, 0)) })
  }

  /// Under the lock of starts: two nodes may start at once.
  private static func inTransaction<Value>(
    at address: String, _ body: (SealingTransaction) throws(LogError) -> Value
  ) throws(LogError) -> Value {
    try SealingTransaction.onItsOwn(at: DatabaseAddress(address)) { transaction, _ throws(LogError) in
      try transaction.begin(under: PostgresSchema.locking)
      let value = try body(transaction)
      try transaction.commit()
      return value
    }
  }
}
