import BoardroomCodec
import BoardroomModel
import BoardroomVersion
import Logging

/// How one SDK object reaches its server.
public struct WhiteSdkConfiguration: Sendable {
  /// Kept for apps that give one; the server does not ask for it.
  public var appIdentifier: String
  /// Where the server is: its one address, or those of several servers with the same rooms and keys.
  public var servers: EndpointList
  /// The first of `servers`. Setting it makes it the only one.
  public var endpoint: Endpoint {
    get { servers.first }
    set { servers = EndpointList(newValue) }
  }
  /// What the messages are encoded in. `json` is for looking at them.
  public var subprotocol: Subprotocol
  /// us-sv, sg, in-mum, gb-lon, cn-hz… kept and not used.
  public var region: String?
  /// Program and version, as the log will show them: `name/version`, up to 256 bytes.
  public var client: String
  /// Who may vouch for the server besides the system's own roots, where the endpoint is secure.
  public var trust: TrustRoots?
  /// Whether a lost connection comes back by itself. If not, every loss is the end of the room.
  public var reconnects = true
  /// How a connection is kept and got back.
  public var connection = ConnectionSettings.usual
  /// Takes what the SDK does on its connections (``ClientLog``); silent if the app gives none.
  public var logger = ClientLog.silent
  /// The least serious lines that the common callbacks object's `logger` gets; nil: none.
  public var logLevel: WhiteLogLine.Level? = .warning
  /// Whether `urlInterrupter` is asked before an image's address goes to the room.
  public var enableInterrupterAPI = false
  /// What is the app's own to honour or to ignore: the SDK draws nothing.
  public var view = WhiteSdkViewOptions()

  /// Makes a configuration; only the endpoint is needed.
  public init(
    appIdentifier: String = "", endpoint: Endpoint, subprotocol: Subprotocol = .binary,
    region: String? = nil, client: String = WhiteSDK.standardClient, trust: TrustRoots? = nil
  ) {
    self.init(
      appIdentifier: appIdentifier, servers: EndpointList(endpoint), subprotocol: subprotocol,
      region: region, client: client, trust: trust)
  }

  /// The same for several servers that have the same rooms and keys.
  public init(
    appIdentifier: String = "", servers: EndpointList, subprotocol: Subprotocol = .binary,
    region: String? = nil, client: String = WhiteSDK.standardClient, trust: TrustRoots? = nil
  ) {
    self.appIdentifier = appIdentifier
    self.servers = servers
    self.subprotocol = subprotocol
    self.region = region
    self.client = client
    self.trust = trust
  }
}

extension WhiteSDK {
  /// The version of this SDK, which is that of the whole product.
  public static let version = ProductVersion.current
  /// The name and version by which the SDK is known to a server if the app gives no other.
  public static let standardClient = "boardroom-swift/\(version)"
}

/// Options of the source system's SDK that concern its view, kept for the app's own view to read.
public struct WhiteSdkViewOptions: Sendable, Hashable {
  /// Whether cursors of others are shown; `getPointers` and `firePointerMoved` tell where they are.
  public var userCursor = false
  /// It is kept and not used: the SDK has no windows.
  public var useMultiViews = false
  /// SyncedStores are always there.
  public var enableSyncedStore = true
  /// Makes the source system's defaults.
  public init() {}
}

/// What a read-only member's attempt to write comes to, besides its refusal (W-3).
public enum WhiteReadonlyErrorLevel: String, Sendable, Hashable, CaseIterable {
  /// `throwError` of the common callbacks object hears of it, if nobody waits for the answer.
  case `throw`
  /// `logger` does instead.
  case warn
  /// Only whoever waits for the answer does.
  case ignore
}

