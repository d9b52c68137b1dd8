import BoardroomModel
import EventLogModel

/// The family `history`: an undo of somebody else may put back what the member had made of an element.
extension ContentErasure {
  mutating func meet(_ event: HistoryEvent, by actor: Actor) {
    guard isOwn(actor) else { return }
    switch event {
    case .undone(let done), .redone(let done): meet(done.changes)
    case .kept: break
    }
  }

  func replacement(ofOthers event: HistoryEvent) -> HistoryEvent? {
    switch event {
    case .undone(let done): left(of: done).map { .undone($0) }
    case .redone(let done): left(of: done).map { .redone($0) }
    case .kept: nil
    }
  }

  private func left(of done: Compensation) -> Compensation? {
    var left = done
    left.puts = done.puts.filter { !isOwn($0.id) && !isOwn($0.shape.id) }
    left.changes = done.changes.filter { change in
      !isOwn(change.id) && !hasWritten(change)
    }
    return left == done ? nil : left
  }
}
