import BoardroomCodec
import BoardroomModel

/// How one SDK object reaches its server.
public struct WhiteSdkConfiguration: Sendable {
  /// Kept for apps that give one; the server does not ask for it.
  public var appIdentifier: String
  public var endpoint: Endpoint
  /// What the messages are encoded in. `json` is for looking at them.
  public var subprotocol: Subprotocol
  /// us-sv, sg, in-mum, gb-lon, cn-hz… kept and not used.
  public var region: String?
  /// Program and version, as the log will show them.
  public var client: String
  /// Who may vouch for the server besides the system's own roots, where the endpoint is secure.
  public var trust: TrustRoots?

  public init(
    appIdentifier: String = "", endpoint: Endpoint, subprotocol: Subprotocol = .binary,
    region: String? = nil, client: String = "boardroom-swift/1", trust: TrustRoots? = nil
  ) {
    self.appIdentifier = appIdentifier
    self.endpoint = endpoint
    self.subprotocol = subprotocol
    self.region = region
    self.client = client
    self.trust = trust
  }
}

/// What a join asks for (spec 2.14). Read at the join; changing it later has no effect.
public struct WhiteRoomConfig: Sendable {
  public var uuid: String
  public var roomToken: String
  /// The app's own name of the user, up to 1,024 bytes.
  public var uid: String?
  /// Any JSON; everyone in the room sees it and it cannot change later.
  public var userPayload: JSONValue?
  public var isWritable = true
  /// How long the join, and each outage, may take (P-21, X-52).
  public var timeout: Duration = .seconds(45)
  /// Whether own changes stay without `fireRoomStateChanged`, apart from those of spec 2.4 (CB-12).
  public var onlyCallbackRemoteStateModify = true
  /// Whether magix events go out as fast as they are dispatched, not one in 75 ms (ME-10).
  public var disableMagixEventDispatchLimit = false
  /// Whether others' going silent and coming back shows as a change of `roomMembers` (complaint 3).
  public var showsMemberPresence = false

  public init(uuid: String, roomToken: String, uid: String? = nil, userPayload: JSONValue? = nil) {
    self.uuid = uuid
    self.roomToken = roomToken
    self.uid = uid
    self.userPayload = userPayload
  }
}
