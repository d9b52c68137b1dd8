import BoardroomModel
import EventLogModel

/// Commands as bodies: `uv counter`, then the payload of the kind. What comes through here is checked in
/// full; inside of this repository nothing checks it again.
public enum CommandCodec {
  /// Reads one command. Of a command that comes back, `body` is what its event's record may hold verbatim,
  /// unless the event differs from it (`scenesPut`, `sceneSwitched`).
  public static func decode(
    kind: UInt8, body: ArraySlice<UInt8>, limits: WireLimits
  ) throws(CodecError) -> NumberedCommand {
    let (counter, payload) = try EventCodec.split(body)
    guard counter > 0, counter <= FieldRanges.exactInteger else {
      throw .wire(.badField("counter", at: 0))
    }
    return NumberedCommand(
      counter: counter, command: try command(kind: kind, payload: payload, limits: limits))
  }

  static func command(
    kind: UInt8, payload: ArraySlice<UInt8>, limits: WireLimits
  ) throws(CodecError) -> Command {
    guard let known = EventKind(rawValue: kind), let limit = limits.payload(of: known) else {
      throw .unknownKind(kind)
    }
    guard payload.count <= limit else {
      throw .tooLarge(what: known.name, actual: payload.count, allowed: limit)
    }
    guard !known.hasBinaryBody else { return .drawing(try DrawingAct(kind: known, payload: payload)) }
    let scan = JSONLimits(depth: limits.jsonDepth, bytes: limit)
    return try jsonCommand(known, EventCodec.fields(of: payload, kind: known, limits: scan), limits)
  }

  private static func jsonCommand(
    _ kind: EventKind, _ fields: JSONFields, _ limits: WireLimits
  ) throws(CodecError) -> Command {
    switch kind.family {
    case .elements: .elements(try fields.elementCommand(kind))
    case .scenes: .scenes(try fields.sceneCommand(kind, limits))
    case .state: .state(try fields.stateCommand(kind))
    case .history: .history(try fields.historyCommand(kind))
    case .members: .members(try fields.memberCommand(kind))
    case .moderation: .moderation(try fields.moderation(kind))
    case .custom: .custom(try fields.custom(kind))
    case .space: .space(try fields.spaceCommand(kind))
    case .diagnostics: .diagnostics(try fields.diagnosticCommand(kind))
    case .drawing, .room: throw .unknownKind(kind.rawValue)
    }
  }

  // MARK: Writing

  public static func encode(_ numbered: NumberedCommand) -> (kind: UInt8, body: [UInt8]) {
    var body: [UInt8] = []
    body.appendVarint(numbered.counter)
    appendPayload(numbered.command, to: &body)
    return (numbered.command.kind.rawValue, body)
  }

  static func appendPayload(_ command: Command, to body: inout [UInt8]) {
    switch command {
    case .drawing(let act): body.appendDrawing(act)
    default: JSONWriter.append(to: &body) { $0.command(command) }
    }
  }
}

extension JSONWriter {
  /// The payload of a command whose body is JSON.
  fileprivate mutating func command(_ command: Command) {
    switch command {
    case .elements(let command): elementCommand(command)
    case .scenes(let command): sceneCommand(command)
    case .state(let command): stateCommand(command)
    case .history(let command): historyCommand(command)
    case .members(let command): memberCommand(command)
    case .moderation(let command): moderation(command)
    case .custom(let command): custom(command)
    case .space(let command): spaceCommand(command)
    case .diagnostics(let command): diagnosticCommand(command)
    case .drawing: break
    }
  }
}
