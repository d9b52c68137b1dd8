import EventLogModel

/// What the store knows of one log. Every field is guarded by the engine's lock.
///
/// Because of that lock the fields that every append touches do without Swift's check of exclusive access,
/// which costs as much as the append.
final class LogState: @unchecked Sendable {
  let number: UInt64
  let log: LogID
  /// An erasure changes it.
  var epoch: Epoch
  let created: Timestamp

  /// The creation is durable. Before that, other callers cannot see the log.
  var isThere = false
  /// A deletion is under way; nothing is appended any more.
  @exclusivity(unchecked) var isLeaving = false
  var isDeleted = false
  /// The log is being given up to another node: nothing of it is written any more.
  var isReleased = false
  /// The last revision that an import of the log will have; `nil` once the import has reached it. Until then
  /// the log cannot be read.
  var importLast: Revision?

  var low: Revision = 1
  /// The last durable revision and its time.
  var durable: Revision = .zero
  var durableTime: Timestamp
  /// The first revision not sealed.
  var sealedNext: Revision = 1
  /// The time of the last record appended, durable or not.
  @exclusivity(unchecked) var lastTime: Timestamp

  /// Records of the present group.
  @exclusivity(unchecked) var pending: RunBuilder
  @exclusivity(unchecked) var isDirty = false
  /// Records taken by the commit thread and not yet reported.
  var isInFlight = false
  /// Bytes to reserve for the next group, so that appending seldom allocates.
  var pendingRoom = 256

  /// Which opener may append; 0 before the first.
  @exclusivity(unchecked) var writer: UInt64 = 0
  var isOpen = false
  var listener: (any CommitListener)?

  var tail = LogTail()
  var isQueuedForSealing = false
  /// Whether the next sealing takes everything, not only whole chunks.
  var wantsSealing = false
  /// When the last commit was, on the monotonic clock.
  var touched: UInt64 = 0

  init(number: UInt64, log: LogID, epoch: Epoch, created: Timestamp, from first: Revision = 1) {
    self.number = number
    self.log = log
    self.epoch = epoch
    self.created = created
    durableTime = created
    lastTime = .zero
    pending = RunBuilder(first: first)
    (low, durable, sealedNext) = (first, first.previous, first)
  }

  /// A log as recovery found it, its unsealed runs being at `place` or after it now.
  convenience init(_ found: RecoveredLog, at place: JournalPlace) {
    self.init(number: found.number, log: found.log, epoch: found.epoch, created: found.created)
    isThere = true
    isLeaving = found.isDeleted
    isDeleted = found.isDeleted
    low = found.low
    importLast = found.unfinished
    sealedNext = found.next
    durable = found.last
    durableTime = found.lastTime
    lastTime = found.last == .zero ? .zero : found.lastTime
    pending = RunBuilder(first: found.last.next)
    for run in found.runs { tail.append(run, at: place) }
  }

  /// The last revision appended, durable or not.
  var lastAppended: Revision { pending.next.previous }

  /// Why only the import may use the log; nil if everybody may.
  var unfinished: LogError? {
    importLast.map { .unfinished(log, last: durable, of: $0) }
  }

  func info(row: LogRow?) -> LogInfo {
    LogInfo(
      log: log, epoch: epoch, created: created, low: low, last: durable, lastTime: durableTime,
      rawBytes: row?.rawBytes ?? 0, storedBytes: row?.storedBytes ?? 0)
  }
}
