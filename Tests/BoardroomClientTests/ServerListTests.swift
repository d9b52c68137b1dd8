import BoardroomCodec
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Foundation
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomClient

/// `Tests/Golden/v1/connection/servers.json`, and more walks in `sent-off.json` and `spellings.json`: which address is tried when.
/// The page's core reads them too.
struct ServerVectors: Decodable {
  struct OrderVector: Decodable {
    var count: Int
    var chances: [Double]
    var order: [Int]
  }

  struct WalkVector: Decodable, CustomTestStringConvertible {
    var title: String
    var servers: [String]
    var chances: [Double]
    var steps: [WalkStep]
    var attempts: [[Int64]]
    var follows: [Bool]
    var phase: String
    var testDescription: String { title }
  }

  struct WalkStep: Decodable {
    var at: Int64
    var `do`: String
    var address: NamedAddress?
    var kick: String?
  }

  struct NamedAddress: Decodable {
    var host: String
    var port: Int
    var isSecure: Bool
  }

  struct ListVector: Decodable {
    var servers: [String]
    var isTaken: Bool
  }

  var orders: [OrderVector]?
  var lists: [ListVector]?
  var walks: [WalkVector]

  static let all = read("servers")
  static let sentOff = read("sent-off")
  static let spellings = read("spellings")

  static func endpoint(_ text: String) throws -> Endpoint {
    let parts = try #require(URLComponents(string: text))
    let host = try #require(parts.host).trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
    let isSecure = parts.scheme == "https"
    return Endpoint(
      host: host, port: parts.port ?? (isSecure ? 443 : 80), path: parts.path, isSecure: isSecure)
  }

  private static func read(_ name: String) -> ServerVectors {
    do {
      let bytes = try GoldenFiles.read("connection/\(name).json")
      return try JSONDecoder().decode(ServerVectors.self, from: Data(bytes))
    } catch { preconditionFailure("\(error)") }
  }
}

/// A machine that a vector drives, and what it did.
private struct Walk {
  var machine = ConnectionMachine(policy: .white())
  let servers: EndpointList
  var attempts: [[Int64]] = []
  var follows: [Bool] = []
  private var now = Timestamp.zero

  init(_ vector: ServerVectors.WalkVector) throws {
    servers = try EndpointList(vector.servers.map(ServerVectors.endpoint))
    // As for a client that can ask for another token.
    machine.policy.outlivesToken = true
    var chances = vector.chances[...]
    machine.servers = ServerTurn(among: servers.all.count) { chances.removeFirst() }
    #expect(chances.isEmpty)
    for step in vector.steps { take(step) }
  }

  private mutating func take(_ step: ServerVectors.WalkStep) {
    let time = Timestamp(milliseconds: step.at)
    while let due = machine.deadline, due <= time { tick(at: due) }
    now = time
    let link = machine.link ?? 0
    switch step.do {
    case "join": if case .open = machine.join(at: now) { opened() }
    case "open":
      follows.append(machine.followsAddress)
      _ = machine.opened(link, at: now)
    case "live": _ = machine.live(link, at: now)
    case "close": _ = machine.lost(link, chance: 0.5, at: now)
    case "farewell":
      let address = step.address.map {
        ServerAddress(host: $0.host, port: $0.port, isSecure: $0.isSecure)
      }
      let kick = step.kick.flatMap(KickReason.init(rawValue:))
      let farewell = Farewell(Refusal(.goingAway), kick: kick, comeBack: true, address: address)
      _ = machine.refused(
        farewell, on: link, naming: address.flatMap { servers.place(of: $0) }, chance: 0.5, at: now)
    case "expired":
      let farewell = Farewell(Refusal(.tokenExpired), comeBack: false)
      _ = machine.refused(farewell, on: link, chance: 0.5, at: now)
    case "back": if case .open = machine.networkBack(at: now) { opened() }
    case "wait": break
    default: Issue.record("a step that nobody knows: \(step.do)")
    }
    while let due = machine.deadline, due <= now { tick(at: now) }
  }

  private mutating func tick(at time: Timestamp) {
    now = time
    while true {
      switch machine.tick(chance: 0.5, at: time) {
      case .nothing: return
      case .open: opened()
      case .reconnecting, .suspected, .retryLater, .lostNotice, .over: break
      }
    }
  }

  private mutating func opened() { attempts.append([now.milliseconds, Int64(machine.servers.current)]) }

