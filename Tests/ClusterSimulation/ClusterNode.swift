import NodeCore

/// A log that a node owns, as its engine and its room hold it.
final class HeldLog {
  let number: Int
  /// All events; those behind `durable` are not committed yet.
  var events: [ClientEvent]
  var durable: Int
  /// How many are in frames, the one under way included.
  var taken: Int
  /// The highest counter of each client in the log, also of what is not committed.
  var counters: [Int: Int] = [:]
  var isReleasing = false
  /// How many events each member was told, by its visit.
  var members: [(visit: Visit, told: Int)] = []

  init(_ number: Int, _ events: [ClientEvent], knowsCounters: Bool) {
    (self.number, self.events) = (number, events)
    (durable, taken) = (events.count, events.count)
    if knowsCounters { for event in events { counters[event.client] = event.counter } }
  }

  func has(_ visit: Visit) -> Bool { members.contains { $0.visit === visit } }
}

/// What a node has told an app.
enum NodeEnding: Hashable {
  case fenced
  /// It has stopped for a reason that there must not be.
  case stopped(String)
}

/// One start of a node: its process, and what it holds in memory. What it decides about answers, links, frames,
/// segments, beats and owners are the product's own values (NodeCore); the rest is a model of `PostgresLog`.
final class ClusterNode {
  let life: ClusterLife
  /// Which of the nodes it is; its name.
  let name: Int
  let process: SimulatedProcess
  var incarnation = 0
  var slot = 0
  /// How far its own clock is ahead, in microseconds.
  var clockAhead = 0
  /// When that changed last.
  var jumped = -1
  var isServing = false
  var isLeaving = false

  // Commits
  lazy var commits = Door(self, purpose: 0)
  var writing: FrameWriting
  var segment = 1
  var framesInSegment = 0
  var nextFrame = 1
  var isCommitting = false
  /// Called after each commit.
  var commitWaiters: [() -> Void] = []
  var committingSince = 0
  var isWaitingForRoom = false
  var turn = SegmentTurn(tables: UInt64(TablesModel.tablesPerSlot))
  // Sealing
  lazy var seals = Door(self, purpose: 1)
  var unsealed: [(segment: Int, part: FramePart)] = []
  var isSealing = false
  var sealWaiters: [(Bool) -> Void] = []
  // Ownership
  lazy var catalog = Door(self, purpose: 2)
  var held: [Int: HeldLog] = [:]
  /// Logs that it holds no more, with members who are sent off when the tables say so.
  var givenUp: [Int: HeldLog] = [:]
  var claims: [(log: Int, done: (OwnershipObstacle?, Bool) -> Void)] = []
  var catalogJobs: [(@escaping () -> Void) -> Void] = []
  var isCatalogBusy = false
  // Beats
  var beats: Connection?
  var judge: NodeJudge
  /// When the server gave the first look over the present connection of the beats.
  var watchingSince: Int?
  /// When it heard of it.
  var firstLook = 0
  /// When they were moved to another connection last, because no standby follows their server.
  var movedBeats = 0
  var due: [Int] = []
  var isEnding = false
  /// Its beats do not get through.
  var isMute = false
  /// How long it stands still before it fences somebody; microseconds.
  var hesitates = 0
  /// All its connections are cut when a frame table is emptied, while the first frame of the next is on its way.
  var losesEmptying = false
  var failed: [Int: (next: Int, pause: Int)] = [:]

  init(_ life: ClusterLife, name: Int) {
    (self.life, self.name) = (life, name)
    process = SimulatedProcess(life.clock)
    var rules = Set(NodeJudge.Rule.allCases)
    switch life.planted {
    case .ownBeatNotAsked: rules.remove(.ownBeatIsFresh)
    case .changeNotSeen: rules.remove(.hasChangedSinceConnection)
    case .silenceNotWatched: rules.remove(.isWatched)
    case .ageNotAsked: rules.remove(.isOld)
    case .reachableJudged: rules.remove(.isUnreachable)
    default: break
    }
    judge = NodeJudge(
      silence: Int64(ClusterLife.silence / 1_000), grace: Int64(ClusterLife.grace / 1_000), rules: rules)
    var frameRules = FrameWriting.FrameRules.all
    if life.planted == .noLook { frameRules.remove(.looksFirst) }
    if life.planted == .lastNotAsked { frameRules.remove(.asksForLast) }
    writing = FrameWriting(rules: frameRules)
    process.whenEnded.append { [unowned self] in life.left(self) }
  }

