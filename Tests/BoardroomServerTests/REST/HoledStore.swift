import EventLogModel
import Synchronization

/// A store in which one piece of a log cannot be read.
final class HoledStore: LogStore {
  private let base: any LogStore
  private let hole = Mutex<StoredSpan?>(nil)

  init(_ base: any LogStore) { self.base = base }

  func damage(_ span: StoredSpan) { hole.withLock { $0 = span } }

  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    let runs = try await base.read(log, after: after, limit: limit)
    guard let hole = hole.withLock({ $0 }) else { return runs }
    if (hole.first...hole.last).contains(after.next) {
      let lost = hole.first.rawValue...hole.last.rawValue
      throw .damaged(Damage(what: "a block fails its checksum", place: "test", log: log, lost: lost))
    }
    return Array(runs.prefix { $0.lastRevision < hole.first || $0.first > hole.last })
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
  func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision {
    try await base.revision(in: log, at: time)
  }
  func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    try await base.latestSnapshot(of: log, notAfter: notAfter)
  }
  func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo] {
    try await base.snapshots(of: log)
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
