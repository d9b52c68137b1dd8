import BoardroomAccess
import BoardroomHTTP
import BoardroomHosting
import BoardroomWeb
import BoardroomWebhooks
import EventLogModel
import Hummingbird
import HummingbirdCore
import Logging
import NIOCore
import NIOPosix
import ServiceLifecycle

/// A whole server: rooms, WebSockets and HTTP on one port. It runs until it is shut down gracefully. Then it
/// accepts no more connections, tells all clients to come back later, commits, and closes the log.
public struct BoardroomServer: Service {
  /// The rooms, for the program that embeds the server.
  public let rooms = HostedRooms()
  private let settings: ServerSettings
  private let store: any LogStore
  /// The keys by which tokens are signed and checked. An open server's first key exists for this run only
  /// (OPEN-3).
  private let keys: KeyRing
  private let lastingKeys: KeyRing
  private let watch: StoreWatch
  private let blockFormat: (any BlockFileFormat)?
  private let identity: TLSIdentity?
  private let gatekeeper: (any RoomGatekeeper)?
  /// The routes of the program that embeds the server.
  var ownResponder: OwnResponder?
  private let logger: Logger
  /// With it the server is one node of several, which join clients to each other; set before `run`. Nil: it is alone.
  public var node: NodeSettings?
  /// What a database keeps beside the logs, for all nodes that serve it; set before `run`. Nil: files of the data folder.
  package var beside: BesideLogs?
  /// The server's clock; nil: a `SteadyClock`. Tests set their own before `run`.
  package var clock: (@Sendable () -> Timestamp)?
  /// Makes PNG pictures; set before `run`.
  package var renderer: (any PictureRenderer)? = RsvgConvert()
  /// Called once with the port of the measurements, if they have one of their own; set before `run`.
  package var whenMeasuring: @Sendable (Int) async -> Void = { _ in }
  private let whenListening: @Sendable (Int) async -> Void
  private let deadline = DrainDeadline()

  /// - Parameters:
  ///   - settings: what an operator chose.
  ///   - store: is shut down when the server ends.
  ///   - keys: by which tokens are checked; of an open server only those of this run.
  ///   - watch: what `/readyz` and `/metrics` say of the store.
  ///   - blockFormat: how logs are written as block files; nil offers JSON lines only.
  ///   - identity: with it the port speaks TLS. The caller makes it from `settings.tls`, so that unusable
  ///     files are found before anything is opened, and so that the caller can reload it.
  ///   - gatekeeper: decides who may enter and who may ask what; nil: the tokens of `keys` do. With one of its own the
  ///     server is not open, whatever the settings say.
  ///   - logger: gets the server's lines, which hold no payloads, tokens or texts of members.
  ///   - whenListening: called once with the port on which it listens.
  public init(
    settings: ServerSettings, store: any LogStore, keys: KeyRing, watch: StoreWatch = StoreWatch(),
    blockFormat: (any BlockFileFormat)? = nil, identity: TLSIdentity? = nil,
    gatekeeper: (any RoomGatekeeper)? = nil, logger: Logger,
    whenListening: @escaping @Sendable (Int) async -> Void = { _ in }
  ) {
    var settings = settings
    if gatekeeper != nil { settings.isOpen = false }
    self.settings = settings
    self.gatekeeper = gatekeeper
    self.store = store
    self.keys = settings.isOpen ? keys.forOneRun() : keys
    lastingKeys = keys
    self.watch = watch
    self.blockFormat = blockFormat
    self.identity = identity
    self.logger = logger
    self.whenListening = whenListening
  }

