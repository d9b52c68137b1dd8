import Foundation
import Testing

@Suite("Command line: the references of docs/OPERATIONS.md")
struct ReferenceTests {
  @Test("docs/OPERATIONS.md has each table as the code has it", arguments: ["settings", "lines", "metrics"])
  func tables(name: String) async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let page = try String(contentsOf: root.appending(path: "docs/OPERATIONS.md"), encoding: .utf8)
    let answer = try await Program.run("serve", "--reference", name, in: try Folder())
    #expect(answer.status == 0)
    #expect(answer.lines.count > 5)
    #expect(page.contains(answer.output), "put the output of `boardroom serve --reference \(name)` there")
  }
}