  var phase: String {
    switch machine.phase.white {
    case .connecting?: "connecting"
    case .connected?: "connected"
    case .reconnecting?: "reconnecting"
    case .disconnecting?: "disconnecting"
    case .disconnected?, nil: "disconnected"
    }
  }
}

@Suite("Several addresses") struct ServerListTests {
  @Test("ADDR-2: chance makes the order, as the vectors have it")
  func orders() {
    let orders = ServerVectors.all.orders ?? []
    #expect(orders.count > 10)
    for vector in orders {
      var chances = vector.chances[...]
      var turn = ServerTurn(among: vector.count) { chances.removeFirst() }
      var order: [Int] = []
      for _ in 0..<vector.count {
        order.append(turn.current)
        turn.advance()
      }
      #expect(order == vector.order)
      #expect(turn.current == order[0], "round")
      #expect(chances.isEmpty)
    }
  }

  @Test("ADDR-2: of clients that lose one server together, each other one gets the same part")
  func spread() {
    var next: [Int: [Int: Int]] = [:]
    for first in 0..<12 {
      for second in 0..<12 {
        for third in 0..<12 {
          var chances = [first, second, third].map { (Double($0) + 0.5) / 12 }[...]
          var turn = ServerTurn(among: 4) { chances.removeFirst() }
          for _ in 0..<4 {
            let lost = turn.current
            turn.advance()
            next[lost, default: [:]][turn.current, default: 0] += 1
          }
        }
      }
    }
    for lost in 0..<4 {
      let others = next[lost] ?? [:]
      #expect(others.keys.sorted() == (0..<4).filter { $0 != lost })
      #expect(Set(others.values) == [12 * 12 * 12 / 3])
    }
  }

  @Test(
    "ADDR-3, ADDR-8: which address is tried, and when, as the vectors have it",
    arguments: ServerVectors.all.walks)
  func walks(_ vector: ServerVectors.WalkVector) throws { try check(vector) }

  @Test(
    "PIPE-13, ADDR-8: who was in and is sent off tries once within 0.1 s, and then at the usual pace, as the vectors have it",
    arguments: ServerVectors.sentOff.walks)
  func sentOffWalks(_ vector: ServerVectors.WalkVector) throws { try check(vector) }

  @Test(
    "ADDR-3, ADDR-8: a refused token is a failed attempt, and hosts are known however they are written, as the vectors have it",
    arguments: ServerVectors.spellings.walks)
  func spellingWalks(_ vector: ServerVectors.WalkVector) throws { try check(vector) }

  @Test("ADDR-1: an address is not there twice, however it is written, as the vectors have it")
  func spellings() throws {
    let lists = ServerVectors.spellings.lists ?? []
    #expect(lists.count > 4)
    for list in lists {
      let endpoints = try list.servers.map(ServerVectors.endpoint)
      #expect(((try? EndpointList(endpoints)) != nil) == list.isTaken, "\(list.servers)")
    }
  }

  private func check(_ vector: ServerVectors.WalkVector) throws {
    let walk = try Walk(vector)
    #expect(walk.attempts == vector.attempts)
    #expect(walk.follows == vector.follows)
    #expect(walk.phase == vector.phase)
  }

  private static let wrong: [(String, [Endpoint])] = [
    ("has 0 addresses; it may have 1 to 16", []),
    ("has 17 addresses", (1...17).map { Endpoint(host: "node-\($0)", port: 80) }),
    ("has A.test:80 twice", [Endpoint(host: "a.test", port: 80), Endpoint(host: "A.test", port: 80)]),
    ("has a:0, which is no address", [Endpoint(host: "a", port: 0), Endpoint(host: "b", port: 1)]),
    ("has a:65536, which", [Endpoint(host: "a", port: 65_536), Endpoint(host: "b", port: 1)]),
    ("has :80, which", [Endpoint(host: "", port: 80)]),
    (
      "speak TLS and some do not",
      [Endpoint(host: "a", port: 80), Endpoint(host: "b", port: 443, isSecure: true)]
    ),
  ]

  @Test(
    "ADDR-1: a list that cannot be used is badParameter, and says what is wrong with it",
    arguments: wrong.indices)
  func bounds(_ index: Int) {
    let (words, endpoints) = Self.wrong[index]
    do throws(BoardroomError) {
      _ = try EndpointList(endpoints)
      Issue.record("taken, although it \(words)")
    } catch {
      #expect(error.code == .badParameter)
      #expect(error.cause.contains(words), "\(error.cause)")
      #expect(!error.cure.isEmpty)
    }
  }

