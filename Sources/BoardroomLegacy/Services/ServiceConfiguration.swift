import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import Logging

/// How RTC, RTM and Signaling reach their server. One for all three.
public struct ServiceConfiguration: Sendable {
  /// The application, as its developers call it: visible ASCII, not empty. The server does not ask for it; its tokens
  /// say whose they are.
  public var appId: String
  /// Where the server is: its one address, or those of several servers with the same keys.
  public var servers: EndpointList
  /// The first of `servers`. Setting it makes it the only one.
  public var endpoint: Endpoint {
    get { servers.first }
    set { servers = EndpointList(newValue) }
  }
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
  /// Gives another token for an account (of RTC: the uid as text): `TokenRenewal.margin` before the present one ends, where its
  /// text says when that is, and when an attempt to come back is refused because it has ended, which then is no end of the
  /// login. Asked at most once in `TokenRenewal.pause`, and not while it has not answered; what it throws ends nothing. The app may
  /// call `renewToken` all the same. Nil: the app is told, where the service does so, and renews by itself.
  public var tokenProvider: (@Sendable (_ account: String) async throws -> String)?
  /// How connections are kept and got back.
  public var connection = ConnectionSettings.usual
  /// Takes what the clients do on their connections (`ClientLog`); silent if the app gives none.
  public var logger = ClientLog.silent
  /// Hears why an attempt to reach the server came to nothing, of logins and channels, on the client's context. The codes of the
  /// three faces have no place for that.
  public var attemptFailed: (@Sendable (ConnectionFailure) -> Void)?

  /// Makes a configuration; the application's name and the endpoint are needed.
  public init(
    appId: String, endpoint: Endpoint, subprotocol: Subprotocol = .binary,
    client: String = WhiteSDK.standardClient, trust: TrustRoots? = nil, stays: (any StayKeeper)? = nil
  ) {
    self.init(
      appId: appId, servers: EndpointList(endpoint), subprotocol: subprotocol, client: client,
      trust: trust, stays: stays)
  }

  /// The same for several servers that have the same keys.
  public init(
    appId: String, servers: EndpointList, subprotocol: Subprotocol = .binary,
    client: String = WhiteSDK.standardClient, trust: TrustRoots? = nil, stays: (any StayKeeper)? = nil
  ) {
    self.appId = appId
    self.servers = servers
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
    var policy = policy
    // The login asks for all its channels; each of them waits for the other token.
    if configuration.tokenProvider != nil { policy.outlivesToken = true }
    var tokenProvider: (@Sendable () async throws -> String)?
    if let provider = configuration.tokenProvider, place.service == .rtc || place.channel == nil {
      tokenProvider = { [account = place.account] in try await provider(account) }
    }
    let settings = LinkSettings(
      configuration.servers, hello, policy: policy, connection: configuration.connection,
      stays: configuration.stays, endsWithToken: place.service == .signaling && place.channel == nil,
      tokenProvider: tokenProvider, logger: configuration.logger, attemptFailed: configuration.attemptFailed)
    return SpaceLink(settings, on: self, onNews: onNews)
  }
}
