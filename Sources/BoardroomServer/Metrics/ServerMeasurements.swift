import CoreMetrics
import EventLogModel

/// Everything that `/metrics` shows, taken together when somebody asks.
struct ServerMeasurements: Sendable {
  static let requests = "boardroom_http_requests_total"
  static let help = [requests: "Answers to HTTP requests, by status."].merging(WebhookCounters.help) { $1 }

  let registry: PrometheusRegistry
  let engine: RoomServerEngine
  let health: ServerHealth
  let store: StoreWatch
  let webhooks: Webhooks?

  /// Counts one answer.
  func answered(_ status: Int) {
    registry.makeCounter(label: Self.requests, dimensions: [("code", String(status))]).increment(by: 1)
  }

  func text() async -> String {
    var exposition = Exposition()
    let counts = await engine.counts()
    for sample in Self.samples(of: counts, isReady: health.notReady == nil) + store.samples() {
      exposition.add(sample)
    }
    for histogram in store.histograms() { exposition.add(histogram) }
    await webhooks?.measure()
    exposition.add(registry)
    for sample in ProcessSamples.taken() { exposition.add(sample) }
    return exposition.text
  }

  private static func samples(of counts: EngineCounts, isReady: Bool) -> [MetricSample] {
    [
      MetricSample("boardroom_ready", .gauge, isReady ? 1 : 0, help: "1 if the server takes new work."),
      MetricSample("boardroom_rooms_open", .gauge, Double(counts.rooms), help: "Rooms open in memory."),
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

/// What the owner of the log store tells of it; this floor does not know which store it is.
public struct StoreWatch: Sendable {
  /// Why the store takes no events, if so.
  public var refusal: @Sendable () -> LogError?
  public var samples: @Sendable () -> [MetricSample]
  public var histograms: @Sendable () -> [MetricHistogram]

  public init(
    refusal: @escaping @Sendable () -> LogError? = { nil },
    samples: @escaping @Sendable () -> [MetricSample] = { [] },
    histograms: @escaping @Sendable () -> [MetricHistogram] = { [] }
  ) {
    self.refusal = refusal
    self.samples = samples
    self.histograms = histograms
  }
}
