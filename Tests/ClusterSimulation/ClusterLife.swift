import NodeCore

/// When a look at the beats was made, and what was true then.
struct LookTruth {
  var time: Int
  /// When each incarnation beat last, on the life's clock.
  var beats: [Int: Int]
  var isActing: Bool
}

/// One life of a cluster: three nodes, a database of three servers, clients and readers, and what befalls them.
public final class ClusterLife {
  /// Of the product: `PostgresLogStore.Sharing` and `FencedConnection`, in microseconds.
  static let silence = 1_500_000
  static let grace = 15_000_000
  static let patience = 10_000_000
  static let logs = 3
  /// After everything is well again all must be answered and recovered within this; microseconds. A recovery that has
  /// failed again and again is tried every 30 s, and a start that stands still is ended after 60 s.
  static let bound = 100_000_000
  /// Of a length, how much must be there: what is late by some milliseconds is no fault.
  private static let nearly = 95

  let plan: ClusterPlan
  let planted: PlantedFault?
  let timeline = Timeline()
  let dice: Dice
  let network: Network
  let reading: AnswerReading
  private(set) var database: DatabaseModel!
  private(set) var nodes: [ClusterNode] = []
  private(set) var clients: [ClusterClient] = []
  private(set) var isProducing = true
  private var incarnations = 0
  /// Names whose nodes are not started again.
  private var gone: Set<Int> = []
  /// Nodes ask each other whether they are there.
  private let pings: Bool
  /// The database is slow now and then.
  let isSlow: Bool
  private(set) var lastBeats: [Int: Int] = [:]
  /// The most that any client has seen, by log.
  private var seen = [Int](repeating: 0, count: logs)
  private var views: [(log: Int, events: [ClientEvent])] = []
  /// Until when nothing else may befall them.
  private var quietUntil = 0
  /// Until when something is not as it should be.
  private var troubledUntil = 0

  public private(set) var faults: [String] = []
  public private(set) var trace: [String] = []
  private let traces: Bool

  public init(_ plan: ClusterPlan, traces: Bool = false) {
    (self.plan, self.traces, planted) = (plan, traces, plan.planted)
    dice = Dice(seed: plan.seed &* 0x9E37_79B9_7F4A_7C15 &+ 7)
    network = Network(timeline, dice)
    reading = AnswerReading(
      rules: plan.planted == .warningIgnored
        ? AnswerReading.AnswerRules.all.subtracting(.warningLeavesOpen) : .all)
    pings = dice.isLucky(1, in: 3)
    isSlow = dice.isLucky(1, in: 4)
    switch dice.number(0...9) {
    case 0...5: break
    case 6...7: (network.late, network.lateMilliseconds) = (4, 300)
    default: (network.late, network.lateMilliseconds) = (6, 3_000)
    }
    database = DatabaseModel(self, logs: Self.logs)
  }

  /// Lives through it. Each fault begins with the rule that does not hold.
  public func run() -> [String] {
    for name in 0..<3 { start(name) }
    for number in 0..<5 { clients.append(ClusterClient(self, number: number, log: number % Self.logs)) }
    timeline.run(until: 100_000)
    for client in clients { client.live() }
    timeline.run(until: 900_000)
    for step in plan.steps where faults.isEmpty {
      if quietUntil > timeline.now { timeline.run(until: quietUntil) }
      let dice = Dice(seed: step.dice)
      carry(step.deed, dice)
      timeline.run(until: timeline.now + dice.number(10...900) * 1_000)
    }
    if faults.isEmpty { settle() }
    if faults.isEmpty { reckon() }
    dissolve()
    return faults
  }

  /// Nobody holds anybody any more.
  private func dissolve() {
    for node in nodes { node.process.end() }
    for server in database.servers { server.dissolve() }
    timeline.clear()
    for client in clients { client.visit = nil }
    (nodes, clients) = ([], [])
    database = nil
  }

  // MARK: What is told

  func note(_ text: @autoclosure () -> String) {
    guard traces else { return }
    let milliseconds = timeline.now / 1_000
    trace.append("\(milliseconds / 1_000).\(String(1_000 + milliseconds % 1_000).dropFirst()) \(text())")
  }

  func fault(_ text: String) {
    note("FAULT \(text)")
    faults.append(text)
  }