  var clock: Int { life.clock.now + clockAhead }
  var isRunning: Bool { process.condition == .runs }
  var isDead: Bool { process.condition == .ended }
  /// Takes commands.
  var isOpen: Bool { isServing && !isLeaving && !isDead }

  func connect(then: @escaping (Connection?) -> Void) {
    let incarnation = incarnation
    life.database.connect(process) { connection in
      connection?.session.incarnation = incarnation
      then(connection)
    }
  }

  // MARK: What answers mean

  enum Meaning {
    case carriedOut
    /// Nothing was, and it passes by itself.
    case passes
    case refused(String)
    case unknown
  }

  func meaning(_ answer: Answer) -> Meaning {
    let reading = life.reading
    switch answer {
    case .done(let warnings): return reading.isOpen(warnings: warnings) ? .unknown : .carriedOut
    case .refused(let state):
      if reading.isOpen(refusal: state) { return .unknown }
      return reading.canPass(state) ? .passes : .refused(state)
    case .closed(let hasRows): return hasRows && life.planted == .rowsAreTheAnswer ? .carriedOut : .unknown
    case .silent: return .unknown
    }
  }

  // MARK: The end

  /// The store has stopped: members are sent off, and the program ends.
  func end(_ reason: NodeEnding) {
    guard !isDead else { return }
    life.note("\(self) ends: \(reason)")
    if case .stopped(let why) = reason {
      life.fault("steady: \(self) has stopped, and nobody fenced it: \(why)")
    }
    for log in (Array(held.values) + Array(givenUp.values)).sorted(by: { $0.number < $1.number }) {
      sendOff(log)
    }
    exit()
  }

  /// Its process has ended: nobody waits for it.
  func forget() {
    (claims, catalogJobs, sealWaiters, commitWaiters) = ([], [], [], [])
    (held, givenUp, beats) = ([:], [:], nil)
  }

  func exit() {
    process.end()
    life.supervise(name)
  }

  func sendOff(_ log: HeldLog) {
    for member in log.members { member.visit.farewell() }
    log.members = []
  }

  // MARK: Members

  /// A client wants into a room, with what it has seen.
  func hello(_ visit: Visit, seen: Int) {
    guard isOpen else { return visit.farewell() }
    if let log = held[visit.log] { return enter(log, visit, seen) }
    claim(visit.log) { [self] obstacle, isThere in
      guard isOpen, let log = held[visit.log] else { return visit.farewell() }
      guard obstacle == nil, isThere else { return visit.farewell() }
      enter(log, visit, seen)
    }
  }

  private func enter(_ log: HeldLog, _ visit: Visit, _ seen: Int) {
    guard !log.isReleasing else { return visit.farewell() }
    // One that was fenced and has not heard of it yet shows what it has in memory, and takes nothing.
    if seen > log.durable, life.database.acting.shown.isFenced(incarnation) { return visit.farewell() }
    if seen > log.durable {
      life.fault(
        "seen: \(visit.client) has seen revision \(seen) of log \(log.number), which ends at \(log.durable) at \(self)"
      )
    }
    log.members.removeAll { $0.visit.client === visit.client }
    log.members.append((visit, seen))
    visit.welcome()
    tell(log)
  }

  func tell(_ log: HeldLog) {
    let end = life.planted == .toldEarly ? log.events.count : log.durable
    for place in log.members.indices where log.members[place].told < end {
      log.members[place].visit.told(
        after: log.members[place].told, Array(log.events[log.members[place].told..<end]))
      log.members[place].told = end
    }
  }

  func command(_ visit: Visit, _ counter: Int) {
    // While its log is given up a member is not heard: it says it again to the next owner.
    guard givenUp[visit.log]?.has(visit) != true else { return }
    if let log = held[visit.log], log.isReleasing, log.has(visit) { return }
    guard isOpen, let log = held[visit.log], log.has(visit) else { return visit.farewell() }
    // After so long a silence of the database nothing is decided.
    guard !isCommitting || life.clock.now - committingSince < ClusterLife.silence else {
      return visit.refuse()
    }
    let last = log.counters[visit.client.number]
    guard last.map({ counter == $0 + 1 }) ?? (life.planted == .countersForgotten || counter == 1) else {
      return
    }
    log.counters[visit.client.number] = counter
    log.events.append(ClientEvent(client: visit.client.number, counter: counter))
    if life.planted == .toldEarly { tell(log) }
    commit()
  }
}

extension ClusterNode: CustomStringConvertible {
  var description: String { "node \(["a", "b", "c"][name]) (\(incarnation))" }
}
