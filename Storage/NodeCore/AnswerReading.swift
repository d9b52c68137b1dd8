/// What an answer of the database says about whether a statement was carried out. A value: it knows no connection.
package struct AnswerReading: Sendable {
  /// What it goes by. Tests leave out one, to see what it prevents.
  package struct AnswerRules: OptionSet, Sendable {
    package let rawValue: Int
    package init(rawValue: Int) { self.rawValue = rawValue }

    /// A warning leaves the outcome open: a commit is answered so that waits for no standby any more.
    package static let warningLeavesOpen = AnswerRules(rawValue: 1)
    /// A statement that was cancelled, and a connection that ends, leave it open, too.
    package static let endLeavesOpen = AnswerRules(rawValue: 2)
    package static let all: AnswerRules = [.warningLeavesOpen, .endLeavesOpen]
  }

  private let rules: AnswerRules

  package init(rules: AnswerRules = .all) { self.rules = rules }

  /// Whether an answer without a refusal leaves open what has become of the statement.
  package func isOpen(warnings: Int) -> Bool { warnings > 0 && rules.contains(.warningLeavesOpen) }

  /// Whether a refusal leaves it open. Classes 08 and 57: connections that end, statements that were cancelled.
  package func isOpen(refusal state: String) -> Bool {
    (state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57")) && rules.contains(.endLeavesOpen)
  }

  /// Whether what a statement was refused for passes by itself: no connections, space or memory (class 53), a deadlock
  /// (40), or a server that takes no writes at present (25006). Nothing was written.
  package func canPass(_ state: String) -> Bool {
    state.hasPrefix("53") || state.hasPrefix("40") || state == "25006"
  }
}
