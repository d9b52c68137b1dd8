import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import StorageTestKit

/// Carries out a plan: accounts, their channels, their calls and their server under one clock.
public final class SpaceLife {
  public let plan: SpacePlan
  let callers: [Caller]
  private(set) var server: SimulatedServer
  /// What the spaces ask each other goes over it, also after a restart.
  public let courier: FaultyCourier
  /// Whether nothing was ever lost: a crash may lose what is told of others (SPC-10).
  private(set) var isUnhurt = true
  private var isHolding = false
  private var lastName = 0
  public private(set) var trace: [String] = []
  private let traces: Bool

  public init(_ plan: SpacePlan, traces: Bool = false) {
    self.plan = plan
    self.traces = traces
    callers = plan.cast.enumerated().map { Caller($0.offset, $0.element) }
    let clock = VirtualClock()
    courier = FaultyCourier(plan.faults, seed: plan.seed, clock: clock)
    server = SimulatedServer(policy: plan.policy, loops: 2, clock: clock, courier: courier)
    server.memo = EventMemo()
  }

  var now: Timestamp { server.now }
  private var people: [Person] { callers.flatMap(\.people) }

  /// Every log that this life can have made.
  var spaces: [SpaceName] {
    let accounts = Set(plan.cast.map(\.account)).sorted().map { SpaceName.account($0) }
    let channels = Set(plan.cast.map(\.service)).sorted { $0.rawValue < $1.rawValue }
      .flatMap { service in SpacePlan.channels.map { SpaceName.channel(service, $0) } }
    return accounts + channels + [.userOnline, .channelEvents]
  }

  private func note(_ text: @autoclosure () -> String) {
    if traces { trace.append("\(now.milliseconds % 10_000_000) ms  \(text())") }
  }

  /// What was wrong at the end or on the way; nothing, if all is well.
  public func run() -> [String] {
    for step in plan.steps {
      server.clock.advance(by: .milliseconds(Int64(step.dice % 97)))
      carryOut(step)
      listen()
    }
    settle()
    return SpaceReckoning(self).faults
  }

  private func carryOut(_ step: SpacePlan.Step) {
    var luck = SeededGenerator(seed: step.dice)
    let caller = callers[step.who]
    note("\(step.deed) \(caller.part.account) in \(caller.part.service.rawValue) (\(step.who))")
    switch step.deed {
    case .signIn, .takeOver, .signOut: sign(step.deed, caller)
    case .ask, .invite, .answer, .acknowledge: speak(step.deed, caller, &luck)
    case .enter, .talk, .leave: visit(step.deed, caller, &luck)
    case .cutLogin, .cutChannel, .deafen, .clear: weather(step.deed, caller, &luck)
    case .wait:
      wait(luck.pick([(.milliseconds(300), 4), (.seconds(5), 4), (.seconds(22), 2), (.seconds(126), 1)]))
    case .hold: hold(true)
    case .commit: hold(false)
    case .kill: kill()
    case .drain: drain()
    case .kick: kick(caller, &luck)
    }
  }

  // MARK: Accounts

  private func sign(_ deed: SpacePlan.Deed, _ caller: Caller) {
    switch deed {
    case .takeOver: caller.login.come(to: home(of: caller), of: server, .asNew)
    case .signOut: caller.login.leave(at: now)
    default: signIn(caller)
    }
  }

  private func signIn(_ caller: Caller) { caller.login.come(to: home(of: caller), of: server, .properly) }

  private func home(of caller: Caller) -> RoomID { SpaceName.account(caller.part.account).log }

  private func speak(_ deed: SpacePlan.Deed, _ caller: Caller, _ luck: inout SeededGenerator) {
    if caller.login.peer == nil { signIn(caller) }
    listen()
    switch deed {
    case .acknowledge:
      guard let slot = caller.login.mirror.space?.slots[caller.part.service], slot.lastVersion > 0 else {
        return
      }
      caller.login.say([.space(.acknowledge(slot.lastVersion))], at: now)
    case .invite: ask(caller, invitation(&luck))
    case .answer: if let question = answer(caller, &luck) { ask(caller, question) }
    default: ask(caller, question(&luck))
    }
  }

  private func ask(_ caller: Caller, _ question: Question) {
    note("  \(question)")
    caller.ask(question, at: now)
  }

  private func question(_ luck: inout SeededGenerator) -> Question {
    let (account, channel) = (anyAccount(&luck), luck.any(SpacePlan.channels))
    switch luck.number(0...9) {
    case 0: return .userStatus(account: account)
    case 1: return .channelUsers(channel: channel, limit: 200)
    case 2: return .isInChannel(channel: channel, account: account)
    case 3:
      return .setChannelAttributes(channel: channel, AttributesSet([.init(name: "topic", value: fresh())]))
    case 4, 5: return .say(channel: channel, ChannelMessage(id: fresh(), text: "hello"))
    default: return .send(account: account, id: fresh(), text: "hello", holds: luck.isLucky(2, in: 3))
    }
  }

  private func invitation(_ luck: inout SeededGenerator) -> Question {
    .invite(
      channel: luck.any(SpacePlan.channels), account: anyAccount(&luck), extra: "",
      needsPeer: luck.isLucky(1, in: 4),
      timeout: luck.isLucky(1, in: 3) ? .seconds(luck.number(1...12)) : nil)
  }

