import BoardroomCore
import BoardroomModel
import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomHosting

/// What spaces ask each other, and how it gets there.
@Suite struct SpaceQuestionTests {
  // MARK: Values

  private static let offer = InviteHeard(
    caller: "ana", serial: 3, service: .signaling, channel: "blue", news: .offered(extra: "\u{1}ü\""))

  /// Each kind of question leads to the next, so that none can be left out.
  private static func next(_ question: SpaceQuestion?) -> SpaceQuestion? {
    switch question {
    case nil: .isSignedIn(.rtm)
    case .isSignedIn: .loginAttributes(.signaling)
    case .loginAttributes: .channelAttributes
    case .channelAttributes: .memberCount
    case .memberCount: .hasMember("bo")
    case .hasMember: .newestMembers(200)
    case .newestMembers: .holdsMember(account: "bo")
    case .holdsMember: .standing(MembershipKey(service: .rtm, channel: "blue"))
    case .standing: .isOpen(serial: .max, callee: "bo")
    case .isOpen: .wake
    case .wake: .change(.setAttributes(AttributesSet([.init(name: "a", value: nil)], by: "bo")), by: "bo")
    case .change:
      .message(InboxMessage(version: 0, service: .rtm, from: "a", id: "", text: "é\n"), holds: true)
    case .message: .enter(Place(service: .signaling, account: "ana", channel: "blue"))
    case .enter: .dismiss(account: "ana", .replaced, through: 1 << 60)
    case .dismiss: .left(MembershipKey(service: .signaling, channel: "blue"), entry: nil, .timeout)
    case .left: .offer(offer, until: 1_700_000_000_000)
    case .offer: .news(offer)
    case .news: .act(.ended(byCaller: false, extra: "bye"), serial: 3, callee: "bo", .signaling)
    case .act: .calleeGone(serial: 3, callee: "bo")
    case .calleeGone: .calleeCame(serial: 3)
    case .calleeCame: .presences([Presence(account: "ana", channel: nil, isHere: true)])
    case .presences: nil
    }
  }

  private static func next(_ answer: SpaceAnswer?) -> SpaceAnswer? {
    switch answer {
    case nil: .done
    case .done: .yes
    case .yes: .no
    case .no: .reply(.users(["ana", "bo"], total: 7))
    case .reply: .entered(1 << 60)
    case .entered: .standing(.left, entry: nil)
    case .standing: .refused(Refusal(.tooMany, actual: 2, allowed: 1, limit: "inbox"))
    case .refused: .unreachable(Refusal(.notFound))
    case .unreachable: .underWay
    case .underWay: .moving
    case .moving: nil
    }
  }

  private static func all<Value>(_ next: (Value?) -> Value?) -> [Value] {
    var (all, last) = ([Value](), next(nil))
    while let one = last {
      all.append(one)
      last = next(one)
    }
    return all
  }

  @Test("ASKV-1: every question and every answer is the same after JSON")
  func codec() throws {
    let payer = SpaceBudget.Payer(account: "ana", address: "192.0.2.1")
    let questions = Self.all(Self.next as (SpaceQuestion?) -> SpaceQuestion?).map { question in
      SpaceMessage.question(
        NumberedQuestion(
          QuestionNumber(loop: AskingLoop(place: 1), serial: .max), of: .channel(.rtm, "blue"), question,
          payer: payer,
          settled: 7))
    }
    let answers = Self.all(Self.next as (SpaceAnswer?) -> SpaceAnswer?).map { answer in
      SpaceMessage.answer(NumberedAnswer(QuestionNumber(loop: AskingLoop(place: 0), serial: 1), answer))
    }
    #expect(questions.count == 21)
    #expect(answers.count == 10)
    for message in questions + answers {
      let bytes = try JSONEncoder().encode(message)
      #expect(try JSONDecoder().decode(SpaceMessage.self, from: bytes) == message)
    }
  }

  // MARK: The exchange

  /// Answers by hand.
  private final class Space: SpaceRespondent {
    private(set) var asked: [NumberedQuestion] = []
    var answers: SpaceAnswer? = .done
    private(set) var open: [@Sendable (SpaceAnswer) -> Void] = []

    func answer(_ asked: NumberedQuestion, done: @escaping @Sendable (SpaceAnswer) -> Void) {
      self.asked.append(asked)
      if let answers { done(answers) } else { open.append(done) }
    }
  }

  /// Keeps all that is sent until the test says what becomes of it.
  private final class Satchel: SpaceCourier {
    private let held = Mutex<[(message: SpaceMessage, deliver: @Sendable (SpaceMessage) -> Void)]>([])

    func carry(_ message: SpaceMessage, _ deliver: @escaping @Sendable (SpaceMessage) -> Void) {
      held.withLock { $0.append((message, deliver)) }
    }

