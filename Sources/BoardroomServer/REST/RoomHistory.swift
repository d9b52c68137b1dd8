import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Past states of rooms: the nearest snapshot and the events after it.
struct RoomHistory: Sendable {
  /// About how much of a log is in memory at once, in bytes.
  static let page = 256 << 10

  let store: any LogStore

  /// A moment as a request names it: `r123`, or milliseconds since 1970.
  enum Moment: Sendable, Hashable {
    case revision(Revision)
    case time(Timestamp)

    init?(_ text: String) {
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
  func revision(of room: RoomID, at moment: Moment?) async throws(LogError) -> Revision {
    let info = try await store.info(of: room)
    switch moment {
    case nil: return info.last
    case .time(let time): return try await store.revision(in: room, at: time)
    case .revision(let revision):
      guard revision <= info.last else { throw .beyondEnd(room, asked: revision, last: info.last) }
      return revision
    }
  }

  /// The state after the event of this revision.
  func state(of room: RoomID, at revision: Revision) async throws(LogError) -> RoomState {
    var state = RoomState()
    if let snapshot = try await store.latestSnapshot(of: room, notAfter: revision) {
      // One that cannot be read is passed over: the log alone is enough.
      if let read = try? StateDecoder.state(of: snapshot) { state = read }
    }
    while state.revision < revision {
      let runs = try await store.runs(of: room, after: state.revision, limit: Self.page)
      guard !runs.isEmpty else { break }
      for run in runs {
        if let part = run.prefix(through: revision) { try Self.fold(part, into: &state, room: room) }
      }
    }
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
