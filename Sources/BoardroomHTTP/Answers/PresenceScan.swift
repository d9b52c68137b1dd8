import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Who came and went, read from the logs themselves: there is no index that could differ from them. A scan reads
/// a bounded part of the log and says where the next one goes on.
struct PresenceScan: Sendable {
  /// Bytes of records read by one request. 16 MiB: some tenths of a second, a few hundred thousand events.
  static let usualBudget = 16 << 20
  /// What a room costs at least, for being opened: so a request looks into 4,096 rooms at most.
  private static let roomCost = 4 << 10

  struct FoundPresence: Sendable, Hashable {
    var room: RoomID
    var revision: Revision
    var time: Timestamp
    var member: MemberID
    var uid: String?
    /// Nil: came.
    var left: LeaveCause?
  }

  let history: RoomHistory
  /// Nil: everyone.
  let uid: String?
  let limit: Int
  var budget = Self.usualBudget
  private(set) var found: [FoundPresence] = []

  init(history: RoomHistory, uid: String?, limit: Int) {
    self.history = history
    self.uid = uid
    self.limit = limit
  }

  /// Whether nothing more is to be read now.
  var isFull: Bool { found.count >= limit || budget <= 0 }

  /// Reads on in one room, and returns the revision that it has reached.
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
        at = take(run, of: room, &names)
      }
    }
    return at
  }

  private func names(in room: RoomID, at revision: Revision) async throws(LogError) -> [MemberID: String] {
    let state = try await history.state(of: room, at: revision)
    return state.members.compactMapValues(\.uid)
  }

  /// The last revision taken: that of the run, or of the last event that there was room for.
  private mutating func take(_ run: Run, of room: RoomID, _ names: inout [MemberID: String]) -> Revision {
    var last = run.lastRevision
    run.forEach { view, _ in
      guard let member = Actor(code: view.actor).member, !isCut(view.revision, last) else { return }
      if view.kind == EventKind.memberJoined.rawValue {
        guard case .memberJoined(let joined)? = try? EventCodec.decode(view, in: run.records).event else {
          return
        }
        names[member] = joined.uid
        add(
          FoundPresence(room: room, revision: view.revision, time: view.time, member: member, uid: joined.uid)
        )
      } else if view.kind == EventKind.memberLeft.rawValue {
        guard case .memberLeft(let cause)? = try? EventCodec.decode(view, in: run.records).event else {
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
