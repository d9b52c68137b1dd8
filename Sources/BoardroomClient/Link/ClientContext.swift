import EventLogModel

/// Where everything of one SDK happens, one thing after the other, and its clock. Callbacks are called here.
public protocol ClientContext: SerialExecutor {
  /// Never goes back while the program runs.
  var now: Timestamp { get }
  /// Runs `work` later, in the order of the calls.
  func execute(_ work: @escaping @Sendable () -> Void)
  /// Runs `work` at `time`, or as soon as it can if that has passed.
  func schedule(at time: Timestamp, _ work: @escaping @Sendable () -> Void)
  /// A random number from 0 up to 1: what spreads retries.
  func chance() -> Double
}

/// The isolation domain of one connection: a room's, a player's, an RTC connection's, an RTM or a Signaling client's. It owns
/// what the connection is made of. All of that is plain classes and values that are not `Sendable`: they stay on the
/// context, and call each other as usual.
///
/// Calls of the app come in here. What sockets, timers and other tasks call comes in by `ClientContext.confined`.
package actor ConnectionDomain<Root> {
  package nonisolated let context: any ClientContext
  private let root: Root

  package nonisolated var unownedExecutor: UnownedSerialExecutor { context.asUnownedSerialExecutor() }

  package init(_ context: any ClientContext, _ root: sending Root) {
    (self.context, self.root) = (context, root)
  }

  /// Runs `work` on the context, after all that was asked of it before.
  package nonisolated func enter(_ work: @escaping @Sendable (Root) -> Void) {
    let run: @Sendable () -> Void = { self.assumeIsolated { work($0.root) } }
    guard let call = CallToken.current else { return context.execute(run) }
    context.execute { CallToken.$current.withValue(call, operation: run) }
  }

  /// What there is to know once what was asked before has been done.
  package nonisolated(nonsending) func ask<Value: Sendable>(
    _ question: @escaping @Sendable (Root) -> Value
  ) async -> Value {
    await withCheckedContinuation { continuation in
      enter { continuation.resume(returning: question($0)) }
    }
  }
}

extension ClientContext {
  /// Wraps what belongs to this context so that anybody may hold it, such as a socket or a timer. Whoever calls it must be
  /// on this context: the program stops otherwise. `work` holds its objects weakly, because the wrapper may be let go of on
  /// any thread.
  package func confined<Input>(_ work: @escaping (Input) -> Void) -> @Sendable (Input) -> Void {
    nonisolated(unsafe) let work = work
    return { input in
      self.preconditionIsolated("This belongs to another context.")
      work(input)
    }
  }

  /// `execute` for what belongs to this context.
  package func executeConfined(_ work: @escaping () -> Void) {
    let work = confined { (_: Void) in work() }
    execute { work(()) }
  }

  /// `schedule` for what belongs to this context.
  package func scheduleConfined(at time: Timestamp, _ work: @escaping () -> Void) {
    let work = confined { (_: Void) in work() }
    schedule(at: time) { work(()) }
  }
}

/// A delegate of the app, held weakly. The object belongs to where the app is called, which may be an actor; that is why a
/// delegate is not `Sendable`, and why this reference to it may travel: it is read and called on the context, and nowhere
/// else.
package final class DelegateReference<Delegate>: Sendable {
  private struct Reading: @unchecked Sendable { var delegate: () -> Delegate? }
  private let held = Guarded(Reading { nil })

  /// From here on `delegate` gives the object. It has to hold it weakly.
  package init() {}

  package func set(_ delegate: @escaping () -> Delegate?) {
    let reading = Reading(delegate: delegate)
    held.with { $0 = reading }
  }

  package var delegate: Delegate? { held.with { $0 }.delegate() }
}
