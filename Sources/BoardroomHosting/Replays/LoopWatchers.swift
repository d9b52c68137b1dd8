import BoardroomCore
import BoardroomModel
import EventLogModel

/// The replays of one loop, and the rooms whose spectators are here.
final class LoopWatchers {
  private enum WatchSlot {
    /// Those who wait for it, in the order in which they came.
    case opening([ConnectionID])
    case open(WatcherHost)
  }

  private let loop: any RoomLoop
  private let storeQueue: StoreQueue
  private let turns: Turns
  private let policy: ServerPolicy
  private let wire: WireMessages
  private let census: Census
  private let clock: @Sendable () -> Timestamp
  private let spectatedLog: SpectatedLog
  /// Reads for spectators, also of logs that other nodes own.
  private let spectatedQueue: StoreQueue
  private let executor: (any TaskExecutor)?
  private var slots: [WatchKey: WatchSlot] = [:]
  /// Whose share each counts in: that of who opened it, until it ends (BOUND-5).
  private var payers: [WatchKey: Claimant] = [:]
  /// Whose replay is being opened; those that are gone meanwhile are not here.
  private var entering: [ConnectionID: JoinAttempt] = [:]
  private var watching: [ConnectionID: WatcherHost] = [:]

  init(
    loop: any RoomLoop, storeQueue: StoreQueue, spectatedLog: SpectatedLog, executor: (any TaskExecutor)?,
    turns: Turns, policy: ServerPolicy, wire: WireMessages, census: Census,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.loop = loop
    self.storeQueue = storeQueue
    self.turns = turns
    self.policy = policy
    self.wire = wire
    self.census = census
    self.clock = clock
    self.spectatedLog = spectatedLog
    self.executor = executor
    spectatedQueue = StoreQueue(store: spectatedLog, loop: loop, executor: executor, limit: policy.storeCalls)
  }

  private var hosts: [WatcherHost] {
    slots.values.compactMap { slot in if case .open(let host) = slot { host } else { nil } }
  }

  var replays: Int { hosts.count { $0 is ReplayHost } }
  var spectators: Int { hosts.reduce(0) { $0 + ($1 is SpectatorHost ? $1.watchers.count : 0) } }

  /// Spares rooms the search for their connections here.
  private var isEmpty: Bool { watching.isEmpty && entering.isEmpty }

  var connections: Int { entering.count + watching.count }

  var live: Int {
    hosts.reduce(0) { sum, host in
      sum + host.watchers.values.count(where: \.isLive)
    }
  }

  // MARK: Coming

  func enter(_ entry: JoinAttempt, _ wish: ReplayWish, at now: Timestamp) {
    let id = entry.connection.id
    let key = wish.group.map { WatchKey.group(entry.hello.room, $0) } ?? .alone(id)
    guard !isJoining(entry, key, at: now) else { return }
    if let refusal = census.refusal(replays: policy.replays) { return refuse(entry, refusal) }
    let payer = Claimant(entry)
    if let refusal = census.shares.refusal(payer) { return refuse(entry, refusal) }
    payers[key] = payer
    census.replayOpened()
    entering[id] = entry
    slots[key] = .opening([id])
    open(entry.hello, wish, key)
  }

  /// Whether it is open, or being opened, so that somebody has joined those who watch it.
  private func isJoining(_ entry: JoinAttempt, _ key: WatchKey, at now: Timestamp) -> Bool {
    let id = entry.connection.id
    switch slots[key] {
    case .open(let host):
      watching[id] = host
      host.enter(entry, at: now)
    case .opening(let waiting):
      entering[id] = entry
      slots[key] = .opening(waiting + [id])
    case nil: return false
    }
    return true
  }

  /// Somebody comes in as a spectator of a room that is under way, here or at another node (SPECT-1).
  ///
  /// - Parameter sight: whether the room may be seen at present, as far as this loop knows.
  func spectate(_ entry: JoinAttempt, sight: @escaping () -> RoomSight, at now: Timestamp) {
    let room = entry.hello.room
    if let refusal = census.joins.refusal(Claimant(entry), at: now) { return refuse(entry, refusal) }
    guard !isJoining(entry, .room(room), at: now) else { return }
    guard !census.isDraining else { return refuse(entry, Refusal(.goingAway)) }
    entering[entry.connection.id] = entry
    slots[.room(room)] = .opening([entry.connection.id])
    spectatedQueue.ask { store throws(LogError) in
      try await store.info(of: room)
    } then: { [unowned self] result in
      opened(
        .room(room),
        result.map { info in
          SpectatorHost(
            info, log: spectatedLog, executor: executor, sight: sight, loop: loop,
            storeQueue: spectatedQueue, turns: turns, policy: policy, wire: wire, clock: clock,
            whenGone: { [unowned self] in watching[$0] = nil },
            whenClosed: { [unowned self] in forget(.room(room), refusing: [], Refusal(.goingAway)) })
        })
    }
  }

