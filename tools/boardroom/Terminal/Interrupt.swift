import Dispatch
import Foundation
import Synchronization

/// Runs work that Ctrl-C (or SIGTERM) ends cleanly: the first one cancels the work's task, which then says
/// goodbye and closes its files; a second one ends the program at once.
func untilInterrupted<Value: Sendable>(
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task { try await work() }
  let asked = Atomic(false)
  return try await withExtendedLifetime(asked) {
    let sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if asked.exchange(true, ordering: .relaxed) { exit(ExitStatus.interrupted.rawValue) }
        task.cancel()
      }
      source.resume()
      return source
    }
    defer { sources.forEach { $0.cancel() } }
    return try await task.value
  }
}
