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
  public internal(set) var members: Set<MemberID>
  /// Elements of others that were copied from the member's.
  var copies: Set<ElementID> = []
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

  func isOwn(_ actor: Actor) -> Bool { actor.member.map(members.contains) ?? false }

  // MARK: What there is

  public mutating func meet(_ event: RoomEvent) {
    switch event.event {
    case .members(let what): meet(what, by: event.actor)
    case .elements(let what): meet(what, by: event.actor)
    case .history(let what): meet(what, by: event.actor)
    case .drawing, .scenes, .state, .moderation, .room, .custom, .space, .diagnostics, .unknown: break
    }
  }

  /// What the member gave to attributes of elements of others.
  mutating func meet(_ changes: [ElementChange]) {
    for change in changes where !isOwn(change.id) {
      for case let (key, value?) in change.set.fields {
        written[Attribute(element: change.id, key: key), default: []].insert(value)
      }
    }
  }

  func hasWritten(_ change: ElementChange) -> Bool {
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
    case .room(let what): names(what)
    case .space(let what): names(what)
    case .drawing, .elements, .scenes, .state, .history, .members, .moderation, .custom, .diagnostics,
      .unknown:
      false
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

  /// Nil where nothing of the member's is in it.
  private func withoutWords(_ event: Event, _ hash: () -> String) -> Event? {
    switch event {
    case .members(let what): return withoutWords(what, hash).map { .members($0) }
    case .scenes(let what): return withoutWords(what).map { .scenes($0) }
    case .diagnostics(let what): return withoutWords(what).map { .diagnostics($0) }
    case .drawing, .elements, .state, .history, .moderation, .room, .custom, .space, .unknown:
      preconditionFailure(Self.nothingSaid)
    }
  }

  static let nothingSaid =
    "Of a kind that stays without a member's words it has to be said what is left."

  /// Of events of others: what they did to the member's elements goes.
  private func replacement(ofOthers event: Event, _ erased: () -> Event) -> Event? {
    switch event {
    case .elements(let what): replacement(ofOthers: what, erased)
    case .history(let what): replacement(ofOthers: what).map { .history($0) }
    case .drawing, .scenes, .state, .members, .moderation, .room, .custom, .space, .diagnostics, .unknown: nil
    }
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
