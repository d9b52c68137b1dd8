import NodeCore

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
  static let nearly = 95
  /// So long after the last trouble all are well; microseconds.
  static let recovered = 4_000_000
  /// How long a life goes on at its end where an old primary is left: longer than `grace`.
  static let oldPrimaryWatched = 25_000_000

  let plan: ClusterPlan
  let planted: PlantedFault?
  let clock = LifeClock()
  let dice: Dice
  let network: Network
  let reading: AnswerReading
  private(set) var database: DatabaseModel!
  private(set) var nodes: [ClusterNode] = []
  private(set) var clients: [ClusterClient] = []
  var isProducing = true
  private var incarnations = 0
  /// Names whose nodes are not started again.
  var gone: Set<Int> = []
  /// Nodes ask each other whether they are there.
  private let pings: Bool
  /// The database is slow now and then.
  let isSlow: Bool
  var lastBeats: [Int: Int] = [:]
  /// The most that any client has seen, by log.
  var seen = [Int](repeating: 0, count: logs)
  var views: [(log: Int, events: [ClientEvent])] = []
  /// Until when nothing else may befall them.
  var quietUntil = 0
  /// Until when something is not as it should be.
  var troubledUntil = 0

  public private(set) var faults: [String] = []
  public private(set) var trace: [String] = []
  private let traces: Bool

  public init(_ plan: ClusterPlan, traces: Bool = false) {
    (self.plan, self.traces, planted) = (plan, traces, plan.planted)
    dice = Dice(seed: plan.seed &* 0x9E37_79B9_7F4A_7C15 &+ 7)
    network = Network(clock, dice)
    var rules = AnswerReading.AnswerRules.all
    if plan.planted == .warningIgnored { rules.remove(.warningLeavesOpen) }
    if plan.planted == .endIsRefusal { rules.remove(.endLeavesOpen) }
    reading = AnswerReading(rules: rules)
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
    clock.run(until: 100_000)
    for client in clients { client.live() }
    clock.run(until: 900_000)
    for step in plan.steps where faults.isEmpty {
      if quietUntil > clock.now { clock.run(until: quietUntil) }
      let dice = Dice(seed: step.dice)
      carry(step.deed, dice)
      clock.run(until: clock.now + dice.number(10...900) * 1_000)
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
    clock.clear()
    for client in clients { client.visit = nil }
    (nodes, clients) = ([], [])
    database = nil
  }

  // MARK: What is told

  func note(_ text: @autoclosure () -> String) {
    guard traces else { return }
    let milliseconds = clock.now / 1_000
    trace.append("\(milliseconds / 1_000).\(String(1_000 + milliseconds % 1_000).dropFirst()) \(text())")
  }

  func fault(_ text: String) {
    guard plan.sign.map({ text.hasPrefix("\($0):") }) ?? true else { return note("not asked for: \(text)") }
    note("FAULT \(text)")
    faults.append(text)
  }

  func after(_ milliseconds: Int, _ action: @escaping () -> Void) {
    clock.after(milliseconds * 1_000, action)
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
}
