import EventLog
import EventLogModel

// Every call of a log store goes to the engine. A node that shares its database first sees to it that the
// engine holds the log, or reads what is sealed of another's.

extension PostgresLogStore {
  public func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await create(log, epoch: .random(), at: time)
  }

  public func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo {
    guard let ownership else { return try await base.create(log, epoch: epoch, at: time) }
    try await ownership.create(log, epoch: epoch, at: time)
    return try await info(of: log)
  }

  /// Of another node's log it tells what is sealed; `isComplete` is false then.
  public func info(of log: LogID) async throws(LogError) -> LogInfo {
    try await reading(log) { () throws(LogError) in
      try await base.info(of: log)
    } sealed: {
      $1.info
    }
  }

  /// The logs of all nodes, the others' as far as they are sealed.
  public func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    if ownership != nil { return try await sharedLogs(after: after, limit: limit) }
    return try await base.logs(after: after, limit: limit)
  }

  /// Where several nodes share the database: claims the log if nobody owns it.
  public func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    try await owning(log) { () throws(LogError) in try await base.open(log, listener: listener) }
  }

  @discardableResult
  public func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision {
    try await owning(log) { () throws(LogError) in
      try await base.append(records, to: log, expecting: expecting, epoch: epoch)
    }
  }

  /// Of another node's log up to where it is sealed; `beyondEnd` behind that.
  public func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    try await reading(log) { () throws(LogError) in
      try await base.read(log, after: after, limit: limit)
    } sealed: { rows, found throws(LogError) in
      try rows.read(found, after: after, limit: limit)
    }
  }

  public func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run {
    try base.unpack(stored, of: log)
  }

  /// Of another node's log up to where it is sealed; `beyondEnd` behind that.
  public func spans(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredSpan] {
    try await reading(log) { () throws(LogError) in
      try await base.spans(of: log, after: after, limit: limit)
    } sealed: { rows, found throws(LogError) in
      try found.check(after: after)
      return try rows.spans(
        number: found.entry.row.number, log: log, after: after, limit: max(0, limit))
    }
  }

  /// Of another node's log among the events that are sealed.
  public func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision {
    try await reading(log) { () throws(LogError) in
      try await base.revision(in: log, at: time)
    } sealed: { rows, found throws(LogError) in
      let row = found.entry.row
      if time >= row.lastTime { return row.next.previous }
      return min(try rows.revision(number: row.number, at: time) ?? .zero, row.next.previous)
    }
  }

  public func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    try await reading(log) { () throws(LogError) in
      try await base.latestSnapshot(of: log, notAfter: notAfter)
    } sealed: { rows, found throws(LogError) in
      try rows.latestSnapshot(number: found.entry.row.number, log: log, notAfter: notAfter)
    }
  }

  public func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo] {
    try await reading(log) { () throws(LogError) in
      try await base.snapshots(of: log)
    } sealed: { rows, found throws(LogError) in
      try rows.snapshots(number: found.entry.row.number, log: log)
    }
  }

  public func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError) {
    try await owning(log) { () throws(LogError) in try await base.put(snapshot, for: log) }
  }

  public func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision {
    try await owning(log) { () throws(LogError) in try await base.trim(log, below: revision) }
  }

  /// Other nodes see that the log is deleted once that is sealed, half a second later.
  public func delete(_ log: LogID) async throws(LogError) {
    try await owning(log) { () throws(LogError) in try await base.delete(log) }
  }

  /// Removes what was trimmed and deleted from all tables, and empties the frame tables that may hold some of
  /// it. Dead rows, the write-ahead log and backups are the database's: they hold it until vacuum and
  /// rotation. Of the logs of other nodes these remove it.
  public func clearRemains() async throws(LogError) { try await base.clearRemains() }
}

extension PostgresLogStore: ChainedStore {
  public func chain(of log: LogID) async throws(LogError) -> ChainEnds? {
    try await reading(log) { () throws(LogError) in
      try await base.chain(of: log)
    } sealed: { rows, found throws(LogError) in
      try rows.chain(number: found.entry.row.number)
    }
  }
}

extension PostgresLogStore: ImportStore {
  public func beginImport(
    _ log: LogID, epoch: Epoch?, from first: Revision, through last: Revision, at time: Timestamp
  ) async throws(LogError) -> LogInfo {
    guard let ownership else {
      return try await base.beginImport(log, epoch: epoch, from: first, through: last, at: time)
    }
    try await ownership.create(
      log, epoch: epoch ?? .random(), at: time, from: first, importing: last >= first ? last : nil)
    return try await reading(
      log, { () throws(LogError) in try await base.importInfo(of: log) }, ofImports: true, sealed: { $1.info }
    )
  }

  public func imports() async throws(LogError) -> [UnfinishedImport] {
    try await ownership == nil ? base.imports() : sharedImports()
  }

  public func readImport(
    _ log: LogID, after: Revision, limit: Int
  ) async throws(LogError) -> [StoredRun] {
    try await reading(
      log, { () throws(LogError) in try await base.readImport(log, after: after, limit: limit) },
      ofImports: true,
      sealed: { rows, found throws(LogError) in try rows.read(found, after: after, limit: limit) })
  }

  public func discardImport(_ log: LogID) async throws(LogError) {
    try await owning(log) { () throws(LogError) in try await base.discardImport(log) }
  }
}

extension SealedRows {
  fileprivate func read(
    _ found: SharedLog, after: Revision, limit: Int
  ) throws(LogError) -> [StoredRun] {
    let row = found.entry.row
    try found.check(after: after)
    guard after < row.next.previous else { return [] }
    return try read(number: row.number, log: row.log, after: after, limit: limit)
  }
}
