import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// One replay of a room and those who watch it: reads the log ahead, hands out its records when the machine says
/// that they are due, and carries out what watchers ask for. Synchronous; belongs to one loop. It writes nothing,
/// and the room need not be open.
final class ReplayHost {
  let key: ReplayKey
  let room: RoomID
  let loop: any RoomLoop
  let storeQueue: StoreQueue
  let turns: Turns
  let policy: ServerPolicy
  let wire: WireMessages
  let clock: @Sendable () -> Timestamp

  var machine: ReplayMachine
  let epoch: Epoch
  /// The last revision of the log, as far as known.
  var last: Revision
  /// The last event shown.
  var shown: Revision
  /// Bytes of one event, about: what catch-ups are estimated by.
  let eventBytes: Int
  /// What was shown lately.
  var tail: RecentRuns
  /// What comes next.
  var ahead: [Run] = []
  /// Counts seeks: what was read before one is not wanted after it.
  var turn = 0
  var isReading = false
  let reads: SharedReads<(Watcher, turn: Int)>

  var watchers: [ConnectionID: Watcher] = [:]
  private var numbers: UInt64 = 0
  var loopOutboxes: [LoopOutbox] = []
  private var emptySince: Timestamp?
  /// When a timer is set for.
  var timer: Timestamp?
  private(set) var isClosed = false
  let whenClosed: () -> Void
  let whenGone: (ConnectionID) -> Void

  init(
    _ found: FoundPlace, key: ReplayKey, speed: Double, loop: any RoomLoop, storeQueue: StoreQueue,
    turns: Turns,
    policy: ServerPolicy, wire: WireMessages, clock: @escaping @Sendable () -> Timestamp,
    whenGone: @escaping (ConnectionID) -> Void, whenClosed: @escaping () -> Void
  ) {
    self.key = key
    room = found.info.log
    self.loop = loop
    self.storeQueue = storeQueue
    self.turns = turns
    self.policy = policy
    self.wire = wire
    self.clock = clock
    machine = ReplayMachine(
      begin: found.begin, end: found.info.lastTime, place: found.time, speed: speed, at: clock())
    reads = SharedReads(of: found.info.log, from: storeQueue, limit: policy.piece)
    epoch = found.info.epoch
    last = found.info.last
    shown = found.revision
    eventBytes = max(16, found.info.rawBytes / max(1, Int(clamping: found.info.last.rawValue)))
    tail = RecentRuns(after: found.revision, limit: policy.tail)
    self.whenGone = whenGone
    self.whenClosed = whenClosed
    // It stands still until somebody is shown where it begins: what has the same time as that comes after it.
    machine.watched(false, at: clock())
    readAhead()
  }

  // MARK: Coming

  func enter(_ entry: JoinAttempt, at now: Timestamp) {
    guard !isClosed else { return }
    let watcher = Watcher(entry, loopOutbox(to: entry.connection.loop), number: numbers, at: now)
    numbers += 1
    watchers[watcher.id] = watcher
    emptySince = nil
    lookUpWay(for: watcher)
  }

  private func lookUpWay(for watcher: Watcher) {
    let (room, shown, turn) = (room, shown, turn)
    storeQueue.ask { store throws(LogError) in
      try await store.latestSnapshot(of: room, notAfter: shown)
    } then: { [weak self] result in
      self?.found(result, for: watcher, turn)
    }
  }

  private func found(_ result: Result<Snapshot?, LogError>, for watcher: Watcher, _ turn: Int) {
    guard !isClosed, watchers[watcher.id] === watcher else { return }
    // A seek came in between: the way leads elsewhere.
    guard turn == self.turn else { return lookUpWay(for: watcher) }
    let now = clock()
    switch result {
    case .failure(let error): close(with: Farewell(Refusal(error), comeBack: true))
    case .success(let snapshot):
      watcher.send(wire.bytes(of: .welcome(welcome(watcher, at: now)), in: watcher.line.subprotocol), at: now)
      begin(watcher, from: snapshot.map { SnapshotMessages($0, wire: wire) }, at: now)
      machine.watched(true, at: now)
      tell(watcher, at: now)
      dispatch()
      pulse(at: now)
    }
  }

  private func welcome(_ watcher: Watcher, at now: Timestamp) -> Welcome {
    Welcome(
      member: watcher.member, session: .random(), generation: 1, ticket: "", resumed: false, epoch: epoch,
      revision: shown, time: now, lastCounter: 0, writable: false, timings: policy.timings,
      limits: policy.limits)
  }

  // MARK: Going

  func closed(_ connection: ConnectionID, at now: Timestamp) {
    guard watchers.removeValue(forKey: connection) != nil else { return }
    whenGone(connection)
    guard watchers.isEmpty, !isClosed else { return }
    guard key.isShared else { return close(with: Farewell(Refusal(.goingAway), comeBack: true)) }
    emptySince = now
    machine.watched(false, at: now)
  }

  func part(from watcher: Watcher, _ farewell: Farewell, code: UInt16? = nil, at now: Timestamp) {
    dispatch()
    watcher.line.connection.finish(farewell, code: code ?? CloseCode.of(farewell))
    closed(watcher.id, at: now)
  }

  /// Parts from everyone.
  func close(with farewell: Farewell) {
    guard !isClosed else { return }
    isClosed = true
    dispatch()
    for watcher in watchers.values.sorted(by: { $0.id < $1.id }) {
      watcher.line.connection.finish(farewell, code: CloseCode.of(farewell))
      whenGone(watcher.id)
    }
    watchers = [:]
    whenClosed()
  }

  // MARK: Time

  /// Time went by: what is due is shown, the silent are told, the silent for too long are parted from.
  func tick(at now: Timestamp) {
    guard !isClosed else { return }
    for watcher in watchers.values.sorted(by: { $0.id < $1.id }) where !isClosed {
      if now >= watcher.heard + policy.timings.offlineAfter {
        part(from: watcher, Farewell(Refusal(.networkLost), comeBack: true), at: now)
      } else {
        goOn(watcher, at: now)
      }
    }
    if let emptySince, now >= emptySince + policy.idleClose {
      close(with: Farewell(Refusal(.goingAway), comeBack: true))
    }
    pulse(at: now)
  }

  private func goOn(_ watcher: Watcher, at now: Timestamp) {
    advance(watcher, at: now)
    payStatus(watcher, at: now)
    guard !watcher.isEntering, now >= watcher.lastSent + policy.timings.heartbeat, !watcher.line.isFull else {
      return
    }
    watcher.send(wire.bytes(of: .heartbeat(shown, now), in: watcher.line.subprotocol), at: now)
  }

  // MARK: Sending

  func dispatch() {
    for loopOutbox in loopOutboxes { loopOutbox.dispatch() }
  }

  private func loopOutbox(to destination: any RoomLoop) -> LoopOutbox {
    if let loopOutbox = loopOutboxes.first(where: { $0.destination === destination }) { return loopOutbox }
    let loopOutbox = LoopOutbox(from: loop, to: destination)
    loopOutboxes.append(loopOutbox)
    return loopOutbox
  }
}
