import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import StorageTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomHosting

/// Questions of another node's spaces, whose answer is lost because the node that was asked is killed: its log has another
/// owner when they are asked again.
@Suite struct QuestionsOfNodesTests {
  /// Keeps the answers to the other node, which never get there.
  private final class AnswerKeeper: SpaceCourier {
    private let kept = Mutex<[NumberedAnswer]>([])
    var answers: [NumberedAnswer] { kept.withLock { $0 } }

    func carry(_ message: SpaceMessage, _ deliver: @escaping @Sendable (SpaceMessage) -> Void) {
      switch message {
      case .answer(let answer) where answer.number.loop.engine == Node.asker:
        kept.withLock { $0.append(answer) }
      case .answer, .question: deliver(message)
      }
    }
  }

  /// The node that is asked, and after its death the next owner of its logs.
  private struct Node {
    static let asker: UInt64 = 0xfeed_0000_0000_0001
    let courier = AnswerKeeper()
    private(set) var server: SimulatedServer
    private var serial: UInt64 = 0

    init() { server = SimulatedServer(courier: courier) }

    /// Asks as another node does, under the next number. Returns the answers to it so far.
    mutating func ask(_ question: SpaceQuestion, of space: SpaceName) -> [SpaceAnswer] {
      serial += 1
      return askAgain(question, of: space)
    }

    /// The same question once more, under its number; nil: that of the last one.
    func askAgain(
      _ question: SpaceQuestion, of space: SpaceName, as earlier: UInt64? = nil
    ) -> [SpaceAnswer] {
      let number = QuestionNumber(
        loop: AskingLoop(engine: Self.asker, place: 3), serial: earlier ?? serial)
      server.engine.deliver(
        .question(
          NumberedQuestion(
            number, of: space, question, payer: SpaceBudget.Payer(account: "bo", address: "192.0.2.1"))))
      server.settle()
      return courier.answers.filter { $0.number == number }.map(\.answer)
    }

    /// Ends as by `kill -9`: what the log does not hold is gone.
    mutating func kill() {
      server.store.losePending()
      server = server.restarted()
      server.commits = true
    }

    /// What the log of a space holds beside members and numbers of questions.
    func events(of space: SpaceName) -> [Event] {
      server.events(of: space).filter { event in
        switch event {
        case .space(.questionApplied), .space(.created), .members: false
        default: true
        }
      }
    }
  }

  private static let blue = SpaceName.channel(.signaling, "blue")
  private static let said = SpaceQuestion.change(
    .say(ChannelMessage(id: "m", text: "hello", by: "bo")), by: "bo")

  /// Asks, kills the node once its log holds what followed, and asks again: the log and the answers.
  private func askTwice(
    _ question: SpaceQuestion, of space: SpaceName, in node: inout Node
  ) -> (before: [Event], after: [Event], answers: [SpaceAnswer]) {
    _ = node.ask(question, of: space)
    let before = node.events(of: space)
    node.kill()
    let answers = node.askAgain(question, of: space)
    return (before, node.events(of: space), answers)
  }

  @Test("NODE-15: a message and attributes of somebody who is not in the channel are there once after a kill")
  func changes() {
    let attributes = SpaceQuestion.change(
      .setAttributes(AttributesSet([.init(name: "a", value: "1")])), by: "bo")
    for question in [Self.said, attributes] {
      var node = Node()
      let (before, after, answers) = askTwice(question, of: Self.blue, in: &node)
      #expect(before.count == 1)
      #expect(after == before)
      #expect(answers == [.done, .done])
      // Under another number it is another question.
      #expect(node.ask(question, of: Self.blue) == [.done])
      #expect(node.events(of: Self.blue).count == 2)
    }
  }

  @Test("NODE-15: a batch of presence is there once after a kill")
  func presences() {
    var node = Node()
    let batch = ["ana", "bo", "ada"].map { Presence(account: $0, channel: nil, isHere: true) }
    let (before, after, answers) = askTwice(.presences(batch), of: .userOnline, in: &node)
    #expect(before == batch.map { .space(.presence($0)) })
    #expect(after == before)
    #expect(answers == [.done, .done])
  }

