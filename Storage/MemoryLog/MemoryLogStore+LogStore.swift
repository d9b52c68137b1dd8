import EventLogModel
import Synchronization

extension MemoryLogStore {
  public func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await create(log, epoch: .random(), at: time)
  }

  public func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await make(log, epoch, time, importing: nil)
  }

  func make(
    _ log: LogID, _ epoch: Epoch, _ time: Timestamp, from first: Revision = 1, importing last: Revision?
  ) async throws(LogError) -> LogInfo {
    let created = max(time, .zero)
    let info = LogInfo(
      log: log, epoch: epoch, created: created, low: first, last: first.previous, lastTime: created,
      rawBytes: 0,
      storedBytes: 0)
    try change { state -> Result<Void, LogError> in
      if let known = state.logs[log] {
        return .failure(known.isLeaving ? .deleted(log) : known.unfinished ?? .logExists(log))
      }
      state.logs[log] = MemoryLogEntry(info: info)
      state.logs[log]!.importLast = last
      return .success(())
    }
    await committed()
    try change { state in
      state.logs[log]!.isThere = true
      return .success(())
    }
    return info
  }

  /// Changes the state unless the store has stopped.
  func change<Value: Sendable>(
    _ body: (inout State) -> Result<Value, LogError>
  ) throws(LogError) -> Value {
    try state.withLock { state -> Result<Value, LogError> in
      state.isStopped ? .failure(.stopped(reason: "the store is shut down")) : body(&state)
    }.get()
  }

  public func info(of log: LogID) async throws(LogError) -> LogInfo {
    try look(at: log) { $0.info }
  }

  /// Looks at one log under the store's lock, without which nobody may touch an entry: what is read joins what was committed.
  ///
  /// - Parameter asImport: also at one whose import is not finished.
  func look<Value: Sendable>(
    at log: LogID, asImport: Bool = false, _ body: (MemoryLogEntry) throws(LogError) -> Value
  ) throws(LogError) -> Value {
    try state.withLock { state -> Result<Value, LogError> in
      let found = asImport ? state.findAny(log) : state.find(log)
      do throws(LogError) { return .success(try body(try found.get())) } catch {
        return .failure(error)
      }
    }.get()
  }

  public func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    let all = state.withLock { state in
      state.logs.values.filter { $0.isThere && !$0.isLeaving && $0.importLast == nil }.map(\.info)
    }
    let page = all.filter { info in after.map { info.log > $0 } ?? true }.sorted { $0.log < $1.log }
    return Array(page.prefix(max(0, limit)))
  }

  public func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    let (writer, epoch) = try change { state in
      state.find(log).map { entry -> (UInt64, Epoch) in
        entry.writer += 1
        return (entry.writer, entry.info.epoch)
      }
    }
    // What an earlier appender has appended is reported to that appender's listener.
    await committed()
    try change { state -> Result<Void, LogError> in
      state.find(log).flatMap { entry in
        guard entry.writer == writer else { return .failure(.fenced(log)) }
        entry.listener = listener
        entry.isOpen = true
        return .success(())
      }
    }
    return MemoryAppender(store: self, log: log, epoch: epoch, writer: writer)
  }

  @discardableResult
  public func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision {
    let last = try change { state -> Result<Revision, LogError> in
      state.findAny(log).flatMap { entry in
        if let unfinished = entry.unfinished, epoch == nil { return .failure(unfinished) }
        if let epoch, epoch != entry.info.epoch { return .failure(.fenced(log)) }
        if let expecting, expecting != entry.lastAppended {
          return .failure(.conflict(log, expected: expecting, actual: entry.lastAppended))
        }
        if let large = records.first(where: { $0.body.count > Self.recordLimit }) {
          return .failure(.tooLarge(bytes: large.body.count, limit: Self.recordLimit))
        }
        for record in records {
          _ = record.body.withUnsafeBytes { body in
            state.put(log, kind: record.kind, actor: record.actor, time: record.time, body: body)
          }
        }
        return .success(entry.lastAppended)
      }
    }
    await committed()
    return last
  }

  public func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    try look(at: log) { entry throws(LogError) in try read(entry, after: after, limit: limit) }
  }

  /// Under the store's lock.
  func read(_ entry: MemoryLogEntry, after: Revision, limit: Int) throws(LogError) -> [StoredRun] {
    let log = entry.info.log
    guard after <= entry.info.last else {
      throw .beyondEnd(log, asked: after, last: entry.info.last)
    }
    guard after < entry.info.last else { return [] }
    guard after.next >= entry.info.low else { throw .trimmed(log, low: entry.info.low) }
    var found: [StoredRun] = []
    var bytes = 0
    for run in entry.runs where run.lastRevision > after {
      if !found.isEmpty, bytes + run.records.count > limit { break }
      found.append(StoredRun(run))
      bytes += run.records.count
    }
    return found
  }

  public func spans(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredSpan] {
    try look(at: log) { entry throws(LogError) in
      guard after <= entry.info.last else {
        throw .beyondEnd(log, asked: after, last: entry.info.last)
      }
      guard after.next >= entry.info.low else { throw .trimmed(log, low: entry.info.low) }
      return entry.runs.lazy.filter { $0.lastRevision > after }.prefix(max(0, limit)).map { StoredSpan($0) }
    }
  }

  public func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run {
    try stored.plain(of: log)
  }

  public func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision {
    try look(at: log) { entry in
      if entry.info.last > .zero, time >= entry.info.lastTime { return entry.info.last }
      return entry.runs.revision(at: time) ?? .zero
    }
  }

  public func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    try look(at: log) { $0.snapshots.last { $0.revision <= notAfter } }
  }

  public func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo] {
    try look(at: log) { entry in
      entry.snapshots.map { snapshot in
        SnapshotInfo(
          revision: snapshot.revision, time: snapshot.time,
          bytes: snapshot.parts.reduce(snapshot.root.count) { $0 + $1.bytes.count })
      }
    }
  }

  public func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError) {
    try change { state -> Result<Void, LogError> in
      state.findAny(log).flatMap { entry in
        guard snapshot.revision <= entry.info.last else {
          return .failure(.beyondEnd(log, asked: snapshot.revision, last: entry.info.last))
        }
        entry.snapshots.removeAll { $0.revision == snapshot.revision }
        entry.snapshots.append(snapshot)
        entry.snapshots.sort { $0.revision < $1.revision }
        return .success(())
      }
    }
  }

  public func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision {
    try change { state -> Result<Revision, LogError> in
      state.find(log).flatMap { entry in
        guard revision <= entry.info.last.next else {
          return .failure(.beyondEnd(log, asked: revision, last: entry.info.last))
        }
        guard let snapshot = entry.snapshots.last(where: { $0.revision <= revision }) else {
          return .success(entry.info.low)
        }
        let last = entry.info.last
        let isAll = revision == last.next && snapshot.revision == last
        let target = min(revision, snapshot.revision)
        let kept = isAll ? [] : entry.runs.filter { $0.lastRevision >= target }
        let low = isAll ? last.next : kept.first?.first ?? entry.info.low
        guard low > entry.info.low else { return .success(entry.info.low) }
        entry.runs = kept
        entry.info.low = low
        entry.snapshots.removeAll { $0.revision.next < low }
        return .success(low)
      }
    }
  }

  public func delete(_ log: LogID) async throws(LogError) { try await delete { $0.find(log) } }

  func delete(_ find: (borrowing State) -> Result<MemoryLogEntry, LogError>) async throws(LogError) {
    try change { state in
      find(state).map { entry in
        entry.isLeaving = true
        entry.isOpen = false
        entry.writer += 1
      }
    }
    await committed()
  }
}

