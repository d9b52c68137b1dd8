import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Synchronization

/// Hosts rooms on loops: accepts connections of any transport, opens rooms from their logs, and spreads them
/// over the loops. Shared by the whole server.
public final class RoomServerEngine: ConnectionDirectory {
  public let store: any LogStore
  public let policy: ServerPolicy
  /// The server's time, in milliseconds; must never fall.
  public let clock: @Sendable () -> Timestamp
  let wire: WireMessages
  let executor: (any TaskExecutor)?
  package let owners: OwnerBook?
  let spectatedLog: SpectatedLog
  let time: WaitingTime
  private let gatekeeper: any Gatekeeper
  let allLoopRooms: [LoopRoomsAddress]
  /// The same, as connections know them.
  private let connectionDesks: [Confined<any ConnectionReceiver>]
  package let loops: [any RoomLoop]
  let census: Census
  private let nextConnection = Atomic<UInt64>(1)
  private let router: SpaceRouter

  /// How often time passes for rooms: a quarter of the heartbeat, so that it is late by that much at most.
  private var tickEvery: Duration { policy.tick ?? policy.timings.heartbeat / 4 }

  /// - Parameters:
  ///   - store: keeps the logs; stays open when the engine ends.
  ///   - gatekeeper: says who may join.
  ///   - policy: every limit and every time.
  ///   - loops: where rooms and connections live; at least one.
  ///   - storeExecutor: where calls into the store and a gatekeeper's work run; nil for the global executor. Tests
  ///     turn one by hand.
  ///   - clock: the clock on the wall, from which events have their times.
  public convenience init(
    store: any LogStore, gatekeeper: any Gatekeeper, policy: ServerPolicy = ServerPolicy(),
    loops: [any RoomLoop], storeExecutor: (any TaskExecutor)? = nil,
    clock: @escaping @Sendable () -> Timestamp
  ) {
    self.init(
      store: store, gatekeeper: gatekeeper, policy: policy, loops: loops, storeExecutor: storeExecutor,
      courier: nil, clock: clock)
  }

  /// The same. `courier`: carries what spaces ask each other; nil: the loops do. `owners`: know which node owns which log;
  /// nil: this one owns all. `clientsReachOwners`: whether clients that follow addresses are sent to them. `time`: in which owners are
  /// waited for.
  package init(
    store: any LogStore, gatekeeper: any Gatekeeper, policy: ServerPolicy, loops: [any RoomLoop],
    storeExecutor: (any TaskExecutor)?, courier: (any SpaceCourier)?,
    owners: (any SpaceOwners)? = nil, clientsReachOwners: Bool = false, feed: (any RoomFeed)? = nil,
    time: WaitingTime = .system, clock: @escaping @Sendable () -> Timestamp
  ) {
    precondition(!loops.isEmpty, "an engine needs a loop")
    let wire = WireMessages(limits: policy.limits)
    let census = Census(
      spaces: SpaceBudget(ofAccount: policy.spacesOfAccount, ofAddress: policy.spacesOfAddress),
      joins: JoinBudget(ofToken: policy.joinsOfToken, ofAddress: policy.joinsOfAddress),
      shares: ReplayShares(ofToken: policy.replaysOfToken, ofAddress: policy.replaysOfAddress))
    let router = SpaceRouter(courier: courier, engine: owners == nil ? 0 : .random(in: 1...UInt64.max))
    self.store = store
    self.gatekeeper = gatekeeper
    executor = storeExecutor
    let book = owners.map {
      OwnerBook(
        $0, reachedByClients: clientsReachOwners, executor: storeExecutor, time: time, clock: clock)
    }
    let spectatedLog = SpectatedLog(store, owners: book, feed: feed, clock: clock)
    (self.owners, self.spectatedLog, self.time) = (book, spectatedLog, time)
    self.policy = policy
    self.clock = clock
    self.wire = wire
    self.census = census
    self.loops = loops
    self.router = router
    let allLoopRooms = loops.enumerated().map { place, loop in
      LoopRooms(
        loop: loop, store: store, gatekeeper: gatekeeper, policy: policy, wire: wire, census: census,
        exchange: SpaceExchange(loop: loop, place: place, router: router, clock: clock),
        spectatedLog: spectatedLog,
        executor: storeExecutor, clock: clock)
    }
    self.allLoopRooms = allLoopRooms.map { Confined($0, to: $0.loop) }
    connectionDesks = allLoopRooms.map { Confined($0, to: $0.loop) }
    router.know(allLoopRooms.map { Confined($0.exchange, to: $0.loop) })
  }

