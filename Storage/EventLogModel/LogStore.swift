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

  public init(
    log: LogID, epoch: Epoch, created: Timestamp, low: Revision, last: Revision, lastTime: Timestamp,
    rawBytes: Int, storedBytes: Int
  ) {
    self.log = log
    self.epoch = epoch
    self.created = created
    self.low = low
    self.last = last
    self.lastTime = lastTime
    self.rawBytes = rawBytes
    self.storedBytes = storedBytes
  }
}

/// Part of a log as it is stored: a run, plain or as one LZ4 block. Handed out without unpacking it.
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
  /// 16 bytes that stand for the content, chosen by whoever makes snapshots.
  public let key: [UInt8]
  public let bytes: [UInt8]

  public init(key: [UInt8], bytes: [UInt8]) {
    self.key = key
    self.bytes = bytes
  }
}

/// State at a revision, to start a fold nearer. Disposable: the log alone is enough.
public struct Snapshot: Sendable, Hashable {
  /// The last event folded in.
  public var revision: Revision
  public var time: Timestamp
  /// 32 bytes; the same for the same state, whoever folded it.
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

/// Hears of group commits. One listener usually serves many logs (say, all rooms of one event loop) and is
/// called once a commit, on the thread that committed: it must hand over and return.
public protocol CommitListener: AnyObject, Sendable {
  /// These runs are on disk. For each log, runs arrive in order and without gaps.
  func committed(_ runs: [CommittedRun])
  /// Nothing appended to these logs since the last `committed` is to be trusted; their appenders are dead.
  func failed(_ logs: [LogID], _ error: LogError)
}

/// One log, opened for appending by its one writer.
public protocol LogAppender: AnyObject, Sendable {
  var log: LogID { get }
  var epoch: Epoch { get }

  /// Adds a record to the present group and answers at once with the revision that it has *if* the group is
  /// committed; the listener learns that later. Copies `body`. Times below the last one are raised to it.
  /// Cheap: a lock and a copy, no allocation in the usual case.
  @discardableResult
  func append(
    kind: UInt8, actor: UInt64, time: Timestamp, body: UnsafeRawBufferPointer
  ) throws(LogError) -> Revision

  /// Runs `body` with the group held together: all records appended inside are committed by one commit.
  func together<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result

  /// Gives up the right to append. Records already appended are still committed and reported.
  func close()
}

/// Keeps logs. Memory, one folder (journal and SQLite) and later a cluster implement it, and one contract
/// suite holds for all of them.
public protocol LogStore: Sendable {
  /// Makes an empty log; durable when it returns.
  func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo
  /// The same with a given life, for restoring an import or a fork.
  func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo
  func info(of log: LogID) async throws(LogError) -> LogInfo
  /// Logs in order of their names, for paging.
  func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo]

  /// Takes the right to append. An earlier appender of the same log is fenced off at once.
  func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender

  /// Appends and returns the last revision, once durable. `expecting` and `epoch`, where given, must match.
  @discardableResult
  func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision

  /// Durable events after a revision, as stored, about `limit` bytes but at least one run if there is one.
  /// The first run may begin at or before `after`: cut it. Empty at the end of the log.
  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun]

  /// Unpacks what `read` handed out and checks it.
  func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run

  /// Where the durable events after a revision lie: what `read` hands out, in order, without gaps or overlaps,
  /// `limit` of them at most. The first may begin at or before `after`. Reads no records. Pieces near the end
  /// of the log may be put together later; what they hold stays the same.
  func spans(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredSpan]

  /// The last revision whose time is not after `time`; zero if none.
  func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision

  func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot?
  /// The snapshots that are kept, oldest first. Reads none of them.
  func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo]
  /// Stores a snapshot at a durable revision. Parts already stored under their key are not written again.
  func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError)

  /// Removes events below `revision`, as far as whole stored pieces allow; never above the latest snapshot
  /// at or below it. Returns the first revision kept.
  func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision
  /// Removes a log for good; durable when it returns.
  func delete(_ log: LogID) async throws(LogError)
  /// Writes over what `trim` and `delete` have removed, wherever it was kept; when it returns no file holds anything of
  /// it. Does nothing where nothing was removed since. May take seconds; other calls go on meanwhile.
  func clearRemains() async throws(LogError)

  /// Commits what is pending, stops threads, closes files.
  func shutdown() async
}

/// An import that was begun and has not got to its end.
public struct UnfinishedImport: Sendable, Hashable {
  /// As far as it is there.
  public var info: LogInfo
  /// The revision with which it is whole.
  public var last: Revision

  public init(info: LogInfo, last: Revision) {
    self.info = info
    self.last = last
  }
}

/// A store into which logs are imported: nobody sees one before all of it is there.
///
/// Until then `logs` leaves it out, everything else that names it throws `unfinished`, and it survives a
/// restart as what it is. `append` with the log's epoch goes on with it, and `put` keeps snapshots of it.
public protocol ImportStore: LogStore {
  /// Makes a log that is whole once it has reached `last`; durable when it returns. Without `epoch` a life of
  /// its own. Its first revision is `first`: what was before that in the log that it comes from was removed by a trim.
  /// With `last` before `first` it is whole at once.
  func beginImport(
    _ log: LogID, epoch: Epoch?, from first: Revision, through last: Revision, at time: Timestamp
  ) async throws(LogError) -> LogInfo
  /// Imports that are not finished, in order of their names.
  func imports() async throws(LogError) -> [UnfinishedImport]
  /// `read`, of a log that is being imported.
  func readImport(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun]
  /// Removes what is there of an unfinished import; its name is not used again. Throws `logExists` if the log
  /// is whole.
  func discardImport(_ log: LogID) async throws(LogError)
}

extension ImportStore {
  /// The same of a log that begins at its beginning.
  public func beginImport(
    _ log: LogID, epoch: Epoch?, through last: Revision, at time: Timestamp
  ) async throws(LogError) -> LogInfo {
    try await beginImport(log, epoch: epoch, from: 1, through: last, at: time)
  }
}

extension LogStore {
  /// For a store that leaves nothing behind.
  public func clearRemains() async throws(LogError) {}

  /// `read`, unpacked and cut to begin right after `after`.
  public func runs(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [Run] {
    var runs: [Run] = []
    for stored in try await read(log, after: after, limit: limit) {
      if let run = try unpack(stored, of: log).suffix(after: after) { runs.append(run) }
    }
    return runs
  }

  /// The same, behind gaps whose loss was accepted: where one begins after `at`, this moves to its end.
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
