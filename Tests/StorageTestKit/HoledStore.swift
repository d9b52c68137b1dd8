import EventLogModel
import Synchronization

/// A store in which one piece of a log cannot be read.
package final class HoledStore: ForwardingLogStore {
  package let base: any LogStore
  private let hole = Mutex<StoredSpan?>(nil)

  package init(_ base: any LogStore) { self.base = base }

  package func damage(_ span: StoredSpan) { hole.withLock { $0 = span } }

  package func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    let runs = try await base.read(log, after: after, limit: limit)
    guard let hole = hole.withLock({ $0 }) else { return runs }
    if (hole.first...hole.last).contains(after.next) {
      let lost = hole.first.rawValue...hole.last.rawValue
      throw .damaged(Damage(what: "a block fails its checksum", place: "test", log: log, lost: lost))
    }
    return Array(runs.prefix { $0.lastRevision < hole.first || $0.first > hole.last })
  }
}
