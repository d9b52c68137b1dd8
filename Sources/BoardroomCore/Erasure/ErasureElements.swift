import BoardroomModel
import EventLogModel

/// The family `elements`: what others changed on the member's elements, and what they copied from them, goes.
extension ContentErasure {
  mutating func meet(_ event: ElementEvent, by actor: Actor) {
    switch event {
    case .copied(let made): for copy in made where isOwn(copy.from) { copies.insert(copy.id) }
    case .changed(let changed): if isOwn(actor) { meet(changed.changes) }
    case .put, .erased: break
    }
  }

  func replacement(ofOthers event: ElementEvent, _ erased: () -> Event) -> Event? {
    switch event {
    case .changed(let changed):
      let left = changed.changes.filter { !isOwn($0.id) }
      guard left.count < changed.changes.count else { return nil }
      return left.isEmpty ? erased() : .elements(.changed(ElementsChanged(left)))
    case .copied(let made):
      let left = made.filter { !isOwn($0.from) }
      guard left.count < made.count else { return nil }
      return left.isEmpty ? erased() : .elements(.copied(left))
    case .put, .erased: return nil
    }
  }
}
