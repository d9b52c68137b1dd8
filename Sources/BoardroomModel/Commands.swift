/// What a member may ask for. One case a family of kinds that has commands; each has the kind number of the event that it
/// wishes for.
public enum Command: Sendable, Hashable {
  case drawing(DrawingAct)
  case elements(ElementCommand)
  case scenes(SceneCommand)
  case state(StateCommand)
  case history(HistoryCommand)
  case members(MemberCommand)
  case moderation(Moderation)
  case custom(Custom)
  /// In spaces without a board.
  case space(SpaceCommand)
  case diagnostics(DiagnosticCommand)

  public var kind: EventKind {
    switch self {
    case .drawing(let act): act.kind
    case .elements(let command): command.kind
    case .scenes(let command): command.kind
    case .state(let command): command.kind
    case .history(let command): command.kind
    case .members(let command): command.kind
    case .moderation(let command): command.kind
    case .custom(let command): command.kind
    case .space(let command): command.kind
    case .diagnostics(let command): command.kind
    }
  }
}

/// A command with its number.
public struct NumberedCommand: Sendable, Hashable {
  public var counter: CommandCounter
  public var command: Command
  public init(counter: CommandCounter, command: Command) {
    self.counter = counter
    self.command = command
  }
}
