import BoardroomModel
import EventLogModel

/// Answers questions to the spaces of a loop. On that loop.
protocol SpaceRespondent: AnyObject {
  /// `done` must be called once, on the same loop.
  func answer(_ asked: NumberedQuestion, done: @escaping @Sendable (SpaceAnswer) -> Void)
}

/// One loop's end of the way between spaces: it numbers the questions of its spaces and asks those again that have no
/// answer, and it knows which questions of others were asked before. Touched on its loop only.
final class SpaceExchange {
  /// How long an answer is waited for before the question is sent again. 2 s: an opening takes milliseconds, and a
  /// client gives a question up after 10 s (FACE-7).
  static let patience = Duration.seconds(2)
  /// How often a question is sent that nothing is heard of. 10, that is 20 s: who asked has given up before. A space that
  /// is at it says so (`underWay`), and then they are counted anew.
  static let attempts = 10

  /// How long the questions of another engine are remembered after its last one.
  static let remembers = SpaceState.remembersQuestions

  /// Questions that are answered one after the other.
  private struct QuestionLine: Hashable {
    var asker: SpaceName
    var space: SpaceName
  }

  /// A question of one of this loop's spaces, and who waits for the answer.
  private struct OpenQuestion {
    let asked: NumberedQuestion
    let line: QuestionLine?
    let answer: (SpaceAnswer) -> Void
    /// 0: another one of its line comes first.
    var attempts = 0
    /// When it was sent first, and last.
    var began = Timestamp.zero
    var sent = Timestamp.zero
  }

  /// The questions of one loop, as far as that may send them again.
  private final class QuestionsOfLoop {
    enum Stage {
      case underWay
      case answered(SpaceAnswer)
    }

    var stages: [UInt64: Stage] = [:]
    private(set) var settled: UInt64 = 0
    var lastHeard = Timestamp.zero

    /// The asker has these answers, or waits for none.
    func settle(through serial: UInt64) {
      guard serial > settled else { return }
      if serial - settled < UInt64(stages.count) {
        for settled in settled + 1...serial { stages[settled] = nil }
      } else {
        stages = stages.filter { $0.key > serial }
      }
      settled = serial
    }
  }

  private let loop: any RoomLoop
  /// The loop, as others name it.
  private let place: AskingLoop
  private let router: SpaceRouter
  private let clock: @Sendable () -> Timestamp
  private weak var respondent: (any SpaceRespondent)?

  private var lastSerial: UInt64 = 0
  private var settled: UInt64 = 0
  private var pending: [UInt64: OpenQuestion] = [:]
  private var lines: [QuestionLine: [UInt64]] = [:]
  private var heard: [AskingLoop: QuestionsOfLoop] = [:]

  init(
    loop: any RoomLoop, place: Int, router: SpaceRouter, clock: @escaping @Sendable () -> Timestamp
  ) {
    self.loop = loop
    self.place = AskingLoop(engine: router.engine, place: place)
    self.router = router
    self.clock = clock
  }

  func serve(_ respondent: any SpaceRespondent) { self.respondent = respondent }

  /// Whether there are other nodes.
  private var isOneOfSeveral: Bool { place.engine != 0 }

  /// Whether a question is one of this engine's, which ends with all that it has asked.
  func isOwn(_ number: QuestionNumber) -> Bool { number.loop.engine == place.engine }

  // MARK: Asking

  /// Asks a space, or the asker's own, and hears the answer in a later turn, once.
  /// - Parameters:
  ///   - payer: who has the space made if it is not there; nil: it is not made.
  ///   - asker: if set, what it asks of one space arrives in this order, each once the one before has its answer.
  func ask(
    _ question: SpaceQuestion, of space: SpaceName, making payer: SpaceBudget.Payer? = nil,
    inOrderOf asker: SpaceName? = nil, then answer: @escaping (SpaceAnswer) -> Void
  ) {
    lastSerial += 1
    let number = QuestionNumber(loop: place, serial: lastSerial)
    let line = asker.map { QuestionLine(asker: $0, space: space) }
    pending[lastSerial] = OpenQuestion(
      asked: NumberedQuestion(number, of: space, question, payer: payer), line: line, answer: answer)
    if let line {
      lines[line, default: []].append(lastSerial)
      guard lines[line]?.count == 1 else { return }
    }
    send(lastSerial, at: clock())
  }

