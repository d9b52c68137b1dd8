import BoardroomModel
import HTTPTypes
import Hummingbird

/// What an operator's own tools ask: does it live, is it ready, how much is going on.
extension RestRoutes {
  func addOperatorRoutes(to router: Router<RestContext>) {
    router.get("healthz") { _, _ in Response.text(Array("ok\n".utf8), type: "text/plain; charset=utf-8") }
    router.get("readyz") { _, _ in readiness }
    router.get("metrics") { try await metrics($0, $1) }
    router.get("/") { _, _ in Response.text(StartPage.bytes, type: "text/html; charset=utf-8") }
    router.get("v1/rooms") { _, _ in Response.upgradeRequired }
  }

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
      try keys.admit(token, for: .metrics, at: engine.clock())
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
