import EventLogModel
import Synchronization

/// Keeps logs in memory: for tests, demonstrations and clients. Nothing survives the process.
public final class MemoryLogStore: LogStore {
  /// When appended records count as durable.
  public enum Commits: Sendable, Hashable {
    /// Soon after they are appended, on another task.
    case byItself
    /// When `commitPending` is called, and only then: for tests under a virtual clock.
    case whenTold
  }

  /// One log; guarded by the store's lock.
  final class MemoryLogEntry: @unchecked Sendable {
    var info: LogInfo
    /// What was committed, in runs of up to `runBytes`.
    var runs: [Run] {
      get {
        joinFreshRuns()
        return joinedRuns
      }
      set { (joinedRuns, freshRuns) = (newValue, []) }
    }
    private var joinedRuns: [Run] = []
    /// Committed since somebody read last. Joined only then, so that a commit does not copy what was there.
    private var freshRuns: [Run] = []
    var pending: RunBuilder
    var lastTime: Timestamp = .zero
    var snapshots: [Snapshot] = []
    var writer: UInt64 = 0
    var listener: (any CommitListener)?
    var isOpen = false
    var isThere = false
    var isLeaving = false
    /// The last revision that an import will have; nobody reads the log before.
    var importLast: Revision?

    init(info: LogInfo) {
      self.info = info
      pending = RunBuilder(first: info.last.next)
    }
  }

  /// One commit's calls, made in order by whichever thread drains them.
  struct CommitCalls: Sendable {
    var batches: [(listener: any CommitListener, runs: [CommittedRun])] = []
    var waiters: [@Sendable () -> Void] = []
  }

  struct State: Sendable {
    var logs: [LogID: MemoryLogEntry] = [:]
    var dirty: [LogID] = []
    var waiters: [@Sendable () -> Void] = []
    var isScheduled = false
    var deliveries: [CommitCalls] = []
    var isDelivering = false
    var isStopped = false
    /// Why appenders refuse events at present; nil if they take them.
    var refusal: LogError?
    /// Callers inside `together`, and a commit that waits for them.
    var holds = 0
    var isWaitingForHolds = false
  }

  /// A run is closed before it would grow past this.
  static let runBytes = 64 << 10
  /// The largest record body, in bytes: 1 MiB, as in the store on disk.
  public static let recordLimit = 1 << 20

  let state = Mutex(State())
  private let commits: Commits
  private let autoCommitForAsync: Bool

  /// - Parameter autoCommitForAsync: with `whenTold`, whether `create`, `append` and the other functions that
  ///   wait for durability commit by themselves; if not, they wait for `commitPending`.
  public init(commits: Commits = .byItself, autoCommitForAsync: Bool = true) {
    self.commits = commits
    self.autoCommitForAsync = autoCommitForAsync
  }

  /// Commits everything appended so far, in one group, and calls the listeners before it returns, unless
  /// called by one of them.
  public func commitPending() {
    let isMine = state.withLock { state -> Bool in
      guard state.holds == 0 else {
        state.isWaitingForHolds = true
        return false
      }
      state.commit()
      guard !state.isDelivering else { return false }
      state.isDelivering = true
      return true
    }
    guard isMine else { return }
    while let delivery = state.withLock({ $0.nextDelivery() }) {
      for batch in delivery.batches { batch.listener.committed(batch.runs) }
      for waiter in delivery.waiters { waiter() }
    }
  }

  /// Ends the store as a failed disk would: appenders take nothing more, and each listener is told why.
  public func fail(_ error: LogError) {
    let listeners = state.withLock { state -> [(any CommitListener, [LogID])] in
      state.isStopped = true
      var listeners: [ObjectIdentifier: (any CommitListener, [LogID])] = [:]
      for (name, entry) in state.logs where entry.isOpen {
        guard let listener = entry.listener else { continue }
        listeners[ObjectIdentifier(listener), default: (listener, [])].1.append(name)
      }
      return Array(listeners.values)
    }
    for (listener, logs) in listeners { listener.failed(logs.sorted(), error) }
  }

  /// Removes what was appended and not committed, as a power cut would. The caller also drops the appenders.
  public func losePending() { losePending { _ in true } }

  /// The same for some logs only: those of one writer of several.
  public func losePending(_ isLost: (LogID) -> Bool) {
    state.withLock { state in
      for name in state.dirty where isLost(name) { state.logs[name]?.losePending() }
      state.dirty.removeAll(where: isLost)
    }
  }

