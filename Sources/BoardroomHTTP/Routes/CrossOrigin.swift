import BoardroomAccess
import HTTPTypes
import Hummingbird

/// Says to browsers which pages of other origins may use the HTTP interface (the Fetch standard's CORS
/// protocol). What no page could use anyway, a browser's cookies, is not offered: tokens go in a header.
package struct CrossOrigin: RouterMiddleware {
  /// A day: browsers keep it shorter by themselves.
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
    // Files of the page are open to all, and say so themselves.
    let isAsset = request.uri.path.hasPrefix(RestRoutes.assets)
    guard !isAsset, let origin = request.headers[.origin] else { return try await next(request, context) }
    let isAllowed = rule.allows(origin)
    let isQuestion =
      request.method == .options && request.headers[.accessControlRequestMethod] != nil
    var response = isQuestion ? Response(status: .noContent) : try await next(request, context)
    // What a cache keeps for one page is not for another.
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
