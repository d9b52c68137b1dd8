import Foundation
import Testing

/// The documentation catalogue names only what is there.
@Suite struct CatalogueTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let catalogue = root.appending(path: "Sources/BoardroomClient/BoardroomClient.docc")

  private static func files(_ folder: String, _ ending: String) -> [URL] {
    let all = FileManager.default.enumerator(
      at: root.appending(path: folder), includingPropertiesForKeys: nil)
    return (all?.compactMap { $0 as? URL } ?? []).filter { $0.pathExtension == ending }
      .sorted { $0.path < $1.path }
  }

  static let pages = files("Sources/BoardroomClient/BoardroomClient.docc", "md")

  /// Type names, and for each the names that are declared in it or in an extension of it.
  private static let declared: [String: Set<String>] = {
    var declared: [String: Set<String>] = ["": ["BoardroomClient"]]
    for folder in ["Sources/BoardroomClient", "Sources/BoardroomModel", "Sources/BoardroomCodec"] {
      for file in files(folder, "swift") { read(file, into: &declared) }
    }
    return declared
  }()

  private static func read(_ file: URL, into declared: inout [String: Set<String>]) {
    var type = ""
    let opening = /^(?:public |final )*(?:class|struct|enum|protocol|actor|extension|typealias) (\w+)/
    let member =
      /^  (?:public |static |mutating |convenience |internal\(set\) |private\(set\) |let |var |case |func )*(?:let|var|func|case|init)\b *(\w*)/
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
    for link in text.matches(of: /``([^`]+)``/) {
      let parts = link.1.split(separator: "/").map { String($0.prefix { $0 != "(" }) }
      let (type, name) = parts.count == 2 ? (parts[0], parts[1]) : ("", parts[0])
      #expect(Self.declared[type]?.contains(name) == true, "\(page.lastPathComponent) names \(link.1)")
    }
  }

  @Test("Every article that a page leads to exists, and each is led to", arguments: pages)
  func articles(_ page: URL) throws {
    let text = try String(contentsOf: page, encoding: .utf8)
    for link in text.matches(of: /<doc:(\w+)>/) {
      let path = Self.catalogue.appending(path: "\(link.1).md").path
      #expect(FileManager.default.fileExists(atPath: path), "\(page.lastPathComponent) leads to \(link.1)")
    }
    let front = try String(contentsOf: Self.catalogue.appending(path: "BoardroomClient.md"), encoding: .utf8)
    let name = page.deletingPathExtension().lastPathComponent
    #expect(name == "BoardroomClient" || front.contains("<doc:\(name)>"))
  }

  @Test("The migration guide says of every row where the name went: to a symbol, or why it was left out")
  func migrationRows() throws {
    let page = Self.catalogue.appending(path: "MigratingFromWhite.md")
    let rows = try String(contentsOf: page, encoding: .utf8).components(separatedBy: "\n").filter {
      $0.hasPrefix("| `") || $0.hasPrefix("| (none)")
    }
    #expect(rows.count > 100)
    for row in rows {
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      try #require(cells.count == 3, "\(row)")
      #expect(cells[1].contains("``") || cells[1] == "left out", "\(row)")
      #expect(cells.last?.isEmpty == false, "\(row)")
    }
  }
}
