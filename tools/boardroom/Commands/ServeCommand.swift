import ArgumentParser
import BoardroomAccess
import BoardroomCodec
import BoardroomHTTP
import BoardroomServer
import EventLog
import EventLogModel
import Foundation
import Logging
import ServiceLifecycle
import Synchronization

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract: "Serve rooms on one port: WebSockets, REST, measurements.",
    discussion: """
      A flag wins over an environment variable, a variable over the file, the file over the default. The key \
      limits.statePatch is `--set limits.statePatch=64KiB`, BOARDROOM_LIMITS_STATE_PATCH, or \
      {"limits": {"statePatch": "64KiB"}} in the file.

      SIGTERM and Ctrl-C end it: nobody new comes in, everyone is told to come back, everything is committed. \
      A second Ctrl-C ends it at once; what was acknowledged is on disk either way.

      /metrics is open to this machine only; from elsewhere, or through a proxy, it needs an SDK token.

      Examples:
        boardroom serve
        boardroom serve --host 0.0.0.0 --port 80 --data /srv/boardroom --log-format json
        boardroom serve --config boardroom.json --set pointers=off
        boardroom serve --data postgres://boardroom@db/boardroom --files /srv/boardroom
      boardroom serve --data postgres://boardroom@db/boardroom --node a --address a.example:8080

      Keys, defaults, forms:
      \(Setting.table)

      Exit codes: 0 ended as asked; 64 a setting is wrong; 69 the port is in use or not \
      allowed, or the database does not answer; 73 the folder cannot be made; 74 reading or writing failed; 75 another process has the folder open; 130 ended \
      at once.
      """)

  @Option(help: "Address to listen on.") var host: String?
  @Option(help: "Port to listen on; 0: any free one.") var port: String?
  @Option(
    help: ArgumentHelp(
      "Folder with the log and the keys, or the address of a database: postgres://user@host/name.",
      valueName: "folder"))
  var data: String?
  @Option(
    help: ArgumentHelp(
      "With a database: folder with keys and the secret of webhooks.", valueName: "folder"))
  var files: String?
  @Option(help: ArgumentHelp("Folder with the page's files, read anew each time.", valueName: "dir"))
  var webRoot: String?
  @Option(help: "Least severity that is logged.") var logLevel: String?
  @Option(help: "text or json.") var logFormat: String?
  @Option(
    name: .customLong("set"), help: ArgumentHelp("Any key; may be repeated.", valueName: "name=value"))
  var pairs: [String] = []
  @Option(help: "JSON file with settings; else $BOARDROOM_CONFIG.") var config: String?
  @Flag(
    help: """
      Let anyone into any room without a token, and make rooms as they are asked for. Loopback only, unless open.hosts \
      names others.
      """)
  var open = false
  @Option(
    help: ArgumentHelp(
      "Let every clock run so many times as fast, the log's too; for tests. Loopback only.",
      valueName: "factor"))
  var speed = Speed.usual
  @Flag(
    help: """
      Start although acknowledged events cannot be read any more, and go on without them. Back the folder up \
      first, and see what `boardroom verify` says.
      """)
  var acceptLoss = false
  @Flag(
    help: """
      With a database: start although another node's connections are there, and take its place. It takes no more events \
      from then on.
      """)
  var takeOver = false
  @Option(
    help: ArgumentHelp(
      "With a database: the name of this node among several that serve it. All of them have the same keys.",
      valueName: "name"))
  var node: String?
  @Option(
    help: ArgumentHelp(
      "With --node: where the other nodes reach this one; https:// where its port speaks TLS.",
      valueName: "host:port"))
  var address: String?
  @Flag(
    help: "With --node: clients reach all nodes at their --address, and are sent to the owner of their room.")
  var clientsReachNodes = false
  @Flag(help: "Print what is in force and end.") var showSettings = false
  @Flag(help: "Machine-readable output: log.format json, and of --show-settings one object.")
  var json = false
  @Option(help: ArgumentHelp("Print a table that is made from the code, and end.", visibility: .hidden))
  var reference: ReferenceTable?
  @Flag(help: ArgumentHelp("Print docs/openapi.json on one line and end.", visibility: .hidden))
  var openapi = false

  func run() async throws {
    try await answering {
      if openapi { return Terminal.line(String(decoding: OpenAPI.bytes, as: UTF8.self), isJSON: true) }
      if let reference { return Terminal.lines(reference.markdown.components(separatedBy: "\n")) }
      let settings = try forTests(try settings())
      if showSettings { return Self.show(settings, json: json) }
      let (level, format) = (Logger.Level(rawValue: settings.logLevel.rawValue) ?? .info, settings.logFormat)
      LoggingSystem.bootstrap { LogLines(label: $0, level: level, format: format) }
      try await serve(settings)
    }
  }

  // MARK: Settings

  private func settings() throws -> ServerSettings {
    let environment = ProcessInfo.processInfo.environment
    let path = config ?? environment["BOARDROOM_CONFIG"]
    do {
      return try ServerSettings(
        flags: try flags(), environment: environment,
        file: try path.map { (path: $0, bytes: try Self.content($0)) })
    } catch let error as SettingError {
      throw Failure(.usage, sentences: error.description)
    }
  }

  /// A server without tokens, or with a faster clock, may listen to this machine only.
  private func forTests(_ settings: ServerSettings) throws -> ServerSettings {
    guard let speed = speed.ofClocks else {
      throw Failure(.usage, "--speed of clocks is a whole number from 1 to 1000.")
    }
    guard open || speed > 1 else { return settings }
    let isHere = settings.host == "localhost" || settings.host == "::1" || settings.host.hasPrefix("127.")
    guard isHere || speed == 1 && !settings.openHosts.names.isEmpty else {
      let flag = speed > 1 ? "--speed" : "--open"
      let way =
        speed > 1
        ? "."
        : ", or say with --set open.hosts=NAME under which names others may call it: they need no token."
      throw Failure(
        .usage, "\(flag) listens on this machine only.", "Leave out --host, or leave out \(flag)\(way)")
    }
    var changed = settings
    (changed.isOpen, changed.speed) = (open, speed)
    return changed
  }

  private func flags() throws -> [String: String] {
    var flags: [String: String] = [:]
    for pair in pairs {
      guard let place = pair.firstIndex(of: "=") else {
        throw Failure(.usage, "--set \(pair) is not key=value.")
      }
      flags[String(pair[..<place])] = String(pair[pair.index(after: place)...])
    }
    let named = [
      ("host", host), ("port", port), ("data", data), ("files", files), ("page.root", webRoot),
      ("log.level", logLevel),
      ("log.format", logFormat),
    ]
    if json, flags["log.format"] == nil { flags["log.format"] = "json" }
    for (key, value) in named { if let value { flags[key] = value } }
    return flags
  }

  private static func content(_ path: String) throws -> [UInt8] {
    guard let content = FileManager.default.contents(atPath: path) else {
      throw Failure(.noInput, "\(path) cannot be read.", "Check --config.", at: path)
    }
    return Array(content)
  }

  private static func show(_ settings: ServerSettings, json: Bool) {
    guard !json else {
      let fields = Setting.all.map { "\(Text.json($0.key)):\(Text.json($0.text(in: settings)))" }
      return Terminal.line("{\(fields.joined(separator: ","))}", isJSON: true)
    }
    for setting in Setting.all { Terminal.line("\(setting.key)=\(setting.text(in: settings))") }
  }

  // MARK: Serving

  private func serve(_ settings: ServerSettings) async throws {
    let logger = Logger(label: "boardroom")
    let identity = try Self.identity(settings, logger)
    let settings = Self.limited(settings, logger)
    let node = try nodePlace(settings)
    let (recovered, found) = AsyncStream.makeStream(of: [LogID].self)
    let (gone, lost) = AsyncStream.makeStream(of: NodeAddress.self)
    let store = try open(settings, as: node, logger) { news in
      news.note(in: logger)
      if case .recovered(_, let logs) = news { found.yield(logs) }
      if case .gone(let node) = news, let address = node.nodeAddress { lost.yield(address) }
    }
    noteDamage(in: store, logger)
    try await Self.noteImports(in: store, logger)
    let keys: KeyRing
    let database = try Database(settings.place)
    if node == nil, store.statistics.logs > 0, access(settings.folder + "/" + KeyFile.name, F_OK) != 0 {
      logger.warning("a new key was made for rooms that were there", metadata: ["file": "\(KeyFile.name)"])
    }
    var lock: FilesLock?
    do {
      if settings.place.isDatabase {
        try NewFolder.make(settings.folder)
        lock = try FilesLock(folder: settings.folder)
      }
      keys =
        if node != nil, let database {
          try database.nodeKeys(inFolder: settings.folder)
        } else { try KeyFile.open(inFolder: settings.folder) }
    } catch {
      await store.shutdown()
      if let error = error as? KeyFile.Failure { throw Failure(.cannotCreate, sentences: error.description) }
      throw error
    }
    var watch = StoreWatch(store, settings)
    if let database { (watch.scrubRecords, watch.scrub) = try database.scrub() }
    var server = BoardroomServer(
      settings: settings, store: store, keys: keys, watch: watch, blockFormat: StoredBlocks(),
      identity: identity,
      logger: logger
    ) { port in
      logger.info(
        "listening",
        metadata: [
          "host": "\(settings.host)", "port": "\(port)", "data": "\(settings.place)",
          "key": "\(keys.signer.id)", "tls": identity == nil ? "off" : "on",
        ])
    }
    defer { lock?.release() }
    if let database {
      do { server.beside = try await Self.beside(store, of: database, settings, logger) } catch {
        await store.shutdown()
        throw error
      }
    }
    if let node, let owners = store.owners {
      server.node = NodeSettings(name: node.name, owners: owners)
      server.node?.recovered = recovered
      server.node?.gone = gone
      server.node?.clientsReachNodes = clientsReachNodes
      if let seen = store.seenNodes {
        server.node?.seen = { store.seenNodes ?? seen }
        server.node?.endAsFenced = { store.heardThatItIsFenced() }
      }
    }
    do {
      try await untilEnded(server, identity, logger, within: settings.drain)
    } catch let error as ServerStartError {
      throw Failure(.unavailable, sentences: error.description)
    } catch let error as ServerFailure {
      throw Failure(.io, sentences: error.description)
    }
  }

  /// Every connection takes a file descriptor. Raises the limit of the process to the highest value that the
  /// system allows, and lowers `connections.all` to it.
  private static func limited(_ settings: ServerSettings, _ logger: Logger) -> ServerSettings {
    var limited = settings
    guard let allowed = limited.fit(openFiles: FileLimit.raised()) else { return settings }
    logger.warning(
      "the system allows fewer connections than connections.all",
      metadata: ["allowed": "\(allowed)", "set": "\(settings.allConnections)"])
    return limited
  }

  private static func identity(_ settings: ServerSettings, _ logger: Logger) throws -> TLSIdentity? {
    guard let files = settings.tls else { return nil }
    do throws(TLSFilesError) {
      return try TLSIdentity(files, logger: logger)
    } catch {
      let status: ExitStatus =
        switch error {
        case .missing: .noInput
        case .unreadable: .forbidden
        case .noCertificate, .noKey, .notPaired: .badInput
        }
      throw Failure(status, sentences: error.description)
    }
  }

  /// Logs unfinished imports, because their rooms are not visible otherwise.
  private static func noteImports(in store: any ServedStore, _ logger: Logger) async throws {
    for begun in try await store.imports() {
      logger.warning(
        "an import is not finished",
        metadata: ["room": "\(begun.info.log)", "events": "\(begun.info.last)", "of": "\(begun.last)"])
    }
  }

  private func noteDamage(in store: any ServedStore, _ logger: Logger) {
    for damage in store.damages where acceptLoss && !damage.isHarmless {
      logger.error("events were lost", metadata: ["where": "\(damage)"])
    }
    // Without --accept-loss a store with lost events does not open.
    for damage in store.damages where !acceptLoss || damage.isHarmless {
      logger.error("a damaged part was replaced", metadata: ["where": "\(damage)"])
    }
    // Every start names a loss that was accepted once.
    if let last = (store as? EmbeddedLogStore)?.earlier.last(where: { !$0.isHarmless }) {
      logger.warning(
        "damage was met before",
        metadata: ["revisions": "\(store.statistics.lostRevisions)", "where": "\(last)"])
    }
    if let remains = store.remains {
      logger.warning("the journal's last frame is not whole", metadata: ["where": "\(remains)"])
    }
  }

  private func open(
    _ settings: ServerSettings, as node: NodePlace?, _ logger: Logger,
    onNews: @escaping @Sendable (NodeNews) -> Void
  ) throws -> any ServedStore {
    guard let database = try Database(settings.place) else {
      guard !takeOver else {
        throw Failure(.usage, "--take-over is for a database.", "A folder is free when its server has ended.")
      }
      return try Self.openFolder(settings, acceptLoss: acceptLoss)
    }
    guard !acceptLoss else {
      throw Failure(
        .usage, "--accept-loss is for a folder.",
        "Of a database bring back a backup, or see `boardroom verify --data`.")
    }
    return try database.open(
      .init(
        takesOver: takeOver, commitInterval: settings.commitInterval, segmentBytes: settings.segmentBytes,
        node: node, onNews: onNews,
        onWaiting: {
          logger.notice("waiting for the start of another node", metadata: ["data": "\(settings.place)"])
        }))
  }

  private static func openFolder(_ settings: ServerSettings, acceptLoss: Bool) throws -> EmbeddedLogStore {
    var options = EmbeddedLogStore.Options()
    options.acceptLoss = acceptLoss
    options.minimumCommitInterval = settings.commitInterval
    options.segmentBytes = settings.segmentBytes
    options.liveSegments = settings.segments
    (options.packAfter, options.bodyShapes) = (settings.packAfter, BodyShapes.all)
    do throws(LogError) {
      return try EmbeddedLogStore.open(folder: settings.folder, options: options)
    } catch {
      // A single `catch` with a pattern crashes the compiler of Swift 6.3.
      guard case .io(let operation, let path, let code) = error,
        [EACCES, EPERM, EROFS, ENOTDIR, ENOENT].contains(code)
      else { throw error }
      let reason = String(cString: strerror(code))
      throw Failure(
        .cannotCreate,
        "\(operation) failed on \(path): \(reason).",
        "Choose a folder that this user may write, with --data.", at: path)
    }
  }

  /// The first SIGINT or SIGTERM ends it gracefully, the second at once. SIGHUP reads the certificate again.
  private func untilEnded(
    _ server: BoardroomServer, _ identity: TLSIdentity?, _ logger: Logger, within drain: Duration
  ) async throws {
    let lastResort = LastResort(after: drain / .seconds(1))
    let services = ServiceGroup(services: [server], logger: logger)
    let asked = SignalCount()
    let ends = await WatchedSignals([SIGINT, SIGTERM]) {
      if asked.next() > 1 { Foundation.exit(ExitStatus.interrupted.rawValue) }
      lastResort.begin()
      Task { await services.triggerGracefulShutdown() }
    }
    // When its terminal is closed, the program ends like any other. A supervisor's SIGHUP for a reload must
    // not end it.
    let isReloaded = identity != nil || isatty(STDIN_FILENO) == 0
    let reload = await WatchedSignals(isReloaded ? [SIGHUP] : []) { identity?.reload() }
    defer {
      ends.end()
      reload.end()
    }
    try await services.run()
  }
}

private final class SignalCount: Sendable {
  private let count = Atomic<Int>(0)
  func next() -> Int { count.add(1, ordering: .relaxed).newValue }
}