  func after(_ milliseconds: Int, _ action: @escaping () -> Void) {
    timeline.after(milliseconds * 1_000, action)
  }

  func nextIncarnation() -> Int {
    incarnations += 1
    return incarnations
  }

  // MARK: Nodes

  func start(_ name: Int) {
    let node = ClusterNode(self, name: name)
    nodes.append(node)
    node.start()
  }

  /// Whoever runs a node starts it again, unless it is there.
  func supervise(_ name: Int) {
    after(dice.number(200...3_000)) { [self] in
      guard !gone.contains(name), !nodes.contains(where: { $0.name == name }) else { return }
      start(name)
    }
  }

  /// A node's process has ended: its clients hear of it.
  func left(_ node: ClusterNode) {
    nodes.removeAll { $0 === node }
    node.forget()
    for client in clients where client.visit?.node === node {
      client.process.after(dice.number(1...60) * 1_000) { if client.visit?.node === node { client.lost() } }
    }
  }

  func node(for log: Int) -> ClusterNode? {
    let owner = database.acting.shown.logs[log].owner
    if dice.isLucky(7, in: 10), let found = nodes.first(where: { $0.incarnation == owner }) { return found }
    // A balancer sees mostly who is well.
    return dice.pick(nodes.filter { $0.isServing && $0.isRunning || dice.isLucky(1, in: 4) })
  }

  func reachable(from node: ClusterNode) -> Set<Int> {
    guard pings, !network.isCutOff(node.process, ofDatabase: false) else { return [] }
    let others = nodes.filter { $0 !== node && $0.isRunning && $0.incarnation > 0 }
    return Set(others.filter { !network.isCutOff($0.process, ofDatabase: false) }.map(\.incarnation))
  }

  // MARK: Checks on the way

  func noteBeat(of incarnation: Int, at server: DatabaseServer) {
    if server === database.acting { lastBeats[incarnation] = timeline.now }
  }

  func shown(_ count: Int, of log: Int) { seen[log] = max(seen[log], count) }

  private func isTooEarly(_ time: Int, _ limit: Int) -> Bool { time < limit * Self.nearly / 100 }

  /// A node with a fresh beat is never taken for dead, nor one that the judge has not watched for so long.
  func check(_ victim: Int, judgedBy judge: ClusterNode, _ truth: LookTruth, reachable: Set<Int>) {
    note("\(judge) takes incarnation \(victim) for dead")
    guard truth.isActing else { return }
    if reachable.contains(victim) { fault("judge: \(judge) takes \(victim) for dead, which it reaches") }
    let last = truth.beats[victim]
    if let last, isTooEarly(truth.time - last, Self.silence) {
      fault("judge: \(judge) takes \(victim) for dead \((truth.time - last) / 1_000) ms after its beat")
    }
    let process = judge.process
    // What it looked at before it stood still may count.
    let hasSlept = process.wentOn - process.stopped >= Self.silence && truth.time >= process.wentOn
    if hasSlept, isTooEarly(timeline.now - process.wentOn, Self.silence), judge.jumped < process.wentOn {
      fault(
        "judge: \(judge) takes \(victim) for dead, and stood still itself \((timeline.now - process.wentOn) / 1_000) ms ago"
      )
    }
    if let since = judge.watchingSince, let last, last < since, judge.jumped < since,
      isTooEarly(timeline.now - judge.firstLook, Self.grace)
    {
      fault("judge: \(judge) takes \(victim) for dead, and has not seen it beat since it is connected")
    }
  }

  /// The same where the fence is set.
  func check(_ victim: Int, fencedAt server: DatabaseServer) {
    guard server === database.acting, let last = lastBeats[victim] else { return }
    if isTooEarly(timeline.now - last, Self.silence) {
      fault("judge: \(victim) is fenced \((timeline.now - last) / 1_000) ms after its beat")
    }
  }

  // MARK: Readers

