import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import BoardroomWeb
import EventLogModel
import HTTPTypes
import Hummingbird

/// The pages for browsers: the board, the player, their scripts and styles, and the facts that these ask for
/// first.
extension RestRoutes {
  static let assets = "/assets/"
  private static let html = ["text/html"]

  static let pageRoutes: [Route] = [
    Route(
      method: .get, path: "/", summary: "The page that opens a board.",
      answer: Route.ResponseBody(meaning: "The page.", types: html), isOpenToBanned: true, isForPeople: true
    ) { routes, call in
      try await routes.page.document("index.html", for: call.request)
        ?? .text(StartPage.bytes, type: "text/html; charset=utf-8")
    },
    Route(
      method: .get, path: "/r/{room}", summary: "The board of a room.",
      answer: Route.ResponseBody(meaning: "The page.", types: html), isOpenToBanned: true, isForPeople: true
    ) { try await $0.document("index.html", $1) },
    Route(
      method: .get, path: "/replay/{room}", summary: "The player of a room.",
      answer: Route.ResponseBody(meaning: "The page.", types: html), isOpenToBanned: true, isForPeople: true
    ) { try await $0.document("replay.html", $1) },
    Route(
      method: .get, path: "/assets/**", summary: "Scripts and styles of the page.",
      answer: Route.ResponseBody(meaning: "The file.", types: ["text/javascript", "text/css"]),
      isOpenToBanned: true, isForPeople: true
    ) { try await $0.asset($1) },
    Route(
      method: .get, path: "/v5/server", summary: "What a page has to know of the server before it can begin.",
      answer: .one("Server", "What it is like.")
    ) { routes, _ in .json(routes.aboutServer) },
  ]

  /// The page is also shown for a name that is no room's, with that status, so that the page can tell a
  /// person.
  private func document(_ name: String, _ call: RestCall) async throws -> Response {
    let room = call.context.parameters.get("room").flatMap { RoomID($0) }
    let isRoom = room != nil && room != .operators
    let status: HTTPResponse.Status = isRoom ? .ok : .notFound
    guard let document = try await page.document(name, for: call.request, status: status) else {
      throw RestError(.notFound, "This server shows no page.", cure: "Let the operator set page.shown to on.")
    }
    return document
  }

  private func asset(_ call: RestCall) async throws -> Response {
    let path = call.request.uri.path.dropFirst(Self.assets.count)
    guard let asset = try await page.asset(path, for: call.request) else {
      throw RestError(.notFound, "There is no such file of the page.", cure: "Load the page again.")
    }
    return asset
  }

  /// Milliseconds, 24 hours: a page that is open longer asks again.
  private static let openLifespan: Int64 = 86_400_000

  /// An open server gives everybody an SDK token of a writer, because REST needs one; a host gets a better
  /// one in its welcome. The token ends with this run (OPEN-3). A page of another origin gets no answer
  /// unless `cors.origins` names it.
  private var aboutServer: JSONValue {
    var fields: [(String, JSONValue)] = [("open", .bool(isOpen)), ("version", .string(ServerFacts.version))]
    if isOpen {
      let token = AccessToken(
        scope: .team, role: .writer, keyID: keys.signer.id, lifespan: Self.openLifespan, at: now)
      fields.append(("token", .string(token.signed(with: keys.signer.secret))))
    }
    fields.append(("subprotocols", .array(Subprotocol.allCases.map { .string($0.rawValue) })))
    fields.append(("limits", .object([("image", JSONValue(largestImage))])))
    return .object(fields)
  }
}
