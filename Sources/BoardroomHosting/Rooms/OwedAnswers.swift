import BoardroomCodec
import BoardroomModel
import EventLogModel

/// What members are still to be told of their own commands and questions. Receipts go out together at the end of a flush;
/// what an outbox has no room for waits until it has: not every command leaves an event that tells of it.
struct OwedAnswers {
  /// What one member is owed.
  struct Share {
    fileprivate var receipts: [Receipt] = []
    fileprivate var refusals: [(counter: CommandCounter, refusal: Refusal, revision: Revision)] = []
    fileprivate var answers: [Answer] = []

    fileprivate var isEmpty: Bool { receipts.isEmpty && refusals.isEmpty && answers.isEmpty }
  }

  /// Whether a member can be told something.
  private enum Answering {
    case open(ConnectionOutput)
    /// It has no room at present.
    case full
    /// It learns all of it when it comes back.
    case away
  }

  private let wire: WireMessages
  /// Those whose share is not empty.
  private var sessions: [MemberSession] = []

  init(wire: WireMessages) { self.wire = wire }

  mutating func owe(_ receipt: Receipt, to session: MemberSession) {
    note(session)
    if session.owed.receipts.count < MemberSession.allowedAnswers { session.owed.receipts.append(receipt) }
  }

  mutating func refuse(
    _ session: MemberSession, _ counter: CommandCounter, _ refusal: Refusal, at revision: Revision,
    now: Timestamp
  ) {
    switch Self.answering(session) {
    case .open(let line):
      session.endQuiet(at: now)
      line.send(wire.bytes(of: .refused(counter, refusal, revision: revision), in: line.subprotocol))
    case .full:
      note(session)
      if session.owed.refusals.count < MemberSession.allowedAnswers {
        session.owed.refusals.append((counter, refusal, revision))
      }
    case .away: break
    }
  }

  /// False: there are more answers to be told than are kept for anybody.
  mutating func tell(_ answer: Answer, to session: MemberSession, now: Timestamp) -> Bool {
    switch Self.answering(session) {
    case .open(let line):
      session.endQuiet(at: now)
      line.send(wire.bytes(of: .answer(answer), in: line.subprotocol))
    case .full:
      guard session.owed.answers.count < MemberSession.allowedAnswers else { return false }
      note(session)
      session.owed.answers.append(answer)
    case .away: break
    }
    return true
  }

  /// Tells everybody what is owed, but for those who have no room.
  mutating func pay(now: Timestamp) {
    var later: [MemberSession] = []
    for session in sessions {
      switch Self.answering(session) {
      case .open(let line):
        session.endQuiet(at: now)
        for (counter, refusal, revision) in session.owed.refusals {
          line.send(wire.bytes(of: .refused(counter, refusal, revision: revision), in: line.subprotocol))
        }
        for answer in session.owed.answers {
          line.send(wire.bytes(of: .answer(answer), in: line.subprotocol))
        }
        if !session.owed.receipts.isEmpty {
          line.send(wire.receipts(session.owed.receipts, in: line.subprotocol))
        }
      case .full:
        later.append(session)
        continue
      case .away: break
      }
      session.owed.refusals.removeAll(keepingCapacity: true)
      session.owed.answers.removeAll(keepingCapacity: true)
      session.owed.receipts.removeAll(keepingCapacity: true)
    }
    sessions.removeAll(keepingCapacity: true)
    sessions.append(contentsOf: later)
  }

  private mutating func note(_ session: MemberSession) {
    if session.owed.isEmpty { sessions.append(session) }
  }

  private static func answering(_ session: MemberSession) -> Answering {
    guard let line = session.line else { return .away }
    switch session.stage {
    case .away, .entering: return .away
    case .behind, .live: return line.isFull ? .full : .open(line)
    }
  }
}