  /// Refuses events with `error`, as a full disk would. With nil it takes events again.
  public func refuse(_ error: LogError?) { state.withLock { $0.refusal = error } }

  /// Starts the commit of what was just appended.
  func schedule() {
    guard commits == .byItself else { return }
    let isFirst = state.withLock { state -> Bool in
      defer { state.isScheduled = true }
      return !state.isScheduled
    }
    if isFirst { Task { commitPending() } }
  }

  func endHold() {
    let isWanted = state.withLock { state -> Bool in
      state.holds -= 1
      guard state.holds == 0, state.isWaitingForHolds else { return false }
      state.isWaitingForHolds = false
      return true
    }
    if isWanted { commitPending() }
  }

  /// Waits for the commit of everything appended so far.
  func committed() async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      state.withLock { $0.waiters.append { continuation.resume() } }
      switch commits {
      case .byItself: schedule()
      case .whenTold: if autoCommitForAsync { commitPending() }
      }
    }
  }

  public func shutdown() async {
    commitPending()
    state.withLock { $0.isStopped = true }
  }

  /// Answers again after a shutdown, as a new process with the same disk would.
  public func restart() { state.withLock { $0.isStopped = false } }
}

extension MemoryLogStore.State {
  mutating func commit() {
    isScheduled = false
    var delivery = MemoryLogStore.CommitCalls()
    swap(&delivery.waiters, &waiters)
    var index: [ObjectIdentifier: Int] = [:]
    for name in dirty {
      guard let entry = logs[name], let run = entry.pending.takeRun() else { continue }
      entry.keep(run)
      guard let listener = entry.listener else { continue }
      let committed = CommittedRun(log: name, run: run)
      if let place = index[ObjectIdentifier(listener)] {
        delivery.batches[place].runs.append(committed)
      } else {
        index[ObjectIdentifier(listener)] = delivery.batches.count
        delivery.batches.append((listener, [committed]))
      }
    }
    dirty = []
    deliveries.append(delivery)
  }

  mutating func nextDelivery() -> MemoryLogStore.CommitCalls? {
    guard !deliveries.isEmpty else {
      isDelivering = false
      return nil
    }
    return deliveries.removeFirst()
  }

  func find(_ log: LogID) -> Result<MemoryLogStore.MemoryLogEntry, LogError> {
    findAny(log).flatMap { entry in entry.unfinished.map { .failure($0) } ?? .success(entry) }
  }

  /// Finds a log, also while it is being imported.
  func findAny(_ log: LogID) -> Result<MemoryLogStore.MemoryLogEntry, LogError> {
    guard let entry = logs[log], entry.isThere else { return .failure(.noSuchLog(log)) }
    return entry.isLeaving ? .failure(.deleted(log)) : .success(entry)
  }

  mutating func put(
    _ log: LogID, kind: UInt8, actor: UInt64, time: Timestamp, body: UnsafeRawBufferPointer
  ) -> Revision {
    let entry = logs[log]!
    if entry.pending.isEmpty { dirty.append(log) }
    return entry.put(kind: kind, actor: actor, time: time, body: body)
  }
}

extension MemoryLogStore.MemoryLogEntry {
  func put(
    kind: UInt8, actor: UInt64, time: Timestamp, body: UnsafeRawBufferPointer
  ) -> Revision {
    lastTime = max(time, lastTime)
    let revision = pending.next
    pending.append(kind: kind, actor: actor, time: lastTime, body: body)
    return revision
  }

  func keep(_ run: Run) {
    info.last = run.lastRevision
    if let last = importLast, info.last >= last { importLast = nil }
    info.lastTime = run.last
    info.rawBytes += run.records.count
    info.storedBytes += run.records.count
    freshRuns.append(run)
  }

  private func joinFreshRuns() {
    for run in freshRuns {
      if let last = joinedRuns.last, last.records.count + run.records.count <= MemoryLogStore.runBytes {
        joinedRuns[joinedRuns.count - 1] = last.joined(with: run)
      } else {
        joinedRuns.append(run)
      }
    }
    freshRuns = []
  }

  func losePending() {
    pending = RunBuilder(first: info.last.next)
    lastTime = info.lastTime
  }

  var lastAppended: Revision { pending.next.previous }

  var unfinished: LogError? { importLast.map { .unfinished(info.log, last: info.last, of: $0) } }
}
