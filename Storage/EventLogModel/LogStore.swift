/// What is known of a log without reading it.
public struct LogInfo: Sendable, Hashable {
  public var log: LogID
  public var epoch: Epoch
  public var created: Timestamp
  /// The first revision kept; 1 unless retention has moved it.
  public var low: Revision
  /// The last durable revision; zero for an empty log.
  public var last: Revision
  /// The time of the last durable event; the time of creation for an empty log.
  public var lastTime: Timestamp
  /// Bytes of all records, and bytes that they take as stored, as far as they are sealed.
  public var rawBytes: Int
  public var storedBytes: Int
  /// Whether `last` is the end of the log. False where another node owns it: that may have later events,
  /// which are not sealed yet.
  public var isComplete: Bool

  public init(
    log: LogID, epoch: Epoch, created: Timestamp, low: Revision, last: Revision, lastTime: Timestamp,
    rawBytes: Int, storedBytes: Int, isComplete: Bool = true
  ) {
    self.log = log
    self.epoch = epoch
    self.created = created
    self.low = low
    self.last = last
    self.lastTime = lastTime
    self.rawBytes = rawBytes
    self.storedBytes = storedBytes
    self.isComplete = isComplete
  }
}

/// Part of a log as it is stored: a run, plain or as one LZ4 block. The store returns it without unpacking
/// it.
public struct StoredRun: Sendable, Hashable {
  public enum Coding: UInt8, Sendable, Hashable { case plain = 0, lz4 = 1 }

  public let first: Revision
  public let count: Int
  public let base: Timestamp
  public let last: Timestamp
  public let coding: Coding
  /// The records, or their LZ4 block.
  public let bytes: [UInt8]
  /// The length of the records when unpacked.
  public let rawLength: Int

  public init(
    first: Revision, count: Int, base: Timestamp, last: Timestamp, coding: Coding, bytes: [UInt8],
    rawLength: Int
  ) {
    self.first = first
    self.count = count
    self.base = base
    self.last = last
    self.coding = coding
    self.bytes = bytes
    self.rawLength = rawLength
  }

  public init(_ run: Run) {
    self.init(
      first: run.first, count: run.count, base: run.base, last: run.last, coding: .plain, bytes: run.records,
      rawLength: run.records.count)
  }

  public var lastRevision: Revision { first + (count - 1) }
}

/// Where one stored run of a log lies, as an index knows it without reading the run.
public struct StoredSpan: Sendable, Hashable {
  public let first: Revision
  public let last: Revision
  /// Not after the time of the first record; not before that of the record before it.
  public let begin: Timestamp
  /// The time of the last record.
  public let end: Timestamp
  /// Bytes of the records as they are stored, packed or not.
  public let bytes: Int

  public init(first: Revision, last: Revision, begin: Timestamp, end: Timestamp, bytes: Int) {
    self.first = first
    self.last = last
    self.begin = begin
    self.end = end
    self.bytes = bytes
  }

  public init(_ run: Run) {
    self.init(
      first: run.first, last: run.lastRevision, begin: run.base, end: run.last, bytes: run.records.count)
  }
}

/// What is known of a snapshot without reading it.
public struct SnapshotInfo: Sendable, Hashable {
  public let revision: Revision
  public let time: Timestamp
  /// Bytes of root and parts as they are stored, packed or not.
  public let bytes: Int

  public init(revision: Revision, time: Timestamp, bytes: Int) {
    self.revision = revision
    self.time = time
    self.bytes = bytes
  }
}

/// One content-addressed piece of a snapshot. Equal pieces of several snapshots are stored once.
public struct SnapshotPart: Sendable, Hashable {
  /// 16 bytes that identify the content. The caller that makes snapshots chooses them.
  public let key: [UInt8]
  public let bytes: [UInt8]

  public init(key: [UInt8], bytes: [UInt8]) {
    self.key = key
    self.bytes = bytes
  }
}

