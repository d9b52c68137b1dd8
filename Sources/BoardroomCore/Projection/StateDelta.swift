import BoardroomModel
import EventLogModel

/// The parts of the whiteboard's room state as its callbacks name them (RS-1 to RS-9).
public struct StateParts: OptionSet, Sendable, Hashable {
  public let rawValue: UInt16
  @inlinable public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let globalState = StateParts(rawValue: 1 << 0)
  /// The observer's own.
  public static let memberState = StateParts(rawValue: 1 << 1)
  public static let roomMembers = StateParts(rawValue: 1 << 2)
  public static let sceneState = StateParts(rawValue: 1 << 3)
  public static let broadcastState = StateParts(rawValue: 1 << 4)
  public static let cameraState = StateParts(rawValue: 1 << 5)
  public static let zoomScale = StateParts(rawValue: 1 << 6)
  public static let pageState = StateParts(rawValue: 1 << 7)
  /// SyncedStores (SS-1).
  public static let stores = StateParts(rawValue: 1 << 8)
  /// How many steps the observer can undo and redo on the current scene (CB-19).
  public static let history = StateParts(rawValue: 1 << 9)

  /// What comes back to the one who set it (CB-12, PARITY rows EC): the server settles these, or they change
  /// all the time.
  public static let echoed: StateParts = [
    .sceneState, .pageState, .broadcastState, .cameraState, .zoomScale, .stores, .history,
  ]
  static let scene: StateParts = [.sceneState, .pageState]
  static let view: StateParts = [.cameraState, .zoomScale]
  public static let all: StateParts = [
    .globalState, .memberState, .roomMembers, .sceneState, .pageState, .broadcastState, .cameraState,
    .zoomScale, .stores, .history,
  ]
}

/// What has changed for one member since it was last told: gathered over any number of events, so that a
/// whole catch-up becomes one state patch (TL-22).
public struct StateDelta: Sendable, Hashable {
  public let observer: MemberID
  /// What others changed.
  public private(set) var remote: StateParts = []
  /// What the observer changed itself.
  public private(set) var own: StateParts = []

  public init(for observer: MemberID) { self.observer = observer }

  /// Adds what an event changed. `touched` is what `RoomState.apply` said of it, `state` what it led to.
  public mutating func note(_ event: RoomEvent, _ touched: RoomParts, in state: RoomState) {
    // Strokes are by far the most, and nothing of them is in the room state.
    guard !touched.isSubset(of: [.elements, .pointer, .phase]) else { return }
    let isOwn = event.actor.member == observer
    var parts: StateParts = []
    if touched.contains(.globalState) { parts.insert(.globalState) }
    if touched.contains(.roster) { parts.insert(.roomMembers) }
    if touched.contains(.stores) { parts.insert(.stores) }
    if changesHistory(touched, isOwn, in: state) { parts.insert(.history) }
    if touched.contains(.memberState) { parts.formUnion(memberParts(of: event.actor, isOwn, in: state)) }
    if touched.contains(.currentScene) || changesContext(event, touched, in: state) {
      parts.formUnion(.scene)
    }
    parts.formUnion(viewParts(event, touched, isOwn, in: state))
    if isOwn { own.formUnion(parts) } else { remote.formUnion(parts) }
  }

  private func changesHistory(_ touched: RoomParts, _ isOwn: Bool, in state: RoomState) -> Bool {
    if touched.contains(isOwn ? .history : .struck) { return true }
    return touched.contains(.currentScene) && state.histories[observer] != nil
  }

  private func memberParts(of actor: Actor, _ isOwn: Bool, in state: RoomState) -> StateParts {
    let isListed = actor.member.flatMap { state.members[$0]?.writable } ?? false
    let own: StateParts = isOwn ? .memberState : []
    return isListed ? own.union(.roomMembers) : own
  }

  /// The scene state shows the pages of one directory (RS-4).
  private func changesContext(_ event: RoomEvent, _ touched: RoomParts, in state: RoomState) -> Bool {
    guard touched.contains(.scenes) else { return false }
    guard case .scenes(.put(let put)) = event.event else { return true }
    return state.scene(state.currentScene)?.directory == put.directory
  }

  private func viewParts(
    _ event: RoomEvent, _ touched: RoomParts, _ isOwn: Bool, in state: RoomState
  ) -> StateParts {
    let isFollower = state.members[observer]?.viewMode == .follower
    var parts: StateParts = []
    if changesBroadcast(event, touched, isOwn) {
      parts.insert(.broadcastState)
      if isFollower, state.broadcaster.flatMap({ state.members[$0]?.camera }) != nil {
        parts.formUnion(.view)
      }
    }
    if touched.contains(.camera), isOwn || (isFollower && event.actor.member == state.broadcaster) {
      parts.formUnion(.view)
    }
    return parts
  }

  /// The broadcast state is who broadcasts and the observer's own mode (RS-6).
  private func changesBroadcast(_ event: RoomEvent, _ touched: RoomParts, _ isOwn: Bool) -> Bool {
    if touched.contains(.broadcaster) { return true }
    return touched.contains(.viewModes) && (isOwn || event.event == .members(.viewMode(.broadcaster)))
  }

  /// What to tell (CB-11, CB-12): others' changes always, one's own those that echo, or all of them with
  /// `onlyCallbackRemoteStateModify` off. Empty: nothing is told (CB-5).
  public func told(onlyRemote: Bool = true) -> StateParts {
    remote.union(onlyRemote ? own.intersection(.echoed) : own)
  }

  /// Forgets all: it has been told.
  public mutating func clear() {
    remote = []
    own = []
  }

  /// What differs between two states, as after a snapshot. Who did it is not known; a member's own state is
  /// the observer's own work, all else counts as others'.
  public static func between(
    _ old: RoomState, _ new: RoomState, for observer: MemberID
  ) -> StateDelta {
    var delta = StateDelta(for: observer)
    if old.globalState != new.globalState { delta.remote.insert(.globalState) }
    if old.listing != new.listing { delta.remote.insert(.roomMembers) }
    let (was, isNow) = (old.members[observer], new.members[observer])
    if was?.state != isNow?.state { delta.own.insert(.memberState) }
    if old.currentScene != new.currentScene || old.contextPages != new.contextPages {
      delta.remote.formUnion(.scene)
    }
    if old.broadcaster != new.broadcaster || was?.viewMode != isNow?.viewMode {
      delta.remote.insert(.broadcastState)
    }
    if old.stores != new.stores { delta.remote.insert(.stores) }
    if old.undoSteps(of: observer) != new.undoSteps(of: observer)
      || old.redoSteps(of: observer) != new.redoSteps(of: observer)
    {
      delta.remote.insert(.history)
    }
    if old.view(of: observer) != new.view(of: observer) { delta.remote.formUnion(.view) }
    return delta
  }
}

/// A member as the others see it.
private struct ListedMember: Hashable {
  var id: MemberID
  var payload: JSONText?
  var state: [String: JSONText]
}

extension RoomState {
  /// The listed members: those who may write (PARITY rows RM, W-4).
  public var listedMembers: [Member] { roster.filter(\.writable) }

  fileprivate var listing: [ListedMember] {
    listedMembers.map { ListedMember(id: $0.id, payload: $0.payload, state: $0.state) }
  }

  /// The camera that a member looks through: the broadcaster's while it follows.
  public func view(of member: MemberID) -> Camera? {
    switch members[member]?.viewMode {
    case .follower: broadcaster.flatMap { members[$0]?.camera }
    case .freedom, .broadcaster: members[member]?.camera
    case nil: nil
    }
  }
}