  /// A step of one of the invitations that it knows of.
  private func answer(_ caller: Caller, _ luck: inout SeededGenerator) -> Question? {
    guard let space = caller.login.mirror.space else { return nil }
    let own = space.invitations.keys.sorted().map { (caller: nil as String?, serial: $0) }
    let others = space.calls.keys.sorted().map { (caller: $0.caller as String?, serial: $0.serial) }
    guard let one = (own + others).randomElement(using: &luck) else { return nil }
    let act: InviteAct = luck.pick([
      (.ring, 3), (.accept(extra: ""), 4), (.refuse(extra: ""), 2), (.end(extra: ""), 3),
      (.tones(digits: "12#"), 1),
    ])
    return .moveInvite(caller: one.caller, serial: one.serial, act)
  }

  private func anyAccount(_ luck: inout SeededGenerator) -> String { luck.any(plan.cast.map(\.account)) }

  /// Names that nothing else has: by them things are found again.
  private func fresh() -> String {
    lastName += 1
    return "n\(lastName)"
  }

  // MARK: Channels

  private func visit(_ deed: SpacePlan.Deed, _ caller: Caller, _ luck: inout SeededGenerator) {
    let name = luck.any(SpacePlan.channels)
    let person = caller.channel(name)
    note("  \(name)")
    switch deed {
    case .leave where luck.isLucky(1, in: 3):
      // The connection is lost before the leave is heard: the login asks for it.
      person.lose()
      ask(caller, .leaveChannel(channel: name))
    case .leave: person.leave(at: now)
    case .talk:
      guard person.peer != nil else { return }
      person.say([utterance(&luck)], at: now)
    default:
      let log = SpaceName.channel(caller.part.service, name).log
      person.come(to: log, of: server, luck.isLucky(1, in: 6) ? .asNew : .properly)
    }
  }

  private func utterance(_ luck: inout SeededGenerator) -> Command {
    switch luck.number(0...3) {
    case 0: .space(.setAttributes(AttributesSet([.init(name: "topic", value: fresh())])))
    case 1: .space(.clearAttributes)
    default: .space(.say(ChannelMessage(id: fresh(), text: "hello")))
    }
  }

  // MARK: Networks and time

  private func weather(_ deed: SpacePlan.Deed, _ caller: Caller, _ luck: inout SeededGenerator) {
    let person = deed == .cutLogin ? caller.login : luck.any(caller.people)
    switch deed {
    case .cutLogin, .cutChannel: person.lose()
    case .deafen: person.ears = .deaf
    default: for person in caller.people { person.ears = .open }
    }
  }

  private func listen() {
    var heard = true
    while heard {
      heard = false
      for person in people where person.hear(at: now) { heard = true }
    }
  }

  private func wait(_ duration: Duration) {
    var left = duration
    while left > .zero {
      let step = min(left, .seconds(1))
      server.clock.advance(by: step)
      for person in people where person.ears == .open {
        person.beat(every: plan.policy.timings.heartbeat, at: now)
      }
      server.engine.tick(at: now)
      server.settle()
      listen()
      left -= step
    }
  }

  // MARK: The server

  private func hold(_ holds: Bool) {
    isHolding = holds
    server.commits = !holds
    if !holds { server.settle() }
  }

  private func kill() {
    isUnhurt = false
    server.store.losePending()
    restart()
  }

  private func drain() {
    isUnhurt = false
    hold(false)
    let engine = server.engine
    server.wait { await engine.drain() }
    listen()
    restart()
  }

  private func restart() {
    for person in people {
      person.drop()
      person.loseGhosts()
    }
    server = server.restarted()
    server.commits = !isHolding
  }

  private func kick(_ caller: Caller, _ luck: inout SeededGenerator) {
    let person = luck.any(caller.people)
    guard let member = person.stay?.member, let name = person.mirror.space?.name else { return }
    note("  from \(name)")
    let engine = server.engine
    Task(executorPreference: server.executor) {
      _ = try? await engine.kick(member, from: name.log, reason: .kickByAdmin)
    }
    server.settle()
  }

  /// All is well again, and whatever can end by itself does: graces, invitations, what waits.
  private func settle() {
    note("the end")
    courier.endFaults()
    hold(false)
    for person in people {
      person.endGhosts()
      person.ears = .open
    }
    listen()
    openAll()
    wait(.seconds(130))
  }

  /// A log that nobody opens stays as a crash left it. Somebody asks about every account and channel, which opens them.
  private func openAll() {
    for service in Set(plan.cast.map(\.service)).sorted(by: { $0.rawValue < $1.rawValue }) {
      let visitor = Caller(0, SpacePlan.Part(account: "visitor", service: service))
      visitor.login.come(to: SpaceName.account("visitor").log, of: server, .properly)
      while visitor.login.hear(at: now) {}
      for account in Set(plan.cast.map(\.account)).sorted() {
        visitor.ask(.userStatus(account: account), at: now)
      }
      for channel in SpacePlan.channels { visitor.ask(.channelCount(channel: channel), at: now) }
      while visitor.login.hear(at: now) {}
      visitor.login.leave(at: now)
      while visitor.login.hear(at: now) {}
    }
  }
}

extension SeededGenerator {
  mutating func any<One>(_ choices: [One]) -> One { choices[number(0...choices.count - 1)] }
}
