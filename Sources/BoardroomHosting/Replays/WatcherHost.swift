import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Those who watch a log without being members of anything: of a replay, or spectators of a room that is under way. It brings each
/// of them from a stored snapshot, or from where it is, to what is shown, and tells them what comes then. Synchronous; belongs
/// to one loop. It folds nothing and writes nothing.
class WatcherHost {
  let room: RoomID
  let loop: any RoomLoop
  let storeQueue: StoreQueue
  let turns: Turns
  let policy: ServerPolicy
  let wire: WireMessages
  let clock: @Sendable () -> Timestamp
  let epoch: Epoch
  /// The first revision that is kept.
  var low: Revision
  /// The last event shown.
  var shown: Revision
  /// Bytes of one event, about: what catch-ups are estimated by.
  let eventBytes: Int
  /// What was shown lately.
  var tail: RecentRuns
  /// Counts places that are not reached by going on: what was read before one is not wanted after it.
  var turn = 0
  let reads: SharedReads<(Watcher, turn: Int)>

  var watchers: [ConnectionID: Watcher] = [:]
  private var numbers: UInt64 = 0
  /// Who waits for the snapshot that is being looked up: of all who come at once it is read, and encoded, once.
  private var lookingUp: [Watcher] = []
  private var newest: SnapshotMessages?
  private var loopOutboxes: [LoopOutbox] = []
  private(set) var isClosed = false
  let whenClosed: () -> Void
  let whenGone: (ConnectionID) -> Void

  init(
    _ info: LogInfo, shown: Revision, loop: any RoomLoop, storeQueue: StoreQueue, turns: Turns,
    policy: ServerPolicy, wire: WireMessages, clock: @escaping @Sendable () -> Timestamp,
    whenGone: @escaping (ConnectionID) -> Void, whenClosed: @escaping () -> Void
  ) {
    room = info.log
    self.loop = loop
    self.storeQueue = storeQueue
    self.turns = turns
    self.policy = policy
    self.wire = wire
    self.clock = clock
    reads = SharedReads(of: info.log, from: storeQueue, limit: policy.piece)
    epoch = info.epoch
    low = info.low
    self.shown = shown
    eventBytes = max(16, info.rawBytes / max(1, Int(clamping: info.last.rawValue)))
    tail = RecentRuns(after: shown, limit: policy.tail)
    self.whenGone = whenGone
    self.whenClosed = whenClosed
  }

  // MARK: What differs

  /// A watcher was let in, and is on its way.
  func arrived(_ watcher: Watcher, at now: Timestamp) {}
  /// A watcher may be told something that it had no room for.
  func hasRoom(_ watcher: Watcher, at now: Timestamp) {}
  /// Nobody is left.
  func emptied(at now: Timestamp) {}
  /// Some cannot be brought further.
  ///
  /// - Parameter again: tries it again for those who are still there.
  func cannotRead(_ error: LogError, for waiting: [Watcher], at now: Timestamp, again: @escaping () -> Void) {
    close(with: Farewell(Refusal(error), comeBack: true))
  }
  /// What a watcher has already that counts.
  func known(to watcher: Watcher) -> Revision? { nil }
  /// Events are being handed out: who is about to get them must not be told of them before, and needs no heartbeat.
  var isHandingOut: Bool { false }
  /// How long nothing may be said from now on (WIRE-20); nil: no longer than usual.
  func quietInterval(at now: Timestamp) -> Duration? { nil }

  // MARK: Coming

  func enter(_ entry: JoinAttempt, at now: Timestamp) {
    guard !isClosed else { return }
    let watcher = Watcher(entry, loopOutbox(to: entry.connection.loop), number: numbers, at: now)
    numbers += 1
    watchers[watcher.id] = watcher
    lookUpWay(for: watcher)
  }

  func lookUpWay(for watcher: Watcher) {
    lookingUp.append(watcher)
    if lookingUp.count == 1 { lookUpSnapshot() }
  }

  private func lookUpSnapshot() {
    let (room, shown, turn) = (room, shown, turn)
    storeQueue.ask { store throws(LogError) in
      try await store.latestSnapshot(of: room, notAfter: shown)
    } then: { [weak self] result in
      self?.found(result, turn)
    }
  }

  private func found(_ result: Result<Snapshot?, LogError>, _ turn: Int) {
    guard !isClosed else { return }
    lookingUp.removeAll { watchers[$0.id] !== $0 }
    guard !lookingUp.isEmpty else { return }
    // A seek came in between: the way leads elsewhere.
    guard turn == self.turn else { return lookUpSnapshot() }
    let (waiting, now) = (lookingUp, clock())
    lookingUp = []
    switch result {
    case .failure(let error):
      cannotRead(error, for: waiting, at: now) { [weak self] in
        guard let self else { return }
        for watcher in waiting where watchers[watcher.id] === watcher { lookUpWay(for: watcher) }
      }
    case .success(let snapshot): letIn(waiting[...], from: snapshot.map(messages(of:)), turn)
    }
  }

  private func messages(of snapshot: Snapshot) -> SnapshotMessages {
    if let newest, newest.snapshot.revision == snapshot.revision { return newest }
    let messages = SnapshotMessages(snapshot, wire: wire)
    newest = messages
    return messages
  }

