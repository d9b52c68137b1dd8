import BoardroomCodec
import BoardroomCore
import BoardroomDrawing
import BoardroomModel

/// What a path leads to (SC-3).
public enum WhiteScenePathType: String, Sendable, Hashable, CaseIterable {
  case none, page
  case directory = "dir"

  init(_ type: ScenePathType) {
    switch type {
    case .none: self = .none
    case .page: self = .page
    case .directory: self = .directory
    }
  }
}

// Pages: SC-1 to SC-15.
extension WhiteRoom {
  // MARK: Where we are

  /// A page or a directory; begins with `/` (SC-2).
  @discardableResult
  nonisolated(nonsending) public func setScenePath(_ path: String) async throws(BoardroomError) -> Receipt {
    try await answer(.setScenePath(path))
  }

  /// A page of the current directory, from 0 (SC-6).
  @discardableResult
  nonisolated(nonsending) public func setSceneIndex(_ index: Int) async throws(BoardroomError) -> Receipt {
    try await answer(.setSceneIndex(index))
  }

  /// The next page of the directory; false on the last one (SC-12).
  @discardableResult
  nonisolated(nonsending) public func nextPage() async -> Bool { await isDone(.turnPage(by: 1)) }

  /// The page before; false on the first one.
  @discardableResult
  nonisolated(nonsending) public func prevPage() async -> Bool { await isDone(.turnPage(by: -1)) }

  /// One step of a dynamic ppt forth; after the last one the next page (SC-13).
  @discardableResult
  nonisolated(nonsending) public func pptNextStep() async throws(BoardroomError) -> Receipt {
    try await answer(.pptNextStep)
  }

  /// Goes one step back in the presentation of the page (PARITY rows SC).
  @discardableResult
  nonisolated(nonsending) public func pptPreviousStep() async throws(BoardroomError) -> Receipt {
    try await answer(.pptPreviousStep)
  }

  // MARK: Changing pages

  /// Puts pages into a directory; one of the same path is overwritten, the current page stays (SC-4).
  @discardableResult
  nonisolated(nonsending) public func putScenes(
    _ directory: String, scenes: [WhiteScene], index: Int
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.putScenes(directory, scenes: scenes, index: index))
  }

  /// A page, or a directory with all that is in it. One page always remains: when the last goes, `/init` is put
  /// anew (SC-7); which page is current then says SC-8.
  @discardableResult
  nonisolated(nonsending) public func removeScenes(_ path: String) async throws(BoardroomError) -> Receipt {
    try await answer(.removeScenes(path))
  }

  /// A page into another directory, if the target is one, or to another path (SC-9).
  @discardableResult
  nonisolated(nonsending) public func moveScene(
    _ source: String, target: String
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.moveScene(source, target: target, index: nil))
  }

  /// The same, to a place among the other pages of the target's directory, from 0 (PAGE-1); past the end is the end.
  @discardableResult
  nonisolated(nonsending) public func moveScene(
    _ source: String, target: String, index: Int
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.moveScene(source, target: target, index: index))
  }

  /// Erases what is on the current page, and with `false` its ppt background too (SC-10).
  @discardableResult
  nonisolated(nonsending) public func cleanScene(_ retainPPT: Bool) async throws(BoardroomError) -> Receipt {
    try await answer(.cleanScene(retainPPT))
  }

  /// A new page in the current directory: after the current page, or as its last. Without a scene it gets a name
  /// that is free. The current page stays (SC-12).
  @discardableResult
  nonisolated(nonsending) public func addPage(
    _ scene: WhiteScene? = nil, afterCurrent: Bool = false
  ) async throws(BoardroomError) -> Receipt {
    try await answer(.addPage(scene, afterCurrent: afterCurrent))
  }

  /// The page with this index in the current directory; nil: the current one. False if it is the only one of the
  /// directory, or there is none of this index (SC-12).
  @discardableResult
  nonisolated(nonsending) public func removePage(_ index: Int? = nil) async -> Bool {
    await isDone(.removePage(index))
  }

  // MARK: Pictures

  /// SC-15: a page as an SVG text, all that is on it.
  public func getSceneSnapshotImage(_ path: String) async throws(BoardroomError) -> String {
    let board = await getBoard()
    guard let scene = board.scene(path: path) else { throw BoardroomError(.noSuchScene) }
    return SceneSVG.picture(of: board, scene: scene.id)
  }

  /// The same; a viewer makes it as small as it likes.
  public func getScenePreviewImage(_ path: String) async throws(BoardroomError) -> String {
    try await getSceneSnapshotImage(path)
  }

  /// The current page, with what of one's own is still on its way.
  public func getLocalSnapShot() async -> String {
    let board = await getBoard()
    return SceneSVG.picture(of: board, scene: board.currentScene)
  }
}

