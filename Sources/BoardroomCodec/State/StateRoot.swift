import BoardroomModel
import EventLogModel

// The root of a snapshot: one JSON object, fields in the order of docs/PROTOCOL.md, section 7, no spaces. Two
// states that are equal have the same bytes, whoever wrote them.

extension JSONWriter {
  mutating func stateRoot(of state: RoomState, keys: [[UInt8]]) {
    object { writer in
      writer.field("revision", state.revision)
      writer.field("time", state.time)
      if let created = state.created {
        writer.key("created")
        writer.roomCreated(created)
      }
      writer.field("createdAt", state.createdAt)
      writer.sorted("globalState", state.globalState)
      writer.list("members", state.roster) { $0.member($1) }
      writer.field("nextMember", state.nextMember)
      writer.list("scenes", state.scenes) { $0.scene($1) }
      writer.field("currentScene", state.currentScene)
      writer.field("nextScene", state.nextScene)
      if let broadcaster = state.broadcaster { writer.field("broadcaster", broadcaster.rawValue) }
      writer.laterParts(of: state)
      writer.field("places", state.elements.placeCount)
      writer.list("parts", keys) { $0.value(String(decoding: hexadecimal($1), as: UTF8.self)) }
    }
  }

  mutating func sorted(_ name: String, _ fields: [String: JSONText]) {
    field(name) { writer in
      for key in fields.keys.sorted(by: precedes) { writer.field(key, fields[key]) }
    }
  }

  private mutating func member(_ member: Member) {
    object { writer in
      writer.field("id", member.id.rawValue)
      writer.field("session", member.session.description)
      writer.field("generation", member.generation)
      writer.field("uid", member.uid)
      writer.field("role", member.role.rawValue)
      writer.field("writable", member.writable)
      writer.field("payload", member.payload)
      writer.field("client", member.client)
      writer.field("joined", member.joined)
      writer.field("phase", member.phase.rawValue)
      writer.field("viewMode", member.viewMode.rawValue)
      writer.sorted("state", member.state)
      if let camera = member.camera {
        writer.key("camera")
        writer.camera(camera)
      }
      if let pointer = member.pointer {
        writer.key("pointer")
        writer.pointer(pointer)
      }
      writer.field("lastCounter", member.lastCounter)
      writer.field("lastRevision", member.lastRevision)
      if member.isKept { writer.field("kept", true) }
      if member.isBarred { writer.field("barred", true) }
      if let hand = member.hand { writer.field("hand", hand) }
      if member.isBound { writer.field("bound", true) }
    }
  }

  private mutating func scene(_ scene: Scene) {
    object { writer in
      writer.field("id", scene.id)
      writer.field("directory", scene.directory)
      writer.field("name", scene.name)
      writer.field("ppt", scene.ppt)
      if scene.pptStep != 0 { writer.field("pptStep", scene.pptStep) }
    }
  }
}

extension JSONFields {
  /// The state but for its elements.
  func stateRoot() throws(CodecError) -> RoomState {
    var state = RoomState()
    state.revision = try revision("revision")
    state.time = try time("time")
    state.created = has("created") ? try fields("created").roomCreated() : nil
    state.createdAt = try time("createdAt")
    state.globalState = try texts("globalState")
    state.members = try members()
    state.nextMember = try number("nextMember")
    state.scenes = try scenes()
    state.currentScene = try scene("currentScene")
    state.nextScene = try scene("nextScene")
    state.broadcaster = has("broadcaster") ? MemberID(try number("broadcaster")) : nil
    try readLaterParts(into: &state)
    return state
  }

  /// The keys of the parts, 16 bytes each.
  func partKeys() throws(CodecError) -> [[UInt8]] {
    var keys: [[UInt8]] = []
    for item in try array("parts") {
      guard let key = item.string.flatMap({ bytes(hexadecimal: $0) }), key.count == 16 else {
        throw error("parts", "must hold keys of 32 lower-case hexadecimal digits")
      }
      keys.append(key)
    }
    return keys
  }

  func texts(_ key: String) throws(CodecError) -> [String: JSONText] {
    var texts: [String: JSONText] = [:]
    for (key, value) in try fields(key).object.members { texts[key] = value.text }
    return texts
  }

  private func members() throws(CodecError) -> [MemberID: Member] {
    var members: [MemberID: Member] = [:]
    for item in try array("members") {
      let member = try JSONFields(item, of: "members").member()
      guard members.updateValue(member, forKey: member.id) == nil else {
        throw error("members", "must not hold a number twice")
      }
    }
    return members
  }

  private func member() throws(CodecError) -> Member {
    var member = Member(
      id: MemberID(try number("id")), session: try name("session"), generation: try generation("generation"),
      uid: try optionalString("uid"), role: try choice("role"), writable: try bool("writable"),
      payload: object["payload"]?.text, client: try optionalString("client"), joined: try time("joined"),
      phase: try choice("phase"), viewMode: try choice("viewMode"), state: try texts("state"),
      camera: has("camera") ? try fields("camera").camera() : nil,
      pointer: has("pointer") ? try fields("pointer").pointer() : nil,
      lastCounter: try number("lastCounter"), lastRevision: try revision("lastRevision"))
    member.isKept = try bool("kept", otherwise: false)
    member.isBarred = try bool("barred", otherwise: false)
    member.hand = has("hand") ? try time("hand") : nil
    member.isBound = try bool("bound", otherwise: false)
    return member
  }

  private func scenes() throws(CodecError) -> [Scene] {
    var scenes: [Scene] = []
    for item in try array("scenes") {
      let fields = try JSONFields(item, of: "scenes")
      scenes.append(
        Scene(
          id: try fields.scene("id"), directory: try fields.string("directory"),
          name: try fields.string("name"), ppt: fields.object["ppt"]?.text,
          pptStep: fields.has("pptStep") ? try fields.count("pptStep") : 0))
    }
    return scenes
  }
}
