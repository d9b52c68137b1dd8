import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The rooms of one loop, and the connections of that loop that have not said hello yet.
final class LoopRooms: ConnectionReceiver {
  private enum RoomSlot {
    /// `made`: the log is made if it is not there.
    case opening([WaitingJoin], made: Bool)
    case open(SpaceHost)
  }

  /// Somebody who waits for a room to be open.
  private struct WaitingJoin {
    /// What is made if the log is not there; nil: nothing.
    let first: Event?
    /// Who pays for the making; nil: nobody has to.
    let payer: SpaceBudget.Payer?
    let use: (Result<SpaceHost, Refusal>) -> Void
  }

  let loop: any RoomLoop
  private let gatekeeper: any Gatekeeper
  private let sharedPolicy: SharedPolicy
  private var policy: ServerPolicy { sharedPolicy.value }
  private let wire: WireMessages
  let clock: @Sendable () -> Timestamp
  private let storeQueue: StoreQueue
  private let census: Census
  private var relay: CommitRelay?
  private let watchers: LoopWatchers
  private var rooms: [RoomID: RoomSlot] = [:]
  /// Whose room is being opened; those that are gone meanwhile are not here.
  private var entering: [ConnectionID: JoinAttempt] = [:]
  var greeting: [ConnectionID: ConnectionHandle] = [:]
  var piped: [ConnectionID: ConnectionHandle] = [:]
  /// Of all rooms that this loop has had.
  private let traffic = Traffic()
  private let turns: Turns
  /// The way to other spaces.
  let exchange: SpaceExchange
  /// Callers who wait for an account of this loop to sign in.
  var expected = PendingCallers()
  /// What is appended in this turn of the loop is committed at its end.
  private var commitsTurn = false
  /// To be told to the special channels.
  var presences = PresenceBatches()

  init(
    loop: any RoomLoop, store: any LogStore, gatekeeper: any Gatekeeper, policy: ServerPolicy,
    wire: WireMessages, census: Census, exchange: SpaceExchange, spectatedLog: SpectatedLog,
    executor: (any TaskExecutor)?,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.loop = loop
    self.gatekeeper = gatekeeper
    sharedPolicy = SharedPolicy(policy)
    self.wire = wire
    self.clock = clock
    self.census = census
    self.exchange = exchange
    turns = Turns(on: loop, allowance: policy.turn)
    storeQueue = StoreQueue(store: store, loop: loop, executor: executor, limit: policy.storeCalls)
    watchers = LoopWatchers(
      loop: loop, storeQueue: storeQueue, spectatedLog: spectatedLog, executor: executor, turns: turns,
      policy: policy, wire: wire, census: census, clock: clock)
    relay = CommitRelay(to: self)
    exchange.serve(self)
  }

  // MARK: Rooms

  /// The room's host, opened from its log if need be.
  /// `space`: what it is made as, if it is no room and not there yet, and who pays; `makesNothing`: no room either.
  func withHost(
    _ room: RoomID, making space: NewSpace? = nil, makesNothing: Bool = false,
    _ use: @escaping (Result<SpaceHost, Refusal>) -> Void
  ) {
    let newRoom = policy.makesRooms && !makesNothing ? Event.room(.created(RoomCreated(name: ""))) : nil
    let visitor = WaitingJoin(
      first: space.map { .space(.created($0.name)) } ?? newRoom, payer: space?.payer, use: use)
    switch rooms[room] {
    case .open(let host):
      host.restsUntil = .zero
      use(.success(host))
    case .opening(let waiting, let made): rooms[room] = .opening(waiting + [visitor], made: made)
    case nil:
      if let refusal = census.refusal(openRooms: policy.openRooms) { return use(.failure(refusal)) }
      census.roomOpened()
      // Whether it has to be paid for is known once it is known not to be there.
      open(room, for: [visitor], making: visitor.payer == nil ? visitor.first : nil)
    }
  }

