import EventLogModel
import Synchronization

// Making, opening, appending, deleting. Each call waits until its change is committed.

extension EngineState {
  /// The log of this name. Throws if there is none, or if its import is not finished.
  func find(_ name: LogID) -> Result<LogState, LogError> {
    findAny(name).flatMap { log in log.unfinished.map { .failure($0) } ?? .success(log) }
  }

  /// The log of this name, also while it is being imported.
  func findAny(_ name: LogID) -> Result<LogState, LogError> {
    guard let log = logs[name], log.isThere else { return .failure(.noSuchLog(name)) }
    return log.isLeaving ? .failure(.deleted(name)) : .success(log)
  }

  /// The log of this name, for what changes it. As long as it is being given up it is nobody's here.
  func findToWrite(_ name: LogID) -> Result<LogState, LogError> {
    findAny(name).flatMap { log in log.isReleased ? .failure(.noSuchLog(name)) : .success(log) }
  }

  var cannotTake: LogError? {
    if let stopped { return stopped }
    return isStopping ? .stopped(reason: "the store is shutting down") : refusal
  }
}

extension EngineStore {
  package func create(_ log: LogID, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await create(log, epoch: .random(), at: time)
  }

  package func create(_ log: LogID, epoch: Epoch, at time: Timestamp) async throws(LogError) -> LogInfo {
    try await make(log, epoch, time, importing: nil)
  }

  func make(
    _ log: LogID, _ epoch: Epoch, _ time: Timestamp, from first: Revision = 1, importing last: Revision?
  ) async throws(LogError) -> LogInfo {
    let made = try locked { state -> Result<LogState, LogError> in
      if let obstacle = state.cannotTake { return .failure(obstacle) }
      if let known = state.logs[log] {
        if known.isLeaving { return .failure(.deleted(log)) }
        return .failure(known.unfinished ?? .logExists(log))
      }
      guard state.nextNumber <= Self.maximumLogs else { return .failure(.full(place: "the catalog")) }
      let made = LogState(
        number: state.nextNumber, log: log, epoch: epoch, created: max(time, .zero), from: first)
      made.importLast = last
      if first > 1 { state.low.append((made, first)) }
      state.nextNumber += 1
      state.logs[log] = made
      state.created.append(made)
      state.pendingBytes += EngineState.runOverhead
      return .success(made)
    }
    try await wait { engine.whenCommitted($0) }
    return try locked { _ in .success(made.info(row: nil)) }
  }

  /// As many log numbers as fit beside a 40-bit revision in a signed 64-bit key (docs/FORMAT.md).
  package static let maximumLogs: UInt64 = 1 << 23 - 1

  package func beginTurn() -> Bool { committer != nil && engine.beginTurn() }

  package func endTurn() {
    if let committer { engine.endTurn(committer) }
  }

  package func open(_ log: LogID, listener: any CommitListener) async throws(LogError) -> any LogAppender {
    let (state, writer) = try locked { state -> Result<(LogState, UInt64), LogError> in
      if let obstacle = state.cannotTake { return .failure(obstacle) }
      return state.find(log).flatMap { _ in state.findToWrite(log) }.map { found in
        // From here on, earlier appenders are fenced off.
        found.writer += 1
        return (found, found.writer)
      }
    }
    // What an earlier appender has appended is reported to that appender's listener.
    try await wait { engine.whenCommitted($0) }
    return try locked { _ in
      guard !state.isLeaving else { return .failure(.deleted(log)) }
      guard state.writer == writer else { return .failure(.fenced(log)) }
      state.listener = listener
      state.isOpen = true
      state.wantsSealing = false
      return .success(EngineAppender(engine: engine, state: state, writer: writer))
    }
  }

  @discardableResult
  package func append(
    _ records: [Record], to log: LogID, expecting: Revision?, epoch: Epoch?
  ) async throws(LogError) -> Revision {
    while true {
      let added = try locked { state in
        engine.add(records, to: log, expecting: expecting, epoch: epoch, &state)
      }
      // This also waits if the group had no room: the group is committed, then the append is tried again.
      try await wait { engine.whenCommitted($0) }
      if let added { return added }
    }
  }

  package func delete(_ log: LogID) async throws(LogError) {
    try await delete { state in state.find(log).flatMap { _ in state.findToWrite(log) } }
  }

  func delete(_ find: (borrowing EngineState) -> Result<LogState, LogError>) async throws(LogError) {
    try locked { state -> Result<Void, LogError> in
      if let obstacle = state.cannotTake { return .failure(obstacle) }
      return find(state).map { found in
        found.isLeaving = true
        found.writer += 1
        state.deleted.append((found, Timestamp(milliseconds: WallClock.milliseconds)))
        state.sortedLogs = nil
      }
    }
    try await wait { engine.whenCommitted($0) }
  }

