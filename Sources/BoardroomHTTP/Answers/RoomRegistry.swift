import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// Creates rooms and keeps what is known of them. It reads a room's log and does not need the room to be
/// open.
package final class RoomRegistry: Sendable {
  /// What everybody who may see a room is told of it.
  package struct RoomFacts: Sendable, Hashable {
    var created: RoomCreated
    var isBanned = false
    package var isDeleted = false
    /// The room's own limits, which replace the server's.
    package var limits: [String: Int] = [:]
  }

  package struct RegisteredRoom: Sendable, Hashable {
    package var room: RoomID
    var facts: RoomFacts
    var at: Timestamp
  }

  /// How many entries are kept in memory. All changes go through this type. 10,000 rooms take about 2 MB.
  private static let kept = 10_000
  private let known = Mutex<[RoomID: RoomFacts]>([:])
  private let held = Mutex<Set<RoomID>>([])
  private let engine: RoomServerEngine
  private let otherNodes: (any OtherNodesRooms)?
  private var store: any LogStore { engine.store }
  /// Whether bans, deletions and limits of rooms are changed here only: another node's changes do not come by here.
  private var knowsChanges: Bool { engine.owners == nil }

  /// - Parameter otherNodes: nil for a server that is alone.
  package init(engine: RoomServerEngine, otherNodes: (any OtherNodesRooms)? = nil) {
    (self.engine, self.otherNodes) = (engine, otherNodes)
  }

  func create(_ created: RoomCreated, at now: Timestamp) async throws(LogError) -> RegisteredRoom {
    let room = RoomID.random()
    try await engine.create(room, as: created, at: now)
    let facts = RoomFacts(created: created)
    keep(facts, of: room)
    return RegisteredRoom(room: room, facts: facts, at: now)
  }

  /// Throws `.deleted` for a room that was deleted.
  func entry(_ room: RoomID) async throws(LogError) -> RegisteredRoom {
    try await entry(store.info(of: room))
  }

  /// What is known of a room, also of one that was deleted; nil if the log is not a room's.
  package func facts(of info: LogInfo) async throws(LogError) -> RoomFacts? {
    if knowsChanges, let found = known.withLock({ $0[info.log] }) { return found }
    guard try await !isSpace(info), let found = try await read(info) else { return nil }
    return keep(found, of: info.log)
  }

  /// How a room was made, also one that was deleted. Reads the first event only, so that a long log costs no
  /// more.
  func created(_ info: LogInfo) async throws(LogError) -> RoomCreated {
    if let known = known.withLock({ $0[info.log] }) { return known.created }
    guard let created = try await RoomOpening.created(info, in: store) else { throw .noSuchLog(info.log) }
    return created
  }

  /// Whether the log is there and no room's: an account's or a channel's.
  func isSpace(_ info: LogInfo) async throws(LogError) -> Bool {
    if known.withLock({ $0[info.log] }) != nil { return false }
    return try await RoomOpening.space(info, in: engine.wholeLogs) != nil
  }

  /// Throws `noSuchLog` where the name is an account's or a channel's: the routes of rooms do not know those.
  func refuseSpace(_ room: RoomID) async throws(LogError) {
    if known.withLock({ $0[room] }) != nil { return }
    let info: LogInfo
    do throws(LogError) {
      info = try await store.info(of: room)
    } catch {
      // A fault of the log is reported where the log is read.
      return
    }
    if try await isSpace(info) { throw .noSuchLog(room) }
  }

  /// Rooms in the order of their names, from `first` on. Skips logs that are no rooms, and deleted rooms. Those of other nodes
  /// are as their owners know them, who alone have what is not sealed yet; where an owner does not answer, as they are sealed.
  func entries(from first: RoomID?, limit: Int) async throws(LogError) -> [RegisteredRoom] {
    var (entries, after): ([RegisteredRoom], RoomID?) = ([], first?.predecessor)
    while entries.count < limit {
      let page = try await store.logs(after: after, limit: limit)
      let elsewhere = page.filter { !$0.isComplete }.map(\.log)
      let told = elsewhere.isEmpty ? [:] : await otherNodes?.facts(of: elsewhere) ?? [:]
      for info in page where entries.count < limit {
        if let facts = told[info.log] {
          let entry = RegisteredRoom(room: info.log, facts: facts, at: info.created)
          if !facts.isDeleted { entries.append(entry) }
        } else if let entry = try await entryOfList(info) {
          entries.append(entry)
        }
      }
      guard page.count == limit, let last = page.last else { break }
      after = last.log
    }
    return entries
  }

  /// Nil for what is no room, is deleted, or is damaged. Throws where nothing can be read at present: a list without its rooms would be
  /// taken for the whole.
  private func entryOfList(_ info: LogInfo) async throws(LogError) -> RegisteredRoom? {
    do throws(LogError) { return try await entry(info) } catch {
      switch error {
      case .full, .stopped, .io, .nodeFenced: throw error
      default: return nil
      }
    }
  }

  /// What is known of those of these rooms that this node owns.
  func factsOfOwn(_ rooms: [RoomID]) async -> [RoomID: RoomFacts] {
    var found: [RoomID: RoomFacts] = [:]
    for room in rooms where engine.owners?.has(room) ?? false {
      found[room] = try? await facts(of: store.info(of: room))
    }
    return found
  }

  /// Notes the room's state after a change.
  func note(_ state: RoomState, of room: RoomID) {
    guard let facts = RoomFacts(state) else { return }
    known.withLock { $0[room] = facts }
  }

  /// Takes the right to remove a room's history, or to mark moments of it. Only one caller has it at a time;
  /// `release` gives it back. False if another caller has it.
  func hold(_ room: RoomID) -> Bool { held.withLock { $0.insert(room).inserted } }
  func release(_ room: RoomID) { held.withLock { _ = $0.remove(room) } }

  private func entry(_ info: LogInfo) async throws(LogError) -> RegisteredRoom {
    let facts: RoomFacts
    if knowsChanges, let found = known.withLock({ $0[info.log] }) {
      facts = found
    } else {
      guard let found = try await read(info) else { throw .noSuchLog(info.log) }
      facts = keep(found, of: info.log)
    }
    guard !facts.isDeleted else { throw .deleted(info.log) }
    return RegisteredRoom(room: info.log, facts: facts, at: info.created)
  }

  /// From the newest snapshot, and from those events after it that change the facts.
  private func read(_ info: LogInfo) async throws(LogError) -> RoomFacts? {
    var (facts, at): (RoomFacts?, Revision) = (nil, .zero)
    if let snapshot = try await store.latestSnapshot(of: info.log, notAfter: info.last),
      let state = try? StateDecoder.withoutElements(root: snapshot.root)
    {
      (facts, at) = (RoomFacts(state), state.revision)
    }
    while at < info.last {
      let runs = try await store.runs(of: info.log, passing: &at, limit: RoomHistory.page)
      guard let last = runs.last?.lastRevision else { break }
      for run in runs { Self.fold(run, into: &facts) }
      at = last
    }
    return facts
  }

  private static let telling = Set(
    [EventKind.roomCreated, .roomBanned, .roomDeleted, .limitsSet].map(\.rawValue))

  private static func fold(_ run: Run, into facts: inout RoomFacts?) {
    run.forEach { view, _ in
      guard telling.contains(view.kind),
        let event = try? EventCodec.decode(view, in: run.records).event
      else { return }
      if case .room(.created(let created)) = event, facts == nil { facts = RoomFacts(created: created) }
      if case .room(.banned(let isBanned)) = event { facts?.isBanned = isBanned }
      if case .room(.deleted) = event { facts?.isDeleted = true }
      if case .room(.limitsSet(let patch)) = event {
        for field in patch.fields { facts?.limits[field.name] = field.value }
      }
    }
  }

  /// What was noted during the read is newer than what was read.
  @discardableResult
  private func keep(_ facts: RoomFacts, of room: RoomID) -> RoomFacts {
    known.withLock { known in
      if knowsChanges, let newer = known[room] { return newer }
      if known.count >= Self.kept { known.removeAll(keepingCapacity: true) }
      known[room] = facts
      return facts
    }
  }
}

extension RoomRegistry.RoomFacts {
  /// Nil before the first event, and for logs that are no rooms.
  init?(_ state: RoomState) {
    guard state.space == nil, let created = state.created else { return nil }
    self.init(
      created: created, isBanned: state.isBanned, isDeleted: state.isDeleted, limits: state.limits)
  }
}

extension LogID {
  /// The name before this one; nil for the first.
  var predecessor: LogID? {
    if low > 0 { return LogID(high: high, low: low - 1) }
    return high > 0 ? LogID(high: high - 1, low: .max) : nil
  }
}
