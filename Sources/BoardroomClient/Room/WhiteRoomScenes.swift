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
  public func setScenePath(_ path: String, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.scenes(.switchTo(.path(path))), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func setScenePath(_ path: String) async throws(BoardroomError) -> Receipt {
    try await submit(.scenes(.switchTo(.path(path))))
  }

  /// A page of the current directory, from 0 (SC-6).
  public func setSceneIndex(_ index: Int, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.scenes(.switchTo(.index(index))), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func setSceneIndex(_ index: Int) async throws(BoardroomError) -> Receipt {
    try await submit(.scenes(.switchTo(.index(index))))
  }

  /// The next page of the directory; on the last one it completes with false (SC-12).
  public func nextPage(completion: (@Sendable (Bool) -> Void)?) { turn(by: 1, completion) }

  /// The same with `await`.
  @discardableResult
  public func nextPage() async -> Bool {
    await withCheckedContinuation { done in nextPage { done.resume(returning: $0) } }
  }

  /// The page before; on the first one it completes with false.
  public func prevPage(completion: (@Sendable (Bool) -> Void)?) { turn(by: -1, completion) }

  /// The same with `await`.
  @discardableResult
  public func prevPage() async -> Bool {
    await withCheckedContinuation { done in prevPage { done.resume(returning: $0) } }
  }

  /// One step of a dynamic ppt forth; after the last one the next page (SC-13).
  public func pptNextStep(completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.scenes(.stepPPT(.next)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func pptNextStep() async throws(BoardroomError) -> Receipt {
    try await submit(.scenes(.stepPPT(.next)))
  }

  /// Goes one step back in the presentation of the page (PARITY rows SC).
  public func pptPreviousStep(completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.scenes(.stepPPT(.previous)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func pptPreviousStep() async throws(BoardroomError) -> Receipt {
    try await submit(.scenes(.stepPPT(.previous)))
  }

  // MARK: Changing pages

  /// Puts pages into a directory; one of the same path is overwritten, the current page stays (SC-4).
  public func putScenes(
    _ directory: String, scenes: [WhiteScene], index: Int,
    completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.scenes(.put(ScenesPut(directory, scenes, index))), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func putScenes(
    _ directory: String, scenes: [WhiteScene], index: Int
  ) async throws(BoardroomError) -> Receipt {
    try await submit(.scenes(.put(ScenesPut(directory, scenes, index))))
  }

  /// A page, or a directory with all that is in it. One page always remains: when the last goes, `/init` is put
  /// anew (SC-7); which page is current then says SC-8.
  public func removeScenes(_ path: String, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.scenes(.remove(path: path)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func removeScenes(_ path: String) async throws(BoardroomError) -> Receipt {
    try await submit(.scenes(.remove(path: path)))
  }

  /// A page into another directory, if the target is one, or to another path (SC-9).
  public func moveScene(
    _ source: String, target: String, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.scenes(.move(path: source, target: target)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func moveScene(_ source: String, target: String) async throws(BoardroomError) -> Receipt {
    try await submit(.scenes(.move(path: source, target: target)))
  }

  /// The same, to a place among the other pages of the target's directory, from 0 (PAGE-1); past the end is the end.
  public func moveScene(
    _ source: String, target: String, index: Int, completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    submit(.scenes(.move(path: source, target: target, index: index)), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func moveScene(_ source: String, target: String, index: Int) async throws(BoardroomError) -> Receipt
  {
    try await submit(.scenes(.move(path: source, target: target, index: index)))
  }

  /// Erases what is on the current page, and with `false` its ppt background too (SC-10).
  public func cleanScene(_ retainPPT: Bool, completion: (@Sendable (WhiteResult) -> Void)? = nil) {
    submit(.scenes(.clean(SceneClean(retainPPT: retainPPT))), completion)
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func cleanScene(_ retainPPT: Bool) async throws(BoardroomError) -> Receipt {
    try await submit(.scenes(.clean(SceneClean(retainPPT: retainPPT))))
  }

  /// A new page in the current directory: after the current page, or as its last. Without a scene it gets a name
  /// that is free. The current page stays (SC-12).
  public func addPage(
    _ scene: WhiteScene? = nil, afterCurrent: Bool = false,
    completion: (@Sendable (WhiteResult) -> Void)? = nil
  ) {
    run(completion) { $0.addPage(scene, afterCurrent: afterCurrent, $1) }
  }

  /// The same with `await`. It throws the error that the completion would get.
  @discardableResult
  public func addPage(
    _ scene: WhiteScene? = nil, afterCurrent: Bool = false
  ) async throws(BoardroomError) -> Receipt {
    try await answer { answer in self.addPage(scene, afterCurrent: afterCurrent) { answer($0) } }
  }

  /// The page with this index in the current directory; nil: the current one. It completes with false if it is
  /// the only one of the directory, or there is none of this index (SC-12).
  public func removePage(_ index: Int? = nil, completion: (@Sendable (Bool) -> Void)?) {
    link.enter { $0.removePage(index) { completion?((try? $0.get()) != nil) } }
  }

  /// The same with `await`.
  @discardableResult
  public func removePage(_ index: Int? = nil) async -> Bool {
    await withCheckedContinuation { done in removePage(index) { done.resume(returning: $0) } }
  }

  private func turn(by step: Int, _ completion: (@Sendable (Bool) -> Void)?) {
    link.enter { $0.turnPage(by: step) { completion?((try? $0.get()) != nil) } }
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

  /// The same; `result` gets it, on the context of the SDK.
  public func getSceneSnapshotImage(
    _ path: String, result: @escaping @Sendable (Result<String, BoardroomError>) -> Void
  ) {
    ask({ $0.picture(of: path) }, result)
  }

  /// The same; `result` gets it, on the context of the SDK.
  public func getScenePreviewImage(
    _ path: String, result: @escaping @Sendable (Result<String, BoardroomError>) -> Void
  ) {
    ask({ $0.picture(of: path) }, result)
  }

  /// The same; `result` gets it, on the context of the SDK.
  public func getLocalSnapShot(result: @escaping @Sendable (String) -> Void) {
    ask({ SceneSVG.picture(of: $0.mirror.board(), scene: $0.mirror.parts().currentScene) }, result)
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
