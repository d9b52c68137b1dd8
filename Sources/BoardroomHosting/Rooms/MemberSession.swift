import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// One member's place in an open room, across its connections. Small: what a member has missed is in the log,
/// not here.
final class MemberSession {
  let member: MemberID
  let session: SessionID
  var machine: SessionMachine
  /// Where its messages go; nil while no connection is there.
  var line: ConnectionOutput?
  var stage = Stage.away
  /// When something last went out to it: a heartbeat is due an interval later.
  var lastSent: Timestamp
  /// Whether its client knows what a quiet room is. Only rooms are quiet: a service has its 4 s (TL-1, TL-7).
  var acceptsQuiet = false
  /// Whether the last thing that it was told is that the room is quiet.
  var knowsQuiet = false
  /// Whether it has said something else since, so that the next heartbeat is due as soon as usual. It may have said that
  /// before it heard of the quiet: its answer to that counts all the same.
  var hasSpokenSince = false
  /// The highest counter that was decided, whether or not the log holds an event of it.
  var decided: CommandCounter = 0
  /// Commands of this member that could not be read. Each is recorded, so there is an end to it.
  var faults = 0
  /// 100: a bug in a client shows well before that, and a flood of them does not fill the log.
  static let allowedFaults = 100
  /// When the token of its connection ends; nil: never, or not known since a restart.
  var expires: Timestamp?
  /// It came without a token to an open server (OPEN-4).
  var mayHost = false
  /// The tokens with which it came since this host is here, by their hashes (MOD-9).
  private(set) var tokenHashes: [String] = []
  /// 8: who has more links to a room than that has one more anyway.
  private static let mostTokens = 8
  /// The revision of its join; nil: not known, since it is older than this host.
  var first: Revision?
  /// In a channel: when its account was asked last whether it is still signed in.
  var checked: Timestamp?
  /// A question was refused for coming too fast, and none has come in time since.
  var asksTooFast = false
  /// How commands ended that left no event.
  var silent = SilentAnswers()
  /// What it is to be told of its commands and questions.
  var owed = OwedAnswers.Share()
  /// Answers kept for a full outbox. 1,000: two seconds at the usual rate; who reads that slowly can ask again.
  static let allowedAnswers = 1_000
  /// A search of the log for old receipts is under way.
  var isSearching = false
  /// What the next one is to look for.
  var wanted: [WantedReceipt] = []

  /// While it is live: up to where it was handed everything.
  var handed = Revision.zero

  /// How far a connection is on its way to live delivery.
  enum Stage {
    /// Nobody is there.
    case away
    /// Let in, but the log does not hold it yet: nothing may be said.
    case entering(cursor: Cursor?)
    /// Reads on from its cursor, at its own speed.
    case behind(CatchUp)
    /// Gets each commit as it comes; `place` is its place among the live.
    case live(place: Int)
  }

  init(member: MemberID, session: SessionID, machine: SessionMachine, at now: Timestamp) {
    self.member = member
    self.session = session
    self.machine = machine
    lastSent = now
  }

  /// It is told something: from here on both sides speak as often as usual.
  func endQuiet(at now: Timestamp) {
    knowsQuiet = false
    machine.endQuiet(at: now)
  }

  func note(_ hash: String?) {
    guard let hash, !tokenHashes.contains(hash), tokenHashes.count < Self.mostTokens else { return }
    tokenHashes.append(hash)
  }
}

/// A command that came again and whose first receipt is not in memory.
struct WantedReceipt: Sendable {
  var counter: CommandCounter
  var kind: UInt8

  /// Whether another one of this kind may have taken its place before it was recorded.
  var isPosition: Bool { kind == EventKind.pointer.rawValue || kind == EventKind.camera.rawValue }
}

/// How the newest commands ended that left no event in the log: should the answer be lost with its connection, the log
/// cannot tell it.
struct SilentAnswers {
  /// 256: as many as a client can lose with one connection, and few enough to cost nothing.
  private static let limit = 256
  private var answers: [(receipt: Receipt, refusal: Refusal?)] = []

  mutating func add(_ receipt: Receipt, _ refusal: Refusal?) {
    if answers.count == Self.limit { answers.removeFirst() }
    answers.append((receipt, refusal))
  }

  /// Nil if the command is none of them.
  func answer(to counter: CommandCounter) -> (receipt: Receipt, refusal: Refusal?)? {
    answers.last { $0.receipt.counter == counter }
  }
}
