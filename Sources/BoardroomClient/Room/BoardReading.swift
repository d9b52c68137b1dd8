import BoardroomCore
import BoardroomModel

// What a room and a player read of the board that they show, in the same way.

extension RoomState {
  /// What is on a page, in the order of drawing; nil: the current page. Empty if there is no such page.
  func drawnElements(on path: String?) -> [WhiteElement] {
    let page = path.map { scene(path: $0)?.id } ?? currentScene
    return page.map { elements.drawn(in: $0).map(WhiteElement.init) } ?? []
  }

  /// Where the members' pointers were last, of those on the current page, without one's own.
  func pointers(except own: MemberID?) -> [WhitePointer] {
    roster.compactMap { member in
      guard member.id != own, let move = member.pointer, move.scene == currentScene else { return nil }
      return WhitePointer(member.id, move)
    }
  }
}

extension [Scene] {
  /// SC-11.
  var byDirectory: [String: [WhiteScene]] {
    Dictionary(grouping: self, by: \.directory).mapValues { $0.map(WhiteScene.init) }
  }

  /// SC-11.
  func scene(at path: String) -> WhiteScene? { first { $0.path == path }.map(WhiteScene.init) }

  /// SC-3.
  func pathType(of path: String) -> WhiteScenePathType {
    var room = RoomState()
    room.scenes = self
    return WhiteScenePathType(room.pathType(path))
  }
}
