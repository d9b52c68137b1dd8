import EventLogModel

/// Events of names that are heard in batches (ME-7).
struct MagixBatches {
  /// Half a second; lower intervals are raised to it.
  static let shortest = Duration.milliseconds(500)
  /// Events in one batch. 10,000: when there are more the batch goes early, and nothing is lost.
  static let limit = 10_000

  private struct Batch {
    var interval: Duration
    var events: [WhiteEvent] = []
    var due: Timestamp?
  }

  private var batches: [String: Batch] = [:]

  var due: Timestamp? { batches.values.compactMap(\.due).min() }

  /// From now on; what is gathered for the name already stays.
  mutating func listen(to name: String, every interval: Duration) {
    batches[name, default: Batch(interval: interval)].interval = max(interval, Self.shortest)
  }

  /// What is gathered is not told; later events are.
  mutating func clear() {
    for name in batches.keys {
      batches[name]?.events = []
      batches[name]?.due = nil
    }
  }

  mutating func stopListening(to name: String) { batches[name] = nil }

  /// An event came; the interval of a batch begins with its first. Gives a batch that is full.
  mutating func add(_ event: WhiteEvent, at now: Timestamp) -> [WhiteEvent]? {
    guard let batch = batches[event.eventName] else { return nil }
    if batch.events.isEmpty { batches[event.eventName]?.due = now + batch.interval }
    batches[event.eventName]?.events.append(event)
    return batch.events.count + 1 >= Self.limit ? takeBatch(of: event.eventName) : nil
  }

  /// The batches whose time has come, by name.
  mutating func next(at now: Timestamp) -> [[WhiteEvent]] {
    batches.keys.sorted().compactMap { name in
      batches[name]?.due.map { $0 <= now } == true ? takeBatch(of: name) : nil
    }
  }

  private mutating func takeBatch(of name: String) -> [WhiteEvent]? {
    let events = batches[name]?.events
    batches[name]?.events = []
    batches[name]?.due = nil
    return events
  }
}
