import EventLogModel

/// How far an endpoint of webhooks was told of each log, in a database, for all nodes that serve it. Calls block; threads of
/// Swift's pool must not make them.
///
/// A cursor only moves on within an epoch: of two nodes that tell the same log, the one that has told more is right.
/// What is written is on disk, and at a standby where the server waits for one, when the call returns.
///
/// Calls throw `full` while the database does not answer or has no space, and `stopped` with what it refuses.
public final class PostgresCursors: Sendable {
  /// A cursor into one log; nil takes the log's away, for a log that is gone.
  public struct MovedCursor: Sendable, Hashable {
    public var log: LogID
    public var cursor: Cursor?

    public init(log: LogID, cursor: Cursor?) { (self.log, self.cursor) = (log, cursor) }
  }

  /// A log of which the endpoint was not told wholly.
  public struct Behind: Sendable, Hashable {
    public var log: LogID
    /// Of the log, not of the cursor.
    public var epoch: Epoch
    /// The last revision that is in blocks.
    public var last: Revision
    public var cursor: Cursor?
  }

  private let tables: BesideTables
  private let endpoint: String

  /// - Parameters:
  ///   - address: as libpq takes it. Nobody is asked until the first call.
  ///   - endpoint: the endpoint's id.
  public init(address: String, endpoint: String) throws(LogError) {
    (tables, self.endpoint) = (BesideTables(try DatabaseAddress(address)), endpoint)
  }

  /// A page of what `behind` has found.
  public struct BehindLogs: Sendable, Hashable {
    public var logs: [Behind]
    /// The last log that was looked at; nil if there are no more.
    public var last: LogID?
  }

  /// Notes the endpoint. Returns whether it is new; of several nodes that ask at once, only one is told so.
  ///
  /// - Parameters:
  ///   - cursors: how far the caller has told; those that are further are kept, also of an endpoint that is known.
  ///   - skips: of a new endpoint all other logs have a cursor at the end of what is in blocks; else none.
  public func begin(with cursors: [LogID: Cursor] = [:], skips: Bool = false) throws(LogError) -> Bool {
    let given = cursors.sorted { $0.key < $1.key }
    let rows = try tables.ask(
      Query(
        """
        with new as (insert into webhook(endpoint) values ($1) on conflict do nothing returning 1),
        given as (
          insert into webhook_cursor as known select $1, had.* from unnest($3, $4, $5) had(log, epoch, revision)
          on conflict (endpoint, log) do update set revision = excluded.revision
            where known.epoch = excluded.epoch and known.revision < excluded.revision),
        skipped as (
          insert into webhook_cursor select $1, id, epoch, next - 1 from log
          where $2 <> 0 and exists (select from new) and state = 0 and import_last is null and id <> all($3)
          on conflict do nothing)
        select count(*) from new
        """, .text(endpoint), .integer(skips ? 1 : 0), .byteLists(given.map(\.key.bytes)),
        .integers(given.map { Int64(bitPattern: $0.value.epoch.rawValue) }),
        .integers(given.map { Int64(bitPattern: $0.value.revision.rawValue) })))[0]
    return rows.integer(0, 0) > 0
  }

  /// Since when the endpoint fails, as a node has noted it.
  public func failingSince() throws(LogError) -> Timestamp? {
    let rows = try tables.ask(
      Query("select failing_ms from webhook where endpoint = $1", .text(endpoint)))[0]
    return rows.isEmpty || rows.isNull(0, 0) ? nil : rows.time(0, 0)
  }

  public func note(failingSince: Timestamp?) throws(LogError) {
    _ = try tables.ask(
      Query(
        "update webhook set failing_ms = nullif($2, 0) where endpoint = $1", .text(endpoint),
        .integer(failingSince?.milliseconds ?? 0)))
  }

  /// The cursors of these logs; a log that has none is not in the answer.
  public func cursors(of logs: [LogID]) throws(LogError) -> [LogID: Cursor] {
    let rows = try tables.ask(
      Query(
        "select log, epoch, revision from webhook_cursor where endpoint = $1 and log = any($2)",
        .text(endpoint), .byteLists(logs.map(\.bytes))))[0]
    return Self.all(rows)
  }

  /// All cursors of all endpoints. For copies. Of tables of an earlier version there are none.
  public static func all(address: String) throws(LogError) -> [String: [LogID: Cursor]] {
    let tables = BesideTables(try DatabaseAddress(address))
    let known = try tables.ask(Query("select 1 where to_regclass('webhook_cursor') is not null"))[0]
    guard !known.isEmpty else { return [:] }
    let rows = try tables.ask(
      Query("select log, epoch, revision, endpoint from webhook_cursor"),
      Query("select endpoint from webhook"))
    var found: [String: [LogID: Cursor]] = [:]
    for row in 0..<rows[1].count { found[rows[1].text(row, 0)] = [:] }
    for row in 0..<rows[0].count {
      guard let log = LogID(bytes: rows[0].bytes(row, 0)) else { continue }
      let cursor = Cursor(
        epoch: Epoch(rows[0].unsigned(row, 1)), revision: rows[0].revision(row, 2))
      found[rows[0].text(row, 3), default: [:]][log] = cursor
    }
    return found
  }

