import EventLogModel
import NodeCore
import Synchronization

/// One writing connection of a node's incarnation, with the row that fences it.
///
/// Every writing transaction takes a share of the row first, so that a fence waits for what is under way, and
/// nothing is written after it. A new connection counts the row's `link` up first: that waits until the
/// statement that the old connection has under way has ended one way or the other, also at the standbys. Only
/// then a look tells whether it was carried out. Used by one thread.
final class FencedConnection {
  enum Purpose: Int64, CaseIterable {
    case commit = 0
    case seal = 1
    /// Claims, creations and releases of logs, of a node that shares the database.
    case catalog = 2
  }

  /// What has happened to a node's commits since its start.
  struct Counts: Sendable, Hashable {
    /// Writes whose outcome was not known at first.
    var unknown = 0
    /// Those of them that were not carried out, and were sent again.
    var resent = 0
  }

  /// The condition of each writing statement; its parameters are `$1` and `$2`.
  static func check(_ kind: Purpose) -> String {
    """
    select 1 from fence where incarnation = $1 and kind = \(kind.rawValue) and link = $2 and not fenced for share
    """
  }

  /// The same as a condition of a statement that is sent together with that one, behind it in its transaction.
  static func isOpen(_ kind: Purpose) -> String {
    "exists (select 1 from fence where incarnation = $1 and kind = \(kind.rawValue) and link = $2 and not fenced)"
  }

  /// Milliseconds without an answer after which a commit's outcome counts as unknown.
  static let silence = 1_500

  /// Milliseconds without an answer to a link after which another connection is made: the server may be an old primary,
  /// which no standby follows any more, and the new one is at another address. What the link has under way is waited
  /// for, if the same server is chosen again.
  static let linkPatience = 5_000

  let address: DatabaseAddress
  let incarnation: Int64
  let kind: Purpose
  /// What a fence means to the store.
  let fencedError: LogError
  private var count = LinkCount()
  private var connection: PostgresConnection?

  /// - Parameter isShared: whether other nodes write to the same tables, so that a fence is no surprise.
  init(_ address: DatabaseAddress, incarnation: Int64, kind: Purpose, isShared: Bool = false) {
    fencedError =
      isShared
      ? .nodeFenced(place: address.place) : PostgresFailure.fenced.asLogError(in: address.place)
    self.address = address
    self.incarnation = incarnation
    self.kind = kind
  }

  var link: Int64 { count.link }

  /// The first two parameters of `check`.
  var parameters: [QueryParameter] { [.integer(incarnation), .integer(link)] }

  /// The connection; a new one where there is none, once its link is answered.
  ///
  /// - Parameter stall: called while nobody answers, with why. It throws to give up.
  func connected(stall: (LogError) throws(LogError) -> Void) throws(LogError) -> PostgresConnection {
    if let connection { return connection }
    while true {
      var stopped: LogError?
      do throws(PostgresFailure) {
        let fresh = try PostgresConnection(address, incarnation: incarnation)
        let start = PostgresConnection.milliseconds
        func waiting(_ milliseconds: Int) throws(PostgresFailure) {
          guard milliseconds >= Self.silence else { return }
          do throws(LogError) { try stall(address.silent) } catch {
            stopped = error
            throw .unknown(reason: "\(error)")
          }
          guard PostgresConnection.milliseconds - start < Self.linkPatience else {
            throw .unknown(reason: "no answer to a link in \(Self.linkPatience) ms")
          }
        }
        while count.isUnanswered {
          guard try isLinking(fresh, waiting) else { break }
          try waiting(Self.silence)
          PostgresConnection.pause()
        }
        count.sent()
        // The link is the last: the server names the last statement while it waits for its standby, and `isLinking` asks for it.
        let queries = [Query(Self.durability), known, Query(linking, .integer(incarnation))]
        let found = try fresh.run(queries, waiting: waiting)
        let number = found[2].isEmpty ? nil : found[2].integer(0, 0)
        switch count.answered(isKnown: !found[1].isEmpty, link: number) {
        case .linked: break
        case .fenced: throw .fenced
        case .startIsMissing:
          try confirm(fresh, waiting)
          stopped = Self.setBack("the start of this node (incarnation \(incarnation))", in: address.place)
          throw .fenced
        case .linkIsMissing:
          try confirm(fresh, waiting)
          stopped = Self.setBack("a connection of this node (link \(link))", in: address.place)
          throw .fenced
        }
        connection = fresh
        return fresh
      } catch {
        if let stopped { throw stopped }
        if case .fenced = error { throw fencedError }
        if case .refused = error {
          // Nothing was carried out. For want of connections, space or memory it is tried again, as a commit is.
          count.refused()
          let reason = error.asLogError(in: address.place)
          guard case .full = reason else { throw reason }
          try stall(reason)
        } else {
          try stall(address.silent)
        }
      }
      PostgresConnection.pause()
    }
  }

  /// Whether an earlier link of this connection is still under way at the server. A server waits for its standbys, and
  /// for locks, also when its client has gone: one more link would only wait behind it, and leave one more connection.
  private func isLinking(
    _ fresh: PostgresConnection, _ waiting: (Int) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) -> Bool {
    let rows = try fresh.run(
      [NodeTables.underWay(linking, of: incarnation)], waiting: waiting)[0]
    return !rows.isEmpty
  }

  /// An answer that wrote nothing waits for no standby: a primary gives it, too, that is none any more, goes on beside the new
  /// one, and does not know what that one knows. So a loss counts only when a record behind it is at a standby.
  private func confirm(
    _ fresh: PostgresConnection, _ waiting: (Int) throws(PostgresFailure) -> Void
  ) throws(PostgresFailure) {
    _ = try fresh.run([Query(PostgresConnection.record)], waiting: waiting)
  }

  private var linking: String {
    """
    update fence set link = link + 1 where incarnation = $1 and kind = \(kind.rawValue) and not fenced
    returning link
    """
  }

  private var known: Query {
    Query("select 1 from fence where incarnation = $1 and kind = \(kind.rawValue)", .integer(incarnation))
  }

  /// The error of a node whose database was set back: it has no more what it had acknowledged. Nothing may be
  /// written over that, because members have seen it.
  static func setBack(_ missing: String, in place: String) -> LogError {
    .stopped(
      reason: """
        \(place) does not have \(missing) any more, which it had acknowledged: a standby without it was promoted, or \
        a backup of an earlier moment restored. Nothing was appended. If a server that has it is left, restore that \
        one; if not, start again, and go on with what is there.
        """)
  }

  /// A commit is answered when it is on disk here, and at a standby where the server has one to wait for. A
  /// stronger setting of the server's stays.
  static let durability = """
    select set_config('synchronous_commit', 'on', false)
    where current_setting('synchronous_commit') in ('off', 'local', 'remote_write')
    """

  /// Gives up the connection. What it has under way goes on at the server; the next link waits for it.
  func drop() { connection = nil }
}
