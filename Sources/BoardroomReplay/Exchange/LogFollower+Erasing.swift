import EventLogModel

extension LogFollower {
  /// Erases from the copy what was erased from the log at the source: the same records are replaced. Returns
  /// whether there was anything to erase.
  func erase(in info: LogInfo, as source: any FollowedLogs, _ copy: any LogStore) async throws -> Bool {
    guard let copy = copy as? any ErasingStore else { return false }
    let copied: LogInfo
    do throws(LogError) { copied = try await copy.info(of: info.log) } catch { return false }
    var left: [Revision: Record] = [:]
    for piece in try await source.erasedPieces(of: info.log) where piece.lowerBound <= copied.last {
      let (first, last) = (
        max(piece.lowerBound, copied.low, info.low), min(piece.upperBound, copied.last)
      )
      guard first <= last else { continue }
      let range = first...last
      let (theirs, ours) = (
        try await records(range, of: info.log, in: source),
        try await records(range, of: info.log, in: StoredLogs(copy))
      )
      for (revision, record) in theirs where ours[revision] != record { left[revision] = record }
    }
    guard !left.isEmpty else { return false }
    guard copied.low <= 1 else { throw Obstacle.erased(info.log) }
    let replaced = left
    _ = try await copy.erase(in: info.log, keepingSnapshotAt: nil) { run throws(LogError) in
      let records = run.unpacked.enumerated().map { replaced[run.first + $0.offset] ?? $0.element }
      guard records != run.unpacked else { return nil }
      var builder = RunBuilder(first: run.first, base: run.base)
      for record in records { builder.append(record) }
      return builder.takeRun()
    }
    return true
  }

  /// The records of a range of revisions.
  private func records(
    _ range: ClosedRange<Revision>, of log: LogID, in logs: any FollowedLogs
  ) async throws -> [Revision: Record] {
    var found: [Revision: Record] = [:]
    var at = range.lowerBound.previous
    while at < range.upperBound {
      let runs = try await logs.runs(of: log, after: at, limit: Self.batchBytes)
      guard let last = runs.last?.lastRevision else { break }
      for run in runs.compactMap({ $0.prefix(through: range.upperBound) }) {
        for (index, record) in run.unpacked.enumerated() { found[run.first + index] = record }
      }
      at = last
    }
    return found
  }
}
