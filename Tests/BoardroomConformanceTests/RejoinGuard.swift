import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import Synchronization

/// Holds an SDK and its room, shows what is in it, and joins again when the room is lost for good: once for each loss,
/// with the callbacks that are in force already.
final class RejoinGuard: WhiteRoomCallbackDelegate, Sendable {
  private struct Held {
    var room: WhiteRoom?
    var isRejoining = false
    var wasRemoved = false
    var shown = ""
  }
  private let sdk: WhiteSDK
  private let config: WhiteRoomConfig
  private let held = Mutex(Held())

  init(_ sdk: WhiteSDK, _ config: WhiteRoomConfig) {
    self.sdk = sdk
    self.config = config
  }

  var room: WhiteRoom? { held.withLock { $0.room } }
  var shown: String { held.withLock { $0.shown } }

  func start() {
    sdk.joinRoom(with: config, callbacks: self) { [weak self] _, room, _ in self?.entered(room) }
  }

  func draw() { room?.setGlobalState(["drawn": .bool(true)], completion: nil) }

  func leave() { room?.disconnect(nil) }

  func firePhaseChanged(_ phase: WhiteRoomPhase) {
    guard phase == .disconnected, mayRejoin() else { return }
    // Without a callbacks object: the one of the first join stays in force.
    sdk.joinRoom(with: config) { [weak self] _, room, _ in self?.entered(room) }
  }

  /// Comes before the phase says so.
  func fireKickedWithReason(_ reason: String) { held.withLock { $0.wasRemoved = true } }

  func fireRoomStateChanged(_ modifyState: WhiteRoomState) { show() }

  private func mayRejoin() -> Bool {
    held.withLock { held in
      guard let room = held.room, !room.disconnectedBySelf, !held.wasRemoved, !held.isRejoining else {
        return false
      }
      held.isRejoining = true
      return true
    }
  }

  private func entered(_ room: WhiteRoom?) {
    held.withLock { held in
      held.isRejoining = false
      if let room { held.room = room }
    }
    show()
  }

  private func show() {
    guard let state = room?.state else { return }
    let values = (state.globalState ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.text)" }
    let shown = ([state.sceneState?.scenePath ?? "-"] + values).joined(separator: ", ")
    held.withLock { $0.shown = shown }
  }
}
