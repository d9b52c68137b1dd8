import BoardroomCore
import BoardroomModel
import EventLogModel

/// Parts of what an app is shown: those of `WhiteRoomState`, and what it is told of beside it.
struct WhiteParts: OptionSet, Sendable {
  let rawValue: UInt16
  static let globalState = WhiteParts(rawValue: 1)
  static let memberState = WhiteParts(rawValue: 2)
  static let roomMembers = WhiteParts(rawValue: 4)
  static let scenes = WhiteParts(rawValue: 8)
  static let broadcast = WhiteParts(rawValue: 16)
  static let camera = WhiteParts(rawValue: 32)
  static let stores = WhiteParts(rawValue: 64)
  /// What can be undone and redone.
  static let steps = WhiteParts(rawValue: 128)
  static let elements = WhiteParts(rawValue: 256)
  static let all = WhiteParts(rawValue: 511)
  /// What comes back to the one who set it (CB-12, PARITY rows EC).
  static let echoed: WhiteParts = [.scenes, .broadcast, .camera]
}

extension WhiteParts {
  /// What events of a kind can change of it. That pens go up with a member's right to write, or with the member, is
  /// not counted: the state below says it.
  init(of kind: KindTraits) {
    let touches = kind.touches
    self = []
    func add(_ parts: WhiteParts, for causes: RoomParts) {
      if !touches.isDisjoint(with: causes) { formUnion(parts) }
    }
    let isDrawing = kind.family != .members && kind.family != .moderation
    if isDrawing { add(.elements, for: .elements) }
    add(.globalState, for: .globalState)
    add([.memberState, .roomMembers], for: .memberState)
    add(.roomMembers, for: [.roster, .writable, .phase])
    add(.scenes, for: [.scenes, .currentScene, .created])
    add([.broadcast, .camera], for: [.broadcaster, .viewModes])
    add(.camera, for: .camera)
    add(.stores, for: .stores)
    if isDrawing { add(.steps, for: [.history, .struck]) }
  }
}

/// The client's own copy of a room, and what of it the app has been shown.
struct Mirror {
  /// What the log says, as far as it has come and is not held back.
  private(set) var state = RoomState()
  private(set) var overlay = Overlay()
  /// All parts, as they were at the last `flush`.
  private(set) var shown = WhiteRoomState()
  private(set) var shownScenes: [Scene] = []
  private(set) var shownSteps = WhiteSteps()
  /// SyncedStores that the app is connected to, as they were shown.
  private(set) var shownStores: [String: [String: JSONText]] = [:]
  /// Who we are in the room.
  private(set) var me: MemberID?
  let echoesOwn: Bool
  let showsPresence: Bool
  let isOptimistic: Bool
  /// What the app shows the board in; only the app knows.
  var viewSize: WhiteSize? { didSet { add(.camera, tell: true) } }
  /// Parts that may differ from what was shown, and those of them that the app is told of.
  private var changed: WhiteParts = []
  private var told: WhiteParts = []

  init(echoesOwn: Bool, showsPresence: Bool, isOptimistic: Bool = true) {
    self.echoesOwn = echoesOwn
    self.showsPresence = showsPresence
    self.isOptimistic = isOptimistic
  }

  var member: Member? { me.flatMap { state.members[$0] } }
  var limits: WireLimits {
    get { overlay.limits }
    set { overlay.limits = newValue }
  }

  // MARK: What comes in

  /// From here on we are this member. What a new member finds otherwise than the old one left it is told.
  mutating func become(_ member: MemberID) {
    guard me != member else { return }
    let isFirst = me == nil
    me = member
    overlay.clear()
    changed = .all
    told = isFirst ? [] : .all
  }

  /// A snapshot takes the place of everything. Own memberState survives a resumed session, so it is not news.
  mutating func replace(with state: RoomState, isFirst: Bool) {
    self.state = state
    overlay.removeFacts()
    changed = .all
    if !isFirst { told.formUnion(.all.subtracting(.memberState)) }
  }

