import BoardroomModel
import EventLogModel

/// The family `scenes`: the pages of the board, and what goes with them.
extension RoomState {
  mutating func fold(_ event: SceneEvent, by actor: Actor, _ touched: inout RoomParts) -> String? {
    switch event {
    case .put(let put): foldScenesPut(put, &touched)
    case .switched(let scene): foldSwitched(to: scene, &touched)
    case .cleaned(let cleaned): foldCleaned(cleaned, by: actor, &touched)
    case .removed(let removed): foldRemoved(removed, &touched)
    case .moved(let moved): foldMoved(moved, &touched)
    case .pptStepped(let step): foldStepped(step, &touched)
    }
  }

  /// Strokes nearly always go on the current scene, which is known without a search.
  func hasScene(_ id: SceneID) -> Bool {
    (id == currentScene && id != 0) || scenes.contains { $0.id == id }
  }

  private mutating func foldSwitched(to scene: SceneID, _ touched: inout RoomParts) -> String? {
    guard hasScene(scene) else { return Misfit.noScene }
    if currentScene != scene { touched.insert(.currentScene) }
    currentScene = scene
    return nil
  }

  /// SC-4: a page of the same path is taken out with all that is on it; the given ones are placed together,
  /// in their order, at the index among the pages of the directory (its end if it lies beyond).
  private mutating func foldScenesPut(_ put: ScenesPut, _ touched: inout RoomParts) -> String? {
    guard created != nil else { return Misfit.notCreated }
    guard areFresh(put.scenes) else { return Misfit.sceneAgain }
    let fresh = put.scenes.map {
      Scene(id: $0.id, directory: put.directory, name: $0.name, ppt: $0.ppt)
    }
    displace(by: fresh, in: put.directory, &touched)
    scenes.insert(contentsOf: fresh, at: place(of: put.index, in: put.directory))
    nextScene = max(nextScene, (fresh.map(\.id).max() ?? 0) + 1)
    if !fresh.isEmpty { touched.insert(.scenes) }
    return nil
  }

  /// New numbers rise from `nextScene`; the last number is kept out so that the number after it exists.
  /// Names differ, so that one path stays one page.
  private func areFresh(_ specs: [SceneSpec]) -> Bool {
    var least = nextScene
    for spec in specs {
      guard spec.id >= least, spec.id < SceneID.max else { return false }
      least = spec.id + 1
    }
    return Set(specs.map(\.name)).count == specs.count
  }

  /// The current page stays the current one when its path is put anew.
  private mutating func displace(
    by fresh: [Scene], in directory: String, _ touched: inout RoomParts
  ) {
    let heirs = Dictionary(fresh.map { ($0.name, $0.id) }, uniquingKeysWith: { first, _ in first })
    let displaced = scenes.filter { $0.directory == directory && heirs[$0.name] != nil }
    guard !displaced.isEmpty else { return }
    let removed = Set(displaced.map(\.id))
    takeOut(removed, &touched)
    if let current = displaced.first(where: { $0.id == currentScene }), let heir = heirs[current.name] {
      currentScene = heir
      touched.insert(.currentScene)
    }
  }

  /// Scenes go, with all that is on them and all that could be taken back there.
  private mutating func takeOut(_ removed: Set<SceneID>, _ touched: inout RoomParts) {
    scenes.removeAll { removed.contains($0.id) }
    if elements.eraseAll(in: removed) > 0 { touched.insert(.elements) }
    forget(removed, &touched)
  }

  /// Where in `scenes` the page with this index in its directory is or would be.
  private func place(of index: Int, in directory: String) -> Int {
    let pages = scenes.indices.filter { scenes[$0].directory == directory }
    guard let last = pages.last else { return scenes.count }
    let wanted = max(0, index)
    return wanted < pages.count ? pages[wanted] : last + 1
  }

  /// SC-10: all that is on the scene goes, locked or not.
  private mutating func foldCleaned(
    _ cleaned: SceneCleaned, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard let place = scenes.firstIndex(where: { $0.id == cleaned.scene }) else { return Misfit.noScene }
    if !cleaned.retainPPT, scenes[place].ppt != nil || scenes[place].pptStep != 0 {
      scenes[place].ppt = nil
      scenes[place].pptStep = 0
      touched.insert(.scenes)
    }
    let ids = elements.all(in: cleaned.scene).map(\.id)
    guard !ids.isEmpty else { return nil }
    touched.insert(.elements)
    strike(Set(ids), on: cleaned.scene, butOf: actor, &touched)
    let buries = keepsHistory(actor)
    for id in ids { _ = buries ? elements.bury(id) : elements.erase(id) }
    record(ids.map { Worked(cleaned.scene, .erase($0)) }, by: actor, &touched)
    return nil
  }

  /// All or nothing: whoever removes scenes says which one is current afterwards.
  private mutating func foldRemoved(_ event: ScenesRemoved, _ touched: inout RoomParts) -> String? {
    let removed = Set(event.scenes)
    guard !removed.isEmpty, removed.isSubset(of: scenes.map(\.id)) else { return Misfit.noScene }
    let isEmptied = removed.count == scenes.count
    if let fresh = event.fresh {
      guard isEmptied, event.current == fresh else { return Misfit.noSuccessor }
      guard fresh >= nextScene, fresh < SceneID.max else { return Misfit.sceneAgain }
    } else {
      guard !removed.contains(event.current), scene(event.current) != nil else { return Misfit.noSuccessor }
    }
    takeOut(removed, &touched)
    touched.insert(.scenes)
    if let fresh = event.fresh {
      scenes = [Scene(id: fresh, directory: "/", name: "init")]
      nextScene = fresh + 1
    }
    if currentScene != event.current { touched.insert(.currentScene) }
    currentScene = event.current
    return nil
  }

  /// SC-9, PAGE-1: without an index a page keeps its place in its directory, and is the last in another one.
  private mutating func foldMoved(_ event: SceneMoved, _ touched: inout RoomParts) -> String? {
    guard let place = scenes.firstIndex(where: { $0.id == event.scene }) else { return Misfit.noScene }
    let isTaken = scenes.contains {
      $0.id != event.scene && $0.directory == event.directory && $0.name == event.name
    }
    guard !isTaken else { return Misfit.pathAgain }
    let before = scenes
    var page = scenes[place]
    let stays = page.directory == event.directory && event.index == nil
    (page.directory, page.name) = (event.directory, event.name)
    scenes[place] = page
    if !stays {
      scenes.remove(at: place)
      scenes.insert(page, at: self.place(of: event.index ?? .max, in: event.directory))
    }
    if scenes != before { touched.insert(.scenes) }
    return nil
  }

  private mutating func foldStepped(_ event: PPTStep, _ touched: inout RoomParts) -> String? {
    guard let place = scenes.firstIndex(where: { $0.id == event.scene }) else { return Misfit.noScene }
    guard event.step >= 0 else { return Misfit.stepBelowZero }
    if scenes[place].pptStep != event.step { touched.insert(.scenes) }
    if currentScene != event.scene { touched.insert(.currentScene) }
    scenes[place].pptStep = event.step
    currentScene = event.scene
    return nil
  }
}
