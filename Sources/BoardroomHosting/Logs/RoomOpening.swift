import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// A room as its log says it is, ready to be hosted.
struct OpenedRoom: Sendable {
  let appender: any LogAppender
  let info: LogInfo
  let state: RoomState
  /// The one from which the fold began, if all that comes after it is there.
  let snapshot: Snapshot?
  /// The first revision from which on nothing is missing: the log's first, or the one behind the last gap that was met.
  let low: Revision
  /// Bytes of records in the log, about.
  let rawBytes: Int
  /// The last events of the log, out of those that were read to open it, if they were to be kept.
  let recent: RecentRuns?
}

package enum RoomOpening {
  /// How much of a log is read at once while folding. 1 MiB: a handful of calls for a usual room.
  private static let stride = 1 << 20

  /// Takes the right to append, then folds the log from its latest snapshot to its end. Nobody else appends
  /// from there on, so that the state is the log's last word. `kept`: how many bytes of what was
  /// read are kept as recent; nil: none.
  static func open(
    _ room: RoomID, in store: any LogStore, listener: any CommitListener, keeping kept: Int?,
    making first: Making? = nil
  ) async throws(LogError) -> OpenedRoom {
    if let first { try await make(room, first, in: store) }
    let appender = try await store.open(room, listener: listener)
    do throws(LogError) {
      return try await fold(room, in: store, appender: appender, keeping: kept)
    } catch {
      appender.close()
      throw error
    }
  }

  /// The first event of a log that is made when somebody wants in, and when that was.
  struct Making: Sendable {
    var event: Event
    var time: Timestamp
  }

  /// Makes the room with its first event, unless it is there.
  private static func make(_ room: RoomID, _ first: Making, in store: any LogStore) async throws(LogError) {
    do throws(LogError) {
      _ = try await create(room, with: first.event, in: store, at: first.time)
    } catch {
      guard case .logExists = error else { throw error }
    }
  }

  /// A new log and its first event. Durable when it returns.
  static func create(
    _ room: RoomID, with event: Event, in store: any LogStore, at now: Timestamp
  ) async throws(LogError) -> LogInfo {
    let info = try await store.create(room, at: now)
    let record = Record(
      kind: event.kind, time: now, actor: Actor.server.code, body: EventCodec.encodeBody(event, counter: 0))
    try await store.append([record], to: room, expecting: .zero, epoch: info.epoch)
    return try await store.info(of: room)
  }

  /// How a room was made: from its first event or, if that is gone, from its newest snapshot. Nil for what is no
  /// room.
  package static func created(_ info: LogInfo, in store: any LogStore) async throws(LogError) -> RoomCreated?
  {
    do throws(LogError) {
      if info.low == 1 { return try await created(inFirstEventOf: info.log, in: store) }
    } catch {
      guard case .damaged = error else { throw error }
    }
    let snapshot = try await store.latestSnapshot(of: info.log, notAfter: info.last)
    let state = snapshot.flatMap { try? StateDecoder.withoutElements(root: $0.root) }
    return state?.space == nil ? state?.created : nil
  }

  /// What the log is of, if it is an account's or a channel's; nil: a room's, or what cannot be told.
  package static func space(_ info: LogInfo, in store: any LogStore) async throws(LogError) -> SpaceName? {
    if info.low == 1 {
      guard case .space(.created(let name)) = try await first(of: info.log, in: store) else { return nil }
      return name
    }
    let snapshot = try await store.latestSnapshot(of: info.log, notAfter: info.last)
    return snapshot.flatMap { try? StateDecoder.withoutElements(root: $0.root) }?.space?.name
  }

  private static func created(
    inFirstEventOf room: RoomID, in store: any LogStore
  ) async throws(LogError) -> RoomCreated? {
    guard case .room(.created(let created)) = try await first(of: room, in: store) else { return nil }
    return created
  }

  private static func first(of room: RoomID, in store: any LogStore) async throws(LogError) -> Event? {
    let run = try await store.runs(of: room, after: .zero, limit: 1).first
    var first: Event?
    run?.prefix(through: 1)?.forEach { view, bytes in
      first = try? EventCodec.decode(view, in: Array(bytes)).event
    }
    return first
  }

  private static func fold(
    _ room: RoomID, in store: any LogStore, appender: any LogAppender, keeping kept: Int?
  ) async throws(LogError) -> OpenedRoom {
    let info = try await store.info(of: room)
    var (state, snapshot) = try await start(room, in: store, info: info)
    var recent = kept.map { RecentRuns(after: state.revision, limit: $0) }
    var (folded, low) = (0, info.low)
    while state.revision < info.last {
      // What lies behind an accepted loss is folded as far as it fits.
      let at = state.revision
      let runs = try await store.runs(of: room, passing: &state.revision, limit: stride)
      if state.revision > at {
        low = state.revision.next
        recent = kept.map { RecentRuns(after: state.revision, limit: $0) }
      }
      guard !runs.isEmpty else {
        throw .damaged(
          Damage(what: "the log ends early", place: "room", log: room, lost: nil))
      }
      for run in runs {
        try apply(run, to: &state, of: room)
        recent?.append(run)
        folded += run.records.count
      }
    }
    if let before = snapshot, before.revision.next < low { snapshot = nil }
    return OpenedRoom(
      appender: appender, info: info, state: state, snapshot: snapshot, low: low,
      rawBytes: max(info.rawBytes, folded), recent: recent)
  }

  /// A snapshot that cannot be read is left aside: the log alone is enough.
  private static func start(
    _ room: RoomID, in store: any LogStore, info: LogInfo
  ) async throws(LogError) -> (RoomState, Snapshot?) {
    guard let snapshot = try await store.latestSnapshot(of: room, notAfter: info.last) else {
      return (RoomState(), nil)
    }
    do throws(CodecError) {
      let state = try StateDecoder.state(
        root: snapshot.root, parts: snapshot.parts.map(\.bytes), keptByStore: true)
      return (state, snapshot)
    } catch {
      return (RoomState(), nil)
    }
  }

  private static func apply(
    _ run: Run, to state: inout RoomState, of room: RoomID
  ) throws(LogError) {
    try run.forEach { (view, _) throws(LogError) in
      do throws(CodecError) {
        state.apply(try EventCodec.decode(view, in: run.records))
      } catch {
        let revision = view.revision.rawValue
        throw .damaged(
          Damage(what: "a record cannot be read", place: "room", log: room, lost: revision...revision))
      }
    }
  }
}

extension Refusal {
  /// What a client is told when a store fails.
  package init(_ error: LogError) {
    switch error {
    case .noSuchLog, .deleted: self.init(.notFound)
    case .full: self.init(.logFull)
    case .tooLarge(let bytes, let limit): self.init(.tooLarge, actual: bytes, allowed: limit, limit: "record")
    case .unfinished:
      self.init(
        .conflict, cause: "The room is being imported, and not all of it is there.",
        cure: "Ask the operator to finish the import.")
    case .logExists: self.init(.conflict, cause: "A room of this name is there already.")
    // The owner of the log changes, or is another node: whoever comes again finds it.
    case .elsewhere, .changingOwner, .nodeFenced: self.init(.goingAway)
    case .fenced, .conflict, .trimmed, .beyondEnd, .stopped, .io, .damaged, .locked, .incompatible,
      .missingPart, .readOnly, .unstarted:
      self.init(.internalFailure)
    }
  }
}
