import BoardroomModel
import EventLogModel

/// An event on its way into the mirror.
struct Arrived: Sendable {
  var event: RoomEvent
  /// What was wrong with its record, if anything.
  var misfit: String?
  /// Whether it came as it happened; the others were missed in an outage.
  var isLive: Bool
  var isOwn: Bool
  var time: Timestamp
}

/// Events that are held back so that the board keeps step with a slower medium, such as video (SY-1). They stay in
/// the order of the log.
struct DelayLine {
  /// None by default.
  var delay = Duration.zero
  private var waiting: [Arrived] = []
  private var first = 0

  var isEmpty: Bool { first == waiting.count }
  /// The newest event held back.
  var last: Revision? { waiting.last?.event.revision }
  /// Whether an event must wait: behind others, or for its time.
  var holds: Bool { !isEmpty || delay > .zero }
  var due: Timestamp? { isEmpty ? nil : waiting[first].time + delay }

  mutating func add(_ arrived: Arrived) { waiting.append(arrived) }

  mutating func next(at now: Timestamp) -> Arrived? {
    guard let due, due <= now else { return nil }
    return takeFirst()
  }

  mutating func takeFirst() -> Arrived? {
    guard !isEmpty else { return nil }
    defer {
      first += 1
      if first == waiting.count || first > 1_024 { compact() }
    }
    return waiting[first]
  }

  private mutating func compact() {
    waiting.removeFirst(first)
    first = 0
  }

  mutating func clear() {
    waiting = []
    first = 0
  }
}