  /// As many as this turn of the loop allows, then the others.
  private func letIn(_ waiting: ArraySlice<Watcher>, from snapshot: SnapshotMessages?, _ turn: Int) {
    let now = clock()
    var rest = waiting
    while !isClosed, !turns.isSpent, let watcher = rest.popFirst() {
      guard watchers[watcher.id] === watcher else { continue }
      guard turn == self.turn else {
        lookUpWay(for: watcher)
        continue
      }
      let bytes = wire.bytes(of: .welcome(welcome(watcher, at: now)), in: watcher.line.subprotocol)
      watcher.send(bytes, at: now)
      turns.spend(bytes.count)
      watcher.failing = nil
      begin(watcher, from: snapshot, at: now)
      arrived(watcher, at: now)
    }
    dispatch()
    guard !isClosed, !rest.isEmpty else { return }
    turns.later { [weak self, rest] in self?.letIn(rest, from: snapshot, turn) }
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
    emptied(at: now)
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

  /// Time went by: the silent are told something, the silent for too long are parted from.
  func tick(at now: Timestamp) {
    // In the order in which they came, so that a simulation is the same every time.
    let due = watchers.values.filter { isDue($0, at: now) }.sorted { $0.id < $1.id }
    var silent: [Watcher] = []
    for watcher in due where !isClosed {
      if isGone(watcher, at: now) {
        part(from: watcher, Farewell(Refusal(.networkLost), comeBack: true), at: now)
        continue
      }
      advance(watcher, at: now)
      hasRoom(watcher, at: now)
      if !watcher.isEntering, now >= heartbeatDue(of: watcher) { silent.append(watcher) }
    }
    beat(silent[...], at: now)
  }

  /// Of very many most have nothing to do.
  private func isDue(_ watcher: Watcher, at now: Timestamp) -> Bool {
    !watcher.isLive || watcher.isOwedStatus || now >= heartbeatDue(of: watcher) || isGone(watcher, at: now)
  }

  private func isGone(_ watcher: Watcher, at now: Timestamp) -> Bool {
    now >= watcher.heard + policy.timings.offlineAfter
  }

  private func heartbeatDue(of watcher: Watcher) -> Timestamp {
    let isQuiet = watcher.knowsQuiet && !watcher.hasSpokenSince
    return watcher.lastSent + ((isQuiet ? policy.quietInterval : nil) ?? policy.timings.heartbeat)
  }

  /// One encoding for all. As many as this turn of the loop allows, then the others.
  private func beat(_ silent: ArraySlice<Watcher>, at now: Timestamp) {
    guard !isClosed else { return dispatch() }
    let (wire, shown) = (wire, shown)
    let interval = quietInterval(at: now)
    var usual = EncodedOnce { wire.bytes(of: .heartbeat(shown, now), in: $0) }
    var rare = EncodedOnce { wire.bytes(of: .quiet(shown, now, interval ?? .zero), in: $0) }
    var rest = silent
    while !turns.isSpent, let watcher = rest.popFirst() {
      guard watchers[watcher.id] === watcher, watcher.lastSent < now, !watcher.line.isFull else { continue }
      // Who is live is about to get what is being handed out, which says as much.
      if watcher.isLive, isHandingOut { continue }
      let isQuiet = interval != nil && watcher.acceptsQuiet && watcher.isLive
      let subprotocol = watcher.line.subprotocol
      let bytes = isQuiet ? rare.bytes(in: subprotocol) : usual.bytes(in: subprotocol)
      watcher.send(bytes, at: now)
      watcher.knowsQuiet = isQuiet
      turns.spend(bytes.count)
    }
    dispatch()
    guard !rest.isEmpty else { return }
    turns.later { [weak self, rest] in
      guard let self else { return }
      beat(rest, at: clock())
    }
  }

  func drained(_ connection: ConnectionID, at now: Timestamp) {
    guard !isClosed, let watcher = watchers[connection] else { return }
    advance(watcher, at: now)
    hasRoom(watcher, at: now)
    dispatch()
  }

  // MARK: What watchers say

  func receive(_ inbox: Inbox) {}

  /// Commands and questions, which are refused (RPL-14). Who does not read the answers does not get them.
  func refuse(
    _ inbox: Inbox, of watcher: Watcher, _ refusals: (command: Refusal, ask: Refusal), at now: Timestamp
  ) {
    for reading in inbox.commands where !watcher.line.isFull {
      let counter =
        switch reading {
        case .command(let numbered, _): numbered.counter
        case .faulty(let counter, _, _): counter
        }
      watcher.send(
        wire.bytes(
          of: .refused(counter, refusals.command, revision: told(watcher)), in: watcher.line.subprotocol),
        at: now)
    }
    for ask in inbox.asks where !watcher.line.isFull {
      let answer = Answer(number: ask.number, result: .failure(refusals.ask))
      watcher.send(wire.bytes(of: .answer(answer), in: watcher.line.subprotocol), at: now)
    }
  }

  /// Up to where a watcher has been handed everything, or is on its way.
  private func told(_ watcher: Watcher) -> Revision { watcher.isLive ? watcher.handed : shown }

  /// The watcher who said this; nil if it is none, or was parted from because it said something too early.
  func listener(to inbox: Inbox) -> Watcher? {
    guard !isClosed, let watcher = watchers[inbox.connection] else { return nil }
    watcher.heard = inbox.at
    if inbox.hasMessage, inbox.quiet == nil { watcher.hasSpokenSince = true }
    let saysMore = !inbox.commands.isEmpty || !inbox.controls.isEmpty || !inbox.asks.isEmpty
    guard watcher.isEntering, saysMore else { return watcher }
    let refusal = Refusal(.outOfOrder, cause: "Something was asked for before the welcome.")
    part(from: watcher, Farewell(refusal, comeBack: false), at: inbox.at)
    return nil
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
