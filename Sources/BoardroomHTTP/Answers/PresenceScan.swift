import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Finds who came and went. It reads the logs themselves, so that there is no index that could differ from
/// them. A scan reads a bounded part of a log and says where the next scan goes on.
struct PresenceScan: Sendable {
  /// Bytes of records read by one request. 16 MiB: some tenths of a second, a few hundred thousand events.
  static let usualBudget = 16 << 20
  /// The least that a room counts for, because it has to be opened. So one request looks into at most 4,096
  /// rooms.
  private static let roomCost = 4 << 10

  struct FoundPresence: Sendable, Hashable {
    var room: RoomID
    var revision: Revision
    var time: Timestamp
    var member: MemberID
    var uid: String?
    /// Why the member left; nil if it joined.
    var left: LeaveCause?
  }

  let history: RoomHistory
  /// The user to look for; nil: everybody.
  let uid: String?
  let limit: Int
  var budget = Self.usualBudget
  private(set) var found: [FoundPresence] = []

  init(history: RoomHistory, uid: String?, limit: Int) {
    self.history = history
    self.uid = uid
    self.limit = limit
  }

  /// Whether this scan reads no more.
  var isFull: Bool { found.count >= limit || budget <= 0 }

  /// Reads events of one room and returns the revision that it has reached.
  mutating func read(_ room: RoomID, after start: Revision, to last: Revision) async throws(LogError)
    -> Revision
  {
    budget -= Self.roomCost
    guard start < last else { return start }
    var names = try await names(in: room, at: start)
    var at = start
    while at < last, !isFull {
      let runs = try await history.store.runs(of: room, after: at, limit: RoomHistory.page)
      guard !runs.isEmpty else { break }
      for run in runs where !isFull {
        budget -= max(1, run.records.count)
        at = scan(run, of: room, &names)
      }
    }
    return at
  }

  private func names(in room: RoomID, at revision: Revision) async throws(LogError) -> [MemberID: String] {
    let state = try await history.state(of: room, at: revision)
    return state.members.compactMapValues(\.uid)
  }

  /// Takes events of a run. Returns the last revision taken: the run's last one, or that of the last event
  /// for which there was room.
  private mutating func scan(_ run: Run, of room: RoomID, _ names: inout [MemberID: String]) -> Revision {
    var last = run.lastRevision
    run.forEach { view, _ in
      guard let member = Actor(code: view.actor).member, !isCut(view.revision, last) else { return }
      if view.kind == EventKind.memberJoined.rawValue {
        guard case .members(.joined(let joined))? = try? EventCodec.decode(view, in: run.records).event else {
          return
        }
        names[member] = joined.uid
        add(
          FoundPresence(room: room, revision: view.revision, time: view.time, member: member, uid: joined.uid)
        )
      } else if view.kind == EventKind.memberLeft.rawValue {
        guard case .members(.left(let cause))? = try? EventCodec.decode(view, in: run.records).event else {
          return
        }
        let uid = names.removeValue(forKey: member)
        add(
          FoundPresence(
            room: room, revision: view.revision, time: view.time, member: member, uid: uid, left: cause))
      } else {
        return
      }
      if found.count == limit { last = view.revision }
    }
    return last
  }

  private func isCut(_ revision: Revision, _ last: Revision) -> Bool {
    found.count >= limit && revision > last
  }

  private mutating func add(_ event: FoundPresence) {
    guard uid == nil || uid == event.uid else { return }
    found.append(event)
  }
}
