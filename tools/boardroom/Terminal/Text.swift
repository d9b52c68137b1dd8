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

  /// A text without the addresses of databases that stand on the command line, which may hold a password: messages repeat
  /// words in wrong places, and such that are taken for a folder (DB-3).
  static func withoutAddresses(_ text: String) -> String {
    addresses.reduce(text) { $0.replacing($1.raw, with: $1.shown) }
  }

  /// Words of the command line that are addresses, and what is shown of them.
  private static let addresses: [(raw: String, shown: String)] = CommandLine.arguments.dropFirst().compactMap
  {
    let value = String($0.hasPrefix("-") ? $0.drop { $0 != "=" }.dropFirst() : $0[...])
    let small = value.lowercased()
    let place = StorePlace(value)
    let isWeb = ["http://", "https://", "ws://", "wss://"].contains { small.hasPrefix($0) }
    guard place.isDatabase, !isWeb, small.contains("://") || small.contains("password") else { return nil }
    return (value, "\(place)")
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
