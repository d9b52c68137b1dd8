import BoardroomModel
import EventLogModel

/// What is left of one log when a member's name and content are erased from it (LOG-29). Pure: it is told all events first,
/// in their order, and then answers for each what takes its place.
///
/// Places, kinds, times and counters stay, and what others made stays. What a member changed on elements is the member's
/// content; what others changed on the member's elements, and copies of these, go with them.
public struct ContentErasure: Sendable {
  /// Whose content goes: whoever has joined under this name, as bans compare names (MOD-8).
  public let uid: String?
  private let key: String?
  /// The numbers that the member has had in this room.
  public private(set) var members: Set<MemberID>
  /// Elements of others that were copied from the member's.
  private var copies: Set<ElementID> = []
  /// Values that the member gave to attributes: an undo of somebody else may put one back.
  private var written: [Attribute: Set<JSONText>] = [:]

  private struct Attribute: Hashable {
    var element: ElementID
    var key: String
  }

  /// - Parameter members: numbers besides those that joined under `uid`: of a member without a name, or one whose joining
  ///   was removed by retention.
  public init(uid: String?, members: Set<MemberID> = []) {
    self.uid = uid
    self.members = members
    key = uid.map(UserName.key)
  }

  /// Whether a text is the name.
  func isName(_ other: String?) -> Bool {
    guard let key, let other else { return false }
    return UserName.key(other) == key
  }

  func isOwn(_ element: ElementID) -> Bool { members.contains(element.member) || copies.contains(element) }

  private func isOwn(_ actor: Actor) -> Bool { actor.member.map(members.contains) ?? false }

  // MARK: What there is

  public mutating func meet(_ event: RoomEvent) {
    if case .members(.joined(let joined)) = event.event, isName(joined.uid), let member = event.actor.member {
      members.insert(member)
    }
    if case .elements(.copied(let made)) = event.event {
      for copy in made where isOwn(copy.from) { copies.insert(copy.id) }
    }
    guard isOwn(event.actor) else { return }
    switch event.event {
    case .elements(.changed(let changed)): meet(changed.changes)
    case .history(.undone(let done)), .history(.redone(let done)): meet(done.changes)
    default: break
    }
  }

  private mutating func meet(_ changes: [ElementChange]) {
    for change in changes where !isOwn(change.id) {
      for case let (key, value?) in change.set.fields {
        written[Attribute(element: change.id, key: key), default: []].insert(value)
      }
    }
  }

  private func hasWritten(_ change: ElementChange) -> Bool {
    change.set.fields.contains { key, value in
      value.map { written[Attribute(element: change.id, key: key)]?.contains($0) ?? false } ?? false
    }
  }

  /// The members of a state at which a log begins whose beginning was removed.
  mutating func meet(_ state: RoomState) {
    for member in state.members.values where isName(member.uid) { members.insert(member.id) }
  }

  // MARK: What is left

  /// The event that takes the place of this one; `nil` where it stays.
  ///
  /// - Parameter hash: of the record as it was, `ErasedContent.hash`.
  public func replacement(of event: RoomEvent, hash: () -> String) -> Event? {
    func erased() -> Event {
      .diagnostics(.contentErased(ErasedContent(kind: event.event.kind, hash: hash())))
    }
    if names(event.event) { return erased() }
    if isOwn(event.actor) { return replacement(ofOwn: event.event, hash, erased) }
    return replacement(ofOthers: event.event, erased)
  }

  /// Whether the event, whoever did it, says the name beside its actor.
  private func names(_ event: Event) -> Bool {
    switch event {
    case .room(.banSet(let ban)): isName(ban.uid) || (ban.member.map(members.contains) ?? false)
    case .space(.attributesSet(let set)): isName(set.by)
    case .space(.attributesCleared(let by)): isName(by)
    case .space(.channelMessage(let message)): isName(message.by)
    case .space(.inboxMessage(let message)): isName(message.from)
    case .space(.presence(let presence)): isName(presence.account)
    case .space(.inviteHeard(let heard)): isName(heard.caller)
    case .space(.inviteMoved(let moved)):
      if case .created(_, _, let callee, _, _, _) = moved.move { isName(callee) } else { false }
    default: false
    }
  }

