import BoardroomCore
import BoardroomModel
import EventLogModel

/// Folds a log and looks at every step of it: rules that hold always, whatever was decided and whoever decided it.
struct RoomWatch {
  private(set) var state = RoomState()
  private(set) var faults: [String] = []
  private var touches = TouchWatch()
  private let limit: Int

  init(limit: Int) { self.limit = limit }

  mutating func take(_ event: RoomEvent) {
    let before = state
    if let anomaly = state.apply(event) { fail("fit", event, anomaly.what) }
    if let member = event.actor.member, event.counter > 0 { checkAuthor(member, event, before) }
    if case .diagnostics(.refused) = event.event, !before.isSame(as: state) {
      fail("refused", event, "a refused command changed the state")
    }
    if before.scenes != state.scenes || before.currentScene != state.currentScene
      || before.elements.chunkVersions != state.elements.chunkVersions
    {
      checkScenes(event)
    }
    checkViews(event)
    checkBan(event, before)
    checkLimits(event, before)
    checkMembers(event, before)
    for fault in touches.take(event, before, state) { fail("undo", event, fault) }
  }

  private mutating func fail(_ rule: String, _ event: RoomEvent, _ what: String) {
    let kind = EventKind(rawValue: event.event.kind)?.name ?? "unknown"
    faults.append("\(rule): \(event.revision), \(kind) by \(event.actor): \(what)")
  }

  /// P-12, DEC-6: what others see, only writable members change; who may write, only administrators.
  private mutating func checkAuthor(_ member: MemberID, _ event: RoomEvent, _ before: RoomState) {
    guard let author = before.members[member] else { return fail("author", event, "is not in the room") }
    switch event.event {
    case .diagnostics(.refused), .diagnostics(.nothingChanged), .drawing(.camera),
      .diagnostics(.clientPhases), .history(.kept),
      .members(.writable(false)),
      .members(.viewMode(.freedom)),
      .members(.viewMode(.follower)), .moderation(.hand):
      return
    case .moderation(.writing), .moderation(.lock):
      if author.role != .admin { fail("MOD-5", event, "is no administrator") }
    case .members(.writable(true)):
      if author.role == .reader { fail("W-1", event, "a reader became writable") }
    default:
      if !author.writable { fail("P-12", event, "is read-only") }
    }
  }

  /// SC-7.
  private mutating func checkScenes(_ event: RoomEvent) {
    guard state.created != nil else { return }
    if state.scene(state.currentScene) == nil { fail("SC-7", event, "the current scene is not there") }
    if Set(state.scenes.map(\.path)).count != state.scenes.count {
      fail("SC-3", event, "a path is there twice")
    }
    if let stray = state.elements.places.first(where: { $0.map { state.scene($0.scene) == nil } ?? false }) {
      fail("SC-7", event, "element \(stray!.id) is on a scene that is not there")
    }
  }

  /// V-2, V-5, V-6.
  private mutating func checkViews(_ event: RoomEvent) {
    let modes = state.members.values.map(\.viewMode)
    let broadcasters = state.members.values.filter { $0.viewMode == .broadcaster }.map(\.id)
    if broadcasters != (state.broadcaster.map { [$0] } ?? []) {
      fail("V-2", event, "\(broadcasters) broadcast, and \(String(describing: state.broadcaster)) is said to")
    }
    if state.broadcaster == nil, modes.contains(.follower) { fail("V-5", event, "somebody follows nobody") }
    if let broadcaster = state.broadcaster, state.members[broadcaster]?.writable != true {
      fail("V-6", event, "a read-only member broadcasts")
    }
  }

  /// RE-4: into a banned room nobody comes, and nobody in it does anything.
  private mutating func checkBan(_ event: RoomEvent, _ before: RoomState) {
    guard before.isBanned else { return }
    switch event.event {
    case .members(.joined): fail("RE-4", event, "the room is banned")
    case .diagnostics(.refused), .members(.left), .members(.kicked), .room(.banned): break
    default: if event.actor != .server { fail("RE-4", event, "the room is banned") }
    }
  }

  /// Limits of the room: what comes has room, what goes always may.
  private mutating func checkLimits(_ event: RoomEvent, _ before: RoomState) {
    if let most = state.limits["elements"], state.elements.count > max(most, before.elements.count) {
      fail("limit", event, "\(state.elements.count) elements where \(most) may be")
    }
    if let most = state.limits["members"], most > 0, state.members.count > max(most, before.members.count) {
      fail("limit", event, "\(state.members.count) members where \(most) may be")
    }
  }

  /// W-1, W-5, and that no user is here twice.
  private mutating func checkMembers(_ event: RoomEvent, _ before: RoomState) {
    let uids = state.members.values.compactMap(\.uid)
    if Set(uids).count != uids.count { fail("SES-2", event, "a user is here twice") }
    if state.members.values.contains(where: { $0.role == .reader && $0.writable }) {
      fail("W-1", event, "a reader is writable")
    }
    if state.members.values.contains(where: { $0.writable && !state.mayWrite($0) }) {
      fail("MOD-6", event, "somebody writes who may not")
    }
    guard case .members(.joined(let joined)) = event.event, limit > 0, joined.role != .reader else { return }
    let writers = state.members.values.count { $0.role != .reader }
    if writers > limit { fail("W-5", event, "\(writers) writers where \(limit) may be") }
  }
}

extension RoomState {
  /// Whether only revision, time and counters differ.
  func isSame(as other: RoomState) -> Bool {
    guard members.count == other.members.count, elements == other.elements, scenes == other.scenes,
      globalState == other.globalState, stores == other.stores, histories == other.histories,
      limits == other.limits, isBanned == other.isBanned, isDeleted == other.isDeleted,
      currentScene == other.currentScene, broadcaster == other.broadcaster
    else { return false }
    return members.allSatisfy { id, member in
      guard var there = other.members[id] else { return false }
      (there.lastCounter, there.lastRevision) = (member.lastCounter, member.lastRevision)
      return there == member
    }
  }
}