  /// Begins from nothing: the whole log follows.
  mutating func restart(isFirst: Bool) { replace(with: RoomState(), isFirst: isFirst) }

  mutating func apply(_ event: RoomEvent) -> Anomaly? {
    let isOwn = me != nil && event.actor.member == me
    overlay.stateMoves()
    var touched: RoomParts = []
    let anomaly = state.apply(event, touching: &touched)
    switch isOwn ? overlay.settlePrediction(by: event) : nil {
    case .asShown:
      // What was shown already has not changed by becoming true.
      touched.remove(.elements)
    case .otherwise(let parts):
      noteOwn(parts, isTakenBack: event.event.isRefusal)
      add(overlay.stateMoved(touched), tell: true)
    case nil: add(overlay.stateMoved(touched), tell: true)
    }
    if !touched.isEmpty { note(touched, isOwn: isOwn) }
    return anomaly
  }

  /// Own changes are known to the app; what comes of a wish otherwise than it was shown is news if it is refused.
  private mutating func noteOwn(_ parts: WhiteParts, isTakenBack: Bool) {
    add(parts, tell: echoesOwn || isTakenBack)
    add(parts.intersection(.echoed), tell: true)
  }

  /// The echo table (PARITY rows EC): which changes reach the app, and which only its cache.
  private mutating func note(_ touched: RoomParts, isOwn: Bool) {
    let isNews = !isOwn || echoesOwn
    if touched.contains(.elements) { add(.elements, tell: true) }
    if touched.contains(.globalState) { add(.globalState, tell: isNews) }
    if touched.contains(.memberState) {
      add(isOwn ? [.memberState, .roomMembers] : .roomMembers, tell: isNews)
    }
    if !touched.isDisjoint(with: [.roster, .writable]) { add(.roomMembers, tell: isNews) }
    if touched.contains(.phase) { add(.roomMembers, tell: showsPresence && !isOwn) }
    if !touched.isDisjoint(with: [.scenes, .currentScene, .created]) { add([.scenes, .steps], tell: true) }
    if !touched.isDisjoint(with: [.broadcaster, .viewModes]) { add([.broadcast, .camera], tell: true) }
    if touched.contains(.camera) { add(.camera, tell: true) }
    if touched.contains(.stores) { add(.stores, tell: true) }
    if !touched.isDisjoint(with: [.history, .struck]) { add(.steps, tell: true) }
  }

  private mutating func add(_ parts: WhiteParts, tell: Bool) {
    changed.formUnion(parts)
    if tell { told.formUnion(parts) }
  }

  // MARK: What is on its way

  /// A command goes out: it is shown as if it were carried out already.
  mutating func predict(_ command: NumberedCommand) {
    guard isOptimistic else { return }
    noteOwn(overlay.add(command, over: state, by: me), isTakenBack: false)
  }

  /// An event of one's own is known but held back.
  mutating func hold(_ event: RoomEvent) {
    noteOwn(overlay.hold(event), isTakenBack: event.event.isRefusal)
  }

  /// What was shown is taken back, and the app is told.
  mutating func takeBack(_ counter: CommandCounter) { add(overlay.remove(counter), tell: true) }

  mutating func takeBackWishes(but kept: Set<CommandCounter> = []) {
    add(overlay.removeWishes(but: kept), tell: true)
  }

  mutating func renumber(_ old: [CommandCounter], to new: [CommandCounter]) {
    overlay.renumber(old, to: new)
  }

  // MARK: What is shown

  /// The room's parts with what is on its way; its board is not to be looked at.
  mutating func parts() -> RoomState { overlay.parts(over: state, by: me) }
  /// The whole room with what is on its way.
  mutating func board() -> RoomState { overlay.board(over: state, by: me) }

