import BoardroomModel
import EventLogModel

/// Commands as bodies: `uv counter`, then the payload of the kind. What comes through here is checked in
/// full; inside the house nobody checks it again.
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
    switch known {
    case .stroke: return .drawing(.stroke(try StrokeSegment(payload: payload)))
    case .pointer: return .drawing(.pointer(try PointerMove(payload: payload)))
    case .camera: return .drawing(.camera(try Camera(payload: payload)))
    default:
      let scan = JSONLimits(depth: limits.jsonDepth, bytes: limit)
      return try jsonCommand(known, EventCodec.fields(of: payload, kind: known, limits: scan), limits)
    }
  }

  private static func jsonCommand(
    _ kind: EventKind, _ fields: JSONFields, _ limits: WireLimits
  ) throws(CodecError) -> Command {
    switch kind {
    case .memberWritable: .members(.setWritable(try fields.bool("writable")))
    case .globalState: .state(.global(try fields.patch()))
    case .memberState: .state(.member(try fields.patch()))
    case .viewMode: .members(.viewMode(try fields.choice("mode")))
    case .scenesPut: .scenes(.put(try scenesPut(fields, limits)))
    case .sceneSwitched: .scenes(.switchTo(try fields.sceneTarget()))
    case .erased: .elements(.erase(try fields.erased()))
    case .elementPut: .elements(.put(try fields.elementPut()))
    case .clientPhases: .diagnostics(.clientPhases(try fields.clientPhases()))
    case .elementsChanged: .elements(.change(ElementsChanged(try fields.elementsChanged())))
    case .elementsCopied: .elements(.copy(try fields.elementsCopied()))
    case .sceneCleaned: .scenes(.clean(try fields.sceneClean()))
    case .scenesRemoved: .scenes(.remove(path: try fields.path("path")))
    case .sceneMoved:
      .scenes(
        .move(
          path: try fields.path("path"), target: try fields.path("target"),
          index: try fields.optionalCount("index")))
    case .pptStepped: .scenes(.stepPPT(try fields.pptDirection()))
    case .storeSet: .state(.setStore(try fields.storeSet(isCommand: true)))
    case .storeDeleted: .state(.deleteStore(try fields.storeName()))
    case .historySet: .history(.keep(scenes: try fields.count("scenes")))
    case .undone: .history(.undo(try fields.optionalScene("scene")))
    case .redone: .history(.redo(try fields.optionalScene("scene")))
    default:
      switch kind.family {
      case .accounts, .channels: .space(try fields.spaceCommand(kind))
      case .moderation: .moderation(try fields.moderation(kind))
      case .custom: .custom(try fields.custom(kind))
      default: throw .unknownKind(kind.rawValue)
      }
    }
  }

  private static func scenesPut(_ fields: JSONFields, _ limits: WireLimits) throws(CodecError) -> ScenesPut {
    let put = try fields.scenesPut(numbered: false)
    guard put.scenes.count <= limits.scenes else {
      throw .tooLarge(what: "scene count", actual: put.scenes.count, allowed: limits.scenes)
    }
    return put
  }

  // MARK: Writing

  public static func encode(_ numbered: NumberedCommand) -> (kind: UInt8, body: [UInt8]) {
    var body: [UInt8] = []
    body.appendVarint(numbered.counter)
    appendPayload(numbered.command, to: &body)
    return (numbered.command.kind.rawValue, body)
  }

  static func appendPayload(_ command: Command, to body: inout [UInt8]) {
    var writer = JSONWriter()
    switch command {
    case .drawing(.stroke(let segment)): return body.appendStroke(segment)
    case .drawing(.pointer(let move)): return body.appendPointer(move)
    case .drawing(.camera(let camera)): return body.appendCamera(camera)
    case .state(.global(let patch)), .state(.member(let patch)): writer.raw(patch.raw.bytes)
    case .elements(.put(let put)): writer.raw(put.raw.bytes)
    case .members(.setWritable(let flag)): writer.object { $0.field("writable", flag) }
    case .members(.viewMode(let mode)): writer.object { $0.field("mode", mode.rawValue) }
    case .scenes(.put(let put)): writer.scenesPut(put, numbered: false)
    case .scenes(.switchTo(let target)): writer.sceneTarget(target)
    case .elements(.erase(let ids)): writer.erased(ids)
    case .diagnostics(.clientPhases(let phases)): writer.clientPhases(phases)
    case .space(let command): writer.spaceCommand(command)
    case .moderation(let command): writer.moderation(command)
    case .custom(let command): writer.custom(command)
    case .elements(.change(let changed)): writer.elementsChanged(changed.changes)
    case .elements(.copy(let copies)): writer.elementsCopied(copies)
    case .scenes(.clean(let clean)): writer.sceneClean(clean)
    case .scenes(.remove(let path)): writer.object { $0.field("path", path) }
    case .scenes(.move(let path, let target, let index)):
      writer.object { writer in
        writer.field("path", path)
        writer.field("target", target)
        if let index { writer.field("index", index) }
      }
    case .scenes(.stepPPT(let direction)): writer.object { $0.field("by", direction.rawValue) }
    case .state(.setStore(let set)): writer.storeSet(set)
    case .state(.deleteStore(let name)): writer.object { $0.field("store", name) }
    case .history(.keep(let scenes)): writer.object { $0.field("scenes", scenes) }
    case .history(.undo(let scene)), .history(.redo(let scene)): writer.optionalScene(scene)
    }
    body.append(contentsOf: writer.bytes)
  }
}
