import Synchronization

/// One answer that a task waits for, and no longer than it likes: the first one counts.
final class AwaitedAnswer<Value: Sendable>: Sendable {
  private enum Stage {
    case open
    case awaited(CheckedContinuation<Value, Never>)
    case given(Value)
    case taken
  }

  private let stage = Mutex(Stage.open)

  /// True: this is the answer; false: there was another one before.
  @discardableResult
  func give(_ value: Value) -> Bool {
    let (isFirst, waiting) = stage.withLock { stage -> (Bool, CheckedContinuation<Value, Never>?) in
      switch stage {
      case .open:
        stage = .given(value)
        return (true, nil)
      case .awaited(let continuation):
        stage = .taken
        return (true, continuation)
      case .given, .taken: return (false, nil)
      }
    }
    waiting?.resume(returning: value)
    return isFirst
  }

  /// Waits for it, once.
  nonisolated(nonsending) func wait() async -> Value {
    await withCheckedContinuation { continuation in
      let given = stage.withLock { stage -> Value? in
        switch stage {
        case .open, .awaited: stage = .awaited(continuation)
        case .given(let value):
          stage = .taken
          return value
        case .taken: preconditionFailure("an answer is awaited once")
        }
        return nil
      }
      if let given { continuation.resume(returning: given) }
    }
  }
}

/// Starts something that answers once, and waits for the answer. A task that is cancelled waits no longer: it gets `cancelled` at
/// once, and `withdraw` is called, which takes back what can be taken back. A task that was cancelled before starts nothing.
///
/// It is started where the caller is isolated, before anything is awaited: what the tasks of one actor start, starts in their order.
///
/// - Parameter start: is called with where the answer goes to. Later answers are ignored.
nonisolated(nonsending) package func awaitAnswer<Value: Sendable>(
  orWhenCancelled cancelled: Value, withdraw: @escaping @Sendable () -> Void = {},
  _ start: (@escaping @Sendable (Value) -> Void) -> Void
) async -> Value {
  guard !Task.isCancelled else { return cancelled }
  let answer = AwaitedAnswer<Value>()
  // Here and not in the operation below: that is a closure without an isolation, which begins on the threads of the pool. What
  // one actor asks for would begin in any order there.
  start { answer.give($0) }
  return await withTaskCancellationHandler {
    await answer.wait()
  } onCancel: {
    if answer.give(cancelled) { withdraw() }
  }
}

/// Stands for one call of the app whose task may be cancelled. Commands that the call leads to know it, so that those that were not
/// sent can be taken back.
final class CallToken: Sendable {
  /// The call that is being carried out; nil where no task waits for it.
  @TaskLocal static var current: CallToken?

  private let cancelled = Guarded(false)
  var isCancelled: Bool { cancelled.with { $0 } }
  func cancel() { cancelled.with { $0 = true } }
}
