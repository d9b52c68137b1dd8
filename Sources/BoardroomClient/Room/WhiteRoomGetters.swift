import BoardroomCodec
import BoardroomCore
import BoardroomModel

// Reading (PARITY rows RS, GET). Properties give what the app was last shown, from any thread. The `get` methods ask again:
// they answer once everything that was asked for or heard before has been done.
extension WhiteRoom {
  // MARK: At once

  /// The room's global state by top-level key, each value as its author sent it.
  public var globalState: [String: JSONText] { state.globalState ?? [:] }
  /// One's own.
  public var memberState: WhiteMemberState { state.memberState ?? WhiteMemberState() }
  /// Members who may write, in the order of their coming.
  public var roomMembers: [WhiteRoomMember] { state.roomMembers ?? [] }
  /// The own scene, and those beside it.
  public var sceneState: WhiteSceneState { state.sceneState ?? .empty }
  /// The pages of the current directory.
  public var scenes: [WhiteScene] { sceneState.scenes }
  /// The index of the own page, and how many there are.
  public var pageState: WhitePageState { state.pageState ?? WhitePageState(index: 0, length: 0) }
  /// Who broadcasts, and whether this member follows.
  public var broadcastState: WhiteBroadcastState { state.broadcastState ?? .empty }
  /// The own camera.
  public var cameraState: WhiteCameraState { state.cameraState ?? .initial }
  /// The scale of the own camera.
  public var zoomScale: Double { cameraState.scale }
  /// The same as `roomMemberId`.
  public var memberId: UInt64? { roomMemberId }
  /// As it was given at the join.
  public var uid: String? { options.uid }

  /// Every page of the room, by directory (SC-11).
  public var entireScenes: [String: [WhiteScene]] { shown.with { $0.scenes }.byDirectory }

  /// The page of this path, if there is one (SC-11).
  public func scene(at path: String) -> WhiteScene? {
    shown.with { $0.scenes }.scene(at: path)
  }

  /// What a path leads to (SC-3).
  public func scenePathType(_ path: String) -> WhiteScenePathType {
    shown.with { $0.scenes }.pathType(of: path)
  }

  // MARK: Asked again

  /// All parts.
  public func getRoomState() async -> WhiteRoomState { await ask { $0.mirror.shown } }
  /// The room's global state, as the connection has it when it gets to the question.
  public func getGlobalState() async -> [String: JSONText] { await ask { $0.mirror.parts().globalState } }
  /// The own member state, as the connection has it.
  public func getMemberState() async -> WhiteMemberState { await ask { $0.ownState } }
  /// Members who may write, as the connection has them.
  public func getRoomMembers() async -> [WhiteRoomMember] { await ask { $0.mirror.parts().listedMembers } }
  /// The own scene and those beside it, as the connection has them.
  public func getSceneState() async -> WhiteSceneState { await ask { $0.mirror.parts().sceneState } }
  /// The scenes of the own folder, as the connection has them.
  public func getScenes() async -> [WhiteScene] { await ask { $0.mirror.parts().sceneState.scenes } }
  /// Who broadcasts, as the connection has it.
  public func getBroadcastState() async -> WhiteBroadcastState { await ask { $0.broadcast } }
  /// The phase, as the connection has it.
  public func getRoomPhase() async -> WhiteRoomPhase { await ask { $0.told.phase ?? .connecting } }
  /// The own camera, as the connection has it.
  public func getCameraState() async -> WhiteCameraState { await ask { $0.camera } }
  /// The scale of the own camera, as the connection has it.
  public func getZoomScale() async -> Double { await ask { $0.camera.scale } }
  /// All scenes, by their folders.
  public func getEntireScenes() async -> [String: [WhiteScene]] {
    await ask { $0.mirror.parts().scenes.byDirectory }
  }
  /// The scene at a path; nil if there is none.
  public func getScene(_ path: String) async -> WhiteScene? {
    await ask { $0.mirror.parts().scene(path: path).map(WhiteScene.init) }
  }
  /// What a path names: a scene, a folder, or nothing.
  public func getScenePathType(_ path: String) async -> WhiteScenePathType {
    await ask { WhiteScenePathType($0.mirror.parts().pathType(path)) }
  }

