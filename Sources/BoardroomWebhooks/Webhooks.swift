import BoardroomAccess
import BoardroomHosting
import BoardroomModel
import CoreMetrics
import EventLogModel
import Logging
import NIOCore
import Synchronization

/// All endpoints of a server. It is opened before any room, started when rooms may open, and stopped before
/// the store is.
package final class Webhooks: Sendable {
  /// The folder in the data folder: cursors, losses, and the secret if the server made it.
  package static let folder = "webhooks"
  /// The file in that folder with the secret that the server uses if the settings name none.
  package static let secretName = "secret"
  /// How long a delivery that is under way may take when the server stops. 2 s: most answers come within
  /// that; others are sent again later.
  private static let patience: Duration = .seconds(2)

  /// The store that rooms must use, so that commits are noted.
  package let store: any LogStore
  private let senders: [WebhookSender]
  private let inboxes: [WebhookInbox]
  private let counters: [WebhookCounters]
  private let transport: HTTPWebhookTransport
  private let running = Mutex<[Task<Void, Never>]>([])

  /// Nil if there are no endpoints. Then no files are made, and commits cost nothing more.
  ///
  /// - Parameter shared: gives the cursors of an endpoint, by its id, where they are for all nodes; nil: files.
  package static func open(
    _ settings: WebhookSettings, data: String, store: any LogStore,
    shared: CursorsForNodes? = nil, group: any EventLoopGroup,
    timer: any RoomLoop, clock: @escaping @Sendable () -> Timestamp, registry: any MetricsFactory,
    logger: Logger
  ) async throws(WebhookStartError) -> Webhooks? {
    guard !settings.endpoints.isEmpty else { return nil }
    do {
      let folder = data + "/" + Self.folder
      try PlainFile.makeFolder(data)
      try PlainFile.makeFolder(folder)
      let secrets = try WebhookSecret.all(settings, folder: folder, ofMany: shared?.isOfMany ?? false)
      // Everything that may fail comes before the HTTP client is made, because the client has to be shut
      // down.
      let starts = try settings.endpoints.map { endpoint in
        let file = WebhookCursorFile(folder: folder, id: endpoint.id)
        return WebhookStart(
          endpoint: endpoint, file: file, known: try file.read(), shared: try shared?.cursors(endpoint.id))
      }
      let webhooks = Webhooks(
        settings, starts, secrets, store: store, group: group, timer: timer, clock: clock,
        registry: registry, logger: logger)
      do {
        for sender in webhooks.senders { try await sender.open() }
      } catch {
        await webhooks.stop()
        throw error
      }
      return webhooks
    } catch {
      throw WebhookStartError(description: "\(error)")
    }
  }

  private init(
    _ settings: WebhookSettings, _ starts: [WebhookStart],
    _ secrets: [WebhookSecret], store: any LogStore, group: any EventLoopGroup, timer: any RoomLoop,
    clock: @escaping @Sendable () -> Timestamp, registry: any MetricsFactory, logger: Logger
  ) {
    transport = HTTPWebhookTransport(group: group)
    let around = WebhookSender.WebhookEnvironment(
      store: store, transport: transport, secrets: secrets, settings: settings, clock: clock,
      wall: { .wallClock }, chance: { .random(in: 0...1) }, logger: logger)
    let inboxes = starts.map { _ in WebhookInbox(timer: timer, clock: clock) }
    let counters = starts.map { WebhookCounters($0.endpoint, registry) }
    senders = starts.indices.map { place in
      let start = starts[place]
      return WebhookSender(
        start.endpoint, inbox: inboxes[place], file: start.file, known: start.known, shared: start.shared,
        around: around, counters: counters[place])
    }
    self.store = WatchedStore(store, hub: WebhookHub(kinds: settings.wanted, inboxes: inboxes))
    self.inboxes = inboxes
    self.counters = counters
  }

  package func start() {
    running.withLock { running in
      running = senders.map { sender in Task { await sender.run() } }
    }
  }

  /// Sends no more, waits for the answers that are due, and writes all cursors.
  package func stop() async {
    for inbox in inboxes { inbox.close() }
    let tasks = running.withLock { running in
      defer { running = [] }
      return running
    }
    let impatience = Task {
      try await Task.sleep(for: Self.patience)
      for task in tasks { task.cancel() }
    }
    for task in tasks { await task.value }
    impatience.cancel()
    await transport.shutdown()
  }

  /// Updates the gauges; counters are always up to date.
  package func measure() async {
    for (sender, counters) in zip(senders, counters) { counters.set(await sender.standing()) }
  }
}

