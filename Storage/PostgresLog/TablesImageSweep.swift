import EventLog
import EventLogFormat
import EventLogModel

/// Images that nothing names any more, in a database that several nodes may serve (LOG-32): whose turn it is to look for
/// them, and the way out for those that were found.
///
/// Of all processes that have the same store one does this at a time: the one that has a lock, which the server gives up with
/// the connection. All that changes images goes over that connection, so that a process that stood still and lost its turn
/// changes nothing. Calls block. Used by one thread at a time.
public final class TablesImageSweep: @unchecked Sendable {
  /// An image that is set aside has this behind its name: nobody is shown it, and who puts it again has it anew.
  static let aside = ".aside"
  /// Milliseconds after which a statement is given up.
  private static let silence = 30_000
  /// Images of one transaction.
  private static let portion = 500
  /// How often frames are looked at anew because a node started between two looks.
  private static let attempts = 5

  public typealias NamedImage = (log: LogID, name: String)

  private let address: DatabaseAddress
  /// The connection that has the lock.
  private var connection: PostgresConnection?

  /// - Parameter address: as libpq takes it. Nobody is asked before the first call.
  public init(address: String) throws(LogError) { self.address = try DatabaseAddress(address) }

  // MARK: Whose turn it is

  /// Whether this process looks for images: it does if no other does. Throws `stopped` while nobody answers.
  public func isOurTurn() throws(LogError) -> Bool {
    if connection != nil {
      // It may have been cut since, and another may have the lock.
      do throws(LogError) {
        _ = try withConnection { transaction throws(LogError) in try transaction.run([Query("select 1")]) }
        return true
      } catch { connection = nil }
    }
    let fresh: PostgresConnection
    do throws(PostgresFailure) {
      fresh = try PostgresConnection.reading(address, limit: Self.silence)
    } catch { throw error.asLogError(in: address.place) }
    let found = try transaction(on: fresh).run([Query(Self.lock)])[0]
    guard !found.isEmpty else { return false }
    connection = fresh
    return true
  }

  /// Gives the turn to others.
  public func close() { connection = nil }

  /// The store's own lock, because several stores may be in one database. It is held until the connection ends.
  private static let lock = """
    select 1 from store where pg_try_advisory_lock(hashtextextended('boardroom images ' || encode(identity, 'hex'), 0))
    """

  // MARK: Setting aside

  /// Takes images out of everybody's sight, but for those that were put after `time`. Returns those that it took.
  public func setAside(
    _ images: [NamedImage], unlessPutAfter time: Timestamp
  ) throws(LogError) -> [NamedImage] {
    try inPortions(images) { image in
      Query(
        """
        update image set name = name || '\(Self.aside)' where log = $1 and name = $2 and put_ms <= $3
          returning log
        """, .bytes(image.log.bytes), .text(image.name), .integer(Int(time.milliseconds)))
    }
  }

  /// Shows images again that were set aside. Of one that was put again meanwhile there is that one.
  public func bringBack(_ images: [NamedImage]) throws(LogError) {
    for image in images {
      try change(
        Self.returning.map {
          Query("\($0) and log = $1 and name = $2", .bytes(image.log.bytes), .text(image.name + Self.aside))
        })
    }
  }

  /// The same for all that a process that was killed has left.
  public func bringAllBack() throws(LogError) { try change(Self.returning.map { Query($0) }) }

  private static let returning = [
    """
    delete from image as old where right(name, \(aside.utf8.count)) = '\(aside)' and exists (
      select 1 from image as new where new.log = old.log and new.name || '\(aside)' = old.name)
    """,
    """
    update image set name = left(name, -\(aside.utf8.count)) where right(name, \(aside.utf8.count)) = '\(aside)'
    """,
  ]

  /// Removes images that were set aside. Returns those that were.
  public func removeAside(_ images: [NamedImage]) throws(LogError) -> [NamedImage] {
    try inPortions(images) { image in
      Query(
        "delete from image where log = $1 and name = $2 returning log", .bytes(image.log.bytes),
        .text(image.name + Self.aside))
    }
  }

  /// Returns those of which a statement has a row.
  private func inPortions(
    _ images: [NamedImage], _ query: (NamedImage) -> Query
  ) throws(LogError) -> [NamedImage] {
    var changed: [NamedImage] = []
    var left = images[...]
    while !left.isEmpty {
      let portion = Array(left.prefix(Self.portion))
      left = left.dropFirst(Self.portion)
      let rows = try change(portion.map(query))
      for (image, rows) in zip(portion, rows) where !rows.isEmpty { changed.append(image) }
    }
    return changed
  }

  /// In one transaction.
  @discardableResult
  private func change(_ queries: [Query]) throws(LogError) -> [Rows] {
    try withConnection { transaction throws(LogError) in
      Array(try transaction.run([Query("begin")] + queries + [Query("commit")])[1...].dropLast())
    }
  }

  private func transaction(on connection: PostgresConnection) -> SealingTransaction {
    SealingTransaction(connection, place: address.place, silence: Self.silence, isReading: true)
  }

  /// A connection that does not answer is given up, and the turn with it.
  private func withConnection<Value>(
    _ body: (SealingTransaction) throws(LogError) -> Value
  ) throws(LogError) -> Value {
    guard let connection else {
      throw .stopped(reason: "another process may look for images in \(address.place) now")
    }
    let transaction = transaction(on: connection)
    do throws(LogError) { return try body(transaction) } catch {
      if !transaction.isUnknown { transaction.rollBack() }
      if transaction.isUnknown { self.connection = nil }
      throw error
    }
  }

  // MARK: What is not sealed

  /// Hands out the records that all nodes have committed and not sealed, so that `runs` of other nodes does not have them yet:
  /// pieces of bytes in which records stand whole. Some of them may be sealed by then.
  public func readUnsealed(_ take: ([UInt8]) -> Void) throws(LogError) {
    let connection: PostgresConnection
    do throws(PostgresFailure) {
      connection = try PostgresConnection.reading(address, limit: Self.silence)
    } catch { throw error.asLogError(in: address.place) }
    for _ in 0..<Self.attempts {
      let transaction = transaction(on: connection)
      guard let frames = try FramesAtMoment(transaction, address.place) else { continue }
      try transaction.commit()
      for entry in frames.contents.entries {
        if case .run(_, let run) = entry.entry { take(run.records) }
      }
      return
    }
    throw .locked(path: address.place)
  }
}
