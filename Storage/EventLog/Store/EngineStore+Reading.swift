import EventLogFormat
import EventLogModel
import Synchronization

// Reading: the newest events are in memory, all earlier ones in the sealed database.

extension EngineStore {
  package func info(of log: LogID) async throws(LogError) -> LogInfo {
    let found = try locked { $0.find(log) }
    return try await infos([found])[0]
  }

  package func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    let page = try locked { state -> Result<[LogState], LogError> in
      let all = state.sortedByName()
      let start = after.map { name in all.partitioningIndex { $0.log > name } } ?? 0
      return .success(Array(all[start...].prefix(max(0, limit))))
    }
    return try await infos(page)
  }

  func infos(_ logs: [LogState]) async throws(LogError) -> [LogInfo] {
    let numbers = try locked { _ in .success(logs.map { $0.sealedNext > 1 ? $0.number : 0 }) }
    var rows = [LogRow?](repeating: nil, count: logs.count)
    if numbers.contains(where: { $0 > 0 }) {
      rows = try await onDisk { reader throws(LogError) in
        var rows: [LogRow?] = []
        for number in numbers { rows.append(number == 0 ? nil : try reader.row(number: number)) }
        return rows
      }
    }
    return try locked { [rows] _ in
      .success(zip(logs, rows).map { log, row in log.info(row: row) })
    }
  }

  package func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    _ = try locked { $0.find(log) }
    return try await stored(log, after: after, limit: limit)
  }

  /// The same, also of a log whose import is not finished.
  func stored(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    enum RunSource: Sendable {
      case memory([StoredRun])
      case disk(number: UInt64)
    }
    let place = try locked { state -> Result<RunSource, LogError> in
      state.findAny(log).flatMap { found in
        guard after <= found.durable else {
          return .failure(.beyondEnd(log, asked: after, last: found.durable))
        }
        guard after < found.durable else { return .success(.memory([])) }
        guard after.next >= found.low else { return .failure(.trimmed(log, low: found.low)) }
        if let first = found.tail.first, first <= after.next {
          let runs = found.tail.runs(after: after, limit: limit)
          guard runs.isEmpty else { return .success(.memory(runs)) }
          let end = found.tail.first(after: after) ?? found.durable.next
          return .failure(engine.missing(log, from: after.next, to: end))
        }
        return .success(.disk(number: found.number))
      }
    }
    switch place {
    case .memory(let runs): return runs
    case .disk(let number):
      let runs = try await onDisk { reader throws(LogError) in
        try reader.read(number: number, log: log, after: after, limit: limit)
      }
      return try await continued(runs, log, after: after, limit: limit)
    }
  }

  /// Adds the runs in memory that follow the sealed ones, as far as the limit allows, and checks that no
  /// event was trimmed during the read.
  private func continued(
    _ runs: [StoredRun], _ log: LogID, after: Revision, limit: Int
  ) async throws(LogError) -> [StoredRun] {
    guard let last = runs.last?.lastRevision, let first = runs.first?.first, first <= after.next else {
      let (low, held) = try locked { state in
        state.findAny(log).map { ($0.low, $0.tail.first(after: after)) }
      }
      if low > after.next { throw .trimmed(log, low: low) }
      // A store that is opened for reading only has the catalog as it was when it was opened.
      let number = try locked { state in state.findAny(log).map(\.number) }
      let row = try await onDisk { reader throws(LogError) in try reader.row(number: number) }
      if row?.deleted ?? false { throw .deleted(log) }
      throw engine.missing(log, from: after.next, to: runs.first?.first ?? held ?? after.next.next)
    }
    let room = limit - runs.reduce(0) { $0 + $1.bytes.count }
    guard room > 0 else { return runs }
    let more = try locked { state in
      state.findAny(log).map { found -> [StoredRun] in
        guard let first = found.tail.first, first <= last.next else { return [] }
        return found.tail.runs(after: last, limit: room)
      }
    }
    return runs + more
  }

  package func spans(of log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredSpan] {
    // Memory is read first: events that are sealed between the two reads are then in both, and none is
    // missing.
    let (tail, number) = try locked { state -> Result<([Run], UInt64?), LogError> in
      state.find(log).flatMap { found in
        guard after <= found.durable else {
          return .failure(.beyondEnd(log, asked: after, last: found.durable))
        }
        guard after.next >= found.low else { return .failure(.trimmed(log, low: found.low)) }
        let runs = found.tail.runs.filter { $0.lastRevision > after }
        let isHeld = after == found.durable || (found.tail.first.map { $0 <= after.next } ?? false)
        return .success((runs, isHeld ? nil : found.number))
      }
    }
    guard let number else { return tail.prefix(max(0, limit)).map { StoredSpan($0) } }
    var spans = try await onDisk { reader throws(LogError) in
      try reader.spans(number: number, log: log, after: after, limit: max(0, limit))
    }
    let low = try locked { state in state.find(log).map(\.low) }
    guard low <= after.next else { throw .trimmed(log, low: low) }
    let sealed = spans.last?.last ?? after
    spans += tail.compactMap { $0.suffix(after: sealed) }.map { StoredSpan($0) }
    return Array(spans.prefix(max(0, limit)))
  }

  package func snapshots(of log: LogID) async throws(LogError) -> [SnapshotInfo] {
    let number = try locked { state in state.find(log).map(\.number) }
    return try await onDisk { reader throws(LogError) in
      try reader.snapshots(number: number, log: log)
    }
  }

  package func unpack(_ stored: StoredRun, of log: LogID) throws(LogError) -> Run {
    try stored.unpacked(of: log)
  }

  package func revision(in log: LogID, at time: Timestamp) async throws(LogError) -> Revision {
    enum LastRevision: Sendable {
      case known(Revision)
      case disk(number: UInt64, last: Revision)
    }
    let place = try locked { state -> Result<LastRevision, LogError> in
      state.find(log).map { found in
        // This holds also if retention has left no event.
        if found.durable > .zero, time >= found.durableTime { return .known(found.durable) }
        if let revision = found.tail.revision(at: time) { return .known(revision) }
        if found.sealedNext == 1 { return .known(.zero) }
        return .disk(number: found.number, last: found.durable)
      }
    }
    switch place {
    case .known(let revision): return revision
    case .disk(let number, let last):
      let found = try await onDisk { reader throws(LogError) in
        try reader.revision(number: number, at: time)
      }
      return min(found ?? .zero, last)
    }
  }

  package func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    let number = try locked { state in state.find(log).map(\.number) }
    return try await onDisk { reader throws(LogError) in
      try reader.latestSnapshot(number: number, log: log, notAfter: notAfter)
    }
  }
}

