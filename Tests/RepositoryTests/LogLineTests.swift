import Foundation
import Testing

/// A line of the log: its words and its level.
private struct Line: Hashable {
  var words: String
  var level: String
}

private let levels = "trace|debug|info|notice|warning|error|critical"

@Test(
  "Every line that the server logs stands in the reference with its level, and every line there is logged")
func logLinesAreListed() {
  let code = Repository.files(under: ["Sources", "tools/boardroom"], ending: ".swift").flatMap {
    file in
    (Repository.text(file) ?? "").matches("[lL]ogger\\.(\(levels))\\(\\s*\"([^\"]*)\"").map {
      Line(words: $0[1], level: $0[0])
    }
  }
  let listed = (Repository.text("docs/OPERATIONS.md") ?? "").matches(
    "^\\| ([^|]+) \\| (\(levels)) \\| [^|]* \\| [^|]+ \\|$"
  )
  .map { Line(words: $0[0], level: $0[1]) }
  #expect(code.count > 5)
  #expect(Set(listed).subtracting(code) == [], "nobody logs these")
  #expect(Set(code).subtracting(listed) == [], "put a row into LogLine.all, and the table into the page")
}
