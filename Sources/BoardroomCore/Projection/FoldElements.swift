import BoardroomModel
import EventLogModel

/// The family `elements`: what is done to them, and what of it their authors can take back.
extension RoomState {
  mutating func fold(_ event: ElementEvent, by actor: Actor, _ touched: inout RoomParts) -> String? {
    switch event {
    case .put(let put): foldElementPut(put, by: actor, &touched)
    case .erased(let elements): foldErased(elements, by: actor, &touched)
    case .changed(let changed): foldChanged(changed, by: actor, &touched)
    case .copied(let copies): foldCopied(copies, by: actor, &touched)
    }
  }

  /// An element that is not on the board comes onto it.
  mutating func putFresh(_ element: Element, by actor: Actor, _ touched: inout RoomParts) {
    touched.insert(.elements)
    guard !histories.isEmpty else { return elements.put(element) }
    // What was buried under this number can no longer be brought back.
    strike(element.id, .whole, &touched)
    elements.put(element)
    record([Worked(element.scene, .put(element.id))], by: actor, &touched)
  }

  private mutating func foldElementPut(
    _ put: ElementPut, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard hasScene(put.scene) else { return Misfit.noScene }
    var element = Element(id: put.id, scene: put.scene, content: .shape(type: put.type, raw: put.raw))
    if let set = put.set { _ = element.attributes.merge(set) }
    guard !histories.isEmpty, let old = elements[put.id] else {
      putFresh(element, by: actor, &touched)
      return nil
    }
    touched.insert(.elements)
    replace(old, by: element, of: actor, &touched)
    return nil
  }

  /// A shape put anew on its scene can be taken back. On another scene, or in place of a stroke, it cannot: and
  /// then neither can what was done to the element before.
  private mutating func replace(
    _ old: Element, by new: Element, of actor: Actor, _ touched: inout RoomParts
  ) {
    guard let before = old.shape, let after = new.shape, old.scene == new.scene else {
      strike(new.id, .whole, &touched)
      elements.put(new)
      return
    }
    strike(new.id, .whole, butOf: actor, &touched)
    elements.put(new)
    guard before != after else { return }
    record(
      [Worked(new.scene, .replace(new.id, before: before, after: after))], by: actor, &touched)
  }

  /// Those that are there go; one that is not is an anomaly but keeps no other from going.
  private mutating func foldErased(
    _ ids: [ElementID], by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    var misfit: String?
    var work: [Worked] = []
    for id in ids {
      if let scene = takeOff(id, by: actor, &touched) {
        work.append(Worked(scene, .erase(id)))
      } else {
        misfit = Misfit.noElement
      }
    }
    record(work, by: actor, &touched)
    return misfit
  }

  /// Erases an element, or buries it if its eraser keeps a history; gives the scene that it was on.
  private mutating func takeOff(
    _ id: ElementID, by actor: Actor, _ touched: inout RoomParts
  ) -> SceneID? {
    guard !histories.isEmpty else {
      // Nobody asks for the scene then.
      guard elements.erase(id) else { return nil }
      touched.insert(.elements)
      return 0
    }
    guard let scene = elements[id]?.scene else { return nil }
    strike(id, .whole, butOf: actor, &touched)
    if keepsHistory(actor) { _ = elements.bury(id) } else { _ = elements.erase(id) }
    touched.insert(.elements)
    return scene
  }

  /// Attributes are laid over what the element has; one that is not there keeps no other from being changed.
  private mutating func foldChanged(
    _ changed: ElementsChanged, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    var misfit: String?
    var work: [Worked] = []
    for change in changed.changes where !self.change(change, by: actor, &work, &touched) {
      misfit = Misfit.noElement
    }
    record(work, by: actor, &touched)
    return misfit
  }

  mutating func change(
    _ change: ElementChange, by actor: Actor, _ work: inout [Worked], _ touched: inout RoomParts
  ) -> Bool {
    guard var attributes = elements[change.id]?.attributes, let scene = elements[change.id]?.scene else {
      return false
    }
    strike(change.id, .keys(change.set.fields.map(\.key)), butOf: actor, &touched)
    for (key, value) in change.set.fields where attributes[key] != value {
      work.append(Worked(scene, .set(change.id, key: key, before: attributes[key], after: value)))
      attributes[key] = value
      touched.insert(.elements)
    }
    return elements.change(change.id, change.set.fields)
  }

  /// EL-8: like the other in everything, but ended if that is a stroke.
  private mutating func foldCopied(
    _ copies: [ElementCopy], by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    var misfit: String?
    var work: [Worked] = []
    for copy in copies {
      guard let source = elements[copy.from] else {
        misfit = Misfit.noElement
        continue
      }
      guard hasScene(copy.scene), elements.ordinal(of: copy.id) == nil else {
        misfit = hasScene(copy.scene) ? Misfit.elementAgain : Misfit.noScene
        continue
      }
      strike(copy.id, .whole, &touched)
      elements.put(source.copied(as: copy))
      touched.insert(.elements)
      work.append(Worked(copy.scene, .put(copy.id)))
    }
    record(work, by: actor, &touched)
    return misfit
  }
}

extension Element {
  /// A shape as it is; nil for a stroke.
  var shape: ShapeContent? {
    switch content {
    case .stroke: nil
    case .shape(let type, let raw):
      ShapeContent(type: type, raw: raw, attributes: attributes, isCopy: isCopy)
    }
  }

  func copied(as copy: ElementCopy) -> Element {
    var element = Element(id: copy.id, scene: copy.scene, content: content, attributes: attributes)
    switch content {
    case .stroke(var stroke):
      stroke.ended = true
      stroke.style.scene = copy.scene
      element.content = .stroke(stroke)
    case .shape:
      element.isCopy = true
    }
    for (key, value) in copy.set?.fields ?? [] { element.attributes[key] = value }
    return element
  }
}
