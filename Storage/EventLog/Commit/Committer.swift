import EventLogFormat
import EventLogModel
import Synchronization

// The commit thread: take the group, write one frame, flush, report. It takes the next group as soon as the
// last one is on disk: with few events a record waits for one flush, with many events the groups grow.
// While it sleeps, a thread that has appended may do the same in its place (Store/Engine+Turn.swift).

final class Committer: @unchecked Sendable {
  /// A group of fewer events counts as small: before it is written, `minimumCommitInterval` must have passed.
  static let smallGroup = 32
  /// How often a commit that lacks space tries again, in nanoseconds.
  static let retryInterval: UInt64 = 100_000_000

  private let engine: Engine
  private let journal: any Journal
  // Touched by the thread that commits: this one, or one in its place while this one sleeps. Both are told by the
  // engine's lock that it is their turn.
  private var frame = JournalFrameWriter()
  /// When an empty frame is to be written after the last frame; `nil` when there is one already.
  private var confirmAt: UInt64?
  /// Before this moment no small group is written.
  private var pause: UInt64 = 0

  init(engine: Engine, journal: any Journal) {
    self.engine = engine
    self.journal = journal
  }

  func loop() {
    defer { journal.close() }
    while let group = nextGroup() {
      guard carryOut(group) else { return }
    }
  }

  /// Commits a group on the caller's thread, which the engine has let in. False if that failed: the store has stopped.
  func carryOut(_ group: EngineState.Group) -> Bool {
    let start = MonotonicClock.now
    do throws(LogError) {
      switch group.instead {
      case nil: try commit(group)
      case .confirming: try confirm()
      case .nextSegment: try goToNextSegment(group)
      }
    } catch {
      engine.fail(error, group)
      return false
    }
    let interval = UInt64(max(0, engine.options.minimumCommitInterval.wholeNanoseconds))
    pause = group.hasEntries && group.events < Self.smallGroup ? start + interval : 0
    return true
  }

  /// Whether a small group may be written now, without a new segment. To be asked under the engine's lock, while nobody
  /// commits.
  func takesSmallGroup(ofAtMost bytes: Int, at now: UInt64) -> Bool {
    now >= pause && journal.takesTurn(ofAtMost: bytes)
  }

  /// Whether the commit thread sleeps without an end, so that it must be woken for the empty frame after the next commit.
  /// To be asked under the engine's lock, while nobody commits.
  var sleepsWithoutEnd: Bool { confirmAt == nil }

  /// Writes an empty frame after the last one. Its number and the checksum in it prove that the last one was
  /// durable.
  private func confirm() throws(LogError) {
    confirmAt = nil
    frame.reset()
    frame.pack()
    // At the end of a segment the next segment's header says the same.
    guard journal.hasRoom(for: frame) else { return }
    try write()
    journal.flushEvidence()
    let last = journal.nextFrame - 1
    engine.state.withLock { $0.frame = last }
  }

  /// Nothing more is written to the present segment, so that it is free as soon as its events are sealed.
  private func goToNextSegment(_ group: EngineState.Group) throws(LogError) {
    if confirmAt != nil { try confirm() }
    do throws(LogError) { try makeRoom(for: 0) } catch {
      // A shutdown while there is no space must not fail because of it.
      guard case .full = error else { throw error }
      for waiter in group.waiters { waiter(error) }
      return
    }
    report(group, segment: journal.segment, bytes: (0, 0), took: 0)
  }

  private enum Step {
    case take(EngineState.Group, wasBlocked: Bool)
    /// `until`: a moment; `nil` for as long as it takes.
    case wait(ticket: UInt64, until: UInt64?)
    case exit
  }

