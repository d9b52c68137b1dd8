import EventLogModel
import Synchronization

/// Moves events from the journal into the sealed database, on a thread of its own. It is the only writer of
/// the database.
final class Sealer: @unchecked Sendable {
  /// One transaction seals about this many bytes of records, so that it ends soon and few events wait.
  static let transactionBytes = 1 << 20
  /// How often idle logs are looked for, and failed work is tried again, in nanoseconds.
  static let tick: UInt64 = 500_000_000
  /// Blocks of one portion of an erasure: 1 MiB of records.
  static let erasedBlocks = 16
  /// The same, while logs keep a segment in use that is needed again soon.
  static let pinnedTick: UInt64 = 50_000_000

  let engine: Engine
  private let segments: any JournalSegments
  private let open: @Sendable () throws(LogError) -> any SealedBackend
  /// Used by the sealer's thread only.
  private(set) var backend: any SealedBackend
  /// The database was closed after a failure, and is opened again before the next work.
  private(set) var isClosed = false
  private var failures = 0
  /// Segments that nothing needs once the database has settled.
  private var held: [UInt64]
  /// Somebody waits for blocks to be overwritten or for records to be replaced.
  private var hasMoreToDo = false
  /// When blocks are packed next, on the monotonic clock.
  var packNext: UInt64 = 0

  /// - Parameters:
  ///   - held: segments that nothing needs once the database has settled.
  ///   - open: opens the sealed half again after a failure.
  init(
    engine: Engine, segments: any JournalSegments, held: [UInt64], backend: any SealedBackend,
    open: @escaping @Sendable () throws(LogError) -> any SealedBackend
  ) {
    self.engine = engine
    self.segments = segments
    self.held = held
    self.backend = backend
    self.open = open
  }

  /// The changes of one transaction.
  private struct Job {
    var changes: [SealedChange] = []
    var catalogCount = 0
    var sealed: [(log: LogState, next: Revision)] = []
    var bytes = 0
    var oldest = JournalPlace(segment: 0, frame: 0)
    /// Callers to tell after this job, because it is the last one that they wait for.
    var waiters: [EngineState.Waiter] = []
    var snapshots: [EngineState.SnapshotJob] = []
  }

  private enum Step {
    case work(Job)
    case wait(ticket: UInt64, nanoseconds: UInt64)
    case exit
  }

  func loop() {
    var lastTick: UInt64 = 0
    while true {
      let now = MonotonicClock.now
      let isTick = now &- lastTick >= Self.tick
      if isTick { lastTick = now }
      let step = engine.state.withLock { state in
        next(&state, now: now, isTick: isTick)
      }
      switch step {
      case .exit:
        end()
        return
      case .wait(let ticket, let nanoseconds): engine.sealSignal.wait(after: ticket, nanoseconds: nanoseconds)
      case .work(let job): perform(job)
      }
      hasMoreToDo = false
      erase()
      clear()
      if isTick {
        checkPlace()
        makeSpares()
        tidy()
        pack(now)
        finishChanges()
      }
    }
  }

  private func checkPlace() {
    if let error = segments.misplaced() { engine.fail(error) }
  }

  private func next(_ state: inout EngineState, now: UInt64, isTick: Bool) -> Step {
    if state.isAbandoned || state.stopped != nil {
      state.isSealerDone = true
      return .exit
    }
    let isUrgent = !state.sealWaiters.isEmpty || !state.snapshots.isEmpty
    let pins = state.pinning(liveSegments: engine.options.liveSegments)
    var job = Job()
    var chosen: [(LogState, all: Bool)] = []
    if !state.sealWaiters.isEmpty {
      chosen = state.unsealed { _ in true }.map { ($0, true) }
    } else {
      for log in state.ripe { chosen.append((log, log.wantsSealing)) }
      chosen += pins.map { ($0, true) }
      let idle = UInt64(engine.options.sealIdle.wholeNanoseconds)
      if isTick {
        chosen += state.unsealed { now &- $0.touched >= idle }.map { ($0, true) }
      }
    }
    if !chosen.isEmpty || isUrgent || isTick || !pins.isEmpty {
      fill(&job, &state, chosen)
    }
    if !job.changes.isEmpty || isUrgent { return .work(job) }
    state.isSealerAsleep = true
    if hasMoreToDo { return .wait(ticket: engine.sealSignal.ticket, nanoseconds: 1) }
    return .wait(
      ticket: engine.sealSignal.ticket,
      nanoseconds: state.isShortOfSegments(engine.options.liveSegments) ? Self.pinnedTick : Self.tick)
  }