  package func put(_ snapshot: Snapshot, for log: LogID) async throws(LogError) {
    let found = try locked { state -> Result<LogState, LogError> in
      if let obstacle = state.cannotTake { return .failure(obstacle) }
      return state.findToWrite(log).flatMap { found in
        guard snapshot.revision <= found.durable else {
          return .failure(.beyondEnd(log, asked: snapshot.revision, last: found.durable))
        }
        return .success(found)
      }
    }
    try await wait { waiter in
      let tooLate = engine.state.withLock { state -> LogError? in
        guard state.stopped == nil, !state.isSealerDone else { return Engine.isShutDown }
        if found.isReleased { return .noSuchLog(log) }
        state.snapshots.append(.init(snapshot: snapshot, log: found, done: waiter))
        return nil
      }
      if let tooLate { return waiter(tooLate) }
      engine.sealSignal.raise()
    }
  }

  package func trim(_ log: LogID, below revision: Revision) async throws(LogError) -> Revision {
    let found = try locked { state -> Result<LogState, LogError> in
      if let obstacle = state.cannotTake { return .failure(obstacle) }
      return state.find(log).flatMap { _ in state.findToWrite(log) }
    }
    let (low, durable) = try locked { _ in .success((found.low, found.durable)) }
    guard revision <= durable.next else { throw .beyondEnd(log, asked: revision, last: durable) }
    guard let snapshot = try await latestSnapshot(of: log, notAfter: revision) else { return low }
    let isSealed = try locked { _ in .success(found.sealedNext > min(revision, snapshot.revision)) }
    if !isSealed { try await seal() }
    let number = found.number
    let point = try await onDisk { reader throws(LogError) in
      try reader.trimPoint(number: number, below: revision)
    }
    guard point > low else { return low }
    // The snapshot must be in the database's own file before events are removed. In the write-ahead log one
    // flipped bit in the last transaction would remove the snapshot unnoticed, while the journal says that
    // the events may go.
    try await wait { engine.clear(.settle($0)) }
    return try await move(found, low: point)
  }

  private func move(_ log: LogState, low: Revision) async throws(LogError) -> Revision {
    try locked { state -> Result<Void, LogError> in
      if let obstacle = state.cannotTake { return .failure(obstacle) }
      if log.isLeaving { return .failure(.deleted(log.log)) }
      if log.isReleased { return .failure(.noSuchLog(log.log)) }
      state.low.append((log, low))
      return .success(())
    }
    try await wait { engine.whenCommitted($0) }
    return try locked { _ in .success(log.low) }
  }
}

extension EngineStore {
  /// Journal files hold removed events until they are overwritten. So all files that may hold some are
  /// deleted: first the spare files, then, once the journal has begun a fresh segment, the older segments.
  package func clearRemains() async throws(LogError) {
    let removal = try locked { state -> Result<Int?, LogError> in
      if let obstacle = state.cannotTake { return .failure(obstacle) }
      guard state.clearing.isDue else { return .success(nil) }
      state.clearing.underWay += 1
      return .success(state.clearing.removals)
    }
    guard let removal else { return }
    defer { engine.state.withLock { $0.clearing.underWay -= 1 } }
    try await wait { engine.clear(.dropSpares($0)) }
    try await wait { engine.whenOnNextSegment($0) }
    let segment = try locked { .success($0.segment) }
    try await seal()
    try await wait { engine.clear(.clear(below: segment, removal: removal, $0)) }
  }
}

extension Engine {
  /// Adds whole batches to the present group; `nil` when the group has no room for this one now.
  fileprivate func add(
    _ records: [Record], to name: LogID, expecting: Revision?, epoch: Epoch?, _ state: inout EngineState
  ) -> Result<Revision?, LogError> {
    if let obstacle = state.cannotTake { return .failure(obstacle) }
    let log: LogState
    switch state.findToWrite(name) {
    case .success(let found):
      // Only a caller that names the log's epoch may continue its import.
      if let unfinished = found.unfinished, epoch == nil { return .failure(unfinished) }
      log = found
    case .failure(let error): return .failure(error)
    }
    if let epoch, epoch != log.epoch { return .failure(.fenced(name)) }
    if let expecting, expecting != log.lastAppended {
      return .failure(.conflict(name, expected: expecting, actual: log.lastAppended))
    }
    var need = EngineState.runOverhead
    for record in records {
      guard record.body.count <= recordLimit else {
        return .failure(.tooLarge(bytes: record.body.count, limit: recordLimit))
      }
      need += record.body.count + EngineState.recordOverhead
    }
    guard need <= softLimit else { return .failure(.tooLarge(bytes: need, limit: softLimit)) }
    guard state.pendingBytes + need <= softLimit else { return .success(nil) }
    for record in records {
      record.body.withUnsafeBytes { body in
        _ = state.put(log, kind: record.kind, actor: record.actor, time: record.time, body: body)
      }
    }
    return .success(log.lastAppended)
  }
}
