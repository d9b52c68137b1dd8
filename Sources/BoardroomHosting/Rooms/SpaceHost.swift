import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// One open space, a room, an account or a channel: decides, appends, and once the log holds an event, delivers it.
/// Synchronous, knows of no socket and no clock; belongs to one loop.
///
/// The round of a command: `receive` → `Room.decide` → append → `Room.apply` (the room runs ahead of the log) →
/// `committed` → one encoding → all live members, and the author's receipt in the same flush. Whoever is not
/// live reads from the log by its own cursor (`SpaceHost+CatchUp.swift`).
final class SpaceHost {
  let id: RoomID
  let loop: any RoomLoop
  let storeQueue: StoreQueue
  let gatekeeper: any Gatekeeper
  private let sharedPolicy: SharedPolicy
  var policy: ServerPolicy { sharedPolicy.value }
  let wire: WireMessages
  let traffic: Traffic
  let turns: Turns
  /// The time for what comes back from the store or the link; inputs bring their own.
  let clock: @Sendable () -> Timestamp
  let appender: any LogAppender
  /// The first revision from which on nothing is missing: older ones are trimmed, or behind them is a gap.
  var low: Revision

  var room: Room
  var durable: Revision
  var tail: RecentRuns
  var ledger: ByteLedger
  var awaited = PostCommitQueue()
  /// From outside, for the state; they wait for the log.
  var stateRequests = StateRequests()

  var sessions: MemberSessions
  var deliveries = RunDeliveries()
  /// Receipts, refusals and answers that are to be told before the room falls silent.
  var owed: OwedAnswers
  var outboxes: LoopOutboxes
  /// What happened while the log was full and is not recorded yet.
  var deferredEvents = DeferredEvents()

  var snapshots: RoomSnapshots
  var pieces = PieceCache()
  let reads: SharedReads<(MemberSession, ConnectionID)>

  /// The way to other spaces.
  let exchange: SpaceExchange
  /// What this space does beside the round of a command: an account, or a channel; nil: a room with a board.
  private(set) var behaviour: (any SpaceBehaviour)?

  /// When members were told something last, or said something that is not a heartbeat. Some time later the room is quiet.
  var lastActive = Timestamp.zero

  /// Until then `tick` has nothing to do.
  var restsUntil = Timestamp.zero

  /// Why somebody may not come in as a new member now; who goes on with a stay is not asked about.
  var joinRefusal: (JoinAttempt, Timestamp) -> Refusal? = { _, _ in nil }

  var untold = UntoldPresences()
  /// Hears of those that the log holds; nil: nobody is to.
  var tellPresence: ((Presence) -> Void)?

  /// Set once: the log is being given up. What members say is not heard any more; they say it again to its next owner.
  var isGivenUp = false

  /// Set once: nothing is decided or delivered any more, and who comes is told this.
  private(set) var endedWith: Farewell?
  var isClosed: Bool { endedWith != nil }
  /// Whether it has closed because another node has the log, or will have it.
  var hasMoved: Bool { endedWith?.refusal.code == .goingAway }
  /// Called once, when the room has closed itself.
  let whenClosed: () -> Void

  init(
    _ opened: OpenedRoom, id: RoomID, loop: any RoomLoop, storeQueue: StoreQueue, gatekeeper: any Gatekeeper,
    policy sharedPolicy: SharedPolicy, wire: WireMessages, traffic: Traffic, turns: Turns,
    exchange: SpaceExchange,
    clock: @escaping @Sendable () -> Timestamp, at now: Timestamp, behaving: BehaviourMaking,
    whenClosed: @escaping () -> Void
  ) {
    self.id = id
    self.loop = loop
    self.storeQueue = storeQueue
    self.gatekeeper = gatekeeper
    self.sharedPolicy = sharedPolicy
    self.wire = wire
    self.traffic = traffic
    self.turns = turns
    self.exchange = exchange
    self.clock = clock
    let policy = sharedPolicy.value
    appender = opened.appender
    low = opened.low
    owed = OwedAnswers(wire: wire)
    room = Room(state: opened.state, policy: policy.room)
    durable = opened.state.revision
    tail = opened.recent ?? RecentRuns(after: durable, limit: policy.tail)
    ledger = ByteLedger(opened: durable, bytes: opened.rawBytes)
    reads = SharedReads(of: id, from: storeQueue, limit: policy.piece)
    snapshots = RoomSnapshots(opened.snapshot, wire: wire)
    sessions = MemberSessions(emptyAt: now)
    outboxes = LoopOutboxes(from: loop)
    self.whenClosed = whenClosed
    behaviour = behaving(self)
    restoreSessions(at: now)
  }

  // MARK: Recording

