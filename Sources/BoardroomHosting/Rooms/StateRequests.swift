import BoardroomCore
import BoardroomModel
import EventLogModel

/// What the log holds of a space, as it is in memory.
enum HeldState: Sendable {
  case state(RoomState)
  /// A snapshot, or nothing where there is none, and all events after it.
  case parts(Snapshot?, Run?)
  /// Not all of it is in memory; it can be read from the log.
  case inLog
}

/// A request from outside for the state, which is answered once.
final class StateRequest {
  let until: Timestamp
  /// The state when it was asked for.
  private var state: RoomState?
  private let done: @Sendable (HeldState?) -> Void

  init(_ state: RoomState, until: Timestamp, _ done: @escaping @Sendable (HeldState?) -> Void) {
    (self.state, self.until, self.done) = (state, until, done)
  }

  var isAnswered: Bool { state == nil }

  /// The log holds all of it.
  func showAll() { show(state.map { .state($0) }) }

  /// Nil: the space closes.
  func show(_ held: HeldState?) {
    guard !isAnswered else { return }
    state = nil
    done(held)
  }
}

struct StateRequests {
  private var waiting: [StateRequest] = []
  /// Somebody waited in vain since the last commit; others do not wait then.
  private(set) var isLogSilent = false

  mutating func add(_ request: StateRequest) { waiting.append(request) }

  mutating func logAnswered() { isLogSilent = false }

  /// Those whose time is over.
  mutating func takeOverdue(at now: Timestamp) -> [StateRequest] {
    guard !waiting.isEmpty else { return [] }
    waiting.removeAll { $0.isAnswered }
    let overdue = waiting.filter { $0.until <= now }
    guard !overdue.isEmpty else { return [] }
    waiting.removeAll { $0.until <= now }
    isLogSilent = true
    return overdue
  }
}

extension SpaceHost {
  /// Shows the present state once the log holds all of it, and after `policy.stateWait` what it holds by then (DB-18).
  func whenDurable(at now: Timestamp, done: @escaping @Sendable (HeldState?) -> Void) {
    behaviour?.recordDue(at: now)
    guard !isClosed else { return done(nil) }
    let revision = room.state.revision
    guard !stateRequests.isLogSilent || revision <= durable else { return done(held) }
    let request = StateRequest(room.state, until: now + policy.stateWait, done)
    if revision > durable { stateRequests.add(request) }
    afterCommit(.show(request), at: revision)
    performDue(at: now)
    dispatch()
  }

  func showHeld(at now: Timestamp) {
    for request in stateRequests.takeOverdue(at: now) { request.show(held) }
  }

  private var held: HeldState {
    let snapshot = snapshots.newest?.snapshot
    let from = snapshot?.revision ?? .zero
    guard from >= tail.low else { return .inLog }
    return .parts(snapshot, tail.piece(after: from, through: durable, limit: .max))
  }
}