  /// Throws `ServerStartError` if it cannot listen. Whatever happens, the store is shut down when it returns.
  public func run() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: settings.loops)
    await Descriptors.claim()
    let steady = SteadyClock(startingAt: .wallClock, speed: settings.speed)
    let clock = clock ?? { steady.now }
    let banned = BanIndex()
    let limiter = ConnectionLimiter(connectionLimits, proxies: settings.proxies)
    let registry = PrometheusRegistry(help: ServerMeasurements.help)
    var failure: (any Error)?
    do {
      let pipes = try node?.desk(lastingKeys, settings, clock)
      let webhooks = try await webhooks(on: group, clock, registry)
      let courier = pipes.map { _ in NodeCourier() }
      let feed = pipes.map { _ in RoomsByHTTP() }
      let engine = RoomServerEngine(
        store: webhooks?.store ?? store, gatekeeper: BanGate(bans: banned, gate: gate),
        policy: settings.serverPolicy, loops: EventLoopHome.all(of: group, speed: settings.speed),
        storeExecutor: nil, courier: courier, owners: node?.owners,
        clientsReachOwners: node?.clientsReachNodes ?? false, feed: feed, clock: clock)
      webhooks?.start()
      let forwarder = pipes.map { HTTPForwarder($0, trust: PipeDesk.trust(node?.trust), group: group) }
      let operators = forwarder.map(OperatorsByHTTP.init)
      let bans = BanService(engine: engine, index: banned, operators: operators)
      let scrub = scrub(clock, OperatorsLog(engine: engine, elsewhere: operators))
      if let courier, let forwarder { courier.serve(engine, forwarder) }
      if let feed, let forwarder { feed.serve(forwarder) }
      do {
        try await bans.load()
        scrub.map { $0.thread.begin($0.scrubber) }
        try await serve(
          engine, bans, limiter, pipes, forwarder, courier, registry, webhooks, scrub?.scrubber, on: group)
      } catch {
        failure = error
      }
      // The scrub ends before the store is closed, because the write-ahead log cannot be removed while
      // somebody reads.
      if let scrub { _ = await returns(within: left) { await scrub.thread.end() } }
      await end(engine, limiter)
      courier?.end()
      _ = await returns(within: left) { await forwarder?.shutdown() }
      _ = await returns(within: left) { await webhooks?.stop() }
    } catch {
      failure = error
    }
    await endStore()
    try? await group.shutdownGracefully()
    if let failure { throw failure }
    logger.info("stopped")
  }

  /// Ends the connections before the loops, because connections of one loop give work to other loops. A disk
  /// that does not answer must not keep the program from ending: what was acknowledged is on it already.
  private func end(_ engine: RoomServerEngine, _ limiter: ConnectionLimiter) async {
    if !(await returns(within: left) { await engine.drain() }) { tellThatItIsStuck() }
    await limiter.closeAll()
  }

  private func endStore() async {
    if !(await returns(within: left) { [store] in await store.shutdown() }) { tellThatItIsStuck() }
  }

  /// What is left of the time to drain. The whole ending has one deadline (BOUND-9).
  private var left: Duration { deadline.left(of: settings.drain) }

  private func tellThatItIsStuck() {
    logger.error("the log did not close in time: it is left as after a power cut")
  }

  private enum ServeOutcome: Sendable {
    /// The port of the measurements is closed, or there is none.
    case unmeasured
    /// The port was closed by a shutdown, or it closed without one.
    case served, ended
    /// All connections are closed, or the time for that is over.
    case drained, overdue
  }

  /// Serves until a shutdown, and then until all connections are closed or the time to drain is over.
  private func serve(
    _ engine: RoomServerEngine, _ bans: BanService, _ limiter: ConnectionLimiter, _ pipes: PipeDesk?,
    _ forwarder: HTTPForwarder?, _ courier: NodeCourier?, _ registry: PrometheusRegistry,
    _ webhooks: Webhooks?, _ scrubber: Scrubber?,
    on group: MultiThreadedEventLoopGroup
  ) async throws {
    findDecoderConformances()
    engine.start()
    let takingUp = Task { await engine.takeUpLogins() }
    let following = Task { await followNodes(engine, bans, forwarder) }
    defer {
      takingUp.cancel()
      following.cancel()
    }
    identity?.watch(on: EventLoopHome(group.next()))
    let healthLogger = HealthLogger(watch, patience: settings.diskPatience, engine, limiter, pipes, logger)
    healthLogger.watch(on: EventLoopHome(group.next()))
    let spare = SpareMemory(ended: { engine.endedReplays })
    spare.watch(on: EventLoopHome(group.next()))
    defer { withExtendedLifetime((healthLogger, spare)) {} }
    let health = ServerHealth(watch, patience: settings.diskPatience)
    let (registered, images) = (
      RoomRegistry(engine: engine, otherNodes: roomsByHTTP(forwarder)), ImageStore(settings, beside)
    )
    let retention = retention(engine, registered, images)
    let measurements = ServerMeasurements(
      registry: registry, engine: engine, health: health, store: watch, limiter: limiter, webhooks: webhooks,
      facts: ServerFacts(data: settings.folder), scrubber: scrubber, retention: retention, pipes: pipes)
    var routes = routes(engine, bans, health, measurements, registered, images)
    (routes.forwarder, routes.receiver) = (forwarder, courier)
    if let seen = node?.seen { routes.isLivingNode = { seen().isLiving($0) } }
    let retaining = Task { await retention.run() }
    defer { retaining.cancel() }
    let application = application(routes, limiter, pipes, on: group)
    defer { rooms.serve(by: nil) }
    let measuring = settings.metricsListen.map {
      MeasuringPort(
        routes: routes, rule: openRule, address: $0, group: group, logger: logger,
        whenListening: whenMeasuring)
    }
    try await withThrowingTaskGroup(of: ServeOutcome.self) { tasks in
      tasks.addTask {
        do {
          try await application.run()
        } catch let error as IOError {
          throw ServerStartError(error, host: settings.host, port: settings.port)
        } catch is SocketAddressError.UnknownHost {
          throw ServerStartError.noSuchHost(settings.host)
        }
        return Task.isShuttingDownGracefully ? .served : .ended
      }
      tasks.addTask {
        try await measuring?.run()
        return .unmeasured
      }
      tasks.addTask {
        try await gracefulShutdown()
        deadline.begin()
        health.beginDrain()
        logger.info("draining", metadata: ["within": "\(Quantity.text(settings.drain))"])
        await handOver(engine, within: settings.drain / 2)
        _ = await returns(within: left) { await engine.drain() }
        await limiter.untilEmpty()
        return .drained
      }
      tasks.addTask {
        try await gracefulShutdown()
        try await Task.sleep(for: settings.drain)
        return .overdue
      }
      tasks.addTask { throw try await storeStopped(engine, health) }
      defer { tasks.cancelAll() }
      do {
        // The port closes before the last connection does; both have to be closed.
        var open = 2
        while open > 0, let ending = try await tasks.next() {
          switch ending {
          case .drained, .served: open -= 1
          case .unmeasured: break
          case .ended: return
          case .overdue:
            logger.warning("the time to drain is over: connections are cut")
            return await limiter.closeAll()
          }
        }
      } catch {
        await limiter.closeAll()
        throw error
      }
    }
  }

  /// Waits until the store has stopped by itself, and then tells all clients to come back. A store that has
  /// stopped takes no more events, so the program ends, and its supervisor starts it again.
  private func storeStopped(
    _ engine: RoomServerEngine, _ health: ServerHealth
  ) async throws -> ServerFailure {
    while true {
      try await Task.sleep(for: Self.lookEvery)
      guard !health.isDraining, let reason = watch.refusal().flatMap(Self.whyForGood) else { continue }
      logger.critical("the log has stopped: the server ends", metadata: ["what": "\(reason)"])
      health.beginDrain()
      deadline.begin()
      _ = await returns(within: settings.drain) { await engine.drain() }
      return .storeStopped(reason: reason)
    }
  }

  /// How often the server looks whether the store has stopped. The start that follows takes longer than this.
  private static let lookEvery = Duration.milliseconds(500)

  /// The scrubber; nil if the store cannot be scrubbed or the settings turn it off.
  private func scrub(_ clock: @escaping @Sendable () -> Timestamp, _ notes: OperatorsLog) -> (
    scrubber: Scrubber, thread: ScrubThread
  )? {
    guard let open = watch.scrub, settings.scrubEvery > .zero else { return nil }
    let thread = ScrubThread()
    let world = Scrubber.ScrubEnvironment(
      open: open, images: beside.map { ImageCheck(of: $0.images) } ?? ImageCheck(folder: settings.folder),
      records: watch.scrubRecords ?? ScrubRecords(inFolder: settings.folder), now: clock,
      found: { damage in Task { await notes.note(damage: damage) } },
      wait: { thread.wait($0) })
    return (Scrubber(every: settings.scrubEvery, world, logger), thread)
  }

  /// Nil if there are no endpoints.
  private func webhooks(
    on group: MultiThreadedEventLoopGroup, _ clock: @escaping @Sendable () -> Timestamp,
    _ registry: PrometheusRegistry
  ) async throws(ServerStartError) -> Webhooks? {
    do throws(WebhookStartError) {
      return try await Webhooks.open(
        settings.webhooks, data: settings.folder, store: store, shared: beside?.cursors, group: group,
        timer: EventLoopHome(group.next()), clock: clock, registry: registry, logger: logger)
    } catch {
      throw .webhooks("\(error)")
    }
  }

  private func retention(
    _ engine: RoomServerEngine, _ rooms: RoomRegistry, _ images: ImageStore
  ) -> Retention {
    let record = RetentionRecord.taken(inFolder: settings.folder, at: engine.clock())
    let rule = RetentionRule(
      deleted: settings.keepDeleted, since: record.since, policy: settings.roomPolicy)
    var round = RetentionRound(engine: engine, registry: rooms, images: images, rule: rule, logger: logger)
    round.rest = { try? await Task.sleep(for: $0) }
    round.sweep = ImageSweep(
      store: store, images: images, inFolder: settings.folder, clock: engine.clock, logger: logger,
      rest: round.rest)
    return Retention(round, every: settings.keepEvery / settings.speed)
  }

  private func routes(
    _ engine: RoomServerEngine, _ bans: BanService, _ health: ServerHealth,
    _ measurements: ServerMeasurements,
    _ rooms: RoomRegistry, _ images: ImageStore
  ) -> RestRoutes {
    var routes = RestRoutes(
      engine: engine, keys: keys, registry: rooms,
      history: RoomHistory(store: store), emptyings: EmptyTimeIndex(store: store), health: health,
      pictures: PictureQueue(renderer: renderer),
      images: images, bans: bans, largestImage: settings.imageBytes, blockFormat: blockFormat,
      page: PageResponder(settings),
      isOpen: settings.isOpen, showsMetrics: settings.showsMetrics, answered: measurements.answered,
      facts: measurements.facts,
      damagedImage: measurements.imageIsDamaged,
      measurements: measurements.text, proxies: settings.proxies, data: settings.folder,
      storeIdentity: watch.identity)
    routes.gate = askingGate
    routes.sharedCursors = beside?.cursors.all
    return routes
  }

  private var gate: any Gatekeeper {
    if let askingGate { return askingGate }
    return settings.isOpen
      ? OpenServerGate(keys: keys, lasting: lastingKeys, opensAccounts: settings.opensAccounts)
      : TokenGatekeeper(keys: keys, opensAccounts: settings.opensAccounts)
  }

  private var askingGate: AskingGate? {
    gatekeeper.map { gatekeeper in
      AskingGate(gatekeeper, keys: keys, patience: settings.helloWithin / settings.speed) { [logger] error in
        logger.error("the gatekeeper failed", metadata: ["error": "\(type(of: error))"])
      }
    }
  }

  private var connectionLimits: ConnectionLimiter.Limits {
    node == nil ? settings.connectionLimits : settings.nodeLimits
  }

  private var openRule: OpenRule? { settings.isOpen ? OpenRule(settings) : nil }

  private func application(
    _ routes: RestRoutes, _ limiter: ConnectionLimiter, _ pipes: PipeDesk?,
    on group: MultiThreadedEventLoopGroup
  ) -> some ApplicationProtocol {
    let engine = routes.engine
    let router = Router(context: RestContext.self, options: .autoGenerateHeadEndpoints)
    if let ownResponder {
      router.add(middleware: OwnRoutes(respond: ownResponder, showsPage: settings.showsPage))
    }
    router.add(middleware: CrossOrigin(rule: settings.corsOrigins))
    router.add(middleware: RestErrors(page: routes.page, requests: routes.answered))
    let rule = openRule
    if let rule { router.add(middleware: OpenRuleMiddleware(rule: rule)) }
    routes.addRoutes(to: router)
    let health = routes.health
    return Application(
      router: router,
      server: HTTPServerBuilder { responder in
        PortMultiplexer(
          responder: responder, engine: engine, limiter: limiter, identity: identity,
          origins: settings.origins,
          rule: rule, times: settings.requests, pipes: pipes)
      },
      configuration: ApplicationConfiguration(
        address: .hostname(settings.host, port: settings.port), serverName: "boardroom", backlog: 1_024),
      onServerRunning: { channel in
        rooms.serve(by: routes)
        await Self.guardListening(channel, connectionLimits.sockets, logger)
        await whenListening(channel.localAddress?.port ?? settings.port)
      },
      eventLoopGroupProvider: .shared(group), logger: logger.forHTTP { health.isDraining })
  }
}

extension BoardroomServer {
  private static func guardListening(_ channel: any Channel, _ sockets: Int, _ logger: Logger) async {
    let added = channel.eventLoop.submit {
      try channel.pipeline.syncOperations.addHandler(
        AcceptGate(limit: sockets) { error in
          logger.warning("no connection can be accepted for the moment", metadata: ["why": "\(error)"])
        }, position: .first)
    }
    // This fails only if the port is closed already.
    try? await added.get()
  }
}
