import BoardroomAccess
import BoardroomHTTP
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix

/// A second port, for a monitor: `/metrics`, `/healthz` and `/readyz`, without token and without TLS.
/// Everybody who can reach its address (`metrics.listen`) may read them.
struct MeasuringPort: Sendable {
  /// Connections at once. 32: a monitor keeps one or two.
  static let connections = 32

  let routes: RestRoutes
  /// The rule of an open server (OPEN-1); nil on others.
  var rule: OpenRule?
  let address: ListenAddress
  let group: MultiThreadedEventLoopGroup
  let logger: Logger
  let whenListening: @Sendable (Int) async -> Void

  /// Serves until a graceful shutdown. Throws `ServerStartError` if it cannot listen.
  func run() async throws {
    let router = Router(context: RestContext.self, options: .autoGenerateHeadEndpoints)
    let shown = RestRoutes.operatorRoutes.filter { ["/metrics", "/healthz", "/readyz"].contains($0.path) }
    router.add(middleware: RestErrors(routes: shown, requests: routes.answered))
    if let rule { router.add(middleware: OpenRuleMiddleware(rule: rule)) }
    router.get("metrics") { _, _ in await routes.measured() }
    router.get("readyz") { _, _ in routes.readiness(saysMore: true) }
    for route in shown where route.path == "/healthz" {
      router.get(RouterPath(String(route.path.dropFirst()))) { request, context in
        try await route.handle(routes, RestCall(request: request, context: context, token: nil))
      }
    }
    let health = routes.health
    let quiet = logger.forHTTP { health.isDraining }
    let application = Application(
      router: router, server: .http1(configuration: .init(idleTimeout: PortMultiplexer.idleTimeout)),
      configuration: ApplicationConfiguration(
        address: .hostname(address.host, port: address.port), serverName: "boardroom",
        availableConnectionsDelegate: .maximum(Self.connections, logger: quiet)),
      onServerRunning: { [address, logger, whenListening] channel in
        let port = channel.localAddress?.port ?? address.port
        logger.info("measurements are shown", metadata: ["host": "\(address.host)", "port": "\(port)"])
        await whenListening(port)
      },
      eventLoopGroupProvider: .shared(group), logger: quiet)
    do {
      try await application.run()
    } catch let error as IOError {
      throw ServerStartError.measurements(address, code: error.errnoCode)
    } catch is SocketAddressError.UnknownHost {
      throw ServerStartError.measurements(address, code: EADDRNOTAVAIL)
    }
  }
}