  /// Of the member's own events: what others need to go on stays, without texts; the rest goes.
  private func replacement(ofOwn event: Event, _ hash: () -> String, _ erased: () -> Event) -> Event? {
    switch EventKind(rawValue: event.kind)?.traits.erasure {
    case .stays: nil
    case .staysWithoutWords: withoutWords(event, hash)
    // Nobody knows what a kind of a later version holds.
    case .goes, nil: erased()
    }
  }

  private func withoutWords(_ event: Event, _ hash: () -> String) -> Event? {
    switch event {
    case .members(.joined(let joined)):
      let isLeft = joined.erased != nil
      return isLeft
        ? nil
        : .members(
          .joined(
            MemberJoined(
              session: joined.session, uid: nil, role: joined.role, writable: joined.writable, payload: nil,
              client: nil, erased: hash())))
    case .scenes(.put(let put)): return Self.withoutNames(put)
    case .scenes(.moved(let moved)): return Self.withoutNames(moved)
    case .diagnostics(.refused(let refused)):
      return refused.id == nil
        ? nil : .diagnostics(.refused(RefusedCommand(kind: refused.kind, code: refused.code)))
    default:
      preconditionFailure("Of a kind that stays without a member's words it has to be said what is left.")
    }
  }

  /// Pages stay, since others may have drawn on them; their paths were the member's words.
  private static func withoutNames(_ put: ScenesPut) -> Event? {
    let scenes = put.scenes.map { SceneSpec(id: $0.id, name: "erased-\($0.id)") }
    let left = ScenesPut(directory: "/", index: put.index, scenes: scenes)
    return left == put ? nil : .scenes(.put(left))
  }

  private static func withoutNames(_ moved: SceneMoved) -> Event? {
    let left = SceneMoved(
      scene: moved.scene, directory: "/", name: "erased-\(moved.scene)", index: moved.index)
    return left == moved ? nil : .scenes(.moved(left))
  }

  /// Of events of others: what they did to the member's elements goes.
  private func replacement(ofOthers event: Event, _ erased: () -> Event) -> Event? {
    switch event {
    case .elements(.changed(let changed)):
      let left = changed.changes.filter { !isOwn($0.id) }
      guard left.count < changed.changes.count else { return nil }
      return left.isEmpty ? erased() : .elements(.changed(ElementsChanged(left)))
    case .elements(.copied(let made)):
      let left = made.filter { !isOwn($0.from) }
      guard left.count < made.count else { return nil }
      return left.isEmpty ? erased() : .elements(.copied(left))
    case .history(.undone(let done)): return self.left(of: done).map { .history(.undone($0)) }
    case .history(.redone(let done)): return self.left(of: done).map { .history(.redone($0)) }
    default: return nil
    }
  }

  /// Somebody's undo may put back what the member had made of an element.
  private func left(of done: Compensation) -> Compensation? {
    var left = done
    left.puts = done.puts.filter { !isOwn($0.id) && !isOwn($0.shape.id) }
    left.changes = done.changes.filter { change in
      !isOwn(change.id) && !hasWritten(change)
    }
    return left == done ? nil : left
  }
}

extension ContentErasure {
  /// Takes the member's name and content out of the state at which a log begins whose beginning was removed.
  ///
  /// Whose content a member's number is that left before is not known by name any more; and what it wrote into
  /// the global state, stores and names of pages cannot be told from what others wrote there. Nobody can take back there
  /// what was done before.
  public mutating func erase(from state: inout RoomState) {
    meet(state)
    for id in state.members.keys where members.contains(id) {
      state.change(id) { member in
        (member.uid, member.payload, member.client) = (nil, nil, nil)
        (member.state, member.camera, member.pointer, member.isBound) = ([:], nil, nil, false)
      }
    }
    for id in Array(state.histories.keys) { state.endHistory(of: id) }
    var own: [ElementID] = []
    state.elements.forEachPlaced { _, element in if isOwn(element.id) { own.append(element.id) } }
    for id in own { _ = state.elements.erase(id) }
    state.barredUsers.removeAll { isName($0) }
    state.bans = state.bans.filter { _, ban in
      !isName(ban.uid) && !(ban.member.map(members.contains) ?? false)
    }
    state.space?.erase { isName($0) }
  }
}

extension SpaceState {
  /// What an account holds of others whose name this is.
  fileprivate mutating func erase(where isName: (String) -> Bool) {
    for service in slots.keys { slots[service]?.inbox.removeAll { isName($0.from) } }
    calls = calls.filter { !isName($0.key.caller) }
    invitations = invitations.filter { !isName($0.value.callee) }
  }
}
