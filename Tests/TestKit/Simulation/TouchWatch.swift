import BoardroomModel
import EventLogModel

/// Who was the last to do something to each element, found by comparing the board before and after each event and by
/// what commands name, never by a history; so that it can be asked whether an undo takes back what another member
/// made last, and whether a lock held.
struct TouchWatch {
  private struct Touch {
    var actor: Actor
    var revision: Revision
    init(_ event: RoomEvent) { (actor, revision) = (event.actor, event.revision) }
  }

  private struct Touches {
    /// Who brought it, took it away or brought it back.
    var presence: Touch
    /// Who gave it its content; and, with it, all attributes that nobody set since.
    var content: Touch
    var keys: [String: Touch] = [:]

    func last(of key: String) -> Actor { (keys[key] ?? content).actor }

    /// Who else touched it since it came, or came back; and who brought it, if that was somebody else.
    func others(than actor: Actor) -> [Actor] {
      let since = ([content] + keys.values).filter { $0.revision > presence.revision }
      return (since + [presence]).map(\.actor).filter { $0 != actor }
    }
  }

  private var touches: [ElementID: Touches] = [:]

  /// What was wrong about this event.
  mutating func take(_ event: RoomEvent, _ before: RoomState, _ after: RoomState) -> [String] {
    var faults: [String] = []
    if before.elements.chunkVersions != after.elements.chunkVersions {
      let count = max(before.elements.places.count, after.elements.places.count)
      for place in 0..<count {
        let (old, new) = (before.elements.shown(at: place), after.elements.shown(at: place))
        if old != new { compare(old, new, event, &faults) }
      }
    }
    name(event, before)
    if event.event.isCompensation { check(before, after, &faults) }
    return faults
  }

  private mutating func compare(
    _ old: Element?, _ new: Element?, _ event: RoomEvent, _ faults: inout [String]
  ) {
    let (actor, takesBack) = (event.actor, event.event.isCompensation)
    switch (old, new) {
    case (nil, let new?):
      if takesBack, let known = touches[new.id]?.presence.actor, known != actor {
        faults.append("brought \(new.id) back, which \(known) took away")
      }
      // What comes back has the attributes that it had: nobody set them anew.
      if takesBack { touches[new.id]?.presence = Touch(event) } else { touches[new.id] = fresh(event) }
    case (let old?, nil):
      let others = touches[old.id]?.others(than: actor) ?? []
      if takesBack, !others.isEmpty { faults.append("took \(old.id) away, which \(others) touched last") }
      if old.isLocked, !takesBack, !event.event.takesAll { faults.append("\(old.id) is locked, and went") }
      touches[old.id]?.presence = Touch(event)
    case (let old?, let new?): compare(old, with: new, event, &faults)
    case (nil, nil): break
    }
  }

  private func fresh(_ event: RoomEvent) -> Touches {
    Touches(presence: Touch(event), content: Touch(event))
  }

  private mutating func compare(
    _ old: Element, with new: Element, _ event: RoomEvent, _ faults: inout [String]
  ) {
    let (actor, takesBack) = (event.actor, event.event.isCompensation)
    let known = touches[new.id] ?? fresh(event)
    if old.id != new.id { faults.append("the place of \(old.id) was given to \(new.id)") }
    if old.content != new.content, !old.isOpenStroke {
      if takesBack, known.content.actor != actor {
        faults.append("changed \(new.id), put by \(known.content.actor)")
      }
      if old.isLocked, !takesBack { faults.append("\(old.id) is locked, and was put anew") }
      touches[new.id]?.content = Touch(event)
    }
    for key in Set(old.attributes.keys).union(new.attributes.keys)
    where old.attributes[key] != new.attributes[key] {
      if takesBack, known.last(of: key) != actor {
        faults.append("changed \(key) of \(new.id), set last by \(known.last(of: key))")
      }
      if old.isLocked, key != ElementKey.locked, !event.event.opensLocks(of: old.id) {
        faults.append("\(old.id) is locked, and its \(key) was set")
      }
      touches[new.id]?.keys[key] = Touch(event)
    }
  }

  /// Setting what is so already is touching it too.
  private mutating func name(_ event: RoomEvent, _ before: RoomState) {
    switch event.event {
    case .elements(.put(let put)) where before.elements[put.id] != nil:
      touches[put.id]?.content = Touch(event)
      touches[put.id]?.keys = [:]
    case .elements(.changed(let changed)):
      for change in changed.changes {
        for field in change.set.fields { touches[change.id]?.keys[field.key] = Touch(event) }
      }
    default: break
    }
  }

  /// Undoing and redoing are about elements only.
  private func check(_ before: RoomState, _ after: RoomState, _ faults: inout [String]) {
    if before.scenes != after.scenes || before.currentScene != after.currentScene
      || before.globalState != after.globalState || before.stores != after.stores
    {
      faults.append("something else than elements changed")
    }
  }
}

extension Event {
  var isCompensation: Bool {
    switch self {
    case .history(.undone), .history(.redone): true
    default: false
    }
  }

  /// A scene takes all that is on it along, locked or not (SC-10).
  fileprivate var takesAll: Bool {
    switch self {
    case .scenes(.put), .scenes(.removed), .scenes(.cleaned): true
    default: false
    }
  }

  /// EL-3: who set a lock may take that back together with what came with it. What concerns a whole element is
  /// in no history any more if another touched it, so that a lock on it is its author's own.
  fileprivate func opensLocks(of id: ElementID) -> Bool {
    switch self {
    case .history(.undone(let back)), .history(.redone(let back)):
      back.puts.contains { $0.id == id }
        || back.changes.contains { $0.id == id && $0.set.fields.contains { $0.key == ElementKey.locked } }
    default: false
    }
  }
}

extension ElementStore {
  /// What everybody sees at this place.
  func shown(at place: Int) -> Element? {
    guard places.indices.contains(place), let element = places[place], ordinal(of: element.id) == place
    else { return nil }
    return element
  }
}
