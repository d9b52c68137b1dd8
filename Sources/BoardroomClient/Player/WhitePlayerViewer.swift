import BoardroomCore
import BoardroomModel

// What a `WhiteRoomCallbackDelegate` hears of a member's stay, in the words and the order of the room.
extension WhitePlayer {
  func handleRoomUpdate(_ update: LinkUpdate, _ listener: any WhiteRoomCallbackDelegate) {
    // These depend on what is subscribed to.
    if case .magix(let event, _) = update { return deliver(event, to: listener) }
    if case .magixBatch(let events) = update { return deliver(events, to: listener) }
    let callbacks = shown.with { $0.member.callbacks(of: update) }
    for callback in callbacks { callback(listener) }
  }
}

/// Makes the callbacks of a member's room from what its link tells. Keeps what was told last, where the next callback
/// depends on it.
struct MemberCallbacks: Sendable {
  private var steps = WhiteSteps()
  private var isCommittable = false

  /// The callbacks of one update, in their order; none if a callbacks object is not told of it.
  mutating func callbacks(of update: LinkUpdate) -> [EventCallback] {
    switch update {
    case .phase(let phase): return [{ $0.firePhaseChanged(phase) }]
    case .committable(let able):
      isCommittable = able
      return [{ $0.fireBeingAbleToCommitChange(able) }]
    case .state(_, let told): return told.isEmpty ? [] : [{ $0.fireRoomStateChanged(told) }]
    case .steps(let steps): return callbacks(of: steps)
    case .elements: return [{ $0.fireElementsChanged() }]
    case .callback(let callback): return [callback]
    case .magix(let event, _): return [{ $0.fireMagixEvent(event) }]
    case .magixBatch(let events): return [{ $0.fireHighFrequencyEvent(events) }]
    case .misfit(let author, let what): return [{ $0.fireCatchErrorWhenAppendFrame(author, error: what) }]
    case .ended(let end, let wasJoining, let failure): return [ended(end, wasJoining, after: failure)]
    case .admitted, .scenes, .stores, .event, .log, .joined, .attempt, .attemptFailed, .mended, .lost,
      .tokenExpired, .tokenWillExpire, .tokenRenewed, .pending:
      return []
    }
  }

  private mutating func callbacks(of now: WhiteSteps) -> [EventCallback] {
    let before = steps
    steps = now
    var callbacks: [EventCallback] = []
    if now.undo != before.undo { callbacks.append { $0.fireCanUndoStepsUpdate(now.undo) } }
    if now.redo != before.redo { callbacks.append { $0.fireCanRedoStepsUpdate(now.redo) } }
    return callbacks
  }

  private mutating func ended(
    _ end: ConnectionEnd, _ wasJoining: Bool, after failure: ConnectionFailure?
  ) -> EventCallback {
    let wasCommittable = isCommittable
    isCommittable = false
    return { listener in
      end.tellEnd(to: listener, wasJoining: wasJoining, after: failure) {
        listener.firePhaseChanged(.disconnected)
        if wasCommittable { listener.fireBeingAbleToCommitChange(false) }
      }
    }
  }
}