/// The state at a revision, so that a fold can begin there. It can be removed at any time: the log alone is
/// enough.
public struct Snapshot: Sendable, Hashable {
  /// The last event folded in.
  public var revision: Revision
  public var time: Timestamp
  /// 32 bytes: equal for equal states, also if different programs folded them.
  public var stateHash: [UInt8]
  public var root: [UInt8]
  public var parts: [SnapshotPart]

  public init(
    revision: Revision, time: Timestamp, stateHash: [UInt8], root: [UInt8], parts: [SnapshotPart]
  ) {
    self.revision = revision
    self.time = time
    self.stateHash = stateHash
    self.root = root
    self.parts = parts
  }
}

/// What one group commit made durable in one log.
public struct CommittedRun: Sendable {
  public let log: LogID
  public let run: Run
  public init(log: LogID, run: Run) {
    self.log = log
    self.run = run
  }
}

/// Is told of group commits. One listener usually serves many logs, for instance all rooms of one event loop.
/// It is called once for each commit, on the commit thread: it must pass the runs on to its own thread and
/// return.
public protocol CommitListener: AnyObject, Sendable {
  /// These runs are on disk. For each log, runs arrive in order and without gaps.
  func committed(_ runs: [CommittedRun])
  /// What was appended to these logs since the last `committed` may be lost, and their appenders take nothing
  /// more.
  func failed(_ logs: [LogID], _ error: LogError)
}

/// One log, opened for appending by its one writer.
public protocol LogAppender: AnyObject, Sendable {
  var log: LogID { get }
  var epoch: Epoch { get }

  /// Adds a record to the present group and returns at once the revision that it will have *if* the group is
  /// committed; the listener is told of the commit. Copies `body`. A time below the last record's is raised
  /// to it. Costs a lock and a copy, and mostly no allocation. May be called from any thread.
  @discardableResult
  func append(
    kind: UInt8, actor: UInt64, time: Timestamp, body: UnsafeRawBufferPointer
  ) throws(LogError) -> Revision

  /// Runs `body` while no group is closed: all records that are appended inside are part of one commit.
  func together<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result

  /// Gives up the right to append. Records already appended are still committed and reported.
  func close()
}

/// Keeps logs. `MemoryLogStore` (memory) and `EmbeddedLogStore` (one folder with journal and SQLite)
/// implement it, and one suite of contract tests holds for all stores. All methods may be called from any
/// thread.
///
/// Where several nodes share one database, each log has one owner. What writes throws `elsewhere` at another
/// node, and `changingOwner` while there is none; what reads gives the events that are sealed, without the
/// newest ones.
public protocol LogStore: Sendable {
  /// Makes an empty log. It is durable when the call returns.
  func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo
  /// Makes an empty log with a given epoch: for an import, a restore or a fork.
  func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo
  func info(of log: LogID) async throws(LogError) -> LogInfo
  /// Up to `limit` logs after the one named `after`, in order of their names.
  func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo]

  /// Takes the right to append. An earlier appender of the same log is fenced off at once.
  func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender

  /// Says that the calling thread is about to append to several logs, in a turn of its loop, and will call `endTurn` soon:
  /// all of it may be one commit. False if the store commits as always; then `endTurn` is not to be called.
  func beginTurn() -> Bool
  /// All was appended. On a fast disk the store commits it before this returns, on the calling thread, which is then also the
  /// one that tells the listeners. Not to be called within `LogAppender.together`.
  func endTurn()

  /// Appends and returns the last revision, once durable. `expecting` and `epoch`, where given, must match.
  @discardableResult
  func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision

  /// Durable events after a revision, as they are stored: about `limit` bytes, but at least one run if there
  /// is one. The first run may begin at or before `after`; the caller cuts it. Empty at the end of the log.
  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun]

  /// Unpacks and checks a run that `read` returned.
  func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run

  /// Where the durable events after a revision are stored: the pieces that `read` returns, in order, without
  /// gaps or overlaps, at most `limit` of them. The first may begin at or before `after`. Reads no records.
  /// Pieces near the end of the log may be joined later; their events stay the same.
  func spans(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredSpan]

  /// The last revision whose time is not after `time`; zero if none.
  func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision

  func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot?
  /// The snapshots that are kept, the oldest first, without their content.
  func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo]
  /// Stores a snapshot at a durable revision. Parts already stored under their key are not written again.
  func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError)

  /// Removes events below `revision`, as far as whole stored pieces allow; never above the latest snapshot
  /// at or below it. Returns the first revision kept.
  func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision
  /// Removes a log for good; durable when it returns.
  func delete(_ log: LogID) async throws(LogError)
  /// Overwrites in all files what `trim` and `delete` have removed. When it returns, no file holds a byte of
  /// it. Does nothing if nothing was removed since the last call. May take seconds; other calls are served
  /// during that time.
  func clearRemains() async throws(LogError)

  /// Commits what is pending, stops threads, closes files.
  func shutdown() async
}

