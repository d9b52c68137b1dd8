import BoardroomCore
import BoardroomModel

// What a `WhiteRoomCallbackDelegate` hears of a member's stay, in the words and the order of the room.
extension WhitePlayer {
  func handleRoomUpdate(_ update: LinkUpdate, _ listener: any WhiteRoomCallbackDelegate) {
    switch update {
    case .phase(let phase): listener.firePhaseChanged(phase)
    case .committable(let able):
      shown.with { $0.isCommittable = able }
      listener.fireBeingAbleToCommitChange(able)
    case .state(_, let told): if !told.isEmpty { listener.fireRoomStateChanged(told) }
    case .steps(let steps): tellSteps(steps, listener)
    case .elements: listener.fireElementsChanged()
    case .callback(let callback): callback(listener)
    case .magix(let event, _): deliver(event, to: listener)
    case .magixBatch(let events): deliver(events, to: listener)
    case .misfit(let author, let what): listener.fireCatchErrorWhenAppendFrame(author, error: what)
    case .ended(let end, let wasJoining): ended(end, wasJoining, listener)
    case .admitted, .scenes, .stores, .event, .log, .joined, .attempt, .mended, .lost, .tokenExpired,
      .tokenWillExpire, .tokenRenewed, .pending:
      break
    }
  }

  private func tellSteps(_ steps: WhiteSteps, _ listener: any WhiteRoomCallbackDelegate) {
    let before = shown.with { shown in
      defer { shown.steps = steps }
      return shown.steps
    }
    if steps.undo != before.undo { listener.fireCanUndoStepsUpdate(steps.undo) }
    if steps.redo != before.redo { listener.fireCanRedoStepsUpdate(steps.redo) }
  }

  private func ended(
    _ end: ConnectionEnd, _ wasJoining: Bool, _ listener: any WhiteRoomCallbackDelegate
  ) {
    let wasCommittable = shown.with { shown in
      defer { shown.isCommittable = false }
      return shown.isCommittable
    }
    end.tellEnd(to: listener, wasJoining: wasJoining) {
      listener.firePhaseChanged(.disconnected)
      if wasCommittable { listener.fireBeingAbleToCommitChange(false) }
    }
  }
}
