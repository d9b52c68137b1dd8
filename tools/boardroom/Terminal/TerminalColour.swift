import Foundation

/// Colours on a terminal (TERM-4): none where the output goes elsewhere, `NO_COLOR` is set, `TERM` is `dumb` or not set, or with
/// --json.
struct TerminalColour {
  /// As SGR of ECMA-48 has them.
  private enum Rendition: String {
    case bold = "1"
    case red = "31"
  }

  private let isOn: Bool

  /// - Parameter isSeen: whether the output goes to a terminal.
  init(isSeen: Bool) {
    let variables = ProcessInfo.processInfo.environment
    isOn = isSeen && !Terminal.isJSON && (variables["NO_COLOR"] ?? "").isEmpty && Self.isUnderstood
  }

  /// Whether `TERM` names a terminal that knows more than text: a dumb one shows what it is told as signs.
  static var isUnderstood: Bool {
    !["", "dumb"].contains(ProcessInfo.processInfo.environment["TERM"] ?? "")
  }

  /// What is wrong.
  func wrong(_ text: String) -> String { render(text, .red) }

  /// The name of what follows.
  func heading(_ text: some StringProtocol) -> String { render(String(text), .bold) }

  /// A line that begins with a name and the spaces after it, as `events    60`.
  func labelled(_ line: String) -> String {
    let label = line.prefix { $0 != " " }
    return label.isEmpty ? line : heading(label) + line.dropFirst(label.count)
  }

  /// A text of ArgumentParser's, with its headings: `USAGE: boardroom serve`.
  func help(_ text: String) -> String {
    guard isOn else { return text }
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let end = line.firstIndex(of: ":"), let first = line.first, first.isLetter,
        line[..<end].allSatisfy({ $0 == " " || $0.isUppercase })
      else { return String(line) }
      return heading(line[...end]) + line[line.index(after: end)...]
    }
    return lines.joined(separator: "\n")
  }

  private func render(_ text: String, _ rendition: Rendition) -> String {
    isOn && !text.isEmpty ? "\u{1b}[\(rendition.rawValue)m\(text)\u{1b}[0m" : text
  }
}
