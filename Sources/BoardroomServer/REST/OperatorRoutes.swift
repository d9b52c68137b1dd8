import BoardroomModel
import HTTPTypes
import Hummingbird

/// What an operator's own tools ask: does it live, is it ready, how much is going on.
extension RestRoutes {
  private static let plain = "text/plain"

  static let operatorRoutes: [Route] = [
    Route(
      method: .get, path: "/healthz", summary: "Say that the program lives.",
      answer: Route.Answer(meaning: "It lives.", types: [plain]), isOpenToBanned: true
    ) { _, _ in .text(Array("ok\n".utf8), type: "text/plain; charset=utf-8") },
    Route(
      method: .get, path: "/readyz", summary: "Say whether the server takes members and events.",
      answer: Route.Answer(meaning: "It does.", types: [plain]), refusals: [503],
      isOpenToBanned: true
    ) { routes, _ in routes.readiness },
    Route(
      method: .get, path: "/metrics",
      summary: "Measure. Without a token on this machine only; from elsewhere with an SDK token.",
      answer: Route.Answer(meaning: "The Prometheus text.", types: [plain]), refusals: [401, 403],
      isOpenToBanned: true
    ) { try await $0.metrics($1.request, $1.context) },
    Route(
      method: .get, path: "/v5/openapi.json", summary: "This description.",
      answer: Route.Answer(meaning: "OpenAPI \(OpenAPI.version).", schema: #"{"type":"object"}"#)
    ) { _, _ in .json(bytes: OpenAPI.bytes) },
    Route(
      method: .get, path: "/v1/rooms", summary: "The rooms' WebSocket (docs/PROTOCOL.md).",
      answer: Route.Answer(status: 101, meaning: "A WebSocket."), isForPeople: true
    ) { _, _ in .upgradeRequired },
  ]

  private var readiness: Response {
    guard let reason = health.notReady else {
      return .text(Array("ready\n".utf8), type: "text/plain; charset=utf-8")
    }
    return RestRoutes.unready(reason).response
  }

  /// On this machine for everyone, from elsewhere with an SDK token. What a proxy passes on comes from
  /// elsewhere, whatever its address says.
  private func metrics(_ request: Request, _ context: RestContext) async throws -> Response {
    let isForwarded = request.headers[.forwardedFor] != nil || request.headers[.forwarded] != nil
    if !context.isLocal || isForwarded || request.token != nil {
      guard let token = request.token else { throw TokenError.invalidFormat }
      try keys.admit(token, for: Permission(.seeMetrics), at: engine.clock())
    }
    return .text(Array(await measurements().utf8), type: Exposition.contentType)
  }
}

extension Response {
  /// Somebody came to the rooms without a WebSocket, or with one on a connection that was used before.
  static var upgradeRequired: Response {
    var response = RestError(RoomHandshake.noWebSocket).response
    response.headers[.connection] = "close"
    return response
  }
}
