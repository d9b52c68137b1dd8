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
  nonisolated(nonsending) public func getRoomState() async -> WhiteRoomState { await ask(.roomState) }
  /// The room's global state, as the connection has it when it gets to the question.
  nonisolated(nonsending) public func getGlobalState() async -> [String: JSONText] { await ask(.globalState) }
  /// The own member state, as the connection has it.
  nonisolated(nonsending) public func getMemberState() async -> WhiteMemberState { await ask(.memberState) }
  /// Members who may write, as the connection has them.
  nonisolated(nonsending) public func getRoomMembers() async -> [WhiteRoomMember] { await ask(.roomMembers) }
  /// The own scene and those beside it, as the connection has them.
  nonisolated(nonsending) public func getSceneState() async -> WhiteSceneState { await ask(.sceneState) }
  /// The scenes of the own folder, as the connection has them.
  nonisolated(nonsending) public func getScenes() async -> [WhiteScene] { await ask(.scenes) }
  /// Who broadcasts, as the connection has it.
  nonisolated(nonsending) public func getBroadcastState() async -> WhiteBroadcastState {
    await ask(.broadcastState)
  }
  /// The phase, as the connection has it.
  nonisolated(nonsending) public func getRoomPhase() async -> WhiteRoomPhase { await ask(.roomPhase) }
  /// The own camera, as the connection has it.
  nonisolated(nonsending) public func getCameraState() async -> WhiteCameraState { await ask { $0.camera } }
  /// The scale of the own camera, as the connection has it.
  nonisolated(nonsending) public func getZoomScale() async -> Double { await ask(.zoomScale) }
  /// All scenes, by their folders.
  nonisolated(nonsending) public func getEntireScenes() async -> [String: [WhiteScene]] {
    await ask(.entireScenes)
  }
  /// The scene at a path; nil if there is none.
  nonisolated(nonsending) public func getScene(_ path: String) async -> WhiteScene? {
    await ask(.scene(at: path))
  }
  /// What a path names: a scene, a folder, or nothing.
  nonisolated(nonsending) public func getScenePathType(_ path: String) async -> WhiteScenePathType {
    await ask(.scenePathType(path))
  }

  // MARK: The board

  /// The whole room, elements too: what a board is drawn from, with what of one's own is on its way. Copies the
  /// board while something is on its way, so ask once a frame, not once an event.
  nonisolated(nonsending) public func getBoard() async -> RoomState { await ask { $0.mirror.board() } }

  /// The whole room as the log has it, without anything that is on its way.
  nonisolated(nonsending) public func getConfirmedBoard() async -> RoomState { await ask { $0.mirror.state } }

  /// All parts as the log has them, without anything that is on its way.
  nonisolated(nonsending) public func getConfirmedState() async -> WhiteRoomState {
    await ask { $0.mirror.state.whiteState(for: $0.mirror.member, in: $0.mirror.viewSize) }
  }

  /// What is on a page, in the order of drawing; nil: the current page.
  nonisolated(nonsending) public func getElements(_ path: String? = nil) async -> [WhiteElement] {
    await ask { $0.mirror.board().drawnElements(on: path) }
  }

  /// The element of this number; nil if it is not on the board.
  nonisolated(nonsending) public func getElement(_ id: WhiteElementID) async -> WhiteElement? {
    await ask { $0.mirror.board().elements[id].map(WhiteElement.init) }
  }

  /// Where the others' pointers were last, of those on the current page.
  nonisolated(nonsending) public func getPointers() async -> [WhitePointer] {
    await ask { $0.mirror.state.pointers(except: $0.mirror.me) }
  }

  nonisolated(nonsending) func ask<Value: Sendable>(
    _ question: @escaping @Sendable (RoomLink) -> Value
  ) async -> Value { await link.ask(question) }
}

extension RoomQuestion<WhiteRoomState> {
  package static var roomState: Self { RoomQuestion { $0.mirror.shown } }
}

extension RoomQuestion<[String: JSONText]> {
  package static var globalState: Self { RoomQuestion { $0.mirror.parts().globalState } }
}

extension RoomQuestion<WhiteMemberState> {
  package static var memberState: Self { RoomQuestion { $0.ownState } }
}

extension RoomQuestion<[WhiteRoomMember]> {
  package static var roomMembers: Self { RoomQuestion { $0.mirror.parts().listedMembers } }
}

extension RoomQuestion<WhiteSceneState> {
  package static var sceneState: Self { RoomQuestion { $0.mirror.parts().sceneState } }
}

extension RoomQuestion<[WhiteScene]> {
  package static var scenes: Self { RoomQuestion { $0.mirror.parts().sceneState.scenes } }
}

extension RoomQuestion<WhiteBroadcastState> {
  package static var broadcastState: Self { RoomQuestion { $0.broadcast } }
}

extension RoomQuestion<WhiteRoomPhase> {
  package static var roomPhase: Self { RoomQuestion { $0.told.phase ?? .connecting } }
}

extension RoomQuestion<Double> {
  package static var zoomScale: Self { RoomQuestion { $0.camera.scale } }
}

extension RoomQuestion<[String: [WhiteScene]]> {
  package static var entireScenes: Self { RoomQuestion { $0.mirror.parts().scenes.byDirectory } }
}

extension RoomQuestion<WhiteScene?> {
  package static func scene(at path: String) -> Self {
    RoomQuestion { $0.mirror.parts().scene(path: path).map(WhiteScene.init) }
  }
}

extension RoomQuestion<WhiteScenePathType> {
  package static func scenePathType(_ path: String) -> Self {
    RoomQuestion { WhiteScenePathType($0.mirror.parts().pathType(path)) }
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
