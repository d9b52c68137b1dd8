import EventLogFormat
import EventLogModel

/// Everything that the engine's one lock guards.
struct EngineState: ~Copyable {
  /// Waits for the commit of what was appended before it.
  typealias Waiter = @Sendable (LogError?) -> Void

  /// A change of the catalog that the journal holds and the database does not yet.
  struct CatalogChange {
    var change: SealedChange
    var place: JournalPlace
  }

  /// The facts of one group commit.
  struct Group {
    struct GroupPart {
      var log: LogState
      var run: Run
      var listener: (any CommitListener)?
    }
    var parts: [GroupPart] = []
    var created: [LogState] = []
    var low: [(log: LogState, low: Revision)] = []
    var deleted: [(log: LogState, time: Timestamp)] = []
    var waiters: [Waiter] = []
    var events = 0
    /// Work of the commit thread besides groups: an empty frame, or the next segment.
    enum Instead { case confirming, nextSegment }
    var instead: Instead?

    init() {}
    init(instead: Instead, waiters: [Waiter] = []) {
      self.instead = instead
      self.waiters = waiters
    }

    var hasEntries: Bool { !parts.isEmpty || !created.isEmpty || !low.isEmpty || !deleted.isEmpty }
  }

  // The catalog.
  var logs: [LogID: LogState] = [:]
  var nextNumber: UInt64 = 1
  /// All logs by name, made when needed and dropped when one is made or goes.
  var sortedLogs: [LogState]?

  // The present group.
  var dirty: [LogState] = []
  var created: [LogState] = []
  var low: [(log: LogState, low: Revision)] = []
  var deleted: [(log: LogState, time: Timestamp)] = []
  var waiters: [Waiter] = []
  var pendingBytes = 0
  var pendingEvents = 0

  // Threads.
  /// When the group was taken that is being committed; `nil` between two.
  var committingSince: UInt64?
  /// Threads inside `together`, and how deep.
  var holders: [(thread: UInt, depth: Int)] = []
  var isSwapWanted = false
  var isCommitterAsleep = false
  var turn = Turn.none
  /// How long a commit usually takes on this disk, in nanoseconds. Nil before the first.
  var usualCommit: UInt64?
  /// Threads that wait for the group to be taken.
  var blocked = 0
  var isSealerAsleep = false

  // The end.
  /// No more events will ever be taken.
  var stopped: LogError? { didSet { checkTaking() } }
  /// No more events for now.
  var refusal: LogError? { didSet { checkTaking() } }
  var isStopping = false { didSet { checkTaking() } }
  /// Whether events are taken: none of the fields above forbids it. A field of its own, because every append
  /// reads it.
  private(set) var takesEvents = true

  private mutating func checkTaking() { takesEvents = stopped == nil && refusal == nil && !isStopping }
  /// The threads have ended, so that nothing may wait for them any more.
  var isCommitterDone = false
  var isSealerDone = false
  /// Stop at once, as a killed process would.
  var isAbandoned = false
  /// For tests: the store does nothing more that a killed process would not do.
  var isKilled = false

  // Sealing.
  var catalog: [CatalogChange] = []
  var ripe: [LogState] = []
  /// Logs whose tail holds something not sealed.
  var unsealed: [UInt64: LogState] = [:]
  var snapshots: [SnapshotJob] = []
  /// Callers that want everything to be sealed; called when it is.
  var sealWaiters: [Waiter] = []
  /// Callers that want the journal to begin the next segment; called when it has.
  var segmentWaiters: [Waiter] = []
  var clearing = Clearing()
  var erasures: [ErasureJob] = []
  /// The segment of the last frame reported, and the first one still needed.
  var segment: UInt64 = 0
  var oldestSegment: UInt64 = 0
  var segmentFill = 0.0
  /// The last frame that is durable.
  var frame: UInt64 = 0
  /// The sealer failed for lack of space.
  var isSealerFull = false

  var statistics = StoreStatistics()

  /// What was removed, and is to leave the journal's files too (LOG-27).
  struct Clearing {
    /// Events were removed since the files were last cleared.
    var isDue = false
    /// How often something was removed since the start.
    var removals = 0
    /// How many calls of `clearRemains` are under way. While there are any, journal files that are not needed
    /// any more are deleted instead of used again.
    var underWay = 0
    var works: [Work] = []

    enum Work {
      /// Step: no spare file holds removed events.
      case dropSpares(Waiter)
      /// Step: everything that was sealed so far is in the database's own file.
      case settle(Waiter)
      /// Step: no segment below this one is left, and the database holds nothing of the removals up to this
      /// one.
      case clear(below: UInt64, removal: Int, Waiter)

      var done: Waiter {
        switch self {
        case .dropSpares(let done), .settle(let done), .clear(_, _, let done): done
        }
      }
    }
  }

  struct ErasureJob {
    var erasure: SealedErasure
    /// The place up to which the work is to be done; `nil` before the first portion.
    var next: Revision?
    var done: Waiter
  }

  struct SnapshotJob {
    var snapshot: Snapshot
    var log: LogState
    var done: Waiter
  }

  var hasWork: Bool {
    !dirty.isEmpty || !waiters.isEmpty || !created.isEmpty || !low.isEmpty || !deleted.isEmpty
  }

  /// The present group; the next one is empty.
  mutating func takeGroup() -> Group {
    var group = Group()
    group.parts.reserveCapacity(dirty.count)
    for log in dirty {
      log.isDirty = false
      guard let run = log.pending.takeRun() else { continue }
      log.isInFlight = true
      log.pendingRoom = max(256, min(run.records.count * 3 / 2, 64 << 10))
      log.pending.reserveCapacity(log.pendingRoom)
      group.parts.append(.init(log: log, run: run, listener: log.listener))
    }
    group.events = pendingEvents
    dirty.removeAll(keepingCapacity: true)
    swap(&group.created, &created)
    swap(&group.low, &low)
    swap(&group.deleted, &deleted)
    swap(&group.waiters, &waiters)
    pendingBytes = 0
    pendingEvents = 0
    isSwapWanted = false
    return group
  }

  /// The first place of the journal that still holds something not sealed, leaving out what `leaving` takes away; the
  /// place after the last frame if everything is.
  func oldestNeeded(
    catalogFrom index: Int = 0, leaving: (LogState) -> Revision? = { _ in nil }
  ) -> JournalPlace {
    var oldest = JournalPlace(segment: segment, frame: frame + 1)
    if index < catalog.count { oldest = min(oldest, catalog[index].place) }
    for log in unsealed.values {
      guard let next = leaving(log) else {
        oldest = min(oldest, log.tail.oldest ?? oldest)
        continue
      }
      oldest = min(oldest, log.tail.oldest(from: next) ?? oldest)
    }
    return oldest
  }

  /// Why `writer` may not append to `log`; nil if it may.
  func obstacle(_ log: LogState, writer: UInt64) -> LogError? {
    if let stopped { return stopped }
    if isStopping { return .stopped(reason: "the store is shutting down") }
    if log.isLeaving { return .deleted(log.log) }
    if log.isReleased { return .changingOwner(log.log) }
    if writer != 0, log.writer != writer { return .fenced(log.log) }
    return refusal
  }
}
