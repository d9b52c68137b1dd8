import BoardroomClient
import BoardroomHosting
import EventLogModel

/// A clock that runs so many times as fast as the world's, from now on.
public struct PacedClock: Sendable {
  private let pace: Int
  private let start = Timestamp.wallClock
  private let origin = ContinuousClock.now

  public init(_ pace: Int) { self.pace = pace }

  public var now: Timestamp { start + (ContinuousClock.now - origin) * pace }
}

/// The context of a real program by such a clock.
public final class PacedContext: ClientContext {
  /// Where everything happens; transports stand on it.
  public let loop = LoopContext()
  private let pace: Int
  private let clock: PacedClock

  public init(_ pace: Int) { (self.pace, clock) = (pace, PacedClock(pace)) }

  public var now: Timestamp { clock.now }
  public func execute(_ work: @escaping @Sendable () -> Void) { loop.execute(work) }
  public func chance() -> Double { loop.chance() }

  public func schedule(at time: Timestamp, _ work: @escaping @Sendable () -> Void) {
    loop.schedule(at: loop.now + max(.zero, time - now) / pace, work)
  }

  // MARK: SerialExecutor

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  public func checkIsolated() { loop.checkIsolated() }
}
