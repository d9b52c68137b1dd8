import EventLogModel
import Synchronization

/// A store in which one piece of a log cannot be read.
final class HoledStore: ForwardingLogStore {
  let base: any LogStore
  private let hole = Mutex<StoredSpan?>(nil)

  init(_ base: any LogStore) { self.base = base }

  func damage(_ span: StoredSpan) { hole.withLock { $0 = span } }

  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    let runs = try await base.read(log, after: after, limit: limit)
    guard let hole = hole.withLock({ $0 }) else { return runs }
    if (hole.first...hole.last).contains(after.next) {
      let lost = hole.first.rawValue...hole.last.rawValue
      throw .damaged(Damage(what: "a block fails its checksum", place: "test", log: log, lost: lost))
    }
    return Array(runs.prefix { $0.lastRevision < hole.first || $0.first > hole.last })
  }
}