  private func fill(_ job: inout Job, _ state: inout EngineState, _ chosen: [(LogState, all: Bool)]) {
    job.changes = state.catalog.map(\.change)
    job.catalogCount = job.changes.count
    var next: [UInt64: Revision] = [:]
    var isComplete = true
    for (log, all) in chosen where next[log.number] == nil {
      guard job.bytes < Self.transactionBytes else {
        isComplete = false
        break
      }
      if log.isDeleted { continue }
      for piece in log.tail.piecesToSeal(all: all) {
        guard job.bytes < Self.transactionBytes else {
          isComplete = false
          break
        }
        // A deletion in `catalog` must come after the runs: those of deleted logs are not sealed at all.
        job.changes.append(.run(number: log.number, piece))
        job.bytes += piece.records.count
        next[log.number] = piece.lastRevision.next
      }
      if let sealed = next[log.number] { job.sealed.append((log, sealed)) }
    }
    if isComplete {
      for log in state.ripe { log.isQueuedForSealing = false }
      state.ripe.removeAll()
      swap(&job.waiters, &state.sealWaiters)
    }
    swap(&job.snapshots, &state.snapshots)
    job.oldest = state.oldestNeeded(catalogFrom: job.catalogCount) { next[$0.number] }
  }

  private func perform(_ job: Job) {
    do throws(LogError) {
      try reopen()
      try backend.apply(job.changes, oldest: job.oldest)
      failures = 0
      finish(job)
    } catch {
      putBack(job, error)
      return
    }
    for waiter in job.waiters { waiter(nil) }
    put(job.snapshots)
  }

  private func finish(_ job: Job) {
    let freed = engine.state.withLock { state -> Range<UInt64> in
      state.isSealerFull = false
      for (log, next) in job.sealed {
        log.sealedNext = max(log.sealedNext, next)
        log.tail.sealed(before: next, keeping: log.isOpen)
        if log.tail.isSealed {
          state.unsealed[log.number] = nil
          log.wantsSealing = false
        }
      }
      state.catalog.removeFirst(job.catalogCount)
      state.statistics.seals += 1
      state.statistics.sealedBytes += job.bytes
      let freed = state.oldestSegment..<max(state.oldestSegment, job.oldest.segment)
      state.oldestSegment = freed.upperBound
      return freed
    }
    held += freed
    finishChanges()
  }

  /// The transaction that freed these segments is durable, but so far only in the write-ahead log. Once it is
  /// in the database's own file the segments may be overwritten. While a reader prevents that, the journal
  /// grows.
  private func finishChanges() {
    guard !held.isEmpty, !isClosed else { return }
    do throws(LogError) {
      guard try backend.finishChanges() else { return }
      try note()
      for number in held {
        let isUnwanted = engine.state.withLock { $0.clearing.underWay > 0 }
        try segments.retire(number, reusing: !isUnwanted)
      }
    } catch {
      // If there is no space, or no file can be opened, a later tick does this.
      guard ErrorNumber.canPass(error) else { return engine.fail(error) }
      return
    }
    held = []
    engine.roomSignal.raise()
  }

  /// The database has been settled before.
  private func note() throws(LogError) {
    let (logs, oldest, frame) = engine.state.withLock { ($0.nextNumber - 1, $0.oldestSegment, $0.frame) }
    try segments.noteSettled(logs: logs, oldest: oldest, frame: frame)
    try backend.noteManifest()
  }

  /// The end of an orderly shutdown: everything is brought into the database's own file, and the manifest
  /// says up to which frame.
  private func end() {
    let isOrderly = engine.state.withLock { $0.isCommitterDone && !$0.isKilled && $0.stopped == nil }
    if isOrderly, !isClosed {
      do throws(LogError) {
        if try backend.finishChanges() { try note() }
      } catch {
        // A failure here loses nothing: the next start reads the journal.
      }
    }
    backend.close()
  }

  /// Nothing was sealed. After a lack of space or of open files it is tried again later; after any other
  /// error once, on a fresh connection.
  private func putBack(_ job: Job, _ error: LogError) {
    var job = job
    let passes = ErrorNumber.canPass(error)
    if passes {
      // A snapshot can be made again, so a caller that puts one must not wait until space is free.
      for snapshot in job.snapshots { snapshot.done(ErrorNumber.asFull(error, in: engine.place)) }
      job.snapshots = []
    }
    engine.state.withLock { state in
      for (log, _) in job.sealed { state.queueForSealing(log) }
      state.sealWaiters = job.waiters + state.sealWaiters
      state.snapshots = job.snapshots + state.snapshots
      state.isSealerFull = passes
      state.statistics.sealFailures += 1
      state.isSealerAsleep = true
    }
    if passes {
      engine.roomSignal.raise()
      return waitToTryAgain()
    }
    failures += 1
    switch error {
    case .stopped, .nodeFenced: return engine.fail(error)
    default: break
    }
    guard failures < 2 else { return engine.fail(error) }
    backend.close()
    isClosed = true
  }

  private func reopen() throws(LogError) {
    guard isClosed else { return }
    backend = try open()
    isClosed = false
  }

