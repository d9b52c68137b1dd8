import BoardroomCore
import BoardroomModel
import EventLogModel

/// The rooms of one loop, and the connections of that loop that have not said hello yet.
final class LoopDesk {
  private enum Slot {
    case opening([(Result<RoomHost, Refusal>) -> Void])
    case open(RoomHost)
  }

  let loop: any RoomLoop
  private let gatekeeper: any Gatekeeper
  private let policy: ServerPolicy
  private let wire: WireMessages
  let clock: @Sendable () -> Timestamp
  private let door: StoreDoor
  private let census: Census
  private var relay: CommitRelay?
  private var rooms: [RoomID: Slot] = [:]
  /// Whose room is being opened; those that are gone meanwhile are not here.
  private var entering: [ConnectionID: Entry] = [:]
  var greeting: [ConnectionID: ConnectionHandle] = [:]
  /// Of all rooms that this desk has had.
  private let traffic = Traffic()
  let reach: EngineReach
  /// To be told to the special channels at the end of this turn.
  var presences: [Presence] = []

  init(
    loop: any RoomLoop, store: any LogStore, gatekeeper: any Gatekeeper, policy: ServerPolicy,
    wire: WireMessages, census: Census, reach: EngineReach, executor: (any TaskExecutor)?,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.loop = loop
    self.gatekeeper = gatekeeper
    self.policy = policy
    self.wire = wire
    self.clock = clock
    self.census = census
    self.reach = reach
    door = StoreDoor(store: store, loop: loop, executor: executor, limit: policy.storeCalls)
    relay = CommitRelay(to: self)
  }

  // MARK: Rooms

  /// The room's host, opened from its log if need be.
  /// `space`: what it is made as, if it is no room and not there yet.
  func withHost(
    _ room: RoomID, making space: SpaceName? = nil, _ use: @escaping (Result<RoomHost, Refusal>) -> Void
  ) {
    switch rooms[room] {
    case .open(let host):
      host.restsUntil = .zero
      use(.success(host))
    case .opening(let waiting): rooms[room] = .opening(waiting + [use])
    case nil:
      if let refusal = census.refusal(openRooms: policy.openRooms) { return use(.failure(refusal)) }
      rooms[room] = .opening([use])
      census.roomOpened()
      open(room, making: space)
    }
  }

  private func open(_ room: RoomID, making space: SpaceName?) {
    guard let relay else { return }
    let first = space.map { Event.space(.created($0)) }
    let made = first ?? (policy.makesRooms ? .roomCreated(RoomCreated(name: "")) : nil)
    let making = made.map { RoomOpening.Making(event: $0, time: clock()) }
    door.ask { store throws(LogError) in
      try await RoomOpening.open(room, in: store, listener: relay, making: making)
    } then: { [unowned self] result in
      opened(room, result)
    }
  }

  private func opened(_ room: RoomID, _ result: Result<OpenedRoom, LogError>) {
    guard case .opening(let waiting) = rooms[room] else { return }
    switch result {
    case .failure(let error):
      forget(room)
      for use in waiting { use(.failure(Refusal(error))) }
    case .success(let opened):
      let host = RoomHost(
        opened, id: room, loop: loop, door: door, gatekeeper: gatekeeper, policy: policy, wire: wire,
        traffic: traffic, clock: clock, at: clock()
      ) { [unowned self] in forget(room) }
      guard !host.isClosed else {
        for use in waiting { use(.failure(Refusal(.internalFailure))) }
        return
      }
      if policy.tellsPresence { host.tellPresence = { [unowned self] in note($0) } }
      host.recordChannelDue(at: clock())
      guard !host.isClosed else {
        for use in waiting { use(.failure(Refusal(.internalFailure))) }
        return
      }
      rooms[room] = .open(host)
      for use in waiting { use(.success(host)) }
    }
  }

  private func forget(_ room: RoomID) {
    if rooms.removeValue(forKey: room) != nil { census.roomClosed() }
  }

  /// The host, if the room is open; it rests no longer.
  func host(_ room: RoomID) -> RoomHost? {
    guard case .open(let host) = rooms[room] else { return nil }
    host.restsUntil = .zero
    return host
  }

  /// Signs of life alone push off what a room has to do next, and so end no rest.
  private func host(_ room: RoomID, hearing inbox: Inbox) -> RoomHost? {
    guard inbox.commands.isEmpty, inbox.asks.isEmpty, !inbox.leaves else { return host(room) }
    if case .open(let host) = rooms[room] { return host }
    return nil
  }

  private var hosts: [RoomHost] {
    rooms.values.compactMap { slot in if case .open(let host) = slot { host } else { nil } }
  }

