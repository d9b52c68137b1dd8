import BoardroomModel
import Testing

@Suite struct VisibleTextTests {
  private static let over = String(repeating: "\u{301}", count: 9)

  static let lines: [(raw: String, shown: String)] = [
    ("plain ~ text", "plain ~ text"), ("", ""), ("白板 é ñ 👍", "白板 é ñ 👍"),
    ("a\nb\r\tc\u{0}", "a\\u{a}b\\u{d}\\u{9}c\\u{0}"),
    ("\u{1b}]0;mine\u{7}", "\\u{1b}]0;mine\\u{7}"),
    ("\u{7f}\u{80}\u{9b}31m\u{9f}", "\\u{7f}\\u{80}\\u{9b}31m\\u{9f}"),
    (
      "\u{202a}\u{202e}\u{2066}\u{2069}\u{200e}\u{200f}\u{61c}",
      "\\u{202a}\\u{202e}\\u{2066}\\u{2069}\\u{200e}\\u{200f}\\u{61c}"
    ),
    ("\u{85}\u{2028}\u{2029}", "\\u{85}\\u{2028}\\u{2029}"),
    (
      "\u{200b}\u{ad}\u{feff}\u{3164}\u{fe0f}\u{e0041}\u{e000}",
      "\\u{200b}\\u{ad}\\u{feff}\\u{3164}\\u{fe0f}\\u{e0041}\\u{e000}"
    ),
    ("a" + over, "a" + String(over.unicodeScalars.dropLast()) + "\\u{301}"),
    (String(over.unicodeScalars.dropLast()), String(over.unicodeScalars.dropLast())),
  ]

  @Test(
    "TERM-1: what moves a terminal, hides, turns or piles up is an escape; all else is itself",
    arguments: lines.indices)
  func escapes(row: Int) {
    let (raw, shown) = Self.lines[row]
    #expect(Array(VisibleText.line(raw).utf8) == Array(shown.utf8))
    #expect(VisibleText.line(shown) == shown, "what is visible stays")
  }

  @Test("TERM-1: a long text is cut by what is shown, and a flood of marks cannot make it longer")
  func cut() {
    #expect(VisibleText.line("abcdef", limit: 3) == "abc…")
    #expect(VisibleText.line("abc", limit: 3) == "abc")
    #expect(VisibleText.line("éab", limit: 3) == "éab")
    #expect(VisibleText.line("ab\u{1b}", limit: 4) == "ab…")
    let flood = "a" + String(repeating: "\u{301}", count: 100_000)
    #expect(VisibleText.line(flood, limit: 60).utf8.count < 100)
  }

  static let json: [(raw: String, shown: String)] = [
    (#"{"a":[1,"é"]}"#, #"{"a":[1,"é"]}"#), ("{\"a\":\r\n\t1}", "{\"a\":   1}"),
    ("\"\u{9b}31m\u{7f}\u{202e}\"", #""\u009b31m\u007f\u202e""#), ("\"\u{e0041}\"", #""\udb40\udc41""#),
    ("\"a" + over + "\"", "\"a" + String(over.unicodeScalars.dropLast()) + "\\u0301\""),
  ]

  @Test("TERM-2: on a terminal JSON is the same value in escapes", arguments: json.indices)
  func sameValue(row: Int) {
    let (raw, shown) = Self.json[row]
    #expect(Array(VisibleText.json(raw).utf8) == Array(shown.utf8))
  }
}