  /// The loops' rooms know each other, and would otherwise outlive the engine.
  deinit { router.know([]) }

  // MARK: Other nodes

  /// This engine, as questions between nodes name it (`AskingLoop.engine`).
  package var questionOrigin: UInt64 { router.engine }

  /// Brings a message of another node's space to the space here that it is for. From any thread.
  package func deliver(_ message: SpaceMessage) { router.deliver(message) }

  // MARK: Transports

  /// A connection was opened. To be called on its loop, which must be one of the engine's.
  public func connect(
    _ link: any MemberLink, on loop: any RoomLoop, subprotocol: Subprotocol, from address: String?,
    at now: Timestamp
  ) -> ConnectionHandle {
    connect(link, on: loop, subprotocol: subprotocol, from: address, isPiped: false, at: now)
  }

  /// The same. `isPiped`: another node has sent the client here.
  package func connect(
    _ link: any MemberLink, on loop: any RoomLoop, subprotocol: Subprotocol, from address: String?,
    isPiped: Bool, at now: Timestamp
  ) -> ConnectionHandle {
    let id = nextConnection.wrappingAdd(1, ordering: .relaxed).oldValue
    let handle = ConnectionHandle(
      id: id, link: link, loop: loop, subprotocol: subprotocol, address: address, isPiped: isPiped,
      engine: self, at: now)
    loopRooms(of: loop).greeting[id] = handle
    return handle
  }

  /// Time went by, on every loop. `start` does it by itself where loops can wait.
  public func tick(at now: Timestamp) {
    for (loop, loopRooms) in zip(loops, allLoopRooms) { loop.execute { loopRooms.value.tick(at: now) } }
  }

  /// Lets time pass until the engine is drained.
  public func start() {
    for (loop, loopRooms) in zip(loops, allLoopRooms) { tickLater(loop, loopRooms) }
  }

  private func tickLater(_ loop: any RoomLoop, _ loopRooms: Confined<LoopRooms>) {
    loop.execute(after: tickEvery) { [weak self] in
      guard let self, !census.isOver else { return }
      loopRooms.value.tick(at: clock())
      tickLater(loop, loopRooms)
    }
  }

  func decide(_ hello: Hello, from address: String?, at now: Timestamp) -> EntryDecision {
    if census.isDraining { return .refused(Refusal(.goingAway)) }
    guard hello.room != .operators else { return .refused(Refusal(.notFound)) }
    do throws(Refusal) {
      if let place = hello.place { try SpaceNameRule.check(place) }
    } catch {
      return .refused(error)
    }
    return gatekeeper.decide(hello, from: address, at: now)
  }

  /// The rooms of the loop that a room belongs to.
  func loopRooms(for room: RoomID) -> LoopRoomsAddress {
    allLoopRooms[SpaceRouter.place(of: room, among: allLoopRooms.count)]
  }

  /// The rooms of the present loop.
  func loopRooms(of loop: any RoomLoop) -> LoopRooms {
    for (candidate, loopRooms) in zip(loops, allLoopRooms) where candidate === loop { return loopRooms.value }
    preconditionFailure("a connection's loop must be one of the engine's")
  }

  func connectionReceiver(for room: RoomID) -> Confined<any ConnectionReceiver> {
    connectionDesks[SpaceRouter.place(of: room, among: connectionDesks.count)]
  }

  func connectionReceiver(of loop: any RoomLoop) -> any ConnectionReceiver { loopRooms(of: loop) }

  // MARK: Operating

  /// Makes a room: its log and the first event. Durable when it returns.
  @discardableResult
  public func create(
    _ room: RoomID, as created: RoomCreated, at now: Timestamp
  ) async throws(LogError) -> LogInfo {
    try await RoomOpening.create(room, with: .room(.created(created)), in: store, at: now)
  }

