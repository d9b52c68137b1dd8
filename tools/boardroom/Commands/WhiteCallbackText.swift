import BoardroomClient
import BoardroomCodec
import BoardroomModel

/// Hands on the callbacks of a room's client as texts, with each argument as JSON under the names of its properties.
final class WhiteCallbackPrinter: WhiteRoomCallbackDelegate, WhiteCommonCallbackDelegate {
  private let tell: (CallbackText) -> Void

  init(_ tell: @escaping (CallbackText) -> Void) { self.tell = tell }

  private func tell(_ name: String, _ arguments: JSONValue...) { tell(CallbackText((name, arguments))) }

  func firePhaseChanged(_ phase: WhiteRoomPhase) { tell("firePhaseChanged", .string(phase.name)) }
  func fireRoomStateChanged(_ modifyState: WhiteRoomState) {
    tell("fireRoomStateChanged", modifyState.json)
  }
  func fireBeingAbleToCommitChange(_ isAbleToCommit: Bool) {
    tell("fireBeingAbleToCommitChange", .bool(isAbleToCommit))
  }
  func fireDisconnectWithError(_ error: String) { tell("fireDisconnectWithError", .string(error)) }
  func fireKickedWithReason(_ reason: String) { tell("fireKickedWithReason", .string(reason)) }
  func fireCatchErrorWhenAppendFrame(_ userId: UInt64, error: String) {
    tell("fireCatchErrorWhenAppendFrame", JSONValue(id: userId), .string(error))
  }
  func fireMagixEvent(_ event: WhiteEvent) { tell("fireMagixEvent", event.json) }
  func fireHighFrequencyEvent(_ events: [WhiteEvent]) {
    tell("fireHighFrequencyEvent", .array(events.map(\.json)))
  }
  func fireCanUndoStepsUpdate(_ canUndoSteps: Int) { tell("fireCanUndoStepsUpdate", JSONValue(canUndoSteps)) }
  func fireCanRedoStepsUpdate(_ canRedoSteps: Int) { tell("fireCanRedoStepsUpdate", JSONValue(canRedoSteps)) }
  func fireElementsChanged() { tell("fireElementsChanged") }
  func firePointerMoved(_ pointer: WhitePointer) {
    let fields: [(String, JSONValue)] = [
      ("memberId", JSONValue(id: pointer.memberId)), ("x", JSONValue(pointer.x)), ("y", JSONValue(pointer.y)),
    ]
    tell("firePointerMoved", .object(fields))
  }
  func fireReaction(_ reaction: WhiteReaction) { tell("fireReaction", reaction.json) }
  func throwError(_ error: BoardroomError) { tell("throwError", .string(error.code.rawValue)) }
}

extension JSONValue {
  /// Null for a text that is missing.
  fileprivate init(reading text: JSONText?) { self = text.flatMap { try? JSONValue($0) } ?? .null }
  fileprivate init(id: UInt64) { self = .number(String(id)) }
}

extension WhiteEvent {
  fileprivate var json: JSONValue {
    .object([
      ("eventName", .string(eventName)), ("payload", JSONValue(reading: payload)),
      ("scope", .string(scope.rawValue)), ("authorId", JSONValue(id: authorId)), ("isLate", .bool(isLate)),
    ])
  }
}

extension WhiteReaction {
  fileprivate var json: JSONValue {
    var fields: [(String, JSONValue)] = [("memberId", JSONValue(id: memberId)), ("emoji", .string(emoji))]
    switch place {
    case .page(let path, let x, let y):
      fields += [("scenePath", .string(path)), ("x", JSONValue(x)), ("y", JSONValue(y))]
    case .element(let id): fields.append(("element", .string("\(id)")))
    }
    fields.append(("time", JSONValue(Int(time))))
    return .object(fields)
  }
}

extension WhiteRoomState {
  /// The parts that changed, by their names.
  fileprivate var json: JSONValue {
    var fields: [(String, JSONValue)] = []
    if let globalState {
      let values = globalState.sorted { $0.key < $1.key }.map { ($0.key, JSONValue(reading: $0.value)) }
      fields.append(("globalState", .object(values)))
    }
    if let memberState { fields.append(("memberState", memberState.json)) }
    if let roomMembers { fields.append(("roomMembers", .array(roomMembers.map(\.json)))) }
    if let sceneState { fields.append(("sceneState", sceneState.json)) }
    if let pageState { fields.append(("pageState", pageState.json)) }
    if let broadcastState { fields.append(("broadcastState", broadcastState.json)) }
    if let cameraState { fields.append(("cameraState", cameraState.json)) }
    return .object(fields)
  }
}

extension WhiteMemberState {
  fileprivate var json: JSONValue { JSONValue(reading: patch.raw) }
}

extension WhiteRoomMember {
  fileprivate var json: JSONValue {
    .object([
      ("memberId", JSONValue(id: memberId)), ("session", .string(session)),
      ("uid", uid.map { .string($0) } ?? .null), ("payload", JSONValue(reading: payload)),
      ("memberState", memberState.json), ("isReconnecting", .bool(isReconnecting)),
    ])
  }
}

extension WhiteSceneState {
  fileprivate var json: JSONValue {
    .object([
      ("scenePath", .string(scenePath)), ("index", JSONValue(index)), ("scenes", .array(scenes.map(\.json))),
    ])
  }
}

extension WhiteScene {
  fileprivate var json: JSONValue {
    var fields: [(String, JSONValue)] = [("name", .string(name))]
    if let ppt { fields += [("ppt", JSONValue(reading: ppt)), ("pptStep", JSONValue(pptStep))] }
    return .object(fields)
  }
}

extension WhitePageState {
  fileprivate var json: JSONValue { .object([("index", JSONValue(index)), ("length", JSONValue(length))]) }
}

extension WhiteBroadcastState {
  fileprivate var json: JSONValue {
    .object([
      ("mode", .string(mode.rawValue)), ("broadcasterId", broadcasterId.map { JSONValue(id: $0) } ?? .null),
    ])
  }
}

extension WhiteCameraState {
  fileprivate var json: JSONValue {
    .object([
      ("centerX", JSONValue(centerX)), ("centerY", JSONValue(centerY)), ("scale", JSONValue(scale)),
    ])
  }
}