// MARK: What is asked for

extension RoomRequest<Receipt> {
  package static func setScenePath(_ path: String) -> Self { .command(.scenes(.switchTo(.path(path)))) }
  package static func setSceneIndex(_ index: Int) -> Self { .command(.scenes(.switchTo(.index(index)))) }
  package static func turnPage(by step: Int) -> Self { .onLink { $0.turnPage(by: step, $1) } }
  package static var pptNextStep: Self { .command(.scenes(.stepPPT(.next))) }
  package static var pptPreviousStep: Self { .command(.scenes(.stepPPT(.previous))) }

  package static func putScenes(_ directory: String, scenes: [WhiteScene], index: Int) -> Self {
    .command(.scenes(.put(ScenesPut(directory, scenes, index))))
  }

  package static func removeScenes(_ path: String) -> Self { .command(.scenes(.remove(path: path))) }

  package static func moveScene(_ source: String, target: String, index: Int?) -> Self {
    .command(.scenes(.move(path: source, target: target, index: index)))
  }

  package static func cleanScene(_ retainPPT: Bool) -> Self {
    .command(.scenes(.clean(SceneClean(retainPPT: retainPPT))))
  }

  package static func addPage(_ scene: WhiteScene?, afterCurrent: Bool) -> Self {
    .onLink { $0.addPage(scene, afterCurrent: afterCurrent, $1) }
  }

  package static func removePage(_ index: Int?) -> Self { .onLink { $0.removePage(index, $1) } }
}

extension RoomQuestion<Result<String, BoardroomError>> {
  package static func picture(of path: String) -> Self { RoomQuestion { $0.picture(of: path) } }
}

extension RoomQuestion<String> {
  package static var pictureOfCurrentPage: Self {
    RoomQuestion { SceneSVG.picture(of: $0.mirror.board(), scene: $0.mirror.parts().currentScene) }
  }
}

extension RoomLink {
  fileprivate func picture(of path: String) -> Result<String, BoardroomError> {
    let board = mirror.board()
    guard let scene = board.scene(path: path) else { return .failure(BoardroomError(.noSuchScene)) }
    return .success(SceneSVG.picture(of: board, scene: scene.id))
  }

  /// SC-12. Composed of other commands on the room as it is seen here; two members who do so at once both get
  /// their way, one after the other.
  fileprivate func turnPage(by step: Int, _ completion: @escaping CommandCompletion) {
    let page = mirror.parts().pageState
    // Leafing past the end is not sent, and so not recorded as refused.
    guard (0..<page.length).contains(page.index + step) else {
      return completion(.failure(BoardroomError(.noSuchScene)))
    }
    submit(.scenes(.switchTo(.index(page.index + step))), completion)
  }

  fileprivate func addPage(
    _ scene: WhiteScene?, afterCurrent: Bool, _ completion: @escaping CommandCompletion
  ) {
    let room = mirror.parts()
    let (directory, page) = (room.sceneState.contextPath, room.pageState)
    let scene = scene ?? WhiteScene(name: room.freePageName(in: directory))
    let index = afterCurrent ? page.index + 1 : page.length
    submit(.scenes(.put(ScenesPut(directory, [scene], index))), completion)
  }

  fileprivate func removePage(_ index: Int?, _ completion: @escaping CommandCompletion) {
    let room = mirror.parts()
    let pages = room.contextPages
    let place = index ?? room.pageState.index
    guard pages.count > 1, pages.indices.contains(place) else {
      return completion(.failure(BoardroomError(.noSuchScene)))
    }
    submit(.scenes(.remove(path: pages[place].path)), completion)
  }
}

extension RoomState {
  /// The least number that is no page's name here.
  fileprivate func freePageName(in directory: String) -> String {
    let taken = Set(contextPages.map(\.name))
    var number = contextPages.count + 1
    while taken.contains(String(number)) || scenes.contains(where: { isPath($0, directory, number) }) {
      number += 1
    }
    return String(number)
  }

  /// Whether a directory has the path that the page would get (SC-3).
  private func isPath(_ scene: Scene, _ directory: String, _ number: Int) -> Bool {
    let path = directory == "/" ? "/\(number)" : "\(directory)/\(number)"
    return scene.directory == path || scene.directory.hasPrefix(path + "/")
  }
}
