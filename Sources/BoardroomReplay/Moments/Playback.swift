import BoardroomCore
import BoardroomModel
import EventLogModel

/// How a part of a log is played.
public struct Playback: Sendable {
  /// Log time over clock time; above zero (RP-32). Infinity plays without waiting.
  public var rate: Double
  /// Longer stretches without an event are shortened to this (RP-63); nil keeps them.
  public var idleLimit: Duration?
  public var filter: EventFilter
  /// Where to stop; nil for the end of the log.
  public var through: Revision?

  public init(
    rate: Double = 1, idleLimit: Duration? = nil, filter: EventFilter = .everything, through: Revision? = nil
  ) {
    self.rate = rate
    self.idleLimit = idleLimit
    self.filter = filter
    self.through = through
  }
}

extension Replay {
  /// Plays from here on by the times of the log. `show` gets every event that passes the filter, when its
  /// time has come and the event is part of the moment. It returns whether to go on. Ends early when the task
  /// is cancelled.
  @discardableResult
  public mutating func play<Time: Clock>(
    _ playback: Playback, clock: Time, show: (RoomEvent, Moment) async throws -> Bool
  ) async throws -> TimeMap where Time.Duration == Duration {
    let start = clock.now
    let through = min(playback.through ?? end, end)
    var pace = PlaybackTimer(playback)
    while let event = try await next(), event.revision <= through {
      if let due = pace.due(event.time) {
        try await clock.sleep(until: start.advanced(by: due), tolerance: nil)
      }
      try Task.checkCancellation()
      _ = try await step()
      if playback.filter.passes(event), !(try await show(event, moment)) { break }
    }
    return pace.map
  }
}

/// Computes waits from the times of events.
struct PlaybackTimer {
  private let playback: Playback
  private var schedule = Duration.zero
  private var last: Timestamp?
  private(set) var map = TimeMap()

  init(_ playback: Playback) { self.playback = playback }

  /// When the event is due, counted from the start; nil if there is nothing to wait for.
  mutating func due(_ time: Timestamp) -> Duration? {
    guard let last else {
      self.last = time
      map.add(.zero, time)
      return nil
    }
    let idle = time - last
    let kept = min(idle, playback.idleLimit ?? idle)
    self.last = time
    guard playback.rate.isFinite, playback.rate > 0 else { return nil }
    schedule += kept / playback.rate
    if kept < idle { map.add(schedule, time) }
    return schedule
  }
}
