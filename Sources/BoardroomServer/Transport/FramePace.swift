import EventLogModel

/// Limits how often a connection may send frames without content: pings, pongs, and very small fragments.
/// Knows no socket and no clock.
struct FramePace {
  enum Verdict: Equatable {
    case taken
    /// The frame is dropped and not answered.
    case ignored
    /// There are too many: the connection is closed.
    case flood
  }

  /// Frames a second in the long run; four times as many at once. 10: browsers and proxies ping every few
  /// seconds.
  static let rate = 10
  /// Frames over the rate before the connection is closed. 1,000: only a flood reaches it.
  static let patience = 1_000
  /// A fragment of so many bytes counts as content. 1 KiB: a message of the usual limit then has at most a
  /// thousand fragments.
  static let fragment = 1 << 10

  private static let burst = Int64(4 * rate) * 1_000
  private var credit = Self.burst
  private var last: Timestamp?
  private var ignored = 0

  /// Such a frame came.
  mutating func countFrame(at now: Timestamp) -> Verdict {
    let passed = last.map { max(0, now.milliseconds - $0.milliseconds) } ?? 0
    last = max(last ?? now, now)
    credit = min(Self.burst, credit + passed * Int64(Self.rate))
    if credit == Self.burst { ignored = 0 }
    guard credit < 1_000 else {
      credit -= 1_000
      return .taken
    }
    ignored += 1
    return ignored > Self.patience ? .flood : .ignored
  }
}