  /// Moves cursors, at most one of each log. One that is further already in the same life of the log stays.
  ///
  /// - Returns: the cursors that are further than they were to be moved: another node has told of these logs.
  @discardableResult
  public func move(_ moves: [MovedCursor]) throws(LogError) -> [LogID: Cursor] {
    let gone = moves.filter { $0.cursor == nil }.map(\.log.bytes)
    // In one order everywhere, so that two nodes do not wait for each other.
    let kept = moves.compactMap { move in move.cursor.map { (move.log, $0) } }.sorted { $0.0 < $1.0 }
    let (logs, epochs, revisions) = (
      kept.map(\.0.bytes), kept.map { Int64(bitPattern: $0.1.epoch.rawValue) },
      kept.map { Int64(bitPattern: $0.1.revision.rawValue) }
    )
    let rows = try tables.ask(
      Query(
        "delete from webhook_cursor where endpoint = $1 and log = any($2)", .text(endpoint),
        .byteLists(gone)),
      Query(
        """
        insert into webhook_cursor as known select $1, moved.* from unnest($2, $3, $4) moved(log, epoch, revision)
        on conflict (endpoint, log) do update set epoch = excluded.epoch, revision = excluded.revision
          where known.epoch <> excluded.epoch or known.revision < excluded.revision
        """, .text(endpoint), .byteLists(logs), .integers(epochs), .integers(revisions)),
      Query(
        """
        select known.log, known.epoch, known.revision from webhook_cursor known
        join unnest($2, $3, $4) moved(log, epoch, revision) on known.log = moved.log
        where known.endpoint = $1 and (known.epoch <> moved.epoch or known.revision > moved.revision)
        """, .text(endpoint), .byteLists(logs), .integers(epochs), .integers(revisions)))[2]
    return Self.all(rows)
  }

  /// Takes on to tell of the logs that no node owns, unless another node has that lives. Two nodes may have it for a
  /// moment: then some events are told twice. Writes only if it is taken.
  ///
  /// - Parameter node: the number of this node's start.
  /// - Returns: nil if another node has it; else how many starts of nodes have ended: logs of theirs may be nobody's since.
  public func takeDuty(_ node: Int64) throws(LogError) -> Int? {
    let rows = try tables.ask(
      Query(
        """
        update webhook set duty = $2, duty_until = null where endpoint = $1 and duty is distinct from $2
          and (duty is null or not exists (select 1 from incarnation where id = duty and not recovered))
        """, .text(endpoint), .integer(node)),
      Query(
        """
        select (select count(*) from incarnation where recovered) from webhook where endpoint = $1 and duty = $2
        """, .text(endpoint), .integer(node)))[1]
    return rows.isEmpty ? nil : Int(rows.integer(0, 0))
  }

  /// Gives up what `takeDuty` took.
  public func giveUpDuty(_ node: Int64) throws(LogError) {
    _ = try tables.ask(
      Query(
        "update webhook set duty = null where endpoint = $1 and duty = $2", .text(endpoint), .integer(node)))
  }

  /// Whose logs are asked for.
  public enum Owners: Sendable, Hashable {
    /// All logs. A node that shares its database with none owns all that it has opened.
    case everybody
    case nobody
    /// The number of a node's start.
    case node(Int64)
  }

  /// Logs whose blocks go beyond the endpoint's cursor, in the order of their names.
  ///
  /// - Parameters:
  ///   - last: the last log of the page before.
  ///   - limit: how many logs are looked at.
  ///   - owners: only logs of theirs.
  public func behind(after last: LogID?, limit: Int, of owners: Owners) throws(LogError) -> BehindLogs {
    let (condition, node): (String, Int64) =
      switch owners {
      case .everybody: ("$4 = 0", 0)
      case .nobody: ("owner is null and $4 = 0", 0)
      case .node(let node): ("owner = $4", node)
      }
    let rows = try tables.ask(
      Query(
        """
        with looked as (
          select id, epoch, next - 1 as last, row_number() over (order by id) as number, count(*) over () as total
          from (
            select id, epoch, next from log where \(condition) and state = 0 and import_last is null and id > $2
            order by id limit $3) page)
        select id, looked.epoch, last, known.epoch, known.revision,
          (last > 0 and (known.log is null or known.epoch <> looked.epoch or known.revision < last))::int::bigint,
          (number = $3)::int::bigint
        from looked left join webhook_cursor known on known.endpoint = $1 and known.log = id
        where number = total
          or (last > 0 and (known.log is null or known.epoch <> looked.epoch or known.revision < last))
        order by id
        """, .text(endpoint), .bytes(last?.bytes ?? []), .integer(limit), .integer(node)))[0]
    var page = BehindLogs(logs: [], last: nil)
    for row in 0..<rows.count {
      guard let log = LogID(bytes: rows.bytes(row, 0)) else { continue }
      if rows.integer(row, 6) != 0 { page.last = log }
      guard rows.integer(row, 5) != 0 else { continue }
      let cursor =
        rows.isNull(row, 3)
        ? nil : Cursor(epoch: Epoch(rows.unsigned(row, 3)), revision: rows.revision(row, 4))
      page.logs.append(
        Behind(log: log, epoch: Epoch(rows.unsigned(row, 1)), last: rows.revision(row, 2), cursor: cursor))
    }
    return page
  }

  private static func all(_ rows: Rows) -> [LogID: Cursor] {
    var found: [LogID: Cursor] = [:]
    for row in 0..<rows.count {
      guard let log = LogID(bytes: rows.bytes(row, 0)) else { continue }
      found[log] = Cursor(epoch: Epoch(rows.unsigned(row, 1)), revision: rows.revision(row, 2))
    }
    return found
  }
}
