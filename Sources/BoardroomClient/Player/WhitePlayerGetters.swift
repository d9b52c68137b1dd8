import BoardroomCodec
import BoardroomCore
import BoardroomDrawing
import BoardroomModel
import EventLogModel

// Reading what is shown (RP-33, RP-34, RP-38): the room's own views of its state.
extension WhitePlayer {
  /// The room's global state at the place that is shown, by top-level key.
  public var globalState: [String: JSONText] { state?.globalState ?? [:] }
  /// Members who may write, at the place that is shown.
  public var roomMembers: [WhiteRoomMember] { state?.roomMembers ?? [] }
  /// The scene that is shown, and those beside it.
  public var sceneState: WhiteSceneState { state?.sceneState ?? .empty }
  /// The index of the page that is shown, and how many there are.
  public var pageState: WhitePageState { state?.pageState ?? WhitePageState(index: 0, length: 0) }
  /// The camera that is shown.
  public var cameraState: WhiteCameraState { state?.cameraState ?? .initial }
  /// Whose camera is shown: one's own, or that of a member.
  public var observerMode: WhiteObserverMode { state?.observerMode ?? .directory }

  /// Every page of the room, by directory.
  public var entireScenes: [String: [WhiteScene]] { shown.with { $0.scenes }.byDirectory }
  /// The scene at a path, at the place that is shown; nil if there is none.
  public func scene(at path: String) -> WhiteScene? {
    shown.with { $0.scenes }.scene(at: path)
  }
  /// What a path names at the place that is shown: a scene, a folder, or nothing.
  public func scenePathType(_ path: String) -> WhiteScenePathType {
    shown.with { $0.scenes }.pathType(of: path)
  }

  // MARK: Asked again, on the context

  /// All of the state, as the player has it when it gets to the question; nil before the first frame.
  nonisolated(nonsending) public func getState() async -> WhitePlayerState? { await ask { $0.mirror.shown } }
  /// The phase, as the player has it when it gets to the question.
  nonisolated(nonsending) public func getPhase() async -> WhitePlayerPhase { await ask { $0.machine.phase } }

  /// Nil before the log is open.
  nonisolated(nonsending) public func getTimeInfo() async -> WhitePlayerTimeInfo? {
    await ask { link in
      guard let range = link.range else { return nil }
      return WhitePlayerTimeInfo(
        scheduleTime: link.machine.position(at: link.now).inSchedule,
        timeDuration: range.duration.inSchedule, framesCount: range.count,
        beginTimestamp: Double(range.begin.milliseconds) / 1_000)
    }
  }

  /// The whole room at the moment that is shown, elements too.
  nonisolated(nonsending) public func getBoard() async -> RoomState { await ask { $0.mirror.state } }

  /// What is on a page, in the order of drawing; nil: the current page.
  nonisolated(nonsending) public func getElements(_ path: String? = nil) async -> [WhiteElement] {
    await getBoard().drawnElements(on: path)
  }

  /// Where the members' pointers were last, of those on the current page.
  nonisolated(nonsending) public func getPointers() async -> [WhitePointer] {
    await getBoard().pointers(except: nil)
  }

  /// The keys of a SyncedStore, each value as the JSON that its author sent.
  nonisolated(nonsending) public func getSyncedStore(_ name: String) async -> [String: JSONText] {
    await ask { $0.mirror.state.stores[name] ?? [:] }
  }

  /// A page as an SVG text, all that is on it.
  public func getSceneSnapshotImage(_ path: String) async throws(BoardroomError) -> String {
    let board = await getBoard()
    guard let scene = board.scene(path: path) else {
      let error = BoardroomError(.noSuchScene)
      link.enter { [self] _ in complain(error) }
      throw error
    }
    return SceneSVG.picture(of: board, scene: scene.id)
  }

  /// The same; a viewer makes it as small as it likes.
  public func getScenePreviewImage(_ path: String) async throws(BoardroomError) -> String {
    try await getSceneSnapshotImage(path)
  }

  // MARK: Looking

  /// RP-33: through whose eyes.
  public func setObserverMode(_ mode: WhiteObserverMode) {
    look { $0.observe(mode) }
  }

  /// A gesture of the user's: looks there, within the bound, and freely from now on.
  public func moveCamera(_ camera: WhiteCameraState) { look { $0.look(at: camera) } }

  /// Where the camera may look from now on; nil: anywhere.
  public func setCameraBound(_ bound: WhiteCameraBound?) { look { $0.bound = bound } }

  /// The size of the view that the app shows the board in.
  public func refreshViewSize(width: Double, height: Double) {
    look { $0.viewSize = WhiteSize(width: width, height: height) }
  }

  private func look(_ change: @escaping @Sendable (inout PlayerMirror) -> Void) {
    link.enter { link in
      change(&link.mirror)
      if link.mirror.shown != nil { link.showState() }
    }
  }

  nonisolated(nonsending) private func ask<Value: Sendable>(
    _ question: @escaping @Sendable (PlayerLink) -> Value
  ) async -> Value {
    await link.ask(question)
  }
}
