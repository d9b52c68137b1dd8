import EventLogModel
import Synchronization

/// Notes what is read of a store.
final class CountedStore: ForwardingLogStore {
  let base: any LogStore
  private let noted = Mutex<[Revision]>([])

  init(base: any LogStore) { self.base = base }

  /// The revisions after which was read.
  var reads: [Revision] { noted.withLock { $0 } }

  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    noted.withLock { $0.append(after) }
    return try await base.read(log, after: after, limit: limit)
  }
}
