import EventLogModel
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// A whole server: rooms, WebSockets and HTTP on one port. Runs until it is shut down gracefully; then it
/// stops accepting, sends everyone off to come back, commits and closes the log.
public struct BoardroomServer: Service {
  private let settings: ServerSettings
  private let store: any LogStore
  private let keys: KeyRing
  private let watch: StoreWatch
  private let blockFormat: (any BlockFileFormat)?
  private let logger: Logger
  private let whenListening: @Sendable (Int) async -> Void

  /// - Parameters:
  ///   - store: is shut down when the server ends.
  ///   - watch: what `/readyz` and `/metrics` say of the store.
  ///   - blockFormat: how logs are written as block files; nil offers JSON lines only.
  ///   - whenListening: called once with the port on which it listens.
  public init(
    settings: ServerSettings, store: any LogStore, keys: KeyRing, watch: StoreWatch = StoreWatch(),
    blockFormat: (any BlockFileFormat)? = nil, logger: Logger,
    whenListening: @escaping @Sendable (Int) async -> Void = { _ in }
  ) {
    self.settings = settings
    self.store = store
    self.keys = keys
    self.watch = watch
    self.blockFormat = blockFormat
    self.logger = logger
    self.whenListening = whenListening
  }

  /// Throws `ServerStartError` if it cannot listen. Whatever happens, the store is shut down when it returns.
  public func run() async throws {
    let threads = settings.threads > 0 ? settings.threads : System.coreCount
    let group = MultiThreadedEventLoopGroup(numberOfThreads: threads)
    let clock = SteadyClock(startingAt: .wallClock)
    let gate: any Gatekeeper = settings.isOpen ? OpenGate() : TokenGatekeeper(keys: keys)
    let registry = PrometheusRegistry(help: ServerMeasurements.help)
    var failure: (any Error)?
    do {
      let webhooks = try await Webhooks.open(
        settings, store: store, group: group, clock: { clock.now }, registry: registry, logger: logger)
      let engine = RoomServerEngine(
        store: webhooks?.store ?? store, gatekeeper: gate, policy: settings.serverPolicy,
        loops: EventLoopHome.all(of: group)
      ) { clock.now }
      webhooks?.start()
      do {
        try await serve(engine, registry, webhooks, on: group)
      } catch {
        failure = error
      }
      await engine.drain()
      await webhooks?.stop()
    } catch {
      failure = error
    }
    await store.shutdown()
    try? await group.shutdownGracefully()
    if let failure { throw failure }
    logger.info("stopped")
  }

  private enum Ending: Sendable { case served, drained, overdue }

  /// Until all connections are closed after a shutdown, or the time for that is over.
  private func serve(
    _ engine: RoomServerEngine, _ registry: PrometheusRegistry, _ webhooks: Webhooks?,
    on group: MultiThreadedEventLoopGroup
  ) async throws {
    engine.start()
    let health = ServerHealth(storeRefusal: watch.refusal)
    let measurements = ServerMeasurements(
      registry: registry, engine: engine, health: health, store: watch, webhooks: webhooks)
    let application = application(engine, health, measurements, on: group)
    try await withThrowingTaskGroup(of: Ending.self) { tasks in
      tasks.addTask {
        do {
          try await application.run()
        } catch let error as IOError {
          throw ServerStartError(error, host: settings.host, port: settings.port)
        }
        return .served
      }
      tasks.addTask {
        try await gracefulShutdown()
        health.beginDrain()
        logger.info("draining", metadata: ["within": "\(Quantity.text(settings.drain))"])
        await engine.drain()
        return .drained
      }
      tasks.addTask {
        try await gracefulShutdown()
        try await Task.sleep(for: settings.drain)
        return .overdue
      }
      defer { tasks.cancelAll() }
      while let ending = try await tasks.next() {
        switch ending {
        case .drained: continue
        case .served: return
        case .overdue:
          logger.warning("the time to drain is over: connections are cut")
          return
        }
      }
    }
  }

  private func application(
    _ engine: RoomServerEngine, _ health: ServerHealth, _ measurements: ServerMeasurements,
    on group: MultiThreadedEventLoopGroup
  ) -> some ApplicationProtocol {
    let routes = RestRoutes(
      engine: engine, keys: keys, registry: RoomRegistry(engine: engine),
      history: RoomHistory(store: store), health: health, blockFormat: blockFormat,
      measurements: measurements.text)
    let router = Router(context: RestContext.self)
    router.add(middleware: RestErrors(requests: measurements.answered))
    routes.addRoutes(to: router)
    // Hummingbird says in two lines at info what `whenListening` is told.
    var quiet = logger
    quiet.logLevel = max(logger.logLevel, .notice)
    return Application(
      router: router,
      server: HTTPServerBuilder { responder in ServerDoor(responder: responder, engine: engine) },
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), serverName: "boardroom", backlog: 1_024),
      onServerRunning: { channel in await whenListening(channel.localAddress?.port ?? settings.port) },
      eventLoopGroupProvider: .shared(group), logger: quiet)
  }
}

/// Why the server does not listen.
public enum ServerStartError: Error, Sendable, Hashable, CustomStringConvertible {
  case portInUse(host: String, port: Int)
  case notAllowed(host: String, port: Int)
  case cannotListen(host: String, port: Int, code: Int32)
  /// What endpoints are told cannot be kept, or not signed.
  case webhooks(String)

  init(_ error: IOError, host: String, port: Int) {
    self =
      switch error.errnoCode {
      case EADDRINUSE: .portInUse(host: host, port: port)
      case EACCES, EPERM: .notAllowed(host: host, port: port)
      default: .cannotListen(host: host, port: port, code: error.errnoCode)
      }
  }

  public var description: String {
    switch self {
    case .portInUse(let host, let port):
      "Port \(port) on \(host) is in use. Stop what listens there, or choose another with --port."
    case .notAllowed(let host, let port):
      "This user may not listen on port \(port) of \(host). Choose one above 1023 with --port."
    case .cannotListen(let host, let port, let code):
      "Cannot listen on \(host), port \(port) (error \(code)). Check --host."
    case .webhooks(let why): why
    }
  }
}
