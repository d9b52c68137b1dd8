import BoardroomCore
import BoardroomModel
import EventLogModel

/// What is to be removed of a room's history. Decides from what is known, and does nothing.
package struct RetentionRule: Sendable {
  /// How long the log of a deleted room stays; nil: for ever.
  package var deleted: Duration?
  /// Rooms that were deleted before this count from then on.
  package var since = Timestamp.zero
  /// The server's; a room's own limits are laid over its keeping.
  package var policy: RoomPolicy

  package init(deleted: Duration?, since: Timestamp = .zero, policy: RoomPolicy) {
    self.deleted = deleted
    self.since = since
    self.policy = policy
  }

  /// Whether the log of a room that was deleted is over: its last event is that of the deletion, or came with it.
  package func isOver(deletedAt time: Timestamp, now: Timestamp) -> Bool {
    guard let deleted else { return false }
    return max(time, since) + deleted <= now
  }

  package func keeping(with own: [String: Int]) -> HistoryKeeping { policy.with(own).keeping }

  /// The first revision to keep, by the number of events.
  package static func firstKept(of info: LogInfo, events: Int) -> Revision {
    guard events > 0, info.last.rawValue > UInt64(events) else { return 1 }
    return Revision(info.last.rawValue - UInt64(events) + 1)
  }

  /// The same where moments are kept (LOG-33): nothing at or behind the oldest of them goes.
  package static func firstKept(_ revision: Revision, _ marks: [KeptMoment]) -> Revision {
    marks.first.map { min(revision, $0.revision) } ?? revision
  }

  /// The first revision to keep so that what is stored has `bytes` at most, of all that is stored, oldest first. The last
  /// piece stays: a room that is drawn in always has some history.
  package static func firstKept(of spans: [StoredSpan], bytes: Int) -> Revision {
    var excess = spans.reduce(0) { $0 + $1.bytes } - bytes
    var first: Revision = 1
    for span in spans.dropLast() where excess > 0 {
      first = span.last.next
      excess -= span.bytes
    }
    return first
  }

  /// Whether a trim below `revision` removes anything: a whole piece must lie before the event that goes last, whose
  /// piece stays; or all goes.
  package static func isWorthwhile(_ revision: Revision, first: StoredSpan, last: Revision) -> Bool {
    revision == last.next || revision > first.last.next
  }
}
