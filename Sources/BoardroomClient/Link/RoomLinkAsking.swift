import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Called on the context of the link.
package typealias AskCompletion = (Result<Reply, BoardroomError>) -> Void

/// Questions of one link that have no answer yet.
struct Asking {
  /// How long an answer may take. 10 s: Signaling's and RTM's own limit for a message (PARITY rows RTML, RTMX, SIGE).
  static let limit = Duration.seconds(10)

  private var last: UInt64 = 0
  private struct WaitingAsk {
    /// When it has waited for too long; nil: it waits as long as the connection lasts.
    let due: Timestamp?
    let ask: Ask
    var isSent = false
    let completion: AskCompletion
  }
  private var waiting: [UInt64: WaitingAsk] = [:]

  var due: Timestamp? { waiting.values.lazy.compactMap(\.due).min() }
  /// Whether an answer is on its way, and comes within the limit.
  var hasSent: Bool { waiting.values.contains { $0.isSent && $0.due != nil } }

  mutating func add(_ question: Question, at now: Timestamp, _ completion: @escaping AskCompletion) {
    last += 1
    waiting[last] = WaitingAsk(
      due: question.isUnlimited ? nil : now + Self.limit, ask: Ask(number: last, question: question),
      completion: completion)
  }

  /// Those that are to go out, in order. They count as sent.
  mutating func takeUnsent() -> [Ask] {
    let numbers = waiting.filter { !$0.value.isSent }.keys.sorted()
    for number in numbers { waiting[number]?.isSent = true }
    return numbers.compactMap { waiting[$0]?.ask }
  }

  /// Those that went out and have no answer.
  mutating func takeSent() -> [AskCompletion] {
    waiting.filter(\.value.isSent).keys.sorted().compactMap { takeCompletion(of: $0) }
  }

  mutating func takeCompletion(of number: UInt64) -> AskCompletion? {
    waiting.removeValue(forKey: number)?.completion
  }

  /// Those that waited for too long, in order.
  mutating func overdue(at now: Timestamp) -> [AskCompletion] {
    waiting.filter { $0.value.due.map { $0 <= now } ?? false }.keys.sorted().compactMap {
      takeCompletion(of: $0)
    }
  }

  mutating func takeAll() -> [AskCompletion] { waiting.keys.sorted().compactMap { takeCompletion(of: $0) } }
}

extension Question {
  /// A channel of a node that is lost is left once its log has another owner, which may take longer than the limit. Nobody is told of
  /// this question, so that nobody waits for its answer.
  fileprivate var isUnlimited: Bool {
    if case .leaveChannel = self { true } else { false }
  }
}

extension RoomLink {
  /// Asks the account's server; exactly one answer comes. While not connected it fails at once and nothing is sent
  /// later.
  package func ask(_ question: Question, _ completion: @escaping AskCompletion) {
    if let obstacle { return completion(.failure(obstacle)) }
    // What was asked for before goes out before: who sets an attribute and reads it reads what was set.
    flushCommands()
    asking.add(question, at: now, completion)
    sendAsks()
    wake()
  }

  /// While another socket is opened and nothing is told of it, questions wait for it.
  func sendAsks() {
    guard isLive, connection?.stage == .live else { return }
    for ask in asking.takeUnsent() { send(.ask(ask)) }
  }

  func answered(_ answer: Answer) {
    asking.takeCompletion(of: answer.number)?(answer.result.mapError { BoardroomError($0) })
  }

  /// What had no answer for so long has failed. It may still be on its way, so its socket goes with it: what is reported as
  /// failed is not done later (FACE-7).
  func failOverdue() {
    let commands = outbox.overdue(at: now)
    let asks = asking.overdue(at: now)
    guard !commands.isEmpty || !asks.isEmpty else { return }
    if connection?.stage == .live { distrust() }
    for completion in asks { completion(.failure(.outcomeUnknown)) }
    finish(commands)
  }

  /// The connection is gone: what was asked over it may have been done or not.
  func failSentAsks() {
    for completion in asking.takeSent() { completion(.failure(.outcomeUnknown)) }
  }

  func failAsks() {
    for completion in asking.takeAll() { completion(.failure(.outcomeUnknown)) }
  }
}
