import EventLogModel

/// Images of rooms in a database, for all nodes that serve it. Calls block; threads of Swift's pool must not make them.
///
/// An image has a name within its log, and is the same bytes for ever under that name. What is put is on disk, and at a
/// standby where the server waits for one, when the call returns.
///
/// Calls throw `full` while the database does not answer or has no space, `damaged` where the server cannot read what it
/// stores, and `stopped` with what else it refuses.
public final class PostgresImages: Sendable {
  /// An image that is there.
  public struct Listed: Sendable, Hashable {
    public var log: LogID
    public var name: String
    public var bytes: Int
    /// When it was last put, also if it was there already; by the database's clock.
    public var put: Timestamp
  }

  /// What became of an image that was put.
  public enum Outcome: Sendable, Hashable {
    case stored
    /// It would be over a limit. So much the log's images would be.
    case overLimit(bytes: Int, count: Int)
  }

  private let tables: BesideTables

  /// - Parameter address: as libpq takes it. Nobody is asked until the first call.
  public init(address: String) throws(LogError) { tables = BesideTables(try DatabaseAddress(address)) }

  /// Stores an image, unless the log would have more than `bytesLimit` bytes or `countLimit` images then.
  public func put(
    _ bytes: [UInt8], named name: String, of log: LogID, bytesLimit: Int, countLimit: Int
  ) throws(LogError) -> Outcome {
    let answers = try tables.ask(
      // Of two images that are put at once, the second counts the first.
      Query("select pg_advisory_xact_lock(hashtextextended(encode($1, 'hex'), 0))", .bytes(log.bytes)),
      Query(
        """
        insert into image(log, name, put_ms, size, bytes)
        select $1, $2, \(Self.now), $3, $4 where exists(select 1 from image where log = $1 and name = $2)
          or (select coalesce(sum(size), 0) + $3 <= $5 and count(*) < $6 from image where log = $1)
        on conflict (log, name) do update set put_ms = excluded.put_ms, size = excluded.size,
          bytes = case when image.bytes = excluded.bytes then image.bytes else excluded.bytes end
        returning 1::bigint
        """, .bytes(log.bytes), .text(name), .integer(bytes.count), .bytes(bytes), .integer(bytesLimit),
        .integer(countLimit)),
      Query(
        "select coalesce(sum(size), 0)::bigint, count(*) from image where log = $1", .bytes(log.bytes)))
    guard answers[1].isEmpty else { return .stored }
    return .overLimit(
      bytes: Int(answers[2].integer(0, 0)) + bytes.count, count: Int(answers[2].integer(0, 1)) + 1)
  }

  /// Nil if there is none.
  public func image(named name: String, of log: LogID) throws(LogError) -> [UInt8]? {
    let rows = try tables.ask(
      Query("select bytes from image where log = $1 and name = $2", .bytes(log.bytes), .text(name)))[0]
    return rows.isEmpty ? nil : rows.bytes(0, 0)
  }

  /// Nil if there is none.
  public func about(_ name: String, of log: LogID) throws(LogError) -> Listed? {
    let rows = try tables.ask(
      Query("\(Self.listed) where log = $1 and name = $2", .bytes(log.bytes), .text(name)))[0]
    return Self.all(rows).first
  }

  /// Images of all logs in the order of logs and names.
  ///
  /// - Parameter last: the last image of the page before; nil: from the beginning.
  public func page(after last: (log: LogID, name: String)?, limit: Int) throws(LogError) -> [Listed] {
    let rows = try tables.ask(
      Query(
        """
        \(Self.listed) where (log, name) > ($1, $2) and right(name, \(TablesImageSweep.aside.utf8.count))
          <> '\(TablesImageSweep.aside)' order by log, name limit $3
        """, .bytes(last?.log.bytes ?? []), .text(last?.name ?? ""), .integer(limit)))[0]
    return Self.all(rows)
  }

  /// Logs that have images.
  public func logs() throws(LogError) -> [LogID] {
    let rows = try tables.ask(Query("select distinct log from image order by log"))[0]
    return (0..<rows.count).compactMap { LogID(bytes: rows.bytes($0, 0)) }
  }

  /// Removes one image, if it is there.
  public func remove(_ name: String, of log: LogID) throws(LogError) {
    _ = try tables.ask(
      Query("delete from image where log = $1 and name = $2", .bytes(log.bytes), .text(name)))
  }

  /// Removes all images of a log.
  public func removeAll(of log: LogID) throws(LogError) {
    _ = try tables.ask(Query("delete from image where log = $1", .bytes(log.bytes)))
  }

  private static let now = "(extract(epoch from clock_timestamp()) * 1000)::bigint"
  private static let listed = "select log, name, size, put_ms from image"

  private static func all(_ rows: Rows) -> [Listed] {
    (0..<rows.count).compactMap { row in
      guard let log = LogID(bytes: rows.bytes(row, 0)) else { return nil }
      return Listed(
        log: log, name: rows.text(row, 1), bytes: Int(rows.integer(row, 2)), put: rows.time(row, 3))
    }
  }
}
