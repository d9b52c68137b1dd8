import EventLogModel
import Synchronization

/// A few threads, each with a read connection of its own to the sealed database.
final class ReaderPool: Sendable {
  private typealias Job = @Sendable (Result<any SealedReading, LogError>) -> Void

  private struct State {
    var jobs: [Job] = []
    var isClosed = false
  }

  private let state = Mutex(State())
  private let signal = Signal()
  private let threads: Mutex<[WorkerThread]> = Mutex([])

  typealias Opening = @Sendable () throws(LogError) -> any SealedReading

  init(threads count: Int, open: @escaping Opening) {
    threads.withLock { threads in
      for _ in 0..<max(1, count) {
        threads.append(WorkerThread { [self] in serve(open) })
      }
    }
  }

  private func serve(_ connect: Opening) {
    // Connections are opened at the start, while files can be opened. SQLite opens its last file with the
    // first read.
    var reader = try? connect()
    _ = try? reader?.row(number: 0)
    while let job = nextJob() {
      do throws(LogError) {
        let open: any SealedReading
        if let reader { open = reader } else { open = try connect() }
        reader = open
        job(.success(open))
      } catch { job(.failure(error)) }
    }
    reader?.close()
  }

  private func nextJob() -> Job? {
    while true {
      let (job, ticket) = state.withLock { state -> (Job?, UInt64?) in
        if !state.jobs.isEmpty { return (state.jobs.removeFirst(), nil) }
        return (nil, state.isClosed ? nil : signal.ticket)
      }
      if let job { return job }
      guard let ticket else { return nil }
      signal.wait(after: ticket)
    }
  }

  /// Runs `body` on one of the threads.
  func read<Value: Sendable>(
    _ body: @escaping @Sendable (any SealedReading) throws(LogError) -> Value
  ) async throws(LogError) -> Value {
    let result = await withCheckedContinuation {
      (continuation: CheckedContinuation<Result<Value, LogError>, Never>) in
      let isClosed = state.withLock { state in
        guard !state.isClosed else { return true }
        state.jobs.append { connection in
          do throws(LogError) {
            continuation.resume(returning: .success(try body(try connection.get())))
          } catch { continuation.resume(returning: .failure(error)) }
        }
        return false
      }
      if isClosed { continuation.resume(returning: .failure(.stopped(reason: "the store is shut down"))) }
      signal.raise()
    }
    return try result.get()
  }

  /// Finishes what is queued and ends the threads. Blocks.
  func close() {
    state.withLock { $0.isClosed = true }
    signal.raise()
    for thread in threads.withLock({ $0 }) { thread.join() }
  }
}