    /// Delivers the first so many times; 0 loses it.
    func first(times: Int = 1) -> SpaceMessage {
      let one = held.withLock { $0.removeFirst() }
      for _ in 0..<times { one.deliver(one.message) }
      return one.message
    }

    var count: Int { held.withLock { $0.count } }
  }

  private struct World {
    let clock = VirtualClock()
    let loop = HandLoop()
    let satchel = Satchel()
    let space = Space()
    let router: SpaceRouter
    let exchange: SpaceExchange

    /// - Parameter engine: 0: it is alone.
    init(engine: UInt64 = 0) {
      router = SpaceRouter(courier: satchel, engine: engine)
      exchange = SpaceExchange(loop: loop, place: 0, router: router) { [clock] in clock.now }
      exchange.serve(space)
      router.know([Confined(exchange, to: loop)])
    }

    /// Delivers what was sent first, so many times.
    @discardableResult
    func deliver(times: Int = 1) -> SpaceMessage {
      let message = satchel.first(times: times)
      loop.drain()
      return message
    }

    func pass(_ duration: Duration) {
      clock.advance(by: duration)
      loop.perform { exchange.tick(at: clock.now) }
    }

    func ask(
      _ question: SpaceQuestion, inOrderOf asker: SpaceName? = nil,
      then answer: @escaping (SpaceAnswer) -> Void = { _ in }
    ) {
      loop.perform { exchange.ask(question, of: .account("bo"), inOrderOf: asker, then: answer) }
    }
  }

  private static let change = SpaceQuestion.calleeGone(serial: 1, callee: "ana")

  @Test("ASKV-2: what comes again is answered again, and applied once")
  func twice() {
    let world = World()
    var heard: [SpaceAnswer] = []
    world.ask(Self.change) { heard.append($0) }
    world.deliver(times: 2)
    #expect(world.space.asked.count == 1)
    #expect(world.satchel.count == 2)
    world.deliver()
    world.deliver()
    #expect(heard == [.done], "an answer that comes again is heard once")
  }

  @Test(
    "ASKV-3: what has no answer is asked again after 2 s, under the same number; ten times without a word")
  func again() {
    let world = World()
    var heard: [SpaceAnswer] = []
    world.ask(Self.change) { heard.append($0) }
    let first = world.deliver(times: 0)
    world.pass(SpaceExchange.patience - .milliseconds(1))
    #expect(world.satchel.count == 0)
    world.pass(.milliseconds(1))
    #expect(world.deliver(times: 0) == first)
    for _ in 2..<SpaceExchange.attempts {
      world.pass(SpaceExchange.patience)
      world.deliver(times: 0)
    }
    #expect(heard == [])
    world.pass(SpaceExchange.patience)
    guard case .unreachable(let refusal)? = heard.first else {
      Issue.record("the asker heard \(heard)")
      return
    }
    #expect(refusal.code == .timeout)
    #expect(heard.count == 1)
    #expect(world.satchel.count == 0)
  }

