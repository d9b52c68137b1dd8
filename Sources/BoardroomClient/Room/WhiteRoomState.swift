import BoardroomCodec
import BoardroomModel
import EventLogModel

public typealias WhiteRoomPhase = RoomPhase
public typealias WhiteViewMode = ViewMode
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
  public var sceneState: WhiteSceneState?
  public var pageState: WhitePageState?
  public var broadcastState: WhiteBroadcastState?
  public var cameraState: WhiteCameraState?

  public init() {}

  /// The scale of `cameraState`.
  public var zoomScale: Double? { cameraState?.scale }

  /// A delta without parts is not delivered (CB-5).
  public var isEmpty: Bool { self == WhiteRoomState() }
}

public struct WhiteRoomMember: Sendable, Hashable {
  /// From 0, rising, never used again; the `authorId` of the member's events.
  public var memberId: UInt64
  public var session: String
  public var uid: String?
  public var payload: JSONText?
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
  public var height: Double
  public var previewURL: String?
  /// How many steps its animation has; nil: it stands still (SC-13).
  public var steps: Int?

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
  public var name: String
  /// src, width, height, previewURL and whatever else was put, as JSON.
  public var ppt: JSONText?
  /// Where a dynamic ppt stands, from 0 (SC-13); read only.
  public internal(set) var pptStep = 0
  /// Always 0, as in the newer versions of the source system; `getElements` tells what is on a page.
  public var componentsCount: Int { 0 }
  /// `ppt` by its fields.
  public var page: WhitePptPage? { ppt.flatMap { WhitePptPage($0) } }

  public init(name: String, ppt: JSONText? = nil) {
    self.name = name
    self.ppt = ppt
  }

  public init(name: String, page: WhitePptPage) { self.init(name: name, ppt: page.json) }

  init(_ scene: Scene) {
    self.init(name: scene.name, ppt: scene.ppt)
    pptStep = scene.pptStep
  }
}

public struct WhiteSceneState: Sendable, Hashable {
  /// The current page.
  public var scenePath: String
  public var sceneName: String
  /// The directory that it is in.
  public var contextPath: String
  /// Its place among the pages of the directory.
  public var index: Int
  public var scenes: [WhiteScene]

  static let empty = WhiteSceneState(
    scenePath: "", sceneName: "", contextPath: "/", index: 0, scenes: [])
}

public struct WhitePageState: Sendable, Hashable {
  public var index: Int
  public var length: Int

  public init(index: Int, length: Int) {
    self.index = index
    self.length = length
  }
}

public struct WhiteBroadcastState: Sendable, Hashable {
  public struct Broadcaster: Sendable, Hashable {
    public var id: UInt64
    public var payload: JSONText?
  }
  /// One's own mode.
  public var mode: WhiteViewMode
  public var broadcasterId: UInt64?
  public var broadcasterInformation: Broadcaster?

  static let empty = WhiteBroadcastState(mode: .freedom)
}

public struct WhiteCameraState: Sendable, Hashable {
  /// In pixels of the board; the origin is its centre, x to the right, y down.
  public var centerX: Double
  public var centerY: Double
  /// 1 shows the board as it is.
  public var scale: Double
  /// Of the view that this app shows the board in, where it told (`refreshViewSize`); nobody else sees it.
  public internal(set) var width: Double?
  public internal(set) var height: Double?

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
  public enum Scope: String, Sendable, Hashable { case system, app, custom, magix }
  /// The `authorId` of events of the server (ME-3): no member ever has it.
  public static let administrator = UInt64.max
  public var eventName: String
  public var payload: JSONText
  /// The room.
  public var uuid: String
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
  public var memberId: UInt64
  /// In pixels of the board.
  public var x: Double
  public var y: Double

  init(_ member: MemberID, _ move: PointerMove) {
    memberId = member.rawValue
    x = Double(move.x) * move.unit.pixels
    y = Double(move.y) * move.unit.pixels
  }
}
