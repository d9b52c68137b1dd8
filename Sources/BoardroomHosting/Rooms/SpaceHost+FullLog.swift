import BoardroomCore
import BoardroomModel
import EventLogModel

/// A full log takes no events, and that must not cost anybody the room: what happens to members meanwhile is
/// owed, and recorded at a later tick as far as it still holds.
extension SpaceHost {
  enum Recorded {
    case at(Revision)
    /// There is no space, and the room is as it was.
    case full
    /// The room has closed itself, for this reason.
    case failed(Refusal)
  }

  func recordUnlessFull(_ proposals: [Proposed], at now: Timestamp) -> Recorded {
    let before = room.state.revision
    do throws(LogError) {
      return .at(try appender.together { () throws(LogError) in try record(proposals, at: now) })
    } catch {
      if case .full = error, room.state.revision == before { return .full }
      return .failed(fail(error).refusal)
    }
  }

  /// Records what happened to a member, or owes it. Nil if nothing was recorded.
  @discardableResult
  func recordOrDefer(_ deferred: DeferredEvent, of member: MemberID, at now: Timestamp) -> Revision? {
    switch recordUnlessFull(events(of: deferred, member), at: now) {
    case .at(let revision):
      deferredEvents.remove(member)
      return revision
    case .full:
      deferredEvents.owe(deferred, of: member)
      return nil
    case .failed: return nil
    }
  }

  /// Tries again, in the order of the members' numbers, until one finds the log still full.
  func recordDeferred(at now: Timestamp) {
    guard !deferredEvents.isEmpty else { return }
    for (member, deferred) in deferredEvents.inOrder {
      guard recordOrDefer(deferred, of: member, at: now) != nil else { return }
    }
  }

  private func events(of deferred: DeferredEvent, _ member: MemberID) -> [Proposed] {
    switch deferred {
    case .leave(let cause): return room.leave(member, cause)
    case .phase:
      guard let session = sessions[member] else { return [] }
      switch session.machine.state {
      case .live(_, suspected: false): return room.heardAgain(member)
      case .live(_, suspected: true), .silent: return room.silent(member)
      case .gone: return []
      }
    }
  }
}