  /// Whether we may write, as far as the log says; nil while it does not know us.
  mutating func isWritable() -> Bool? {
    guard let me else { return nil }
    return overlay.hasFacts ? parts().members[me]?.writable : state.members[me]?.writable
  }

  /// Brings what is shown up to date.
  mutating func flush() -> MirrorUpdate {
    guard !changed.isEmpty else { return MirrorUpdate() }
    let (parts, told) = (changed, told)
    changed = []
    self.told = []
    let state = self.parts()
    var news = MirrorUpdate()
    news.elements = parts.contains(.elements)
    if parts.contains(.scenes) { news.scenes = show(\.shownScenes, state.scenes) }
    if parts.contains(.steps) { news.steps = show(\.shownSteps, steps) }
    if parts.contains(.stores) { news.stores = showStores(state.stores) }
    showState(state, parts, told, &news)
    return news
  }

  private mutating func show<Value: Equatable>(
    _ path: WritableKeyPath<Mirror, Value>, _ value: Value
  ) -> Value? {
    guard self[keyPath: path] != value else { return nil }
    self[keyPath: path] = value
    return value
  }

  /// Of what the log holds: undoing takes back what everybody has seen.
  private var steps: WhiteSteps {
    guard let me else { return WhiteSteps() }
    return WhiteSteps(undo: state.undoSteps(of: me), redo: state.redoSteps(of: me))
  }

  private mutating func showState(
    _ state: RoomState, _ parts: WhiteParts, _ told: WhiteParts, _ news: inout MirrorUpdate
  ) {
    let member = me.flatMap { state.members[$0] }
    var delta = WhiteRoomState()
    var differs = false
    func show<Part: Equatable>(
      _ part: WhiteParts, _ path: WritableKeyPath<WhiteRoomState, Part?>, _ value: @autoclosure () -> Part
    ) {
      guard parts.contains(part) else { return }
      let value = value()
      guard shown[keyPath: path] != value else { return }
      shown[keyPath: path] = value
      differs = true
      if told.contains(part) { delta[keyPath: path] = value }
    }
    show(.globalState, \.globalState, state.globalState)
    show(.memberState, \.memberState, WhiteMemberState(member?.state ?? [:]))
    show(.roomMembers, \.roomMembers, state.listedMembers)
    show(.scenes, \.sceneState, state.sceneState)
    show(.scenes, \.pageState, state.pageState)
    show(.broadcast, \.broadcastState, state.broadcastState(for: member))
    show(.camera, \.cameraState, state.cameraState(for: member, in: viewSize))
    if differs { news.state = delta }
  }

  // MARK: Stores

  /// The app is connected to a store from here on; gives what is in it.
  mutating func connectStore(_ name: String) -> [String: JSONText] {
    let fields = parts().stores[name] ?? [:]
    shownStores[name] = fields
    return fields
  }

  mutating func disconnectStore(_ name: String) { shownStores[name] = nil }

  private mutating func showStores(_ stores: [String: [String: JSONText]]) -> [StoreNews] {
    shownStores.keys.sorted().compactMap { name in
      let (before, after) = (shownStores[name] ?? [:], stores[name] ?? [:])
      guard before != after else { return nil }
      shownStores[name] = after
      return StoreNews(name: name, fields: after, changes: .init(from: before, to: after))
    }
  }
}

extension Mirror {
  /// What a flush has to tell; nothing where nothing differs.
  struct MirrorUpdate {
    /// Nil if no part differs; otherwise what the app is to be told, which may be empty (CB-5).
    var state: WhiteRoomState?
    var scenes: [Scene]?
    var steps: WhiteSteps?
    var stores: [StoreNews] = []
    var elements = false
  }
}

/// A store that the app is connected to looks otherwise.
package struct StoreNews: Sendable {
  var name: String
  var fields: [String: JSONText]
  var changes: [String: WhiteStoreChange]
}

/// How many steps of one's own can be taken on the current page.
package struct WhiteSteps: Sendable, Hashable {
  var undo = 0
  var redo = 0
}
