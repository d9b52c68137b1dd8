import BoardroomClient
import BoardroomLegacy
import Synchronization

/// A line above a chat: whether it is connected, and who else is there. Once another device has taken over it does
/// nothing by itself: both would throw each other out for ever.
final class ChatStatus: RtmDelegate, RtmChannelDelegate, Sendable {
  private struct Held {
    var state = RtmConnectionState.disconnected
    var others: Set<String> = []
  }
  private let held = Mutex(Held())

  var line: String {
    held.withLock { held in
      switch held.state {
      case .connected: "with " + held.others.sorted().joined(separator: ", ")
      case .connecting, .reconnecting: "connecting…"
      case .disconnected: "signed out"
      case .aborted: "in use on another device"
      }
    }
  }

  func connectionStateChanged(_ state: RtmConnectionState, reason: RtmConnectionReason) {
    held.withLock { $0.state = state }
  }

  func memberJoined(_ userId: String) { held.withLock { _ = $0.others.insert(userId) } }
  func memberLeft(_ userId: String) { held.withLock { _ = $0.others.remove(userId) } }
}
