import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Reads the events for an endpoint from a room's log, a page at a time.
struct WebhookFeed: Sendable {
  /// About how much of a log is unpacked at once, in bytes.
  private static let stride = 256 << 10
  /// How many bytes of records are read for one page, so that a busy room does not delay the others.
  private static let looked = 1 << 20
  /// How many bytes of events make a page full.
  private static let pageBytes = 256 << 10

  let store: any LogStore
  let kinds: WebhookKinds

  struct FeedPage: Sendable {
    var page: WebhookMachine.EventPage
    var rest: FeedRest
  }

  /// - Parameters:
  ///   - cursor: where to begin; nil, or of another epoch: at the beginning.
  ///   - known: what an earlier page has left; used if it ended at exactly this revision.
  func page(
    of room: RoomID, after cursor: Cursor?, events limit: Int, rest known: FeedRest?
  ) async throws(LogError) -> FeedPage {
    let info = try await store.info(of: room)
    let after = cursor?.epoch == info.epoch ? cursor?.revision ?? .zero : .zero
    guard after.next >= info.low else { throw .trimmed(room, low: info.low) }
    var rest: FeedRest
    if let known, known.names.epoch == info.epoch, known.names.revision == after {
      rest = known
    } else {
      rest = FeedRest(names: try await self.names(of: room, info, at: after))
    }
    var reading = FeedReader(room: room, limit: limit, kinds: kinds, names: rest.names)
    while !reading.isFull {
      if rest.runs.isEmpty {
        rest.runs = try await store.runs(of: room, after: reading.names.revision, limit: Self.stride)
        guard !rest.runs.isEmpty else { break }
      }
      for run in rest.runs where !reading.isFull { reading.add(run) }
      rest.runs = rest.runs.compactMap { $0.suffix(after: reading.names.revision) }
    }
    rest.names = reading.names
    let page = WebhookMachine.EventPage(
      room: room, epoch: info.epoch, events: reading.events, through: rest.names.revision,
      isEnd: !reading.isFull)
    return FeedPage(page: page, rest: rest)
  }

  /// The names at a revision: those of the nearest snapshot, and what was said after it.
  private func names(
    of room: RoomID, _ info: LogInfo, at revision: Revision
  ) async throws(LogError) -> RoomNames {
    var names = RoomNames(epoch: info.epoch, after: info.low.previous)
    guard revision > .zero else { return RoomNames(epoch: info.epoch) }
    if let snapshot = try await store.latestSnapshot(of: room, notAfter: revision),
      let state = try? StateDecoder.state(of: snapshot)
    {
      names = RoomNames(epoch: info.epoch, after: snapshot.revision, state: state)
    }
    while names.revision < revision {
      let runs = try await store.runs(of: room, after: names.revision, limit: Self.stride)
      guard !runs.isEmpty else { break }
      for run in runs {
        guard let part = run.prefix(through: revision), part.first > names.revision else { continue }
        part.forEach { view, _ in names.note(view, in: part.records) }
      }
    }
    return names
  }

  private struct FeedReader {
    let room: RoomID
    let limit: Int
    let kinds: WebhookKinds
    var names: RoomNames
    var events: [WebhookEvent] = []
    private var told = 0
    private var looked = 0

    init(room: RoomID, limit: Int, kinds: WebhookKinds, names: RoomNames) {
      self.room = room
      self.limit = limit
      self.kinds = kinds
      self.names = names
    }

    var isFull: Bool {
      events.count >= limit || told >= WebhookFeed.pageBytes || looked >= WebhookFeed.looked
    }

    mutating func add(_ run: Run) {
      run.forEach { view, _ in
        guard !isFull else { return }
        names.note(view, in: run.records)
        looked += view.body.count
        if let type = kinds.type(of: view.kind, in: room) { add(type, view, run.records) }
        if kinds.emptied, names.isJustEmptied { add(.emptied, view, run.records) }
      }
    }

    private mutating func add(_ type: WebhookType, _ view: RecordView, _ records: [UInt8]) {
      let event = WebhookEvent(type, view, in: records, of: room, names)
      told += event.json.count
      events.append(event)
    }
  }
}