  private func send(_ serial: UInt64, at now: Timestamp) {
    guard var one = pending[serial] else { return }
    if one.attempts == 0 { one.began = now }
    one.attempts += 1
    one.sent = now
    pending[serial] = one
    while settled < lastSerial, pending[settled + 1] == nil { settled += 1 }
    var asked = one.asked
    asked.settled = settled
    router.send(.question(asked))
  }

  /// Sends again what nothing was heard of, and forgets engines that ask no more.
  func tick(at now: Timestamp) {
    for (loop, others) in heard where loop.engine != place.engine && others.lastHeard + Self.remembers <= now
    {
      heard[loop] = nil
    }
    guard !pending.isEmpty else { return }
    let late = pending.filter { $0.value.attempts > 0 && $0.value.sent + Self.patience <= now }.keys.sorted()
    for serial in late {
      if pending[serial]?.attempts == Self.attempts { giveUp(serial, at: now) } else { send(serial, at: now) }
    }
  }

  private func giveUp(_ serial: UInt64, at now: Timestamp) {
    let silence = Refusal(.timeout, cause: "The account or channel did not answer in time.")
    finish(serial, .unreachable(silence), at: now)
  }

  func hear(_ heard: NumberedAnswer) {
    let serial = heard.number.serial
    switch heard.answer {
    case .underWay: pending[serial]?.attempts = 1
    case .moving: askNextOwner(serial, at: clock())
    default: finish(serial, heard.answer, at: clock())
    }
  }

  /// The next owner of a space that moves is there in a moment, or, where one was lost, in some seconds.
  private func askNextOwner(_ serial: UInt64, at now: Timestamp) {
    guard let one = pending[serial] else { return }
    guard now < one.began + Self.patience * Self.attempts else { return giveUp(serial, at: now) }
    pending[serial]?.attempts = 1
    pending[serial]?.sent = now
    let me = Confined(WeakExchange(self), to: loop)
    loop.execute(after: OwnerBook.askEvery) { [clock] in me.value.exchange?.send(serial, at: clock()) }
  }

  private func finish(_ serial: UInt64, _ answer: SpaceAnswer, at now: Timestamp) {
    // Its answer came before.
    guard let one = pending.removeValue(forKey: serial) else { return }
    if let line = one.line {
      lines[line]?.removeFirst()
      if let next = lines[line]?.first { send(next, at: now) } else { lines[line] = nil }
    }
    one.answer(answer)
  }

  // MARK: Answering

  func receive(_ asked: NumberedQuestion) {
    let number = asked.number
    let others = heard[number.loop] ?? QuestionsOfLoop()
    heard[number.loop] = others
    others.lastHeard = clock()
    others.settle(through: asked.settled)
    guard number.serial > others.settled else { return }
    switch others.stages[number.serial] {
    case .underWay: return send(.underWay, to: number)
    case .answered(let answer): return send(answer, to: number)
    case nil: break
    }
    guard let respondent else { return }
    others.stages[number.serial] = .underWay
    let me = Confined(self, to: loop)
    respondent.answer(asked) { me.value.answered(asked, $0) }
  }

  private func answered(_ asked: NumberedQuestion, _ answer: SpaceAnswer) {
    let number = asked.number
    if isOneOfSeveral, answer.failure?.code == .goingAway {
      // Nobody has decided it: the next owner does, and who asks need not know of that.
      heard[number.loop]?.stages[number.serial] = nil
      return send(.moving, to: number)
    }
    if let others = heard[number.loop], number.serial > others.settled {
      others.stages[number.serial] = asked.question.changes ? .answered(answer) : nil
    }
    send(answer, to: number)
  }

  private func send(_ answer: SpaceAnswer, to number: QuestionNumber) {
    router.send(.answer(NumberedAnswer(number, answer)))
  }
}

private final class WeakExchange {
  weak var exchange: SpaceExchange?
  init(_ exchange: SpaceExchange) { self.exchange = exchange }
}
