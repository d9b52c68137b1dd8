import BoardroomModel
import EventLogModel

// The JSON payloads, kinds from 16: reading. What a client may send and what the log holds have the same
// form, but for scenes (without ids in a command) and for the switch of a scene.

extension JSONFields {
  func patch() throws(CodecError) -> JSONPatch {
    JSONPatch(
      raw: object.text, fields: object.members.map { ($0.key, $0.value.isNull ? nil : $0.value.text) })
  }

  func roomCreated() throws(CodecError) -> RoomCreated {
    RoomCreated(name: try string("name"), limit: try count("limit"), isRecord: try bool("isRecord"))
  }

  func memberJoined() throws(CodecError) -> MemberJoined {
    MemberJoined(
      session: try name("session"), uid: try optionalString("uid"), role: try choice("role"),
      writable: try bool("writable"), payload: object["payload"]?.text, client: try optionalString("client"),
      token: try optionalString("token"), isBound: try bool("bound", otherwise: false),
      erased: try optionalString("erased"))
  }

  func erasedContent() throws(CodecError) -> ErasedContent {
    ErasedContent(kind: UInt8(try number("kind", upTo: 255)), hash: try string("hash"))
  }

  func phaseChange() throws(CodecError) -> MemberPhaseChange {
    MemberPhaseChange(phase: try choice("phase"), generation: try generation("generation"))
  }

  func memberKicked() throws(CodecError) -> MemberKicked {
    MemberKicked(
      member: MemberID(try number("member", upTo: FieldRanges.exactInteger)), reason: try choice("reason"))
  }

  /// A name of RefusalCode; one of a later version is read as `internal`.
  func refusalCode() throws(CodecError) -> RefusalCode {
    RefusalCode(rawValue: try string("code")) ?? .internalFailure
  }

  func refusedCommand() throws(CodecError) -> RefusedCommand {
    RefusedCommand(
      kind: UInt8(try number("kind", upTo: 255)), code: try refusalCode(), id: try optionalString("id"))
  }

  /// Scenes with their numbers, or without (0) where a client puts them.
  func scenesPut(numbered: Bool) throws(CodecError) -> ScenesPut {
    var scenes: [SceneSpec] = []
    for item in try array("scenes") {
      let fields = try JSONFields(item, of: "scenes")
      let name = try fields.string("name")
      guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
        throw fields.badName("name", "must not be empty and not hold a slash")
      }
      scenes.append(
        SceneSpec(
          id: numbered ? try fields.scene("id") : 0, name: name, ppt: fields.optional("ppt")?.text))
    }
    return ScenesPut(directory: try directory(), index: try count("index"), scenes: scenes)
  }

  private func directory() throws(CodecError) -> String {
    let path = try string("directory")
    guard path == "/" || Self.isPath(path) else {
      throw badName("directory", "must begin with a slash, not end with one, and hold no empty name")
    }
    return path
  }

  /// `/name`, `/name/name`…
  static func isPath(_ text: String) -> Bool {
    let names = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    return names.count > 1 && names[0].isEmpty && names.dropFirst().allSatisfy { !$0.isEmpty }
  }

  func sceneTarget() throws(CodecError) -> SceneTarget {
    guard has("path") != has("index") else { throw error("path", "or index must be given, and not both") }
    if has("index") { return .index(try count("index")) }
    let path = try string("path")
    guard path == "/" || Self.isPath(path) else {
      throw badName("path", "must begin with a slash, not end with one, and hold no empty name")
    }
    return .path(path)
  }

  func erased() throws(CodecError) -> [ElementID] { try ids("elements") }

  func clientPhases() throws(CodecError) -> [ClientPhase] {
    let items = try array("phases")
    guard items.count <= FieldRanges.phases else {
      throw .tooLarge(what: "phase count", actual: items.count, allowed: FieldRanges.phases)
    }
    var phases: [ClientPhase] = []
    for item in items {
      let fields = try JSONFields(item, of: "phases")
      let phase = try fields.label("phase")
      let ago = try fields.signed("ago", in: 0...1 << 53)
      let revision = fields.has("revision") ? try fields.revision("revision") : nil
      phases.append(ClientPhase(phase: phase, ago: ago, revision: revision))
    }
    return phases
  }

  /// A short text that we keep but do not look into.
  func label(_ key: String) throws(CodecError) -> String {
    let text = try string(key)
    guard text.utf8.count <= FieldRanges.label else {
      throw .tooLarge(what: key, actual: text.utf8.count, allowed: FieldRanges.label)
    }
    return text
  }
}
