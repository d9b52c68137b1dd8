import BoardroomModel
import HTTPTypes
import Hummingbird

/// What an operator's own tools ask: does it live, is it ready, how much is going on.
extension RestRoutes {
  private static let plain = "text/plain"

  static let operatorRoutes: [Route] = [
    Route(
      method: .get, path: "/healthz", summary: "Say that the program lives.",
      answer: Route.Answer(meaning: "It lives.", types: [plain])
    ) { _, _ in .text(Array("ok\n".utf8), type: "text/plain; charset=utf-8") },
    Route(
      method: .get, path: "/readyz", summary: "Say whether the server takes members and events.",
      answer: Route.Answer(meaning: "It does.", types: [plain]), refusals: [503]
    ) { routes, _ in routes.readiness },
    Route(
      method: .get, path: "/metrics",
      summary: "Measure. Without a token on this machine only; from elsewhere with an SDK token.",
      answer: Route.Answer(meaning: "The Prometheus text.", types: [plain]), refusals: [401, 403]
    ) { try await $0.metrics($1.request, $1.context) },
    Route(
      method: .get, path: "/v5/openapi.json", summary: "This description.",
      answer: Route.Answer(meaning: "OpenAPI \(OpenAPI.version).", schema: #"{"type":"object"}"#)
    ) { _, _ in .json(bytes: OpenAPI.bytes) },
    Route(
      method: .get, path: "/", summary: "A page for who opens the address in a browser.",
      answer: Route.Answer(meaning: "The page.", types: ["text/html"]), isForPeople: true
    ) { _, _ in .text(StartPage.bytes, type: "text/html; charset=utf-8") },
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

/// The page that somebody sees who opens the server's address in a browser.
enum StartPage {
  static let bytes = Array(
    """
    <!doctype html>
    <html lang="en">
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>Boardroom</title>
    <style>body{font:1rem/1.5 sans-serif;max-width:40rem;margin:3rem auto;padding:0 1rem}</style>
    <h1>The Boardroom server runs</h1>
    <p>There is no board to draw on at this address yet. Programs join rooms here:</p>
    <ul>
    <li>WebSocket at <code>/v1/rooms</code>, subprotocol <code>boardroom.v1</code> or
    <code>boardroom.json.v1</code> (docs/PROTOCOL.md),
    <li>rooms and tokens by HTTP under <code>/v5</code>,
    <li><a href="/healthz">/healthz</a>, <a href="/readyz">/readyz</a>, <a href="/metrics">/metrics</a>.
    </ul>
    <p>To begin, on the server's machine: <code>boardroom room create</code>, then
    <code>boardroom token room UUID --role writer</code>.
    </html>

    """.utf8)
}
