import BoardroomClient
import BoardroomCodec
import BoardroomConformance
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization

/// An app with one mistake, of those that people make with the sample.
final class FaultyApp: WhiteRoomCallbackDelegate, Sendable {
  enum Fault: String, CaseIterable {
    case none
    /// APP-1
    case rejoinsInEveryOutage
    /// APP-2
    case neverRejoins, rejoinsTwice, rejoinsLate, rejoinsWithAnotherObject
    /// APP-3
    case forgetsThatTheRejoinIsOver
    /// APP-4
    case keepsTheOldRoom
    /// APP-5
    case rejoinsAfterKick
    /// APP-6
    case rejoinsAfterLeaving
    /// APP-7
    case showsOnlyWhatItJoinedTo

    /// The row that has to fail.
    var row: String? {
      switch self {
      case .none: nil
      case .rejoinsInEveryOutage: "APP-1"
      case .neverRejoins, .rejoinsTwice, .rejoinsLate, .rejoinsWithAnotherObject: "APP-2"
      case .forgetsThatTheRejoinIsOver: "APP-3"
      case .keepsTheOldRoom: "APP-4"
      case .rejoinsAfterKick: "APP-5"
      case .rejoinsAfterLeaving: "APP-6"
      case .showsOnlyWhatItJoinedTo: "APP-7"
      }
    }

    /// Words that the report says of it.
    var said: String {
      switch self {
      case .none: ""
      case .rejoinsInEveryOutage: "in an outage that the SDK mends"
      case .neverRejoins: "nothing had joined again"
      case .rejoinsTwice: "refused as pending"
      case .rejoinsLate: "later than promised"
      case .rejoinsWithAnotherObject: "did not hear of the second join"
      case .forgetsThatTheRejoinIsOver: "nothing had joined again"
      case .keepsTheOldRoom: "the room object of an earlier join"
      case .rejoinsAfterKick: "after it had been removed"
      case .rejoinsAfterLeaving: "after its user had left"
      case .showsOnlyWhatItJoinedTo: "others had changed the room it showed"
      }
    }
  }

  private final class Deaf: WhiteRoomCallbackDelegate, Sendable {}

  private struct Held {
    var room: WhiteRoom?
    var isRejoining = false
    var wasRemoved = false
    var shown = ""
  }
  private let fault: Fault
  private let stage: AppStage
  private let held = Mutex(Held())
  private let deaf = Deaf()

  init(_ fault: Fault, _ stage: AppStage) {
    self.fault = fault
    self.stage = stage
    stage.sdk.joinRoom(with: stage.config, callbacks: self) { [weak self] _, room, _ in
      self?.entered(room)
      self?.show()
    }
  }

  static func underTest(_ fault: Fault) -> AppUnderTest<FaultyApp> {
    AppUnderTest(
      fault.rawValue, promises: [.rejoins(within: 1), .staysAwayAfterKick],
      start: { FaultyApp(fault, $0) }, room: { app in app.held.withLock { $0.room } },
      act: { app in app.held.withLock { $0.room }?.setGlobalState(["drawn": .bool(true)], completion: nil) },
      leave: { app in app.held.withLock { $0.room }?.disconnect(nil) },
      visible: { app in app.held.withLock { $0.shown } })
  }

  func firePhaseChanged(_ phase: WhiteRoomPhase) {
    if phase == .reconnecting, fault == .rejoinsInEveryOutage { rejoin() }
    guard phase == .disconnected, mayRejoin() else { return }
    switch fault {
    case .neverRejoins: break
    case .rejoinsLate:
      let later = stage.sdk.context.now + .seconds(4)
      stage.sdk.context.schedule(at: later) { [weak self] in self?.rejoin() }
    case .rejoinsTwice:
      rejoin()
      rejoin()
    case .none, .rejoinsInEveryOutage, .rejoinsWithAnotherObject, .forgetsThatTheRejoinIsOver,
      .keepsTheOldRoom, .rejoinsAfterKick, .rejoinsAfterLeaving, .showsOnlyWhatItJoinedTo:
      rejoin()
    }
  }

  func fireKickedWithReason(_ reason: String) {
    if fault != .rejoinsAfterKick { held.withLock { $0.wasRemoved = true } }
  }

  func fireRoomStateChanged(_ modifyState: WhiteRoomState) {
    if fault != .showsOnlyWhatItJoinedTo { show() }
  }

  private func mayRejoin() -> Bool {
    held.withLock { held in
      let hasLeft = held.room?.disconnectedBySelf ?? false
      guard !hasLeft || fault == .rejoinsAfterLeaving, !held.wasRemoved, !held.isRejoining else {
        return false
      }
      held.isRejoining = true
      return true
    }
  }

  private func rejoin() {
    let callbacks: (any WhiteRoomCallbackDelegate)? = fault == .rejoinsWithAnotherObject ? deaf : nil
    stage.sdk.joinRoom(with: stage.config, callbacks: callbacks) { [weak self] _, room, _ in
      self?.entered(room)
    }
  }

  private func entered(_ room: WhiteRoom?) {
    held.withLock { held in
      if fault != .forgetsThatTheRejoinIsOver { held.isRejoining = false }
      if let room, held.room == nil || fault != .keepsTheOldRoom { held.room = room }
    }
    if fault != .showsOnlyWhatItJoinedTo { show() }
  }

  private func show() {
    guard let state = held.withLock({ $0.room })?.state else { return }
    let change = state.globalState?["change"]?.text ?? "-"
    held.withLock { $0.shown = "\(state.sceneState?.scenePath ?? "-") \(change)" }
  }
}
