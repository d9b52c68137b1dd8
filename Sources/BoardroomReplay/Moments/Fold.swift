import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// A state made from events, with the anomalies.
public struct Fold: Sendable {
  /// How many anomalies are kept, for a person to read; all are counted.
  static let keptAnomalies = 100

  public private(set) var state: RoomState
  /// How many events could not be applied since this fold began (CB-16); each still has its revision.
  public private(set) var anomalyCount = 0
  /// The first hundred of them.
  public private(set) var anomalies: [Anomaly] = []

  public init(from state: RoomState = RoomState()) { self.state = state }

  /// Applies one event. One that does not fit is counted as an anomaly.
  public mutating func apply(_ event: RoomEvent) {
    guard let anomaly = state.apply(event) else { return }
    anomalyCount += 1
    if anomalies.count < Self.keptAnomalies { anomalies.append(anomaly) }
  }

  /// Applies all events of a run. Throws if an event cannot be decoded.
  public mutating func apply(_ run: Run) throws(ReplayError) {
    try run.forEachEvent { event throws(ReplayError) in apply(event) }
  }
}

extension Run {
  /// Calls `body` with every event of the run, decoded, in order.
  public func forEachEvent(
    _ body: (RoomEvent) throws(ReplayError) -> Void
  ) throws(ReplayError) {
    let records = records
    try forEach { view, _ throws(ReplayError) in
      let event: RoomEvent
      do throws(CodecError) { event = try EventCodec.decode(view, in: records) } catch {
        throw .event(view.revision, error)
      }
      try body(event)
    }
  }

  /// The run's events, decoded.
  public func events() throws(ReplayError) -> [RoomEvent] {
    var events: [RoomEvent] = []
    events.reserveCapacity(count)
    try forEachEvent { event throws(ReplayError) in events.append(event) }
    return events
  }
}
