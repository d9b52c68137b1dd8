import BoardroomHTTP
import BoardroomHosting
import BoardroomWebhooks
import CoreMetrics
import EventLogModel

/// Everything that `/metrics` shows, collected for each request.
struct ServerMeasurements: Sendable {
  static let requests = "boardroom_http_requests_total"
  static let requestSeconds = "boardroom_http_seconds"
  static let damagedImages = "boardroom_images_damaged_total"
  static let help = [
    requests: "Answers to HTTP requests, by status.",
    requestSeconds: "Time from an HTTP request's head to the head of its answer.",
    damagedImages: "Times that an image was asked for and its bytes were not those of its name.",
  ].merging(WebhookCounters.help) { $1 }

  let registry: PrometheusRegistry
  let engine: RoomServerEngine
  let health: ServerHealth
  let store: StoreWatch
  let limiter: ConnectionLimiter
  let webhooks: Webhooks?
  let facts: ServerFacts
  /// Nil where nothing is scrubbed.
  let scrubber: Scrubber?
  let retention: Retention
  /// Nil where there are no other nodes.
  let pipes: PipeDesk?

  /// Counts one answer.
  func answered(_ status: Int, after time: Duration) {
    let parts = time.components
    registry.makeTimer(label: Self.requestSeconds, dimensions: [])
      .recordNanoseconds(parts.seconds * 1_000_000_000 + parts.attoseconds / 1_000_000_000)
    registry.makeCounter(label: Self.requests, dimensions: [("code", String(status))]).increment(by: 1)
  }

  func imageIsDamaged() {
    registry.makeCounter(label: Self.damagedImages, dimensions: []).increment(by: 1)
  }

  func text() async -> String {
    var exposition = Exposition()
    let counts = await engine.counts()
    let taken =
      Self.samples(of: counts, isReady: health.notReady == nil)
      + Self.samples(of: limiter.counts, waiting: await limiter.waitingBytes())
      + Self.samples(of: counts.fanOut, refusedRooms: engine.refusedRooms)
      + (pipes?.counts ?? PipeDesk.Counts()).samples
    for sample in taken + store.samples() {
      exposition.add(sample)
    }
    for histogram in store.histograms() { exposition.add(histogram) }
    await webhooks?.measure()
    exposition.add(registry)
    let scrubbed = scrubber?.samples ?? Scrubber.ScrubFigures().samples
    for sample in facts.samples + scrubbed + retention.samples + ProcessSamples.taken() {
      exposition.add(sample)
    }
    return exposition.text
  }

  private static func samples(of counts: EngineCounts, isReady: Bool) -> [MetricSample] {
    [
      MetricSample("boardroom_ready", .gauge, isReady ? 1 : 0, help: "1 if the server takes new work."),
      MetricSample("boardroom_rooms_open", .gauge, Double(counts.rooms), help: "Rooms open in memory."),
      MetricSample(
        "boardroom_replays", .gauge, Double(counts.replays), help: "Replays watched over WebSockets."),
      MetricSample(
        "boardroom_spectators", .gauge, Double(counts.spectators),
        help: "Connections that see a room with very many members, and are no members of it."),
      MetricSample(
        "boardroom_members", .gauge, Double(counts.members), help: "Members, with and without a connection."),
      MetricSample(
        "boardroom_connections", .gauge, Double(counts.connections), help: "WebSocket connections."),
      MetricSample(
        "boardroom_connections_live", .gauge, Double(counts.live),
        help: "Connections that get each commit as it comes; the others are catching up."),
    ]
  }
}

extension ServerMeasurements {
  /// All metrics with the value zero, for the reference.
  static var samplesOfNothing: [MetricSample] {
    samples(of: EngineCounts(rooms: 0, members: 0, connections: 0, live: 0), isReady: false)
      + samples(of: ConnectionLimiter.Counts(), waiting: 0) + samples(of: FanOut(), refusedRooms: 0)
      + PipeDesk.Counts().samples
  }

  private static func samples(of fanOut: FanOut, refusedRooms: Int) -> [MetricSample] {
    [
      MetricSample(
        "boardroom_rooms_refused_total", .counter, Double(refusedRooms),
        help: "Times that somebody was turned away because too many rooms were open."),
      MetricSample(
        "boardroom_deliveries_total", .counter, Double(fanOut.deliveries),
        help: "Messages with events handed to live connections, one for each commit, room and connection."),
      MetricSample(
        "boardroom_delivered_bytes_total", .counter, Double(fanOut.bytes),
        help: "Bytes of the messages that boardroom_deliveries_total counts."),
      MetricSample(
        "boardroom_left_behind_total", .counter, Double(fanOut.leftBehind),
        help: "Times that a connection's outbox was full, so that it went on reading from the log."),
    ]
  }

  private static func samples(of counts: ConnectionLimiter.Counts, waiting: Int) -> [MetricSample] {
    [
      MetricSample(
        "boardroom_outbox_bytes", .gauge, Double(waiting),
        help: "Bytes that wait in the server to be taken by slow connections."),
      MetricSample(
        "boardroom_sockets", .gauge, Double(counts.open), help: "Connections of the port, of every kind."),
      MetricSample(
        "boardroom_sockets_refused_address_total", .counter, Double(counts.refusedByAddress),
        help: "Connections refused because their address had too many."),
      MetricSample(
        "boardroom_sockets_refused_all_total", .counter, Double(counts.refusedInAll),
        help: "Connections refused because there were too many in all."),
    ]
  }
}

/// What the owner of the log store reports of it. This layer does not know which store it is.
public struct StoreWatch: Sendable {
  /// The histogram of group commits, by which slow ones are noticed.
  public static let commitSeconds = "boardroom_log_commit_seconds"

  /// The count of seals that failed.
  public static let sealFailures = "boardroom_log_seal_failures_total"

  /// Why the store takes no events; nil if it takes them.
  public var refusal: @Sendable () -> LogError?
  public var samples: @Sendable () -> [MetricSample]
  public var histograms: @Sendable () -> [MetricHistogram]
  /// The age of the group commit that is under way.
  public var commitUnderWay: @Sendable () -> Duration
  /// Whether what is acknowledged is on as many disks as it is to be.
  package var isReplicated: @Sendable () -> Bool = { true }
  /// Begins a pass that reads everything that is stored, at a place that an earlier step gave or at the
  /// beginning. Nil if the store cannot be read while it is written.
  public var scrub: (@Sendable (_ place: String?) throws(LogError) -> ScrubPass)?
  /// Where it is kept how far passes have come; nil: in the file `SCRUB` of the data folder.
  public var scrubRecords: ScrubRecords?
  /// The identity of the store, for copies that follow it (FILE-7); empty if it has none.
  public var identity = ""

  public init(
    refusal: @escaping @Sendable () -> LogError? = { nil },
    samples: @escaping @Sendable () -> [MetricSample] = { [] },
    histograms: @escaping @Sendable () -> [MetricHistogram] = { [] },
    commitUnderWay: @escaping @Sendable () -> Duration = { .zero },
    scrub: (@Sendable (_ place: String?) throws(LogError) -> ScrubPass)? = nil
  ) {
    self.refusal = refusal
    self.samples = samples
    self.histograms = histograms
    self.commitUnderWay = commitUnderWay
    self.scrub = scrub
  }
}
