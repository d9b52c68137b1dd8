import Dispatch
import Foundation
import Synchronization

/// Runs work that Ctrl-C (or SIGTERM) ends cleanly: the first one cancels the work's task, which then says
/// goodbye and closes its files; a second one ends the program at once.
func untilInterrupted<Value: Sendable>(
  _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  let task = Task { try await work() }
  let interrupts = Interrupts(task.cancel)
  defer { interrupts.end() }
  return try await task.value
}

private final class Interrupts {
  private final class Asked: Sendable {
    private let flag = Atomic(false)
    /// Whether it was asked before.
    func again() -> Bool { flag.exchange(true, ordering: .relaxed) }
  }

  private let sources: [any DispatchSourceSignal]

  init(_ first: @escaping @Sendable () -> Void) {
    let asked = Asked()
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if asked.again() { exit(ExitStatus.interrupted.rawValue) }
        first()
      }
      source.resume()
      return source
    }
  }

  func end() {
    for source in sources { source.cancel() }
  }
}
