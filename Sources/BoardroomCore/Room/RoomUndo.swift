import BoardroomModel
import EventLogModel

/// What the family `history` needs: taking back and doing again (EL-7). What is to be done is worked out here, once, and
/// stands in the event.
extension Room {
  func history(_ command: HistoryCommand, by author: MemberID) throws(Refusal) -> Outcome {
    switch command {
    case .keep(let scenes): return keepHistory(scenes)
    case .undo(let scene): return try undo(scene, by: author)
    case .redo(let scene): return try redo(scene, by: author)
    }
  }

  /// EL-6: as much as the member asks for and the limits allow.
  private func keepHistory(_ scenes: Int) -> Outcome {
    let kept = min(max(0, scenes), inForce.history.scenes)
    let depth = HistoryDepth(scenes: kept, depth: kept > 0 ? inForce.history.depth : 0)
    return Outcome(event: .history(.kept(depth)), isVerbatim: false)
  }

  private func undo(_ scene: SceneID?, by author: MemberID) throws(Refusal) -> Outcome {
    let scene = scene ?? state.currentScene
    try checkScene(scene)
    guard let step = state.histories[author]?.track(scene)?.undo.last else { throw Refusal(.nothingToUndo) }
    try checkLocks(step)
    let compensation = Compensation(undoing: step, on: scene, in: state.elements)
    try checkRoom(for: compensation)
    return Outcome(event: .history(.undone(compensation)), isVerbatim: false)
  }

  private func redo(_ scene: SceneID?, by author: MemberID) throws(Refusal) -> Outcome {
    let scene = scene ?? state.currentScene
    try checkScene(scene)
    guard let step = state.histories[author]?.track(scene)?.redo.last else { throw Refusal(.nothingToUndo) }
    try checkLocks(step)
    let compensation = Compensation(redoing: step, on: scene, in: state.elements)
    try checkRoom(for: compensation)
    return Outcome(event: .history(.redone(compensation)), isVerbatim: false)
  }

  /// EL-3: attributes of what somebody locked since stay as they are, and the step waits; a step that set the lock
  /// itself may. What concerns a whole element would not be in the history any more if another had touched it, so
  /// a lock on that is its author's own.
  private func checkLocks(_ step: HistoryStep) throws(Refusal) {
    var own: Set<ElementID> = []
    for case .set(let id, ElementKey.locked, _, _) in step.operations { own.insert(id) }
    for case .set(let id, _, _, _) in step.operations where !own.contains(id) {
      guard let element = state.elements[id] else { continue }
      guard !Authority.locks(element, against: nil) else { throw Refusal(.locked) }
    }
  }

  /// What goes off the board always may; what comes back needs room on it.
  private func checkRoom(for compensation: Compensation) throws(Refusal) {
    let more = compensation.restored.count - compensation.erased.count
    if more > 0 { try checkElements(plus: more) }
    try checkBoard(plus: growth(by: compensation))
  }

  /// By how much the board grows: what is buried counts as long as it can come back, so only what is put in the place
  /// of something smaller adds to it.
  private func growth(by compensation: Compensation) -> Int {
    var attributes: [ElementID: [String: JSONText]] = [:]
    var growth = 0
    for put in compensation.puts {
      guard let element = state.elements[put.id] else { continue }
      growth += Element.overhead + put.shape.raw.bytes.count - element.bytes
      attributes[put.id] = [:]
    }
    for change in compensation.changes {
      let before = attributes[change.id] ?? state.elements[change.id]?.attributes ?? [:]
      growth += before.growth(by: change.set.fields)
    }
    return growth
  }
}

extension Compensation {
  /// What takes a step back, the newest of it first. What is gone is passed over.
  init(undoing step: HistoryStep, on scene: SceneID, in elements: ElementStore) {
    self.init(scene: scene)
    var changes = ChangeList()
    for operation in step.operations.reversed() {
      switch operation {
      case .put(let id): takeOff(id, elements)
      case .erase(let id): bringBack(id, elements)
      case .set(let id, let key, let before, _):
        if elements.ordinal(of: id) != nil { changes.set(id, key, before) }
      case .replace(let id, let before, _): put(id, before, elements, &changes)
      }
    }
    self.changes = changes.all
  }

  /// What does a step again.
  init(redoing step: HistoryStep, on scene: SceneID, in elements: ElementStore) {
    self.init(scene: scene)
    var changes = ChangeList()
    for operation in step.operations {
      switch operation {
      case .put(let id): bringBack(id, elements)
      case .erase(let id): takeOff(id, elements)
      case .set(let id, let key, _, let after):
        if elements.ordinal(of: id) != nil { changes.set(id, key, after) }
      case .replace(let id, _, let after): put(id, after, elements, &changes)
      }
    }
    self.changes = changes.all
  }

  private mutating func takeOff(_ id: ElementID, _ elements: ElementStore) {
    if elements.ordinal(of: id) != nil { erased.append(id) }
  }

  private mutating func bringBack(_ id: ElementID, _ elements: ElementStore) {
    if elements.isBuried(id) { restored.append(id) }
  }

  private mutating func put(
    _ id: ElementID, _ shape: ShapeContent, _ elements: ElementStore, _ changes: inout ChangeList
  ) {
    guard let scene = elements[id]?.scene else { return }
    puts.append(ShapePut(id: id, shape: shape.put(as: id, on: scene)))
    for key in shape.attributes.keys.sorted() { changes.set(id, key, shape.attributes[key]) }
  }
}

extension ShapeContent {
  /// As it was first put: a copy's body has the id and scene of the one it was copied from.
  fileprivate func put(as id: ElementID, on scene: SceneID) -> ElementPut {
    guard isCopy else { return ElementPut(id: id, scene: scene, type: type, raw: raw) }
    let source = raw.member("id")?.string.flatMap { ElementID($0) }
    let page = raw.member("scene")?.wholeNumber.flatMap { SceneID(exactly: $0) }
    return ElementPut(id: source ?? id, scene: page ?? scene, type: type, raw: raw)
  }
}

/// Changes gathered by element; of a key set twice the later value holds.
private struct ChangeList {
  private var order: [ElementID] = []
  private var fields: [ElementID: [(key: String, value: JSONText?)]] = [:]

  mutating func set(_ id: ElementID, _ key: String, _ value: JSONText?) {
    if fields[id] == nil { order.append(id) }
    if let place = fields[id]?.firstIndex(where: { $0.key == key }) {
      fields[id]?[place].value = value
    } else {
      fields[id, default: []].append((key, value))
    }
  }

  var all: [ElementChange] {
    order.map { ElementChange(id: $0, set: JSONPatch(fields: fields[$0] ?? [])) }
  }
}
