import BoardroomModel
import EventLogModel

/// What a command comes to.
struct Outcome {
  /// Nil: it changes nothing.
  var event: Event?
  /// Whether the event's body is the command's own.
  var isVerbatim: Bool

  static let nothing = Outcome(event: nil, isVerbatim: false)
}

/// What commands need: each family says it in a file of its own. Nothing of that changes anything.
extension Room {
  /// The event that a command comes to; `author` is nil for the server.
  func outcome(of command: Command, by author: MemberID?) throws(Refusal) -> Outcome {
    try checkBoard(for: command)
    switch command {
    case .drawing(let act): return try drawing(act, by: member(author))
    case .elements(let command): return try elements(command, by: author)
    case .scenes(let command): return try scenes(command)
    case .state(let command): return try states(command, by: author)
    case .history(let command): return try history(command, by: member(author))
    case .members(let command): return try members(command, by: member(author))
    case .moderation(let what): return try moderation(what, by: author)
    case .custom(let what): return try custom(what)
    case .space(let command): return try space(command, by: member(author))
    case .diagnostics(let command): _ = try member(author); return try diagnostics(command)
    }
  }

  func member(_ author: MemberID?) throws(Refusal) -> MemberID {
    guard let author else {
      throw Refusal(.badParameter, cause: "Only a member can do this.", cure: "Let a member do it.")
    }
    return author
  }

  /// Neither empty nor with control characters.
  func checkName(_ name: String, of what: String) throws(Refusal) {
    guard !name.isEmpty, name.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
      throw Refusal(
        .badName, cause: "The \(what)'s name is empty or has control characters.",
        cure: "Give it a name of printable characters.")
    }
  }
}
