import EventLogModel

/// Lets through a sustained rate and, after a rest, a burst. Pure: time comes in.
struct TokenBucket: Sendable, Hashable {
  private let rate: RoomPolicy.Rate
  /// In thousandths of a token: what a second brings per millisecond is then a whole number.
  private var level: Int64
  private var filled: Timestamp

  init(_ rate: RoomPolicy.Rate, at now: Timestamp) {
    self.rate = rate
    level = Self.thousandths(rate.burst)
    filled = now
  }

  /// Takes one token; false if there is none.
  mutating func take(at now: Timestamp) -> Bool {
    fill(at: now)
    guard level >= 1_000 else { return false }
    level -= 1_000
    return true
  }

  /// Takes what a command costs beside its own token; false if that is not there. Of more than it can ever hold all is
  /// taken once it is full, and the next have to wait until that is paid.
  mutating func take(_ count: Int, at now: Timestamp) -> Bool {
    fill(at: now)
    let cost = Self.thousandths(count)
    guard level >= min(cost, Self.thousandths(rate.burst - 1)) else { return false }
    level -= cost
    return true
  }

  /// Whether it holds all that it can: then nothing is lost by forgetting it.
  func isFull(at now: Timestamp) -> Bool {
    var copy = self
    copy.fill(at: now)
    return copy.level >= Self.thousandths(rate.burst)
  }

  /// A clock that steps back brings nothing, and counts again from where it stepped to.
  private mutating func fill(at now: Timestamp) {
    let elapsed = now.milliseconds.subtractingReportingOverflow(filled.milliseconds)
    filled = now
    guard !elapsed.overflow, elapsed.partialValue > 0 else { return }
    let brought = elapsed.partialValue.multipliedReportingOverflow(by: Int64(max(0, rate.sustained)))
    let full = Self.thousandths(rate.burst)
    level = brought.overflow || brought.partialValue > full - level ? full : level + brought.partialValue
  }

  private static func thousandths(_ tokens: Int) -> Int64 {
    let product = Int64(max(0, tokens)).multipliedReportingOverflow(by: 1_000)
    return product.overflow ? Int64.max : product.partialValue
  }
}
