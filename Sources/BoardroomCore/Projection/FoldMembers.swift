import BoardroomModel
import EventLogModel

/// The family `members`: how they come, go, are connected, write and look.
extension RoomState {
  mutating func fold(_ event: MemberEvent, by actor: Actor, at time: Timestamp, _ touched: inout RoomParts)
    -> String?
  {
    switch event {
    case .joined(let joined): foldJoined(joined, by: actor, at: time, &touched)
    case .left: foldLeft(by: actor, &touched)
    case .phase(let change): foldPhase(change, by: actor, &touched)
    case .writable(let writable): foldWritable(writable, by: actor, &touched)
    case .kicked(let kicked): members[kicked.member] == nil ? Misfit.noMember : nil
    case .replaced: isPresent(actor) ? nil : Misfit.noMember
    case .viewMode(let mode): foldViewMode(mode, by: actor, &touched)
    }
  }

  private func isPresent(_ actor: Actor) -> Bool { actor.member.map { members[$0] != nil } ?? true }

  private mutating func foldJoined(
    _ event: MemberJoined, by actor: Actor, at time: Timestamp, _ touched: inout RoomParts
  ) -> String? {
    guard let id = actor.member else { return Misfit.noMember }
    // The last number is kept out so that the number after it exists.
    guard id.rawValue >= nextMember, id.rawValue < UInt64.max else { return Misfit.memberAgain }
    members[id] = Member(
      id: id, session: event.session, uid: event.uid, role: event.role, writable: event.writable,
      payload: event.payload, client: event.client, joined: time,
      viewMode: broadcaster == nil ? .freedom : .follower)
    members[id]?.isBound = event.isBound
    nextMember = id.rawValue + 1
    if space != nil { foldArrival(at: time) }
    keepFromWriting(newcomer: id)
    touched.insert(members[id]?.writable == true ? .roster : .audience)
    return nil
  }

  private mutating func foldLeft(by actor: Actor, _ touched: inout RoomParts) -> String? {
    guard let id = actor.member, let member = members.removeValue(forKey: id) else {
      return Misfit.noMember
    }
    touched.insert(member.writable ? .roster : .audience)
    if space != nil { foldDeparture(of: member, at: time) }
    endStrokes(of: id, &touched)
    if !histories.isEmpty { endHistory(of: id) }
    if broadcaster == id { endBroadcast(&touched) }
    remember(barred: member)
    // Those whom its lock kept from writing are not all kept any more (MOD-6).
    if lock?.by == id { settleAll(&touched) }
    return nil
  }

  private mutating func foldPhase(
    _ event: MemberPhaseChange, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard let id = actor.member, members[id] != nil else { return Misfit.noMember }
    members[id]?.phase = event.phase
    members[id]?.generation = event.generation
    touched.insert(.phase)
    return nil
  }

  private mutating func foldWritable(_ writable: Bool, by actor: Actor, _ touched: inout RoomParts) -> String?
  {
    guard let id = actor.member, members[id] != nil else { return Misfit.noMember }
    updateWritable(id, wants: writable, &touched)
    return nil
  }

  /// A member writes if it wants to and nobody keeps it from it. What it wants is `writable`, or `isKept` in its place.
  mutating func updateWritable(_ id: MemberID, wants: Bool? = nil, _ touched: inout RoomParts) {
    guard let member = members[id] else { return }
    let wants = wants ?? (member.writable || member.isKept)
    let may = mayWrite(member)
    members[id]?.isKept = wants && !may
    guard member.writable != (wants && may) else { return }
    members[id]?.writable = wants && may
    touched.formUnion([.writable, .roster])
    guard member.writable else { return }
    endStrokes(of: id, &touched)
    if broadcaster == id { endBroadcast(&touched) }
  }

  private mutating func endStrokes(of member: MemberID, _ touched: inout RoomParts) {
    for id in elements.openStrokes.filter({ $0.member == member }) where elements.endStroke(id) {
      touched.insert(.elements)
    }
  }

  private mutating func foldViewMode(_ mode: ViewMode, by actor: Actor, _ touched: inout RoomParts) -> String?
  {
    guard let id = actor.member, members[id] != nil else { return Misfit.noMember }
    switch mode {
    case .broadcaster:
      beginBroadcast(by: id, &touched)
    case .freedom:
      if broadcaster == id { endBroadcast(&touched) } else { setView(of: id, to: .freedom, &touched) }
    case .follower:
      // V-5. A broadcaster that wants to follow has nobody left to follow, and its room is free (V-6).
      if broadcaster == id { endBroadcast(&touched) }
      guard broadcaster != nil else {
        setView(of: id, to: .freedom, &touched)
        return Misfit.noBroadcaster
      }
      setView(of: id, to: .follower, &touched)
    }
    return nil
  }

  /// V-2, V-3: one broadcaster, everybody else follows.
  private mutating func beginBroadcast(by id: MemberID, _ touched: inout RoomParts) {
    if broadcaster != id { touched.insert(.broadcaster) }
    broadcaster = id
    for other in members.keys { setView(of: other, to: other == id ? .broadcaster : .follower, &touched) }
  }

  /// V-6.
  private mutating func endBroadcast(_ touched: inout RoomParts) {
    broadcaster = nil
    touched.insert(.broadcaster)
    for id in members.keys { setView(of: id, to: .freedom, &touched) }
  }

  private mutating func setView(of id: MemberID, to mode: ViewMode, _ touched: inout RoomParts) {
    guard members[id]?.viewMode != mode else { return }
    members[id]?.viewMode = mode
    touched.insert(.viewModes)
  }
}
