import BoardroomCodec
import BoardroomModel
import EventLogModel
import Synchronization

/// Creates rooms and says what they were created as. A room is its log: nothing here needs the room to be open.
final class RoomRegistry: Sendable {
  struct Entry: Sendable, Hashable {
    var room: RoomID
    var created: RoomCreated
    var at: Timestamp
  }

  /// What a room was created as never changes, so it is kept: 10,000 rooms take about 2 MB.
  private static let kept = 10_000
  private let known = Mutex<[RoomID: RoomCreated]>([:])
  private let engine: RoomServerEngine
  private var store: any LogStore { engine.store }

  init(engine: RoomServerEngine) { self.engine = engine }

  func create(_ created: RoomCreated, at now: Timestamp) async throws(LogError) -> Entry {
    let room = RoomID.random()
    try await engine.create(room, as: created, at: now)
    keep(created, of: room)
    return Entry(room: room, created: created, at: now)
  }

  func entry(_ room: RoomID) async throws(LogError) -> Entry {
    try await entry(store.info(of: room))
  }

  /// Rooms in the order of their names, from `first` on.
  func entries(from first: RoomID?, limit: Int) async throws(LogError) -> [Entry] {
    var entries: [Entry] = []
    // One that was deleted or never got its first event is left out, not an error for all.
    for info in try await store.logs(after: first?.predecessor, limit: limit) {
      if let entry = try? await entry(info) { entries.append(entry) }
    }
    return entries
  }

  private func entry(_ info: LogInfo) async throws(LogError) -> Entry {
    if let created = known.withLock({ $0[info.log] }) {
      return Entry(room: info.log, created: created, at: info.created)
    }
    guard let created = try await read(info) else { throw .noSuchLog(info.log) }
    keep(created, of: info.log)
    return Entry(room: info.log, created: created, at: info.created)
  }

  /// The first event, or what a snapshot remembers of it where retention has removed it.
  private func read(_ info: LogInfo) async throws(LogError) -> RoomCreated? {
    guard info.low <= 1 else {
      guard let snapshot = try await store.latestSnapshot(of: info.log, notAfter: info.last) else {
        return nil
      }
      return (try? StateDecoder.state(of: snapshot))?.created
    }
    guard let run = try await store.runs(of: info.log, after: .zero, limit: 1).first else { return nil }
    var created: RoomCreated?
    run.forEach { view, _ in
      guard created == nil,
        case .roomCreated(let found)? = try? EventCodec.decode(view, in: run.records).event
      else { return }
      created = found
    }
    return created
  }

  private func keep(_ created: RoomCreated, of room: RoomID) {
    known.withLock { known in
      if known.count >= Self.kept { known.removeAll(keepingCapacity: true) }
      known[room] = created
    }
  }
}

extension LogID {
  /// The name before this one; nil for the first.
  var predecessor: LogID? {
    if low > 0 { return LogID(high: high, low: low - 1) }
    return high > 0 ? LogID(high: high - 1, low: .max) : nil
  }
}
