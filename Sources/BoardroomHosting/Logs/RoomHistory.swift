import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Past states of rooms: the nearest snapshot and the events after it.
package struct RoomHistory: Sendable {
  /// About how much of a log is in memory at once, in bytes.
  package static let page = 256 << 10

  package let store: any LogStore

  package init(store: any LogStore) {
    self.store = store
  }

  /// A moment as a request names it: `r123`, or milliseconds since 1970.
  package enum HistoryMoment: Sendable, Hashable {
    case revision(Revision)
    case time(Timestamp)

    package init?(_ text: String) {
      if text.hasPrefix("r"), let revision = UInt64(text.dropFirst()) {
        self = .revision(Revision(revision))
      } else if let time = Int64(text), time >= 0 {
        self = .time(Timestamp(milliseconds: time))
      } else {
        return nil
      }
    }
  }

  /// Nil: the last revision.
  package func revision(of room: RoomID, at moment: HistoryMoment?) async throws(LogError) -> Revision {
    let info = try await store.info(of: room)
    switch moment {
    case nil: return info.last
    case .time(let time): return try await store.revision(in: room, at: time)
    case .revision(let revision):
      guard revision <= info.last else { throw .beyondEnd(room, asked: revision, last: info.last) }
      return revision
    }
  }

  /// The state after the event of this revision, as the room itself goes on behind events whose loss was accepted (LOG-23).
  package func state(of room: RoomID, at revision: Revision) async throws(LogError) -> RoomState {
    let found = try await fold(to: revision, of: room)
    if let state = found.state { return state }
    throw .damaged(
      Damage(what: "the events of this moment are lost", place: "the log", log: room, lost: found.lost))
  }

  /// The same, as what later events begin with. Nil if nobody knows it: events before it are lost, and a snapshot behind it
  /// knows what they were.
  package func beginning(of room: RoomID, at revision: Revision) async throws(LogError) -> RoomState? {
    let found = try await fold(to: revision, of: room)
    guard found.lost != nil, let state = found.state else { return found.state }
    return try await snapshot(of: room, behind: revision) == nil ? state : nil
  }

  /// The revision of the first snapshot behind one; nil if there is none.
  package func snapshot(of room: RoomID, behind revision: Revision) async throws(LogError) -> Revision? {
    try await store.snapshots(of: room).map(\.revision).filter { $0 > revision }.min()
  }

  /// A state, and events before it that are lost. No state: that event itself is lost.
  private func fold(
    to revision: Revision, of room: RoomID
  ) async throws(LogError) -> (state: RoomState?, lost: ClosedRange<UInt64>?) {
    var state = RoomState()
    if let snapshot = try await store.latestSnapshot(of: room, notAfter: revision) {
      // One that cannot be read is passed over: the log alone is enough.
      if let read = try? StateDecoder.state(of: snapshot) { state = read }
    }
    var at = state.revision
    var lost: ClosedRange<UInt64>?
    while at < revision {
      let before = at
      let runs = try await store.runs(of: room, passing: &at, limit: Self.page)
      if at > before { lost = before.next.rawValue...at.rawValue }
      guard at == before || at < revision else { return (nil, lost) }
      guard let last = runs.last?.lastRevision else { break }
      for run in runs {
        if let part = run.prefix(through: revision) { try Self.fold(part, into: &state, room: room) }
      }
      at = last
    }
    return (state, lost)
  }

  /// The event with which a member came, found by its time; nil if retention has removed it.
  package func joining(of member: Member, in room: RoomID) async throws(LogError) -> MemberJoined? {
    let last = try await store.revision(in: room, at: member.joined)
    let before = Timestamp(milliseconds: member.joined.milliseconds - 1)
    var at = try await store.revision(in: room, at: before)
    while at < last {
      let runs = try await store.runs(of: room, after: at, limit: Self.page)
      guard let end = runs.last?.lastRevision else { return nil }
      for run in runs { if let joined = Self.joining(of: member.id, in: run) { return joined } }
      at = end
    }
    return nil
  }

  private static func joining(of member: MemberID, in run: Run) -> MemberJoined? {
    var found: MemberJoined?
    run.forEach { view, _ in
      guard view.kind == EventKind.memberJoined.rawValue, Actor(code: view.actor).member == member,
        case .members(.joined(let joined))? = try? EventCodec.decode(view, in: run.records).event
      else { return }
      found = joined
    }
    return found
  }

  /// The state after a snapshot, or from the beginning, and the events after it.
  static func state(from snapshot: Snapshot?, _ run: Run?, of room: RoomID) throws -> RoomState {
    var state = RoomState()
    if let snapshot { state = try StateDecoder.state(of: snapshot) }
    if let run { try fold(run, into: &state, room: room) }
    return state
  }

  private static func fold(_ run: Run, into state: inout RoomState, room: RoomID) throws(LogError) {
    var failed: Revision?
    run.forEach { view, _ in
      guard failed == nil else { return }
      do throws(CodecError) {
        state.apply(try EventCodec.decode(view, in: run.records))
      } catch {
        failed = view.revision
      }
    }
    guard let failed else { return }
    let lost = failed.rawValue...failed.rawValue
    throw .damaged(Damage(what: "an event that cannot be read", place: "the log", log: room, lost: lost))
  }
}
