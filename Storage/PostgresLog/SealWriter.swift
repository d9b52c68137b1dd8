import EventLog
import EventLogFormat
import EventLogModel

/// Writes the sealed half, or the catalog: transactions of several statements, each of which begins with the
/// check of its fence. Used by one thread: the sealer's, or that of claims.
///
/// A transaction whose outcome is not known is done again behind a new link: done twice it changes nothing.
/// If that fails as well, the error is `full`: the sealer tries again later, and the frames keep what is not
/// sealed.
final class SealWriter: @unchecked Sendable {
  private let fenced: FencedConnection
  private static let attempts = 2
  /// Milliseconds after which a transaction's outcome counts as unknown.
  private static let silence = 10_000

  /// A row of the catalog whose writing was acknowledged: a log's number and its first revision that is not sealed.
  private var last: (number: UInt64, next: Revision)?
  /// The link behind which it was looked at.
  private var checkedLink: Int64 = 0

  init(fenced: FencedConnection) { self.fenced = fenced }

  var place: String { fenced.address.place }

  @discardableResult
  func writing<Result>(
    _ body: (SealingTransaction) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    try attempting { transaction throws(LogError) in
      try begin(transaction)
      let result = try body(transaction)
      try transaction.commit()
      if let entry = transaction.lastWritten { last = (entry.row.number, entry.row.next) }
      return result
    }
  }

  /// A transaction of statements that need no answer of one another, in one round to the server. They are sent before it is known
  /// whether the fence is open: each that writes must ask `FencedConnection.isOpen` itself.
  ///
  /// - Parameter queries: is given the first two parameters of what writes.
  func writingAtOnce(_ queries: ([QueryParameter]) -> [Query]) throws(LogError) -> [Rows] {
    try attempting { transaction throws(LogError) in
      let statements = queries(fenced.parameters)
      // Behind a new link there is something to be looked at before.
      guard checkedLink == fenced.link else {
        try begin(transaction)
        let found = try transaction.run(statements)
        try transaction.commit()
        return found
      }
      return try transaction.atOnce(
        check: FencedConnection.check(fenced.kind), parameters: fenced.parameters,
        otherwise: fenced.fencedError, statements)
    }
  }

  private func begin(_ transaction: SealingTransaction) throws(LogError) {
    try transaction.begin(
      check: FencedConnection.check(fenced.kind), parameters: fenced.parameters, otherwise: fenced.fencedError
    )
    try checkLast(transaction)
  }

  private func attempting<Result>(
    _ body: (SealingTransaction) throws(LogError) -> Result
  ) throws(LogError) -> Result {
    var attempt = 1
    while true {
      let connection = try fenced.connected { reason throws(LogError) in throw reason }
      let transaction = SealingTransaction(connection, place: place, silence: Self.silence)
      do throws(LogError) { return try body(transaction) } catch {
        guard transaction.isUnknown else {
          transaction.rollBack()
          if transaction.isUnknown { fenced.drop() }
          throw error
        }
        fenced.drop()
        guard attempt < Self.attempts else { throw fenced.address.silent }
      }
      attempt += 1
    }
  }

  /// Behind a new link: whether the database still has what this connection wrote. A standby without it may have been
  /// promoted, and frames that are sealed there only in this node's memory must not be removed.
  private func checkLast(_ transaction: SealingTransaction) throws(LogError) {
    guard checkedLink != fenced.link else { return }
    if let last {
      let rows = try transaction.run([
        Query("select 1 from log where no = $1 and next >= $2", .bits(last.number), .revision(last.next))
      ])[0]
      guard !rows.isEmpty else {
        let missing = "sealed events of log number \(last.number) before \(last.next)"
        throw FencedConnection.setBack(missing, in: place)
      }
    }
    checkedLink = fenced.link
  }

  /// Reads on the same connection, at one moment and in one round to the server. What it sees is at least what was there when
  /// the last write was answered.
  func reading(_ queries: [Query]) throws(LogError) -> [Rows] {
    let connection = try fenced.connected { reason throws(LogError) in throw reason }
    let transaction = SealingTransaction(connection, place: place, silence: Self.silence)
    do throws(LogError) { return try transaction.read(queries) } catch {
      if !transaction.isUnknown { transaction.rollBack() }
      guard transaction.isUnknown else { throw error }
      fenced.drop()
      throw fenced.address.silent
    }
  }

  func close() { fenced.drop() }
}
