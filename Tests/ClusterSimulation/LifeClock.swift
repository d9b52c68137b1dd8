/// What happens when, in one life: a clock of microseconds that only this moves.
final class LifeClock {
  private struct Due {
    var time: Int
    var order: Int
    var action: () -> Void
  }

  private(set) var now = 0
  private var heap: [Due] = []
  private var order = 0

  func after(_ microseconds: Int, _ action: @escaping () -> Void) {
    order += 1
    heap.append(Due(time: now + max(0, microseconds), order: order, action: action))
    var place = heap.count - 1
    while place > 0, isBefore(place, (place - 1) / 2) {
      heap.swapAt(place, (place - 1) / 2)
      place = (place - 1) / 2
    }
  }

  /// Nothing happens any more.
  func clear() { heap = [] }

  private func isBefore(_ one: Int, _ other: Int) -> Bool {
    heap[one].time == heap[other].time
      ? heap[one].order < heap[other].order : heap[one].time < heap[other].time
  }

  /// Lets all happen that is due until a moment.
  func run(until end: Int) {
    while let first = heap.first, first.time <= end {
      takeFirst()
      now = first.time
      first.action()
    }
    now = max(now, end)
  }

  private func takeFirst() {
    heap.swapAt(0, heap.count - 1)
    heap.removeLast()
    var place = 0
    while true {
      var least = place
      for child in [2 * place + 1, 2 * place + 2] where child < heap.count && isBefore(child, least) {
        least = child
      }
      guard least != place else { return }
      heap.swapAt(place, least)
      place = least
    }
  }
}

/// A process of a node or of a server: runs, stands still (SIGSTOP), or has ended. What comes while it stands still
/// happens when it goes on.
final class SimulatedProcess {
  enum Condition { case runs, standsStill, ended }

  private let clock: LifeClock
  private(set) var condition = Condition.runs
  private var late: [() -> Void] = []
  /// Strikes at one of the next moments at which the process hears something: how many are left, and what is done.
  var strike: (left: Int, act: () -> Void)?
  /// Strikes when it hears that a transaction has begun, in the middle of which it is then.
  var strikeInside: (() -> Void)?
  /// Called when it ends.
  var whenEnded: [() -> Void] = []
  /// When it stood still last, and when it went on.
  private(set) var stopped = 0
  private(set) var wentOn = 0
  /// The highest timeline that it has seen at the database's address.
  var newestTimeline = 0

  init(_ clock: LifeClock) { self.clock = clock }

  /// Does something now, or when the process goes on; never if it has ended.
  func run(_ action: @escaping () -> Void) {
    switch condition {
    case .runs: action()
    case .standsStill: late.append(action)
    case .ended: break
    }
  }

  /// The same for what comes from outside, where the process may be struck.
  func hear(_ action: @escaping () -> Void) {
    if condition == .runs, let strike {
      self.strike = strike.left > 0 ? (strike.left - 1, strike.act) : nil
      if strike.left == 0 { strike.act() }
    }
    run(action)
  }

  func after(_ microseconds: Int, _ action: @escaping () -> Void) {
    clock.after(microseconds) { [self] in run(action) }
  }

  func standStill() {
    guard condition == .runs else { return }
    (condition, stopped) = (.standsStill, clock.now)
  }

  func goOn() {
    guard condition == .standsStill else { return }
    (condition, wentOn) = (.runs, clock.now)
    let due = late
    late = []
    for action in due { clock.after(0) { [self] in run(action) } }
  }

  func end() {
    guard condition != .ended else { return }
    (condition, late, strike, strikeInside) = (.ended, [], nil, nil)
    let waiters = whenEnded
    whenEnded = []
    for waiter in waiters { waiter() }
  }
}
