import EventLogModel

/// How often a connection may send what brings nothing: pings, pongs, and fragments of next to no bytes. Knows no
/// socket and no clock.
struct FramePace {
  enum Verdict: Equatable {
    case taken
    /// Nothing is done or answered.
    case ignored
    /// It never ends: the connection does.
    case flood
  }

  /// A second, in the long run; four times as many at once. 10: browsers and proxies ping every few seconds.
  static let rate = 10
  /// Frames over the rate before the connection ends. 1,000: nothing but a flood comes there.
  static let patience = 1_000
  /// A fragment of so many bytes brings something. 1 KiB: a message of the usual limit has a thousand of them.
  static let fragment = 1 << 10

  private static let burst = Int64(4 * rate) * 1_000
  private var credit = Self.burst
  private var last: Timestamp?
  private var ignored = 0

  /// Such a frame came.
  mutating func take(at now: Timestamp) -> Verdict {
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
