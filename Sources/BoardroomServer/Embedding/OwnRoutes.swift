import BoardroomHTTP
import Hummingbird
import Logging

/// Answers a request with the routes of the program that embeds the server.
typealias OwnResponder = @Sendable (Request, ApplicationRequestContextSource) async throws -> Response

/// Puts the routes of the program that embeds the server behind those of Boardroom: a request to an address that
/// Boardroom does not have goes to them, with a context of their own type.
struct OwnRoutes: RouterMiddleware {
  let respond: OwnResponder
  /// Whether the addresses of the page are Boardroom's, too.
  let showsPage: Bool

  func handle(
    _ request: Request, context: RestContext, next: (Request, RestContext) async throws -> Response
  ) async throws -> Response {
    guard !RestRoutes.owns(request.uri.path, withPage: showsPage) else {
      return try await next(request, context)
    }
    return try await respond(
      request, ApplicationRequestContextSource(channel: context.channel, logger: context.logger))
  }
}