/// What a join asks for (PARITY rows JO, SO). Read at the join; changing it later has no effect.
public struct WhiteRoomConfig: Sendable {
  /// The room's uuid, as the server gave it.
  public var uuid: String
  /// A token of the room.
  public var roomToken: String
  /// The app's own name of the user, up to 1,024 bytes.
  public var uid: String?
  /// Any JSON; everyone in the room sees it and it cannot change later.
  public var userPayload: JSONValue?
  /// Whether the member joins to write. False: it only looks.
  public var isWritable = true
  /// How long the join, and each outage, may take (P-21, X-52).
  public var timeout: Duration = .seconds(45)
  /// Whether own changes stay without `fireRoomStateChanged`, apart from those of PARITY rows EC (CB-12).
  public var onlyCallbackRemoteStateModify = true
  /// Whether magix events go out one in 75 ms, or as fast as they are dispatched (ME-10).
  public var isMagixEventLimitEnabled = true
  /// us-sv, sg, in-mum, gb-lon, cn-hz… kept and not used.
  public var region: String?
  /// For how many pages a history is asked for, once serialization is enabled (EL-7). 10, and at most what the
  /// operator allows (20 as a rule).
  public var undoCacheScenesCount = usualUndoScenes
  /// The source system's number of pages with a history.
  public static let usualUndoScenes = 10
  /// Whether a read-only member's magix events and member state are told to `throwError` even where somebody
  /// waits for the answer (W-3).
  public var enableWritableAssert = false
  /// What a read-only member's attempt to write comes to, besides its refusal (W-3).
  public var rejectWhenReadonlyErrorLevel = WhiteReadonlyErrorLevel.throw
  /// Whether own commands are shown before the log has them, and taken back if they are refused. Without it
  /// `state` and the board show what the log holds and nothing else.
  public var optimistic = true
  /// Whether `erase` and `deleteSelection` take images (EL-3), from the beginning; `setImageErasing(enabled:)` changes it.
  public var isImageErasingEnabled = true
  /// Whether this member can put and change text (EL-5), from the beginning; `setTextEditing(enabled:)` changes it.
  public var isTextEditingEnabled = true
  /// Where the camera may look from the beginning (CA-2); nil: anywhere.
  public var cameraBound: WhiteCameraBound?
  /// What is the app's own to honour or to ignore: the SDK has no view and no input devices.
  public var view = WhiteRoomViewOptions()
  /// Whether others' going silent and coming back shows as a change of `roomMembers` (complaint 3).
  public var showsMemberPresence = false

  /// Whether commands that are given while the connection is away wait for its return, up to `awayCommandLimit` of them and
  /// `awayByteLimit` bytes; one more fails with `tooMany`. They are shown at once, sent in their order when the session goes on,
  /// and done once; if the server has let the session go meanwhile, they fail with `networkLost` and are not sent. Pointers and
  /// reactions do not wait. False: all of them fail at once with `notConnected`.
  public var queuesWhileAway = true
  /// Whether `firePendingCommandsChanged` is called.
  public var tellsPendingCommands = false

  /// Gives another token: `TokenRenewal.margin` before the room's ends, where its text says when that is, and when an attempt to
  /// come back is refused because it has ended. Asked at most once in `tokenPause`, and not while it has not answered. An outage
  /// goes on meanwhile, up to `timeout`. What it throws ends nothing: it is asked again when half of the time that is left has
  /// passed, and at the next refusal. Nil: such a refusal is the end of the room.
  public var tokenProvider: (@Sendable () async throws -> String)?
  /// The least time between two questions to `tokenProvider`: a provider that gives tokens which have ended is not asked
  /// without a pause.
  public static let tokenPause = TokenRenewal.pause

  /// Makes a configuration for a room and its token.
  public init(uuid: String, roomToken: String, uid: String? = nil, userPayload: JSONValue? = nil) {
    self.uuid = uuid
    self.roomToken = roomToken
    self.uid = uid
    self.userPayload = userPayload
  }
}

/// Join options of the source system that concern its view and where its scripts come from: kept, and readable in
/// `WhiteRoom.options`, for the app's own view.
public struct WhiteRoomViewOptions: Sendable, Hashable {
  /// Whether the app's view takes touches, mouse and keys.
  public var isDeviceInputEnabled = true
  /// Whether gestures in the app's view move the camera.
  public var isCameraTransformEnabled = true
  /// Whether the app's view draws strokes with curves.
  public var isBezierEnabled = true
  /// Whether the app's view draws with the newer pencil.
  public var isNewPencilEnabled = true
  /// Whether the app's view shows a bar at what is selected.
  public var floatBar = false
  /// Whether the app's view draws for a stylus only, and fingers move the paper.
  public var drawOnlyApplePencil = false
  /// Keys of the app's view, by what they do.
  public var hotKeys: [String: String] = [:]
  /// Options of windows, as JSON.
  public var windowParams: JSONText?
  /// Options of tools that are plugins, as JSON.
  public var appliancePluginOptions: JSONText?
  /// It is kept and not used: the SDK loads no modules.
  public var modulesOrigin: String?
  /// They are kept and not used: the endpoint says where the server is.
  public var apiHosts: [String] = []
  /// Makes the source system's defaults.
  public init() {}
}
