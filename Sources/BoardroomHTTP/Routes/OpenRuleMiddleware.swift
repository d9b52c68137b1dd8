import BoardroomAccess
import HTTPTypes
import Hummingbird

/// Applies the rule of an open server (OPEN-1) to all of HTTP. Files of the page hold nothing of rooms, so
/// other sites may embed them.
package struct OpenRuleMiddleware: RouterMiddleware {
  let rule: OpenRule

  package init(rule: OpenRule) { self.rule = rule }

  package func handle(
    _ request: Request, context: RestContext, next: (Request, RestContext) async throws -> Response
  ) async throws -> Response {
    let isFile = request.uri.path.hasPrefix(RestRoutes.assets)
    let hosts = [request.head.authority].compactMap(\.self) + request.headers[values: .host]
    let origins = isFile ? [] : request.headers[values: .origin]
    if let refusal = rule.refusal(hosts: hosts, origins: origins) { throw refusal }
    return try await next(request, context)
  }
}

extension HTTPField.Name {
  fileprivate static let host = HTTPField.Name("host")!
}
