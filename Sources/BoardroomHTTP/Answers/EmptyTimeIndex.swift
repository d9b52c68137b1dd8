import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// Finds when a room last became empty (RP-3): the time of the last leave after which nobody was in it.
///
/// It counts joins and leaves by their kinds and folds nothing. It begins at the newest snapshot, which has
/// the members and the times of their joins. If nothing is found after it, it goes back to the snapshot
/// before.
package final class EmptyTimeIndex: Sendable {
  private struct CountedRoom: Sendable {
    var epoch: Epoch
    var count: Count
  }

  /// How many members there are after a revision, and when the room last became empty.
  struct Count: Sendable, Hashable {
    var through: Revision
    var present: Int
    var emptied: Timestamp?

    mutating func add(_ run: Run) {
      run.forEach { view, _ in
        guard view.revision > through else { return }
        if view.kind == EventKind.memberJoined.rawValue { present += 1 }
        guard view.kind == EventKind.memberLeft.rawValue, present > 0 else { return }
        present -= 1
        if present == 0 { emptied = view.time }
      }
      through = max(through, run.lastRevision)
    }
  }

  private struct Start {
    var count: Count
    /// When the oldest present member joined; since then the room was never empty.
    var since: Timestamp?
  }

  /// Counts are kept, so that the next question reads only newer events. 10,000 take less than 1 MB.
  private static let kept = 10_000
  private let known = Mutex<[LogID: CountedRoom]>([:])
  private let store: any LogStore

  package init(store: any LogStore) { self.store = store }

  /// Nil if the room never became empty, or if the part of the log that is kept does not show it.
  func emptied(_ info: LogInfo) async throws(LogError) -> Timestamp? {
    let entry = known.withLock { $0[info.log] }
    let count: Count
    if let entry, entry.epoch == info.epoch, entry.count.through <= info.last {
      count = try await self.count(on: entry.count, to: info.last, of: info.log)
    } else {
      count = try await self.count(info)
    }
    keep(CountedRoom(epoch: info.epoch, count: count), of: info.log)
    return count.emptied
  }

  private func count(_ info: LogInfo) async throws(LogError) -> Count {
    var start = try await start(of: info, notAfter: info.last)
    var whole = try await count(on: start.count, to: info.last, of: info.log)
    while whole.emptied == nil, start.count.through >= info.low {
      var end = start.count.through
      if let since = start.since { end = min(end, try await store.revision(in: info.log, at: since)) }
      guard end >= info.low else { break }
      start = try await self.start(of: info, notAfter: end.previous)
      whole.emptied = try await count(on: start.count, to: end, of: info.log).emptied
    }
    return whole
  }

  /// Where counting can begin: at the newest snapshot that can be read, else at the beginning of the log.
  private func start(of info: LogInfo, notAfter end: Revision) async throws(LogError) -> Start {
    var end = end
    while let snapshot = try await store.latestSnapshot(of: info.log, notAfter: end) {
      if let state = try? StateDecoder.withoutElements(root: snapshot.root) {
        let count = Count(through: snapshot.revision, present: state.members.count, emptied: nil)
        return Start(count: count, since: state.members.values.map(\.joined).min())
      }
      guard snapshot.revision > .zero else { break }
      end = snapshot.revision.previous
    }
    return Start(count: Count(through: info.low.previous, present: 0, emptied: nil), since: nil)
  }

  private func count(on start: Count, to end: Revision, of room: LogID) async throws(LogError) -> Count {
    var count = start
    while count.through < end {
      do throws(LogError) {
        let runs = try await store.runs(of: room, after: count.through, limit: RoomHistory.page)
        guard !runs.isEmpty else { break }
        for run in runs {
          if let part = run.prefix(through: end) { count.add(part) }
        }
      } catch .damaged(let damage) {
        // Joins and leaves in a gap are not known; the others are (RP-65).
        guard let lost = damage.lost, lost.upperBound > count.through.rawValue else { break }
        count.through = min(end, Revision(lost.upperBound))
      }
    }
    return count
  }

  private func keep(_ entry: CountedRoom, of room: LogID) {
    known.withLock { known in
      if known.count >= Self.kept { known.removeAll(keepingCapacity: true) }
      known[room] = entry
    }
  }
}
