import BoardroomCodec
import BoardroomModel
import EventLogModel

/// A place of a log, found, and the snapshot from which a client gets there.
struct FoundPlace: Sendable {
  /// The log as it was when it was looked at.
  var info: LogInfo
  /// The time of the first event kept.
  var begin: Timestamp
  /// The last event at the place.
  var revision: Revision
  var time: Timestamp
  /// The newest one not after the revision; nil: from the empty state.
  var snapshot: Snapshot?
}

/// Looks up in a log what a replay needs. Folds nothing: the state is made by the watchers.
enum ReplayOpening {
  enum Outcome: Sendable {
    case found(FoundPlace)
    /// RP-8.
    case notRecorded
  }

  /// Where a new replay begins. Accounts and channels (`isSpace`) are recorded always.
  static func open(
    _ room: RoomID, isSpace: Bool, at place: ReplayPlace?, in store: any LogStore
  ) async throws(LogError) -> Outcome {
    let info = try await store.info(of: room)
    if isSpace { return .found(try await find(place, of: room, in: store)) }
    guard let created = try await RoomOpening.created(info, in: store) else { throw .noSuchLog(room) }
    guard !HistoryAccess.replay.isClosed(isRecord: created.isRecord) else { return .notRecorded }
    return .found(try await find(place, of: room, in: store))
  }

  /// A place is brought inside of what is kept of the log.
  static func find(
    _ place: ReplayPlace?, of room: RoomID, in store: any LogStore
  ) async throws(LogError) -> FoundPlace {
    let info = try await store.info(of: room)
    let first = try await store.spans(of: room, after: info.low.previous, limit: 1).first
    let begin = first?.begin ?? info.created
    var found = FoundPlace(info: info, begin: begin, revision: .zero, time: begin)
    switch place {
    case nil: found.revision = try await store.revision(in: room, at: begin)
    case .time(let time)?:
      found.time = min(max(time, begin), max(begin, info.lastTime))
      found.revision = try await store.revision(in: room, at: found.time)
    case .revision(let revision)?:
      found.revision = min(revision, info.last)
      found.time = try await time(of: found.revision, in: info, store) ?? begin
    }
    found.snapshot = try await store.latestSnapshot(of: room, notAfter: found.revision)
    return found.snapshot == nil && info.low > 1 ? try await firstLeft(found, in: store) : found
  }

  /// Of a log whose beginning is gone nothing can be shown before its first snapshot.
  private static func firstLeft(
    _ found: FoundPlace, in store: any LogStore
  ) async throws(LogError) -> FoundPlace {
    guard let oldest = try await store.snapshots(of: found.info.log).first,
      let snapshot = try await store.latestSnapshot(of: found.info.log, notAfter: oldest.revision)
    else { throw .trimmed(found.info.log, low: found.info.low) }
    var found = found
    found.snapshot = snapshot
    found.revision = max(found.revision, snapshot.revision)
    found.time = max(found.time, snapshot.time)
    return found
  }

  private static func time(
    of revision: Revision, in info: LogInfo, _ store: any LogStore
  ) async throws(LogError) -> Timestamp? {
    guard revision >= info.low else { return nil }
    do throws(LogError) {
      let run = try await store.runs(of: info.log, after: revision.previous, limit: 1).first
      return run?.prefix(through: revision)?.last
    } catch {
      guard case .damaged = error else { throw error }
      return try await store.spans(of: info.log, after: revision.previous, limit: 1).first?.end
    }
  }
}
