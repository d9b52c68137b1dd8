import BoardroomModel
import EventLogModel

/// What events do to the room itself, its members, their states and views.
extension RoomState {
  mutating func foldCreated(
    _ event: RoomCreated, at time: Timestamp, _ touched: inout RoomParts
  ) -> String? {
    guard created == nil else { return Misfit.createdTwice }
    created = event
    createdAt = time
    scenes = [Scene(id: nextScene, directory: "/", name: "init")]
    currentScene = nextScene
    nextScene += 1
    touched.formUnion([.created, .scenes, .currentScene])
    return nil
  }

  mutating func foldJoined(
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

  mutating func foldLeft(by actor: Actor, _ touched: inout RoomParts) -> String? {
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

  mutating func foldPhase(
    _ event: MemberPhaseChange, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard let id = actor.member, members[id] != nil else { return Misfit.noMember }
    members[id]?.phase = event.phase
    members[id]?.generation = event.generation
    touched.insert(.phase)
    return nil
  }

  mutating func foldWritable(_ writable: Bool, by actor: Actor, _ touched: inout RoomParts) -> String? {
    guard let id = actor.member, members[id] != nil else { return Misfit.noMember }
    settle(id, wants: writable, &touched)
    return nil
  }

  /// A member writes if it wants to and nobody keeps it from it. What it wants is `writable`, or `isKept` in its place.
  mutating func settle(_ id: MemberID, wants: Bool? = nil, _ touched: inout RoomParts) {
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

  mutating func foldGlobalState(_ patch: JSONPatch, _ touched: inout RoomParts) -> String? {
    if globalState.merge(patch) { touched.insert(.globalState) }
    return nil
  }

  mutating func foldMemberState(
    _ patch: JSONPatch, by actor: Actor, _ touched: inout RoomParts
  ) -> String? {
    guard let id = actor.member, let changed = members[id]?.state.merge(patch) else {
      return Misfit.noMember
    }
    if changed { touched.insert(.memberState) }
    return nil
  }

  mutating func foldPointer(_ move: PointerMove, by actor: Actor, _ touched: inout RoomParts) -> String? {
    guard let id = actor.member, change(id, { $0.pointer = move }) else { return Misfit.noMember }
    touched.insert(.pointer)
    return nil
  }

  /// V-4: a follower who moves the camera becomes free.
  mutating func foldCamera(_ camera: Camera, by actor: Actor, _ touched: inout RoomParts) -> String? {
    var isFreed = false
    let isHere = actor.member.map { change($0) { isFreed = $0.moveCamera(to: camera) } }
    guard isHere == true else { return Misfit.noMember }
    touched.insert(.camera)
    if isFreed { touched.insert(.viewModes) }
    return nil
  }

  mutating func foldViewMode(_ mode: ViewMode, by actor: Actor, _ touched: inout RoomParts) -> String? {
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

extension Member {
  /// True if the member was a follower and is free now.
  fileprivate mutating func moveCamera(to place: Camera) -> Bool {
    camera = place
    guard viewMode == .follower else { return false }
    viewMode = .freedom
    return true
  }
}

extension [String: JSONText] {
  /// RS-1: sets the patch's keys, removes those that are null. True if anything is another than before.
  mutating func merge(_ patch: JSONPatch) -> Bool {
    var changed = false
    for (key, value) in patch.fields where self[key] != value {
      self[key] = value
      changed = true
    }
    return changed
  }
}
