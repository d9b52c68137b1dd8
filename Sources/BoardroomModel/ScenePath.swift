/// The one rule of paths of pages and directories (SC-2): `/name/name`, and `/` for the root.
///
/// A slash is the byte `/`. Swift would not find one that a combining mark follows, since both are one `Character`;
/// readers in other languages do. Names are compared as texts: canonically equivalent ones are the same.
public enum ScenePath {
  private static let slash = UInt8(ascii: "/")

  /// Whether a page can have this name: it is not empty, and holds no slash.
  public static func isName(_ text: String) -> Bool { !text.isEmpty && !text.utf8.contains(slash) }

  /// Whether this is `/`, or begins with a slash, has no empty name in it and no slash at the end.
  public static func isPath(_ text: String) -> Bool {
    guard text.utf8.first == slash else { return false }
    return text.utf8.count == 1 || names(of: text).allSatisfy { !$0.isEmpty }
  }

  /// The names of a path from the root on; none for the root.
  static func names(of path: String) -> [Substring] {
    guard path.utf8.count > 1 else { return [] }
    return path.utf8.dropFirst().split(separator: slash, omittingEmptySubsequences: false).map {
      Substring($0)
    }
  }

  /// Directory and name of a page; of the root `/` and an empty name.
  public static func parts(of path: String) -> (directory: String, name: String) {
    guard let last = path.utf8.lastIndex(of: slash) else { return ("/", path) }
    let directory = last == path.utf8.startIndex ? "/" : String(path[..<last])
    return (directory, String(path[path.utf8.index(after: last)...]))
  }

  /// Whether `path` lies somewhere below the directory `upper`.
  public static func isBelow(_ path: String, _ upper: String) -> Bool {
    firstPart(of: path, below: upper) != nil
  }

  /// The name in `path` that follows `upper`; nil if `path` does not lie below it.
  public static func firstPart(of path: String, below upper: String) -> String? {
    let (names, above) = (names(of: path), names(of: upper))
    guard names.count > above.count, names.starts(with: above) else { return nil }
    return String(names[above.count])
  }
}