  /// Somebody opens the store to read it as it is at one moment.
  func look() {
    let process = SimulatedProcess(timeline)
    database.connect(process) { [self] connection in
      guard let connection else { return }
      let known = seen
      let server = connection.session.server
      let read = SessionRequest(
        tag: "read",
        body: { [self] tables in
          let fold = FrameFold(
            tables.unrecovered.flatMap { tables.frames(of: $0.id, slot: $0.row.slot) }, over: tables)
          if let damage = fold.damage { fault("read: \(damage)") }
          for log in tables.logs.indices {
            let events = tables.logs[log].events + (fold.fresh[log] ?? [])
            views.append((log, events))
            if server === database?.acting, events.count < known[log] {
              fault(
                "read: a reader finds \(events.count) events of log \(log), of which \(known[log]) were acknowledged"
              )
            }
          }
          note("a reader has read")
          return .writes([])
        })
      guard planted != .readerDoesNotWait else {
        return connection.ask(read, limit: nil) { _ in connection.drop() }
      }
      let record = SessionRequest(tag: "record", body: { _ in .writes([.message]) })
      connection.ask(record, limit: Self.patience) { [self] answer in
        guard case .done(let warnings) = answer, !reading.isOpen(warnings: warnings) else {
          return connection.drop()
        }
        connection.ask(read, limit: nil) { _ in connection.drop() }
      }
    }
  }

  // MARK: The end

  /// All is well again, but for what stays lost: everything must be answered and recovered in a bounded time.
  private func settle() {
    let end = timeline.now + 40_000_000
    while database.isBusy, timeline.now < end { timeline.run(until: timeline.now + 100_000) }
    isProducing = false
    network.heal()
    network.late = 0
    for standby in database.standbys { standby.isPaused = false }
    note("from here on nothing happens any more")
    let spared = dice.number(0...2)
    for node in nodes where node.process.condition == .standsStill {
      if node.name == spared || dice.isLucky(1, in: 2) { node.process.goOn() }
    }
    for name in 0..<3 where name != spared && dice.isLucky(1, in: 3) { gone.insert(name) }
    for node in nodes where node.name != spared && dice.isLucky(1, in: 4) {
      // For ever, in the middle of a transaction.
      node.process.strikeInside = { [self] in
        note("\(node) stands still")
        node.process.standStill()
      }
    }
    let limit = timeline.now + Self.bound
    while faults.isEmpty, !isSettled, timeline.now < limit { timeline.run(until: timeline.now + 250_000) }
    guard faults.isEmpty, !isSettled else { return }
    let unanswered = clients.filter { !$0.unanswered.isEmpty }.map { "\($0) of log \($0.log)" }
    fault(
      "late: \(Self.bound / 1_000_000) s after all was well without an answer: \(unanswered), not recovered: \(unrecovered)"
    )
  }

  private var unrecovered: [Int] {
    let serving = Set(nodes.filter { $0.isServing && $0.isRunning }.map(\.incarnation))
    return database.acting.shown.unrecovered.map(\.id).filter { !serving.contains($0) }
  }

  private var isSettled: Bool { clients.allSatisfy { $0.unanswered.isEmpty } && unrecovered.isEmpty }

  /// What is in the log, against what everybody was told.
  private func reckon() {
    let tables = database.acting.shown
    let fold = FrameFold(
      tables.unrecovered.flatMap { tables.frames(of: $0.id, slot: $0.row.slot) }, over: tables)
    if let damage = fold.damage { return fault("log: \(damage)") }
    let logs = tables.logs.indices.map { tables.logs[$0].events + (fold.fresh[$0] ?? []) }
    for (log, events) in logs.enumerated() {
      var last: [Int: Int] = [:]
      for event in events {
        let before = last[event.client] ?? 0
        if event.counter <= before {
          fault("twice: command \(event.counter) of client \(event.client) in log \(log)")
        }
        if event.counter > before + 1 {
          fault("order: command \(event.counter) of client \(event.client) follows \(before)")
        }
        last[event.client] = event.counter
      }
    }
    for client in clients where !logs[client.log].starts(with: client.mirror) {
      fault(
        "seen: \(client) was shown \(client.mirror.count) events of log \(client.log), which has others or fewer (\(logs[client.log].count))"
      )
    }
    for view in views where !logs[view.log].starts(with: view.events) {
      fault(
        "seen: a reader was shown \(view.events.count) events of log \(view.log), which has others or fewer (\(logs[view.log].count))"
      )
    }
  }

  // MARK: Deeds

  private func trouble(_ microseconds: Int) {
    troubledUntil = max(troubledUntil, timeline.now + microseconds)
  }

