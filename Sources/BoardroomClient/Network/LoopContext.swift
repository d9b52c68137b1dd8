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

  /// On a loop of NIO's own threads unless another is given.
  public init(_ loop: (any EventLoop)? = nil) {
    self.loop = loop ?? MultiThreadedEventLoopGroup.singleton.next()
    origin = .now
    start = Timestamp(milliseconds: Self.wallClock())
  }

  private static func wallClock() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return Int64(time.tv_sec) * 1_000 + Int64(time.tv_nsec) / 1_000_000
  }

  public var now: Timestamp { start + (ContinuousClock.now - origin) }

  public func execute(_ work: @escaping @Sendable () -> Void) { loop.execute(work) }

  public func schedule(at time: Timestamp, _ work: @escaping @Sendable () -> Void) {
    // A millisecond more, so that a clock read then has surely passed `time`.
    let wait = max(0, (time - now).wholeMilliseconds + 1)
    loop.scheduleTask(in: .milliseconds(wait), work)
  }

  public func chance() -> Double { Double.random(in: 0..<1) }

  // MARK: SerialExecutor

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

  public func checkIsolated() { loop.preconditionInEventLoop() }
}