  private func open(_ room: RoomID, for visitors: [WaitingJoin], making first: Event?) {
    guard let relay else { return }
    rooms[room] = .opening(visitors, made: first != nil)
    let making = first.map { RoomOpening.Making(event: $0, time: clock()) }
    let kept = policy.keepsWhatOpeningReads ? policy.tail : nil
    storeQueue.ask { store throws(LogError) in
      try await RoomOpening.open(room, in: store, listener: relay, keeping: kept, making: making)
    } then: { [unowned self] result in
      opened(room, result)
    }
  }

  private func opened(_ room: RoomID, _ result: Result<OpenedRoom, LogError>) {
    guard case .opening(let waiting, let made) = rooms[room] else { return }
    switch result {
    case .failure(.noSuchLog) where !made && waiting.contains { $0.first != nil }: make(room, for: waiting)
    case .failure(let error):
      forget(room)
      for visitor in waiting { visitor.use(.failure(Refusal(error))) }
    case .success(let opened) where census.isDraining:
      // SES-15: a drain that began meanwhile has looked at the rooms that were open.
      opened.appender.close()
      forget(room)
      for visitor in waiting { visitor.use(.failure(Refusal(.goingAway))) }
    case .success(let opened):
      let host = SpaceHost(
        opened, id: room, loop: loop, storeQueue: storeQueue, gatekeeper: gatekeeper, policy: sharedPolicy,
        wire: wire,
        traffic: traffic, turns: turns, exchange: exchange, clock: clock, at: clock(),
        behaving: { [unowned self] in behaviour(of: $0) }
      ) { [unowned self] in forget(room) }
      if let refusal = host.refusal {
        for visitor in waiting { visitor.use(.failure(refusal)) }
        return
      }
      host.joinRefusal = { [census] in census.joins.refusal(Claimant($0), at: $1) }
      if policy.tellsPresence { host.tellPresence = { [unowned self] in note($0) } }
      host.behaviour?.recordDue(at: clock())
      if let refusal = host.refusal {
        for visitor in waiting { visitor.use(.failure(refusal)) }
        return
      }
      rooms[room] = .open(host)
      host.takeUp(at: clock())
      for visitor in waiting { visitor.use(.success(host)) }
    }
  }

  private func behaviour(of host: SpaceHost) -> (any SpaceBehaviour)? {
    let id = host.id
    switch host.room.state.space?.name {
    case .account(let name):
      return AccountBehaviour(name, of: host) { [unowned self] in noteArrival(of: id) }
    case .channel(let service, let channel): return ChannelBehaviour(service, channel, of: host)
    case nil: return nil
    }
  }

  /// It is not there. The first who may have it made does so for all who would; the others only asked.
  private func make(_ room: RoomID, for waiting: [WaitingJoin]) {
    let wishes = waiting.filter { $0.first != nil }
    var refusal = Refusal(.notFound)
    let maker = wishes.first { visitor in
      guard let tooMany = visitor.payer.flatMap({ census.spaces.refusal($0, at: clock()) }) else {
        return true
      }
      refusal = tooMany
      return false
    }
    if let maker {
      open(room, for: wishes, making: maker.first)
    } else {
      forget(room)
      for visitor in wishes { visitor.use(.failure(refusal)) }
    }
    for visitor in waiting where visitor.first == nil { visitor.use(.failure(Refusal(.notFound))) }
  }

  private func forget(_ room: RoomID) {
    if rooms.removeValue(forKey: room) != nil { census.roomClosed() }
  }

  /// The host, if the room is open; it rests no longer.
  func host(_ room: RoomID) -> SpaceHost? {
    guard case .open(let host) = rooms[room] else { return nil }
    host.restsUntil = .zero
    return host
  }

  /// Signs of life alone push off what a room has to do next, and so end no rest.
  private func host(_ room: RoomID, hearing inbox: Inbox) -> SpaceHost? {
    guard inbox.commands.isEmpty, inbox.asks.isEmpty, !inbox.leaves else { return host(room) }
    return openHost(room)
  }

  var hosts: [SpaceHost] {
    rooms.values.compactMap { slot in if case .open(let host) = slot { host } else { nil } }
  }

  // MARK: Connections

