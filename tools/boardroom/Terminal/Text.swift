import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation

/// How values are shown to people.
enum Text {
  /// UTC with milliseconds: `2026-11-21T09:30:00.125Z`.
  static func time(_ time: Timestamp) -> String {
    Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
      .formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
  }

  /// The time of day alone.
  static func clock(_ time: Timestamp) -> String { String(Text.time(time).dropFirst(11).dropLast()) }

  static func hex(_ bytes: some Sequence<UInt8>) -> String {
    bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }

  static func size(_ bytes: Int) -> String {
    var value = Double(bytes)
    for unit in ["B", "KiB", "MiB", "GiB"] {
      if value < 1_024 || unit == "GiB" {
        return unit == "B" ? "\(bytes) B" : String(format: "%.1f %@", value, unit)
      }
      value /= 1_024
    }
    return "\(bytes) B"
  }

  /// `1 element`, `2 elements`.
  static func count(_ number: Int, _ thing: String) -> String {
    "\(number) \(thing)\(number == 1 ? "" : "s")"
  }

  /// A text of the parser without the addresses of databases on the command line, which may hold a password: it repeats
  /// words that it does not understand (DB-3).
  static func withoutAddresses(_ text: String) -> String {
    var shown = text
    for argument in CommandLine.arguments.dropFirst() {
      let value = argument.hasPrefix("-") ? argument.drop { $0 != "=" }.dropFirst() : argument[...]
      guard !["http://", "https://"].contains(where: { value.lowercased().hasPrefix($0) }) else { continue }
      let place = StorePlace(String(value))
      if place.isDatabase { shown = shown.replacing(value, with: "\(place)") }
    }
    return shown
  }

  static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Text of members may contain anything. Only the beginning of a long text is shown; `Terminal` would show
  /// all of it, escaped.
  static func visible(_ text: String, limit: Int = 60) -> String { VisibleText.line(text, limit: limit) }

  /// As JSON text, with quotes.
  static func json(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\u{0}"..<" ": result += "\\u00" + hex([UInt8(scalar.value)])
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