  /// Removes a member; returns the revision of its leave once durable. The room is opened for it if need be.
  @discardableResult
  public func kick(
    _ member: MemberID, from room: RoomID, reason: KickReason, by actor: Actor = .server
  ) async throws(Refusal) -> Revision {
    try await ask(room) { [clock] host, answer in
      host.kick(member, reason, by: actor, at: clock(), done: answer)
    }
  }

  /// Removes everyone and closes the room if it is open (a ban, a deletion). The log stays.
  public func expel(from room: RoomID, reason: KickReason) async {
    let clock = clock
    await withLoopRooms(of: room) { loopRooms, done in
      guard let host = loopRooms.host(room) else { return done(()) }
      host.expel(reason, at: clock()) { done(()) }
    }
  }

  /// Retention has moved the first event of a room: whoever lacks what was before it gets a snapshot.
  package func historyBegins(at first: Revision, in room: RoomID) async {
    await withLoopRooms(of: room) { loopRooms, done in
      done(loopRooms.host(room)?.historyBegins(at: first) ?? ())
    }
  }

  /// A command in the server's own name (REST); returns its revision once durable.
  @discardableResult
  public func carryOut(_ command: Command, in room: RoomID) async throws(Refusal) -> Revision {
    try await carryOut(command, in: room) { $0.revision }
  }

  /// The same, with a last look at the state in which it is decided, and an answer out of the state after it.
  package func carryOut<Value: Sendable>(
    _ command: Command, in room: RoomID,
    check: @escaping @Sendable (RoomState) -> Refusal? = { _ in nil },
    reading: @escaping @Sendable (RoomState) -> Value
  ) async throws(Refusal) -> Value {
    try await ask(room) { [clock] host, answer in
      host.carryOut(serverCommand: command, at: clock(), check: check, reading: reading, done: answer)
    }
  }

  /// What operators decide about a room, with the state that it leads to once durable. `removing`: what everybody
  /// is told where it sends them away.
  @discardableResult
  public func carryOut(
    in room: RoomID, removing reason: KickReason? = nil, _ deciding: @escaping Deciding
  ) async throws(Refusal) -> RoomState {
    try await ask(room) { [clock] host, answer in
      host.carryOut(
        at: clock(), removing: reason, deciding: deciding, reading: { $0 }, done: answer)
    }
  }

  /// Removes whoever a ban covers from the rooms that are open.
  public func banish(under ban: Ban) async {
    let clock = clock
    for loopRooms in allLoopRooms {
      await Self.visit(loopRooms) { loopRooms, done in done(loopRooms.banish(under: ban, at: clock())) }
    }
  }

  /// Removes a member from a room that is open, also where a full log cannot show it.
  package func banish(_ member: MemberID, from room: RoomID) async {
    let clock = clock
    await withLoopRooms(of: room) { loopRooms, done in
      done(loopRooms.host(room)?.banish(member, at: clock()) ?? ())
    }
  }

  /// The tokens with which a member has come since its room was opened, by their hashes.
  package func tokenHashes(of member: MemberID, in room: RoomID) async -> [String] {
    await withLoopRooms(of: room) { loopRooms, done in
      done(loopRooms.host(room)?.sessions[member]?.tokenHashes ?? [])
    }
  }

  /// The state of an open room, once the log holds it. Where the log does not answer for `ServerPolicy.stateWait`, without
  /// what waits for it. Nil if the room is not open, or closes meanwhile, or what the log holds is not in memory.
  package func durableState(of room: RoomID) async -> RoomState? {
    let clock = clock
    let held: HeldState? = await withLoopRooms(of: room) { loopRooms, done in
      guard let host = loopRooms.host(room) else { return done(nil) }
      host.whenDurable(at: clock(), done: done)
    }
    return Self.state(held, of: room)
  }

  /// The same, opened for it if need be; nil if it cannot be opened, too. Makes nothing.
  package func opened(_ room: RoomID) async -> RoomState? {
    let clock = clock
    let held: HeldState? = await withLoopRooms(of: room) { loopRooms, done in
      loopRooms.withHost(room, makesNothing: true) { found in
        guard case .success(let host) = found else { return done(nil) }
        host.whenDurable(at: clock(), done: done)
      }
    }
    return Self.state(held, of: room)
  }

