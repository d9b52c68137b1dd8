import Foundation
import Testing

@Test("CONF-4: the page's examples are the code that these tests run")
func pageShowsWhatRuns() throws {
  let root = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  let page = try String(contentsOf: root.appending(path: "docs/CONFORMANCE.md"), encoding: .utf8)
  let parts = page.components(separatedBy: "<!-- example:begin ").dropFirst()
  #expect(parts.count == 4)
  for part in parts {
    let file = try #require(part.components(separatedBy: " -->").first)
    let code = try String(contentsOf: root.appending(path: file), encoding: .utf8)
    #expect(
      part.contains("-->\n```swift\n\(code)```\n<!-- example:end -->"), "\(file) is another one on the page")
  }
}
