import BoardroomModel

/// What goes with a path, and which page is shown when the current one is among it (SC-7, SC-8; where texts of the
/// source system differ, the one of its iOS client holds, X-64).
struct SceneRemoval {
  let removed: [Scene]
  private let path: String
  private let scenes: [Scene]
  private let staying: [Scene]

  /// A page, or a directory with all that is below it.
  init(of path: String, from scenes: [Scene]) {
    let page = scenes.filter { $0.path == path }
    removed = page.isEmpty ? scenes.filter { ScenePath.isBelow($0.path, path) } : page
    let ids = Set(removed.map(\.id))
    staying = scenes.filter { !ids.contains($0.id) }
    self.path = path
    self.scenes = scenes
  }

  /// The current page afterwards; nil if none is left.
  func successor(of current: SceneID) -> SceneID? {
    guard let page = removed.first(where: { $0.id == current }) else { return current }
    if page.path == path {
      return sibling(of: page)?.id ?? upwards(from: page.directory)?.id
    }
    return upwards(from: path)?.id
  }

  /// The next page of its directory, else the one before it.
  private func sibling(of page: Scene) -> Scene? {
    let pages = scenes.filter { $0.directory == page.directory }
    guard let place = pages.firstIndex(where: { $0.id == page.id }) else { return nil }
    return place + 1 < pages.count ? pages[place + 1] : place > 0 ? pages[place - 1] : nil
  }

  /// Seen from a directory: the next directory beside it, else a page of its parent, else the directory before it;
  /// else the same one level up. When the top is reached: the first page that is left, wherever.
  private func upwards(from directory: String) -> Scene? {
    var directory = directory
    while directory != "/" {
      let (parent, name) = ScenePath.parts(of: directory)
      let siblings = self.directories(in: parent)
      let place = siblings.firstIndex(of: name) ?? siblings.count
      let after = siblings.dropFirst(place + 1).lazy.compactMap { firstPage(of: $0, in: parent) }.first
      if let found = after ?? staying.first(where: { $0.directory == parent }) { return found }
      let before = siblings.prefix(place).reversed().lazy.compactMap { firstPage(of: $0, in: parent) }.first
      if let before { return before }
      directory = parent
    }
    return staying.first
  }

  /// Names of the directories right below this one, by first appearance.
  private func directories(in parent: String) -> [String] {
    var names: [String] = []
    var seen: Set<String> = []
    for scene in scenes {
      guard let name = ScenePath.firstPart(of: scene.directory, below: parent) else { continue }
      if seen.insert(name).inserted { names.append(name) }
    }
    return names
  }

  /// SC-5: its first page, or the first one below it.
  private func firstPage(of name: String, in parent: String) -> Scene? {
    let path = parent == "/" ? "/" + name : parent + "/" + name
    return staying.first { $0.directory == path } ?? staying.first { ScenePath.isBelow($0.path, path) }
  }
}
