import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

typealias AskCompletion = @Sendable (Result<Reply, BoardroomError>) -> Void

/// Questions of one link that have no answer yet.
struct Asking {
  /// How long an answer may take. 10 s: Signaling's and RTM's own limit for a message (spec 6.5, 7.9).
  static let limit = Duration.seconds(10)

  private var last: UInt64 = 0
  private var waiting: [UInt64: (due: Timestamp, completion: AskCompletion)] = [:]

  var due: Timestamp? { waiting.values.lazy.map(\.due).min() }

  mutating func add(_ question: Question, at now: Timestamp, _ completion: @escaping AskCompletion) -> Ask {
    last += 1
    waiting[last] = (now + Self.limit, completion)
    return Ask(number: last, question: question)
  }

  mutating func take(_ number: UInt64) -> AskCompletion? { waiting.removeValue(forKey: number)?.completion }

  /// Those that waited for too long, in order.
  mutating func overdue(at now: Timestamp) -> [AskCompletion] {
    waiting.filter { $0.value.due <= now }.keys.sorted().compactMap { take($0) }
  }

  mutating func takeAll() -> [AskCompletion] { waiting.keys.sorted().compactMap { take($0) } }
}

extension RoomLink {
  /// Asks the account's server; exactly one answer comes. While not connected it fails at once and nothing is sent
  /// later.
  func ask(_ question: Question, _ completion: @escaping AskCompletion) {
    if let obstacle { return completion(.failure(obstacle)) }
    // What was asked for before goes out before: who sets an attribute and reads it reads what was set.
    flushCommands()
    send(.ask(asking.add(question, at: now, completion)))
    wake()
  }

  func answered(_ answer: Answer) {
    asking.take(answer.number)?(answer.result.mapError { BoardroomError($0) })
  }

  func failOverdueAsks() {
    for completion in asking.overdue(at: now) { completion(.failure(.outcomeUnknown)) }
  }

  /// The connection is gone: what was asked over it may have been done or not.
  func failAsks() {
    for completion in asking.takeAll() { completion(.failure(.outcomeUnknown)) }
  }
}
