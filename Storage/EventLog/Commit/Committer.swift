import EventLogFormat
import EventLogModel
import Synchronization

// The commit thread: take the group, write one frame, flush, report. It takes the next group as soon as the
// last one is on disk: with few events a record waits for one flush, with many events the groups grow.

final class Committer: @unchecked Sendable {
  /// A group of fewer events counts as small: before it is written, `minimumCommitInterval` must have passed.
  static let smallGroup = 32
  /// How often a commit that lacks space tries again, in nanoseconds.
  static let retryInterval: UInt64 = 100_000_000

  private let engine: Engine
  private let journal: JournalWriter
  private let shelf: SpareShelf
  /// When an empty frame is to be written after the last frame; `nil` when there is one already.
  private var confirmAt: UInt64?

  init(engine: Engine, journal: JournalWriter, shelf: SpareShelf) {
    self.engine = engine
    self.journal = journal
    self.shelf = shelf
  }

  func loop() {
    defer { journal.close() }
    var frame = JournalFrameWriter()
    var pause: UInt64 = 0
    while let group = nextGroup(after: pause) {
      let start = MonotonicClock.now
      do throws(LogError) {
        switch group.instead {
        case nil: try commit(group, &frame)
        case .confirming: try confirm(&frame)
        case .nextSegment: try goToNextSegment(group, &frame)
        }
      } catch {
        engine.fail(error, group)
        return
      }
      let interval = UInt64(max(0, engine.options.minimumCommitInterval.wholeNanoseconds))
      pause = group.hasEntries && group.events < Self.smallGroup ? start + interval : 0
    }
  }

  /// Writes an empty frame after the last one. Its number and the checksum in it prove that the last one was
  /// durable.
  private func confirm(_ frame: inout JournalFrameWriter) throws(LogError) {
    confirmAt = nil
    frame.reset()
    frame.pack()
    // At the end of a segment the next segment's header says the same.
    guard journal.hasRoom(for: frame) else { return }
    try journal.write(&frame)
    journal.mark?.flush()
    let last = journal.nextFrame - 1
    engine.state.withLock { $0.frame = last }
  }

  /// Nothing more is written to the present segment, so that it is free as soon as its events are sealed.
  private func goToNextSegment(
    _ group: EngineState.Group, _ frame: inout JournalFrameWriter
  ) throws(LogError) {
    if confirmAt != nil { try confirm(&frame) }
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
    case wait(ticket: UInt64)
    case exit
  }

  /// The next group, not before the moment `pause`; `nil` at the end.
  private func nextGroup(after pause: UInt64) -> EngineState.Group? {
    while true {
      let now = MonotonicClock.now
      let step = engine.state.withLock { state -> Step in
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
          return .wait(ticket: engine.commitSignal.ticket)
        }
        if now < pause, state.pendingEvents < Self.smallGroup, !state.isStopping {
          return .wait(ticket: engine.commitSignal.ticket)
        }
        guard state.holders.isEmpty else {
          state.isSwapWanted = true
          return .wait(ticket: engine.commitSignal.ticket)
        }
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
      case .wait(let ticket):
        if now < pause {
          engine.commitSignal.wait(after: ticket, nanoseconds: pause - now)
        } else if let confirmAt {
          engine.commitSignal.wait(after: ticket, nanoseconds: max(confirmAt, now + 1) - now)
        } else {
          engine.commitSignal.wait(after: ticket)
        }
      }
    }
  }

  private func commit(_ group: EngineState.Group, _ frame: inout JournalFrameWriter) throws(LogError) {
    guard group.hasEntries else { return report(group, segment: journal.segment, bytes: (0, 0), took: 0) }
    fill(&frame, with: group)
    if !journal.hasRoom(for: frame) { try makeRoom(for: frame.frameLength) }
    let start = MonotonicClock.now
    try journal.write(&frame)
    confirmAt = start + UInt64(max(0, engine.options.confirmDelay.wholeNanoseconds))
    report(
      group, segment: journal.segment, bytes: (frame.byteCount, frame.frameLength),
      took: MonotonicClock.now - start)
  }

  private func fill(_ frame: inout JournalFrameWriter, with group: EngineState.Group) {
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
        state.refusal = .full(place: engine.folder)
        if state.isStopping { return .failure(.full(place: engine.folder)) }
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
    do throws(LogError) {
      if journal.hasBegun {
        try journal.finishSegment()
        return true
      }
      guard let spare = try takeSpare() else { return false }
      do throws(LogError) { try journal.beginSegment(in: spare) } catch {
        if ErrorNumber.isOfFiles(error), !journal.hasBegun { shelf.giveBack(spare) }
        throw error
      }
      return true
    } catch {
      // A full disk shows when a spare is made, as `full`: a header that cannot be written stops the store.
      if case .full = error {} else if !ErrorNumber.isOfFiles(error) { throw error }
      try refuse(ErrorNumber.asFull(error, in: engine.folder))
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

  /// A spare file from the shelf or a new one; `nil` if another thread has just taken it.
  private func takeSpare() throws(LogError) -> String? {
    if let spare = shelf.takeSpare() { return spare }
    try shelf.make()
    return shelf.takeSpare()
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
  }
}

extension Duration {
  /// The duration in nanoseconds, rounded down.
  var wholeNanoseconds: Int64 {
    components.seconds * 1_000_000_000 + components.attoseconds / 1_000_000_000
  }
}