  // The same with a completion, on the SDK's context.
  /// The same; `result` gets it, on the context of the SDK.
  public func getRoomState(result: @escaping @Sendable (WhiteRoomState) -> Void) {
    ask({ $0.mirror.shown }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getGlobalState(result: @escaping @Sendable ([String: JSONText]) -> Void) {
    ask({ $0.mirror.parts().globalState }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getMemberState(result: @escaping @Sendable (WhiteMemberState) -> Void) {
    ask({ $0.ownState }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getRoomMembers(result: @escaping @Sendable ([WhiteRoomMember]) -> Void) {
    ask({ $0.mirror.parts().listedMembers }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getSceneState(result: @escaping @Sendable (WhiteSceneState) -> Void) {
    ask({ $0.mirror.parts().sceneState }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getScenes(result: @escaping @Sendable ([WhiteScene]) -> Void) {
    ask({ $0.mirror.parts().sceneState.scenes }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getBroadcastState(result: @escaping @Sendable (WhiteBroadcastState) -> Void) {
    ask({ $0.broadcast }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getRoomPhase(result: @escaping @Sendable (WhiteRoomPhase) -> Void) {
    ask({ $0.told.phase ?? .connecting }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getZoomScale(result: @escaping @Sendable (Double) -> Void) { ask({ $0.camera.scale }, result) }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getEntireScenes(result: @escaping @Sendable ([String: [WhiteScene]]) -> Void) {
    ask({ $0.mirror.parts().scenes.byDirectory }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getScene(_ path: String, result: @escaping @Sendable (WhiteScene?) -> Void) {
    ask({ $0.mirror.parts().scene(path: path).map(WhiteScene.init) }, result)
  }
  /// The same as the asynchronous form; `result` gets it, on the context of the SDK.
  public func getScenePathType(_ path: String, result: @escaping @Sendable (WhiteScenePathType) -> Void) {
    ask({ WhiteScenePathType($0.mirror.parts().pathType(path)) }, result)
  }

  // MARK: The board

  /// The whole room, elements too: what a board is drawn from, with what of one's own is on its way. Copies the
  /// board while something is on its way, so ask once a frame, not once an event.
  public func getBoard() async -> RoomState { await ask { $0.mirror.board() } }

  /// The whole room as the log has it, without anything that is on its way.
  public func getConfirmedBoard() async -> RoomState { await ask { $0.mirror.state } }

  /// All parts as the log has them, without anything that is on its way.
  public func getConfirmedState() async -> WhiteRoomState {
    await ask { $0.mirror.state.whiteState(for: $0.mirror.member, in: $0.mirror.viewSize) }
  }

  /// What is on a page, in the order of drawing; nil: the current page.
  public func getElements(_ path: String? = nil) async -> [WhiteElement] {
    await ask { $0.mirror.board().drawnElements(on: path) }
  }

  /// The element of this number; nil if it is not on the board.
  public func getElement(_ id: WhiteElementID) async -> WhiteElement? {
    await ask { $0.mirror.board().elements[id].map(WhiteElement.init) }
  }

  /// Where the others' pointers were last, of those on the current page.
  public func getPointers() async -> [WhitePointer] {
    await ask { $0.mirror.state.pointers(except: $0.mirror.me) }
  }

  func ask<Value: Sendable>(
    _ question: @escaping @Sendable (RoomLink) -> Value
  ) async -> Value { await link.ask(question) }

  /// Also of a room that is over.
  func ask<Value: Sendable>(
    _ question: @escaping @Sendable (RoomLink) -> Value,
    _ answer: @escaping @Sendable (Value) -> Void
  ) {
    link.enter { answer(question($0)) }
  }
}

extension RoomLink {
  fileprivate var ownState: WhiteMemberState {
    WhiteMemberState(mirror.me.flatMap { mirror.parts().members[$0] }?.state ?? [:])
  }
  fileprivate var broadcast: WhiteBroadcastState {
    let room = mirror.parts()
    return room.broadcastState(for: mirror.me.flatMap { room.members[$0] })
  }
  var camera: WhiteCameraState {
    let room = mirror.parts()
    return room.cameraState(for: mirror.me.flatMap { room.members[$0] }, in: mirror.viewSize)
  }
}
