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
  let interrupts = await Interrupts(part, task.cancel)
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

  private let signals: WatchedSignals

  /// 5 s: work checks for cancellation between two writes.
  private static let patience = DispatchTimeInterval.seconds(5)

  private static func end(_ part: String?) -> Never {
    if let part { NewFolder.abandon(part) }
    exit(ExitStatus.interrupted.rawValue)
  }

  init(_ part: String?, _ first: @escaping @Sendable () -> Void) async {
    let asked = Asked()
    signals = await WatchedSignals([SIGINT, SIGTERM]) {
      if asked.again() { Self.end(part) }
      if part != nil {
        DispatchQueue.global().asyncAfter(deadline: .now() + Self.patience) { Self.end(part) }
      }
      first()
    }
  }

  func end() { signals.end() }
}

/// Signals that call a function in place of ending the program.
struct WatchedSignals {
  private let sources: [any DispatchSourceSignal]

  /// Returns when each of the signals is caught: one that came before did what it does by itself, and none is lost in
  /// between. `body` is called for each that comes, on any thread.
  init(_ numbers: [Int32], _ body: @escaping @Sendable () -> Void) async {
    var sources: [any DispatchSourceSignal] = []
    for number in numbers {
      let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
      source.setEventHandler(handler: body)
      // `resume` returns before the signal is caught; a busy machine takes its time until then.
      await withCheckedContinuation { continuation in
        source.setRegistrationHandler {
          #if canImport(Darwin)
            // A source only listens there.
            signal(number, SIG_IGN)
          #endif
          continuation.resume()
        }
        source.resume()
      }
      sources.append(source)
    }
    self.sources = sources
  }

  func end() {
    for source in sources { source.cancel() }
  }
}