  private func carry(_ deed: ClusterPlan.Deed, _ dice: Dice) {
    let serving = nodes.filter { $0.isServing && $0.isRunning }
    let node = dice.pick(serving)
    note("\(deed)")
    switch deed {
    case .wait: break
    case .kill: node.map { kill($0) }
    case .stop:
      guard let node else { return }
      stop(node, dice.isLucky(2, in: 3) ? dice.number(100...2_600) : dice.number(2_000...8_000))
    case .strike: node.map { strike($0, dice) }
    case .drain: if serving.count > 1 { node?.drain(to: heir(of: node, serving, dice)) }
    case .sleepAll: sleepAll(dice)
    case .jumpClock:
      jump {
        node?.clockAhead += dice.number(2...60) * 1_000_000; node?.jumped = timeline.now
      }
    case .jumpDatabaseClock:
      jump {
        // While one node is slow, and not as slow as a dead one.
        let time = dice.number(300...1_300)
        node?.process.standStill()
        after(time) { node?.process.goOn() }
        after(time - 60) { [self] in database.clockAhead += dice.number(400...6_000) }
      }
    case .mute:
      guard let node else { return }
      note("the beats of \(node) do not get through")
      trouble(8_000_000)
      node.isMute = true
      after(dice.number(1_000...4_000)) { node.isMute = false }
    case .doubt:
      guard let node, serving.count > 1 else { return }
      for other in serving where other !== node { other.hesitates = dice.number(100...2_500) * 1_000 }
      stop(node, dice.number(1_500...2_800))
    case .move:
      guard let owner = dice.pick(serving.filter { !$0.held.isEmpty }) else { return }
      owner.release(
        owner.held.keys.sorted().filter { _ in dice.isLucky(2, in: 3) }, to: heir(of: owner, serving, dice))
    case .contend: contend(serving, dice)
    case .cut: node.map { cut($0, dice) }
    case .loseEmptying: node?.losesEmptying = true
    case .cutOff:
      guard let node else { return }
      let time = dice.number(200...5_000) * 1_000
      trouble(time + 4_000_000)
      network.cutOff(node.process, for: time, ofDatabaseOnly: dice.isLucky(1, in: 2))
    case .terminate:
      let session = dice.pick(database.acting.sessions.filter { $0.incarnation != nil })
      if dice.isLucky(1, in: 2) { session?.terminate() } else { session?.cancel() }
    case .look: look()
    case .trap, .outage, .failOver, .standby: carryOnServers(deed, dice)
    }
  }

  private func carryOnServers(_ deed: ClusterPlan.Deed, _ dice: Dice) {
    guard !database.isBusy, database.acting.isUp else { return }
    trouble(8_000_000)
    switch deed {
    case .trap: database.trap(dice)
    case .outage:
      database.isBusy = true
      let time = dice.isLucky(1, in: 4) ? dice.number(6_000...20_000) : dice.number(100...6_000)
      trouble(time * 1_000 + 20_000_000)
      database.restart(after: time) { [self] in database.isBusy = false }
    case .failOver:
      database.isBusy = true
      if dice.isLucky(1, in: 2) { dice.pick(database.standbys)?.isPaused = true }
      after(dice.number(0...1_200)) { [self] in
        database.failOver(stopping: dice.isLucky(1, in: 3), after: dice.number(100...3_000)) { [self] in
          database.isBusy = false
        }
      }
    case .standby:
      database.isBusy = true
      let isAll = dice.isLucky(1, in: 2)
      let chosen = isAll ? database.standbys : [dice.pick(database.standbys)].compactMap { $0 }
      let crashes = dice.isLucky(1, in: 3)
      for one in chosen { if crashes { one.crash() } else { one.isPaused = true } }
      after(dice.number(100...4_000)) { [self] in
        for one in chosen {
          if crashes { one.start(as: .standby, following: database.acting) } else { one.isPaused = false }
        }
        database.isBusy = false
      }
    default: break
    }
  }

  private func heir(of node: ClusterNode?, _ serving: [ClusterNode], _ dice: Dice) -> Int? {
    dice.isLucky(1, in: 2) ? nil : dice.pick(serving.filter { $0 !== node })?.incarnation
  }

