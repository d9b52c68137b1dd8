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
    switch known {
    case .stroke: return .drawing(.stroke(try StrokeSegment(payload: payload)))
    case .pointer: return .drawing(.pointer(try PointerMove(payload: payload)))
    case .camera: return .drawing(.camera(try Camera(payload: payload)))
    default:
      return try jsonEvent(known, fields(of: payload, kind: known, limits: JSONLimits()))
    }
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
    switch kind {
    case .stroke, .pointer, .camera: throw .invalid(field: kind.name, reason: "is binary")
    case .roomCreated: .room(.created(try fields.roomCreated()))
    case .memberJoined: .members(.joined(try fields.memberJoined()))
    case .memberLeft: .members(.left(try fields.choice("cause")))
    case .memberPhase: .members(.phase(try fields.phaseChange()))
    case .memberWritable: .members(.writable(try fields.bool("writable")))
    case .memberKicked: .members(.kicked(try fields.memberKicked()))
    case .memberReplaced: .members(.replaced(MemberReplaced(by: try fields.name("by"))))
    case .globalState: .state(.global(try fields.patch()))
    case .memberState: .state(.member(try fields.patch()))
    case .viewMode: .members(.viewMode(try fields.choice("mode")))
    case .scenesPut: .scenes(.put(try fields.scenesPut(numbered: true)))
    case .sceneSwitched: .scenes(.switched(try fields.scene("scene")))
    case .erased: .elements(.erased(try fields.erased()))
    case .elementPut: .elements(.put(try fields.elementPut()))
    case .refused: .diagnostics(.refused(try fields.refusedCommand()))
    case .clientPhases: .diagnostics(.clientPhases(try fields.clientPhases()))
    case .elementsChanged: .elements(.changed(ElementsChanged(try fields.elementsChanged())))
    case .elementsCopied: .elements(.copied(try fields.elementsCopied()))
    case .sceneCleaned: .scenes(.cleaned(try fields.sceneCleaned()))
    case .scenesRemoved: .scenes(.removed(try fields.scenesRemoved()))
    case .sceneMoved: .scenes(.moved(try fields.sceneMoved()))
    case .pptStepped: .scenes(.pptStepped(try fields.pptStep()))
    case .storeSet: .state(.storeSet(try fields.storeSet(isCommand: false)))
    case .storeDeleted: .state(.storeDeleted(try fields.storeName()))
    case .historySet: .history(.kept(try fields.historyDepth()))
    case .undone: .history(.undone(try fields.compensation()))
    case .redone: .history(.redone(try fields.compensation()))
    case .roomBanned: .room(.banned(try fields.bool("banned")))
    case .limitsSet: .room(.limitsSet(try fields.limitsPatch()))
    case .roomDeleted: .room(.deleted)
    case .banSet: .room(.banSet(try fields.ban()))
    case .banLifted: .room(.banLifted(try fields.number("ban")))
    case .nothingChanged: .diagnostics(.nothingChanged(kind: UInt8(try fields.number("kind", upTo: 255))))
    case .contentErased: .diagnostics(.contentErased(try fields.erasedContent()))
    default: try event(ofFamilyOf: kind, fields)
    }
  }

  /// Of families whose words are an enum of their own.
  private static func event(
    ofFamilyOf kind: EventKind, _ fields: JSONFields
  ) throws(CodecError) -> Event {
    switch kind.family {
    case .accounts, .channels: .space(try fields.spaceEvent(kind))
    case .moderation: .moderation(try fields.moderation(kind))
    case .custom: .custom(try fields.custom(kind))
    default: throw .invalid(field: kind.name, reason: "has no body that can be read")
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
    case .drawing(.stroke(let segment)): body.appendStroke(segment)
    case .drawing(.pointer(let move)): body.appendPointer(move)
    case .drawing(.camera(let camera)): body.appendCamera(camera)
    case .state(.global(let patch)), .state(.member(let patch)): body.append(contentsOf: patch.raw.bytes)
    case .elements(.put(let put)): body.append(contentsOf: put.raw.bytes)
    case .custom(.magix(let magix)): body.append(contentsOf: magix.raw.bytes)
    case .unknown(_, let payload): body.append(contentsOf: payload)
    default:
      var writer = JSONWriter()
      write(event, to: &writer)
      body.append(contentsOf: writer.bytes)
    }
  }

  private static func write(_ event: Event, to writer: inout JSONWriter) {
    switch event {
    case .room(.created(let room)): writer.roomCreated(room)
    case .members(.joined(let joined)): writer.memberJoined(joined)
    case .members(.left(let cause)): writer.object { $0.field("cause", cause.rawValue) }
    case .members(.phase(let change)): writer.phaseChange(change)
    case .members(.writable(let flag)): writer.object { $0.field("writable", flag) }
    case .members(.kicked(let kicked)): writer.memberKicked(kicked)
    case .members(.replaced(let replaced)): writer.object { $0.field("by", replaced.by.description) }
    case .members(.viewMode(let mode)): writer.object { $0.field("mode", mode.rawValue) }
    case .scenes(.put(let put)): writer.scenesPut(put, numbered: true)
    case .scenes(.switched(let scene)): writer.object { $0.field("scene", scene) }
    case .elements(.erased(let ids)): writer.erased(ids)
    case .diagnostics(.refused(let refused)): writer.refusedCommand(refused)
    case .diagnostics(.clientPhases(let phases)): writer.clientPhases(phases)
    case .state(.global(let patch)), .state(.member(let patch)): writer.raw(patch.raw.bytes)
    case .elements(.put(let put)): writer.raw(put.raw.bytes)
    case .elements(.changed(let changed)): writer.elementsChanged(changed.changes)
    case .elements(.copied(let copies)): writer.elementsCopied(copies)
    case .scenes(.cleaned(let cleaned)): writer.sceneCleaned(cleaned)
    case .scenes(.removed(let removed)): writer.scenesRemoved(removed)
    case .scenes(.moved(let moved)): writer.sceneMoved(moved)
    case .scenes(.pptStepped(let step)): writer.pptStep(step)
    case .state(.storeSet(let set)): writer.storeSet(set)
    case .state(.storeDeleted(let name)): writer.object { $0.field("store", name) }
    case .history(.kept(let kept)): writer.historyDepth(kept)
    case .history(.undone(let compensation)), .history(.redone(let compensation)):
      writer.compensation(compensation)
    case .room(.banned(let isBanned)): writer.object { $0.field("banned", isBanned) }
    case .room(.limitsSet(let patch)): writer.limitsPatch(patch)
    case .room(.deleted): writer.object { _ in }
    case .room(.banSet(let ban)): writer.ban(ban)
    case .room(.banLifted(let number)): writer.object { $0.field("ban", number) }
    case .space(let event): writer.spaceEvent(event)
    case .moderation(let event): writer.moderation(event)
    case .diagnostics(.nothingChanged(let kind)): writer.object { $0.field("kind", kind) }
    case .diagnostics(.contentErased(let erased)): writer.erasedContent(erased)
    case .custom(let event): writer.custom(event)
    case .drawing, .unknown: break
    }
  }
}
