import BoardroomModel
import EventLogModel

/// What a command comes to.
struct Outcome {
  var event: Event
  /// Whether the event's body is the command's own.
  var isVerbatim: Bool
}

/// What each command needs. Nothing here changes anything.
extension Room {
  /// P-12, ME-11: what others see needs a writable member; what is a member's own view does not.
  func checkWritable(_ isWritable: Bool, for command: Command) throws(Refusal) {
    switch command {
    case .setWritable, .camera, .clientPhases, .viewMode(.freedom), .viewMode(.follower): return
    case .stroke, .pointer, .globalState, .memberState, .viewMode(.broadcaster), .putScenes,
      .switchScene, .erase, .putElement, .magix:
      guard isWritable else { throw Refusal(.notWritable) }
    }
  }

  /// The event that a command comes to; `author` is nil for the server.
  func outcome(of command: Command, by author: MemberID?) throws(Refusal) -> Outcome {
    switch command {
    case .stroke(let segment): return try stroke(segment, by: member(author))
    case .pointer(let move): return try pointer(move, by: member(author))
    case .camera(let camera): return try self.camera(camera, by: member(author))
    case .setWritable(let writable): return try setWritable(writable, by: member(author))
    case .globalState(let patch): return try globalState(patch)
    case .memberState(let patch): return try memberState(patch, of: member(author))
    case .viewMode(let mode): return try viewMode(mode, by: member(author))
    case .putScenes(let put): return try putScenes(put)
    case .switchScene(let target): return try switchScene(target)
    case .erase(let elements): return try erase(elements)
    case .putElement(let put): return try putElement(put, by: author)
    case .magix(let event): return try magix(event)
    case .clientPhases(let phases): return try clientPhases(phases, by: member(author))
    }
  }

  private func member(_ author: MemberID?) throws(Refusal) -> MemberID {
    guard let author else {
      throw Refusal(.badParameter, cause: "Only a member can do this.", cure: "Let a member do it.")
    }
    return author
  }

  // MARK: Strokes and positions

  private func stroke(_ segment: StrokeSegment, by author: MemberID) throws(Refusal) -> Outcome {
    try checkSize(segment.points.bytes.count, policy.limits.stroke)
    let id = ElementID(member: author, number: segment.number)
    if let style = segment.begin {
      try checkScene(style.scene)
      guard state.elements.ordinal(of: id) == nil else {
        throw Refusal(
          .badParameter, cause: "The stroke's number is that of an element on the board.",
          cure: "Number strokes and elements upwards, each once.")
      }
    } else {
      guard state.elements.openStrokes.contains(id) else { throw Refusal(.noSuchElement) }
    }
    return Outcome(event: .stroke(segment), isVerbatim: true)
  }

  private func pointer(_ move: PointerMove, by _: MemberID) throws(Refusal) -> Outcome {
    try checkScene(move.scene)
    return Outcome(event: .pointer(move), isVerbatim: true)
  }

  private func camera(_ camera: Camera, by _: MemberID) throws(Refusal) -> Outcome {
    guard camera.scale > 0 else {
      throw Refusal(.badParameter, cause: "A camera's scale is zero.", cure: "Send a scale above zero.")
    }
    return Outcome(event: .camera(camera), isVerbatim: true)
  }

  private func checkScene(_ id: SceneID) throws(Refusal) {
    guard state.hasScene(id) else { throw Refusal(.noSuchScene) }
  }

  private func checkSize(_ actual: Int, _ allowed: Int) throws(Refusal) {
    guard actual <= allowed else { throw Refusal(.tooLarge, actual: actual, allowed: allowed) }
  }

  // MARK: Elements

  /// DEC-8: ids that are not on the board are dropped; only if none is left is it refused.
  private func erase(_ ids: [ElementID]) throws(Refusal) -> Outcome {
    var seen: Set<ElementID> = []
    let known = ids.filter { state.elements.ordinal(of: $0) != nil && seen.insert($0).inserted }
    guard !known.isEmpty else { throw Refusal(.noSuchElement) }
    return Outcome(event: .erased(known), isVerbatim: known.count == ids.count)
  }

  /// DEC-9: an id that is not on the board must be of the author's own numbers. What is there may be put
  /// anew by any writable member, unless it is a stroke: that consists of its segments.
  private func putElement(_ put: ElementPut, by author: MemberID?) throws(Refusal) -> Outcome {
    try checkSize(put.raw.bytes.count, policy.limits.element)
    try checkScene(put.scene)
    switch state.elements[put.id]?.content {
    case .shape: break
    case .stroke:
      throw Refusal(
        .badParameter, cause: "The element is a stroke.", cure: "Erase it and put an element of another id.")
    case nil:
      guard put.id.member == author else {
        throw Refusal(
          .noSuchElement, cause: "There is no such element, and its id is of another member's numbers.",
          cure: "Give elements of yours your own member number.")
      }
    }
    return Outcome(event: .elementPut(put), isVerbatim: true)
  }

  // MARK: States, views, events

  private func globalState(_ patch: JSONPatch) throws(Refusal) -> Outcome {
    try checkSize(patch.raw.bytes.count, policy.limits.statePatch)
    let size = size(after: patch)
    // A state that is over the limit (it was lowered) may still shrink.
    if size > globalStateSize { try checkSize(size, policy.limits.globalState) }
    return Outcome(event: .globalState(patch), isVerbatim: true)
  }