  func enter(_ entry: JoinAttempt, at now: Timestamp) {
    if let wish = entry.hello.replay { return watchers.enter(entry, wish, at: now) }
    if entry.isSpectator { return spectate(entry, at: now) }
    let connection = entry.connection
    entering[connection.id] = entry
    if let place = entry.hello.place, place.needsLogin { return enter(entry, byLogin: place, at: now) }
    open(for: entry, at: now)
  }

  private func open(for entry: JoinAttempt, as number: UInt64? = nil, at now: Timestamp) {
    let connection = entry.connection
    let space = entry.hello.place.map { place in
      NewSpace(
        name: place.space, payer: SpaceBudget.Payer(account: place.account, address: connection.address))
    }
    withHost(entry.hello.room, making: space) { [unowned self] result in
      guard entering[connection.id] != nil else {
        if number != nil { giveBack(entry.hello.place, number) }
        return
      }
      switch result {
      case .success(let host):
        entering[connection.id] = nil
        guard !host.takesSpectators || !host.isNewcomer(entry) else {
          return spectate(entry, at: max(now, clock()))
        }
        host.enter(entry, at: max(now, clock()))
        settled(entry, number, in: host)
      case .failure(let refusal):
        refuse(entry, refusal)
        if number != nil { giveBack(entry.hello.place, number) }
      }
    }
  }

  private func spectate(_ entry: JoinAttempt, at now: Timestamp) {
    let room = entry.hello.room
    watchers.spectate(
      entry, sight: { [unowned self] in openHost(room).map { RoomSight(of: $0.room.state) } ?? .open },
      at: now)
  }

  /// The host, if the room is open, whose rest this does not end.
  private func openHost(_ room: RoomID) -> SpaceHost? {
    if case .open(let host) = rooms[room] { host } else { nil }
  }

  /// What nodes with spectators of a room ask; nil if the room is not open.
  func spectating(of room: RoomID) -> SpectatedRoom? {
    openHost(room).map {
      SpectatedRoom(
        takesSpectators: $0.takesSpectators, sight: RoomSight(of: $0.room.state), last: $0.durable,
        epoch: $0.appender.epoch)
    }
  }

  /// Nothing, if it has gone or was refused before.
  private func refuse(_ entry: JoinAttempt, _ refusal: Refusal) {
    guard entering.removeValue(forKey: entry.connection.id) != nil else { return }
    let farewell = Farewell(refusal, comeBack: refusal.isPassing)
    entry.connection.finish(farewell, code: CloseCode.of(farewell))
  }

  // MARK: Channels that are joined by a login

  /// The account is asked first, so that nobody is in a channel whose login is not.
  private func enter(_ entry: JoinAttempt, byLogin place: Place, at now: Timestamp) {
    exchange.ask(.enter(place), of: .account(place.account)) { [unowned self] answer in
      switch answer {
      case .entered(let number): return open(for: entry, as: number, at: now)
      case .unreachable(let refusal) where refusal.code == .notFound:
        refuse(entry, AccountBehaviour.notSignedIn)
      default:
        // The account may have let it in all the same.
        if case .unreachable = answer { giveBack(place, nil) }
        refuse(entry, answer.refusal)
      }
    }
  }

  /// The entry came to a member, or to nothing: then the account is told.
  private func settled(_ entry: JoinAttempt, _ number: UInt64?, in host: SpaceHost) {
    guard let place = entry.hello.place, let number else { return }
    host.behaviour?.settle(entry: number, of: place.account)
  }

  /// Nobody came in after all. Without a number: by an entry of which nothing was heard.
  private func giveBack(_ place: Place?, _ number: UInt64?) {
    guard let place, let channel = place.channel else { return }
    withHost(place.space.log, makesNothing: true) { found in
      switch found {
      case .success(let host):
        host.behaviour?.giveBack(entry: number, of: place.account)
      case .failure(let refusal):
        guard refusal.code == .notFound else { return }
        let key = MembershipKey(service: place.service, channel: channel)
        self.exchange.ask(.left(key, entry: number, .left), of: .account(place.account)) { _ in }
      }
    }
  }

