import Foundation
import Testing

/// The documentation catalogues of the SDK name only what is there.
@Suite struct CatalogueTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private static func files(_ folder: String, _ ending: String) -> [URL] {
    let all = FileManager.default.enumerator(
      at: root.appending(path: folder), includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == ending }
      .sorted { $0.path < $1.path }
  }

  static let pages = ["BoardroomClient", "BoardroomLegacy"].flatMap {
    files("Sources/\($0)/\($0).docc", "md")
  }

  /// Type names, and for each the names that are declared in it or in an extension of it.
  private static let declared: [String: Set<String>] = {
    var declared: [String: Set<String>] = ["": ["BoardroomClient", "BoardroomLegacy"]]
    let folders = ["BoardroomClient", "BoardroomLegacy", "BoardroomModel", "BoardroomCodec"]
    for folder in folders.map({ "Sources/\($0)" }) {
      for file in files(folder, "swift") { read(file, into: &declared) }
    }
    return declared
  }()

  private static func read(_ file: URL, into declared: inout [String: Set<String>]) {
    var type = ""
    let opening = /^(?:public |final )*(?:class|struct|enum|protocol|actor|extension|typealias) (\w+)/
    let member =
      /^  (?:public |nonisolated\(nonsending\) |static |mutating |convenience |internal\(set\) |private\(set\) |let |var |case |func )*(?:let|var|func|case|init)\b *(\w*)/
    for line in (try? String(contentsOf: file, encoding: .utf8))?.components(separatedBy: "\n") ?? [] {
      if let found = line.firstMatch(of: opening) {
        type = String(found.1)
        declared["", default: []].insert(type)
      } else if let found = line.firstMatch(of: member) {
        let name = found.1.isEmpty ? "init" : String(found.1)
        declared[type, default: []].insert(name)
      }
    }
  }

  @Test("Every symbol that a page names is declared", arguments: pages)
  func symbols(_ page: URL) throws {
    // Every other piece between fences is code.
    let pieces = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "```")
    let text = pieces.enumerated().filter { $0.offset % 2 == 0 }.map(\.element).joined()
    // A page links what its own module declares. What another one does stands as code: `Type/member`.
    for link in text.matches(of: /``([^`]+)``|`([A-Z]\w+\/[^`\s]+)`/) {
      let link = String(link.1 ?? link.2 ?? "")
      let parts = link.split(separator: "/").map { String($0.prefix { $0 != "(" }) }
      let (type, name) = parts.count == 2 ? (parts[0], parts[1]) : ("", parts[0])
      #expect(Self.declared[type]?.contains(name) == true, "\(page.lastPathComponent) names \(link)")
    }
  }

  @Test("Every article that a page leads to exists, and each is led to", arguments: pages)
  func articles(_ page: URL) throws {
    let text = try String(contentsOf: page, encoding: .utf8)
    let catalogue = page.deletingLastPathComponent()
    let module = catalogue.deletingPathExtension().lastPathComponent
    for link in text.matches(of: /<doc:(\w+)>/) {
      let path = catalogue.appending(path: "\(link.1).md").path
      #expect(FileManager.default.fileExists(atPath: path), "\(page.lastPathComponent) leads to \(link.1)")
    }
    let front = try String(contentsOf: catalogue.appending(path: "\(module).md"), encoding: .utf8)
    let name = page.deletingPathExtension().lastPathComponent
    #expect(name == module || front.contains("<doc:\(name)>"))
  }

  @Test("The migration guide says of every row where the name went: to a symbol, or why it was left out")
  func migrationRows() throws {
    let page = Self.root.appending(path: "Sources/BoardroomLegacy/BoardroomLegacy.docc/MigratingFromWhite.md")
    let rows = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n").filter {
      $0.hasPrefix("| `") || $0.hasPrefix("| (none)")
    }
    #expect(rows.count > 100)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 3, "\(row)")
      #expect(cells[1].contains("`") || cells[1] == "left out", "\(row)")
      #expect(cells.last?.isEmpty == false, "\(row)")
    }
  }
}