  private func kill(_ node: ClusterNode) {
    note("\(node) is killed")
    node.process.end()
    supervise(node.name)
  }

  func stop(_ node: ClusterNode, _ milliseconds: Int) {
    note("\(node) stands still for \(milliseconds) ms")
    trouble((milliseconds + 4_000) * 1_000)
    node.process.standStill()
    after(milliseconds) { node.process.goOn() }
    // Its supervisor takes it for dead, and starts another one.
    if milliseconds > 2_000, dice.isLucky(1, in: 4) {
      after(dice.number(500...1_900)) { [self] in if !node.isDead { start(node.name) } }
    }
  }

  /// At one of the next moments at which it hears something.
  private func strike(_ node: ClusterNode, _ dice: Dice) {
    let isKilled = dice.isLucky(1, in: 3)
    let time = dice.number(100...4_000)
    trouble(8_000_000)
    let act = { [self] in if isKilled { kill(node) } else { stop(node, time) } }
    if dice.isLucky(1, in: 2) {
      node.process.strikeInside = act
    } else {
      node.process.strike = (dice.number(0...40), act)
    }
  }

  private func sleepAll(_ dice: Dice) {
    let time = dice.number(1_600...6_000)
    note("all nodes stand still for \(time) ms")
    trouble(time * 1_000 + 8_000_000)
    for node in nodes where node.isRunning {
      node.process.standStill()
      after(time + dice.number(0...2_500)) { node.process.goOn() }
    }
  }

  /// A clock jumps, and nothing else happens for some seconds.
  private func jump(_ body: () -> Void) {
    guard timeline.now >= troubledUntil, network.late == 0, !database.isBusy else { return }
    note("a clock jumps")
    body()
    quietUntil = timeline.now + 4_000_000
  }

  /// Two nodes want one log at the same time, and one of them stands still in the middle of it.
  private func contend(_ serving: [ClusterNode], _ dice: Dice) {
    guard let owner = dice.pick(serving.filter { !$0.held.isEmpty }),
      let log = dice.pick(owner.held.keys.sorted()),
      let slow = dice.pick(serving.filter { $0 !== owner }),
      let other = dice.pick(serving.filter { $0 !== slow })
    else { return }
    trouble(6_000_000)
    owner.release([log], to: nil) { [self] in
      let time = dice.isLucky(2, in: 3) ? dice.number(300...1_300) : dice.number(1_500...3_500)
      slow.process.strike = (dice.number(0...4), { [self] in stop(slow, time) })
      for (place, client) in clients.filter({ $0.log == log }).enumerated() where client.visit?.isIn != true {
        client.comeBack(to: place == 0 ? slow : other)
      }
      after(dice.number(2...20)) { [self] in
        if let client = clients.first(where: { $0.log == log }), !other.isDead { client.comeBack(to: other) }
      }
      after(dice.number(200...900)) { [self] in
        guard let holder = nodes.first(where: { $0.held[log] != nil && $0.isRunning }) else { return }
        holder.release([log], to: nil)
      }
    }
  }

  func cutAll(_ node: ClusterNode) {
    note("all connections of \(node) are cut")
    for connection in [node.commits.open, node.seals.open, node.catalog.open, node.beats] {
      connection?.cut(losing: false, silently: false)
    }
  }

  /// One of those whose commits are under way.
  func killCommitting(_ dice: Dice) {
    if let node = dice.pick(nodes.filter { $0.isCommitting && $0.isRunning }) { kill(node) }
  }

  private func cut(_ node: ClusterNode, _ dice: Dice) {
    let open = [node.commits.open, node.seals.open, node.catalog.open, node.beats].compactMap { $0 }
    guard let connection = dice.isLucky(1, in: 2) ? node.commits.open : dice.pick(open) else { return }
    let (losing, silently) = (dice.isLucky(1, in: 2), dice.isLucky(1, in: 3))
    note("a connection of \(node) is cut")
    if dice.isLucky(1, in: 3) {
      connection.holdsNext = dice.number(20...5_000) * 1_000
    } else if dice.isLucky(3, in: 4) {
      connection.cutsNext = (dice.number(0...1_500), losing, silently)
    } else {
      connection.cut(losing: losing, silently: silently)
    }
  }
}
