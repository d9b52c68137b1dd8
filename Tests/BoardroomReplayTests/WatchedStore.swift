import EventLogModel
import Synchronization

/// A store that tells where reading began, and in which some revisions can be damaged.
final class WatchedStore: ForwardingLogStore {
  private struct Notes {
    /// Reading after this revision fails: the store has stopped.
    var stop: Revision?
    var firstRead: Revision?
    var damaged: ClosedRange<UInt64>?
    var what = "a block fails its checksum"
  }

  let base: any LogStore
  private let notes = Mutex(Notes())

  init(_ base: any LogStore) { self.base = base }

  /// Where the first read began.
  var firstRead: Revision? { notes.withLock { $0.firstRead } }

  func damage(_ revisions: ClosedRange<UInt64>) { notes.withLock { $0.damaged = revisions } }

  /// The same, of which a start has accepted the loss.
  func lose(_ revisions: ClosedRange<UInt64>) {
    notes.withLock { ($0.damaged, $0.what) = (revisions, Damage.missingEvents) }
  }

  /// From now on nothing after this revision can be read, because the store has stopped.
  func stop(after revision: Revision) { notes.withLock { $0.stop = revision } }

  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    let (damaged, stop) = notes.withLock { notes in
      notes.firstRead = notes.firstRead ?? after
      return (notes.damaged, notes.stop)
    }
    if let stop, after >= stop { throw .stopped(reason: "a test stopped it") }
    let runs = try await base.read(log, after: after, limit: limit)
    guard let damaged else { return runs }
    return try sound(runs, log, after: after, damaged)
  }

  /// Cuts before the damage; throws where it begins.
  private func sound(
    _ runs: [StoredRun], _ log: LogID, after: Revision, _ damaged: ClosedRange<UInt64>
  ) throws(LogError) -> [StoredRun] {
    if damaged.contains(after.next.rawValue) {
      let what = notes.withLock { $0.what }
      throw .damaged(Damage(what: what, place: "test", log: log, lost: damaged))
    }
    guard after.rawValue < damaged.lowerBound else { return runs }
    var kept: [StoredRun] = []
    for stored in runs {
      let run = try base.unpack(stored, of: log)
      if let part = run.prefix(through: Revision(damaged.lowerBound - 1)) { kept.append(StoredRun(part)) }
    }
    return kept
  }
}