  func receive(_ inbox: Inbox, in room: RoomID) {
    if watchers.receive(inbox) { return }
    if let entry = entering[inbox.connection] {
      guard !inbox.commands.isEmpty || !inbox.asks.isEmpty || inbox.leaves else { return }
      entering[inbox.connection] = nil
      let refusal = Refusal(.outOfOrder, cause: "A command came before the welcome.")
      entry.connection.finish(Farewell(refusal, comeBack: false), code: CloseCode.refused)
      return
    }
    if !inbox.commands.isEmpty { commitTogether() }
    host(room, hearing: inbox)?.receive(inbox)
  }

  /// What all connections say in this turn of the loop is one commit, which the loop carries out itself if the store is
  /// idle and fast.
  private func commitTogether() {
    let store = storeQueue.store
    guard !commitsTurn, store.beginTurn() else { return }
    commitsTurn = true
    let me = Confined(WeakLoopRooms(self), to: loop)
    loop.execute {
      me.value.loopRooms?.commitsTurn = false
      store.endTurn()
    }
  }

  func drained(_ connection: ConnectionID, in room: RoomID, at now: Timestamp) {
    if !watchers.drained(connection, at: now) { host(room)?.drained(connection, at: now) }
  }

  func closed(_ connection: ConnectionID, in room: RoomID, at now: Timestamp) {
    if watchers.closed(connection, at: now) { return }
    entering[connection] = nil
    host(room)?.closed(connection, at: now)
  }

  // MARK: The log and the clock

  /// Answers with the rooms that gather, and how long.
  func committed(_ runs: [CommittedRun]) -> [(room: RoomID, wait: Duration)] {
    let now = clock()
    return runs.compactMap { committed in
      host(committed.log)?.noteCommitted(committed.run, at: now).map { (committed.log, $0) }
    }
  }

  func deliverGathered(in room: RoomID) { host(room)?.deliverGathered(at: clock()) }

  func failed(_ logs: [LogID], _ error: LogError) {
    for log in logs { host(log)?.fail(error) }
  }

  func tick(at now: Timestamp) {
    if !greeting.isEmpty {
      for handle in greeting.values.sorted(by: { $0.id < $1.id }) { handle.checkGreeting(at: now) }
    }
    // Rooms know nothing of each other, but a simulated network draws what is sent first first: in the order of their names, so that
    // a simulation is the same every time. Most rooms rest. A tick may close a room.
    let due = hosts.filter { now >= $0.restsUntil }
    for host in due.sorted(by: { $0.id < $1.id }) { host.tick(at: now) }
    watchers.tick(at: now)
    expected.sweep(at: now)
    exchange.tick(at: now)
  }

  func banish(under ban: Ban, at now: Timestamp) {
    for host in hosts where ban.room.map({ $0 == host.id }) ?? true {
      for session in host.sessions.inOrder {
        let uid = host.behaviour?.owner ?? host.room.state.members[session.member]?.uid
        guard ban.removes(uid, from: host.id, session.line?.connection.address) else { continue }
        host.banish(session.member, at: now)
      }
    }
    watchers.banish(under: ban, at: now)
  }

  /// Parts from everyone and gives up all logs; `done` is called when the last snapshot is stored.
  func drain(_ done: @escaping () -> Void) {
    let farewell = Farewell.movingRoom
    for handle in (Array(greeting.values) + piped.values).sorted(by: { $0.id < $1.id }) {
      handle.finish(farewell, code: CloseCode.goingAway)
    }
    watchers.drain(with: farewell)
    for host in hosts.sorted(by: { $0.id < $1.id }) {
      host.keepSnapshot()
      host.close(with: farewell)
    }
    storeQueue.whenIdle(done)
  }

  var counts: EngineCounts {
    let hosts = hosts
    return EngineCounts(
      rooms: hosts.count, members: hosts.reduce(0) { $0 + $1.sessions.count },
      connections: hosts.reduce(greeting.count + watchers.connections) { $0 + $1.sessions.connections },
      live: hosts.reduce(watchers.live) { $0 + $1.deliveries.live.count }, replays: watchers.replays,
      spectators: watchers.spectators,
      fanOut: traffic.sum)
  }
}