  // MARK: Connections

  func enter(_ entry: Entry, at now: Timestamp) {
    let connection = entry.connection
    entering[connection.id] = entry
    withHost(entry.hello.room, making: entry.hello.place?.space) { [unowned self] result in
      guard entering.removeValue(forKey: connection.id) != nil else { return }
      switch result {
      case .success(let host): host.enter(entry, at: max(now, clock()))
      case .failure(let refusal):
        let farewell = Farewell(refusal, comeBack: refusal.isPassing)
        connection.finish(farewell, code: CloseCode.of(farewell))
      }
    }
  }

  func receive(_ inbox: Inbox, in room: RoomID) {
    if let entry = entering[inbox.connection] {
      guard !inbox.commands.isEmpty || !inbox.asks.isEmpty || inbox.leaves else { return }
      entering[inbox.connection] = nil
      let refusal = Refusal(.outOfOrder, cause: "A command came before the welcome.")
      entry.connection.finish(Farewell(refusal, comeBack: false), code: CloseCode.refused)
      return
    }
    host(room, hearing: inbox)?.receive(inbox)
  }

  func drained(_ connection: ConnectionID, in room: RoomID, at now: Timestamp) {
    host(room)?.drained(connection, at: now)
  }

  func closed(_ connection: ConnectionID, in room: RoomID, at now: Timestamp) {
    entering[connection] = nil
    host(room)?.closed(connection, at: now)
  }

  // MARK: The log and the clock

  /// Answers with the rooms that gather, and how long.
  func committed(_ runs: [CommittedRun]) -> [(room: RoomID, wait: Duration)] {
    let now = clock()
    return runs.compactMap { committed in
      host(committed.log)?.take(committed.run, at: now).map { (committed.log, $0) }
    }
  }

  func deliverGathered(in room: RoomID) { host(room)?.deliverGathered(at: clock()) }

  func failed(_ logs: [LogID], _ error: LogError) {
    let now = clock()
    for log in logs { host(log)?.fail(error, at: now) }
  }

  func tick(at now: Timestamp) {
    if !greeting.isEmpty {
      for handle in greeting.values.sorted(by: { $0.id < $1.id }) { handle.checkGreeting(at: now) }
    }
    // Rooms know nothing of each other, so their order does not matter; a tick may close a room.
    for case .open(let host) in rooms.values { host.tick(at: now) }
  }

  func banish(under ban: Ban, at now: Timestamp) {
    for host in hosts where ban.room.map({ $0 == host.id }) ?? true {
      for seat in host.seats.values.sorted(by: { $0.member < $1.member }) {
        let uid = host.room.state.members[seat.member]?.uid
        guard ban.keys(room: host.id, uid: uid, address: seat.line?.connection.address) else { continue }
        host.banish(seat.member, at: now)
      }
    }
  }

  /// Parts from everyone and gives up all logs; `done` is called when the last snapshot is stored.
  func drain(_ done: @escaping () -> Void) {
    let farewell = Farewell(Refusal(.goingAway), kick: .GatewayAdjust, comeBack: true)
    for handle in greeting.values { handle.finish(farewell, code: CloseCode.goingAway) }
    for host in hosts.sorted(by: { $0.id < $1.id }) {
      host.keepSnapshot()
      host.close(with: farewell)
    }
    door.whenIdle(done)
  }

  var counts: EngineCounts {
    let hosts = hosts
    return EngineCounts(
      rooms: hosts.count, members: hosts.reduce(0) { $0 + $1.seats.count },
      connections: hosts.reduce(greeting.count) { $0 + $1.lines.count },
      live: hosts.reduce(0) { $0 + $1.live.count }, fanOut: traffic.sum)
  }
}

/// Counts for the rooms of one loop; touched on that loop only.
final class Traffic {
  var sum = FanOut()
}

/// Carries commits from the thread that made them to the loop of their rooms: one hop per commit.
final class CommitRelay: CommitListener {
  private final class Way {
    weak var desk: LoopDesk?
    init(_ desk: LoopDesk) { self.desk = desk }
  }
  private let way: Confined<Way>
  private let loop: any RoomLoop

  init(to desk: LoopDesk) {
    loop = desk.loop
    way = Confined(Way(desk), to: desk.loop)
  }

  func committed(_ runs: [CommittedRun]) {
    loop.execute { [way, loop] in
      for (room, wait) in way.value.desk?.committed(runs) ?? [] {
        loop.execute(after: wait) { way.value.desk?.deliverGathered(in: room) }
      }
    }
  }

  func failed(_ logs: [LogID], _ error: LogError) {
    loop.execute { [way] in way.value.desk?.failed(logs, error) }
  }
}
