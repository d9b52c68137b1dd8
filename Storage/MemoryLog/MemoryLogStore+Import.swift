import EventLogModel
import Synchronization

extension MemoryLogStore: ImportStore {
  public func beginImport(
    _ log: LogID, epoch: Epoch?, from first: Revision, through last: Revision, at time: Timestamp
  ) async throws(LogError) -> LogInfo {
    try await make(log, epoch ?? .random(), time, from: first, importing: last >= first ? last : nil)
  }

  public func imports() async throws(LogError) -> [UnfinishedImport] {
    state.withLock { state in
      state.logs.values.filter { $0.isThere && !$0.isLeaving }.compactMap { entry in
        entry.importLast.map { UnfinishedImport(info: entry.info, last: $0) }
      }.sorted { $0.info.log < $1.info.log }
    }
  }

  public func readImport(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    try look(at: log, asImport: true) { entry throws(LogError) in
      try read(entry, after: after, limit: limit)
    }
  }

  public func discardImport(_ log: LogID) async throws(LogError) {
    try await delete { state in
      state.findAny(log).flatMap { entry in
        entry.importLast == nil ? .failure(.logExists(log)) : .success(entry)
      }
    }
  }
}
