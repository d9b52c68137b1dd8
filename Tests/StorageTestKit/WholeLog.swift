import EventLogModel

extension LogStore {
  /// All events of a log. One read ends where what is sealed does, and the sealer has its own time.
  package func allRuns(of log: LogID) async throws(LogError) -> [Run] {
    var runs: [Run] = []
    while true {
      let next = try await self.runs(of: log, after: runs.last?.lastRevision ?? .zero, limit: 1 << 20)
      guard !next.isEmpty else { return runs }
      runs += next
    }
  }
}
