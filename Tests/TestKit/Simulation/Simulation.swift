import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit

/// Carries out a plan: a room, its server, its log and its people under one clock, without a thread or a socket.
public final class Simulation {
  public let plan: SimulationPlan
  let room: RoomID
  let people: [Person]
  let gate = BanGate()
  private(set) var server: SimulatedServer
  private var isHolding = false
  /// What was done, for people to read.
  public private(set) var trace: [String] = []
  private let traces: Bool

  public init(_ plan: SimulationPlan, traces: Bool = false) {
    self.plan = plan
    self.traces = traces
    room = RoomID(high: 1, low: plan.seed)
    people = plan.cast.enumerated().map { Person($0.offset, $0.element) }
    server = SimulatedServer(policy: plan.policy, gatekeeper: gate, loops: 2)
    server.memo = EventMemo()
    server.createRoom(room, limit: plan.limit)
  }

  var now: Timestamp { server.now }

  func note(_ text: @autoclosure () -> String) {
    if traces { trace.append("\(now.milliseconds % 10_000_000) ms  \(text())") }
  }

  // MARK: The whole of it

  /// What was wrong at the end or on the way; nothing, if all is well.
  public func run() -> [String] {
    for person in people { come(person, .properly) }
    listen()
    for step in plan.steps {
      server.clock.advance(by: .milliseconds(Int64(step.dice % 97)))
      carryOut(step)
      listen()
    }
    settle()
    let faults = takeBackAll()
    wait(.seconds(1))
    return faults + Reckoning(self).faults
  }

  private func carryOut(_ step: SimulationPlan.Step) {
    var luck = SeededGenerator(seed: step.dice)
    let person = people[step.who]
    note("\(step.deed) \(step.who)")
    switch step.deed {
    case .say, .sayAgain, .sayNonsense: speak(step.deed, person, &luck)
    case .come, .takeOver, .leave, .ghost: move(step.deed, person, &luck)
    case .cut, .deafen, .mute, .sip, .clear: weather(step.deed, person, &luck)
    case .wait: wait(luck.pick([(.milliseconds(300), 3), (.seconds(3), 2), (.seconds(9), 1)]))
    case .hold: hold(true)
    case .commit: hold(false)
    case .kill: kill()
    case .drain: drain()
    case .kick, .ban, .unban, .banUser, .unbanUser, .limit, .command, .empty:
      operate(step.deed, person, &luck)
    }
  }

  // MARK: People

  private func speak(_ deed: SimulationPlan.Deed, _ person: Person, _ luck: inout SeededGenerator) {
    if person.peer == nil { come(person, .properly) }
    listen(person)
    guard let stay = person.stay, person.peer != nil, person.isWelcome else { return }
    switch deed {
    case .sayAgain:
      let again = stay.newest(luck.number(1...4))
      if !again.isEmpty { person.say(.commands(again), at: now) }
    case .sayNonsense: sayNonsense(person, stay, &luck)
    default: person.say(commands(of: person, stay, &luck), at: now)
    }
  }

  private func commands(
    of person: Person, _ stay: Stay, _ luck: inout SeededGenerator
  ) -> [Command] {
    var drafts = drafts(of: person, stay, &luck)
    let commands = (0..<luck.pick([(1, 5), (2, 2), (5, 1)])).map { _ in drafts.command() }
    note("  \(commands)")
    return commands
  }

  func drafts(of person: Person, _ stay: Stay, _ luck: inout SeededGenerator) -> Drafts {
    Drafts(
      mirror: person.mirror, member: stay.member, draws: !plan.isQuiet || person.number == 0,
      newNumber: { person.nextElement() }, openStroke: { person.openStroke },
      setOpenStroke: { person.openStroke = $0 }, luck: SeededGenerator(seed: luck.next()))
  }

  /// What a wrong or hostile client might say.
  private func sayNonsense(_ person: Person, _ stay: Stay, _ luck: inout SeededGenerator) {
    switch luck.number(0...3) {
    case 0:
      let empty = Command.magix(MagixEvent(name: "gap", payload: .null))
      person.say(.commands([NumberedCommand(counter: stay.gap(), command: empty)]), at: now)
    case 1:
      let bare = ElementPut(
        id: ElementID(member: stay.member, number: 1), scene: 1, type: .text, raw: JSONText(unchecked: "{}"))
      let counter = stay.skip()
      person.say(.commands([NumberedCommand(counter: counter, command: .elements(.put(bare)))]), at: now)
    case 2: person.peer?.say(bytes: luck.bytes(luck.number(1...20)))
    default:
      person.say(.hello(Hello(room: room, token: "admin")), at: now)
    }
  }

  private func move(_ deed: SimulationPlan.Deed, _ person: Person, _ luck: inout SeededGenerator) {
    switch deed {
    case .leave: person.leave(at: now)
    case .takeOver: come(person, .asNew)
    case .ghost: person.raiseGhost()
    default:
      come(
        person,
        luck.pick([
          (.properly, 6), (.withoutTicket, 1), (.asNew, 1), (.withRole(.reader), 1), (.isWritable(false), 1),
        ]))
      // The welcome is lost with the connection.
      if luck.isLucky(1, in: 4) { person.lose() }
    }
  }

  func come(_ person: Person, _ how: Person.Coming) {
    note("  \(person.number) comes \(how)")
    person.come(to: room, of: server, how)
  }

