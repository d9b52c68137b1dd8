import EventLog
import EventLogModel
import Synchronization

/// A thread of its own that does one thing after the other, in the order in which they were asked for.
/// Waiting for a database blocks, which threads of Swift's pool must not do.
final class JobThread: Sendable {
  private struct State {
    var jobs: [@Sendable () -> Void] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let signal = Signal()
  private let thread = Mutex<WorkerThread?>(nil)

  init() {
    thread.withLock { $0 = WorkerThread { [self] in while let job = next() { job() } } }
  }

  private func next() -> (@Sendable () -> Void)? {
    while true {
      let (job, ticket) = state.withLock { state -> ((@Sendable () -> Void)?, UInt64?) in
        if !state.jobs.isEmpty { return (state.jobs.removeFirst(), nil) }
        return (nil, state.isClosed ? nil : signal.ticket)
      }
      if let job { return job }
      guard let ticket else { return nil }
      signal.wait(after: ticket)
    }
  }

  static let isClosed = LogError.stopped(reason: "the store is shut down")

  /// Does something after all that was added before; false if the thread is closed.
  func add(_ job: @escaping @Sendable () -> Void) -> Bool {
    let isOpen = state.withLock { state in
      guard !state.isClosed else { return false }
      state.jobs.append(job)
      return true
    }
    if isOpen { signal.raise() }
    return isOpen
  }

  /// Runs `body` on the thread. Throws `stopped` once the thread is closed.
  func run<Value: Sendable>(
    _ body: @escaping @Sendable () throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, LogError>, Never>) in
      let isAdded = add {
        do throws(LogError) {
          continuation.resume(returning: .success(try body()))
        } catch { continuation.resume(returning: .failure(error)) }
      }
      if !isAdded { continuation.resume(returning: .failure(Self.isClosed)) }
    }
    return try result.get()
  }

  /// Runs `body` on a thread that is made for it.
  static func once(_ body: @escaping @Sendable () -> Void) async {
    await withCheckedContinuation { continuation in
      _ = WorkerThread {
        body()
        continuation.resume()
      }
    }
  }

  /// Finishes what is queued and ends the thread. Blocks.
  func close() {
    state.withLock { $0.isClosed = true }
    signal.raise()
    thread.withLock { thread in
      thread?.join()
      thread = nil
    }
  }
}
