import BoardroomModel
import EventLogModel

extension RoomState {
  /// THE projection: server, mirror and replay all fold with it. Takes any event in any state without a
  /// trap; what does not fit is told as an anomaly and changes nothing but revision, time and counter.
  @discardableResult
  public mutating func apply(_ event: RoomEvent) -> Anomaly? {
    var touched: RoomParts = []
    return apply(event, touching: &touched)
  }

  /// The same, and adds the parts that changed to `touched`.
  @discardableResult
  public mutating func apply(_ event: RoomEvent, touching touched: inout RoomParts) -> Anomaly? {
    revision = event.revision
    time = event.time
    advance(event)
    guard let what = fold(event, &touched) else { return nil }
    return Anomaly(revision: event.revision, actor: event.actor, what: what)
  }

  /// The counter never falls: an event that was held back may come after one with a higher counter.
  private mutating func advance(_ event: RoomEvent) {
    guard event.counter > 0, let member = event.actor.member else { return }
    change(member) { $0.decided(event.counter, at: event.revision) }
  }

  /// Changes a member in its place; false if it is not here. `members[id]?.x = y` would copy the whole
  /// member with its dozen references first, on every event.
  @inline(__always)
  @discardableResult
  mutating func change(_ id: MemberID, _ body: (inout Member) -> Void) -> Bool {
    guard let place = members.index(forKey: id) else { return false }
    body(&members.values[place])
    return true
  }

  /// Applies the event; says what did not fit, if anything.
  private mutating func fold(_ event: RoomEvent, _ touched: inout RoomParts) -> String? {
    let actor = event.actor
    switch event.event {
    case .drawing(.stroke(let segment)): return foldStroke(segment, by: actor, &touched)
    case .drawing(.pointer(let move)): return foldPointer(move, by: actor, &touched)
    case .drawing(.camera(let camera)): return foldCamera(camera, by: actor, &touched)
    case .room(.created(let created)): return foldCreated(created, at: event.time, &touched)
    case .members(.joined(let joined)): return foldJoined(joined, by: actor, at: event.time, &touched)
    case .members(.left): return foldLeft(by: actor, &touched)
    case .members(.phase(let change)): return foldPhase(change, by: actor, &touched)
    case .members(.writable(let writable)): return foldWritable(writable, by: actor, &touched)
    case .members(.kicked(let kicked)): return members[kicked.member] == nil ? Misfit.noMember : nil
    case .members(.replaced): return isPresent(actor) ? nil : Misfit.noMember
    case .state(.global(let patch)): return foldGlobalState(patch, &touched)
    case .state(.member(let patch)): return foldMemberState(patch, by: actor, &touched)
    case .members(.viewMode(let mode)): return foldViewMode(mode, by: actor, &touched)
    case .scenes(.put(let put)): return foldScenesPut(put, &touched)
    case .scenes(.switched(let scene)): return foldSwitched(to: scene, &touched)
    case .elements(.erased(let elements)): return foldErased(elements, by: actor, &touched)
    case .elements(.put(let put)): return foldElementPut(put, by: actor, &touched)
    case .elements(.changed(let changed)): return foldChanged(changed, by: actor, &touched)
    case .elements(.copied(let copies)): return foldCopied(copies, by: actor, &touched)
    case .scenes(.cleaned(let cleaned)): return foldCleaned(cleaned, by: actor, &touched)
    case .scenes(.removed(let removed)): return foldRemoved(removed, &touched)
    case .scenes(.moved(let moved)): return foldMoved(moved, &touched)
    case .scenes(.pptStepped(let step)): return foldStepped(step, &touched)
    case .state(.storeSet(let set)): return foldStoreSet(set, &touched)
    case .state(.storeDeleted(let name)): return foldStoreDeleted(name, &touched)
    case .history(.kept(let depth)): return foldHistorySet(depth, by: actor, &touched)
    case .history(.undone(let compensation)): return foldUndone(compensation, by: actor, &touched)
    case .history(.redone(let compensation)): return foldRedone(compensation, by: actor, &touched)
    case .room(.banned(let banned)): return foldBanned(banned, &touched)
    case .room(.limitsSet(let patch)): return foldLimits(patch, &touched)
    case .room(.deleted): return foldDeleted(&touched)
    case .room(.banSet(let ban)): return foldBan(ban, &touched)
    case .room(.banLifted(let number)): return foldLifted(number, &touched)
    case .space(let what): return fold(what, by: actor, at: event.time, &touched)
    case .moderation(let what): return fold(what, by: actor, at: event.time, &touched)
    case .custom, .diagnostics, .unknown: return nil
    }
  }

  private func isPresent(_ actor: Actor) -> Bool { actor.member.map { members[$0] != nil } ?? true }
}

extension Member {
  fileprivate mutating func decided(_ counter: CommandCounter, at revision: Revision) {
    guard counter >= lastCounter else { return }
    lastCounter = counter
    lastRevision = revision
  }
}
