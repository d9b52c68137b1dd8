import BoardroomCodec
import BoardroomModel
import EventLogModel

/// The phase of a room's connection.
public typealias WhiteRoomPhase = RoomPhase
/// How a member looks at the board: freely, as the broadcaster, or as one who follows.
public typealias WhiteViewMode = ViewMode
/// The number of an element: its author and the author's count.
public typealias WhiteElementID = ElementID

/// What a room shows of its state. In `WhiteRoom.state` every part is set; in `fireRoomStateChanged` only
/// those that changed.
public struct WhiteRoomState: Sendable, Hashable {
  /// By top-level key, each value as the JSON that its author sent.
  public var globalState: [String: JSONText]?
  /// One's own.
  public var memberState: WhiteMemberState?
  /// Those who may write, in the order of their coming.
  public var roomMembers: [WhiteRoomMember]?
  /// The own scene; nil if it did not change.
  public var sceneState: WhiteSceneState?
  /// The own page; nil if it did not change.
  public var pageState: WhitePageState?
  /// Who broadcasts; nil if it did not change.
  public var broadcastState: WhiteBroadcastState?
  /// The own camera; nil if it did not change.
  public var cameraState: WhiteCameraState?

  /// Makes a state in which nothing changed.
  public init() {}

  /// The scale of `cameraState`.
  public var zoomScale: Double? { cameraState?.scale }

  /// A delta without parts is not delivered (CB-5).
  public var isEmpty: Bool { self == WhiteRoomState() }
}

/// A member who may write, as all see it.
public struct WhiteRoomMember: Sendable, Hashable {
  /// From 0, rising, never used again; the `authorId` of the member's events.
  public var memberId: UInt64
  /// The stay's number, as text. It is another one after each join.
  public var session: String
  /// The app's own name of the user; nil if the join gave none.
  public var uid: String?
  /// What the join gave as `userPayload`.
  public var payload: JSONText?
  /// What the member draws with.
  public var memberState: WhiteMemberState
  /// Whether the server hears the member. Changes of it alone are told only if asked for
  /// (`WhiteRoomConfig.showsMemberPresence`).
  public var isReconnecting: Bool
}

/// The background of a page that comes from a presentation (RS-5).
public struct WhitePptPage: Sendable, Hashable {
  /// Of the picture.
  public var src: String
  /// In pixels of the board.
  public var width: Double
  /// In pixels of the board.
  public var height: Double
  /// The address of a small picture of the page; nil if there is none.
  public var previewURL: String?
  /// How many steps its animation has; nil: it stands still (SC-13).
  public var steps: Int?

  /// Makes a page of a presentation. `steps`: how many there are on it; nil: none.
  public init(src: String, width: Double, height: Double, previewURL: String? = nil, steps: Int? = nil) {
    (self.src, self.width, self.height, self.previewURL) = (src, width, height, previewURL)
    self.steps = steps
  }

  /// Nil if the JSON has no source.
  public init?(_ ppt: JSONText) {
    guard let value = try? JSONValue(ppt), let src = value["src"]?.string else { return nil }
    self.init(
      src: src, width: value["width"]?.double ?? 0, height: value["height"]?.double ?? 0,
      previewURL: value["previewURL"]?.string, steps: value["steps"]?.int)
  }

  /// The page as the JSON that the protocol carries.
  public var json: JSONText {
    var fields: [(String, JSONValue)] = [
      ("src", .string(src)), ("width", JSONValue(width)), ("height", JSONValue(height)),
    ]
    if let previewURL { fields.append(("previewURL", .string(previewURL))) }
    if let steps { fields.append(("steps", JSONValue(steps))) }
    return JSONValue.object(fields).text
  }
}

/// A page (RS-5).
public struct WhiteScene: Sendable, Hashable {
  /// The scene's name in its folder.
  public var name: String
  /// src, width, height, previewURL and whatever else was put, as JSON.
  public var ppt: JSONText?
  /// Where a dynamic ppt stands, from 0 (SC-13); read only.
  public internal(set) var pptStep = 0
  /// Always 0, as in the newer versions of the source system; `getElements` tells what is on a page.
  public var componentsCount: Int { 0 }
  /// `ppt` by its fields.
  public var page: WhitePptPage? { ppt.flatMap { WhitePptPage($0) } }

  /// Makes a scene; `ppt` is the JSON of a page of a presentation.
  public init(name: String, ppt: JSONText? = nil) {
    self.name = name
    self.ppt = ppt
  }