  /// The next group, not before the moment `pause`; `nil` at the end.
  private func nextGroup() -> EngineState.Group? {
    while true {
      let now = MonotonicClock.now
      let step = engine.state.withLock { state -> Step in
        state.isCommitterAsleep = false
        guard state.turn != .committing else { return .wait(ticket: engine.commitSignal.ticket, until: nil) }
        state.committingSince = nil
        if state.stopped != nil || state.isAbandoned || (state.isStopping && !state.hasWork) {
          let isOrderly = state.stopped == nil && !state.isAbandoned
          if isOrderly, confirmAt != nil {
            state.committingSince = now
            return .take(.init(instead: .confirming), wasBlocked: false)
          }
          state.isCommitterDone = true
          return .exit
        }
        if !state.segmentWaiters.isEmpty, !state.isStopping {
          state.committingSince = now
          let waiters = state.segmentWaiters
          state.segmentWaiters = []
          return .take(.init(instead: .nextSegment, waiters: waiters), wasBlocked: false)
        }
        guard state.hasWork else {
          if let confirmAt, now >= confirmAt {
            state.committingSince = now
            return .take(.init(instead: .confirming), wasBlocked: false)
          }
          state.isCommitterAsleep = true
          return .wait(ticket: engine.commitSignal.ticket, until: confirmAt)
        }
        if now < pause, state.pendingEvents < Self.smallGroup, !state.isStopping {
          return .wait(ticket: engine.commitSignal.ticket, until: pause)
        }
        guard state.holders.isEmpty else {
          state.isSwapWanted = true
          return .wait(ticket: engine.commitSignal.ticket, until: nil)
        }
        state.turn = .none
        let wasBlocked = state.blocked > 0
        state.blocked = 0
        state.committingSince = now
        return .take(state.takeGroup(), wasBlocked: wasBlocked)
      }
      switch step {
      case .take(let group, let wasBlocked):
        if wasBlocked { engine.takenSignal.raise() }
        return group
      case .exit: return nil
      case .wait(let ticket, nil): engine.commitSignal.wait(after: ticket)
      case .wait(let ticket, let until?):
        engine.commitSignal.wait(after: ticket, nanoseconds: max(until, now + 1) - now)
      }
    }
  }

  private func commit(_ group: EngineState.Group) throws(LogError) {
    guard group.hasEntries else { return report(group, segment: journal.segment, bytes: (0, 0), took: 0) }
    fill(with: group)
    if !journal.hasRoom(for: frame) { try makeRoom(for: frame.frameLength) }
    let start = MonotonicClock.now
    try write()
    confirmAt = journal.confirmDelay.map { start + $0 }
    report(
      group, segment: journal.segment, bytes: (frame.byteCount, frame.frameLength),
      took: MonotonicClock.now - start)
  }

  /// While a frame's outcome is not known, no more events are taken. Nothing is lost by that: it is made known
  /// before the next frame is written.
  private func write() throws(LogError) {
    var hasStalled = false
    try journal.write(&frame) { reason throws(LogError) in
      hasStalled = true
      try refuse(reason)
      let stopped = engine.state.withLock { state -> LogError? in
        state.isAbandoned ? .stopped(reason: "abandoned") : state.stopped
      }
      if let stopped { throw stopped }
    }
    if hasStalled { engine.state.withLock { $0.refusal = nil } }
  }

  private func fill(with group: EngineState.Group) {
    frame.reset()
    for log in group.created {
      frame.add(.created(number: log.number, log: log.log, epoch: log.epoch, at: log.created))
    }
    for log in group.created {
      if let last = log.importLast { frame.add(.importing(number: log.number, through: last)) }
    }
    for part in group.parts { frame.add(part.run, number: part.log.number) }
    for change in group.low { frame.add(.low(number: change.log.number, change.low)) }
    for change in group.deleted { frame.add(.deleted(number: change.log.number, at: change.time)) }
    frame.pack()
  }

  /// Begins the next segment. Waits while the sealer is too far behind, or while there is no space.
  private func makeRoom(for length: Int) throws(LogError) {
    var hasStalled = false
    while true {
      let ticket = engine.roomSignal.ticket
      let isBehind = try checkBacklog(&hasStalled)
      if !isBehind, try beginSegment() {
        engine.state.withLock { $0.refusal = nil }
        engine.sealSignal.raise()
        return
      }
      engine.roomSignal.wait(after: ticket, nanoseconds: Self.retryInterval)
    }
  }

  /// Whether the sealer must catch up before another segment is begun. Commits wait for it; nothing is lost.
  private func checkBacklog(_ hasStalled: inout Bool) throws(LogError) -> Bool {
    let outcome = engine.state.withLock { state -> Result<Bool, LogError> in
      if let stopped = state.stopped { return .failure(stopped) }
      if state.isAbandoned { return .failure(.stopped(reason: "abandoned")) }
      let inUse = journal.segment + 2 - min(state.oldestSegment, journal.segment)
      guard inUse > UInt64(engine.options.liveSegments + 2) else { return .success(false) }
      state.statistics.commitStalls += hasStalled ? 0 : 1
      hasStalled = true
      if state.isSealerFull {
        state.refusal = .full(place: engine.place)
        if state.isStopping { return .failure(.full(place: engine.place)) }
      }
      return .success(true)
    }
    switch outcome {
    case .success(let isBehind):
      if isBehind {
        engine.sealSignal.raise()
        engine.takenSignal.raise()
      }
      return isBehind
    case .failure(let error): throw error
    }
  }

