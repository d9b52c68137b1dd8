import BoardroomClient
import BoardroomHosting
import EventLogModel
import MemoryLog
import Synchronization

/// Time and order of a whole simulated world: everything that client, network and server do waits in one
/// queue, which the test runs on its own thread. The same seed gives the same run.
public final class VirtualLoop: ClientContext, RoomLoop {
  private struct Item {
    let time: Timestamp
    let number: UInt64
    let work: @Sendable () -> Void
  }

  private struct State {
    var now = Timestamp(milliseconds: 1_700_000_000_000)
    var queue: [Item] = []
    var count: UInt64 = 0
    var isRunning = false
    var luck: SeededGenerator
  }

  private let state: Mutex<State>

  public init(seed: UInt64) { state = Mutex(State(luck: SeededGenerator(seed: seed))) }

  public var now: Timestamp { state.withLock { $0.now } }
  public var isCurrent: Bool { state.withLock { $0.isRunning } }

  /// A seeded random number, for the network and for the retries of clients.
  public func chance() -> Double { state.withLock { Double.random(in: 0..<1, using: &$0.luck) } }
  /// A seeded random number in a range.
  public func random(_ range: ClosedRange<Int>) -> Int {
    state.withLock { Int.random(in: range, using: &$0.luck) }
  }

  public func execute(_ work: @escaping @Sendable () -> Void) { schedule(at: .zero, work) }

  public func execute(after delay: Duration, _ work: @escaping @Sendable () -> Void) {
    schedule(at: now + delay, work)
  }

  public func schedule(at time: Timestamp, _ work: @escaping @Sendable () -> Void) {
    state.withLock { state in
      state.count += 1
      let item = Item(time: max(time, state.now), number: state.count, work: work)
      // The queue is sorted with the latest first, so that the next one is taken from the end.
      var low = 0
      var high = state.queue.count
      while low < high {
        let middle = (low + high) / 2
        if state.queue[middle].time > item.time { low = middle + 1 } else { high = middle }
      }
      state.queue.insert(item, at: low)
    }
  }

  /// The time of the next entry; nil if the queue is empty.
  public var nextTime: Timestamp? { state.withLock { $0.queue.last?.time } }

  /// Runs the next entry if it is due by `limit`, and sets the time to its time.
  public func runNext(until limit: Timestamp) -> Bool {
    let work: (@Sendable () -> Void)? = state.withLock { state in
      guard let item = state.queue.last, item.time <= limit else { return nil }
      state.queue.removeLast()
      state.now = item.time
      state.isRunning = true
      return item.work
    }
    guard let work else { return false }
    work()
    state.withLock { $0.isRunning = false }
    return true
  }

  /// Sets the time, without running anything.
  public func advance(to time: Timestamp) { state.withLock { $0.now = max($0.now, time) } }

  // MARK: SerialExecutor

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    execute { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
  }

  public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }
  public func checkIsolated() { precondition(isCurrent, "touched away from its loop") }
}

/// Runs tasks on a virtual loop.
public final class VirtualTasks: TaskExecutor {
  private let loop: VirtualLoop
  public init(_ loop: VirtualLoop) { self.loop = loop }

  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    loop.execute { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
  }
}