  @Test(
    "NODE-15: a batch of presence that the log did not hold is answered by the next owner, and lost by none")
  func presencesNotHeld() {
    var node = Node()
    _ = node.ask(Self.said, of: .userOnline)
    node.server.commits = false
    let batch = SpaceQuestion.presences([Presence(account: "ana", channel: nil, isHere: true)])
    #expect(node.ask(batch, of: .userOnline) == [], "nobody is told what the log does not hold")
    node.kill()
    #expect(node.askAgain(batch, of: .userOnline) == [.done])
    #expect(
      node.events(of: .userOnline).count { if case .space(.presence) = $0 { true } else { false } } == 1)
  }

  @Test("NODE-15, ACC-14: a message without a name is in the mailbox once after a kill")
  func messages() {
    var node = Node()
    let message = SpaceQuestion.message(
      InboxMessage(version: 0, service: .rtm, from: "bo", id: "", text: "hello"), holds: true)
    let (before, after, answers) = askTwice(message, of: .account("ana"), in: &node)
    #expect(before.count == 1)
    #expect(after == before)
    #expect(answers == [.done, .done])
  }

  private func numbers(in space: SpaceName, of node: Node) -> Int {
    node.server.events(of: space).count { if case .space(.questionApplied) = $0 { true } else { false } }
  }

  private func calling(_ node: inout Node, isAccepted: Bool) {
    let anna = node.server.login("anna")
    // Ben's account is where the questions come from: what anna's asks it is answered by hand here.
    let ben = node.server.login("ben")
    _ = anna.ask(.invite(channel: "lobby", account: "ben", extra: "", needsPeer: false, timeout: nil))
    ben.receive()
    guard isAccepted else { return }
    _ = node.ask(.act(.accepted(extra: ""), serial: 1, callee: "ben", .signaling), of: .account("anna"))
  }

  @Test(
    "NODE-15: tones of the callee are there once after a kill; the end of a call is no error when it is said again"
  )
  func acts() {
    var node = Node()
    calling(&node, isAccepted: true)
    let tones = SpaceQuestion.act(
      .tones(byCaller: false, digits: "12#"), serial: 1, callee: "ben", .signaling)
    let (before, after, answers) = askTwice(tones, of: .account("anna"), in: &node)
    #expect(
      before.suffix(1) == [
        .space(.inviteMoved(InviteMoved(serial: 1, move: .tones(byCaller: false, digits: "12#"))))
      ])
    #expect(after == before)
    #expect(answers == [.done, .done])
    let end = SpaceQuestion.act(.ended(byCaller: false, extra: ""), serial: 1, callee: "ben", .signaling)
    let ended = askTwice(end, of: .account("anna"), in: &node)
    #expect(ended.after == ended.before)
    #expect(ended.answers == [.done, .done])
  }

  @Test("NODE-15: tones for the callee are there once after a kill")
  func heard() {
    var node = Node()
    _ = node.server.login("ben")
    func news(_ news: InviteHeard.News) -> InviteHeard {
      InviteHeard(caller: "anna", serial: 1, service: .signaling, channel: "lobby", news: news)
    }
    let offer = SpaceQuestion.offer(news(.offered(extra: "")), until: nil)
    #expect(node.ask(offer, of: .account("ben")) == [.yes])
    let tones = askTwice(.news(news(.tones(digits: "7"))), of: .account("ben"), in: &node)
    let said = Event.space(.inviteHeard(news(.tones(digits: "7"))))
    #expect(tones.before.count { $0 == said } == 1)
    #expect(tones.after.count { $0 == said } == 1)
    #expect(tones.answers == [.done, .done])
  }

  @Test("NODE-15: an offer whose call is over is not offered again after a kill")
  func offers() {
    var node = Node()
    _ = node.server.login("ben")
    let offered = InviteHeard(
      caller: "anna", serial: 1, service: .signaling, channel: "lobby", news: .offered(extra: ""))
    #expect(node.ask(.offer(offered, until: nil), of: .account("ben")) == [.yes])
    // It is over before the answer to the offer is heard.
    var withdrawn = offered
    withdrawn.news = .withdrawn
    #expect(node.ask(.news(withdrawn), of: .account("ben")) == [.done])
    let before = node.events(of: .account("ben"))
    node.kill()
    #expect(node.askAgain(.offer(offered, until: nil), of: .account("ben"), as: 1) == [.yes, .yes])
    #expect(node.events(of: .account("ben")) == before)
  }

  @Test("ASKV-7: a space whose log another node has by now decides nothing of what it is asked")
  func moved() {
    // A second call, of which the callee has not heard.
    let news = InviteHeard(
      caller: "anna", serial: 2, service: .signaling, channel: "lobby", news: .offered(extra: ""))
    let message = InboxMessage(version: 0, service: .rtm, from: "bo", id: "", text: "hello")
    let questions: [(SpaceQuestion, SpaceName)] = [
      (Self.said, Self.blue),
      (.presences([Presence(account: "ana", channel: nil, isHere: true)]), .userOnline),
      (.message(message, holds: true), .account("ben")), (.offer(news, until: nil), .account("ben")),
      (.act(.tones(byCaller: false, digits: "1"), serial: 1, callee: "ben", .signaling), .account("anna")),
    ]
    for (question, space) in questions {
      var node = Node()
      calling(&node, isAccepted: true)
      _ = node.ask(.change(.say(ChannelMessage(id: "first", text: "")), by: "bo"), of: Self.blue)
      _ = node.ask(.presences([]), of: .userOnline)
      node.server.store.refuse(.changingOwner(space.log))
      #expect(node.ask(question, of: space) == [.refused(Refusal(.goingAway))], "\(question)")
    }
  }

  @Test("NODE-15: what is refused leaves no number, and is decided anew")
  func refused() {
    var node = Node()
    calling(&node, isAccepted: false)
    let wrong = SpaceQuestion.act(.tones(byCaller: false, digits: "1"), serial: 9, callee: "ben", .signaling)
    guard case .refused(let refusal)? = node.ask(wrong, of: .account("anna")).last else {
      Issue.record("it was not refused")
      return
    }
    #expect(refusal.code == .noSuchInvite)
    #expect(numbers(in: .account("anna"), of: node) == 0)
  }

  @Test("NODE-15: questions of one node leave no number: with its spaces, who asked is gone")
  func own() {
    let node = Node()
    let server = node.server
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(.invite(channel: "lobby", account: "ben", extra: "", needsPeer: false, timeout: nil))
    _ = ben.ask(.moveInvite(caller: "anna", serial: 1, .accept(extra: "")))
    _ = anna.ask(.say(channel: "blue", ChannelMessage(id: "m", text: "hello")))
    for space in [SpaceName.account("anna"), .account("ben"), Self.blue, .userOnline] {
      #expect(numbers(in: space, of: node) == 0, "\(space)")
      #expect(!server.events(of: space).isEmpty, "\(space)")
    }
  }
}
