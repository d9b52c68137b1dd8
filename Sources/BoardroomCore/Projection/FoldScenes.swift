import BoardroomModel
import EventLogModel

/// What events do to scenes that are there, and to stores.
extension RoomState {
  /// All or nothing: whoever removes scenes says which one is current afterwards.
  mutating func foldRemoved(_ event: ScenesRemoved, _ touched: inout RoomParts) -> String? {
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
  mutating func foldMoved(_ event: SceneMoved, _ touched: inout RoomParts) -> String? {
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

  mutating func foldStepped(_ event: PPTStep, _ touched: inout RoomParts) -> String? {
    guard let place = scenes.firstIndex(where: { $0.id == event.scene }) else { return Misfit.noScene }
    guard event.step >= 0 else { return Misfit.stepBelowZero }
    if scenes[place].pptStep != event.step { touched.insert(.scenes) }
    if currentScene != event.scene { touched.insert(.currentScene) }
    scenes[place].pptStep = event.step
    currentScene = event.scene
    return nil
  }

  // MARK: Stores

  mutating func foldStoreSet(_ event: StoreSet, _ touched: inout RoomParts) -> String? {
    guard created != nil else { return Misfit.notCreated }
    let before = stores[event.store]
    var fields = event.resets ? [:] : before ?? [:]
    _ = fields.merge(event.patch)
    stores[event.store] = fields
    if before != fields { touched.insert(.stores) }
    return nil
  }

  mutating func foldStoreDeleted(_ name: String, _ touched: inout RoomParts) -> String? {
    guard stores.removeValue(forKey: name) != nil else { return Misfit.noStore }
    touched.insert(.stores)
    return nil
  }
}
