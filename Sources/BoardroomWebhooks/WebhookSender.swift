import BoardroomAccess
import BoardroomModel
import CoreMetrics
import EventLogModel
import Logging

/// Carries out what one endpoint's machine decides: reads logs, sends, writes cursors, waits.
actor WebhookSender {
  /// What all senders of a server use.
  struct WebhookEnvironment: Sendable {
    var store: any LogStore
    var transport: any WebhookTransport
    var secrets: [WebhookSecret]
    var settings: WebhookSettings
    /// The clock for pauses; its time must never fall.
    var clock: @Sendable () -> Timestamp
    /// The wall clock, with which receivers compare theirs.
    var wall: @Sendable () -> Timestamp
    /// A random number from 0 to 1.
    var chance: @Sendable () -> Double
    var logger: Logger
  }

  /// How often cursors are written that only moved over events that are not told. They only save reading.
  private static let quietEvery: Duration = .seconds(10)
  private static let scanPage = 1_000
  /// How often a node looks for logs that nobody tells of, as after the end of another node.
  private static let behindEvery: Duration = .seconds(10)
  /// The pause after cursors could not be read or written, in which nothing is sent.
  private static let cursorPause: Duration = .seconds(1)

  let endpoint: WebhookEndpoint
  private let inbox: WebhookInbox
  private let around: WebhookEnvironment
  private let counters: WebhookCounters
  private let feed: WebhookFeed
  private var machine: WebhookMachine
  private var places: CursorPlace
  /// Moves that could not be written yet.
  private var unwritten: [RoomID: Cursor?] = [:]
  /// Cursors that other nodes have moved further; not taken up while something is being sent.
  private var overtaken: [RoomID: Cursor] = [:]
  /// Notes that were not taken up yet.
  private var notes: [RoomID: WebhookNote] = [:]
  /// Rooms whose cursors were read from where all nodes have them.
  private var placed: Set<RoomID> = []
  /// Whether it was said that cursors cannot be read or written now.
  private var isAway = false
  private var behindDue: Timestamp
  /// Where the next look at logs of nobody goes on.
  private var lookedBehind: LogID?
  /// How many starts of nodes had ended when all logs of nobody were looked at; nil: they were not.
  private var endedNodes: Int?
  private var writtenFailing: Timestamp?
  private var quietDue: Timestamp
  private var rests = FeedRests()
  private var isNew: Bool
  private let lossPath: String
  /// The endpoint's file in the data folder.
  private let earlier: WebhookCursorFile

  /// - Parameters:
  ///   - file: the endpoint's own.
  ///   - known: the content of that file.
  ///   - shared: where the cursors are for all nodes. The file is only read then, if it is there from before.
  init(
    _ endpoint: WebhookEndpoint, inbox: WebhookInbox, file: WebhookCursorFile,
    known: WebhookCursorFile.SavedCursors, shared: (any SharedCursors)? = nil, around: WebhookEnvironment,
    counters: WebhookCounters
  ) {
    self.endpoint = endpoint
    self.inbox = inbox
    self.around = around
    self.counters = counters
    feed = WebhookFeed(store: around.store, kinds: around.settings.wanted)
    places = shared.map { .shared($0) } ?? .file(file)
    earlier = file
    lossPath = file.folder + "/" + endpoint.id + ".lost.jsonl"
    let policy = WebhookMachine.Policy(
      batch: around.settings.batch, retention: around.settings.retention)
    machine = WebhookMachine(policy: policy, cursors: known.cursors, failingSince: known.failingSince)
    isNew = known.isNew
    writtenFailing = known.failingSince
    quietDue = around.clock() + Self.quietEvery
    behindDue = around.clock()
    if known.badLines > 0 {
      around.logger.warning(
        "webhook cursors could not be read: some events are told again",
        metadata: ["endpoint": "\(endpoint.id)", "lines": "\(known.badLines)"])
    }
  }

  // MARK: Beginning

  /// For a new endpoint: notes the end of each log, so that it begins there. Call it before rooms open.
  func open() async throws {
    if let shared = places.shared { return try await open(shared) }
    if isNew {
      try await scan(skips: around.settings.from == .now)
      around.logger.info("a new webhook endpoint", metadata: place)
    }
    var file = earlier
    try file.rewrite(machine.cursors, failingSince: writtenFailing)
    places = .file(file)
    _ = machine.takeMoves(all: true)
  }

  /// Cursors in a file are those from before they were kept for all nodes: they are brought there once.
  private func open(_ shared: any SharedCursors) async throws {
    let hasFile = !isNew
    let skips = !hasFile && around.settings.from == .now
    if try await shared.begin(with: machine.cursors, skips: skips), !hasFile {
      around.logger.info("a new webhook endpoint", metadata: place)
    }
    if hasFile { try PlainFile.move(earlier.path, to: earlier.path + ".moved") }
    writtenFailing = try await shared.failingSince()
    let policy = machine.policy
    machine = WebhookMachine(policy: policy, failingSince: writtenFailing)
  }

  /// Compares every log with its cursor, so that events from the time without a server are told, too.
  private func scan(skips: Bool) async throws(LogError) {
    var unseen = Set(machine.cursors.keys)
    var last: LogID?
    while !inbox.isClosed {
      let infos = try await around.store.logs(after: last, limit: Self.scanPage)
      for info in infos {
        machine.found(info, skips: skips, at: around.clock())
        unseen.remove(info.log)
      }
      last = infos.last?.log
      guard infos.count == Self.scanPage else {
        for room in unseen { machine.forget(room) }
        return
      }
    }
  }

  // MARK: Running

  /// Runs until the inbox is closed.
  func run() async {
    if places.shared == nil, !isNew { await scanOrLog() }
    while !inbox.isClosed {
      let now = around.clock()
      guard await takeNotes(at: now) else {
        await rest(until: now + Self.cursorPause)
        continue
      }
      let action = machine.next(at: now)
      // Nothing is sent while it cannot be noted: it would be told again by the node that has the log next.
      while await !writeDown(at: now), !inbox.isClosed {
        await rest(until: around.clock() + Self.cursorPause)
      }
      switch action {
      case .look(let room, let cursor, let limit): await look(at: room, after: cursor, limit)
      case .send(let events): if !inbox.isClosed { await send(events) }
      case .wait(let time): await inbox.wait(until: earliest(time, places.due, quietDue, behindDueIfShared))
      }
    }
    _ = await writeDown(at: around.clock(), all: true)
    places = await places.ended()
  }

  /// Waits, whatever is noted meanwhile.
  private func rest(until time: Timestamp) async {
    while around.clock() < time, !inbox.isClosed { await inbox.wait(until: time) }
  }

  // MARK: Cursors for all nodes

  private var behindDueIfShared: Timestamp? {
    places.shared == nil ? nil : behindDue
  }

  /// Takes up what was committed here. Returns whether that is done: cursors that all nodes have must be read first.
  private func takeNotes(at now: Timestamp) async -> Bool {
    for (room, cursor) in overtaken { machine.place(room, at: cursor) }
    overtaken = [:]
    for (room, note) in inbox.takeNotes() {
      if notes[room] != nil { notes[room]!.join(note) } else { notes[room] = note }
    }
    if let shared = places.shared {
      do throws(LogError) { try await look(into: shared, at: now) } catch {
        if !isAway {
          around.logger.warning(
            "webhook cursors cannot be read: nothing is told meanwhile",
            metadata: place.merging(["why": "\(error)"]) { $1 })
        }
        isAway = true
        return false
      }
      isAway = false
    }
    for (room, note) in notes.sorted(by: { $0.key < $1.key }) { machine.advanced(room, note, at: now) }
    notes = [:]
    return true
  }

  private func look(into shared: any SharedCursors, at now: Timestamp) async throws(LogError) {
    let asked = notes.filter { $0.value.isFresh || !placed.contains($0.key) }.map(\.key)
    if !asked.isEmpty {
      for (room, cursor) in try await shared.cursors(of: asked) { machine.place(room, at: cursor) }
      placed.formUnion(asked)
    }
    guard now >= behindDue else { return }
    behindDue = now + Self.behindEvery
    try await lookBehind(shared, ofNobody: false, at: now)
    guard let ended = try await shared.takeDuty() else {
      endedNodes = nil
      return
    }
    if ended != endedNodes {
      try await lookBehind(shared, ofNobody: true, at: now)
      (endedNodes, lookedBehind) = (ended, nil)
    } else {
      // One page each time: to look at all of them would cost more, the more there are (DB-12).
      lookedBehind = try await lookBehind(shared, after: lookedBehind, ofNobody: true, at: now)
    }
  }

  private func lookBehind(
    _ shared: any SharedCursors, ofNobody: Bool, at now: Timestamp
  ) async throws(LogError) {
    var last: LogID?
    repeat {
      last = try await lookBehind(shared, after: last, ofNobody: ofNobody, at: now)
    } while last != nil && !inbox.isClosed
  }

  /// Looks at one page. Returns its last log, nil at the end.
  private func lookBehind(
    _ shared: any SharedCursors, after last: LogID?, ofNobody: Bool, at now: Timestamp
  ) async throws(LogError) -> LogID? {
    let page = try await shared.behind(after: last, limit: Self.scanPage, ofNobody: ofNobody)
    for found in page.logs { machine.behind(found.log, at: found.cursor, last: found.last, at: now) }
    placed.formUnion(page.logs.map(\.log))
    return page.last
  }

  private func scanOrLog() async {
    do throws(LogError) {
      try await scan(skips: false)
    } catch {
      around.logger.error(
        "logs could not be listed: events of the last run may wait for the next start",
        metadata: place.merging(["why": "\(error)"]) { $1 })
    }
  }

  private func earliest(_ times: Timestamp?...) -> Timestamp? { times.compactMap(\.self).min() }

  private func look(at room: RoomID, after cursor: Cursor?, _ limit: Int) async {
    do throws(LogError) {
      let now = around.clock()
      let answer = try await feed.page(
        of: room, after: cursor, events: limit, rest: rests.rest(of: room, at: now))
      rests.keep(answer.rest, of: room, at: now)
      machine.found(answer.page, at: around.clock())
    } catch {
      rests.forget(room)
      let why = await reason(of: error, in: room)
      machine.unreadable(why, chance: around.chance(), at: around.clock())
    }
  }

  private func reason(of error: LogError, in room: RoomID) async -> WebhookMachine.Unreadable {
    switch error {
    case .noSuchLog, .deleted: return .gone
    case .trimmed(_, let low):
      guard let epoch = try? await around.store.info(of: room).epoch else { return .unavailable }
      return .trimmed(epoch, low: low)
    case .logExists, .unfinished, .fenced, .conflict, .beyondEnd, .tooLarge, .full, .stopped, .io, .damaged,
      .locked,
      .incompatible, .missingPart, .readOnly, .unstarted, .elsewhere, .changingOwner, .nodeFenced:
      around.logger.warning(
        "a room's log cannot be read for webhooks",
        metadata: place.merging(["room": "\(room)", "why": "\(error)"]) { $1 })
      return .unavailable
    }
  }

  // MARK: Sending

  private func send(_ events: [WebhookEvent]) async {
    let before = machine.failures
    let answer = await around.transport.post(request(for: events), within: around.settings.timeout)
    let verdict = answer.verdict
    // If the server itself broke the delivery off, its outcome is unknown.
    if inbox.isClosed, verdict != .taken { return }
    machine.answered(verdict, chance: around.chance(), at: around.clock())
    note(verdict, answer, events.count, failedBefore: before)
  }

  private func request(for events: [WebhookEvent]) -> WebhookRequest {
    let isBatch = around.settings.batch > 1
    let body = isBatch ? WebhookEvent.array(of: events) : events[0].json
    let type = isBatch ? WebhookEvent.batchContentType : WebhookEvent.contentType
    let id = isBatch ? WebhookEvent.batchID(of: events) : events[0].id
    let signed = WebhookSignature.headers(
      id: id, at: around.wall(), body: body, secrets: around.secrets)
    return WebhookRequest(
      url: endpoint.url, headers: [("content-type", type), ("user-agent", "boardroom")] + signed, body: body)
  }

  private func note(
    _ verdict: WebhookMachine.Verdict, _ answer: WebhookAnswer, _ count: Int, failedBefore: Int
  ) {
    let details = place.merging(["why": "\(answer.words)"]) { $1 }
    switch verdict {
    case .taken:
      counters.sent.increment(by: Int64(count))
      if failedBefore > 0 { around.logger.notice("a webhook endpoint answers again", metadata: place) }
    case .refused:
      counters.failed.increment(by: 1)
      around.logger.warning("a webhook endpoint refuses an event: its room waits", metadata: details)
    case .failed:
      counters.failed.increment(by: 1)
      guard failedBefore == 0 else { return }
      around.logger.warning("a webhook endpoint fails: it is tried again", metadata: details)
    case .unwanted:
      counters.failed.increment(by: 1)
      around.logger.error(
        "a webhook endpoint wants no more (410): it is left alone until the server starts again",
        metadata: place)
    }
  }

  private var place: Logger.Metadata { ["endpoint": "\(endpoint.id)", "at": "\(endpoint.place)"] }

  func standing() -> WebhookStanding { machine.standing(at: around.clock()) }

  // MARK: Remembering

  /// Writes losses before the cursors that move over them, and both before anything else is sent. Returns whether what is
  /// sent next may be sent.
  private func writeDown(at now: Timestamp, all: Bool = false) async -> Bool {
    let withQuiet = all || now >= quietDue
    if withQuiet { quietDue = now + Self.quietEvery }
    let taken = machine.takeMoves(all: withQuiet)
    for loss in taken.losses { write(loss, at: now) }
    for move in taken.moves { unwritten[move.room] = .some(move.cursor) }
    let change = CursorPlace.CursorChange(
      moves: unwritten, cursors: machine.cursors, failingSince: machine.failingSince,
      hasFailingChanged: machine.failingSince != writtenFailing)
    let isShared = places.shared != nil
    var written = places
    do {
      let ahead = try await written.write(change, at: now)
      (places, unwritten) = (written, [:])
      overtaken.merge(ahead) { $1 }
      writtenFailing = change.failingSince
      return true
    } catch {
      (places, unwritten) = (written, isShared ? unwritten : [:])
      if !isAway {
        around.logger.error(
          "webhook cursors could not be written: after a restart, events are told again",
          metadata: place.merging(["why": "\(error)"]) { $1 })
      }
      isAway = isShared
      return !isShared
    }
  }

  private func write(_ loss: WebhookLoss, at now: Timestamp) {
    counters.skipped.increment(by: Int64(loss.count))
    let details: Logger.Metadata = [
      "room": "\(loss.room)", "first": "\(loss.first)", "last": "\(loss.last)", "events": "\(loss.count)",
      "why": "\(loss.reason.rawValue)",
    ]
    around.logger.error("a webhook endpoint was never told", metadata: place.merging(details) { $1 })
    do throws(WebhookCursorFile.Failure) {
      try PlainFile.add(line: loss.line(at: now), to: lossPath)
    } catch {
      around.logger.error("the loss could not be written down", metadata: place)
    }
  }
}
