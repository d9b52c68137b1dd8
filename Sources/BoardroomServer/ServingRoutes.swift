import Hummingbird
import HummingbirdCore

extension BoardroomServer {
  /// The same server, with the routes of a Hummingbird application on its port. Boardroom keeps the addresses of
  /// docs/HTTP.md: all below `/v1` and `/v5`, `/healthz`, `/readyz`, `/metrics`, and those of the page unless
  /// `ServerSettings.showsPage` is false. All others go to these routes, with the middleware and the context that they
  /// have. TLS, the limits on connections and the times of `RequestTimes` hold for them, too; the gatekeeper, bans and
  /// `cors.origins` do not.
  ///
  /// - Parameter router: a `Router`, built once, now.
  public func serving<Builder: HTTPResponderBuilder>(routesOf router: Builder) -> BoardroomServer
  where Builder.Responder.Context: InitializableFromSource<ApplicationRequestContextSource> {
    let responder = router.buildResponder()
    var server = self
    server.ownResponder = { request, source in
      try await responder.respond(to: request, context: Builder.Responder.Context(source: source))
    }
    return server
  }
}
