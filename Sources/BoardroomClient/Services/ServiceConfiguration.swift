import BoardroomCodec
import BoardroomCore
import BoardroomModel

/// How RTC, RTM and Signaling reach their server. One for all three.
public struct ServiceConfiguration: Sendable {
  /// The application, as its developers call it: visible ASCII, not empty. The server does not ask for it; its tokens
  /// say whose they are.
  public var appId: String
  /// Where the server is.
  public var endpoint: Endpoint
  /// What the conversation is encoded in. `json` is for looking at it.
  public var subprotocol: Subprotocol
  /// Program and version, as the logs will show them.
  public var client: String
  /// Who may vouch for the server besides the system's own roots, where the endpoint is secure.
  public var trust: TrustRoots?
  /// Where stays are kept, so that a program that was killed comes back within the grace as who it was: it signs in and
  /// joins as always, and nobody else notices. What was told while it was not there is not told again. Nil: it comes back
  /// as another, which takes the first one's place.
  public var stays: (any StayKeeper)?

  /// Makes a configuration; the application's name and the endpoint are needed.
  public init(
    appId: String, endpoint: Endpoint, subprotocol: Subprotocol = .binary,
    client: String = "boardroom-swift/1", trust: TrustRoots? = nil, stays: (any StayKeeper)? = nil
  ) {
    self.appId = appId
    self.endpoint = endpoint
    self.subprotocol = subprotocol
    self.client = client
    self.trust = trust
    self.stays = stays
  }

  var hasGoodAppId: Bool { !appId.isEmpty && appId.utf8.allSatisfy { (0x21...0x7e).contains($0) } }
}

/// What a face stands on: its clock and order, its way to the server, its settings.
struct ServiceGround: Sendable {
  let configuration: ServiceConfiguration
  let context: any ClientContext
  let transport: any Transport

  init(_ configuration: ServiceConfiguration, context: any ClientContext, transport: any Transport) {
    self.configuration = configuration
    self.context = context
    self.transport = transport
  }

  /// Over WebSockets.
  init(_ configuration: ServiceConfiguration, _ callbackExecutor: CallbackExecutor) {
    let ground = callbackExecutor.ground(trust: configuration.trust)
    self.init(configuration, context: ground.context, transport: ground.transport)
  }

  func link(
    to place: Place, token: String, policy: ConnectionPolicy, onNews: @escaping (SpaceNews) -> Void
  ) -> SpaceLink {
    let hello = Hello(room: place.space.log, place: place, token: token, client: configuration.client)
    let settings = LinkSettings(
      endpoint: configuration.endpoint, hello: hello, policy: policy, echoesOwn: true, showsPresence: false,
      pacesMagix: false, isOptimistic: false, stays: configuration.stays)
    return SpaceLink(settings, on: self, onNews: onNews)
  }
}
