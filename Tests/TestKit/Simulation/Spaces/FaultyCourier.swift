import BoardroomHosting
import BoardroomModel
import EventLogModel
import StorageTestKit
import Synchronization

/// Carries what spaces ask each other as a bad network would: loses, delays and repeats questions and answers, by a seed.
public final class FaultyCourier: SpaceCourier {
  /// What can happen to a message, in a hundred.
  public struct Faults: Sendable, Hashable {
    public var lost: Int
    public var late: Int
    public var twice: Int
    /// A defect, to be found: copies come under numbers of their own, so that nobody can know them again.
    public var renumbers = false

    public init(lost: Int, late: Int, twice: Int) {
      (self.lost, self.late, self.twice) = (lost, late, twice)
    }

    public static let none = Faults(lost: 0, late: 0, twice: 0)
  }

  private struct Held {
    var due: Timestamp
    var order: Int
    var message: SpaceMessage
    var deliver: @Sendable (SpaceMessage) -> Void
  }

  private struct State {
    var luck: SeededGenerator
    var faults: Faults
    var held: [Held] = []
    var order = 0
    /// How often a question, or its answer, was lost.
    var losses: [QuestionNumber: Int] = [:]
    var counts = Faults.none
  }

  /// So often at most, so that an asker never gives up: it sends `SpaceExchange.attempts` (10) times.
  private static let losses = 5

  private let clock: VirtualClock
  private let state: Mutex<State>

  public init(_ faults: Faults, seed: UInt64, clock: VirtualClock) {
    self.clock = clock
    state = Mutex(State(luck: SeededGenerator(seed: seed), faults: faults))
  }

  /// What it did so far.
  public var counts: Faults { state.withLock { $0.counts } }

  package func carry(_ message: SpaceMessage, _ deliver: @escaping @Sendable (SpaceMessage) -> Void) {
    let now = clock.now
    let isNow = state.withLock { state in
      let dice = state.luck.number(0...99)
      var (isLost, isLate) = (dice < state.faults.lost, false)
      if isLost, state.losses[message.number, default: 0] >= Self.losses { isLost = false }
      if isLost {
        state.losses[message.number, default: 0] += 1
        state.counts.lost += 1
      } else if (state.faults.lost..<state.faults.lost + state.faults.late).contains(dice) {
        isLate = true
        state.counts.late += 1
        Self.hold(message, deliver, in: &state, at: now)
      }
      if state.luck.number(0...99) < state.faults.twice {
        state.counts.twice += 1
        Self.hold(message, deliver, in: &state, isCopy: true, at: now)
      }
      return !isLost && !isLate
    }
    if isNow { deliver(message) }
  }

  /// Up to a quarter of a second mostly, now and then up to 15 s: seven times what is waited for an answer.
  private static func hold(
    _ message: SpaceMessage, _ deliver: @escaping @Sendable (SpaceMessage) -> Void, in state: inout State,
    isCopy: Bool = false, at now: Timestamp
  ) {
    var message = message
    if isCopy, state.faults.renumbers { message = renumbered(message, state.order) }
    let delay = state.luck.pick([(250, 4), (3_000, 3), (15_000, 1)])
    state.order += 1
    let due = now + .milliseconds(Int64(state.luck.number(1...delay)))
    state.held.append(Held(due: due, order: state.order, message: message, deliver: deliver))
  }

  private static func renumbered(_ message: SpaceMessage, _ order: Int) -> SpaceMessage {
    guard case .question(var question) = message else { return message }
    question.number.serial += UInt64(order + 1) << 32
    return .question(question)
  }

  /// Delivers what is due by now.
  public func deliverDue() {
    let now = clock.now
    let due = state.withLock { state in
      let due = state.held.filter { $0.due <= now }.sorted { ($0.due, $0.order) < ($1.due, $1.order) }
      state.held.removeAll { $0.due <= now }
      return due
    }
    for one in due { one.deliver(one.message) }
  }

  /// From here on everything arrives at once, and so does what was held up.
  public func endFaults() {
    let held = state.withLock { state in
      defer { state.held = [] }
      state.faults = .none
      return state.held.sorted { $0.order < $1.order }
    }
    for one in held { one.deliver(one.message) }
  }
}
