import BoardroomClient
import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLogModel

/// The callbacks of an account's Signaling clients, from the logs: the same lines that `boardroom signaling`
/// printed at the time.
struct HeardReport {
  let told: [SignalingRecall.Told]
  /// Channels whose logs are missing.
  let missing: [String]

  init(of account: String, in store: any LogStore) async throws {
    let home = try await Self.events(of: .account(account), in: store)
    var channels: [String: [RoomEvent]] = [:]
    var missing: [String] = []
    for name in SignalingRecall.channels(in: home) {
      do throws(ReplayError) {
        channels[name] = try await Self.events(of: .channel(.signaling, name), in: store)
      } catch {
        guard case .log(.noSuchLog) = error else { throw error }
        missing.append(name)
      }
    }
    told = SignalingRecall.told(to: account, home: home, channels: channels)
    self.missing = missing
  }

  private static func events(
    of space: SpaceName, in store: any LogStore
  ) async throws(ReplayError) -> [RoomEvent] {
    let recording = try await Recording.open(space.log, in: store)
    var events: [RoomEvent] = []
    var at = recording.info.low.previous
    while at < recording.info.last {
      let runs = try await recording.page(after: at, through: recording.info.last)
      for run in runs {
        try run.forEachEvent { event throws(ReplayError) in events.append(event) }
        at = run.lastRevision
      }
      if runs.isEmpty { break }
    }
    return events
  }
}
