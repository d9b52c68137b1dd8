import EventLogModel
import Logging
import Synchronization

/// Removes what is not to be kept, in rounds, while the server runs.
final class Retention: Sendable {
  private let round: RetentionRound
  private let every: Duration
  private let sum = Mutex(RetentionRound.Outcome())

  init(_ round: RetentionRound, every: Duration) {
    self.round = round
    self.every = every
  }

  var samples: [MetricSample] { Self.samples(sum.withLock { $0 }) }

  static func samples(_ sum: RetentionRound.Outcome) -> [MetricSample] {
    [
      MetricSample(
        "boardroom_retention_rooms_total", .counter, Double(sum.rooms),
        help: "Deleted rooms that were removed for good since the start."),
      MetricSample(
        "boardroom_retention_events_total", .counter, Double(sum.events),
        help: "Events of old history that were removed since the start."),
      MetricSample(
        "boardroom_retention_images_total", .counter, Double(sum.images),
        help: "Images that no event named any more and that were removed since the start."),
    ]
  }

  /// Runs until the task is cancelled. The first round comes at once, because it finishes what a kill left
  /// unfinished.
  func run() async {
    var seen: RetentionRound.SeenRooms = [:]
    while !Task.isCancelled {
      do throws(LogError) {
        let outcome = try await round.run(&seen)
        sum.withLock { sum in
          sum.rooms += outcome.rooms
          sum.events += outcome.events
          sum.images += outcome.images
        }
      } catch {
        if case .stopped = error { return }
        round.logger.warning("what is not to be kept cannot be removed", metadata: ["what": "\(error)"])
      }
      // If the task is cancelled while it waits, the loop ends.
      try? await Task.sleep(for: every)
    }
  }
}
