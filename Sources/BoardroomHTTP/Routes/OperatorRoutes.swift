import BoardroomAccess
import BoardroomHosting
import BoardroomModel
import HTTPTypes
import Hummingbird

/// What an operator's tools ask: whether the program runs, whether it is ready, and its metrics.
extension RestRoutes {
  private static let plain = "text/plain"
  /// The text format of Prometheus.
  static let measurementsType = "text/plain; version=0.0.4; charset=utf-8"

  package static let operatorRoutes: [Route] = [
    Route(
      method: .get, path: "/healthz", summary: "Say that the program lives.",
      answer: Route.ResponseBody(meaning: "It lives.", types: [plain]), isOpenToBanned: true
    ) { _, _ in .text(Array("ok\n".utf8), type: "text/plain; charset=utf-8") },
    Route(
      method: .get, path: "/readyz", summary: "Say whether the server takes members and events.",
      answer: Route.ResponseBody(meaning: "It does.", types: [plain]), refusals: [503],
      isOpenToBanned: true
    ) { routes, call in routes.readiness(saysMore: await routes.mayMeasure(call.request, call.context)) },
    Route(
      method: .get, path: "/metrics",
      summary: "Measure. Without a token to this machine itself only; to all others with an SDK token.",
      answer: Route.ResponseBody(meaning: "The Prometheus text.", types: [plain]), refusals: [401, 403],
      isOpenToBanned: true
    ) { try await $0.metrics($1.request, $1.context) },
    Route(
      method: .get, path: "/v5/openapi.json", summary: "This description.",
      answer: Route.ResponseBody(meaning: "OpenAPI \(OpenAPI.version).", schema: #"{"type":"object"}"#)
    ) { _, _ in .json(bytes: OpenAPI.bytes) },
    Route(
      method: .get, path: "/v1/rooms", summary: "The rooms' WebSocket (docs/PROTOCOL.md).",
      answer: Route.ResponseBody(status: 101, meaning: "A WebSocket."), isForPeople: true
    ) { _, _ in .upgradeRequired },
  ]

  /// - Parameter saysMore: whether the caller may also see the metrics; only such callers are told version,
  ///   build and disk.
  package func readiness(saysMore: Bool) -> Response {
    guard let reason = health.notReady else {
      let lines = ["ready"] + (saysMore ? facts.lines : [])
      return .text(
        Array(lines.map { $0 + "\n" }.joined().utf8), type: "text/plain; charset=utf-8")
    }
    var refusal = reason.refusal
    if saysMore, let details = reason.details { refusal.cause += " (\(reason.words): \(details))" }
    return RestError(refusal, status: .serviceUnavailable).response
  }

  fileprivate func mayMeasure(_ request: Request, _ context: RestContext) async -> Bool {
    (try? await admitToMeasure(request, context)) != nil
  }

  /// Requests of this machine need no token, all others need an SDK token. With proxies, or if the metrics
  /// have a port of their own, the address alone does not prove that a request is this machine's.
  private func metrics(_ request: Request, _ context: RestContext) async throws -> Response {
    try await admitToMeasure(request, context)
    return await measured()
  }

  private func admitToMeasure(_ request: Request, _ context: RestContext) async throws {
    let isOwn = showsMetrics && context.isLocal && ThisMachine.asks(request.headers, request.head.authority)
    if !isOwn || request.token != nil {
      guard request.token != nil else { throw TokenError.invalidFormat }
      try await admit(request, context, to: Permission(.seeMetrics))
    }
  }

  package func measured() async -> Response {
    .text(Array(await measurements().utf8), type: Self.measurementsType)
  }
}

/// Decides whether a request over a connection from a loopback address is this machine's own, and not passed
/// on by a proxy for somebody else.
enum ThisMachine {
  /// Headers in which proxies name the client, besides those with the prefix.
  private static let said: Set<String> = [
    "forwarded", "via", "x-real-ip", "x-client-ip", "x-cluster-client-ip", "x-proxyuser-ip", "true-client-ip",
    "client-ip", "cf-connecting-ip", "fastly-client-ip", "x-original-forwarded-for", "x-original-host",
    "x-original-url", "x-rewrite-url",
  ]
  private static let prefix = "x-forwarded"

  /// - Parameter authority: the host of the request. A page whose own name resolves to this machine (DNS
  ///   rebinding) sends that name.
  static func asks(_ headers: HTTPFields, _ authority: String?) -> Bool {
    isLoopback(authority ?? "")
      && !headers.contains { field in
        let name = field.name.canonicalName
        return said.contains(name) || name.hasPrefix(prefix)
      }
  }

  /// `localhost`, 127.0.0.0/8 or `[::1]`, with or without a port.
  static func isLoopback(_ authority: String) -> Bool {
    let host: Substring
    if authority.hasPrefix("["), let end = authority.firstIndex(of: "]") {
      host = authority[authority.index(after: authority.startIndex)..<end]
    } else {
      host = authority.prefix { $0 != ":" }
    }
    return host.lowercased() == "localhost" || ClientAddress(host)?.isThisMachine ?? false
  }
}

extension Response {
  /// The answer to a request to the rooms' address that is no WebSocket handshake, or that is not the first
  /// of its connection.
  static var upgradeRequired: Response {
    var response = RestError(RestError.noWebSocket).response
    response.headers[.connection] = "close"
    return response
  }
}
