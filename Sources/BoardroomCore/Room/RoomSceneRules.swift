import BoardroomModel
import EventLogModel

/// What the family `scenes` needs.
extension Room {
  func scenes(_ command: SceneCommand) throws(Refusal) -> Outcome {
    switch command {
    case .put(let put): return try putScenes(put)
    case .switchTo(let target): return try switchScene(target)
    case .clean(let clean): return try cleanScene(clean)
    case .remove(let path): return try removeScenes(path)
    case .move(let path, let target, let index): return try moveScene(path, to: target, index)
    case .stepPPT(let direction): return try stepPPT(direction)
    }
  }

  func checkScene(_ id: SceneID) throws(Refusal) {
    guard state.hasScene(id) else { throw Refusal(.noSuchScene) }
  }

  /// SC-2, SC-3, SC-4. The server gives the numbers and settles the index.
  private func putScenes(_ put: ScenesPut) throws(Refusal) -> Outcome {
    try checkPaths(put)
    guard put.index >= 0 else {
      throw Refusal(
        .badParameter, cause: "The index is below zero.", cure: "Send 0 or more.", actual: put.index,
        allowed: 0)
    }
    let names = Set(put.scenes.map(\.name))
    let staying = state.scenes.filter { !($0.directory == put.directory && names.contains($0.name)) }
    try checkSize(staying.count + put.scenes.count, inForce.limits.scenes, LimitName.scenes)
    let replaced = state.scenes.reduce(0) { $0 + $1.bytes } - staying.reduce(0) { $0 + $1.bytes }
    try checkBoard(plus: put.bytes - replaced)
    var settled = put
    settled.index = min(put.index, staying.count { $0.directory == put.directory })
    for place in settled.scenes.indices { settled.scenes[place].id = state.nextScene &+ SceneID(place) }
    return Outcome(event: .scenes(.put(settled)), isVerbatim: false)
  }

  private func checkPaths(_ put: ScenesPut) throws(Refusal) {
    try ScenePath.checkDirectory(put.directory)
    try checkList(put.scenes.count, of: "scene")
    guard Set(put.scenes.map(\.name)).count == put.scenes.count else {
      throw Refusal(.badParameter, cause: "Two scenes have one name.", cure: "Send each name once.")
    }
    for scene in put.scenes {
      try checkPath(scene.name, in: put.directory)
    }
    try ScenePath.checkPages(put.scenes.map(\.name), in: put.directory, among: state.scenes)
  }

  /// SC-5, SC-6.
  private func switchScene(_ target: SceneTarget) throws(Refusal) -> Outcome {
    let scene: Scene
    switch target {
    case .path(let path): scene = try ScenePath.find(path, in: state.scenes)
    case .index(let index):
      let pages = state.contextPages
      guard pages.indices.contains(index) else {
        throw Refusal(
          .badParameter, cause: "The index lies outside of the directory.",
          cure: "Send an index from 0 to the number of pages less one.", actual: index,
          allowed: pages.count - 1)
      }
      scene = pages[index]
    }
    return Outcome(event: .scenes(.switched(scene.id)), isVerbatim: false)
  }

  /// SC-10: everything goes, locked or not.
  private func cleanScene(_ clean: SceneClean) throws(Refusal) -> Outcome {
    let scene = clean.scene ?? state.currentScene
    try checkScene(scene)
    return Outcome(
      event: .scenes(.cleaned(SceneCleaned(scene: scene, retainPPT: clean.retainPPT))), isVerbatim: false)
  }

  /// SC-7, SC-8.
  private func removeScenes(_ path: String) throws(Refusal) -> Outcome {
    try ScenePath.checkDirectory(path)
    let removal = SceneRemoval(of: path, from: state.scenes)
    guard !removal.removed.isEmpty else { throw Refusal(.noSuchScene) }
    guard let current = removal.successor(of: state.currentScene) else {
      let fresh = state.nextScene
      return Outcome(
        event: .scenes(
          .removed(
            ScenesRemoved(scenes: removal.removed.map(\.id), current: fresh, fresh: fresh))),
        isVerbatim: false)
    }
    return Outcome(
      event: .scenes(.removed(ScenesRemoved(scenes: removal.removed.map(\.id), current: current))),
      isVerbatim: false)
  }

