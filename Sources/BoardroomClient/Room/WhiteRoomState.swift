import BoardroomCodec
import BoardroomModel

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

public struct WhiteScene: Sendable, Hashable {
  public var name: String
  /// src, width, height, previewURL as JSON.
  public var ppt: JSONText?

  public init(name: String, ppt: JSONText? = nil) {
    self.name = name
    self.ppt = ppt
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
}

public struct WhitePageState: Sendable, Hashable {
  public var index: Int
  public var length: Int
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
}

public struct WhiteCameraState: Sendable, Hashable {
  /// In pixels of the board; the origin is its centre, x to the right, y down.
  public var centerX: Double
  public var centerY: Double
  /// 1 shows the board as it is.
  public var scale: Double

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
  public var eventName: String
  public var payload: JSONText
  /// The room.
  public var uuid: String
  public var scope: Scope
  /// The member that dispatched it; nil for the server.
  public var authorId: UInt64?
  /// Whether it was missed in an outage and comes later than it should (10.5).
  public var isLate: Bool
}
