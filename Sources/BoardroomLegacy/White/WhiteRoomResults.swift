import BoardroomClient
import BoardroomModel

// Reading as White's apps do (PARITY rows GET): `result` is called on the SDK's context, once everything that was asked for or
// heard before has been done. It answers in a room that is over, too.
extension WhiteRoom {
  /// All parts.
  public func getRoomState(result: @escaping @Sendable (WhiteRoomState) -> Void) { ask(.roomState, result) }

  /// The room's global state by top-level key, each value as its author sent it.
  public func getGlobalState(result: @escaping @Sendable ([String: JSONText]) -> Void) {
    ask(.globalState, result)
  }

  /// The own member state.
  public func getMemberState(result: @escaping @Sendable (WhiteMemberState) -> Void) {
    ask(.memberState, result)
  }

  /// Members who may write, in the order of their coming.
  public func getRoomMembers(result: @escaping @Sendable ([WhiteRoomMember]) -> Void) {
    ask(.roomMembers, result)
  }

  /// The own scene and those beside it.
  public func getSceneState(result: @escaping @Sendable (WhiteSceneState) -> Void) {
    ask(.sceneState, result)
  }

  /// The scenes of the own folder.
  public func getScenes(result: @escaping @Sendable ([WhiteScene]) -> Void) { ask(.scenes, result) }

  /// Who broadcasts, and how this member looks at the board.
  public func getBroadcastState(result: @escaping @Sendable (WhiteBroadcastState) -> Void) {
    ask(.broadcastState, result)
  }

  /// The phase.
  public func getRoomPhase(result: @escaping @Sendable (WhiteRoomPhase) -> Void) { ask(.roomPhase, result) }

  /// The scale of the own camera.
  public func getZoomScale(result: @escaping @Sendable (Double) -> Void) { ask(.zoomScale, result) }

  /// All scenes, by their folders.
  public func getEntireScenes(result: @escaping @Sendable ([String: [WhiteScene]]) -> Void) {
    ask(.entireScenes, result)
  }

  /// The scene at a path; nil if there is none.
  public func getScene(_ path: String, result: @escaping @Sendable (WhiteScene?) -> Void) {
    ask(.scene(at: path), result)
  }

  /// What a path names: a scene, a folder, or nothing.
  public func getScenePathType(_ path: String, result: @escaping @Sendable (WhiteScenePathType) -> Void) {
    ask(.scenePathType(path), result)
  }
}
