import Dispatch
import Foundation
import Synchronization

/// Runs work that Ctrl-C or SIGTERM ends cleanly. The first signal cancels the work's task, which then leaves
/// its room and closes its files. A second signal ends the program at once; so does the end of `patience`, if
/// the output of the work neither accepts bytes nor fails.
///
/// - Parameter part: a file that is unfinished until the work is done, and is removed in such an end.
func untilInterrupted<Value: Sendable>(
  leaving part: String? = nil, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  // The work begins after the signal handlers are set, because somebody may send a signal as soon as the work
  // has opened its files.
  let (beginnings, begin) = AsyncStream<Void>.makeStream()
  let task = Task {
    for await _ in beginnings { break }
    return try await work()
  }
  let interrupts = Interrupts(part, task.cancel)
  defer { interrupts.end() }
  begin.finish()
  return try await task.value
}

private final class Interrupts {
  private final class Asked: Sendable {
    private let flag = Atomic(false)
    /// Whether this was called before.
    func again() -> Bool { flag.exchange(true, ordering: .relaxed) }
  }

  private let sources: [any DispatchSourceSignal]

  /// 5 s: work checks for cancellation between two writes.
  private static let patience = DispatchTimeInterval.seconds(5)

  private static func end(_ part: String?) -> Never {
    if let part { NewFolder.abandon(part) }
    exit(ExitStatus.interrupted.rawValue)
  }

  init(_ part: String?, _ first: @escaping @Sendable () -> Void) {
    let asked = Asked()
    sources = [SIGINT, SIGTERM].map { number in
      signal(number, SIG_IGN)
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler {
        if asked.again() { Self.end(part) }
        if part != nil {
          DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { Self.end(part) }
        }
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
