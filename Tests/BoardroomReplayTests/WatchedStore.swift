import EventLogModel
import Synchronization

/// A store that tells where reading began, and in which some revisions can be damaged.
final class WatchedStore: LogStore {
  private struct Notes {
    var firstRead: Revision?
    var damaged: ClosedRange<UInt64>?
    var what = "a block fails its checksum"
  }

  private let base: any LogStore
  private let notes = Mutex(Notes())

  init(_ base: any LogStore) { self.base = base }

  /// Where the first read began.
  var firstRead: Revision? { notes.withLock { $0.firstRead } }

  func damage(_ revisions: ClosedRange<UInt64>) { notes.withLock { $0.damaged = revisions } }

  /// The same, of which a start has accepted the loss.
  func lose(_ revisions: ClosedRange<UInt64>) {
    notes.withLock { ($0.damaged, $0.what) = (revisions, Damage.missingEvents) }
  }

  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    let damaged = notes.withLock { notes in
      notes.firstRead = notes.firstRead ?? after
      return notes.damaged
    }
    let runs = try await base.read(log, after: after, limit: limit)
    guard let damaged else { return runs }
    return try sound(runs, log, after: after, damaged)
  }

  /// Cuts before the damage; throws where it begins.
  private func sound(
    _ runs: [StoredRun], _ log: LogID, after: Revision, _ damaged: ClosedRange<UInt64>
  ) throws(LogError) -> [StoredRun] {
    if damaged.contains(after.next.rawValue) {
      let what = notes.withLock { $0.what }
      throw .damaged(Damage(what: what, place: "test", log: log, lost: damaged))
    }
    guard after.rawValue < damaged.lowerBound else { return runs }
    var kept: [StoredRun] = []
    for stored in runs {
      let run = try base.unpack(stored, of: log)
      if let part = run.prefix(through: Revision(damaged.lowerBound - 1)) { kept.append(StoredRun(part)) }
    }
    return kept
  }

  func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await base.create(log, at: time)
  }
  func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await base.create(log, epoch: epoch, at: time)
  }
  func info(of log: LogID) async throws(LogError) -> LogInfo { try await base.info(of: log) }
  func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    try await base.logs(after: after, limit: limit)
  }
  func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    try await base.open(log, listener: listener)
  }
  func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision {
    try await base.append(records, to: log, expecting: expecting, epoch: epoch)
  }
  func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run { try base.unpack(stored, of: log) }
  func spans(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredSpan] {
    try await base.spans(of: log, after: after, limit: limit)
  }
  func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo] {
    try await base.snapshots(of: log)
  }
  func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision {
    try await base.revision(in: log, at: time)
  }
  func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    try await base.latestSnapshot(of: log, notAfter: notAfter)
  }
  func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError) {
    try await base.put(snapshot, for: log)
  }
  func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision {
    try await base.trim(log, below: revision)
  }
  func delete(_ log: LogID) async throws(LogError) { try await base.delete(log) }
  func shutdown() async { await base.shutdown() }
}