  private func memberState(_ patch: JSONPatch, of author: MemberID) throws(Refusal) -> Outcome {
    try checkSize(patch.raw.bytes.count, policy.limits.statePatch)
    var merged = state.members[author]?.state ?? [:]
    if merged.merge(patch) {
      let size = merged.reduce(2) { $0 + $1.value.size(under: $1.key) }
      try checkSize(size, policy.memberState)
    }
    return Outcome(event: .memberState(patch), isVerbatim: true)
  }

  /// W-1: a reader's token cannot write. Saying again what is so already is recorded all the same.
  private func setWritable(_ writable: Bool, by author: MemberID) throws(Refusal) -> Outcome {
    guard !writable || state.members[author]?.role != .reader else {
      throw Refusal(
        .forbidden, cause: "A reader's token cannot write.", cure: "Join with a writer's token.")
    }
    return Outcome(event: .memberWritable(writable), isVerbatim: true)
  }

  /// V-5: there must be somebody else to follow.
  private func viewMode(_ mode: ViewMode, by author: MemberID) throws(Refusal) -> Outcome {
    switch mode {
    case .freedom, .broadcaster: break
    case .follower:
      guard let broadcaster = state.broadcaster, broadcaster != author else {
        throw Refusal(.noBroadcaster)
      }
    }
    return Outcome(event: .viewMode(mode), isVerbatim: true)
  }

  private func magix(_ event: MagixEvent) throws(Refusal) -> Outcome {
    try checkSize(event.raw.bytes.count, policy.limits.magix)
    try checkSize(event.name.utf8.count, policy.magixName)
    try checkName(event.name, of: "event")
    return Outcome(event: .magix(event), isVerbatim: true)
  }

  private func clientPhases(_ phases: [ClientPhase], by _: MemberID) throws(Refusal) -> Outcome {
    try checkSize(phases.count, policy.clientPhases)
    guard phases.allSatisfy({ $0.ago >= 0 && $0.phase.utf8.count <= 32 }) else {
      throw Refusal(
        .badParameter, cause: "A phase began after now, or has a name over 32 bytes.",
        cure: "Send the phases' names, and how long ago each began.")
    }
    return Outcome(event: .clientPhases(phases), isVerbatim: true)
  }

  /// Neither empty nor with control characters.
  func checkName(_ name: String, of what: String) throws(Refusal) {
    guard !name.isEmpty, name.unicodeScalars.allSatisfy({ $0.value >= 32 && $0.value != 127 }) else {
      throw Refusal(
        .badName, cause: "The \(what)'s name is empty or has control characters.",
        cure: "Give it a name of printable characters.")
    }
  }

  // MARK: Scenes

  /// SC-2, SC-3, SC-4. The server gives the numbers and settles the index.
  private func putScenes(_ put: ScenesPut) throws(Refusal) -> Outcome {
    try checkPaths(put)
    guard put.index >= 0 else {
      throw Refusal(
        .badParameter, cause: "The index is below zero.", cure: "Send 0 or more.", actual: put.index,
        allowed: 0)
    }
    let names = Set(put.scenes.map(\.name))
    let staying = state.scenes.filter { !($0.directory == put.directory && names.contains($0.name)) }
    try checkSize(staying.count + put.scenes.count, policy.limits.scenes)
    var settled = put
    settled.index = min(put.index, staying.count { $0.directory == put.directory })
    for place in settled.scenes.indices { settled.scenes[place].id = state.nextScene &+ SceneID(place) }
    return Outcome(event: .scenesPut(settled), isVerbatim: false)
  }

  private func checkPaths(_ put: ScenesPut) throws(Refusal) {
    try ScenePath.checkDirectory(put.directory)
    guard !put.scenes.isEmpty, Set(put.scenes.map(\.name)).count == put.scenes.count else {
      throw Refusal(
        .badParameter, cause: "There is no scene, or two of one name.",
        cure: "Send one or more scenes, each name once.")
    }
    for scene in put.scenes {
      try checkSize(scene.name.utf8.count, policy.sceneName)
      try checkSize(put.directory.utf8.count + 1 + scene.name.utf8.count, policy.scenePath)
      try checkName(scene.name, of: "scene")
    }
    try ScenePath.checkPages(put.scenes.map(\.name), in: put.directory, among: state.scenes)
  }

  /// SC-5, SC-6.
  private func switchScene(_ target: SceneTarget) throws(Refusal) -> Outcome {
    let scene: Scene
    switch target {
    case .path(let path): scene = try ScenePath.find(path, in: state.scenes)
    case .index(let index):
      let pages = state.contextPages
      guard pages.indices.contains(index) else {
        throw Refusal(
          .badParameter, cause: "The index lies outside of the directory.",
          cure: "Send an index from 0 to the number of pages less one.", actual: index,
          allowed: pages.count - 1)
      }
      scene = pages[index]
    }
    return Outcome(event: .sceneSwitched(scene.id), isVerbatim: false)
  }
}

extension RoomState {
  /// The pages of the current scene's directory (its context), in order.
  public var contextPages: [Scene] {
    guard let directory = scene(currentScene)?.directory else { return [] }
    return scenes.filter { $0.directory == directory }
  }
}
