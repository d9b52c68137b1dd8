import BoardroomClient
import BoardroomCodec
import BoardroomModel
import Synchronization

/// What one party was told. Several recorders may write into it.
final class CallbackLog: Sendable {
  private struct State {
    var lines: [Transcript.Line] = []
    weak var room: WhiteRoom?
    var owner: ObjectIdentifier?
  }
  private let held = Mutex(State())
  private let clock: @Sendable () -> Double
  /// Whether the caller is on the context for callbacks.
  private let isHome: @Sendable () -> Bool

  /// - Parameter clock: gives the second of the timeline.
  init(clock: @escaping @Sendable () -> Double, isHome: @escaping @Sendable () -> Bool) {
    self.clock = clock
    self.isHome = isHome
  }

  var lines: [Transcript.Line] { held.withLock { $0.lines } }
  var second: Double { clock() }
  /// The room of the latest join.
  var room: WhiteRoom? {
    get { held.withLock { $0.room } }
    set { held.withLock { $0.room = newValue } }
  }

  /// Whether this is the first object for which this was called.
  func isOwn(_ object: AnyObject) -> Bool {
    let name = ObjectIdentifier(object)
    return held.withLock { held in
      if held.owner == nil { held.owner = name }
      return held.owner == name
    }
  }

  func add(_ heard: Heard) {
    let line = Transcript.Line(clock(), heard)
    held.withLock { $0.lines.append(line) }
  }

  /// Adds a callback, which must come on the SDK's context.
  func record(_ heard: Heard) {
    if !isHome() { add(.broken(contract: "CB-6", "a callback came away from the SDK's context")) }
    add(heard)
  }
}

/// A callbacks object that records its callbacks and passes them on to another one.
final class CallbackRecorder: WhiteRoomCallbackDelegate, @unchecked Sendable {
  private let log: CallbackLog
  /// The app's object. It is called where the SDK calls this one, and nowhere else, so that it need not be `Sendable`.
  private let target: (any WhiteRoomCallbackDelegate)?

  init(_ log: CallbackLog, passingTo target: (any WhiteRoomCallbackDelegate)? = nil) {
    self.log = log
    self.target = target
  }

  func firePhaseChanged(_ phase: WhiteRoomPhase) {
    log.record(.phase(phase))
    target?.firePhaseChanged(phase)
  }

  func fireRoomStateChanged(_ modifyState: WhiteRoomState) {
    checkThatRoomShows(modifyState)
    log.record(.state(modifyState.worded))
    target?.fireRoomStateChanged(modifyState)
  }

  func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) {
    log.record(.committable(isAbleToCommit))
    target?.fireBeingAbleToCommitChange(isAbleToCommit)
  }

  func fireDisconnectWithError(_ error: String) {
    log.record(.disconnect(error))
    target?.fireDisconnectWithError(error)
  }

  func fireKickedWithReason(_ reason: String) {
    log.record(.kicked(reason))
    target?.fireKickedWithReason(reason)
  }

  func fireConnectionAttemptFailed(_ failure: ConnectionFailure) {
    target?.fireConnectionAttemptFailed(failure)
  }

  func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String) {
    log.record(.misfit(of: "\(userId)", error))
    target?.fireCatchErrorWhenAppendFrame(userId, error: error)
  }

  func fireMagixEvent(_ event: WhiteEvent) {
    log.record(.magix(name: event.eventName, payload: event.payload.text))
    target?.fireMagixEvent(event)
  }

  func fireHighFrequencyEvent(_ events: [WhiteEvent]) {
    let payloads = events.map(\.payload.text).joined(separator: " ")
    log.record(.batch(name: events.first?.eventName ?? "-", payloads: payloads))
    target?.fireHighFrequencyEvent(events)
  }

  func fireCanUndoStepsUpdate(_ canUndoSteps: Int) {
    log.record(.canUndo(canUndoSteps))
    target?.fireCanUndoStepsUpdate(canUndoSteps)
  }

  func fireCanRedoStepsUpdate(_ canRedoSteps: Int) {
    log.record(.canRedo(canRedoSteps))
    target?.fireCanRedoStepsUpdate(canRedoSteps)
  }

  // Callbacks that no timeline judges are only passed on.

  func fireElementsChanged() { target?.fireElementsChanged() }
  func firePointerMoved(_ pointer: WhitePointer) { target?.firePointerMoved(pointer) }
  func fireReaction(_ reaction: WhiteReaction) { target?.fireReaction(reaction) }
  func firePendingCommandsChanged(_ pending: [WhitePendingCommand]) {
    target?.firePendingCommandsChanged(pending)
  }

  /// CB-4: the room's state is the new one before its callback runs.
  private func checkThatRoomShows(_ told: WhiteRoomState) {
    guard let room = log.room else { return }
    let shown = room.state.worded
    for (part, value) in told.worded where shown[part] != value {
      log.add(.broken(contract: "CB-4", "room.state has another \(part.rawValue) than the callback"))
    }
  }
}

extension WhiteRoomState {
  /// The parts that are set, as `StatePart` writes them.
  var worded: [StatePart: String] {
    var parts: [StatePart: String] = [:]
    parts[.globalState] = globalState.map { state in
      state.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value.text)" }.joined(separator: " ")
    }
    parts[.memberState] = memberState.map { state in
      "\(state.currentApplianceName ?? "-") \(state.strokeWidth.map(\.short) ?? "-")"
    }
    parts[.roomMembers] = roomMembers.map { $0.map { $0.uid ?? "-" }.joined(separator: ", ") }
    parts[.sceneState] = sceneState.map(\.scenePath)
    parts[.pageState] = pageState.map { "\($0.index) of \($0.length)" }
    parts[.broadcastState] = broadcastState.map { "\($0.mode)" }
    parts[.cameraState] = cameraState.map { "\($0.centerX.short) \($0.centerY.short) \($0.scale.short)" }
    return parts
  }
}
