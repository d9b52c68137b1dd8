/// A log store that stands before another one and does some calls in another way. What it does not do itself goes to
/// `base` as it is.
package protocol ForwardingLogStore: LogStore {
  var base: any LogStore { get }
}

extension ForwardingLogStore {
  package func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await base.create(log, at: time)
  }
  package func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await base.create(log, epoch: epoch, at: time)
  }
  package func info(of log: LogID) async throws(LogError) -> LogInfo { try await base.info(of: log) }
  package func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    try await base.logs(after: after, limit: limit)
  }
  package func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    try await base.open(log, listener: listener)
  }
  package func beginTurn() -> Bool { base.beginTurn() }
  package func endTurn() { base.endTurn() }
  package func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision {
    try await base.append(records, to: log, expecting: expecting, epoch: epoch)
  }
  package func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    try await base.read(log, after: after, limit: limit)
  }
  package func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run {
    try base.unpack(stored, of: log)
  }
  package func spans(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredSpan] {
    try await base.spans(of: log, after: after, limit: limit)
  }
  package func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision {
    try await base.revision(in: log, at: time)
  }
  package func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    try await base.latestSnapshot(of: log, notAfter: notAfter)
  }
  package func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo] {
    try await base.snapshots(of: log)
  }
  package func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError) {
    try await base.put(snapshot, for: log)
  }
  package func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision {
    try await base.trim(log, below: revision)
  }
  package func delete(_ log: LogID) async throws(LogError) { try await base.delete(log) }
  package func clearRemains() async throws(LogError) { try await base.clearRemains() }
  package func shutdown() async { await base.shutdown() }
}
