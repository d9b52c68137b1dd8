import BoardroomCodec
import BoardroomHTTP
import BoardroomHosting
import EventLogModel
import Foundation
import Synchronization

/// Carries questions between spaces to the nodes that own them, and their answers back. A question and its answer are one
/// request. What is lost is asked again under the same number (`SpaceExchange`), and the asked node applies it once.
final class NodeCourier: SpaceCourier, QuestionReceiver {
  /// How long a node waits for the answer of one of its spaces. 20 s: who asks has given up by then.
  static let patience = Duration.seconds(20)

  private struct AnswerWaiter {
    let id: UInt64
    let answer: CheckedContinuation<NumberedAnswer?, Never>
  }

  private struct State {
    var engine: RoomServerEngine?
    var forwarder: HTTPForwarder?
    var waiting: [QuestionNumber: [AnswerWaiter]] = [:]
    var lastWaiter: UInt64 = 0
  }

  private let state = Mutex(State())

  /// From now on there are spaces to ask, and a way to other nodes.
  func serve(_ engine: RoomServerEngine, _ forwarder: HTTPForwarder) {
    state.withLock { ($0.engine, $0.forwarder) = (engine, forwarder) }
  }

  /// Nothing is carried any more; who waits gets no answer.
  func end() {
    let waiting = state.withLock { state in
      defer { state = State() }
      return state.waiting.values.flatMap(\.self)
    }
    for waiter in waiting { waiter.answer.resume(returning: nil) }
  }

  // MARK: Questions of this node

  func carry(_ message: SpaceMessage, _ deliver: @escaping @Sendable (SpaceMessage) -> Void) {
    guard let (engine, forwarder) = state.withLock({ Self.both($0) }) else { return }
    let isOwn = message.number.loop.engine == engine.questionOrigin
    switch message {
    case .question(let asked):
      // One of another node came here because its space is here.
      guard isOwn, let owners = engine.owners, owners.kept(asked.space.log) != .here else {
        return deliver(message)
      }
      Task { await Self.ask(asked, owners, forwarder, deliver) }
    case .answer(let answer):
      if isOwn { deliver(message) } else { tell(answer) }
    }
  }

  private static func both(_ state: State) -> (RoomServerEngine, HTTPForwarder)? {
    guard let engine = state.engine, let forwarder = state.forwarder else { return nil }
    return (engine, forwarder)
  }

  private static func ask(
    _ asked: NumberedQuestion, _ owners: OwnerBook, _ forwarder: HTTPForwarder,
    _ deliver: @Sendable (SpaceMessage) -> Void
  ) async {
    switch await owners.settledOwner(of: asked.space.log) {
    case .here: deliver(.question(asked))
    case .nobodyYet: break
    case .at(let node):
      do {
        let question = [UInt8](try JSONEncoder().encode(asked))
        guard let bytes = try await forwarder.answer(to: question, on: RestRoutes.questions, by: node) else {
          return owners.forget(asked.space.log)
        }
        let answer = try JSONDecoder().decode(NumberedAnswer.self, from: Data(bytes))
        guard answer.number == asked.number else { return }
        if answer.answer == .moving { owners.forget(asked.space.log) }
        deliver(.answer(answer))
      } catch let error as RestError where error.name == RestError.notHere.name {
        // It has given the space up: who has it now is known in a moment.
        owners.forget(asked.space.log)
        deliver(.answer(NumberedAnswer(asked.number, .moving)))
      } catch { owners.forget(asked.space.log) }
    }
  }

  // MARK: Questions of other nodes

  func answer(to question: [UInt8]) async throws(RestError) -> [UInt8] {
    guard let (engine, _) = state.withLock({ Self.both($0) }), let owners = engine.owners else {
      throw .moving
    }
    guard let asked = try? JSONDecoder().decode(NumberedQuestion.self, from: Data(question)),
      asked.number.loop.engine != engine.questionOrigin
    else { throw RestError(.malformed, "It is no question that this version knows.") }
    switch await owners.settledOwner(of: asked.space.log) {
    case .here: break
    case .at: throw .notHere
    case .nobodyYet: throw .moving
    }
    guard let answer = await answer(to: asked, by: engine), let bytes = try? JSONEncoder().encode(answer)
    else {
      throw .noAnswer
    }
    return [UInt8](bytes)
  }

  private func answer(to asked: NumberedQuestion, by engine: RoomServerEngine) async -> NumberedAnswer? {
    let id = state.withLock { state in
      state.lastWaiter += 1
      return state.lastWaiter
    }
    let late = Task {
      try await Task.sleep(for: Self.patience)
      give(nil, to: id, of: asked.number)
    }
    defer { late.cancel() }
    return await withCheckedContinuation { continuation in
      let isServing = state.withLock { state in
        guard state.engine != nil else { return false }
        state.waiting[asked.number, default: []].append(AnswerWaiter(id: id, answer: continuation))
        return true
      }
      guard isServing else { return continuation.resume(returning: nil) }
      engine.deliver(.question(asked))
    }
  }

  /// The answer of a space. That it is at it still goes to the newest who asked: the others wait for the answer itself.
  private func tell(_ answer: NumberedAnswer) {
    if answer.answer == .underWay {
      guard let newest = state.withLock({ $0.waiting[answer.number]?.last?.id }) else { return }
      return give(answer, to: newest, of: answer.number)
    }
    let waiting = state.withLock { $0.waiting.removeValue(forKey: answer.number) ?? [] }
    for waiter in waiting { waiter.answer.resume(returning: answer) }
  }

  private func give(_ answer: NumberedAnswer?, to id: UInt64, of number: QuestionNumber) {
    let waiter = state.withLock { state -> AnswerWaiter? in
      guard let place = state.waiting[number]?.firstIndex(where: { $0.id == id }) else { return nil }
      defer { if state.waiting[number]?.isEmpty == true { state.waiting[number] = nil } }
      return state.waiting[number]?.remove(at: place)
    }
    waiter?.answer.resume(returning: answer)
  }
}
