import BoardroomModel
import EventLogModel

// The JSON payloads of the family `scenes`, both ways. What a client may send and what the log holds have the same form,
// but for scenes (without ids in a command) and for what the room finds out: which scene, which page, which step.

extension JSONFields {
  func sceneEvent(_ kind: EventKind) throws(CodecError) -> SceneEvent {
    switch kind {
    case .scenesPut: .put(try scenesPut(numbered: true))
    case .sceneSwitched: .switched(try scene("scene"))
    case .sceneCleaned: .cleaned(try sceneCleaned())
    case .scenesRemoved: .removed(try scenesRemoved())
    case .sceneMoved: .moved(try sceneMoved())
    case .pptStepped: .pptStepped(try pptStep())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  func sceneCommand(_ kind: EventKind, _ limits: WireLimits) throws(CodecError) -> SceneCommand {
    switch kind {
    case .scenesPut: .put(try scenesPut(upTo: limits.scenes))
    case .sceneSwitched: .switchTo(try sceneTarget())
    case .sceneCleaned: .clean(try sceneClean())
    case .scenesRemoved: .remove(path: try path("path"))
    case .sceneMoved:
      .move(
        path: try path("path"), target: try path("target"), index: try optionalCount("index"))
    case .pptStepped: .stepPPT(try pptDirection())
    default: throw .unknownKind(kind.rawValue)
    }
  }

  // MARK: Pages

  /// Scenes with their numbers, or without (0) where a client puts them.
  private func scenesPut(numbered: Bool) throws(CodecError) -> ScenesPut {
    var scenes: [SceneSpec] = []
    for item in try array("scenes") {
      let fields = try JSONFields(item, of: "scenes")
      let name = try fields.string("name")
      guard ScenePath.isName(name) else {
        throw fields.badName("name", "must not be empty and not hold a slash")
      }
      scenes.append(
        SceneSpec(
          id: numbered ? try fields.scene("id") : 0, name: name, ppt: fields.optional("ppt")?.text))
    }
    return ScenesPut(directory: try path("directory"), index: try count("index"), scenes: scenes)
  }

  private func scenesPut(upTo most: Int) throws(CodecError) -> ScenesPut {
    let put = try scenesPut(numbered: false)
    guard put.scenes.count <= most else {
      throw .tooLarge(what: "scene count", actual: put.scenes.count, allowed: most)
    }
    return put
  }

  /// A path of a page or a directory.
  func path(_ key: String) throws(CodecError) -> String {
    let path = try string(key)
    guard ScenePath.isPath(path) else {
      throw badName(key, "must begin with a slash, not end with one, and hold no empty name")
    }
    return path
  }

  private func sceneTarget() throws(CodecError) -> SceneTarget {
    guard has("path") != has("index") else { throw error("path", "or index must be given, and not both") }
    if has("index") { return .index(try count("index")) }
    return .path(try path("path"))
  }

  private func sceneClean() throws(CodecError) -> SceneClean {
    SceneClean(scene: try optionalScene("scene"), retainPPT: try bool("retainPPT", otherwise: false))
  }

  private func sceneCleaned() throws(CodecError) -> SceneCleaned {
    SceneCleaned(scene: try scene("scene"), retainPPT: try bool("retainPPT"))
  }

  private func scenesRemoved() throws(CodecError) -> ScenesRemoved {
    var scenes: [SceneID] = []
    for item in try array("scenes") {
      guard let number = item.unsigned, number <= UInt64(SceneID.max) else {
        throw error("scenes", "must hold numbers of scenes")
      }
      scenes.append(SceneID(number))
    }
    return ScenesRemoved(scenes: scenes, current: try scene("current"), fresh: try optionalScene("fresh"))
  }

  private func sceneMoved() throws(CodecError) -> SceneMoved {
    let name = try string("name")
    guard ScenePath.isName(name) else {
      throw badName("name", "must not be empty and not hold a slash")
    }
    return SceneMoved(
      scene: try scene("scene"), directory: try path("directory"), name: name,
      index: try optionalCount("index"))
  }

  private func pptStep() throws(CodecError) -> PPTStep {
    PPTStep(scene: try scene("scene"), step: try count("step"))
  }

  private func pptDirection() throws(CodecError) -> PPTDirection {
    guard let direction = PPTDirection(rawValue: Int(try signed("by", in: -1...1))) else {
      throw error("by", "must be 1 or -1")
    }
    return direction
  }
}

extension JSONWriter {
  mutating func sceneEvent(_ event: SceneEvent) {
    switch event {
    case .put(let put): scenesPut(put, numbered: true)
    case .switched(let scene): object { $0.field("scene", scene) }
    case .cleaned(let cleaned): sceneCleaned(cleaned)
    case .removed(let removed): scenesRemoved(removed)
    case .moved(let moved): sceneMoved(moved)
    case .pptStepped(let step): pptStep(step)
    }
  }

  mutating func sceneCommand(_ command: SceneCommand) {
    switch command {
    case .put(let put): scenesPut(put, numbered: false)
    case .switchTo(let target): sceneTarget(target)
    case .clean(let clean): sceneClean(clean)
    case .remove(let path): object { $0.field("path", path) }
    case .move(let path, let target, let index):
      object { writer in
        writer.field("path", path)
        writer.field("target", target)
        if let index { writer.field("index", index) }
      }
    case .stepPPT(let direction): object { $0.field("by", direction.rawValue) }
    }
  }

  private mutating func scenesPut(_ put: ScenesPut, numbered: Bool) {
    object { writer in
      writer.field("directory", put.directory)
      writer.field("index", put.index)
      writer.list("scenes", put.scenes) { writer, scene in
        writer.object { writer in
          if numbered { writer.field("id", scene.id) }
          writer.field("name", scene.name)
          writer.field("ppt", scene.ppt)
        }
      }
    }
  }

  private mutating func sceneTarget(_ target: SceneTarget) {
    object { writer in
      switch target {
      case .path(let path): writer.field("path", path)
      case .index(let index): writer.field("index", index)
      }
    }
  }

  private mutating func sceneClean(_ clean: SceneClean) {
    object { writer in
      if let scene = clean.scene { writer.field("scene", scene) }
      writer.field("retainPPT", clean.retainPPT)
    }
  }

  private mutating func sceneCleaned(_ cleaned: SceneCleaned) {
    object { writer in
      writer.field("scene", cleaned.scene)
      writer.field("retainPPT", cleaned.retainPPT)
    }
  }

  private mutating func scenesRemoved(_ removed: ScenesRemoved) {
    object { writer in
      writer.list("scenes", removed.scenes) { $0.value(UInt64($1)) }
      writer.field("current", removed.current)
      if let fresh = removed.fresh { writer.field("fresh", fresh) }
    }
  }

  private mutating func sceneMoved(_ moved: SceneMoved) {
    object { writer in
      writer.field("scene", moved.scene)
      writer.field("directory", moved.directory)
      writer.field("name", moved.name)
      if let index = moved.index { writer.field("index", index) }
    }
  }

  private mutating func pptStep(_ step: PPTStep) {
    object { writer in
      writer.field("scene", step.scene)
      writer.field("step", step.step)
    }
  }
}
