import Foundation
import Testing

@Suite("Command line: the references of docs/OPERATIONS.md")
struct ReferenceTests {
  @Test(
    "docs/OPERATIONS.md has each table as the code has it",
    arguments: ["settings", "lines", "metrics", "flags"])
  func tables(name: String) async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
    let answer = try await Program.run("serve", "--reference", name, in: try Folder())
    #expect(answer.status == 0)
    #expect(answer.lines.count > 5)
    #expect(page.contains(answer.output), "put the output of `boardroom serve --reference \(name)` there")
  }

  private static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  private func text(_ path: String) throws -> String {
    try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
  }

  private func reference(_ name: String) async throws -> [String] {
    let answer = try await Program.run("serve", "--reference", name, in: try Folder())
    #expect(answer.status == 0)
    return answer.output.dropLast().components(separatedBy: "\n")
  }

  @Test("KIND-2: docs/PROTOCOL.md has a row for each kind, in its order, and each says its payload in words")
  func kindTable() async throws {
    let page = try text("docs/PROTOCOL.md").components(separatedBy: "\n")
    let begin = try #require(page.firstIndex(of: "| kind | name | C | payload |"))
    let rows = page[(begin + 2)...].prefix { $0.hasPrefix("|") }
    let wanted = try await reference("kinds")
    #expect(rows.count == wanted.count, "give `tools/kinds write`")
    for (row, prefix) in zip(rows, wanted) {
      #expect(row.hasPrefix(prefix), "give `tools/kinds write`")
      #expect(row.dropFirst(prefix.count).count > 4, "what is the payload of \(prefix)?")
    }
    let limits = try await reference("kindLimits")
    #expect(limits.count == 1, "give `tools/kinds write`")
    #expect(page.contains(limits[0]), "give `tools/kinds write`")
  }

  @Test("KIND-2: docs/WEBHOOKS.md has the table of types as the table of kinds has them")
  func webhookTable() async throws {
    let table = try await reference("webhooks").joined(separator: "\n")
    #expect(try text("docs/WEBHOOKS.md").contains(table), "give `tools/kinds write`")
  }

  @Test("KIND-2: the page's kinds.js is what the table of kinds makes")
  func pageKinds() async throws {
    let sources = Self.root.appending(path: "Sources")
    let all = FileManager.default.enumerator(atPath: sources.path)?.allObjects as? [String] ?? []
    let file = try #require(all.first { $0.hasSuffix("/kinds.js") })
    let lines = try await reference("pageKinds")
    #expect(try text("Sources/" + file) == lines.joined(separator: "\n") + "\n", "give `tools/kinds write`")
  }
}
