import EventLogModel
import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// The context of a real program: one NIO event loop.
public final class LoopContext: ClientContext {
  let loop: any EventLoop
  /// Wall-clock time at which the monotonic clock stood at `origin`.
  private let start: Timestamp
  private let origin: ContinuousClock.Instant
  private let speed: Int

  /// - Parameters:
  ///   - loop: where callbacks and completions are called; nil: a loop of NIO's own threads.
  ///   - speed: how many times as fast as the clock on the wall this one runs. More than 1 is for tests, against a server
  ///     whose clock runs as fast (`boardroom serve --speed`).
  public init(_ loop: (any EventLoop)? = nil, speed: Int = 1) {
    self.loop = loop ?? MultiThreadedEventLoopGroup.singleton.next()
    self.speed = max(1, speed)
    origin = .now
    start = Timestamp(milliseconds: Self.wallClock())
  }

  static func wallClock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  /// The time of this context. It never goes back.
  public var now: Timestamp { start + (ContinuousClock.now - origin) * speed }

  /// Runs the work on the event loop, in a later turn.
  public func execute(_ work: @escaping @Sendable () -> Void) { loop.execute(work) }

  /// Runs the work on the event loop at the time, or at once if the time has passed.
  public func schedule(at time: Timestamp, _ work: @escaping @Sendable () -> Void) {
    // A millisecond more, so that a clock read then has surely passed `time`.
    let wait = max(.zero, time - now + .milliseconds(1)) / speed
    loop.scheduleTask(in: TimeAmount(wait), work)
  }

  /// A random number from 0 up to 1, for the spread of retries.
  public func chance() -> Double { Double.random(in: 0..<1) }

  // MARK: SerialExecutor

  /// Runs a job of Swift's concurrency on the event loop.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  /// This context as an executor of Swift's concurrency.
  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  /// Stops the program if the caller is not on the event loop.
  public func checkIsolated() { loop.preconditionInEventLoop() }
}
