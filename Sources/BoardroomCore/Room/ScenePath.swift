import BoardroomModel

/// What a path on the board leads to (SC-3, SC-11).
public enum ScenePathType: String, Sendable, Hashable, CaseIterable {
  case none, page
  case directory = "dir"
}

/// Rules of paths: SC-2, SC-3, SC-5.
enum ScenePath {
  /// Begins with `/`, has no empty or control-character parts, and only the root ends with `/`.
  static func checkDirectory(_ path: String) throws(Refusal) {
    guard path.hasPrefix("/") else {
      throw Refusal(.badName, cause: "The path does not begin with a slash.", cure: "Begin it with a slash.")
    }
    guard path != "/" else { return }
    let parts = path.dropFirst().split(separator: "/", omittingEmptySubsequences: false)
    let isPlain = path.unicodeScalars.allSatisfy { $0.value >= 32 && $0.value != 127 }
    guard isPlain, parts.allSatisfy({ !$0.isEmpty }) else {
      throw Refusal(
        .badName, cause: "The path has an empty part or control characters.",
        cure: "Write it as /part/part, without a slash at the end.")
    }
  }

  /// No page may lie below a page, and none may have the path of a directory. One look at the scenes for all
  /// names: a room may have thousands and a command may put thousands.
  static func checkPages(_ names: [String], in directory: String, among scenes: [Scene]) throws(Refusal) {
    guard !names.contains(where: { $0.contains("/") }) else {
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

  /// The part of `path` that follows `upper`; nil if it does not lie below it.
  static func firstPart(of path: String, below upper: String) -> String? {
    guard isBelow(path, upper) else { return nil }
    let rest = path.dropFirst(upper == "/" ? 1 : upper.count + 1)
    return String(rest.prefix { $0 != "/" })
  }

  /// Directory and name; of the root `/` and nothing.
  static func parts(of path: String) -> (directory: String, name: String) {
    guard let slash = path.lastIndex(of: "/") else { return ("/", path) }
    return (
      slash == path.startIndex ? "/" : String(path[..<slash]), String(path[path.index(after: slash)...])
    )
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

  /// Whether `path` lies somewhere below the directory `upper`.
  static func isBelow(_ path: String, _ upper: String) -> Bool {
    upper == "/" ? path != "/" : path.hasPrefix(upper + "/")
  }
}

extension RoomState {
  /// What a path leads to (SC-3).
  public func pathType(_ path: String) -> ScenePathType {
    if scene(path: path) != nil { return .page }
    return scenes.contains { $0.directory == path || ScenePath.isBelow($0.path, path) } ? .directory : .none
  }
}
