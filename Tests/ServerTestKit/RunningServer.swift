import BoardroomAccess
import BoardroomCodec
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLog
import EventLogModel
import Foundation
import Logging
import ServiceLifecycle
import StorageTestKit
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// A whole server on a port of its own, with its log in memory.
package struct RunningServer: Sendable {
  package static let pair = KeyPair(id: "test-key", secret: "test-secret")

  package let port: Int
  /// Its data folder.
  package let data: String
  package let store: MemoryLogStore
  package let keys: KeyRing
  /// What a program has that embeds the server.
  package let rooms: HostedRooms
  private let services: ServiceGroup

  package struct Answer: Sendable {
    package var status: Int
    package var body: [UInt8]
    /// By lower-case name.
    package var headers: [String: String]
    package var text: String { String(decoding: body, as: UTF8.self) }
    package var json: JSONValue? { try? JSONValue.parse(body) }
  }

  /// `base` takes the place of the log in memory, `embedding` puts a program's own routes around it. Runs one for `body` and sees to it that it ends by itself afterwards.
  package static func with(
    _ settings: ServerSettings = ServerSettings(), renderer: (any PictureRenderer)? = nil,
    store: MemoryLogStore = MemoryLogStore(), over base: (any LogStore)? = nil,
    clock: (@Sendable () -> Timestamp)? = nil,
    watch: StoreWatch = StoreWatch(), identity: TLSIdentity? = nil,
    gatekeeper: (any RoomGatekeeper)? = nil,
    embedding: (BoardroomServer) -> BoardroomServer = { $0 },
    logs: @escaping @Sendable ([UInt8]) -> Void = { _ in },
    measuring: @escaping @Sendable (Int) async -> Void = { _ in },
    _ body: @Sendable (RunningServer) async throws -> Void
  ) async throws {
    var settings = settings
    settings.port = 0
    settings.threads = 1
    let folder = TemporaryFolder()
    settings.data = folder.path
    // A busy machine must not turn a slow test into a late hello.
    settings.helloWithin = .seconds(60)
    let keys = KeyRing(pairs: [pair])
    let (ports, portsIn) = AsyncStream<Int>.makeStream()
    let logger = Logger(label: "test") { LogLines(label: $0, level: .warning, format: .text, sink: logs) }
    let identity = try identity ?? settings.tls.map { try TLSIdentity($0, logger: logger) }
    var server = BoardroomServer(
      settings: settings, store: base ?? store, keys: keys, watch: watch, identity: identity,
      gatekeeper: gatekeeper, logger: logger
    ) {
      portsIn.yield($0)
    }
    server.renderer = renderer
    server.clock = clock
    server.whenMeasuring = measuring
    let rooms = server.rooms
    let services = ServiceGroup(services: [embedding(server)], logger: logger)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        defer { portsIn.finish() }
        try await services.run()
      }
      if let port = await ports.first(where: { _ in true }) {
        try await body(
          RunningServer(
            port: port, data: folder.path, store: store, keys: keys, rooms: rooms, services: services))
      }
      await services.triggerGracefulShutdown()
      try await tasks.waitForAll()
    }
    // Until here: the images of the boards lie in it.
    withExtendedLifetime(folder) {}
  }

  /// The same server, asked on another port.
  package static func at(port: Int, of server: RunningServer) -> RunningServer {
    RunningServer(
      port: port, data: server.data, store: server.store, keys: server.keys, rooms: server.rooms,
      services: server.services)
  }

  package func shutDown() async { await services.triggerGracefulShutdown() }

  // MARK: Tokens

  package func token(_ scope: TokenScope, _ role: Role) -> String {
    AccessToken(scope: scope, role: role, keyID: Self.pair.id, lifespan: 0, at: .wallClock)
      .signed(with: Self.pair.secret)
  }

  package var admin: String { token(.team, .admin) }

  // MARK: HTTP

  package func call(
    _ method: String, _ path: String, token: String? = nil, body: String? = nil,
    bytes: [UInt8]? = nil, headers: [String: String] = [:]
  ) async throws -> Answer {
    let url = try #require(URL(string: "http://127.0.0.1:\(port)\(path)"))
    var request = URLRequest(url: url)
    request.httpMethod = method
    request.httpBody = bytes.map { Data($0) } ?? body.map { Data($0.utf8) }
    if let token { request.setValue(token, forHTTPHeaderField: "token") }
    for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
    let (data, response) = try await URLSession.shared.data(for: request)
    let answer = try #require(response as? HTTPURLResponse)
    let refused = try? JSONValue.parse(Array(data))
    if refused?["code"]?.string == "tooLarge" {
      // Docs/PROTOCOL.md, section 9, of every answer of every test.
      let (actual, allowed) = (refused?["actual"]?.int ?? 0, refused?["allowed"]?.int ?? 0)
      #expect(actual > allowed, "\(path)")
      #expect(allowed > 0, "\(path)")
      #expect(refused?["limit"]?.string?.isEmpty == false, "\(path)")
    }
    let names = answer.allHeaderFields.map { ("\($0.key)".lowercased(), "\($0.value)") }
    return Answer(
      status: answer.statusCode, body: Array(data), headers: Dictionary(names) { first, _ in first })
  }

  /// Makes a room and gives its name.
  package func room(_ body: String = "{}") async throws -> RoomID {
    let answer = try await call("POST", "/v5/rooms", token: admin, body: body)
    return try #require(answer.json?["uuid"]?.string.flatMap { RoomID($0) })
  }

  /// Puts members into a room's log, as if they had joined; returns their numbers.
  package func join(_ room: RoomID, _ uids: [String?]) async throws -> [MemberID] {
    let info = try await store.info(of: room)
    let records = uids.enumerated().map { place, uid in
      let joined = MemberJoined(
        session: .random(), uid: uid, role: .writer, writable: true,
        payload: JSONText(unchecked: "{\"n\":1}"),
        client: nil)
      return Record(
        kind: EventKind.memberJoined.rawValue, time: .wallClock,
        actor: Actor.member(MemberID(UInt64(place))).code,
        body: EventCodec.encodeBody(.members(.joined(joined)), counter: 0))
    }
    try await store.append(records, to: room, expecting: info.last, epoch: nil)
    return uids.indices.map { MemberID(UInt64($0)) }
  }
}

extension RunningServer {
  /// Asks to join a room as `uid`: the connection, and what it is told until it is in or sent away.
  package func knock(
    _ room: RoomID, _ uid: String? = nil, token: String? = nil
  ) async throws -> (RawSocket, String) {
    let socket = try #require(RawSocket(port: port))
    socket.askForRoom(offering: "boardroom.json.v1")
    _ = await socket.receive(until: "\r\n\r\n")
    let name = uid.map { ",\"uid\":\"\($0)\"" } ?? ""
    socket.sendFrame("{\"m\":\"hello\",\"room\":\"\(room)\",\"token\":\"\(token ?? admin)\"\(name)}")
    let heard = await socket.receive { $0.contains("\"m\":\"live\"") || $0.contains("\"cure\"") }
    return (socket, heard)
  }

  /// "in", or the code of the refusal.
  package func outcome(_ room: RoomID, _ uid: String? = nil) async throws -> String {
    let (_, heard) = try await knock(room, uid)
    if heard.contains("\"m\":\"live\"") { return "in" }
    return ["banned", "notFound"].first { heard.contains("\"code\":\"\($0)\"") } ?? heard
  }
}
