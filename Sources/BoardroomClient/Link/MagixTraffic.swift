import BoardroomModel
import EventLogModel

/// Custom events that wait: own ones for their turn to be sent, those of an outage for the phase to be connected again,
/// and those of names that are gathered for their batch.
struct MagixTraffic {
  typealias LateEvent = (event: WhiteEvent, moment: MagixMoment)

  var pace = MagixPace()
  private var late: [LateEvent] = []
  var batches = MagixBatches()

  mutating func addLate(_ event: WhiteEvent, _ moment: MagixMoment) { late.append((event, moment)) }

  /// Those of the outage, in order (10.5).
  mutating func takeLate() -> [LateEvent] {
    defer { late = [] }
    return late
  }
}
