import BoardroomModel
import Testing

/// docs/PROTOCOL.md is complete: every code and every kind has its row.
private let page = Repository.text("docs/PROTOCOL.md") ?? ""
private let rows = page.split(separator: "\n").filter { $0.hasPrefix("| ") }

@Test(
  "Every refusal on the wire has a code, a cause and a cure in docs/PROTOCOL.md",
  arguments: RefusalCode.allCases)
func refusalRows(code: RefusalCode) {
  let row = rows.first { row in
    let cell = row.split(separator: "|").first ?? ""
    return cell.split(whereSeparator: { ", ".contains($0) }).contains { $0 == code.rawValue }
  }
  let cells = row?.split(separator: "|").map { $0.trimmingPrefix(" ") } ?? []
  #expect(cells.count >= 6, "\(code.rawValue) has no row with a cause and a cure")
}

@Test("Every kind of record has its number and name in docs/PROTOCOL.md", arguments: EventKind.allCases)
func kindRows(kind: EventKind) {
  let isThere = rows.contains { $0.hasPrefix("| \(kind.rawValue) | \(kind.name) |") }
  #expect(isThere, "\(kind.name), \(kind.rawValue), has no row")
}
