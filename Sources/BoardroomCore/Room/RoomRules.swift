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

/// What each command needs. Nothing here changes anything.
extension Room {
  /// The event that a command comes to; `author` is nil for the server.
  func outcome(of command: Command, by author: MemberID?) throws(Refusal) -> Outcome {
    try checkBoard(for: command)
    switch command {
    case .drawing(.stroke(let segment)): return try stroke(segment, by: member(author))
    case .drawing(.pointer(let move)): return try pointer(move, by: member(author))
    case .drawing(.camera(let camera)): return try self.camera(camera, by: member(author))
    case .members(.setWritable(let writable)): return try setWritable(writable, by: member(author))
    case .state(.global(let patch)): return try globalState(patch)
    case .state(.member(let patch)): return try memberState(patch, of: member(author))
    case .members(.viewMode(let mode)): return try viewMode(mode, by: member(author))
    case .scenes(.put(let put)): return try putScenes(put)
    case .scenes(.switchTo(let target)): return try switchScene(target)
    case .elements(.erase(let elements)): return try erase(elements)
    case .elements(.put(let put)): return try putElement(put, by: author)
    case .diagnostics(.clientPhases(let phases)): return try clientPhases(phases, by: member(author))
    case .elements(.change(let changed)): return try changeElements(changed, by: author)
    case .elements(.copy(let copies)): return try copyElements(copies, by: author)
    case .scenes(.clean(let clean)): return try cleanScene(clean)
    case .scenes(.remove(let path)): return try removeScenes(path)
    case .scenes(.move(let path, let target, let index)): return try moveScene(path, to: target, index)
    case .scenes(.stepPPT(let direction)): return try stepPPT(direction)
    case .state(.setStore(let set)): return try setStore(set)
    case .state(.deleteStore(let name)): return try deleteStore(name)
    case .history(.keep(let scenes)): return keepHistory(scenes)
    case .history(.undo(let scene)): return try undo(scene, by: member(author))
    case .history(.redo(let scene)): return try redo(scene, by: member(author))
    case .space(let command): return try space(command, by: member(author))
    case .moderation(let what): return try moderation(what, by: author)
    case .custom(let what): return try custom(what)
    }
  }

  func member(_ author: MemberID?) throws(Refusal) -> MemberID {
    guard let author else {
      throw Refusal(.badParameter, cause: "Only a member can do this.", cure: "Let a member do it.")
    }
    return author
  }

  // MARK: Strokes and positions

  private func stroke(_ segment: StrokeSegment, by author: MemberID) throws(Refusal) -> Outcome {
    try checkSize(segment.points.bytes.count, inForce.limits.stroke, LimitName.stroke)
    let id = ElementID(member: author, number: segment.number)
    if let style = segment.begin {
      try checkScene(style.scene)
      guard state.elements.ordinal(of: id) == nil else {
        throw Refusal(
          .badParameter, cause: "The stroke's number is that of an element on the board.",
          cure: "Number strokes and elements upwards, each once.")
      }
      try checkNotBuried(id)
      try checkElements(plus: 1)
      try checkPoints(segment.points.count)
      try checkBoard(plus: Element.overhead + segment.points.bytes.count)
    } else {
      guard let points = state.elements.openPoints(of: id) else { throw Refusal(.noSuchElement) }
      // The end of a stroke always comes through.
      if segment.points.count > 0 {
        try checkPoints(points + segment.points.count)
        try checkBoard(plus: segment.points.bytes.count)
      }
    }
    return Outcome(event: .drawing(.stroke(segment)), isVerbatim: true)
  }

  private func pointer(_ move: PointerMove, by _: MemberID) throws(Refusal) -> Outcome {
    try checkScene(move.scene)
    return Outcome(event: .drawing(.pointer(move)), isVerbatim: true)
  }

  private func camera(_ camera: Camera, by _: MemberID) throws(Refusal) -> Outcome {
    guard camera.scale > 0 else {
      throw Refusal(.badParameter, cause: "A camera's scale is zero.", cure: "Send a scale above zero.")
    }
    return Outcome(event: .drawing(.camera(camera)), isVerbatim: true)
  }

  // MARK: States, views, events

  private func globalState(_ patch: JSONPatch) throws(Refusal) -> Outcome {
    try checkSize(patch.raw.bytes.count, inForce.limits.statePatch, LimitName.statePatch)
    let size = size(after: patch)
    // A state that is over the limit (it was lowered) may still shrink.
    if size > globalStateSize { try checkSize(size, inForce.limits.globalState, LimitName.globalState) }
    return Outcome(event: .state(.global(patch)), isVerbatim: true)
  }

  private func memberState(_ patch: JSONPatch, of author: MemberID) throws(Refusal) -> Outcome {
    try checkSize(patch.raw.bytes.count, inForce.limits.statePatch, LimitName.statePatch)
    var merged = state.members[author]?.state ?? [:]
    let before = merged.size
    if merged.merge(patch), merged.size > before {
      try checkSize(merged.size, inForce.memberState, LimitName.memberState)
    }
    return Outcome(event: .state(.member(patch)), isVerbatim: true)
  }

  /// Saying again what is so already is recorded all the same.
  private func setWritable(_ writable: Bool, by author: MemberID) throws(Refusal) -> Outcome {
    if writable, let member = state.members[author], !state.mayWrite(member) { throw notWritable(author) }
    return Outcome(event: .members(.writable(writable)), isVerbatim: true)
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
    return Outcome(event: .members(.viewMode(mode)), isVerbatim: true)
  }

  private func clientPhases(_ phases: [ClientPhase], by _: MemberID) throws(Refusal) -> Outcome {
    try checkList(phases.count, of: "phase")
    try checkSize(phases.count, inForce.clientPhases, LimitName.clientPhases)
    guard phases.allSatisfy({ $0.ago >= 0 && RoomPhase.names.contains($0.phase) }) else {
      throw Refusal(
        .badParameter, cause: "A phase began after now, or is none that a room has.",
        cure: "Send \(RoomPhase.names.joined(separator: ", ")), and how long ago each began.")
    }
    return Outcome(event: .diagnostics(.clientPhases(phases)), isVerbatim: true)
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