/// Where cursors are for all nodes that serve one database.
package struct CursorsForNodes: Sendable {
  /// Whether other nodes may serve it at the same time.
  package var isOfMany: Bool
  /// The cursors of an endpoint, by its id.
  package var cursors: @Sendable (String) throws -> any SharedCursors
  /// Those of all endpoints, by id. For copies.
  package var all: @Sendable () async throws -> [String: [RoomID: Cursor]]

  package init(
    isOfMany: Bool, cursors: @escaping @Sendable (String) throws -> any SharedCursors,
    all: @escaping @Sendable () async throws -> [String: [RoomID: Cursor]]
  ) {
    (self.isOfMany, self.cursors, self.all) = (isOfMany, cursors, all)
  }
}

/// What is known of an endpoint at a start.
private struct WebhookStart {
  var endpoint: WebhookEndpoint
  var file: WebhookCursorFile
  var known: WebhookCursorFile.SavedCursors
  var shared: (any SharedCursors)?
}

/// Why webhooks cannot be started: a folder, a file or a secret. The text is for operators.
package struct WebhookStartError: Error, Sendable, Hashable, CustomStringConvertible {
  package let description: String
}

/// One endpoint's series.
package struct WebhookCounters: Sendable {
  package static let help = [
    "boardroom_webhooks_sent_total": "Events that an endpoint took.",
    "boardroom_webhooks_failed_total": "Requests that an endpoint did not answer with success.",
    "boardroom_webhooks_skipped_total": "Events that an endpoint will never be told.",
    "boardroom_webhooks_lag_events":
      "Revisions of rooms that an endpoint was not told of yet, told kinds and others.",
    "boardroom_webhooks_lag_seconds": "How long the oldest of them has waited.",
    "boardroom_webhooks_held_rooms": "Rooms that wait because an endpoint refused an event of theirs.",
    "boardroom_webhooks_up": "1 if the endpoint took the last request.",
  ]

  let sent: any CounterHandler
  let failed: any CounterHandler
  let skipped: any CounterHandler
  private let lagEvents: any MeterHandler
  private let lagSeconds: any MeterHandler
  private let heldRooms: any MeterHandler
  private let up: any MeterHandler

  init(_ endpoint: WebhookEndpoint, _ registry: any MetricsFactory) {
    let labels = [("endpoint", endpoint.id), ("at", endpoint.place)]
    func counter(_ name: String) -> any CounterHandler {
      registry.makeCounter(label: "boardroom_webhooks_\(name)_total", dimensions: labels)
    }
    func meter(_ name: String) -> any MeterHandler {
      registry.makeMeter(label: "boardroom_webhooks_\(name)", dimensions: labels)
    }
    (sent, failed, skipped) = (counter("sent"), counter("failed"), counter("skipped"))
    (lagEvents, lagSeconds) = (meter("lag_events"), meter("lag_seconds"))
    (heldRooms, up) = (meter("held_rooms"), meter("up"))
  }

  func set(_ standing: WebhookStanding) {
    lagEvents.set(Int64(standing.revisions))
    lagSeconds.set(Double(standing.behind.wholeMilliseconds) / 1_000)
    heldRooms.set(Int64(standing.held))
    up.set(Int64(standing.isFailing || standing.isUnwanted ? 0 : 1))
  }
}

extension WebhookSecret {
  /// The secrets: from the settings, from the file that they name, or from the server's own file, which is
  /// made at the first use.
  ///
  /// - Parameter isOfMany: whether other nodes sign for the same endpoints, so that they must have the same secret.
  static func all(
    _ settings: WebhookSettings, folder: String, ofMany isOfMany: Bool = false
  ) throws -> [WebhookSecret] {
    let given = WebhookSettings.list(settings.secret).compactMap { WebhookSecret($0) }
    if !given.isEmpty { return given }
    let isOurs = settings.secretFile == WebhookSettings.none
    guard !isOurs || !isOfMany else { throw WebhookSecretError.ofOneNode }
    let path = isOurs ? folder + "/" + Webhooks.secretName : settings.secretFile
    guard let bytes = try PlainFile.read(path) else {
      guard isOurs else { throw WebhookSecretError.missing(path) }
      let made = WebhookSecret()
      try PlainFile.create(Array((made.text + "\n").utf8), at: path)
      return [made]
    }
    guard let secrets = read(lines: String(decoding: bytes, as: UTF8.self)) else {
      throw WebhookSecretError.malformed(path)
    }
    return secrets
  }
}

enum WebhookSecretError: Error, Sendable, Hashable, CustomStringConvertible {
  case missing(String)
  case malformed(String)
  /// The secret would be one node's.
  case ofOneNode

  var description: String {
    switch self {
    case .ofOneNode:
      "Nodes that share a database sign for the same endpoints. Give all of them webhooks.secret or webhooks.secretFile."
    case .missing(let path): "There is no \(path). Check webhooks.secretFile."
    case .malformed(let path):
      "\(path) does not hold one or two secrets of at least \(WebhookSecret.least) bytes, one a line."
    }
  }
}
