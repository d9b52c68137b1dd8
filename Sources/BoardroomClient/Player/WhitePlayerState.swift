import BoardroomCore
import BoardroomModel

/// Through whose eyes the board is looked at (RP-33).
public enum WhiteObserverMode: String, Sendable, Hashable, CaseIterable {
  /// The broadcaster's; if there is none, the writable member's with the lowest number; if there is none, the
  /// middle of the board at scale 1.
  case directory
  /// The app's own.
  case freedom
}

/// What a player shows. In `WhitePlayer.state` every part is set; in `playerStateChanged` only those that changed.
public struct WhitePlayerState: Sendable, Hashable {
  /// By top-level key, each value as the JSON that its author sent.
  public var globalState: [String: JSONText]?
  /// Those who could write, in the order of their coming.
  public var roomMembers: [WhiteRoomMember]?
  /// The scene that is shown; nil if it did not change.
  public var sceneState: WhiteSceneState?
  /// The page that is shown; nil if it did not change.
  public var pageState: WhitePageState?
  /// As `observerMode` has it.
  public var cameraState: WhiteCameraState?
  /// Whose camera is shown; nil if it did not change.
  public var observerMode: WhiteObserverMode?

  /// Makes a state in which nothing changed.
  public init() {}

  /// The scale of `cameraState`.
  public var zoomScale: Double? { cameraState?.scale }
  /// Whether nothing changed.
  public var isEmpty: Bool { self == WhitePlayerState() }
}

/// The player's copy of the room, and what of it the app has been shown.
struct PlayerMirror: Sendable {
  private(set) var state = RoomState()
  /// Nil before the first frame (RP-35).
  private(set) var shown: WhitePlayerState?
  private var touched: RoomParts = []
  private var observer = WhiteObserverMode.directory
  /// Where the app itself looks.
  private var camera = WhiteCameraState.initial
  var viewSize: WhiteSize? { didSet { touched.insert(.camera) } }
  var bound: WhiteCameraBound? { didSet { touched.insert(.camera) } }

  /// Says what did not fit, if anything.
  mutating func apply(_ event: RoomEvent) -> String? { state.apply(event, touching: &touched)?.what }

  mutating func replace(with state: RoomState) {
    self.state = state
    touched = RoomParts(rawValue: .max)
  }

  mutating func observe(_ mode: WhiteObserverMode) {
    if mode == .freedom, observer == .directory { camera = seen }
    observer = mode
    touched.formUnion([.camera, .viewModes])
  }

  /// A gesture of the user's, who looks freely from then on.
  mutating func look(at camera: WhiteCameraState) {
    observer = .freedom
    self.camera = camera
    touched.formUnion([.camera, .viewModes])
  }

  private var seen: WhiteCameraState {
    var camera = self.camera
    switch observer {
    case .freedom: break
    case .directory: camera = leader?.camera.map(WhiteCameraState.init) ?? .initial
    }
    camera = bound?.bounding(camera, in: viewSize) ?? camera
    camera.width = viewSize?.width
    camera.height = viewSize?.height
    return camera
  }

  private var leader: Member? {
    if let broadcaster = state.broadcaster.flatMap({ state.members[$0] }) { return broadcaster }
    return state.members.values.filter(\.writable).min { $0.id < $1.id }
  }

  /// Whether what is drawn looks otherwise than at the last `flush`.
  var boardHasChanged: Bool { touched.contains(.elements) }

  /// Brings what is shown up to date; gives what changed, if anything (RP-42).
  mutating func flush() -> WhitePlayerState? {
    let parts = touched
    touched = []
    guard !parts.isSubset(of: Self.unshown) || shown == nil else { return nil }
    var (full, delta) = (shown ?? WhitePlayerState(), WhitePlayerState())
    let isAll = shown == nil
    func show<Part: Equatable>(
      _ causes: RoomParts, _ path: WritableKeyPath<WhitePlayerState, Part?>, _ value: @autoclosure () -> Part
    ) {
      guard isAll || !parts.isDisjoint(with: causes) else { return }
      let value = value()
      guard full[keyPath: path] != value else { return }
      full[keyPath: path] = value
      delta[keyPath: path] = value
    }
    show(.globalState, \.globalState, state.globalState)
    show(Self.members, \.roomMembers, state.listedMembers)
    show(Self.pages, \.sceneState, state.sceneState)
    show(Self.pages, \.pageState, state.pageState)
    show(Self.views, \.cameraState, seen)
    show(.viewModes, \.observerMode, observer)
    shown = full
    return delta.isEmpty ? nil : delta
  }

  private static let unshown: RoomParts = [.elements, .pointer, .history, .struck, .limits, .closing, .bans]
  private static let members: RoomParts = [.roster, .memberState, .writable, .phase]
  private static let pages: RoomParts = [.created, .scenes, .currentScene]
  private static let views: RoomParts = [.camera, .broadcaster, .viewModes, .roster, .writable]
}
