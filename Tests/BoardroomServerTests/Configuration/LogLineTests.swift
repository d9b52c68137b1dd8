import BoardroomCodec
import Logging
import Synchronization
import Testing

@testable import BoardroomServer

private final class Lines: Sendable {
  private let held = Mutex<[String]>([])
  var all: [String] { held.withLock { $0 } }
  func add(_ bytes: [UInt8]) { held.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) } }
}

private func logged(_ format: ServerSettings.LogFormat, _ body: (Logger) -> Void) -> [String] {
  let lines = Lines()
  body(Logger(label: "test") { LogLines(label: $0, level: .info, format: format, sink: lines.add) })
  return lines.all
}

@Test("TERM-1: a log line is one line, whatever the words hold, and below the level there is none")
func logLinesAreLines() {
  for format in ServerSettings.LogFormat.allCases {
    let lines = logged(format) { logger in
      logger.debug("unseen")
      logger.info("two\nlines", metadata: ["key": "a\r\nb\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{2028}"])
    }
    #expect(lines.count == 1)
    #expect(lines[0].filter { $0.isNewline }.count == 1)
    #expect(lines[0].hasSuffix("\n"))
    let raw: Set<Unicode.Scalar> = ["\u{1b}", "\u{7}", "\u{9b}", "\u{202e}", "\u{2028}", "\r"]
    #expect(lines[0].unicodeScalars.filter(raw.contains).isEmpty, "\(format)")
  }
}

@Test("In json, a log line is one strict object with time, level and message")
func logLinesAreJSON() throws {
  let line = logged(.json) { $0.warning("full \"soon\"", metadata: ["room": "7"]) }[0]
  let value = try JSONValue.parse(Array(line.utf8))
  #expect(value["level"]?.string == "warning")
  #expect(value["message"]?.string == "full \"soon\"")
  #expect(value["room"]?.string == "7")
  #expect(value["time"]?.string?.hasSuffix("Z") == true)
}
