import BoardroomCore
import BoardroomModel
import EventLogModel

/// Parts of `WhiteRoomState`.
struct WhiteParts: OptionSet, Sendable {
  let rawValue: UInt8
  static let globalState = WhiteParts(rawValue: 1)
  static let memberState = WhiteParts(rawValue: 2)
  static let roomMembers = WhiteParts(rawValue: 4)
  static let scenes = WhiteParts(rawValue: 8)
  static let broadcast = WhiteParts(rawValue: 16)
  static let camera = WhiteParts(rawValue: 32)
  static let all: WhiteParts = [.globalState, .memberState, .roomMembers, .scenes, .broadcast, .camera]
}

/// The client's own copy of a room, and what of it the app has been shown.
struct Mirror {
  private(set) var state = RoomState()
  /// All parts, as they were at the last `flush`.
  private(set) var shown = WhiteRoomState()
  /// Who we are in the room.
  private(set) var me: MemberID?
  let echoesOwn: Bool
  let showsPresence: Bool
  /// Parts that may differ from `shown`, and those of them that the app is told of.
  private var changed: WhiteParts = []
  private var told: WhiteParts = []

  init(echoesOwn: Bool, showsPresence: Bool) {
    self.echoesOwn = echoesOwn
    self.showsPresence = showsPresence
  }

  var member: Member? { me.flatMap { state.members[$0] } }

  /// From here on we are this member. What a new member finds otherwise than the old one left it is told.
  mutating func become(_ member: MemberID) {
    guard me != member else { return }
    let isFirst = me == nil
    me = member
    changed = .all
    told = isFirst ? [] : .all
  }

  /// A snapshot takes the place of everything. Own memberState survives a resumed session, so it is not news.
  mutating func replace(with state: RoomState, isFirst: Bool) {
    self.state = state
    changed = .all
    if !isFirst { told.formUnion(.all.subtracting(.memberState)) }
  }

  /// Begins from nothing: the whole log follows.
  mutating func restart(isFirst: Bool) { replace(with: RoomState(), isFirst: isFirst) }

  mutating func apply(_ event: RoomEvent) -> Anomaly? {
    var touched: RoomParts = []
    let anomaly = state.apply(event, touching: &touched)
    if !touched.isEmpty { note(touched, isOwn: me != nil && event.actor.member == me) }
    return anomaly
  }

  /// The echo table (spec 2.4): which changes reach the app, and which only its cache.
  private mutating func note(_ touched: RoomParts, isOwn: Bool) {
    let isNews = !isOwn || echoesOwn
    if touched.contains(.globalState) { add(.globalState, tell: isNews) }
    if touched.contains(.memberState) {
      add(isOwn ? [.memberState, .roomMembers] : .roomMembers, tell: isNews)
    }
    if !touched.isDisjoint(with: [.roster, .writable]) { add(.roomMembers, tell: isNews) }
    if touched.contains(.phase) { add(.roomMembers, tell: showsPresence && !isOwn) }
    if !touched.isDisjoint(with: [.scenes, .currentScene, .created]) { add(.scenes, tell: true) }
    if !touched.isDisjoint(with: [.broadcaster, .viewModes]) { add([.broadcast, .camera], tell: true) }
    if touched.contains(.camera) { add(.camera, tell: true) }
  }

  private mutating func add(_ parts: WhiteParts, tell: Bool) {
    changed.formUnion(parts)
    if tell { told.formUnion(parts) }
  }

  /// Brings `shown` up to date. Nil if nothing differs; otherwise what the app is to be told, which may be
  /// empty (CB-5).
  mutating func flush() -> WhiteRoomState? {
    guard !changed.isEmpty else { return nil }
    let (parts, told) = (changed, told)
    changed = []
    self.told = []
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
    show(.camera, \.cameraState, state.cameraState(for: member))
    return differs ? delta : nil
  }
}

extension RoomState {
  /// Writable members are listed, others are not (spec 2.8).
  var listedMembers: [WhiteRoomMember] { roster.filter(\.writable).map(WhiteRoomMember.init) }

  private var currentPages: [Scene] {
    guard let current = scene(currentScene) else { return [] }
    return scenes.filter { $0.directory == current.directory }
  }

  var sceneState: WhiteSceneState {
    let current = scene(currentScene)
    let pages = currentPages
    return WhiteSceneState(
      scenePath: current?.path ?? "", sceneName: current?.name ?? "", contextPath: current?.directory ?? "/",
      index: pages.firstIndex { $0.id == currentScene } ?? 0,
      scenes: pages.map { WhiteScene(name: $0.name, ppt: $0.ppt) })
  }

  var pageState: WhitePageState {
    let pages = currentPages
    return WhitePageState(index: pages.firstIndex { $0.id == currentScene } ?? 0, length: pages.count)
  }

  func broadcastState(for member: Member?) -> WhiteBroadcastState {
    let leader = broadcaster.flatMap { members[$0] }
    return WhiteBroadcastState(
      mode: member?.viewMode ?? .freedom, broadcasterId: leader?.id.rawValue,
      broadcasterInformation: leader.map { .init(id: $0.id.rawValue, payload: $0.payload) })
  }

  /// One's own camera, or that of the broadcaster while following.
  func cameraState(for member: Member?) -> WhiteCameraState {
    let leader = member?.viewMode == .follower ? broadcaster.flatMap { members[$0] } : nil
    return (leader ?? member)?.camera.map(WhiteCameraState.init) ?? .initial
  }
}

extension WhiteRoomMember {
  init(_ member: Member) {
    memberId = member.id.rawValue
    session = member.session.description
    uid = member.uid
    payload = member.payload
    memberState = WhiteMemberState(member.state)
    isReconnecting = member.phase == .reconnecting
  }
}

extension WhiteCameraState {
  /// One is 65,536 in a camera event.
  private static let scaleUnit = 65_536.0
  /// Sixteenths of a pixel: finer than any screen shows.
  private static let unit: Int8 = -4

  init(_ camera: Camera) {
    let pixels = camera.unit.pixels
    self.init(
      centerX: Double(camera.x) * pixels, centerY: Double(camera.y) * pixels,
      scale: Double(camera.scale) / Self.scaleUnit)
  }

  var camera: Camera {
    Camera(
      unit: Self.unit, x: centerX.units(Self.unit), y: centerY.units(Self.unit),
      scale: UInt64(max(1, (scale * Self.scaleUnit).clamped)))
  }
}

extension Int8 {
  /// How many pixels one unit is: 2^unit.
  var pixels: Double { Double(sign: .plus, exponent: Int(self), significand: 1) }
}

extension Double {
  /// As an integer; what does not fit 2^52 is brought to it, what is no number is zero.
  var clamped: Int64 {
    guard isFinite else { return 0 }
    return Int64(Swift.min(Swift.max(rounded(), -0x1p52), 0x1p52))
  }

  func units(_ unit: Int8) -> Int64 { (self / unit.pixels).clamped }
}