/// Appends to one log in memory.
final class MemoryAppender: LogAppender {
  private let store: MemoryLogStore
  let log: LogID
  let epoch: Epoch
  private let writer: UInt64

  init(store: MemoryLogStore, log: LogID, epoch: Epoch, writer: UInt64) {
    self.store = store
    self.log = log
    self.epoch = epoch
    self.writer = writer
  }

  @discardableResult
  func append(
    kind: UInt8, actor: UInt64, time: Timestamp, body: UnsafeRawBufferPointer
  ) throws(LogError) -> Revision {
    let outcome = store.state.withLock { state -> Result<Revision, LogError> in
      if state.isStopped { return .failure(.stopped(reason: "the store is shut down")) }
      return state.find(log).flatMap { entry in
        guard entry.writer == writer else { return .failure(.fenced(log)) }
        if let refusal = state.refusal { return .failure(refusal) }
        guard body.count <= MemoryLogStore.recordLimit else {
          return .failure(.tooLarge(bytes: body.count, limit: MemoryLogStore.recordLimit))
        }
        return .success(state.put(log, kind: kind, actor: actor, time: time, body: body))
      }
    }
    let revision = try outcome.get()
    store.schedule()
    return revision
  }

  func together<Result>(_ body: () throws(LogError) -> Result) throws(LogError) -> Result {
    store.state.withLock { $0.holds += 1 }
    defer { store.endHold() }
    return try body()
  }

  func close() {
    store.state.withLock { state in
      guard let entry = state.logs[log], entry.writer == writer else { return }
      entry.writer += 1
      entry.isOpen = false
    }
  }
}