  /// SC-9: into a directory that is there the page goes under its name, else the target is its new path. PAGE-1: with
  /// an index, to that place.
  private func moveScene(_ path: String, to target: String, _ index: Int?) throws(Refusal) -> Outcome {
    try ScenePath.checkDirectory(path)
    try ScenePath.checkDirectory(target)
    guard let page = state.scene(path: path) else {
      guard state.pathType(path) == .directory else { throw Refusal(.noSuchScene) }
      throw Refusal(
        .badParameter, cause: "The source is a directory.", cure: "Move its pages one by one.")
    }
    var place = ScenePath.parts(of: target)
    if target == "/" || state.pathType(target) == .directory { place = (target, page.name) }
    guard place != (page.directory, page.name) || !isThere(page, index) else { return .nothing }
    let others = state.scenes.filter { $0.id != page.id }
    guard !others.contains(where: { $0.directory == place.directory && $0.name == place.name }) else {
      throw Refusal(
        .conflict, cause: "There is a page of this path.", cure: "Remove it first, or choose another path.")
    }
    try checkPath(place.name, in: place.directory)
    try ScenePath.checkPages([place.name], in: place.directory, among: others)
    return Outcome(
      event: .scenes(
        .moved(
          SceneMoved(scene: page.id, directory: place.directory, name: place.name, index: index))),
      isVerbatim: false)
  }

  /// Whether the page is at this place of its directory already; one past the end is the end.
  private func isThere(_ page: Scene, _ index: Int?) -> Bool {
    guard let index else { return true }
    let pages = state.scenes.filter { $0.directory == page.directory }
    return pages.firstIndex { $0.id == page.id } == min(index, pages.count - 1)
  }

  private func checkPath(_ name: String, in directory: String) throws(Refusal) {
    try checkSize(name.utf8.count, inForce.sceneName, LimitName.sceneName)
    try checkSize(directory.utf8.count + 1 + name.utf8.count, inForce.scenePath, LimitName.scenePath)
    try checkName(name, of: "scene")
  }

  /// SC-13: within a page's steps, then over its border to the next or previous page of the directory.
  private func stepPPT(_ direction: PPTDirection) throws(Refusal) -> Outcome {
    let pages = state.contextPages
    guard let place = pages.firstIndex(where: { $0.id == state.currentScene }) else {
      throw Refusal(.noSuchScene)
    }
    let page = pages[place]
    let step = page.pptStep + direction.rawValue
    if step >= 0, step < page.pptSteps { return stepped(page, to: step) }
    let next = place + direction.rawValue
    guard pages.indices.contains(next) else {
      throw Refusal(
        .noSuchScene, cause: "There is no further step in this direction.",
        cure: "Stop at the first and the last page.")
    }
    return stepped(pages[next], to: direction == .next ? 0 : pages[next].pptSteps - 1)
  }

  private func stepped(_ page: Scene, to step: Int) -> Outcome {
    Outcome(event: .scenes(.pptStepped(PPTStep(scene: page.id, step: step))), isVerbatim: false)
  }
}

extension Scene {
  /// How many steps its ppt has: the whole number `steps` of it, 1 if there is none (SC-13).
  public var pptSteps: Int { max(1, ppt?.member("steps")?.wholeNumber ?? 1) }
}

extension RoomState {
  /// The pages of the current scene's directory (its context), in order.
  public var contextPages: [Scene] {
    guard let directory = scene(currentScene)?.directory else { return [] }
    return scenes.filter { $0.directory == directory }
  }
}

extension ScenesPut {
  /// What the pages will count for (BOUND-1).
  var bytes: Int {
    scenes.reduce(0) { sum, scene in
      sum + Scene(id: 0, directory: directory, name: scene.name, ppt: scene.ppt).bytes
    }
  }
}
