import BoardroomCore
import BoardroomModel
import EventLogModel

/// Decides what is to be removed from a room's history. It removes nothing itself.
package struct RetentionRule: Sendable {
  /// How long the log of a deleted room stays; nil: for ever.
  package var deleted: Duration?
  /// For rooms that were deleted before this time, the time counts from here on.
  package var since = Timestamp.zero
  /// The server's policy; a room's own limits replace its limits of keeping.
  package var policy: RoomPolicy

  package init(deleted: Duration?, since: Timestamp = .zero, policy: RoomPolicy) {
    self.deleted = deleted
    self.since = since
    self.policy = policy
  }

  /// Whether the log of a deleted room is to be removed. `time` is that of its last event, which was
  /// committed with the deletion.
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

  /// The same with kept moments (LOG-33): no event at or behind the oldest of them is removed.
  package static func firstKept(_ revision: Revision, _ marks: [KeptMoment]) -> Revision {
    marks.first.map { min(revision, $0.revision) } ?? revision
  }

  /// The first revision to keep so that at most `bytes` stored bytes stay. `spans` are all stored pieces, the
  /// oldest first. The last piece always stays, so that a room in use has some history.
  package static func firstKept(of spans: [StoredSpan], bytes: Int) -> Revision {
    var excess = spans.reduce(0) { $0 + $1.bytes } - bytes
    var first: Revision = 1
    for span in spans.dropLast() where excess > 0 {
      first = span.last.next
      excess -= span.bytes
    }
    return first
  }

  /// Whether a trim below `revision` removes anything: at least one whole piece must be before it, or
  /// everything is removed.
  package static func isWorthwhile(_ revision: Revision, first: StoredSpan, last: Revision) -> Bool {
    revision == last.next || revision > first.last.next
  }
}
