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
  /// How many rooms' names are kept between pages.
  private static let namesKept = 64
  private static let scanPage = 1_000

  let endpoint: WebhookEndpoint
  private let inbox: WebhookInbox
  private let around: WebhookEnvironment
  private let counters: WebhookCounters
  private let feed: WebhookFeed
  private var machine: WebhookMachine
  private var file: WebhookCursorFile
  private var writtenFailing: Timestamp?
  private var quietDue: Timestamp
  private var names: [RoomID: RoomNames] = [:]
  private var isNew: Bool
  private let lossPath: String

  /// - Parameters:
  ///   - file: the endpoint's own.
  ///   - known: the content of that file.
  init(
    _ endpoint: WebhookEndpoint, inbox: WebhookInbox, file: WebhookCursorFile,
    known: WebhookCursorFile.SavedCursors, around: WebhookEnvironment, counters: WebhookCounters
  ) {
    self.endpoint = endpoint
    self.inbox = inbox
    self.around = around
    self.counters = counters
    feed = WebhookFeed(store: around.store, kinds: around.settings.wanted)
    self.file = file
    lossPath = file.folder + "/" + endpoint.id + ".lost.jsonl"
    let policy = WebhookMachine.Policy(
      batch: around.settings.batch, retention: around.settings.retention)
    machine = WebhookMachine(policy: policy, cursors: known.cursors, failingSince: known.failingSince)
    isNew = known.isNew
    writtenFailing = known.failingSince
    quietDue = around.clock() + Self.quietEvery
    if known.badLines > 0 {
      around.logger.warning(
        "webhook cursors could not be read: some events are told again",
        metadata: ["endpoint": "\(endpoint.id)", "lines": "\(known.badLines)"])
    }
  }

  // MARK: Beginning

  /// For a new endpoint: notes the end of each log, so that it begins there. Call it before rooms open.
  func open() async throws {
    if isNew {
      try await scan(skips: around.settings.from == .now)
      around.logger.info("a new webhook endpoint", metadata: place)
    }
    try file.rewrite(machine.cursors, failingSince: writtenFailing)
    _ = machine.takeMoves(all: true)
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
    if !isNew { await scanOrLog() }
    while !inbox.isClosed {
      let now = around.clock()
      for (room, note) in inbox.takeNotes() { machine.advanced(room, note, at: now) }
      let action = machine.next(at: now)
      writeDown(at: now)
      switch action {
      case .look(let room, let cursor, let limit): await look(at: room, after: cursor, limit)
      case .send(let events): await send(events)
      case .wait(let time): await inbox.wait(until: earliest(time, file.syncDue, quietDue))
      }
    }
    writeDown(at: around.clock(), all: true)
    try? file.sync()
    file.close()
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
      let answer = try await feed.page(of: room, after: cursor, events: limit, names: names[room])
      if names.count >= Self.namesKept { names.removeAll(keepingCapacity: true) }
      names[room] = answer.page.isEnd ? nil : answer.names
      machine.found(answer.page, at: around.clock())
    } catch {
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

  /// Writes losses before the cursors that move over them, and both before anything else is sent.
  private func writeDown(at now: Timestamp, all: Bool = false) {
    let withQuiet = all || now >= quietDue
    if withQuiet { quietDue = now + Self.quietEvery }
    let taken = machine.takeMoves(all: withQuiet)
    for loss in taken.losses { write(loss, at: now) }
    let failing: Timestamp?? = machine.failingSince == writtenFailing ? .none : .some(machine.failingSince)
    do throws(WebhookCursorFile.Failure) {
      try file.add(taken.moves, failingSince: failing, at: now)
      writtenFailing = machine.failingSince
      if let due = file.syncDue, due <= now { try file.sync() }
      if file.isLong(for: machine.cursors.count) {
        try file.rewrite(machine.cursors, failingSince: writtenFailing)
      }
    } catch {
      around.logger.error(
        "webhook cursors could not be written: after a restart, events are told again",
        metadata: place.merging(["why": "\(error)"]) { $1 })
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
