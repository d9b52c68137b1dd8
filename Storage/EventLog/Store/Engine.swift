import EventLogFormat
import EventLogModel
import Synchronization

/// One store that is open for writing: one lock over all state, the commit thread and the sealer thread.
/// Engine+Append.swift has appending, Commit/Committer.swift committing, Engine+Stop.swift the end.
final class Engine: @unchecked Sendable {
  let state = Mutex(EngineState())
  let options: EngineOptions
  /// What errors name as the store's place: the folder, or the database's address without a password.
  let place: String

  /// The largest payload of one frame, and the size from which on appenders outside `together` wait.
  let hardLimit: Int
  let softLimit: Int
  /// The largest record.
  let recordLimit: Int

  // Raised, in this order of meaning: there is work; the group was taken; space was made; sealing is due.
  let commitSignal = Signal()
  let takenSignal = Signal()
  let roomSignal = Signal()
  let sealSignal = Signal()

  /// `nil` when the store is open for reading only.
  let segments: (any JournalSegments)?

  init(place: String, options: EngineOptions, segments: (any JournalSegments)?) {
    self.place = place
    self.options = options
    self.segments = segments
    hardLimit = options.frameBytes
    softLimit = hardLimit / 2
    recordLimit = min(EmbeddedLogStore.Options.maximumRecordBytes, softLimit / 2)
  }

  static let isShutDown = LogError.stopped(reason: "the store is shut down")

  /// Calls back when everything appended so far is committed, from the commit thread.
  func whenCommitted(_ waiter: @escaping EngineState.Waiter) {
    let outcome = state.withLock { state -> (LogError?, wake: Bool) in
      if let stopped = state.stopped { return (stopped, false) }
      if state.isCommitterDone { return (Self.isShutDown, false) }
      state.waiters.append(waiter)
      return (nil, state.wakeCommitter())
    }
    if let error = outcome.0 { return waiter(error) }
    if outcome.wake { commitSignal.raise() }
  }

  /// Seals everything that is durable now and calls back when it is in the database.
  func whenSealed(_ waiter: @escaping EngineState.Waiter) {
    let stopped = state.withLock { state -> LogError? in
      if let stopped = state.stopped { return stopped }
      if state.isSealerDone { return Self.isShutDown }
      state.sealWaiters.append(waiter)
      return nil
    }
    if let stopped { return waiter(stopped) }
    sealSignal.raise()
  }

  /// Begins the next segment of the journal, and calls back from the commit thread when that is done.
  func whenOnNextSegment(_ waiter: @escaping EngineState.Waiter) {
    let stopped = state.withLock { state -> LogError? in
      if let stopped = state.stopped { return stopped }
      if state.isCommitterDone || state.isStopping { return Self.isShutDown }
      state.segmentWaiters.append(waiter)
      state.isCommitterAsleep = false
      return nil
    }
    if let stopped { return waiter(stopped) }
    commitSignal.raise()
  }

  /// Gives a portion of clearing to the sealer's thread.
  func clear(_ work: EngineState.Clearing.Work) {
    let stopped = state.withLock { state -> LogError? in
      if let stopped = state.stopped { return stopped }
      if state.isSealerDone { return Self.isShutDown }
      state.clearing.works.append(work)
      return nil
    }
    if let stopped { return work.done(stopped) }
    sealSignal.raise()
  }

  func statistics() -> StoreStatistics {
    state.withLock { state in
      var statistics = state.statistics
      statistics.segmentsInUse = Int(state.segment - min(state.oldestSegment, state.segment)) + 1
      statistics.spareSegments = segments?.spares ?? 0
      statistics.logs = 0
      for log in state.logs.values where log.isThere && !log.isDeleted {
        statistics.logs += 1
        statistics.openLogs += log.isOpen ? 1 : 0
        statistics.unsealedEvents += log.tail.unsealedEvents
        statistics.unsealedBytes += log.tail.unsealedBytes
        statistics.tailBytes += log.tail.byteCount
      }
      statistics.refusal = state.stopped ?? state.refusal
      statistics.commitUnderWay = state.commitUnderWay
      return statistics
    }
  }
}

extension EngineState {
  /// The age of the group commit that is under way; zero if there is none.
  var commitUnderWay: Duration {
    committingSince.map { .nanoseconds(Int64(MonotonicClock.now &- $0)) } ?? .zero
  }

  /// Takes the logs that recovery found.
  mutating func adopt(_ found: [UInt64: RecoveredLog], segment: UInt64, oldest: JournalPlace) {
    let now = MonotonicClock.now
    self.segment = segment
    oldestSegment = oldest.segment
    for found in found.values.sorted(by: { $0.number < $1.number }) {
      let log = LogState(found, at: oldest)
      // Counts as idle from now on, so that a start does not seal everything at once.
      log.touched = now
      logs[found.log] = log
      nextNumber = max(nextNumber, found.number + 1)
      if !log.tail.isSealed { unsealed[log.number] = log }
      catalog += found.unsealedChanges.map { CatalogChange(change: $0, place: oldest) }
      if log.tail.isRipe { queueForSealing(log) }
    }
  }

  mutating func queueForSealing(_ log: LogState) {
    guard !log.isQueuedForSealing else { return }
    log.isQueuedForSealing = true
    ripe.append(log)
  }

  /// Whether the commit thread sleeps and must be woken for what was just added.
  mutating func wakeCommitter() -> Bool {
    guard isCommitterAsleep else { return false }
    isCommitterAsleep = false
    return true
  }

  mutating func wakeSealer() -> Bool {
    guard isSealerAsleep else { return false }
    isSealerAsleep = false
    return true
  }
}

extension RecoveredLog {
  /// Changes of the catalog that the sealer must write, in order.
  var unsealedChanges: [SealedChange] {
    var changes: [SealedChange] = []
    if unsealedCreation { changes.append(.created(number: number, log: log, epoch: epoch, at: created)) }
    if let unfinished, !isImportSealed { changes.append(.importing(number: number, through: unfinished)) }
    if let unsealedLow { changes.append(.low(number: number, unsealedLow)) }
    if let unsealedDeletion { changes.append(.deleted(number: number, at: unsealedDeletion)) }
    return changes
  }
}