  @Test("ASKV-3: a space that is still at it says so, and is not given up; its answer comes once")
  func underWay() {
    let world = World()
    var heard: [SpaceAnswer] = []
    world.space.answers = nil
    world.ask(Self.change) { heard.append($0) }
    world.deliver()
    for _ in 0..<3 * SpaceExchange.attempts {
      world.pass(SpaceExchange.patience)
      world.deliver()
      #expect(
        world.deliver()
          == .answer(NumberedAnswer(QuestionNumber(loop: AskingLoop(place: 0), serial: 1), .underWay)))
    }
    #expect(world.space.asked.count == 1)
    #expect(heard == [])
    world.loop.perform { world.space.open[0](.yes) }
    world.deliver()
    #expect(heard == [.yes])
  }

  @Test("ASKV-2: an answer is kept until its asker has it or has given up; what comes later is not looked at")
  func settled() {
    let world = World()
    world.ask(Self.change)
    let first = world.deliver()
    world.deliver()
    world.ask(.wake)
    world.deliver()
    #expect(world.space.asked.count == 2)
    world.router.send(first)
    world.deliver()
    #expect(world.space.asked.count == 2, "the first is settled, and was not asked again")
    world.deliver()
    #expect(world.satchel.count == 0)
  }

  @Test(
    "ASKV-6: another node's questions are told apart from the own ones, and forgotten a minute after the last one"
  )
  func otherEngines() {
    let world = World()
    func receive(_ engine: UInt64) {
      world.loop.perform {
        world.exchange.receive(
          NumberedQuestion(
            QuestionNumber(loop: AskingLoop(engine: engine, place: 0), serial: 1), of: .account("bo"),
            Self.change))
      }
    }
    world.ask(Self.change)
    world.deliver()
    for engine: UInt64 in [7, 8, 7, 8] { receive(engine) }
    #expect(world.space.asked.count == 3, "of each engine the first")
    world.pass(SpaceExchange.remembers - .milliseconds(1))
    receive(7)
    #expect(world.space.asked.count == 3)
    world.pass(SpaceExchange.remembers)
    receive(7)
    receive(8)
    #expect(world.space.asked.count == 5)
  }

  @Test("ASKV-6: an answer to another engine, or to this one before its start, is nobody's here")
  func foreignAnswers() {
    let world = World()
    var heard: [SpaceAnswer] = []
    world.ask(Self.change) { heard.append($0) }
    for loop in [AskingLoop(engine: 7, place: 0), AskingLoop(place: 1)] {
      world.router.deliver(.answer(NumberedAnswer(QuestionNumber(loop: loop, serial: 1), .no)))
      world.loop.drain()
    }
    #expect(heard == [])
    world.deliver()
    world.deliver()
    #expect(heard == [.done])
  }

  @Test(
    "ASKV-7: a space whose log moves to another node has decided nothing: it is asked again, for as long as one is that is silent"
  )
  func moving() {
    let world = World(engine: 5)
    let gone = Refusal(.goingAway)
    var heard: [SpaceAnswer] = []
    for given in [SpaceAnswer.refused(gone), .unreachable(gone)] {
      world.space.answers = given
      world.ask(Self.change) { heard.append($0) }
      let asked = world.deliver()
      guard case .answer(let answer) = world.deliver(), case .question(let question) = asked else { return }
      #expect(answer == NumberedAnswer(question.number, .moving))
      #expect(heard == [])
      world.pass(SpaceExchange.patience)
      // Its next owner answers under the same number.
      world.space.answers = .yes
      #expect(world.deliver().number == question.number)
      world.deliver()
      #expect(heard == [.yes])
      heard = []
    }
    world.space.answers = .refused(gone)
    world.ask(Self.change) { heard.append($0) }
    for _ in 0..<SpaceExchange.attempts {
      #expect(heard == [])
      world.deliver()
      world.deliver()
      world.pass(SpaceExchange.patience)
    }
    world.deliver()
    world.deliver()
    guard case .unreachable(let refusal)? = heard.first else {
      Issue.record("the asker heard \(heard)")
      return
    }
    #expect(refusal.code == .timeout)
  }

  @Test("ASKV-7: the next owner is asked after a tenth of a second")
  func movingSoon() {
    let loop = VirtualLoop(seed: 1)
    let router = SpaceRouter(courier: nil, engine: 5)
    let exchange = SpaceExchange(loop: loop, place: 0, router: router) { loop.now }
    let space = Space()
    exchange.serve(space)
    router.know([Confined(exchange, to: loop)])
    space.answers = .refused(Refusal(.goingAway))
    let start = loop.now
    let heard = Mutex<[SpaceAnswer]>([])
    let exchangeThere = Confined(exchange, to: loop)
    loop.execute {
      exchangeThere.value.ask(Self.change, of: .account("bo")) { answer in
        heard.withLock { $0.append(answer) }
      }
    }
    while loop.runNext(until: start + .milliseconds(99)) {}
    #expect(space.asked.count == 1)
    space.answers = .done
    while loop.runNext(until: start + .milliseconds(100)) {}
    #expect(space.asked.count == 2)
    #expect(heard.withLock { $0 } == [.done])
  }

  @Test("ASKV-7: a server that is alone says that it is going away, and nobody asks it again")
  func goingAwayAlone() {
    let world = World()
    world.space.answers = .refused(Refusal(.goingAway))
    var heard: [SpaceAnswer] = []
    world.ask(Self.change) { heard.append($0) }
    world.deliver()
    world.deliver()
    #expect(heard == [.refused(Refusal(.goingAway))])
  }

  @Test("What only reads is read again")
  func readings() {
    let world = World()
    world.ask(.memberCount)
    world.deliver(times: 2)
    #expect(world.space.asked.count == 2)
  }

  @Test("ASKV-4: news and presence come in their order: the next is sent when the one before has its answer")
  func inOrder() {
    let world = World()
    world.ask(.presences([]), inOrderOf: .userOnline)
    world.ask(.wake, inOrderOf: .userOnline)
    world.ask(.wake)
    #expect(world.satchel.count == 2, "another asker's question does not wait")
    world.deliver(times: 0)
    world.deliver()
    world.deliver()
    world.pass(SpaceExchange.patience)
    world.deliver()
    #expect(world.satchel.count == 1)
    world.deliver()
    #expect(world.satchel.count == 1, "the next one")
    world.deliver()
    #expect(world.space.asked.count == 3)
  }
}