  private func weather(_ deed: SimulationPlan.Deed, _ person: Person, _ luck: inout SeededGenerator) {
    switch deed {
    case .cut:
      person.lose()
      person.isCut = luck.isLucky(1, in: 2)
    case .deafen: person.ears = .deaf
    case .mute: person.isMute = true
    case .sip: person.ears = .sips(luck.number(50...400))
    default: clear(person)
    }
  }

  private func clear(_ person: Person) {
    person.isCut = false
    person.ears = .open
    person.speak()
  }

  /// Everybody takes in what has come, until nothing does any more.
  func listen() {
    var heard = true
    while heard {
      heard = false
      for person in people where person.hear(at: now) { heard = true }
    }
  }

  private func listen(_ person: Person) { while person.hear(at: now) {} }

  // MARK: Time

  func wait(_ duration: Duration) {
    var left = duration
    while left > .zero {
      let step = min(left, .seconds(2))
      server.clock.advance(by: step)
      for person in people { person.beat(every: plan.policy.timings.heartbeat, at: now) }
      server.engine.tick(at: now)
      server.settle()
      listen()
      left -= step
    }
  }

  // MARK: The server and its log

  private func hold(_ holds: Bool) {
    isHolding = holds
    server.commits = !holds
    if !holds { server.settle() }
  }

  /// The server is killed: what it had not committed is lost, and nobody is told anything.
  private func kill() {
    server.store.losePending()
    restart()
  }

  private func drain() {
    hold(false)
    let engine = server.engine
    server.wait { await engine.drain() }
    listen()
    restart()
  }

  private func restart() {
    for person in people {
      person.drop()
      person.stay?.loseServer()
      person.loseGhosts()
    }
    server = server.restarted()
    server.commits = !isHolding
  }

  // MARK: Who runs it

  private func operate(_ deed: SimulationPlan.Deed, _ person: Person, _ luck: inout SeededGenerator) {
    let (engine, room) = (server.engine, room)
    switch deed {
    case .kick:
      guard let member = person.stay?.member else { return }
      ask { _ = try? await engine.kick(member, from: room, reason: .kickByAdmin) }
    case .ban:
      ask { _ = try? await engine.ban(room, true) }
    case .unban: ask { _ = try? await engine.ban(room, false) }
    case .limit:
      let patch = Self.limits(&luck)
      note("  \(patch)")
      ask { _ = try? await engine.limit(room, patch) }
    case .banUser:
      guard let uid = person.part.uid else { return }
      let ban = Ban(
        number: 1, room: nil, uid: uid, address: nil,
        until: luck.isLucky(1, in: 2) ? now + .seconds(3) : nil)
      gate.ban(uid: uid, until: ban.until)
      ask { await engine.banish(under: ban) }
    case .unbanUser: if let uid = person.part.uid { gate.lift(uid: uid) }
    case .command:
      var drafts = Drafts(
        mirror: person.mirror, member: 999, draws: !plan.isQuiet, newNumber: { 1 }, openStroke: { nil },
        setOpenStroke: { _ in }, luck: luck)
      guard let command = Self.asAsked(drafts.command()) else { return }
      note("  \(command)")
      ask { _ = try? await engine.carryOut(command, in: room) }
    case .empty:
      for person in people { person.leave(at: now) }
      listen()
      wait(.seconds(15))
    default: break
    }
  }

  /// What comes of a command on its way over HTTP; nil if it cannot be read.
  private static func asAsked(_ command: Command) -> Command? {
    let (kind, body) = CommandCodec.encode(NumberedCommand(counter: 1, command: command))
    return try? CommandCodec.decode(kind: kind, body: body[...], limits: WireLimits()).command
  }

  /// Asks the engine, and does not wait for the answer: it may have to wait for a commit.
  private func ask(_ question: @escaping @Sendable () async -> Void) {
    Task(executorPreference: server.executor) { await question() }
    server.settle()
  }

  private static let limitNames = [LimitName.members, LimitName.elements, LimitName.historyDepth]

  private static func limits(_ luck: inout SeededGenerator) -> LimitsPatch {
    let name = limitNames.randomElement(using: &luck)!
    return LimitsPatch([.init(name: name, value: luck.isLucky(1, in: 4) ? nil : luck.number(2...6))])
  }

  // MARK: The end

  /// The network heals, bans end, everybody who may comes back, and nothing more happens until all is quiet.
  private func settle() {
    note("the end")
    hold(false)
    gate.liftAll()
    let (engine, room) = (server.engine, room)
    ask {
      _ = try? await engine.ban(room, false)
      _ = try? await engine.limit(room, LimitsPatch(Self.limitNames.map { .init(name: $0, value: nil) }))
    }
    // Large rooms gather their commits until time goes by.
    wait(.seconds(1))
    for person in people {
      person.endGhosts()
      clear(person)
    }
    listen()
    for person in people where person.peer == nil { come(person, .properly) }
    listen()
    // Those who are gone are gone after their grace, and held positions go.
    wait(plan.policy.timings.offlineAfter)
    wait(.seconds(1))
    for person in people where person.peer == nil { come(person, .properly) }
    listen()
    wait(.seconds(2))
  }
}

extension RoomServerEngine {
  fileprivate func ban(_ room: RoomID, _ isBanned: Bool) async throws(Refusal) {
    try await carryOut(in: room, removing: isBanned ? .roomBan : nil) {
      (room: inout Room) throws(Refusal) in try room.ban(isBanned)
    }
  }

  fileprivate func limit(_ room: RoomID, _ patch: LimitsPatch) async throws(Refusal) {
    try await carryOut(in: room) { (room: inout Room) throws(Refusal) in try room.setLimits(patch) }
  }
}
