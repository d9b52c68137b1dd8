import BoardroomModel
import EventLogModel

/// How far an endpoint was told of each log, kept in one place for all nodes that serve it (HOOK-11).
///
/// Each node tells of the logs that it owns, and one of them of those that nobody owns. When a log changes its owner, the
/// next one goes on at the cursor. What was told and not yet noted is told again, with the same id.
package protocol SharedCursors: Sendable {
  /// Notes the endpoint. Returns whether it is new; of several nodes that ask at once, only one is told so.
  ///
  /// - Parameters:
  ///   - cursors: how far this node has told; those that are further are kept, also of an endpoint that is known.
  ///   - skips: of a new endpoint all other logs have a cursor at their end; else none.
  func begin(with cursors: [LogID: Cursor], skips: Bool) async throws(LogError) -> Bool
  /// Since when the endpoint fails, as a node has noted it.
  func failingSince() async throws(LogError) -> Timestamp?
  func note(failingSince: Timestamp?) async throws(LogError)
  /// The cursors of these logs; a log that has none is not in the answer.
  func cursors(of logs: [LogID]) async throws(LogError) -> [LogID: Cursor]
  /// Moves cursors on; nil takes one away. Returns those that are further already: another node has told of these logs.
  func move(_ cursors: [LogID: Cursor?]) async throws(LogError) -> [LogID: Cursor]
  /// Logs of which the endpoint was not told wholly, in the order of their names: of this node, or of nobody.
  ///
  /// - Parameter limit: how many logs are looked at.
  func behind(after last: LogID?, limit: Int, ofNobody: Bool) async throws(LogError) -> BehindPage
  /// Takes on to tell of the logs that no node owns, as long as this node lives, unless another living node has.
  ///
  /// - Returns: nil if another has; else how many starts of nodes have ended: logs of theirs may be nobody's since.
  func takeDuty() async throws(LogError) -> Int?
  func giveUpDuty() async
}

/// Some of the logs that were looked at: those of which an endpoint was not told wholly.
package struct BehindPage: Sendable, Hashable {
  package var logs: [LogBehind]
  /// The last log that was looked at; nil if there are no more.
  package var last: LogID?

  package init(logs: [LogBehind], last: LogID?) { (self.logs, self.last) = (logs, last) }
}

/// A log of which an endpoint was not told wholly.
package struct LogBehind: Sendable, Hashable {
  package var log: LogID
  /// The last revision that is sealed.
  package var last: Revision
  package var cursor: Cursor?

  package init(log: LogID, last: Revision, cursor: Cursor?) {
    (self.log, self.last, self.cursor) = (log, last, cursor)
  }
}

/// The cursors of one endpoint as its sender keeps them: in its own file, or where all nodes have them.
enum CursorPlace {
  case file(WebhookCursorFile)
  case shared(any SharedCursors)

  /// What has changed since the last write, and all that counts.
  struct CursorChange {
    var moves: [RoomID: Cursor?]
    var cursors: [RoomID: Cursor]
    var failingSince: Timestamp?
    var hasFailingChanged: Bool
  }

  /// Writes a change, so that it counts also if the process is killed.
  ///
  /// - Returns: cursors that other nodes have moved further.
  mutating func write(_ change: CursorChange, at now: Timestamp) async throws -> [RoomID: Cursor] {
    let (moves, failing) = (change.moves, change.failingSince)
    switch self {
    case .file(var file):
      let lines = moves.sorted { $0.key < $1.key }.map {
        WebhookMoves.CursorMove(room: $0.key, cursor: $0.value)
      }
      defer { self = .file(file) }
      try file.add(lines, failingSince: change.hasFailingChanged ? .some(failing) : .none, at: now)
      if let due = file.syncDue, due <= now { try file.sync() }
      if file.isLong(for: change.cursors.count) {
        try file.rewrite(change.cursors, failingSince: failing)
      }
      return [:]
    case .shared(let shared):
      if change.hasFailingChanged { try await shared.note(failingSince: failing) }
      return moves.isEmpty ? [:] : try await shared.move(moves)
    }
  }

  var shared: (any SharedCursors)? {
    if case .shared(let shared) = self { shared } else { nil }
  }

  /// When `write` is to be called although nothing has moved; nil: never.
  var due: Timestamp? {
    if case .file(let file) = self { file.syncDue } else { nil }
  }

  /// The same after the last use by this run of the server.
  func ended() async -> CursorPlace {
    switch self {
    case .file(var file):
      try? file.sync()
      file.close()
      return .file(file)
    case .shared(let shared):
      await shared.giveUpDuty()
      return self
    }
  }
}