extension LogStore {
  public func beginTurn() -> Bool { false }
  public func endTurn() {}
}

/// An import that was begun and is not finished.
public struct UnfinishedImport: Sendable, Hashable {
  /// What is there so far.
  public var info: LogInfo
  /// The revision with which the import is complete.
  public var last: Revision

  public init(info: LogInfo, last: Revision) {
    self.info = info
    self.last = last
  }
}

/// A store into which logs can be imported. A log that is being imported cannot be seen before all of it is
/// there.
///
/// Until then `logs` leaves it out, every other call that names it throws `unfinished`, and after a restart
/// it is still an unfinished import. `append` with the log's epoch continues it, and `put` stores snapshots
/// of it.
public protocol ImportStore: LogStore {
  /// Makes a log that is complete once it has reached `last`. It is durable when the call returns. Without
  /// `epoch` the log gets an epoch of its own. Its first revision is `first`: in the log that it is copied
  /// from, a trim removed the events before. If `last` is before `first`, the log is complete at once.
  func beginImport(
    _ log: LogID, epoch: Epoch?, from first: Revision, through last: Revision, at time: Timestamp
  ) async throws(LogError) -> LogInfo
  /// Imports that are not finished, in order of their names.
  func imports() async throws(LogError) -> [UnfinishedImport]
  /// The same as `read`, of a log that is being imported.
  func readImport(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun]
  /// Removes an unfinished import; its name is not used again. Throws `logExists` if the log is complete.
  func discardImport(_ log: LogID) async throws(LogError)
}

extension ImportStore {
  /// Begins an import of a log from revision 1 on.
  public func beginImport(
    _ log: LogID, epoch: Epoch?, through last: Revision, at time: Timestamp
  ) async throws(LogError) -> LogInfo {
    try await beginImport(log, epoch: epoch, from: 1, through: last, at: time)
  }
}

extension LogStore {
  /// Does nothing: for a store whose removals leave no bytes.
  public func clearRemains() async throws(LogError) {}

  /// The same as `read`, unpacked, and cut so that the first run begins right after `after`.
  public func runs(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [Run] {
    var runs: [Run] = []
    for stored in try await read(log, after: after, limit: limit) {
      if let run = try unpack(stored, of: log).suffix(after: after) { runs.append(run) }
    }
    return runs
  }

  /// The same as `runs(of:after:limit:)`, past gaps whose loss was accepted: if a gap begins after `at`, `at`
  /// moves to its end.
  public func runs(of log: LogID, passing at: inout Revision, limit: Int) async throws(LogError) -> [Run] {
    while true {
      do throws(LogError) {
        return try await runs(of: log, after: at, limit: limit)
      } catch {
        guard case .damaged(let damage) = error, damage.isAcceptedLoss, let gap = Gap(error, after: at) else {
          throw error
        }
        at = gap.last
      }
    }
  }
}
