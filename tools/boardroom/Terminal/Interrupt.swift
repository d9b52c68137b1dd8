import Dispatch
import Foundation
import Synchronization

/// Runs work that Ctrl-C (or SIGTERM) ends cleanly: the first one cancels the work's task, which then says
/// goodbye and closes its files; a second one ends the program at once. So does its own patience, where what the work
/// writes to neither takes anything nor fails.
///
/// - Parameter part: what is half written until the work is done, and taken away in such an end.
func untilInterrupted<Value: Sendable>(
  leaving part: String? = nil, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
  // The work begins when the signals are listened to: what it opens may be what somebody waits for to send one.
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
    /// Whether it was asked before.
    func again() -> Bool { flag.exchange(true, ordering: .relaxed) }
  }

  private let sources: [any DispatchSourceSignal]

  /// 5 s: work looks up between two writes.
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