  /// Appends what the room proposes and takes it in. Returns the last revision. A failure before the first
  /// event leaves the room as it was; one in the middle is the end of it.
  @discardableResult
  func record(_ proposals: [Proposed], at now: Timestamp) throws(LogError) -> Revision {
    let time = max(now, room.state.time)
    for proposed in proposals {
      // What is told of somebody who goes stands in the state before.
      let presence = tellPresence == nil ? nil : behaviour?.presence(of: proposed)
      let revision = try append(proposed, at: time)
      if let presence { untold.note(presence, at: revision) }
      let member = behaviour == nil ? nil : member(of: proposed)
      room.apply(proposed, revision: revision, at: time)
      behaviour?.follow(proposed, of: member, at: time)
      guard !proposed.settles.isEmpty, let session = proposed.actor.member.flatMap({ sessions[$0] })
      else {
        continue
      }
      for counter in proposed.settles { afterCommit(.receipt(session, counter), at: revision) }
    }
    return room.state.revision
  }

  /// The member that an event is about, as the state has it now.
  func member(of proposed: Proposed) -> Member? {
    proposed.actor.member.flatMap { room.state.members[$0] }
  }

  /// Who comes or goes by an event that the state does not have yet; nil: nobody, or somebody without a uid.
  func arrivalOrLeave(by proposed: Proposed) -> (uid: String, isHere: Bool)? {
    switch proposed.event {
    case .members(.joined(let joined)): joined.uid.map { ($0, true) }
    case .members(.left): member(of: proposed)?.uid.map { ($0, false) }
    default: nil
    }
  }

  private func append(_ proposed: Proposed, at time: Timestamp) throws(LogError) -> Revision {
    let (kind, actor) = (proposed.event.kind, proposed.actor.code)
    func put(_ bytes: UnsafeRawBufferPointer) -> Result<Revision, LogError> {
      do throws(LogError) {
        return .success(try appender.append(kind: kind, actor: actor, time: time, body: bytes))
      } catch {
        return .failure(error)
      }
    }
    if let raw = proposed.rawBody { return try raw.withUnsafeBytes(put).get() }
    let body = EventCodec.encodeBody(proposed.event, counter: proposed.counter)
    return try body.withUnsafeBytes(put).get()
  }

  // MARK: The end

  /// The log did not keep what was decided: everyone is sent off to come back, and the state is built anew
  /// from the log. Returns what all are told: the caller tells it to whoever is in no session yet (NODE-17).
  @discardableResult
  func fail(_ error: LogError) -> Farewell {
    close(with: Self.end(by: error))
    return endedWith ?? Self.end(by: error)
  }

  private static func end(by error: LogError) -> Farewell {
    let refusal = Refusal(error)
    switch refusal.code {
    // Nothing failed: another node has the log, or will have it.
    case .goingAway: return Farewell(refusal, kick: .GatewayAdjust, comeBack: true)
    case .logFull: return Farewell(refusal, kick: .crash, comeBack: true)
    default: return Farewell(Refusal(.internalFailure), kick: .crash, comeBack: true)
    }
  }

  /// Why nothing is done here any more; nil while the host is open.
  var refusal: Refusal? { endedWith?.refusal }

  /// Whoever comes in with the call in which the host has closed is told so, as it is in no session yet (NODE-17).
  func partIfClosed(_ connection: ConnectionHandle) {
    guard let endedWith else { return }
    part(from: connection, endedWith, code: CloseCode.of(endedWith))
  }

  /// Parts from every connection without ending any member's stay, and gives up the log.
  func close(with farewell: Farewell) {
    guard !isClosed else { return }
    endedWith = farewell
    for action in awaited.drain() { settle(action, by: farewell) }
    for session in sessions.connected {
      if let line = session.line { part(from: line.connection, farewell, code: CloseCode.of(farewell)) }
    }
    dispatch()
    sessions.removeAll()
    deliveries.end()
    appender.close()
    whenClosed()
    behaviour?.hostClosed()
  }

  /// Does it once the log holds that revision. Where the host has closed meanwhile nobody waits for that in vain (NODE-17).
  func afterCommit(_ action: PostCommitAction, at revision: Revision) {
    if let endedWith { return settle(action, by: endedWith) }
    awaited.add(action, at: revision)
  }

  /// What becomes of it where the log never will.
  private func settle(_ action: PostCommitAction, by farewell: Farewell) {
    switch action {
    case .tell(let answer): answer(.failure(farewell.refusal))
    case .show(let request): request.show(nil)
    case .part(let connection, let other, let code): part(from: connection, other, code: code)
    case .admit, .receipt, .refused, .again: break
    }
  }

  /// Says farewell and closes the connection; what was sent before goes out first.
  func part(from connection: ConnectionHandle, _ farewell: Farewell, code: UInt16) {
    dispatch()
    connection.finish(farewell, code: code)
  }

  func dispatch() { outboxes.dispatch() }

  /// Tells of those who came and went, as far as the log holds it.
  func tellPresences() {
    if let tellPresence { untold.tell(upTo: durable, to: tellPresence) }
  }
}
