import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A device of an account in one service: a connection for its login, and one for each channel that it enters.
final class Caller {
  let number: Int
  let part: SpacePlan.Part
  let login: Person
  private(set) var channels: [String: Person] = [:]
  /// What was asked, by its number, and over which of the login's connections.
  private(set) var asked: [(ask: Ask, over: SimulatedPeer)] = []
  private var lastAsk: UInt64 = 0

  init(_ number: Int, _ part: SpacePlan.Part) {
    self.number = number
    self.part = part
    login = Person(
      number, Self.wire(number), to: Place(service: part.service, account: part.account))
  }

  private static func wire(_ number: Int) -> SimulationPlan.Part {
    SimulationPlan.Part(
      uid: nil, role: .writer, subprotocol: number == 1 ? .json : .binary, acceptsBlocks: number == 2,
      loop: number % 2, outbox: 64 << 10)
  }

  /// Its login, and its channels by their names.
  var people: [Person] { [login] + channels.sorted { $0.key < $1.key }.map(\.value) }

  func channel(_ name: String) -> Person {
    if let known = channels[name] { return known }
    let place = Place(service: part.service, account: part.account, channel: name)
    let person = Person(number, Self.wire(number), to: place)
    channels[name] = person
    return person
  }

  func ask(_ question: Question, at now: Timestamp) {
    guard let peer = login.peer, login.isWelcome else { return }
    lastAsk += 1
    let ask = Ask(number: lastAsk, question: question)
    asked.append((ask, peer))
    login.say(.ask(ask), at: now)
  }

  /// What came of its questions: each with its answers.
  var outcomes: [(question: Question, answers: [Answer], isConnected: Bool)] {
    asked.map { ask, peer in
      let answers = peer.notices.compactMap { notice in
        if case .answer(let answer) = notice, answer.number == ask.number { answer } else { nil as Answer? }
      }
      return (ask.question, answers, peer === login.peer && login.isLive)
    }
  }
}
