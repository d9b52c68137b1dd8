import BoardroomAccess
import BoardroomClient
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLog
import EventLogModel
import Logging
import Synchronization

/// A whole server on a port of this machine, with a log in memory, for as long as a test runs.
public struct LoopbackServer: Sendable {
  public let endpoint: Endpoint
  public let store: MemoryLogStore
  public let room: RoomID
  /// Opens the room as admin.
  public let token: String
  /// Signs in any account.
  public let accountToken: String
  /// A second node on the same log, if there is one.
  public var second: Endpoint?

  /// Runs `body` while the server runs.
  ///
  /// - Parameters:
  ///   - pace: how many times as fast as the world's the server's clock runs.
  ///   - apart: nil: the server is alone. Otherwise two nodes serve the log, and the second one owns these of it.
  ///   - sendsOn: whether the nodes may send clients to each other.
  public static func run(
    tls: TLSFiles? = nil, pace: Int = 1, apart: Set<LogID>? = nil, sendsOn: Bool = false,
    _ body: @escaping @Sendable (LoopbackServer) async throws -> Void
  ) async throws {
    let pair = KeyPair.random()
    let store = MemoryLogStore()
    let room = RoomID.random()
    let now = Timestamp.wallClock
    try await create(room, in: store, at: now)
    func token(_ scope: TokenScope) -> String {
      AccessToken(scope: scope, role: .admin, keyID: pair.id, lifespan: 60_000 * Int64(pace), at: now)
        .signed(with: pair.secret)
    }
    let (roomToken, accountToken) = (token(.room(room)), token(.team))
    var settings = ServerSettings()
    settings.port = 0
    settings.threads = 1
    settings.tick = settings.timings.heartbeat / (4 * pace)
    var quiet = Logger(label: "loopback")
    quiet.logLevel = .critical
    let identity = try tls.map { [quiet] files in try TLSIdentity(files, logger: quiet) }
    let clock = PacedClock(pace)
    let places = NodePlaces(apart: apart ?? [])
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      defer { tasks.cancelAll() }
      var endpoints: [Endpoint] = []
      for number in 0..<(apart == nil ? 1 : 2) {
        let (ports, sink) = AsyncStream<Int>.makeStream()
        var server = BoardroomServer(
          settings: settings, store: store, keys: KeyRing(pairs: [pair]), identity: identity, logger: quiet
        ) { sink.yield($0) }
        server.clock = { clock.now }
        if apart != nil {
          server.node = NodeSettings(name: NodePlaces.name(number), owners: NodePlaces.Owners(number, places))
          server.node?.clientsReachNodes = sendsOn
        }
        let served = server
        tasks.addTask { try? await served.run() }
        for await port in ports {
          endpoints.append(Endpoint(host: "127.0.0.1", port: port, isSecure: tls != nil))
          places.know(port)
          break
        }
      }
      guard let endpoint = endpoints.first else { return }
      var server = LoopbackServer(
        endpoint: endpoint, store: store, room: room, token: roomToken, accountToken: accountToken)
      server.second = endpoints.dropFirst().first
      try await body(server)
    }
  }

  private static func create(_ room: RoomID, in store: MemoryLogStore, at now: Timestamp) async throws {
    let engine = RoomServerEngine(
      store: store, gatekeeper: OpenGate(), loops: [VirtualLoop(seed: 1)], clock: { now })
    try await engine.create(room, as: RoomCreated(name: "loopback"), at: now)
  }
}

/// Two nodes on this machine, and which of them owns what.
private final class NodePlaces: Sendable {
  private let apart: Set<LogID>
  private let ports = Mutex<[Int]>([])

  init(apart: Set<LogID>) { self.apart = apart }

  static func name(_ number: Int) -> String { "node-\(number)" }

  /// The next node's port.
  func know(_ port: Int) { ports.withLock { $0.append(port) } }

  /// What one of the nodes is told.
  struct Owners: SpaceOwners {
    private let number: Int
    private let places: NodePlaces

    init(_ number: Int, _ places: NodePlaces) { (self.number, self.places) = (number, places) }

    func owner(of log: LogID) async -> SpaceOwner {
      let owner = places.apart.contains(log) ? 1 : 0
      guard owner != number else { return .here }
      let port = places.ports.withLock { $0.indices.contains(owner) ? $0[owner] : nil }
      return port.map { .at(NodeAddress(name: name(owner), host: "127.0.0.1", port: $0)) } ?? .nobodyYet
    }
  }
}
