import BoardroomAccess
import BoardroomClient
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLog
import EventLogModel
import Logging

/// A whole server on a port of this machine, with a log in memory, for as long as a test runs.
public struct LoopbackServer: Sendable {
  public let endpoint: Endpoint
  public let store: MemoryLogStore
  public let room: RoomID
  /// Opens the room as admin.
  public let token: String
  /// Signs in any account.
  public let accountToken: String

  /// Runs `body` while the server runs.
  ///
  /// - Parameter pace: how many times as fast as the world's the server's clock runs.
  public static func run(
    tls: TLSFiles? = nil, pace: Int = 1,
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
    let (ports, sink) = AsyncStream<Int>.makeStream()
    let identity = try tls.map { [quiet] files in try TLSIdentity(files, logger: quiet) }
    var server = BoardroomServer(
      settings: settings, store: store, keys: KeyRing(pairs: [pair]), identity: identity, logger: quiet
    ) { sink.yield($0) }
    let clock = PacedClock(pace)
    server.clock = { clock.now }
    let served = server
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask { try? await served.run() }
      defer { tasks.cancelAll() }
      for await port in ports {
        try await body(
          LoopbackServer(
            endpoint: Endpoint(host: "127.0.0.1", port: port, isSecure: tls != nil), store: store, room: room,
            token: roomToken, accountToken: accountToken))
        return
      }
    }
  }

  private static func create(_ room: RoomID, in store: MemoryLogStore, at now: Timestamp) async throws {
    let engine = RoomServerEngine(
      store: store, gatekeeper: OpenGate(), loops: [VirtualLoop(seed: 1)], clock: { now })
    try await engine.create(room, as: RoomCreated(name: "loopback"), at: now)
  }
}
