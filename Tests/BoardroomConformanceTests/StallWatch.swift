import BoardroomClient
import EventLogModel
import Synchronization

/// Measures how much later than asked for this machine does things, on the loops on which the clients live: what a busy
/// machine takes away, no server and no client can keep.
final class StallWatch: Sendable {
  private struct State {
    var worst = Duration.zero
    var isOver = false
  }
  /// Often enough to see what is longer than itself.
  private static let every = Duration.milliseconds(5)
  private let state = Mutex(State())

  /// The longest that anything waited so far.
  var worst: Duration { state.withLock { $0.worst } }

  /// Watches until `work` is done.
  static func over<Value>(_ work: () async -> Value) async -> (Value, stall: Duration) {
    let watch = StallWatch()
    for _ in 1...2 { watch.look(LoopContext()) }
    defer { watch.state.withLock { $0.isOver = true } }
    let value = await work()
    return (value, watch.worst)
  }

  private func look(_ context: LoopContext) {
    let asked = ContinuousClock.now + Self.every
    context.schedule(at: context.now + Self.every) { [self] in
      let late = ContinuousClock.now - asked
      let goesOn = state.withLock { state in
        state.worst = max(state.worst, late)
        return !state.isOver
      }
      if goesOn { look(context) }
    }
  }
}
