import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What other spaces ask of this one, and how it asks them.
extension SpaceHost {
  /// Answers a question of another space, or of this one, once. What changes something answers when the log holds it.
  func answer(
    _ question: SpaceQuestion, at now: Timestamp, done: @escaping @Sendable (SpaceAnswer) -> Void
  ) {
    let settled: @Sendable (Refusal?) -> Void = { done($0.map { .refused($0) } ?? .done) }
    switch question {
    case .isSignedIn, .loginAttributes, .channelAttributes, .memberCount, .hasMember, .newestMembers,
      .holdsMember, .standing, .isOpen, .wake:
      read(question, at: now, done: done)
    case .change(let command, let account): decide(command, by: account, at: now, done: settled)
    case .message(let message, let holds): take(message, holds: holds, at: now, done: settled)
    case .enter(let place): enterChannel(place, at: now, done: done)
    case .dismiss(let account, let cause, let entry):
      dismiss(account, cause, through: entry, done: settled)
    case .left(let key, let entry, let cause):
      leftChannel(key, entry: entry, cause, at: now)
      done(.done)
    case .offer(let heard, _): takeOffer(heard, at: now) { done($0 ? .yes : .no) }
    case .news(let heard):
      hear(heard, at: now)
      done(.done)
    case .act(let input, let serial, let callee, let service):
      take(input, serial, from: callee, service, at: now, done: settled)
    case .calleeGone(let serial, let callee):
      calleeGone(serial, callee, at: now)
      // What the caller's log does not hold is not forgotten there.
      onceKept(isOpen(serial, to: callee) ? .yes : .no, done)
    case .calleeCame(let serial):
      offerAgain(serial, at: now)
      done(.done)
    case .presences(let presences):
      carryOut(
        at: now, removing: nil,
        deciding: { _ in presences.map { Proposed(actor: .server, event: .space(.presence($0))) } },
        reading: { _ in () }, done: { _ in })
      done(.done)
    }
  }

  private func read(
    _ question: SpaceQuestion, at now: Timestamp, done: @escaping @Sendable (SpaceAnswer) -> Void
  ) {
    switch question {
    case .isSignedIn(let service):
      passLogins(at: now)
      later(login(of: service) != nil ? .yes : .no, done)
    case .loginAttributes(let service):
      passLogins(at: now)
      later(.reply(.attributes(room.state.space?.slots[service]?.attributes ?? [:])), done)
    case .channelAttributes:
      readChannel(at: now, done) { .attributes($0.space?.attributes ?? [:]) }
    case .memberCount: readChannel(at: now, done) { .number($0.members.count) }
    case .hasMember(let account):
      readChannel(at: now, done) { state in
        .number(state.members.values.contains { $0.uid == account } ? 1 : 0)
      }
    case .newestMembers(let limit): readChannel(at: now, done) { $0.newest(limit) }
    case .holdsMember(let account): onceKept(member(of: account) != nil ? .yes : .no, done)
    case .standing(let key):
      let obstacle = obstacle(toBeingIn: key, at: now)
      // Nothing follows from what the account's log does not hold.
      onceKept(.standing(obstacle, entry: account.entries[key]), done)
    case .isOpen(let serial, let callee): onceKept(isOpen(serial, to: callee) ? .yes : .no, done)
    default: done(.done)
    }
  }

  private func readChannel(
    at now: Timestamp, _ done: @escaping @Sendable (SpaceAnswer) -> Void, _ reading: (RoomState) -> Reply
  ) {
    recordChannelDue(at: now)
    later(.reply(reading(room.state)), done)
  }

  /// Answers when the log holds what it is taken from, or never will.
  private func later(_ answer: SpaceAnswer, _ done: @escaping @Sendable (SpaceAnswer) -> Void) {
    afterward { _ in done(answer) }
  }

  /// The same; refused if the log never will.
  private func onceKept(_ answer: SpaceAnswer, _ done: @escaping @Sendable (SpaceAnswer) -> Void) {
    afterward { done($0.map { .refused($0) } ?? answer) }
  }

  // MARK: Asking

  /// Asks another space; nothing is heard once this host is closed.
  func ask(
    _ question: SpaceQuestion, of space: SpaceName, making payer: SpaceBudget.Payer? = nil,
    then answer: @escaping (SpaceAnswer) -> Void
  ) {
    exchange.ask(question, of: space, making: payer) { [weak self] in self?.hear($0, answer) }
  }

  /// The same, where what this space asks of that one has to come in this order.
  func askInOrder(
    _ question: SpaceQuestion, of space: SpaceName, then answer: @escaping (SpaceAnswer) -> Void
  ) {
    exchange.ask(question, of: space, inOrderOf: room.state.space?.name) { [weak self] in
      self?.hear($0, answer)
    }
  }

  private func hear(_ given: SpaceAnswer, _ answer: (SpaceAnswer) -> Void) {
    guard !isClosed else { return }
    restsUntil = .zero
    answer(given)
    endTurn()
  }

  // MARK: Turns

  /// What was decided in this turn goes on its way.
  func endTurn() {
    guard !isClosed else { return }
    performDue(at: clock())
    dispatch()
  }

  /// Calls back on this loop once the log holds all that was decided so far; with a refusal if it never will.
  func afterward(_ call: @escaping @Sendable (Refusal?) -> Void) {
    guard !isClosed else { return call(Refusal(.internalFailure)) }
    awaited.add(
      .tell { result in
        switch result {
        case .success: call(nil)
        case .failure(let refusal): call(refusal)
        }
      }, at: room.state.revision)
  }

  /// The same, for this host's own next step; not at all if the log fails.
  func once(durable step: @escaping @Sendable (SpaceHost) -> Void) {
    let me = Confined(self, to: loop)
    afterward { refusal in
      guard refusal == nil, !me.value.isClosed else { return }
      step(me.value)
    }
  }

  /// Records what the server does; false if the log did not take it.
  func recordByServer(_ events: [SpaceEvent], by actor: Actor = .server, at now: Timestamp) -> Bool {
    let proposals = events.map { Proposed(actor: actor, event: .space($0)) }
    switch recordUnlessFull(proposals, at: now) {
    case .at: return true
    case .full, .failed: return false
    }
  }
}

extension SpaceAnswer {
  /// What somebody is told who wanted it done; nil: it is.
  var failure: Refusal? {
    switch self {
    case .done, .yes, .no, .reply, .entered, .standing, .underWay: nil
    case .refused(let refusal), .unreachable(let refusal): refusal
    }
  }

  /// What somebody is told to whom it is no answer.
  var refusal: Refusal { failure ?? Refusal(.internalFailure) }

  /// The space is not there.
  var isMissing: Bool {
    if case .unreachable(let refusal) = self { refusal.code == .notFound } else { false }
  }

  /// As a login is answered. `missing`: what it is told where the space is not there; nil: the refusal.
  func result(missing: Result<Reply, Refusal>? = nil) -> Result<Reply, Refusal> {
    if isMissing, let missing { return missing }
    if case .reply(let reply) = self { return .success(reply) }
    return failure.map { .failure($0) } ?? .success(.done)
  }
}

extension RoomState {
  /// The newest members, newest last.
  fileprivate func newest(_ limit: Int) -> Reply {
    let roster = members.values.sorted { $0.id < $1.id }
    return .users(roster.suffix(max(0, limit)).compactMap(\.uid), total: roster.count)
  }
}