  @Test("ADDR-1: sixteen are taken; who has one address writes and reads it as ever")
  func single() throws {
    let most = (1...EndpointList.most).map { Endpoint(host: "node-\($0)", port: 80) }
    #expect(try EndpointList(most).all == most)
    let one = Endpoint(host: "a", port: 1)
    var configuration = WhiteSdkConfiguration(endpoint: one)
    #expect(configuration.servers == EndpointList(one))
    configuration = WhiteSdkConfiguration(servers: try EndpointList(most))
    #expect(configuration.endpoint == most[0])
    configuration.endpoint = one
    #expect(configuration.servers.all == [one])
    var services = ServiceConfiguration(appId: "app", servers: try EndpointList(most))
    #expect(services.endpoint == most[0])
    services.endpoint = one
    #expect(services.servers.all == [one])
  }

  // MARK: Clients

  /// Three ways to one world, each with its own weather, and which of them were tried.
  private final class ThreeNetworks: Transport {
    let networks: [String: SimulatedNetwork]
    private let asked = Box<[(second: Double, host: String)]>([])
    private let unfit = Box<Set<String>>([])
    private let world: World

    init(_ world: World) {
      self.world = world
      networks = Dictionary(uniqueKeysWithValues: ["a", "b", "c"].map { ($0, world.network()) })
    }

    var list: EndpointList {
      get throws { try EndpointList(["a", "b", "c"].map { Endpoint(host: $0, port: 1) }) }
    }
    var hosts: [String] { asked.value.map(\.host) }
    var seconds: [Double] { asked.value.map(\.second) }
    func clear() { asked.value = [] }
    func set(_ weather: SimulatedNetwork.Weather, but kept: String = "") {
      for (host, network) in networks where host != kept { network.set(weather) }
    }
    /// These do not prove who they are.
    func refuse(_ hosts: Set<String>) { unfit.value = hosts }

    func open(
      _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
      let second = world.seconds
      asked.change { $0.append((second, endpoint.host)) }
      guard let network = networks[endpoint.host], !unfit.value.contains(endpoint.host) else {
        world.loop.execute { events(.failed(ConnectionFailure(.untrustedCertificate, at: endpoint))) }
        return NoConnection()
      }
      return network.open(endpoint, subprotocol, events: events)
    }

    private struct NoConnection: TransportConnection {
      func send(_ message: [UInt8]) {}
      func close() {}
    }
  }

  private struct Stage {
    let world: World
    let transport: ThreeNetworks
    let sdk: WhiteSDK
    let ears = Ears()
    let config: WhiteRoomConfig

    init(seed: UInt64 = 4) throws {
      world = World(seed: seed)
      transport = ThreeNetworks(world)
      let anna = world.client("anna")
      var configuration = anna.sdk.configuration
      configuration.servers = try transport.list
      sdk = WhiteSDK(sdkConfiguration: configuration, context: world.loop, transport: transport)
      config = anna.config
    }

    func join() -> Result<WhiteRoom, BoardroomError> {
      world.perform { [sdk, ears, config] in
        await asResult { () async throws(BoardroomError) in try await sdk.joinRoom(config, callbacks: ears) }
      }
    }
  }

