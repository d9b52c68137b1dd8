import EventLogModel
import Synchronization

/// A store whose database does not answer for as long as a test says so. Reads throw then.
package final class SilencedStore: ForwardingLogStore {
  package let base: any LogStore
  private let log: LogID?
  private let silent: Mutex<Bool>
  /// Goes on with each read that comes to nothing.
  package let refusals: AsyncStream<Void>
  private let refusal: AsyncStream<Void>.Continuation

  /// - Parameter log: the one that cannot be read; nil: none can.
  package init(_ base: any LogStore, of log: LogID? = nil, isSilent: Bool = true) {
    (self.base, self.log) = (base, log)
    silent = Mutex(isSilent)
    (refusals, refusal) = AsyncStream.makeStream()
  }

  package func silence(_ isSilent: Bool) { silent.withLock { $0 = isSilent } }

  private func check(_ log: LogID?) throws(LogError) {
    guard silent.withLock({ $0 }), self.log == nil || self.log == log else { return }
    refusal.yield()
    throw .full(place: "the database", isSilent: true)
  }

  package func info(of log: LogID) async throws(LogError) -> LogInfo {
    try check(log)
    return try await base.info(of: log)
  }

  package func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    try check(nil)
    return try await base.logs(after: after, limit: limit)
  }

  package func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    try check(log)
    return try await base.read(log, after: after, limit: limit)
  }

  package func latestSnapshot(of log: LogID, notAfter: Revision) async throws(LogError) -> Snapshot? {
    try check(log)
    return try await base.latestSnapshot(of: log, notAfter: notAfter)
  }
}
