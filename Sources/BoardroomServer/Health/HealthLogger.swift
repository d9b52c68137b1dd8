import BoardroomHTTP
import BoardroomHosting
import EventLogModel
import Logging
import Synchronization

/// Checks every few seconds what an operator should know without asking, and logs what has changed: that the
/// log takes no events, that the disk is slow, that connections are refused.
final class HealthLogger: Sendable {
  /// 10 s: operators' alarms are slower, and one line in ten seconds is not too many.
  static let every: Duration = .seconds(10)
  /// Seconds from which on a commit counts as slow. A good disk takes a thousandth of that.
  static let slow = 1.0

  /// Counts that only rise.
  private struct HealthCounts: Sendable, Equatable {
    var slowCommits: Int64 = 0
    var failedSeals = 0
    var refusedRooms = 0
    var connections = ConnectionLimiter.Counts()
    var pipes = PipeDesk.Counts()
  }

  private struct State: Sendable {
    var refusal: String?
    var seen = HealthCounts()
  }

  private let store: StoreWatch
  private let health: ServerHealth
  private let engine: RoomServerEngine
  private let limiter: ConnectionLimiter
  private let pipes: PipeDesk?
  private let logger: Logger
  private let state = Mutex(State())

  init(
    _ store: StoreWatch, patience: Duration = .seconds(10), _ engine: RoomServerEngine,
    _ limiter: ConnectionLimiter, _ pipes: PipeDesk? = nil, _ logger: Logger
  ) {
    self.pipes = pipes
    self.store = store
    health = ServerHealth(store, patience: patience)
    self.engine = engine
    self.limiter = limiter
    self.logger = logger
  }

  /// Checks again and again while the loop runs.
  func watch(on loop: any RoomLoop) {
    loop.execute(after: Self.every) { [weak self] in
      guard let self else { return }
      look()
      watch(on: loop)
    }
  }

  func look() {
    let refusal = health.notReady
    let seen = HealthCounts(
      slowCommits: slowCommits(), failedSeals: failedSeals(), refusedRooms: engine.refusedRooms,
      connections: limiter.counts, pipes: pipes?.counts ?? PipeDesk.Counts())
    let before = state.withLock { state in
      defer { state = State(refusal: refusal?.words, seen: seen) }
      return state
    }
    if refusal?.words != before.refusal { log(refusal) }
    logChanges(seen, since: before.seen)
  }

  private func log(_ refusal: Unreadiness?) {
    if let refusal {
      var facts: Logger.Metadata = ["why": "\(refusal.words)"]
      if let details = refusal.details { facts["what"] = "\(details)" }
      logger.error("the log takes no events", metadata: facts)
    } else {
      logger.notice("the log takes events again")
    }
  }

  private func logChanges(_ now: HealthCounts, since before: HealthCounts) {
    if now.slowCommits > before.slowCommits {
      let commits = now.slowCommits - before.slowCommits
      logger.warning("commits are slow", metadata: ["commits": "\(commits)", "over": "1s"])
    }
    if now.failedSeals > before.failedSeals {
      logger.error("sealing fails", metadata: ["failures": "\(now.failedSeals - before.failedSeals)"])
    }
    if now.refusedRooms > before.refusedRooms {
      let refused = now.refusedRooms - before.refusedRooms
      logger.warning(
        "rooms are refused", metadata: ["limit": "\(engine.policy.openRooms)", "refused": "\(refused)"])
    }
    let address = now.connections.refusedByAddress - before.connections.refusedByAddress
    let all = now.connections.refusedInAll - before.connections.refusedInAll
    if address > 0 || all > 0 {
      logger.warning("connections are refused", metadata: ["address": "\(address)", "all": "\(all)"])
    }
    logPipes(now.pipes, since: before.pipes)
  }

  private func logPipes(_ now: PipeDesk.Counts, since before: PipeDesk.Counts) {
    if now.failed > before.failed {
      logger.warning(
        "clients cannot be joined to other nodes", metadata: ["failures": "\(now.failed - before.failed)"])
    }
    let faults = PrefaceFault.allCases.compactMap { fault -> String? in
      let count = now.refused[fault, default: 0] - before.refused[fault, default: 0]
      return count > 0 ? "\(fault.rawValue) \(count)" : nil
    }
    guard !faults.isEmpty else { return }
    logger.warning(
      "prefaces of other nodes are refused", metadata: ["why": "\(faults.joined(separator: ", "))"])
  }

  private func failedSeals() -> Int {
    store.samples().first { $0.name == StoreWatch.sealFailures }.map { Int($0.value) } ?? 0
  }

  /// Commits in buckets that begin at a second or later.
  private func slowCommits() -> Int64 {
    guard let commits = store.histograms().first(where: { $0.name == StoreWatch.commitSeconds }) else {
      return 0
    }
    let fast = commits.bounds.prefix { $0 <= Self.slow }.count
    return commits.counts.dropFirst(fast).reduce(0, +)
  }
}
