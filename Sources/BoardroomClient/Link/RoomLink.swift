import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Logging

/// Drives one room's connection: carries out what `ConnectionMachine` decides, keeps the mirror and the
/// commands in flight. Lives on the context of the SDK; whatever it tells its room, it tells there.
package final class RoomLink {
  /// One socket and how far its conversation has come.
  struct Connection {
    enum Stage { case greeting, catchingUp, live }
    /// How far it has come on its way to the server.
    var step = ConnectionStep.connecting
    let number: LinkNumber
    let socket: any TransportConnection
    let endpoint: Endpoint
    /// Which attempt of its join or outage it is.
    let attempt: Int
    var stage = Stage.greeting
    var welcome: Welcome?
    var snapshot: IncomingSnapshot?
    /// Whether all events since the last connection came one by one.
    var sawEvents = true
    /// When the next heartbeat is due, once there is a welcome.
    var heartbeatDue: Timestamp
    /// How long the server may say nothing, as its last message says; nil: it said nothing of that.
    var quiet: Duration?
  }

  struct IncomingSnapshot {
    let root: [UInt8]
    let expected: Int
    var parts: [[UInt8]] = []
  }

  /// One stay in the room.
  struct Session {
    var id: SessionID
    var generation: Generation
    /// Proves to the server that the session is ours.
    var ticket: String
    var epoch: Epoch
    var member: MemberID
  }

  package let context: any ClientContext
  let codec: WireCodec
  let transport: any Transport
  let settings: LinkSettings
  let log: Logger
  let subprotocol: Subprotocol
  /// Hears of everything, on the context. Whoever owns the link sets it before the join.
  package var onUpdate: (LinkUpdate) -> Void = { _ in }

  var machine: ConnectionMachine
  var connection: Connection?
  var session: Session?
  var writable: WritableWish
  var mirror: Mirror
  var outbox = Outbox()
  var outgoing = CommandBatch()
  private(set) lazy var elements = ElementEdits(over: self)
  var magix = MagixTraffic()
  var told = ToldPhases()
  private var timer: Timestamp?
  var heartbeat = Timings().heartbeat
  /// Events that wait for their time (SY-1).
  var delayed = DelayLine()
  var board: BoardOptions
  var asking = Asking()
  var attempt: NextAttempt
  var tokens = TokenRenewal()
  /// The numbers of the service and of the app, without what a pause makes of them.
  var policy: ConnectionPolicy
  var pending = PendingNews()
  /// Whether the mirror has a part of what an outage kept back, which is told only once the link is in.
  var isMidway = false

  package init(
    _ settings: LinkSettings, subprotocol: Subprotocol, transport: any Transport,
    context: any ClientContext
  ) {
    self.settings = settings
    log = settings.linkLogger
    self.subprotocol = subprotocol
    self.transport = transport
    self.context = context
    // What the server sends is bounded by its own limits; these are only for what we decode.
    codec = WireCodec(subprotocol, limits: WireLimits())
    policy = settings.policy
    machine = ConnectionMachine(policy: settings.policy)
    writable = WritableWish(settings.hello.isWritable)
    mirror = Mirror(
      echoesOwn: settings.echoesOwn, showsPresence: settings.showsPresence,
      isOptimistic: settings.isOptimistic)
    board = settings.board
    attempt = NextAttempt(token: settings.hello.token)
  }

  var now: Timestamp { context.now }
  /// The address of the present or next attempt.
  var endpoint: Endpoint { settings.servers.all[machine.servers.current] }
  /// The newest event that has come, held back or not.
  var received: Revision { delayed.last ?? mirror.state.revision }

  // MARK: What the app wants

  package func join() {
    if machine.servers.count != settings.servers.all.count {
      machine.servers = ServerTurn(among: settings.servers.all.count) { context.chance() }
    }
    switch machine.join(at: now) {
    case .open(let number):
      attempt.tryingSince = now
      planToken()
      announce(.connecting)
      open(number)
    case .alreadyUnderWay, .leaveFirst: break
    }
  }

  package func leave() {
    switch machine.leave(at: now) {
    case .sayGoodbye:
      flushCommands()
      // Whatever becomes of the farewell: who has said goodbye does not come back as this member.
      forgetStay()
      send(.leave)
      announce(.disconnecting)
      wake()
    case .over:
      forgetStay()
      if told.phase != .disconnected { announce(.disconnecting) }
      end(.left)
    case .ignore: break
    }
  }

  /// Whether attempts wait. What waited is tried at once.
  package func hold(_ held: Bool) {
    guard attempt.isHeld != held else { return }
    attempt.isHeld = held
    if !held { networkBack() }
  }

  package func networkBack() {
    guard attempt.mayBegin else { return }
    switch machine.networkBack(at: now) {
    case .open(let number): open(number)
    case .nothing: break
    }
  }

  /// Other numbers from here on; of silence the server has the last word.
  package func follow(_ policy: ConnectionPolicy) {
    let (suspectAfter, outlivesToken) = (self.policy.suspectAfter, self.policy.outlivesToken)
    self.policy = policy
    self.policy.suspectAfter = suspectAfter
    self.policy.outlivesToken = outlivesToken || policy.outlivesToken
    applyPolicy()
    wake()
  }

  // MARK: The socket

  private func open(_ number: LinkNumber) {
    drop()
    guard attempt.mayBegin else { return wake() }
    if machine.phase == .reconnecting { onUpdate(.attempt(machine.tries)) }
    let events = context.confined { [weak self] event in self?.handleTransportEvent(event, on: number) }
    logAttempt()
    let endpoint = endpoint
    let socket = transport.open(endpoint, subprotocol, events: events)
    connection = Connection(
      number: number, socket: socket, endpoint: endpoint, attempt: machine.tries,
      heartbeatDue: now + heartbeat)
    wake()
  }

  /// What the socket still holds is not to arrive behind the back of whoever is told that it failed, or doubled by what
  /// is sent again.
  func drop() {
    let socket = connection?.socket
    connection = nil
    outgoing.clear()
    // After a goodbye nothing is left to say, and the end is an orderly one.
    if isOver { socket?.close() } else { socket?.abandon() }
    failSentAsks()
  }

  private var isOver: Bool {
    switch machine.phase {
    case .closed(.left): true
    case .idle, .connecting, .connected, .reconnecting, .closing, .closed, .failed, .aborted: false
    }
  }

  private func handleTransportEvent(_ event: TransportEvent, on number: LinkNumber) {
    switch event {
    case .reached(let step, let tls): reached(step, tls: tls, on: number)
    case .opened:
      reached(.entering, tls: nil, on: number)
      switch machine.opened(number, at: now) {
      case .greet: greet()
      case .stale: break
      }
    case .heard: _ = machine.noteSignOfLife(number, at: now)
    case .received(let bytes): received(bytes, on: number)
    case .closed: closed(nil, on: number)
    case .failed(let failure):
      guard failure.isLasting else { return closed(failure, on: number) }
      note(failure, of: number)
      followLoss(machine.unfit(failure.refusal, on: number, chance: context.chance(), at: now))
    case .refused(let refusal):
      followLoss(machine.unfit(refusal, on: number, chance: context.chance(), at: now))
    }
    wake()
  }

  private func closed(_ failure: ConnectionFailure?, on number: LinkNumber) {
    noteClosed(failure, of: number)
    let answer = machine.lost(number, chance: context.chance(), at: now)
    if answer == .retryLater { attempt.passingRefusal = nil }
    followLoss(answer)
    wake()
  }

  private func received(_ bytes: [UInt8], on number: LinkNumber) {
    switch machine.noteSignOfLife(number, at: now) {
    case .stale: return
    case .current: break
    }
    do throws(CodecError) { handleNotice(try codec.decodeServer(bytes)) } catch {
      // Nothing that follows could be trusted, and asking again would bring the same bytes.
      let farewell = Farewell(error.refusal, comeBack: false)
      followLoss(machine.refused(farewell, on: number, chance: 0, at: now))
    }
  }

  func send(_ notice: ClientNotice) {
    guard connection != nil else { return }
    connection?.socket.send(codec.encode(client: notice))
    connection?.heartbeatDue = now + heartbeat
    // It is going to answer; until it says again that the room is quiet, it is not.
    connection?.quiet = nil
    machine.endQuiet(at: now)
  }

  private func greet() {
    var hello = settings.hello
    hello.token = attempt.token
    hello.isWritable = writable.wantsToWrite
    hello.acceptsBlocks = subprotocol == .binary
    hello.acceptsAddress = machine.followsAddress
    hello.acceptsQuiet = hello.place == nil && hello.replay == nil && settings.connection.acceptsQuiet
    hello.acceptsSpectating = hello.place == nil && hello.replay == nil
    takeUpStay()
    if let session {
      hello.resume = Hello.Resume(
        session: session.id, generation: session.generation, ticket: session.ticket)
      // Who takes up a kept stay has nothing of the space yet.
      if received > .zero { hello.cursor = Cursor(epoch: session.epoch, revision: received) }
    }
    send(.hello(hello))
  }

  // MARK: What the machine decides

  func followLoss(_ answer: ConnectionMachine.LossAnswer) {
    switch answer {
    case .ignore: break
    case .retryLater: drop()
    case .reconnecting:
      drop()
      announceOutage()
    case .over(let end): self.end(end)
    }
  }

  /// What waits to be asked waits no longer: it fails at once.
  private func announceOutage() {
    failAsks()
    attempt.tryingSince = now
    announce(.reconnecting)
  }

  private func followTick(_ answer: ConnectionMachine.TickAnswer) {
    switch answer {
    case .nothing: break
    case .open(let number): open(number)
    case .reconnecting:
      noteSilence()
      drop()
      announceOutage()
    case .suspected: announceOutage()
    case .retryLater:
      noteSilence()
      attempt.passingRefusal = nil
      drop()
    case .lostNotice: onUpdate(.lost)
    case .over(let end): self.end(end)
    }
  }

  private func end(_ reason: ConnectionEnd) {
    // Refused on a retry that nobody was told of yet: first there was an outage (PARITY rows RTCT).
    if case .refused = reason, told.phase == .connected, connection?.stage != .live {
      announce(.reconnecting)
    }
    noteUnfinishedAttempt(at: reason)
    drop()
    failAsks()
    tokens.stop()
    let error = reason.error(after: attempt.failure)
    log(reason, error)
    let settled = outbox.abandon(error) + magix.pace.abandon(error)
    elements.abandonStrokes()
    mirror.takeBackWishes()
    let wasJoining = !told.hasJoined
    if !wasJoining { showState() }
    told.end()
    if case .refused = reason { forgetStay() }
    notePending()
    onUpdate(.ended(reason, wasJoining: wasJoining, because: attempt.failure))
    finish(settled)
  }

  // MARK: Time

  /// Sees to it that `tick` runs when something is due. A timer that comes too early sets the next one.
  func wake() {
    guard let due = nextDue, timer.map({ due < $0 }) ?? true else { return }
    timer = due
    context.scheduleConfined(at: due) { [weak self] in self?.timerFired(due) }
  }

  private var nextDue: Timestamp? {
    [
      machine.deadline, heartbeatDue, isLive ? magix.pace.due : nil, delayed.due, magix.batches.due,
      asking.due,
      outbox.due, tokens.due.map { min($0, now + Self.longestWait) },
    ].compactMap(\.self).min()
  }

  /// A timer outlives its link, so none is set for later than this.
  private static let longestWait = Duration.seconds(3_600)

  private func timerFired(_ time: Timestamp) {
    guard timer == time else { return }
    timer = nil
    tick()
    wake()
  }

  func tick() {
    // The machine goes through at most a handful of steps at one instant; each leaves a later deadline.
    while true {
      let answer = machine.tick(chance: context.chance(), at: now)
      if answer == .nothing { break }
      followTick(answer)
    }
    if isLive { sendDueMagix() }
    if let due = heartbeatDue, due <= now { sendHeartbeat() }
    releaseDelayed()
    failOverdue()
    renewDueToken()
    for batch in magix.batches.next(at: now) { onUpdate(.magixBatch(batch)) }
  }

  var isLive: Bool { machine.phase == .connected }

  // MARK: What the room is told

  func announce(_ phase: RoomPhase) {
    guard told.note(phase, at: now, having: mirror.state.revision) else { return }
    log(phase)
    onUpdate(.phase(phase))
    announceCommittable()
  }

  /// CB-13: on change only.
  func announceCommittable() {
    let able = isLive ? mirror.isWritable() : false
    if let news = told.noteCommittable(able) { onUpdate(.committable(news)) }
  }

  func finish(_ settled: [Outbox.Settled]) {
    if !settled.isEmpty { notePending() }
    for (completion, result) in settled { completion(result) }
  }

  func finish(_ settled: Outbox.Settled?) {
    guard let settled else { return }
    notePending()
    settled.completion(settled.result)
  }
}
