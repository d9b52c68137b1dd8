import EventLogModel

/// How much of a room's log is kept; what is older than any of these asks for goes, block by block (LOG-28). What the board
/// shows stays: it is the state, not the history. Zero: no bound.
public struct HistoryKeeping: Sendable, Hashable {
  /// Days since an event.
  public var days: Int
  /// The newest events.
  public var events: Int
  /// Bytes as they are stored.
  public var bytes: Int

  /// A hundred years.
  public static let mostDays = 0...36_500
  public static let mostEvents = 0...1 << 40
  public static let mostBytes = 0...1 << 50

  public init(days: Int = 0, events: Int = 0, bytes: Int = 0) {
    (self.days, self.events, self.bytes) = (days, events, bytes)
  }

  /// Nothing ever goes.
  public var isForEver: Bool { self == HistoryKeeping() }

  /// Events up to this time are too old; nil where age does not count.
  public func ageLimit(at now: Timestamp) -> Timestamp? {
    days > 0 ? Timestamp(milliseconds: now.milliseconds - Int64(days) * 86_400_000) : nil
  }
}
