import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What other spaces ask of this one, and how it asks them.
extension SpaceHost {
  /// Answers a question of another space, or of this one, once. What changes something is answered when the log holds it.
  func answer(
    _ asked: NumberedQuestion, at now: Timestamp, done: @escaping @Sendable (SpaceAnswer) -> Void
  ) {
    guard let behaviour else { return done(.refused(Refusal(.notFound))) }
    // NODE-15: the owner before this one may have carried it out, and ended before it could say so.
    if let answer = asked.question.answerOnceApplied, room.state.space?.hasApplied(asked.applied) == true {
      return onceKept(answer, done)
    }
    // A question of this engine is not asked any more when this engine has ended: its number need not be kept.
    let number = exchange.isOwn(asked.number) ? nil : asked.applied
    let me = Confined(self, to: loop)
    behaviour.answer(asked.question, noting: number, at: now) { answer in
      // ASKV-7: whatever a space says that gave its log up meanwhile, its next owner decides.
      done(me.value.hasMoved && !answer.isKept ? .refused(Refusal(.goingAway)) : answer)
    }
  }

  /// Answers when the log holds what it is taken from, or never will.
  func later(_ answer: SpaceAnswer, _ done: @escaping @Sendable (SpaceAnswer) -> Void) {
    afterward { _ in done(answer) }
  }

  /// The same; refused if the log never will.
  func onceKept(_ answer: SpaceAnswer, _ done: @escaping @Sendable (SpaceAnswer) -> Void) {
    afterward { done($0.map { .refused($0) } ?? answer) }
  }

  // MARK: Opening

  /// The space was opened: what a crash left undone is done.
  func takeUp(at now: Timestamp) {
    guard let behaviour else { return }
    behaviour.takeUp(at: now)
    endTurn()
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

  // MARK: Questions of members

  /// A member asks something. Only logins of accounts can.
  func consider(_ ask: Ask, from session: MemberSession, at now: Timestamp) {
    guard let line = session.line else { return }
    if case .entering = session.stage {
      let refusal = Refusal(.outOfOrder, cause: "A question came before the welcome.")
      return sendAway(line.connection, Farewell(refusal, comeBack: false), at: now)
    }
    guard behaviour?.consider(ask, from: session, over: line, at: now) != true else { return }
    say(Answer(number: ask.number, result: .failure(Refusal(.unknownKind))), to: session)
  }

  func say(_ answer: Answer, to session: MemberSession) {
    let now = clock()
    guard !owed.tell(answer, to: session, now: now), let line = session.line else { return }
    sendAway(line.connection, Farewell(Refusal(.rateLimited), comeBack: true), at: now)
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
    afterCommit(
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

  /// Records what the server does; throws why the log did not take it. `question`: it answers this question of another node.
  func recordByServer(
    _ events: [SpaceEvent], by actor: Actor = .server, noting question: QuestionApplied? = nil,
    at now: Timestamp
  ) throws(Refusal) {
    let proposals = events.map { Proposed(actor: actor, event: .space($0)) }
    _ = try recordOrRefuse(proposals.noting(question), at: now)
  }
}

extension [Proposed] {
  /// The same, and the question of another node that it answers: in one append, so that the log holds both or neither.
  func noting(_ question: QuestionApplied?) -> [Proposed] {
    guard let question, !isEmpty else { return self }
    return self + [Proposed(actor: .server, event: .space(.questionApplied(question)))]
  }
}

extension SpaceAnswer {
  /// What somebody is told who wanted it done; nil: it is.
  var failure: Refusal? {
    switch self {
    case .done, .yes, .no, .reply, .entered, .standing, .underWay, .moving: nil
    case .refused(let refusal), .unreachable(let refusal): refusal
    }
  }

  /// The log holds what it says, or need not.
  fileprivate var isKept: Bool {
    switch self {
    case .done, .yes, .entered, .underWay, .moving: true
    case .no, .reply, .standing, .refused, .unreachable: false
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
