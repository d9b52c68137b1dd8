import EventLogModel

/// Where each stretch of a playback lies in the log's time (RP-63): from an entry to the next, schedule and UTC
/// run at the playback's rate; at an entry UTC may leap over what is skipped.
public struct TimeMap: Sendable, Hashable {
  public struct TimePoint: Sendable, Hashable {
    /// Since the playback began, on its clock.
    public var schedule: Duration
    public var utc: Timestamp

    public init(schedule: Duration, utc: Timestamp) {
      self.schedule = schedule
      self.utc = utc
    }
  }

  public private(set) var entries: [TimePoint] = []

  public init() {}

  /// Both must be those of a later moment than the entry before.
  public mutating func add(_ schedule: Duration, _ utc: Timestamp) {
    entries.append(TimePoint(schedule: schedule, utc: utc))
  }

  /// The log's time at a schedule time, at rate 1; before the first entry that of the first.
  public func utc(at schedule: Duration) -> Timestamp {
    guard let entry = last(where: { $0.schedule <= schedule }) ?? entries.first else { return .zero }
    return entry.utc + max(.zero, schedule - entry.schedule)
  }

  /// The first schedule time, at rate 1, at which the log's time is not before `utc`: for one that is skipped,
  /// the moment of the leap.
  public func schedule(of utc: Timestamp) -> Duration {
    guard let place = lastIndex(where: { $0.utc <= utc }) else { return entries.first?.schedule ?? .zero }
    let entry = entries[place]
    let schedule = entry.schedule + (utc - entry.utc)
    guard place + 1 < entries.count else { return schedule }
    return min(schedule, entries[place + 1].schedule)
  }

  private func last(where isMeant: (TimePoint) -> Bool) -> TimePoint? {
    lastIndex(where: isMeant).map { entries[$0] }
  }

  /// Entries rise in both, so a search by halves finds the last one that is meant.
  private func lastIndex(where isMeant: (TimePoint) -> Bool) -> Int? {
    var (low, high) = (0, entries.count)
    while low < high {
      let middle = (low + high) / 2
      if isMeant(entries[middle]) { low = middle + 1 } else { high = middle }
    }
    return low == 0 ? nil : low - 1
  }
}
