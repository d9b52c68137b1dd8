import BoardroomAccess
import BoardroomHosting
import BoardroomModel
import BoardroomWeb
import EventLogModel
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// What the routes know of the connection that a request came on.
package struct RestContext: RequestContext {
  package var coreContext: CoreRequestContextStorage
  /// Whether the other end is this machine itself.
  let isLocal: Bool
  /// The other end of the connection; nil where it has no address.
  let peer: ClientAddress?
  /// The node that has passed the request on; nil: the client itself has sent it here.
  var sender: RequestSender?
  /// The connection, for the routes of a program that embeds the server.
  package let channel: any Channel

  package init(source: ApplicationRequestContextSource) {
    coreContext = .init(source: source)
    channel = source.channel
    peer = source.channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    isLocal = source.channel.remoteAddress.map(Self.isLoopback) ?? false
  }

  static func isLoopback(_ address: SocketAddress) -> Bool {
    switch address {
    case .unixDomainSocket: true
    case .v4, .v6:
      address.ipAddress.map { $0.hasPrefix("127.") || $0 == "::1" || $0.hasPrefix("::ffff:127.") } ?? false
    }
  }

  /// The room that the path names.
  func room() throws(RestError) -> RoomID {
    guard let room = parameters.get("uuid").flatMap({ RoomID($0) }) else {
      throw RestError(
        .badName, "A room's uuid has 32 hexadecimal digits.", cure: "Take it from POST /v5/rooms.")
    }
    // The operators' log is no room.
    guard room != .operators else { throw RestError(.notFound) }
    return room
  }
}

extension Request {
  /// The token of the header `token`, or else of `Authorization: Bearer`; nil if there is neither.
  var token: String? {
    if let token = headers[.roomToken] { return token }
    guard let bearer = headers[.authorization], bearer.lowercased().hasPrefix("bearer ") else { return nil }
    return String(bearer.dropFirst("bearer ".count))
  }
}

extension HTTPField.Name {
  /// The header in which the source system's REST API takes a token (PARITY rows RE).
  static let roomToken = HTTPField.Name("token")!
  static let forwardedFor = HTTPField.Name("x-forwarded-for")!
}

/// Turns errors of all routes into the one form of error body, and counts answers.
package struct RestErrors: RouterMiddleware {
  /// The page that people get for an unknown address; nil on a port without pages.
  var page: PageResponder?
  /// The addresses of this port.
  var routes = RestRoutes.table
  let requests: @Sendable (Int, Duration) -> Void

  package init(
    page: PageResponder? = nil, routes: [Route] = RestRoutes.table,
    requests: @escaping @Sendable (Int, Duration) -> Void
  ) {
    self.page = page
    self.routes = routes
    self.requests = requests
  }

  package func handle(
    _ request: Request, context: RestContext, next: (Request, RestContext) async throws -> Response
  ) async throws -> Response {
    let begun = ContinuousClock.now
    let response = await answer(request, context, next)
    requests(response.status.code, .now - begun)
    // An answer to HEAD has no body, not even for an error: a client would read it as the begin of the next
    // answer.
    return request.method == .head ? response.createHeadResponse() : response
  }

  private func answer(
    _ request: Request, _ context: RestContext, _ next: (Request, RestContext) async throws -> Response
  ) async -> Response {
    do {
      return try await next(request, context)
    } catch let error as HTTPError where error.status == .notFound {
      return await nothingHere(request)
    } catch let error as HTTPError where error.status == .contentTooLarge {
      let length = request.headers[.contentLength].flatMap(Int.init)
      return RestError(RestBody.tooLarge(length, allowed: RestBody.limit)).response
    } catch let error as HTTPError {
      return RestError(Self.refusal(of: error), status: error.status).response
    } catch {
      if let known = RestError(of: error) { return known.response }
      context.logger.error("a route failed", metadata: ["error": "\(type(of: error))"])
      return RestError(.internalFailure).response
    }
  }

  private static func refusal(of error: HTTPError) -> Refusal {
    Refusal(.malformed, cause: error.body ?? "The request cannot be answered.")
  }

  /// The answer if there is no such address, or none with this method.
  private func nothingHere(_ request: Request) async -> Response {
    if request.isOfPeople,
      let document = try? await page?.document("index.html", for: request, status: .notFound)
    {
      return document
    }
    let methods = routes.filter { $0.matches(request.uri.path) }.map(\.method)
      .flatMap { $0 == .get ? ["GET", "HEAD"] : [$0.rawValue] }
    guard !methods.isEmpty else {
      return RestError(
        .notFound, "There is no such address.",
        cure: "See docs/HTTP.md or /v5/openapi.json for the addresses."
      ).response
    }
    let refusal = Refusal(
      .badParameter, cause: "This address does not answer to the method.",
      cure: "Use \(methods.joined(separator: " or ")).")
    var response = RestError(refusal, status: .methodNotAllowed, name: "badMethod").response
    response.headers[.allow] = methods.joined(separator: ", ")
    return response
  }
}

extension Request {
  /// Whether a browser shows the answer to a person: it asks for HTML, and for no address of programs.
  fileprivate var isOfPeople: Bool {
    guard method == .get || method == .head else { return false }
    let isOfPrograms = ["/v1/", "/v5/", RestRoutes.assets].contains { uri.path.hasPrefix($0) }
    return !isOfPrograms && headers[values: .accept].joined(separator: ",").lowercased().contains("text/html")
  }
}

extension RestError {
  /// What the layers below throw; nil for any other error.
  package init?(of error: any Error) {
    switch error {
    case let error as RestError: self = error
    case let refusal as Refusal: self.init(refusal)
    case let error as TokenError: self.init(error.refusal)
    case let error as LogError: self.init(Self.refusal(of: error))
    default: return nil
    }
  }

  /// A log store's error as a refusal for HTTP.
  static func refusal(of error: LogError) -> Refusal {
    switch error {
    case .noSuchLog, .deleted: Refusal(.notFound)
    case .logExists, .conflict, .fenced: Refusal(.conflict)
    case .unfinished: Refusal(error)
    case .trimmed, .beyondEnd: Refusal(.badParameter, cause: error.description)
    case .tooLarge(let bytes, let limit): Refusal(.tooLarge, actual: bytes, allowed: limit, limit: "record")
    case .full(_, true): Refusal(.logFull, cause: "The log does not answer.", cure: "Try again in a moment.")
    case .full: Refusal(.logFull)
    case .stopped:
      Refusal(.logFull, cause: "The log has stopped.", cure: "Tell the operator to restart the server.")
    case .elsewhere, .changingOwner, .nodeFenced: Refusal(.goingAway)
    case .io, .damaged, .locked, .incompatible, .missingPart, .readOnly, .unstarted: Refusal(.internalFailure)
    }
  }
}
