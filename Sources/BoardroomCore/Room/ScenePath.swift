import BoardroomModel

/// What a path on the board leads to (SC-3, SC-11).
public enum ScenePathType: String, Sendable, Hashable, CaseIterable {
  case none, page
  case directory = "dir"
}

/// Rules of paths in a room: SC-2, SC-3, SC-5.
extension ScenePath {
  /// Throws unless it is a path (`isPath`) without control characters.
  static func checkDirectory(_ path: String) throws(Refusal) {
    guard path.utf8.first == UInt8(ascii: "/") else {
      throw Refusal(.badName, cause: "The path does not begin with a slash.", cure: "Begin it with a slash.")
    }
    let isPlain = path.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    guard isPlain, isPath(path) else {
      throw Refusal(
        .badName, cause: "The path has an empty part or control characters.",
        cure: "Write it as /part/part, without a slash at the end.")
    }
  }

  /// No page may lie below a page, and none may have the path of a directory. One look at the scenes for all
  /// names: a room may have thousands and a command may put thousands.
  static func checkPages(_ names: [String], in directory: String, among scenes: [Scene]) throws(Refusal) {
    guard names.allSatisfy(isName) else {
      throw Refusal(
        .badName, cause: "A scene's name has a slash.", cure: "Put what is left of it into the directory.")
    }
    let taken = Set(scenes.compactMap { firstPart(of: $0.directory, below: directory) })
    let isBelowPage = scenes.contains { $0.path == directory || isBelow(directory, $0.path) }
    guard !isBelowPage, taken.isDisjoint(with: names) else {
      throw Refusal(
        .badName, cause: "One path cannot be both page and directory.",
        cure: "Choose another name or directory.")
    }
  }

  /// The page of this path, or the first page of the directory of this path.
  static func find(_ path: String, in scenes: [Scene]) throws(Refusal) -> Scene {
    try checkDirectory(path)
    let found =
      scenes.first { $0.path == path } ?? scenes.first { $0.directory == path }
      ?? scenes.first { isBelow($0.path, path) }
    guard let found else { throw Refusal(.noSuchScene) }
    return found
  }
}

extension RoomState {
  /// What a path leads to (SC-3).
  public func pathType(_ path: String) -> ScenePathType {
    if scene(path: path) != nil { return .page }
    return scenes.contains { $0.directory == path || ScenePath.isBelow($0.path, path) } ? .directory : .none
  }
}
