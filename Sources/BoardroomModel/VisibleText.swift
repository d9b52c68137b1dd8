/// Text from outside as a terminal or a line of a log may hold it (TERM-1): nothing in it moves a cursor, ends a line,
/// changes a colour, turns the direction of writing, hides, or grows over the lines above. What would is written as
/// `\u{1b}`, or in JSON as `\u001b`. The one place that decides.
public enum VisibleText {
  /// Marks over one letter that are shown as they are. 8: more than any living script sets; those behind are escaped.
  public static let mostMarks = 8

  /// As part of a line for people; of more than `limit` letters the first, and an ellipsis.
  public static func line(_ text: String, limit: Int = .max) -> String {
    if text.utf8.count <= limit, text.utf8.allSatisfy(isPlain) { return text }
    var (shown, letters, marks) = ("", 0, 0)
    for scalar in text.unicodeScalars {
      let isMark = scalar.isMark
      marks = isMark ? marks + 1 : 0
      let isEscaped = scalar.isHidden || marks > mostMarks
      let escape = isEscaped ? "\\u{" + String(scalar.value, radix: 16) + "}" : ""
      letters += isEscaped ? escape.utf8.count : (isMark ? 0 : 1)
      guard letters <= limit else { return shown + "…" }
      if isEscaped { shown += escape } else { shown.unicodeScalars.append(scalar) }
    }
    return shown
  }

  /// The same JSON value in escapes of JSON. Line ends and tabs between its tokens become spaces.
  public static func json(_ text: String) -> String {
    if text.utf8.allSatisfy(isPlain) { return text }
    var (shown, marks) = ("", 0)
    for scalar in text.unicodeScalars {
      marks = scalar.isMark ? marks + 1 : 0
      if scalar.value < 0x20 {
        // Raw control characters stand between tokens only: strings have them as escapes.
        shown += " "
      } else if scalar.isHidden || marks > mostMarks {
        for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter { shown += escape(unit) }
      } else {
        shown.unicodeScalars.append(scalar)
      }
    }
    return shown
  }

  private static func escape(_ unit: UInt16) -> String {
    let digits = String(unit, radix: 16)
    return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
  }

  private static func isPlain(_ byte: UInt8) -> Bool { (0x20...0x7E).contains(byte) }
}

extension Unicode.Scalar {
  /// Controls, directions, what is shown as nothing, what ends a line, and what nobody knows how to show.
  fileprivate var isHidden: Bool {
    if value < 0x7F { return value < 0x20 }
    return switch properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator: true
    default: properties.isDefaultIgnorableCodePoint
    }
  }

  fileprivate var isMark: Bool {
    guard value >= 0x300 else { return false }
    return switch properties.generalCategory {
    case .nonspacingMark, .enclosingMark: true
    default: false
    }
  }
}
