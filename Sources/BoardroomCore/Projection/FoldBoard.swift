import BoardroomModel
import EventLogModel

/// What events do to scenes and elements.
extension RoomState {
  mutating func foldStroke(
    _ segment: StrokeSegment, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard let member = actor.member else { return Misfit.noMember }
    let id = ElementID(member: member, number: segment.number)
    if let style = segment.begin {
      return foldBegin(id, style, segment, &touched)
    }
    // That the member is here need not be asked: its open strokes ended when it left.
    guard elements.extend(id, with: segment.points, ends: segment.ends) else { return Misfit.noStroke }
    touched.insert(.elements)
    return nil
  }

  private mutating func foldBegin(
    _ id: ElementID, _ style: StrokeStyle, _ segment: StrokeSegment, _ touched: inout RoomParts
  ) -> String? {
    guard members[id.member] != nil else { return Misfit.noMember }
    guard hasScene(style.scene) else { return Misfit.noScene }
    guard elements.ordinal(of: id) == nil else { return Misfit.strokeAgain }
    let stroke = StrokeContent(
      style: style, ended: segment.ends, pointCount: segment.points.count,
      segments: Array(segment.points.bytes))
    putFresh(Element(id: id, scene: style.scene, content: .stroke(stroke)), by: .member(id.member), &touched)
    return nil
  }

  /// Strokes nearly always go on the current scene, which is known without a search.
  func hasScene(_ id: SceneID) -> Bool {
    (id == currentScene && id != 0) || scenes.contains { $0.id == id }
  }

  mutating func foldSwitched(to scene: SceneID, _ touched: inout RoomParts) -> String? {
    guard hasScene(scene) else { return Misfit.noScene }
    if currentScene != scene { touched.insert(.currentScene) }
    currentScene = scene
    return nil
  }

  /// SC-4: a page of the same path is taken out with all that is on it; the given ones are placed together,
  /// in their order, at the index among the pages of the directory (its end if it lies beyond).
  mutating func foldScenesPut(_ put: ScenesPut, _ touched: inout RoomParts) -> String? {
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
  mutating func takeOut(_ removed: Set<SceneID>, _ touched: inout RoomParts) {
    scenes.removeAll { removed.contains($0.id) }
    if elements.eraseAll(in: removed) > 0 { touched.insert(.elements) }
    forget(removed, &touched)
  }

  /// Where in `scenes` the page with this index in its directory is or would be.
  func place(of index: Int, in directory: String) -> Int {
    let pages = scenes.indices.filter { scenes[$0].directory == directory }
    guard let last = pages.last else { return scenes.count }
    let wanted = max(0, index)
    return wanted < pages.count ? pages[wanted] : last + 1
  }
}