  private func refuse(_ entry: JoinAttempt, _ refusal: Refusal) {
    let farewell = Farewell(refusal, comeBack: refusal.isPassing)
    entry.connection.finish(farewell, code: CloseCode.of(farewell))
  }

  private func open(_ hello: Hello, _ wish: ReplayWish, _ key: WatchKey) {
    // The name of a space's log follows from its place, and whoever may go there may watch it (ACC-4).
    let (room, isSpace, place) = (hello.room, hello.place != nil, wish.place)
    storeQueue.ask { store throws(LogError) in
      try await ReplayOpening.open(room, isSpace: isSpace, at: place, in: store)
    } then: { [unowned self] result in
      switch result {
      case .failure(let error): opened(key, .failure(error))
      case .success(.notRecorded): refuseAll(key, Refusal(.notRecorded))
      case .success(.found(let found)):
        opened(
          key,
          .success(
            ReplayHost(
              found, key: key, speed: wish.speed, loop: loop, storeQueue: storeQueue, turns: turns,
              policy: policy, wire: wire, clock: clock,
              whenGone: { [unowned self] in watching[$0] = nil },
              whenClosed: { [unowned self] in forget(key, refusing: [], Refusal(.goingAway)) })))
      }
    }
  }

  private func opened(_ key: WatchKey, _ result: Result<WatcherHost, LogError>) {
    guard case .opening(let waiting) = slots[key] else { return }
    switch result {
    case .failure(let error): refuseAll(key, Refusal(error))
    case .success(let host):
      guard !census.isDraining, waiting.contains(where: { entering[$0] != nil }) else {
        return refuseAll(key, Refusal(.goingAway))
      }
      let entries = waiting.compactMap { entering.removeValue(forKey: $0) }
      slots[key] = .open(host)
      for entry in entries {
        watching[entry.connection.id] = host
        host.enter(entry, at: clock())
      }
    }
  }

  /// It cannot be opened.
  private func refuseAll(_ key: WatchKey, _ refusal: Refusal) {
    guard case .opening(let waiting) = slots[key] else { return }
    forget(key, refusing: waiting.compactMap { entering.removeValue(forKey: $0) }, refusal)
  }

  private func forget(_ key: WatchKey, refusing entries: [JoinAttempt], _ refusal: Refusal) {
    if slots.removeValue(forKey: key) != nil, !key.isRoom {
      census.replayClosed()
      if let payer = payers.removeValue(forKey: key) { census.shares.giveBack(payer) }
    }
    for entry in entries { refuse(entry, refusal) }
  }

  /// Spectators whom a ban is about go.
  func banish(under ban: Ban, at now: Timestamp) {
    for case let host as SpectatorHost in hosts where ban.room.map({ $0 == host.room }) ?? true {
      for watcher in host.watchers.values.sorted(by: { $0.id < $1.id })
      where ban.removes(watcher.uid, from: host.room, watcher.line.connection.address) {
        host.part(from: watcher, Farewell(Refusal(.banned), kick: .kickByAdmin, comeBack: false), at: now)
      }
    }
  }

  // MARK: What connections say; true: it concerned a replay

  func receive(_ inbox: Inbox) -> Bool {
    guard !isEmpty else { return false }
    if let host = watching[inbox.connection] {
      host.receive(inbox)
      return true
    }
    guard let entry = entering[inbox.connection] else { return false }
    guard !inbox.commands.isEmpty || !inbox.controls.isEmpty || !inbox.asks.isEmpty || inbox.leaves else {
      return true
    }
    entering[inbox.connection] = nil
    refuse(entry, Refusal(.outOfOrder, cause: "Something was asked for before the welcome."))
    return true
  }

  func drained(_ connection: ConnectionID, at now: Timestamp) -> Bool {
    guard !isEmpty else { return false }
    guard let host = watching[connection] else { return entering[connection] != nil }
    host.drained(connection, at: now)
    return true
  }

  func closed(_ connection: ConnectionID, at now: Timestamp) -> Bool {
    if entering.removeValue(forKey: connection) != nil { return true }
    guard let host = watching[connection] else { return false }
    host.closed(connection, at: now)
    return true
  }

  // MARK: Time and end

  func tick(at now: Timestamp) {
    for host in hosts { host.tick(at: now) }
  }

  func drain(with farewell: Farewell) {
    for host in hosts { host.close(with: farewell) }
    for entry in entering.values.sorted(by: { $0.connection.id < $1.connection.id }) {
      entry.connection.finish(farewell, code: CloseCode.goingAway)
    }
    entering = [:]
  }
}
