import EventLogModel

/// Where everything of one SDK happens, one thing after the other, and its clock. Callbacks are called here.
public protocol ClientContext: SerialExecutor {
  /// Never goes back while the program runs.
  var now: Timestamp { get }
  /// Runs `work` later, in the order of the calls.
  func execute(_ work: @escaping @Sendable () -> Void)
  /// Runs `work` at `time`, or as soon as it can if that has passed.
  func schedule(at time: Timestamp, _ work: @escaping @Sendable () -> Void)
  /// A random number from 0 up to 1: what spreads retries.
  func chance() -> Double
}
