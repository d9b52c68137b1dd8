import EventLogModel

// Imports: logs that readers cannot see before their last event is there.

extension EngineStore: ImportStore {
  package func beginImport(
    _ log: LogID, epoch: Epoch?, from first: Revision, through last: Revision, at time: Timestamp
  ) async throws(LogError) -> LogInfo {
    try await make(log, epoch ?? .random(), time, from: first, importing: last >= first ? last : nil)
  }

  package func imports() async throws(LogError) -> [UnfinishedImport] {
    let found = try locked { state in
      .success(
        state.logs.values.filter { $0.isThere && !$0.isLeaving && $0.importLast != nil }
          .sorted { $0.log < $1.log })
    }
    let infos = try await infos(found)
    return try locked { _ in
      .success(
        zip(found, infos).compactMap { log, info in
          log.importLast.map { UnfinishedImport(info: info, last: $0) }
        })
    }
  }

  package func readImport(
    _ log: LogID, after: Revision, limit: Int
  ) async throws(LogError) -> [StoredRun] {
    try await stored(log, after: after, limit: limit)
  }

  package func discardImport(_ log: LogID) async throws(LogError) {
    try await delete { state in
      state.findToWrite(log).flatMap { found in
        found.importLast == nil ? .failure(.logExists(log)) : .success(found)
      }
    }
  }
}

extension EngineStore {
  /// The same as `info`, also of a log whose import is not finished.
  package func importInfo(of log: LogID) async throws(LogError) -> LogInfo {
    let found = try locked { $0.findAny(log) }
    return try await infos([found])[0]
  }
}
