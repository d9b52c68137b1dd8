import BoardroomAccess
import HTTPTypes
import Hummingbird

/// Tells browsers which pages of other origins may use the HTTP interface (the CORS protocol of the Fetch
/// standard). Cookies are not allowed, because the server has none: tokens are sent in a header.
package struct CrossOrigin: RouterMiddleware {
  /// How long a browser may keep the answer, in seconds: a day. Browsers have shorter limits of their own.
  private static let keptFor = "86400"
  private static let methods = "GET, POST, PUT, PATCH, DELETE"
  private static let headers = "token, authorization, content-type"

  let rule: OriginRule

  package init(rule: OriginRule) {
    self.rule = rule
  }

  package func handle(
    _ request: Request, context: RestContext, next: (Request, RestContext) async throws -> Response
  ) async throws -> Response {
    // Files of the page are open to all origins, and their route says so.
    let isAsset = request.uri.path.hasPrefix(RestRoutes.assets)
    guard !isAsset, let origin = request.headers[.origin] else { return try await next(request, context) }
    let isAllowed = rule.allows(origin)
    let isQuestion =
      request.method == .options && request.headers[.accessControlRequestMethod] != nil
    var response = isQuestion ? Response(status: .noContent) : try await next(request, context)
    // A cache must not give one origin's answer to another origin.
    response.headers[.vary] = [response.headers[.vary], "Origin"].compactMap { $0 }.joined(separator: ", ")
    guard isAllowed else { return response }
    response.headers[.accessControlAllowOrigin] = rule == .any ? "*" : origin
    guard isQuestion else { return response }
    response.headers[.accessControlAllowMethods] = Self.methods
    response.headers[.accessControlAllowHeaders] = Self.headers
    response.headers[.accessControlMaxAge] = Self.keptFor
    return response
  }
}
