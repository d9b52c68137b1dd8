import EventLogModel

// Every call of a log store goes to the engine.

extension EmbeddedLogStore {
  public func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await base.create(log, at: time)
  }

  public func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await base.create(log, epoch: epoch, at: time)
  }

  public func info(of log: LogID) async throws(LogError) -> LogInfo { try await base.info(of: log) }

  public func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    try await base.logs(after: after, limit: limit)
  }

  public func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    try await base.open(log, listener: listener)
  }

  public func beginTurn() -> Bool { base.beginTurn() }
  public func endTurn() { base.endTurn() }

  @discardableResult
  public func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision {
    try await base.append(records, to: log, expecting: expecting, epoch: epoch)
  }

  public func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    try await base.read(log, after: after, limit: limit)
  }

  public func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run {
    try base.unpack(stored, of: log)
  }

  public func spans(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredSpan] {
    try await base.spans(of: log, after: after, limit: limit)
  }

  public func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision {
    try await base.revision(in: log, at: time)
  }

  public func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    try await base.latestSnapshot(of: log, notAfter: notAfter)
  }

  public func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo] {
    try await base.snapshots(of: log)
  }

  public func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError) {
    try await base.put(snapshot, for: log)
  }

  public func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision {
    try await base.trim(log, below: revision)
  }

  public func delete(_ log: LogID) async throws(LogError) { try await base.delete(log) }

  /// Journal files hold removed events until they are overwritten. So all files that may hold some are
  /// deleted: first the spare files, then, once the journal has begun a fresh segment, the older segments.
  public func clearRemains() async throws(LogError) { try await base.clearRemains() }
}

extension EmbeddedLogStore: ChainedStore {
  public func chain(of log: LogID) async throws(LogError) -> ChainEnds? { try await base.chain(of: log) }
}

extension EmbeddedLogStore: ImportStore {
  public func beginImport(
    _ log: LogID, epoch: Epoch?, from first: Revision, through last: Revision, at time: Timestamp
  ) async throws(LogError) -> LogInfo {
    try await base.beginImport(log, epoch: epoch, from: first, through: last, at: time)
  }

  public func imports() async throws(LogError) -> [UnfinishedImport] { try await base.imports() }

  public func readImport(
    _ log: LogID, after: Revision, limit: Int
  ) async throws(LogError) -> [StoredRun] {
    try await base.readImport(log, after: after, limit: limit)
  }

  public func discardImport(_ log: LogID) async throws(LogError) { try await base.discardImport(log) }
}

extension EmbeddedLogStore: ErasingStore {
  public func erase(
    in log: LogID, keepingSnapshotAt base: Revision?,
    replacing: @escaping @Sendable (Run) throws(LogError) -> Run?
  ) async throws(LogError) -> Epoch {
    try await self.base.erase(in: log, keepingSnapshotAt: base, replacing: replacing)
  }

  public func erasedBlocks(of log: LogID) async throws(LogError) -> [ErasedBlock] {
    try await base.erasedBlocks(of: log)
  }
}