  /// False if there is no space for a segment, or if no file can be opened; until that has passed no events
  /// are taken.
  private func beginSegment() throws(LogError) -> Bool {
    do throws(LogError) { return try journal.beginSegment() } catch {
      guard case .full = error else { throw error }
      try refuse(error)
      return false
    }
  }

  /// No events are taken until it has passed. A shutdown does not wait for that.
  private func refuse(_ error: LogError) throws(LogError) {
    let isStopping = engine.state.withLock { state in
      if state.refusal == nil { state.statistics.commitStalls += 1 }
      state.refusal = error
      return state.isStopping
    }
    engine.takenSignal.raise()
    if isStopping { throw error }
  }

  /// Everything in the group is on disk: readers can see it from here on, then listeners are told, then
  /// waiting callers.
  private func report(
    _ group: EngineState.Group, segment: UInt64, bytes: (raw: Int, stored: Int), took: UInt64
  ) {
    let now = MonotonicClock.now
    let (fill, last) = (journal.fill, journal.nextFrame - 1)
    let wake = engine.state.withLock { state -> Bool in
      state.segment = segment
      state.segmentFill = fill
      state.frame = last
      state.publish(group, at: JournalPlace(segment: segment, frame: last), now: now)
      if group.hasEntries { state.count(group, bytes, took) }
      return !state.ripe.isEmpty && state.wakeSealer()
    }
    if wake { engine.sealSignal.raise() }
    tellListeners(group)
    for waiter in group.waiters { waiter(nil) }
  }

  private func tellListeners(_ group: EngineState.Group) {
    var batches: [(listener: any CommitListener, runs: [CommittedRun])] = []
    var index: [ObjectIdentifier: Int] = [:]
    for part in group.parts {
      guard let listener = part.listener else { continue }
      let run = CommittedRun(log: part.log.log, run: part.run)
      if let place = index[ObjectIdentifier(listener)] {
        batches[place].runs.append(run)
      } else {
        index[ObjectIdentifier(listener)] = batches.count
        batches.append((listener, [run]))
      }
    }
    for batch in batches { batch.listener.committed(batch.runs) }
  }
}

extension EngineState {
  fileprivate mutating func publish(_ group: Group, at place: JournalPlace, now: UInt64) {
    for log in group.created {
      log.isThere = true
      sortedLogs = nil
      catalog.append(
        CatalogChange(
          change: .created(number: log.number, log: log.log, epoch: log.epoch, at: log.created),
          place: place))
      guard let last = log.importLast else { continue }
      catalog.append(
        CatalogChange(change: .importing(number: log.number, through: last), place: place))
    }
    for part in group.parts {
      let log = part.log
      log.isInFlight = false
      log.durable = part.run.lastRevision
      log.durableTime = part.run.last
      if let last = log.importLast, log.durable >= last {
        log.importLast = nil
        sortedLogs = nil
      }
      log.touched = now
      log.tail.append(part.run, at: place)
      unsealed[log.number] = log
      if log.tail.isRipe || !log.isOpen && log.wantsSealing { queueForSealing(log) }
    }
    if !group.low.isEmpty || !group.deleted.isEmpty {
      clearing.isDue = true
      clearing.removals += 1
    }
    for change in group.low {
      change.log.low = max(change.log.low, change.low)
      catalog.append(
        CatalogChange(change: .low(number: change.log.number, change.low), place: place))
    }
    for change in group.deleted {
      change.log.isDeleted = true
      change.log.isOpen = false
      change.log.tail.removeAll()
      unsealed[change.log.number] = nil
      catalog.append(
        CatalogChange(change: .deleted(number: change.log.number, at: change.time), place: place))
    }
  }

  fileprivate mutating func count(_ group: Group, _ bytes: (raw: Int, stored: Int), _ took: UInt64) {
    statistics.commits += 1
    statistics.events += group.events
    statistics.runs += group.parts.count
    statistics.rawBytes += bytes.raw
    statistics.journalBytes += bytes.stored
    statistics.commitLatency.add(nanoseconds: took)
    noteCommit(took: took)
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded down.
  var wholeNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
