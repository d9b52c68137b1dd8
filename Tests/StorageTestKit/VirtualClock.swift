import EventLogModel
import Synchronization

/// A clock that moves only when told.
public final class VirtualClock: Sendable {
  private let time: Mutex<Timestamp>

  public init(_ start: Timestamp = Timestamp(milliseconds: 1_700_000_000_000)) { time = Mutex(start) }

  public var now: Timestamp { time.withLock { $0 } }

  @discardableResult
  public func advance(by step: Duration) -> Timestamp {
    time.withLock { time in
      time = time + step
      return time
    }
  }
}
