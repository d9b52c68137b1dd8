import BoardroomModel
import EventLogModel

/// One operation, and the scene on whose track it belongs.
struct Worked {
  var scene: SceneID
  var operation: StepOperation
  init(_ scene: SceneID, _ operation: StepOperation) {
    self.scene = scene
    self.operation = operation
  }
}

/// The family `history`: what members can take back, how it is kept, struck out, taken back and done again. Where nobody
/// keeps a history, nothing of this costs more than the question whether there is one.
extension RoomState {
  mutating func fold(_ event: HistoryEvent, by actor: Actor, _ touched: inout RoomParts) -> String? {
    switch event {
    case .kept(let depth): foldHistorySet(depth, by: actor, &touched)
    case .undone(let compensation): foldUndone(compensation, by: actor, &touched)
    case .redone(let compensation): foldRedone(compensation, by: actor, &touched)
    }
  }

  /// How many steps of its own this member can undo, on this scene or the current one (EL-7).
  public func undoSteps(of member: MemberID, on scene: SceneID? = nil) -> Int {
    histories[member]?.track(scene ?? currentScene)?.undo.count ?? 0
  }

  /// How many steps of its own this member can redo, on this scene or the current one.
  public func redoSteps(of member: MemberID, on scene: SceneID? = nil) -> Int {
    histories[member]?.track(scene ?? currentScene)?.redo.count ?? 0
  }

  func keepsHistory(_ actor: Actor) -> Bool {
    !histories.isEmpty && actor.member.flatMap { histories[$0] } != nil
  }

  /// What an event did becomes a step of its author, one for each scene that it worked on.
  mutating func record(_ work: [Worked], by actor: Actor, _ touched: inout RoomParts) {
    guard !work.isEmpty, !histories.isEmpty, let member = actor.member,
      let place = histories.index(forKey: member)
    else { return }
    var released: [ElementID] = []
    var order: [SceneID] = []
    for one in work where !order.contains(one.scene) { order.append(one.scene) }
    for scene in order {
      let operations = work.filter { $0.scene == scene }.map(\.operation)
      histories.values[place].record(
        HistoryStep(revision: revision, operations: operations), on: scene, &released)
    }
    touched.insert(.history)
    purge(released)
  }

  /// Somebody touched an element: what others did to it that conflicts is theirs no longer. Without an author
  /// nobody is spared.
  mutating func strike(
    _ id: ElementID, _ touch: ElementTouch, butOf author: Actor? = nil, _ touched: inout RoomParts
  ) {
    guard !histories.isEmpty, let scene = (elements[id] ?? elements.buried(id))?.scene else { return }
    strike(butOf: author, &touched) { $0.strike(id, touch, on: scene, &$1) }
  }

  /// All these, of one scene, went off the board.
  mutating func strike(
    _ ids: Set<ElementID>, on scene: SceneID, butOf author: Actor, _ touched: inout RoomParts
  ) {
    guard !histories.isEmpty else { return }
    strike(butOf: author, &touched) { $0.strike(ids, .whole, on: scene, &$1) }
  }

  private mutating func strike(
    butOf author: Actor?, _ touched: inout RoomParts,
    _ body: (inout History, inout [ElementID]) -> Bool
  ) {
    var released: [ElementID] = []
    var place = histories.startIndex
    while place != histories.endIndex {
      let owner = histories.keys[place]
      if author == nil || owner != author?.member, body(&histories.values[place], &released) {
        touched.insert(.struck)
        if author == nil { touched.insert(.history) }
      }
      histories.formIndex(after: &place)
    }
    purge(released)
  }

  /// A grave that no history refers to any more is given up.
  private mutating func purge(_ released: [ElementID]) {
    for id in released where elements.isBuried(id) {
      if !histories.values.contains(where: { $0.refers(to: id) }) { elements.purge(id) }
    }
  }

  /// Nothing can be taken back on scenes that are gone.
  mutating func forget(_ removed: Set<SceneID>, _ touched: inout RoomParts) {
    strike(butOf: nil, &touched) { $0.drop(removed, &$1) }
  }

  mutating func endHistory(of member: MemberID) {
    guard let history = histories.removeValue(forKey: member) else { return }
    purge(history.elements)
  }

  private mutating func foldHistorySet(
    _ depth: HistoryDepth, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard let member = actor.member, members[member] != nil else { return Misfit.noMember }
    touched.insert(.history)
    guard depth.scenes > 0, depth.depth > 0 else {
      endHistory(of: member)
      return nil
    }
    guard let place = histories.index(forKey: member) else {
      histories[member] = History(kept: depth)
      return nil
    }
    var released: [ElementID] = []
    histories.values[place].keep(depth, &released)
    purge(released)
    return nil
  }

  // MARK: Taking back

  private mutating func foldUndone(
    _ compensation: Compensation, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    compensate(compensation, by: actor, &touched) { $0.undoStep(on: compensation.scene) }
  }

  private mutating func foldRedone(
    _ compensation: Compensation, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    compensate(compensation, by: actor, &touched) { $0.redoStep(on: compensation.scene) }
  }

  /// The author's newest step changes sides; what is done is what the event says.
  private mutating func compensate(
    _ compensation: Compensation, by actor: Actor, _ touched: inout RoomParts,
    _ take: (inout History) -> HistoryStep?
  ) -> String? {
    guard let member = actor.member, let place = histories.index(forKey: member),
      take(&histories.values[place]) != nil
    else { return Misfit.noStep }
    touched.insert(.history)
    var fits = true
    for id in compensation.erased where !takeBack(id, by: actor, &touched) { fits = false }
    for id in compensation.restored where !restore(id, by: actor, &touched) { fits = false }
    for put in compensation.puts where !replace(put, by: actor, &touched) { fits = false }
    var work: [Worked] = []
    for change in compensation.changes where !self.change(change, by: actor, &work, &touched) { fits = false }
    return fits ? nil : Misfit.noElement
  }

  private mutating func takeBack(
    _ id: ElementID, by actor: Actor, _ touched: inout RoomParts
  ) -> Bool {
    guard elements.ordinal(of: id) != nil else { return false }
    strike(id, .whole, butOf: actor, &touched)
    touched.insert(.elements)
    let isMeant = histories.values.contains { $0.refers(to: id) }
    return isMeant ? elements.bury(id) : elements.erase(id)
  }

  private mutating func restore(
    _ id: ElementID, by actor: Actor, _ touched: inout RoomParts
  ) -> Bool {
    strike(id, .whole, butOf: actor, &touched)
    guard elements.restore(id) else { return false }
    touched.insert(.elements)
    return true
  }

  private mutating func replace(
    _ put: Compensation.ShapePut, by actor: Actor, _ touched: inout RoomParts
  ) -> Bool {
    guard let old = elements[put.id] else { return false }
    strike(put.id, .whole, butOf: actor, &touched)
    touched.insert(.elements)
    elements.put(
      Element(
        id: put.id, scene: old.scene, content: .shape(type: put.shape.type, raw: put.shape.raw),
        isCopy: put.shape.id != put.id || put.shape.scene != old.scene))
    return true
  }
}
