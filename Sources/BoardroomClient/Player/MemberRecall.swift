import BoardroomCore
import BoardroomModel
import EventLogModel

/// Reads a whole room's log as one member's client had it, without a player.
struct MemberRecall: Sendable {
  private let source: any ReplaySource
  private let viewer: WhiteReplayViewer
  private let settings: MemberView.Settings

  init(_ viewer: WhiteReplayViewer, _ settings: MemberView.Settings, in source: any ReplaySource) {
    (self.source, self.viewer, self.settings) = (source, viewer, settings)
  }

  /// Calls `take` with all that the client's link told, and when by the server's clock.
  nonisolated(nonsending) func read(
    _ take: (LinkUpdate, Timestamp) -> Void
  ) async throws -> WhiteRecall.Outcome {
    var reading = try await MemberReading(viewer, settings, in: source)
    var now = Timestamp.zero
    while let next = try await reading.nextTime() {
      now = max(now, next)
      reading.step { updates, _ in
        for update in updates { take(update, now) }
      }
    }
    return WhiteRecall.Outcome(stays: reading.stays, gaps: reading.gaps)
  }
}
