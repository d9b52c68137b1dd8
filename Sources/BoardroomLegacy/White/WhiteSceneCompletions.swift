import BoardroomClient
import BoardroomModel

// Pages (SC-1 to SC-15) with completions, which are called on the SDK's context. Nil: nobody waits, and a failure is told to
// `throwError` of the common callbacks object.
extension WhiteRoom {
  /// A page or a directory; begins with `/` (SC-2).
  public func setScenePath(_ path: String, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.setScenePath(path), completion: completion)
  }

  /// A page of the current directory, from 0 (SC-6).
  public func setSceneIndex(_ index: Int, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.setSceneIndex(index), completion: completion)
  }

  /// The next page of the directory; on the last one it completes with false (SC-12).
  public func nextPage(completion: (@Sendable (Bool) -> Void)?) { begin(.turnPage(by: 1), completion) }

  /// The page before; on the first one it completes with false.
  public func prevPage(completion: (@Sendable (Bool) -> Void)?) { begin(.turnPage(by: -1), completion) }

  /// One step of a dynamic ppt forth; after the last one the next page (SC-13).
  public func pptNextStep(completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.pptNextStep, completion: completion)
  }

  /// Goes one step back in the presentation of the page (PARITY rows SC).
  public func pptPreviousStep(completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.pptPreviousStep, completion: completion)
  }

  /// Puts pages into a directory; one of the same path is overwritten, the current page stays (SC-4).
  public func putScenes(
    _ directory: String, scenes: [WhiteScene], index: Int, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.putScenes(directory, scenes: scenes, index: index), completion: completion)
  }

  /// A page, or a directory with all that is in it. One page always remains (SC-7, SC-8).
  public func removeScenes(_ path: String, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.removeScenes(path), completion: completion)
  }

  /// A page into another directory, if the target is one, or to another path (SC-9).
  public func moveScene(
    _ source: String, target: String, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.moveScene(source, target: target, index: nil), completion: completion)
  }

  /// The same, to a place among the other pages of the target's directory, from 0 (PAGE-1); past the end is the end.
  public func moveScene(
    _ source: String, target: String, index: Int, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.moveScene(source, target: target, index: index), completion: completion)
  }

  /// Erases what is on the current page, and with `false` its ppt background too (SC-10).
  public func cleanScene(_ retainPPT: Bool, completion: (@Sendable (WhiteResult) -> Void)?) {
    begin(.cleanScene(retainPPT), completion: completion)
  }

  /// A new page in the current directory: after the current page, or as its last. Without a scene it gets a name
  /// that is free. The current page stays (SC-12).
  public func addPage(
    _ scene: WhiteScene? = nil, afterCurrent: Bool = false, completion: (@Sendable (WhiteResult) -> Void)?
  ) {
    begin(.addPage(scene, afterCurrent: afterCurrent), completion: completion)
  }

  /// The page with this index in the current directory; nil: the current one. It completes with false if it is
  /// the only one of the directory, or there is none of this index (SC-12).
  public func removePage(_ index: Int? = nil, completion: (@Sendable (Bool) -> Void)?) {
    begin(.removePage(index), completion)
  }

  private func begin(_ request: RoomRequest<Receipt>, _ completion: (@Sendable (Bool) -> Void)?) {
    begin(request) { completion?((try? $0.get()) != nil) }
  }

  // MARK: Pictures

  /// SC-15: a page as an SVG text, all that is on it. `result` gets it, on the context of the SDK.
  public func getSceneSnapshotImage(
    _ path: String, result: @escaping @Sendable (Result<String, BoardroomError>) -> Void
  ) {
    ask(.picture(of: path), result)
  }

  /// The same; `result` gets it, on the context of the SDK.
  public func getScenePreviewImage(
    _ path: String, result: @escaping @Sendable (Result<String, BoardroomError>) -> Void
  ) {
    ask(.picture(of: path), result)
  }

  /// The current page, with what of one's own is still on its way; `result` gets it, on the context of the SDK.
  public func getLocalSnapShot(result: @escaping @Sendable (String) -> Void) {
    ask(.pictureOfCurrentPage, result)
  }
}
