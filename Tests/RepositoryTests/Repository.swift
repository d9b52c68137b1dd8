import Foundation

/// The repository as the repository tests read it.
enum Repository {
  static let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

  static func text(_ path: String) -> String? {
    try? String(contentsOf: root.appending(path: path), encoding: .utf8)
  }

  static func bytes(_ path: String) -> Data? { try? Data(contentsOf: root.appending(path: path)) }

  static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appending(path: path).path)
  }

  /// Paths of all files under the folders, relative to the root and sorted; hidden files are left out.
  static func files(under folders: [String], ending: String = "") -> [String] {
    folders.flatMap { folder -> [String] in
      let base = root.appending(path: folder).path
      let all = FileManager.default.enumerator(atPath: base)?.allObjects as? [String] ?? []
      return all.filter { path in
        var isFolder: ObjCBool = false
        _ = FileManager.default.fileExists(atPath: base + "/" + path, isDirectory: &isFolder)
        return !isFolder.boolValue && path.hasSuffix(ending)
          && !path.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "__pycache__" }
      }.map { folder + "/" + $0 }
    }.sorted()
  }

  static let sourceFolders = ["Storage", "Sources", "tools", "Tests"]
  static var swiftFiles: [String] { files(under: sourceFolders, ending: ".swift") }
  /// What browsers load, and the tests of it.
  static var webFiles: [String] {
    files(under: ["Sources/BoardroomWeb/Page", "Tests/WebTests"])
      .filter { [".js", ".css", ".html"].contains(where: $0.hasSuffix) }
  }

  /// Pages for people: those of docs/ and those at the top.
  static var pages: [String] {
    let top = (try? FileManager.default.contentsOfDirectory(atPath: root.path)) ?? []
    return files(under: ["docs", "tools/samples"], ending: ".md")
      + top.filter { $0.hasSuffix(".md") }.sorted()
  }
}

extension String {
  /// All matches of a pattern; of each, the captured groups (or the whole, if it has none).
  func matches(_ pattern: String) -> [[String]] {
    // A pattern is a literal of these tests: a wrong one is a mistake that any run of them shows.
    let expression = try! NSRegularExpression(pattern: pattern, options: [.anchorsMatchLines])
    let whole = NSRange(startIndex..., in: self)
    return expression.matches(in: self, range: whole).map { match in
      let groups = match.numberOfRanges == 1 ? 0...0 : 1...(match.numberOfRanges - 1)
      return groups.map { Range(match.range(at: $0), in: self).map { String(self[$0]) } ?? "" }
    }
  }
}
