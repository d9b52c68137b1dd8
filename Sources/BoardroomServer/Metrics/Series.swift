import CoreMetrics
import Synchronization

/// A value that only rises.
final class CounterSeries: CounterHandler, Sendable {
  private let count = Atomic<Int64>(0)
  var value: Int64 { count.load(ordering: .relaxed) }
  func increment(by amount: Int64) { count.wrappingAdd(amount, ordering: .relaxed) }
  func reset() { count.store(0, ordering: .relaxed) }
}

/// A value that rises and falls.
final class GaugeSeries: MeterHandler, RecorderHandler, Sendable {
  private let held = Mutex(0.0)
  var value: Double { held.withLock { $0 } }
  func set(_ value: Int64) { set(Double(value)) }
  func set(_ value: Double) { held.withLock { $0 = value } }
  func increment(by amount: Double) { held.withLock { $0 += amount } }
  func decrement(by amount: Double) { held.withLock { $0 -= amount } }
  func record(_ value: Int64) { set(value) }
  func record(_ value: Double) { set(value) }
}

/// Counts values by upper bound.
final class HistogramSeries: RecorderHandler, TimerHandler, Sendable {
  /// Seconds, from a flush of a fast disk to a network that stands still.
  static let durations = [
    0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10,
  ]
  /// Counts and bytes: powers of four up to 16 Mi.
  static let sizes = (0...12).map { Double(1 << (2 * $0)) }

  struct Counts: Sendable {
    /// One for each bound and one for all above.
    var counts: [Int64]
    var sum = 0.0
  }

  let bounds: [Double]
  private let scale: Double
  private let held: Mutex<Counts>

  /// `scale` turns what is recorded into the unit of the bounds.
  init(bounds: [Double], scale: Double) {
    self.bounds = bounds
    self.scale = scale
    held = Mutex(Counts(counts: [Int64](repeating: 0, count: bounds.count + 1)))
  }

  var counts: Counts { held.withLock { $0 } }
  func record(_ value: Int64) { record(Double(value)) }
  func record(_ value: Double) {
    let scaled = value * scale
    let place = bounds.firstIndex { scaled <= $0 } ?? bounds.count
    held.withLock {
      $0.counts[place] += 1
      $0.sum += scaled
    }
  }
  func recordNanoseconds(_ duration: Int64) { record(Double(duration)) }
}
