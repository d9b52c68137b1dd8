import BoardroomHosting
import EventLogModel
import Synchronization

/// A loop that runs only when a test turns it. All of it happens on the test's own thread.
public final class HandLoop: RoomLoop {
  private struct State {
    var queue: [@Sendable () -> Void] = []
    var depth = 0
    var watch: (@Sendable () -> Void)?
  }
  private let state = Mutex(State())
  public init() {}

  /// Calls back after each turn: one piece of work that was queued.
  public func watch(_ turned: @escaping @Sendable () -> Void) { state.withLock { $0.watch = turned } }

  public var isCurrent: Bool { state.withLock { $0.depth > 0 } }

  public func execute(_ work: @escaping @Sendable () -> Void) { state.withLock { $0.queue.append(work) } }

  /// Left out: `SimulatedServer` turns the clock and says so.
  public func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {}

  /// Runs `work` as if on this loop.
  public func perform<Result>(_ work: () throws -> Result) rethrows -> Result {
    state.withLock { $0.depth += 1 }
    defer { state.withLock { $0.depth -= 1 } }
    return try work()
  }

  /// Runs what is queued, and what that queues; false if there was nothing.
  @discardableResult
  public func drain() -> Bool {
    var ran = false
    while let work = state.withLock({ $0.queue.isEmpty ? nil : $0.queue.removeFirst() }) {
      ran = true
      perform { work() }
      state.withLock { $0.watch }?()
    }
    return ran
  }
}

/// Runs tasks only when a test turns it, on the test's own thread.
public final class HandExecutor: TaskExecutor {
  private let jobs = Mutex<[UnownedJob]>([])
  public init() {}

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    jobs.withLock { $0.append(job) }
  }

  @discardableResult
  public func drain() -> Bool {
    var ran = false
    while let job = jobs.withLock({ $0.isEmpty ? nil : $0.removeFirst() }) {
      ran = true
      job.runSynchronously(on: asUnownedTaskExecutor())
    }
    return ran
  }
}