extension Engine {
  /// The error that the events from `first` to just before `end` are missing.
  fileprivate func missing(_ log: LogID, from first: Revision, to end: Revision) -> LogError {
    let lost = first.rawValue...max(first, end.previous).rawValue
    // There are gaps in memory only after a start that accepted a loss.
    let what = options.acceptsLoss ? Damage.missingEvents : "a run is missing"
    return .damaged(Damage(what: what, place: place, log: log, lost: lost))
  }
}

extension EngineState {
  fileprivate mutating func sortedByName() -> [LogState] {
    if let sortedLogs { return sortedLogs }
    let all = logs.values.filter { $0.isThere && !$0.isLeaving && $0.importLast == nil }.sorted {
      $0.log < $1.log
    }
    sortedLogs = all
    return all
  }
}

extension [LogState] {
  /// The first index whose element satisfies `isAfter`, which holds for all behind it.
  fileprivate func partitioningIndex(_ isAfter: (LogState) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = (low + high) / 2
      if isAfter(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}

extension EngineStore: ChainedStore {
  package func chain(of log: LogID) async throws(LogError) -> ChainEnds? {
    let number = try locked { state in state.find(log).map(\.number) }
    return try await onDisk { reader throws(LogError) in try reader.chain(number: number) }
  }
}