  private func waitToTryAgain() {
    let giveUp = engine.state.withLock { state -> [EngineState.Waiter] in
      // A shutdown must not wait for space for ever. The journal keeps what is not sealed.
      guard state.isStopping else { return [] }
      defer { state.sealWaiters = [] }
      return state.sealWaiters
    }
    for waiter in giveUp { waiter(.full(place: engine.place)) }
    let ticket = engine.sealSignal.ticket
    engine.sealSignal.wait(after: ticket, nanoseconds: Self.tick)
  }

  /// Removes one portion of the blocks of trimmed and deleted logs. The next ticks remove the rest.
  private func tidy() {
    guard !isClosed else { return }
    do throws(LogError) { _ = try backend.tidy() } catch {
      guard !ErrorNumber.canPass(error) else { return }
      engine.fail(error)
    }
  }

  /// A portion of the work of `clearRemains`. What a reader's view prevents now is tried again at the next
  /// tick.
  private func clear() {
    guard !isClosed, let work = engine.state.withLock({ $0.clearing.works.first }) else { return }
    do throws(LogError) {
      switch work {
      case .dropSpares: try segments.removeSpares()
      case .settle: guard try backend.finishChanges() else { return }
      case .clear(let segment, let removal, _):
        let hasMore = try backend.tidy()
        if hasMore { hasMoreToDo = true }
        guard !hasMore, held.isEmpty, engine.state.withLock({ $0.oldestSegment >= segment }),
          try backend.finishChanges()
        else { return }
        if engine.state.withLock({ $0.clearing.removals == removal }) { try backend.noteCleared() }
        engine.state.withLock { if $0.clearing.removals == removal { $0.clearing.isDue = false } }
      }
    } catch {
      guard !ErrorNumber.canPass(error) else { return }
      return engine.fail(error)
    }
    // If the store was stopped in the meantime, the waiting callers were told by that.
    let isWaitedFor = engine.state.withLock { state in
      guard !state.clearing.works.isEmpty else { return false }
      state.clearing.works.removeFirst()
      if !state.clearing.works.isEmpty { hasMoreToDo = true }
      return true
    }
    if isWaitedFor { work.done(nil) }
  }

  /// A portion of an erasure, about as much as one transaction, so that sealing goes on between two portions.
  private func erase() {
    guard !isClosed, let job = engine.state.withLock({ $0.erasures.first }) else { return }
    var failure: LogError?
    do throws(LogError) {
      guard let backend = backend as? any ErasingBackend else {
        throw .incompatible(
          path: engine.place, found: "a store whose blocks are not written again", supported: "a folder")
      }
      let next = try backend.erase(job.erasure, before: job.next, blocks: Self.erasedBlocks)
      guard next == nil else {
        hasMoreToDo = true
        return engine.state.withLock { if !$0.erasures.isEmpty { $0.erasures[0].next = next } }
      }
    } catch { failure = error }
    let isWaitedFor = engine.state.withLock { state in
      guard !state.erasures.isEmpty else { return false }
      state.erasures.removeFirst()
      return true
    }
    if isWaitedFor { job.done(failure) }
    if let failure, case .stopped = failure { engine.fail(failure) }
  }

  /// Keeps spares ready, so that the commit thread need not make them.
  private func makeSpares() {
    while segments.isShortOfSpares {
      // Free space is for the database first: sealing frees segments, while spares only take space.
      let isWelcome = engine.state.withLock {
        $0.stopped == nil && !$0.isStopping && !$0.isAbandoned && !$0.isSealerFull
      }
      guard isWelcome else { return }
      // Without space the commit thread meets the same error and says `full`; here it is tried again later.
      do throws(LogError) { try segments.makeSpare() } catch { return }
      engine.roomSignal.raise()
    }
  }
}

extension EngineState {
  /// Of records that are committed and not in the sealed half.
  var unsealedBytes: Int { unsealed.values.reduce(0) { $0 + $1.tail.unsealedBytes } }

  /// Sorted by number: blocks are then written in the order of the database's keys, and a simulated run from
  /// a seed is repeatable.
  fileprivate func unsealed(where isMeant: (LogState) -> Bool) -> [LogState] {
    unsealed.values.filter(isMeant).sorted { $0.number < $1.number }
  }

  /// Whether the next segment would be the last that the journal should have.
  func isShortOfSegments(_ liveSegments: Int) -> Bool {
    segment + 2 >= oldestSegment + UInt64(liveSegments)
  }

  /// Logs that keep the oldest segment from being used again, when that is wanted soon: few at a time while
  /// the newest segment is empty, all when it is full, so that many logs are not sealed in one burst.
  func pinning(liveSegments: Int) -> [LogState] {
    guard isShortOfSegments(liveSegments) else { return [] }
    let oldest = oldestNeeded().segment
    guard oldest < segment else { return [] }
    let pinning = unsealed { $0.tail.oldest?.segment == oldest }
    let isOverdue = segment + 1 >= oldest + UInt64(liveSegments)
    let share = isOverdue ? pinning.count : Int(Double(pinning.count) * segmentFill)
    return Array(pinning.prefix(max(8, share)))
  }
}
