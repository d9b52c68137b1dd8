import BoardroomCodec
import BoardroomModel
import EventLogModel
import HTTPTypes
import Hummingbird

/// The HTTP interface (specification 4.1 and 4.2, and what operators ask): what answers need, and the table of
/// all routes.
struct RestRoutes: Sendable {
  let engine: RoomServerEngine
  let keys: KeyRing
  let registry: RoomRegistry
  let history: RoomHistory
  let emptyings: EmptyingBook
  let health: ServerHealth
  let pictures: PictureDesk
  let images: ImageStore
  let bans: BanDesk
  /// One image, in bytes.
  let largestImage: Int
  let blockFormat: (any BlockFileFormat)?
  let page: PageDesk
  /// Whether anyone may enter any room.
  let isOpen: Bool
  /// The text of `/metrics`.
  let measurements: @Sendable () async -> String

  var now: Timestamp { engine.clock() }

  /// Every address there is.
  static let table: [Route] =
    operatorRoutes + pageRoutes + roomRoutes + sceneRoutes + pictureRoutes + imageRoutes + memberRoutes
    + eventRoutes
    + historyRoutes + replayRoutes + tokenRoutes + banRoutes + roomBanRoutes + spaceRoutes

  func addRoutes(to router: Router<RestContext>) {
    for route in Self.table {
      let path = RouterPath(String(route.path.dropFirst()))
      router.on(path, method: route.method) { try await answer($0, $1, by: route) }
    }
  }

  private func answer(_ request: Request, _ context: RestContext, by route: Route) async throws -> Response {
    let room = route.path.contains("{uuid}") ? try context.room() : nil
    var token: AccessToken?
    if let action = route.action { token = try admit(request, to: Permission(action, room: room)) }
    if let room { try await registry.refuseSpace(room) }
    return try await route.handle(self, Call(request: request, context: context, token: token))
  }

  /// The token of the header, if it allows this.
  @discardableResult
  func admit(_ request: Request, to permission: Permission) throws(TokenError) -> AccessToken {
    guard let token = request.token else { throw .invalidFormat }
    return try keys.admit(token, for: permission, at: now)
  }

  static func unready(_ reason: String) -> RestError {
    let code: RefusalCode = reason == "draining" ? .goingAway : .logFull
    return RestError(Refusal(code), status: .serviceUnavailable)
  }
}
