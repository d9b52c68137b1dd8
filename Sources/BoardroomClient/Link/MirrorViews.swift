import BoardroomCore
import BoardroomModel
import EventLogModel

// What of a room's state an app is shown, and how coordinates are counted.

extension RoomState {
  /// Writable members are listed, others are not (PARITY rows RM).
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
      scenes: pages.map(WhiteScene.init))
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
  func cameraState(for member: Member?, in size: WhiteSize? = nil) -> WhiteCameraState {
    let leader = member?.viewMode == .follower ? broadcaster.flatMap { members[$0] } : nil
    var camera = (leader ?? member)?.camera.map(WhiteCameraState.init) ?? .initial
    camera.width = size?.width
    camera.height = size?.height
    return camera
  }

  /// All of it, as `WhiteRoom.state` has it.
  func whiteState(for member: Member?, in size: WhiteSize?) -> WhiteRoomState {
    var state = WhiteRoomState()
    state.globalState = globalState
    state.memberState = WhiteMemberState(member?.state ?? [:])
    state.roomMembers = listedMembers
    state.sceneState = sceneState
    state.pageState = pageState
    state.broadcastState = broadcastState(for: member)
    state.cameraState = cameraState(for: member, in: size)
    return state
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
  static let unit: Int8 = -4

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