  /// Makes a scene with a page of a presentation.
  public init(name: String, page: WhitePptPage) { self.init(name: name, ppt: page.json) }

  init(_ scene: Scene) {
    self.init(name: scene.name, ppt: scene.ppt)
    pptStep = scene.pptStep
  }
}

/// The scene that a member sees, and the scenes beside it.
public struct WhiteSceneState: Sendable, Hashable {
  /// The current page.
  public var scenePath: String
  /// The last part of the scene's path.
  public var sceneName: String
  /// The directory that it is in.
  public var contextPath: String
  /// Its place among the pages of the directory.
  public var index: Int
  /// The scenes of the same folder, in their order.
  public var scenes: [WhiteScene]

  static let empty = WhiteSceneState(
    scenePath: "", sceneName: "", contextPath: "/", index: 0, scenes: [])
}

/// Where a page stands among those of its folder.
public struct WhitePageState: Sendable, Hashable {
  /// From 0.
  public var index: Int
  /// How many pages there are in the folder.
  public var length: Int

  /// Makes a page state.
  public init(index: Int, length: Int) {
    self.index = index
    self.length = length
  }
}

/// Who broadcasts, and how this member looks at the board.
public struct WhiteBroadcastState: Sendable, Hashable {
  /// The member whose camera others follow.
  public struct Broadcaster: Sendable, Hashable {
    /// The member's number in the room.
    public var id: UInt64
    /// What the join gave as `userPayload`.
    public var payload: JSONText?
  }
  /// One's own mode.
  public var mode: WhiteViewMode
  /// The broadcaster's number; nil: nobody broadcasts.
  public var broadcasterId: UInt64?
  /// The broadcaster; nil: nobody broadcasts.
  public var broadcasterInformation: Broadcaster?

  static let empty = WhiteBroadcastState(mode: .freedom)
}

/// The place and the scale of a camera.
public struct WhiteCameraState: Sendable, Hashable {
  /// In pixels of the board; the origin is its centre, x to the right, y down.
  public var centerX: Double
  /// The vertical place of the middle, in pixels of the board.
  public var centerY: Double
  /// 1 shows the board as it is.
  public var scale: Double
  /// Of the view that this app shows the board in, where it told (`refreshViewSize`); nobody else sees it.
  public internal(set) var width: Double?
  /// The height of what is seen, in pixels of the screen; nil if it is not known.
  public internal(set) var height: Double?

  /// Makes a camera.
  public init(centerX: Double, centerY: Double, scale: Double) {
    self.centerX = centerX
    self.centerY = centerY
    self.scale = scale
  }

  /// Where a member looks that never moved its camera.
  public static let initial = WhiteCameraState(centerX: 0, centerY: 0, scale: 1)
}

/// A custom event (ME-1).
public struct WhiteEvent: Sendable, Hashable {
  /// Where an event comes from: `system` from the server, `custom` from a member. The others do not occur; they are
  /// kept for apps that switch over them.
  public enum Scope: String, Sendable, Hashable { case system, app, custom, magix }
  /// The `authorId` of events of the server (ME-3): no member ever has it.
  public static let administrator = UInt64.max
  /// The name under which it was sent.
  public var eventName: String
  /// What was sent, as JSON.
  public var payload: JSONText
  /// The room.
  public var uuid: String
  /// Who sent it.
  public var scope: Scope
  /// The member that dispatched it, or `administrator`.
  public var authorId: UInt64
  /// Whether it was missed in an outage and comes later than it should (10.5).
  public var isLate: Bool
}

extension WhiteEvent {
  init(_ event: MagixEvent, in room: RoomID, by actor: Actor, isLate: Bool) {
    self.init(
      eventName: event.name, payload: event.payload, uuid: room.description,
      scope: actor == .server ? .system : .custom,
      authorId: actor.member?.rawValue ?? Self.administrator, isLate: isLate)
  }
}

/// Where another member's pointer is.
public struct WhitePointer: Sendable, Hashable {
  /// The member's number in the room.
  public var memberId: UInt64
  /// In pixels of the board.
  public var x: Double
  /// The vertical place, in pixels of the board.
  public var y: Double

  init(_ member: MemberID, _ move: PointerMove) {
    memberId = member.rawValue
    x = Double(move.x) * move.unit.pixels
    y = Double(move.y) * move.unit.pixels
  }
}
