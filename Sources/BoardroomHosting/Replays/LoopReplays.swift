import BoardroomCore
import BoardroomModel
import EventLogModel

/// The replays of one loop.
final class LoopReplays {
  private enum ReplaySlot {
    /// Those who wait for it, in the order in which they came.
    case opening([ConnectionID])
    case open(ReplayHost)
  }

  private let loop: any RoomLoop
  private let storeQueue: StoreQueue
  private let turns: Turns
  private let policy: ServerPolicy
  private let wire: WireMessages
  private let census: Census
  private let clock: @Sendable () -> Timestamp
  private var slots: [ReplayKey: ReplaySlot] = [:]
  /// Whose share each counts in: that of who opened it, until it ends (BOUND-5).
  private var payers: [ReplayKey: Claimant] = [:]
  /// Whose replay is being opened; those that are gone meanwhile are not here.
  private var entering: [ConnectionID: JoinAttempt] = [:]
  private var watching: [ConnectionID: ReplayHost] = [:]

  init(
    loop: any RoomLoop, storeQueue: StoreQueue, turns: Turns, policy: ServerPolicy, wire: WireMessages,
    census: Census,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.loop = loop
    self.storeQueue = storeQueue
    self.turns = turns
    self.policy = policy
    self.wire = wire
    self.census = census
    self.clock = clock
  }

  var hosts: [ReplayHost] {
    slots.values.compactMap { slot in if case .open(let host) = slot { host } else { nil } }
  }

  /// Spares rooms the search for their connections here.
  private var isEmpty: Bool { watching.isEmpty && entering.isEmpty }

  var connections: Int { entering.count + watching.count }

  var live: Int {
    hosts.reduce(0) { sum, host in
      sum + host.watchers.values.count { if case .live = $0.stage { true } else { false } }
    }
  }

  // MARK: Coming

  func enter(_ entry: JoinAttempt, _ wish: ReplayWish, at now: Timestamp) {
    let id = entry.connection.id
    let key = wish.group.map { ReplayKey.group(entry.hello.room, $0) } ?? .alone(id)
    switch slots[key] {
    case .open(let host):
      watching[id] = host
      host.enter(entry, at: now)
    case .opening(let waiting):
      entering[id] = entry
      slots[key] = .opening(waiting + [id])
    case nil:
      if let refusal = census.refusal(replays: policy.replays) { return refuse(entry, refusal) }
      let payer = Claimant(entry)
      if let refusal = census.shares.refusal(payer) { return refuse(entry, refusal) }
      payers[key] = payer
      census.replayOpened()
      entering[id] = entry
      slots[key] = .opening([id])
      open(entry.hello, wish, key)
    }
  }

  private func refuse(_ entry: JoinAttempt, _ refusal: Refusal) {
    let farewell = Farewell(refusal, comeBack: refusal.isPassing)
    entry.connection.finish(farewell, code: CloseCode.of(farewell))
  }

  private func open(_ hello: Hello, _ wish: ReplayWish, _ key: ReplayKey) {
    // The name of a space's log follows from its place, and whoever may go there may watch it (ACC-4).
    let (room, isSpace, place) = (hello.room, hello.place != nil, wish.place)
    storeQueue.ask { store throws(LogError) in
      try await ReplayOpening.open(room, isSpace: isSpace, at: place, in: store)
    } then: { [unowned self] result in
      opened(key, wish.speed, result)
    }
  }

  private func opened(
    _ key: ReplayKey, _ speed: Double, _ result: Result<ReplayOpening.Outcome, LogError>
  ) {
    guard case .opening(let waiting) = slots[key] else { return }
    let entries = waiting.compactMap { entering.removeValue(forKey: $0) }
    switch result {
    case .failure(let error): return forget(key, refusing: entries, Refusal(error))
    case .success(.notRecorded): return forget(key, refusing: entries, Refusal(.notRecorded))
    case .success(.found(let found)):
      guard !entries.isEmpty, !census.isDraining else {
        return forget(key, refusing: entries, Refusal(.goingAway))
      }
      let host = ReplayHost(
        found, key: key, speed: speed, loop: loop, storeQueue: storeQueue, turns: turns, policy: policy,
        wire: wire,
        clock: clock,
        whenGone: { [unowned self] in watching[$0] = nil },
        whenClosed: { [unowned self] in forget(key, refusing: [], Refusal(.goingAway)) })
      slots[key] = .open(host)
      for entry in entries {
        watching[entry.connection.id] = host
        host.enter(entry, at: clock())
      }
    }
  }

  private func forget(_ key: ReplayKey, refusing entries: [JoinAttempt], _ refusal: Refusal) {
    if slots.removeValue(forKey: key) != nil {
      census.replayClosed()
      if let payer = payers.removeValue(forKey: key) { census.shares.giveBack(payer) }
    }
    for entry in entries { refuse(entry, refusal) }
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
