import BoardroomModel
import EventLogModel

/// What an app was told of its connection: the phase, whether it has joined, whether it may commit changes. And the
/// phases of an outage, which only the client saw, until the log has them (`clientPhases`).
struct ToldPhases {
  private struct SeenPhase {
    let phase: RoomPhase
    let since: Timestamp
    let having: Revision
  }

  private(set) var phase: RoomPhase?
  /// Whether the first attempt to join has ended, in whatever way.
  var hasJoined = false
  private var committable = Committable()
  private var seen: [SeenPhase] = []

  /// Notes a phase; false if the app was told of it last. `revision`: up to where the client knows the log.
  mutating func note(_ next: RoomPhase, at now: Timestamp, having revision: Revision) -> Bool {
    guard phase != next else { return false }
    phase = next
    if hasJoined, next == .reconnecting || !seen.isEmpty {
      seen.append(SeenPhase(phase: next, since: now, having: revision))
    }
    return true
  }

  /// What to tell the app of whether it may commit; nil if it knows (CB-13).
  mutating func noteCommittable(_ isAble: Bool?) -> Bool? { committable.update(isAble) }

  /// The phases of the last outage, for the log. They count as told to it.
  mutating func takeSeen(at now: Timestamp) -> [ClientPhase] {
    defer { seen = [] }
    return seen.map {
      ClientPhase(phase: $0.phase.name, ago: (now - $0.since).wholeMilliseconds, revision: $0.having)
    }
  }

  /// The stay is over, or was never reached.
  mutating func end() {
    hasJoined = true
    phase = .disconnected
    committable.end()
  }
}
