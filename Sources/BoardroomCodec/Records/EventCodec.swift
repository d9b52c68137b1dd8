import BoardroomModel
import EventLogModel

/// Events as record bodies: `uv counter`, then the payload of the kind (docs/PROTOCOL.md, section 6).
public enum EventCodec {
  /// Reads one record of a run. Points and payloads of unknown kinds are kept as they are; a body that is not
  /// what its kind describes is an error, and the record stays what it is.
  public static func decode(_ view: RecordView, in records: [UInt8]) throws(CodecError) -> RoomEvent {
    let (counter, payload) = try split(records[view.body])
    return RoomEvent(
      revision: view.revision, time: view.time, actor: Actor(code: view.actor), counter: counter,
      event: try event(kind: view.kind, payload: payload))
  }

  /// Reads a record that was taken out of its run.
  public static func decode(_ record: Record, at revision: Revision) throws(CodecError) -> RoomEvent {
    let (counter, payload) = try split(record.body[...])
    return RoomEvent(
      revision: revision, time: record.time, actor: Actor(code: record.actor), counter: counter,
      event: try event(kind: record.kind, payload: payload))
  }

  /// The event that a payload (what follows the counter) describes.
  public static func event(kind: UInt8, payload: ArraySlice<UInt8>) throws(CodecError) -> Event {
    guard let known = EventKind(rawValue: kind) else {
      return .unknown(kind: kind, payload: Array(payload))
    }
    guard !known.hasBinaryBody else { return .drawing(try DrawingAct(kind: known, payload: payload)) }
    return try jsonEvent(known, fields(of: payload, kind: known, limits: JSONLimits()))
  }

  /// A JSON payload is one object and nothing around it, not even space.
  static func fields(
    of payload: ArraySlice<UInt8>, kind: EventKind, limits: JSONLimits
  ) throws(CodecError) -> JSONFields {
    guard payload.first == UInt8(ascii: "{"), payload.last == UInt8(ascii: "}") else {
      throw .invalid(field: kind.name, reason: "must be one JSON object without space around it")
    }
    return try JSONFields(text: payload, limits: limits, of: kind.name)
  }

  private static func jsonEvent(_ kind: EventKind, _ fields: JSONFields) throws(CodecError) -> Event {
    switch kind.family {
    case .drawing: throw .invalid(field: kind.name, reason: "is binary")
    case .elements: .elements(try fields.elementEvent(kind))
    case .scenes: .scenes(try fields.sceneEvent(kind))
    case .state: .state(try fields.stateEvent(kind))
    case .history: .history(try fields.historyEvent(kind))
    case .members: .members(try fields.memberEvent(kind))
    case .moderation: .moderation(try fields.moderation(kind))
    case .room: .room(try fields.roomLifeEvent(kind))
    case .custom: .custom(try fields.custom(kind))
    case .space: .space(try fields.spaceEvent(kind))
    case .diagnostics: .diagnostics(try fields.diagnosticEvent(kind))
    }
  }

  // MARK: Counters

  /// The counter of a body and the payload after it.
  public static func split(
    _ body: ArraySlice<UInt8>
  ) throws(CodecError) -> (CommandCounter, ArraySlice<UInt8>) {
    let (counter, length) = try body.reading { (reader) throws(CodecError) in
      (try reader.number("counter"), reader.position)
    }
    return (counter, body[(body.startIndex + length)...])
  }

  /// The counter that a body begins with; zero if no command caused the event.
  public static func counter(of body: ArraySlice<UInt8>) throws(CodecError) -> CommandCounter {
    try split(body).0
  }

  public static func counter(of body: [UInt8]) throws(CodecError) -> CommandCounter {
    try split(body[...]).0
  }

  // MARK: Writing

  /// The body of a record. JSON that came from a client is spliced in as it came.
  public static func encodeBody(_ event: Event, counter: CommandCounter) -> [UInt8] {
    var body: [UInt8] = []
    body.appendVarint(counter)
    appendPayload(event, to: &body)
    return body
  }

  static func appendPayload(_ event: Event, to body: inout [UInt8]) {
    switch event {
    case .drawing(let act): body.appendDrawing(act)
    case .unknown(_, let payload): body.append(contentsOf: payload)
    default: JSONWriter.append(to: &body) { $0.event(event) }
    }
  }
}

extension JSONWriter {
  /// The payload of an event whose body is JSON.
  fileprivate mutating func event(_ event: Event) {
    switch event {
    case .elements(let event): elementEvent(event)
    case .scenes(let event): sceneEvent(event)
    case .state(let event): stateEvent(event)
    case .history(let event): historyEvent(event)
    case .members(let event): memberEvent(event)
    case .moderation(let event): moderation(event)
    case .room(let event): roomLifeEvent(event)
    case .custom(let event): custom(event)
    case .space(let event): spaceEvent(event)
    case .diagnostics(let event): diagnosticEvent(event)
    case .drawing, .unknown: break
    }
  }
}
