import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import BoardroomWeb
import EventLogModel
import HTTPTypes
import Hummingbird

/// The HTTP interface (PARITY rows RE, RES, and routes for operators): everything that answers need, and the
/// table of all routes.
package struct RestRoutes: Sendable {
  package let engine: RoomServerEngine
  let keys: KeyRing
  let registry: RoomRegistry
  let history: RoomHistory
  let emptyings: EmptyTimeIndex
  package let health: any Readiness
  let pictures: PictureQueue
  let images: ImageStore
  let bans: BanService
  /// The largest image, in bytes.
  let largestImage: Int
  let blockFormat: (any BlockFileFormat)?
  package let page: PageResponder
  /// Whether anyone may enter any room.
  let isOpen: Bool
  /// Whether this port shows measurements to this machine without a token.
  let showsMetrics: Bool
  /// Counts an answer by its status, and how long it took to make.
  package let answered: @Sendable (Int, Duration) -> Void
  let facts: ServerFacts
  /// Counts an image that was found damaged.
  let damagedImage: @Sendable () -> Void
  /// The text of `/metrics`.
  let measurements: @Sendable () async -> String

  var now: Timestamp { engine.clock() }

  /// The proxies that are believed when they name a request's client.
  var proxies = ProxyList()
  /// The data folder.
  let data: String
  /// The identity of the store; empty for one in memory.
  let storeIdentity: String
  /// Decides what a request may do, instead of the keys; nil: the keys do.
  package var gate: AskingGate?
  /// How far each endpoint of webhooks was told, where that is kept for all nodes; nil: in files.
  package var sharedCursors: (@Sendable () async throws -> [String: [RoomID: Cursor]])?
  /// Passes requests on to other nodes; nil: there are none.
  package var forwarder: (any RequestForwarder)?
  /// Answers what other nodes ask; nil: there are none.
  package var receiver: (any QuestionReceiver)?
  /// Whether a node's start is alive, as this node has seen it in the database; nil: it does not know.
  package var isLivingNode: @Sendable (Int64) -> Bool? = { _ in nil }

  package init(
    engine: RoomServerEngine, keys: KeyRing, registry: RoomRegistry, history: RoomHistory,
    emptyings: EmptyTimeIndex, health: any Readiness, pictures: PictureQueue, images: ImageStore,
    bans: BanService,
    largestImage: Int, blockFormat: (any BlockFileFormat)? = nil, page: PageResponder, isOpen: Bool,
    showsMetrics: Bool, answered: @escaping @Sendable (Int, Duration) -> Void, facts: ServerFacts,
    damagedImage: @escaping @Sendable () -> Void, measurements: @escaping @Sendable () async -> String,
    proxies: ProxyList = ProxyList(), data: String = "", storeIdentity: String = ""
  ) {
    self.engine = engine
    self.keys = keys
    self.registry = registry
    self.history = history
    self.emptyings = emptyings
    self.health = health
    self.pictures = pictures
    self.images = images
    self.bans = bans
    self.largestImage = largestImage
    self.blockFormat = blockFormat
    self.page = page
    self.isOpen = isOpen
    self.showsMetrics = showsMetrics
    self.answered = answered
    self.facts = facts
    self.damagedImage = damagedImage
    self.measurements = measurements
    self.proxies = proxies
    self.data = data
    self.storeIdentity = storeIdentity
  }

  /// Every address there is.
  static let table: [Route] =
    operatorRoutes + pageRoutes + roomRoutes + sceneRoutes + pictureRoutes + imageRoutes + memberRoutes
    + eventRoutes
    + historyRoutes + replayRoutes + tokenRoutes + banRoutes + roomBanRoutes + spaceRoutes + storeRoutes
    + keptRoutes + trimRoutes + nodeRoutes

  /// Whether an address is one of this interface's, whatever the method: all below `/v1` and `/v5`, so that a later
  /// version can have new ones, and those of the table.
  ///
  /// - Parameter withPage: whether those of the page count, too.
  package static func owns(_ path: String, withPage: Bool) -> Bool {
    if ["/v1", "/v5"].contains(where: { path == $0 || path.hasPrefix($0 + "/") }) { return true }
    return (operatorRoutes + (withPage ? pageRoutes : [])).contains { $0.matches(path) }
  }

  package func addRoutes(to router: Router<RestContext>) {
    for route in Self.table {
      let path = RouterPath(String(route.path.dropFirst()))
      router.on(path, method: route.method) { try await answer($0, $1, by: route) }
    }
  }

  private func answer(_ request: Request, _ context: RestContext, by route: Route) async throws -> Response {
    var context = context
    context.sender = try forwarder?.sender(of: request)
    let room = route.path.contains("{uuid}") ? try context.room() : nil
    var token: AccessToken?
    if let action = route.action {
      token = try await admit(request, context, to: Permission(action, room: room))
    }
    if !route.isOpenToBanned { try refuseBanned(request, context, token, room) }
    var call = RestCall(request: request, context: context, token: token)
    if let answer = try await ownersAnswer(to: &call, by: route) { return answer }
    if let room { try await registry.refuseSpace(room) }
    return try await route.handle(self, call)
  }

  /// The token of the request's header, or what the gatekeeper makes of it. Throws if it does not allow the action.
  @discardableResult
  func admit(
    _ request: Request, _ context: RestContext, to permission: Permission
  ) async throws -> AccessToken {
    if let gate {
      return try await gate.token(
        for: AccessRequest(
          credential: request.token ?? "", action: permission.action, room: permission.room,
          address: address(of: request, context), time: now))
    }
    guard let token = request.token else { throw TokenError.invalidFormat }
    return try keys.admit(token, for: permission, at: now)
  }

  /// The client's address, as the node that has passed the request on or the nearest proxy that is believed says it; nil
  /// where the connection has none.
  func address(of request: Request, _ context: RestContext) -> String? {
    if let sender = context.sender { return sender.client }
    return context.peer.map { proxies.client(of: $0, forwarded: request.headers[values: .forwardedFor]).text }
  }

  /// MOD-10: the only place where HTTP checks bans. SDK tokens of administrators pass, so that operators
  /// cannot shut themselves out.
  private func refuseBanned(
    _ request: Request, _ context: RestContext, _ token: AccessToken?, _ room: RoomID?
  ) throws(Refusal) {
    let token = token ?? shown(by: request)
    if let token, token.scope == .team, token.role == .admin { return }
    let visitor = Visitor(token, from: address(of: request, context))
    guard bans.index.answer(to: visitor, of: room, isJoin: false, at: now) == .open else {
      throw Refusal(.banned)
    }
  }

  /// The request's token if it is valid, on routes that do not ask for one.
  private func shown(by request: Request) -> AccessToken? {
    guard let text = request.token, let token = try? AccessToken(text, secret: keys.secret(of:)),
      !token.hasExpired(at: now)
    else { return nil }
    return token
  }

  static func unready(_ reason: Unreadiness) -> RestError {
    RestError(reason.refusal, status: .serviceUnavailable)
  }
}