  private static func state(_ held: HeldState?, of room: RoomID) -> RoomState? {
    switch held {
    case .state(let state): state
    case .parts(let snapshot, let run): try? RoomHistory.state(from: snapshot, run, of: room)
    case .inLog, nil: nil
    }
  }

  /// Whether newcomers with a reader's token come into a room of this node as spectators (SPECT-1). Nil while the room is not
  /// open, so that nobody knows.
  package func takesSpectators(_ room: RoomID) async -> Bool? {
    await withLoopRooms(of: room) { loopRooms, done in
      done(loopRooms.spectating(of: room)?.takesSpectators)
    }
  }

  /// All logs, to read: of those that other nodes own also what is not sealed, which their owners are asked for.
  package var wholeLogs: any LogStore { spectatedLog }

  /// What the log of a room of this node has gained (SPECT-4).
  package func news(
    of room: RoomID, after revision: Revision, limit: Int
  ) async throws(LogError) -> LogNews {
    let open = await withLoopRooms(of: room) { loopRooms, done in done(loopRooms.spectating(of: room)) }
    // In a quiet room each of these questions is answered from memory.
    if let open, open.last == revision {
      return LogNews(epoch: open.epoch, last: open.last, sight: open.sight, runs: [])
    }
    var news = try await spectatedLog.newsHere(room, revision, min(limit, policy.piece))
    if let open { news.sight = open.sight }
    return news
  }

  /// What an open room looks like; nil if it is not open.
  public func summary(of room: RoomID) async -> RoomSummary? {
    await withLoopRooms(of: room) { loopRooms, done in done(loopRooms.host(room)?.summary) }
  }

  public func counts() async -> EngineCounts {
    var all = EngineCounts(rooms: 0, members: 0, connections: 0, live: 0)
    for loopRooms in allLoopRooms {
      let one = await Self.visit(loopRooms) { loopRooms, done in done(loopRooms.counts) }
      all.rooms += one.rooms
      all.members += one.members
      all.connections += one.connections
      all.live += one.live
      all.replays += one.replays
      all.spectators += one.spectators
      all.fanOut += one.fanOut
    }
    return all
  }

  /// How often somebody was turned away because too many rooms were open.
  package var refusedRooms: Int { census.refusedRooms }
  /// How many replays have ended since the start.
  package var endedReplays: Int { census.endedReplays }

  /// Sends everyone off to come back elsewhere or later, and gives up all logs. Nobody's stay ends by it.
  /// Afterwards the engine takes no one in.
  public func drain() async {
    census.drain()
    census.end()
    for loopRooms in allLoopRooms {
      await Self.visit(loopRooms) { loopRooms, done in loopRooms.drain { done(()) } }
    }
  }

  private func ask<Value: Sendable>(
    _ room: RoomID,
    _ question:
      @escaping @Sendable (
        SpaceHost, @escaping @Sendable (Result<Value, Refusal>) -> Void
      ) -> Void
  ) async throws(Refusal) -> Value {
    let result: Result<Value, Refusal> = await withLoopRooms(of: room) { loopRooms, done in
      loopRooms.withHost(room) { host in
        switch host {
        case .success(let host): question(host, done)
        case .failure(let refusal): done(.failure(refusal))
        }
      }
    }
    return try result.get()
  }

  func withLoopRooms<Value: Sendable>(
    of room: RoomID,
    _ work: @escaping @Sendable (LoopRooms, @escaping @Sendable (Value) -> Void) -> Void
  ) async -> Value {
    await Self.visit(loopRooms(for: room), work)
  }

  static func visit<Value: Sendable>(
    _ loopRooms: LoopRoomsAddress,
    _ work: @escaping @Sendable (LoopRooms, @escaping @Sendable (Value) -> Void) -> Void
  ) async -> Value {
    await withCheckedContinuation { continuation in
      loopRooms.loop.execute { work(loopRooms.value) { continuation.resume(returning: $0) } }
    }
  }
}

typealias LoopRoomsAddress = Confined<LoopRooms>