  @Test("ADDR-2: clients begin at different addresses, and end at different ones when theirs is lost")
  func clientsSpread() throws {
    var first: [String: Int] = [:]
    var second: [String: Int] = [:]
    for seed in UInt64(1)...60 {
      let stage = try Stage(seed: seed)
      _ = try stage.join().get()
      let host = try #require(stage.transport.hosts.first)
      first[host, default: 0] += 1
      guard host == "a" else { continue }
      stage.transport.networks["a"]?.set(.cut)
      stage.world.run(for: 2)
      second[try #require(stage.transport.hosts.last), default: 0] += 1
    }
    #expect(first.count == 3)
    #expect((first.values.min() ?? 0) > 8)
    #expect(second.keys.sorted() == ["b", "c"])
  }

  @Test("ADDR-3, ADDR-4: the stay goes on at the next address, and what was given meanwhile is done once")
  func movesOn() throws {
    let stage = try Stage()
    let (world, transport) = (stage.world, stage.transport)
    let room = try stage.join().get()
    let member = room.roomMemberId
    let host = try #require(transport.hosts.last)
    world.run(for: 20)
    #expect(transport.hosts == [host], "who is in stays")
    transport.clear()
    let cut = world.seconds
    transport.networks[host]?.set(.cut)
    let outcome = Outcome()
    room.setGlobalState(["k": .bool(true)]) { outcome.set($0) }
    world.run(for: 2)
    #expect(room.phase == .connected)
    #expect(room.roomMemberId == member)
    #expect((try? outcome.value?.get()) != nil)
    #expect(transport.hosts.count == 1)
    #expect(transport.hosts.last != host)
    #expect((0.4...0.6).contains(transport.seconds[0] - cut))
    #expect(stage.ears.heard.phases == [.connecting, .connected, .reconnecting, .connected])
    let keys = world.log.filter { if case .state(.global) = $0.event { true } else { false } }
    #expect(keys.count == 1)
  }

  @Test("ADDR-3: one of three that works is found, and what the app is told is as with one address")
  func findsTheOne() throws {
    for host in ["a", "b", "c"] {
      let stage = try Stage()
      stage.transport.set(.cut, but: host)
      let room = try stage.join().get()
      #expect(room.phase == .connected)
      #expect(stage.transport.hosts.last == host)
      #expect(Set(stage.transport.hosts).count == stage.transport.hosts.count, "each once")
      #expect(stage.world.seconds < 1.5)
      #expect(stage.ears.heard.phases == [.connecting, .connected])
    }
  }

  @Test("ADDR-3: the error of a join names the address that was tried last")
  func names() throws {
    let stage = try Stage()
    stage.transport.set(.cut)
    guard case .failure(let error) = stage.join() else { throw CancellationError() }
    #expect(error.code == .timeout)
    #expect(error.connection?.host == stage.transport.hosts.last)
    #expect(Set(stage.transport.hosts) == ["a", "b", "c"])
  }

  @Test("ADDR-5: a join goes on past servers that do not prove who they are, and ends when none does")
  func unfit() throws {
    let some = try Stage()
    some.transport.refuse(["a", "b"])
    #expect(try some.join().get().phase == .connected)
    let none = try Stage()
    none.transport.refuse(["a", "b", "c"])
    guard case .failure(let error) = none.join() else { throw CancellationError() }
    #expect(error.connection?.cause == .untrustedCertificate)
    #expect(none.transport.hosts.count == 3)
    // One that is only away may come back: it does not count among those.
    let away = try Stage()
    away.transport.refuse(["a", "b"])
    away.transport.networks["c"]?.set(.cut)
    let outcome = Box<Bool>(false)
    away.sdk.beginJoin(away.config, away.ears) { if (try? $0.get()) != nil { outcome.value = true } }
    away.world.run(for: 10)
    away.transport.networks["c"]?.set(.clear)
    away.world.run(for: 20)
    #expect(outcome.value)
  }

  /// A way on which the first connections meet a server that sends everybody to another address.
  private final class NamingTransport: Transport {
    let inner: ThreeNetworks
    private let named: ServerAddress
    private let left: Box<Int>
    private let asked = Box<[String]>([])
    private let said = Box<[Hello]>([])
    private let world: World
    private let codec = WireCodec(.binary, limits: WireLimits())

    init(_ world: World, _ inner: ThreeNetworks, to host: String, times: Int) {
      (self.world, self.inner) = (world, inner)
      named = ServerAddress(host: host, port: 1, isSecure: false)
      left = Box(times)
    }

    var hosts: [String] { asked.value }
    /// What it heard on those connections.
    var hellos: [Hello] { said.value }

    func open(
      _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
      asked.change { $0.append(endpoint.host) }
      left.change { $0 -= 1 }
      guard left.value >= 0 else { return inner.open(endpoint, subprotocol, events: events) }
      world.loop.execute { events(.opened) }
      return NamingConnection(self, events)
    }

    private struct NamingConnection: TransportConnection {
      let server: NamingTransport
      let events: @Sendable (TransportEvent) -> Void

      init(_ server: NamingTransport, _ events: @escaping @Sendable (TransportEvent) -> Void) {
        (self.server, self.events) = (server, events)
      }

      func send(_ message: [UInt8]) {
        guard case .hello(let hello)? = try? server.codec.decodeClient(message) else { return }
        server.said.change { $0.append(hello) }
        let farewell = Farewell(Refusal(.goingAway), comeBack: true, address: server.named)
        let bytes = server.codec.encode(server: .farewell(farewell))
        server.world.loop.execute { events(.received(bytes)) }
      }

      func close() {}
    }
  }

  /// Joins over such a way.
  private func join(
    to host: String, times: Int
  ) throws -> (room: WhiteRoom, way: NamingTransport, log: KeptLog, ears: Ears, seconds: Double) {
    let world = World(seed: 4)
    let anna = world.client("anna")
    let way = NamingTransport(world, ThreeNetworks(world), to: host, times: times)
    let (log, ears) = (KeptLog(), Ears())
    var configuration = anna.sdk.configuration
    configuration.servers = try way.inner.list
    configuration.logger = log.logger
    let sdk = WhiteSDK(sdkConfiguration: configuration, context: world.loop, transport: way)
    let config = anna.config
    let begin = world.seconds
    let room = try world.perform {
      await asResult { () async throws(BoardroomError) in try await sdk.joinRoom(config, callbacks: ears) }
    }.get()
    return (room, way, log, ears, world.seconds - begin)
  }

  @Test("ADDR-8: who is sent on is there at once, and is told of no failed attempt")
  func sentOn() throws {
    for host in ["a", "b", "c"] {
      let (room, way, log, ears, seconds) = try join(to: host, times: 1)
      #expect(room.phase == .connected)
      #expect(way.hosts.count == 2)
      #expect(way.hosts.last == host)
      #expect(way.hellos.map(\.acceptsAddress) == [true])
      #expect(seconds < 0.4, "without the first wait")
      #expect(ears.heard.phases == [.connecting, .connected])
      #expect(!log.everything.contains("An attempt to connect failed."))
      #expect(log.everything.contains("The server names the address to go to."))
    }
  }

  @Test("ADDR-7, ADDR-8: whatever a server names, a token goes to no other address than the app's")
  func strangers() throws {
    let (room, way, _, _, _) = try join(to: "stranger.test", times: 3)
    #expect(room.phase == .connected)
    #expect(way.hosts.allSatisfy { ["a", "b", "c"].contains($0) }, "\(way.hosts)")
    #expect(way.hosts[0] == way.hosts[1], "the same one again, which is told that nothing is followed")
    #expect(way.hellos.map(\.acceptsAddress) == [true, false, false])
    #expect(Set(way.hellos.map(\.token)).count == 1)
  }

  @Test("ADDR-3: RTM, RTC and Signaling move on, too")
  func services() throws {
    let world = World(seed: 4)
    let transport = ThreeNetworks(world)
    let configuration = ServiceConfiguration(appId: "app", servers: try transport.list)
    let client = RtmClient(configuration: configuration, context: world.loop, transport: transport)
    client.loginByToken("token", user: "anna") { _ in }
    world.run(for: 2)
    #expect(client.connectionState == .connected)
    let host = try #require(transport.hosts.last)
    transport.networks[host]?.set(.cut)
    world.run(for: 3)
    #expect(client.connectionState == .connected)
    #expect(transport.hosts.last != host)
  }

  @Test("ADDR-3: a token that is taken to the server goes to the same one")
  func carriedToken() throws {
    let world = World(seed: 4)
    let transport = ThreeNetworks(world)
    let configuration = ServiceConfiguration(appId: "app", servers: try transport.list)
    let client = SignalingClient.createSigInstance(configuration, context: world.loop, transport: transport)
    client.login("app", account: "anna", token: "token")
    world.run(for: 2)
    client.renewToken("another")
    world.run(for: 2)
    #expect(transport.hosts.count == 2)
    #expect(Set(transport.hosts).count == 1)
  }

  @Test("ADDR-8, ADDR-5: being sent on is no failed attempt, also where one attempt is all there is")
  func sentOnWithOneAttempt() {
    var policy = ConnectionPolicy.white()
    policy.joinTries = 1
    var machine = ConnectionMachine(policy: policy)
    machine.servers = ServerTurn(among: 3) { 0.99 }
    guard case .open(let first) = machine.join(at: .zero) else { return }
    _ = machine.opened(first, at: .zero)
    let address = ServerAddress(host: "b.example", port: 443, isSecure: true)
    let farewell = Farewell(Refusal(.goingAway), comeBack: true, address: address)
    let answer = machine.refused(farewell, on: first, naming: 1, chance: 0.5, at: .zero)
    guard case .retryLater = answer, case .open(let second) = machine.tick(chance: 0.5, at: .zero) else {
      Issue.record("\(answer)")
      return
    }
    #expect(machine.servers.current == 1)
    _ = machine.opened(second, at: .zero)
    guard case .over = machine.refused(farewell, on: second, naming: 2, chance: 0.5, at: .zero) else {
      Issue.record("a second address is not followed, and there is no attempt left")
      return
    }
  }
}
