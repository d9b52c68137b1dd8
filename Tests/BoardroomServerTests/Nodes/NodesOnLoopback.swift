import BoardroomAccess
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import NIOCore
import NIOPosix
import ServerTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomServer

/// Who owns what, as a test says: this node, unless told otherwise.
final class ToldOwners: SpaceOwners {
  private struct Told {
    var owners: [LogID: SpaceOwner] = [:]
    var asked = 0
    /// Logs that this node does not have, although it answers for them.
    var lacked: Set<LogID> = []
    var release: (@Sendable ([LogID]) async -> Bool)?
  }

  private let told = Mutex(Told())
  /// Goes on with each question of a client's.
  let questions: AsyncStream<Void>
  private let question: AsyncStream<Void>.Continuation

  init() { (questions, question) = AsyncStream.makeStream() }

  var asked: Int { told.withLock { $0.asked } }

  func say(_ owner: SpaceOwner, of log: LogID) { told.withLock { $0.owners[log] = owner } }

  func isOthers(_ log: LogID) -> Bool {
    told.withLock { if case .at? = $0.owners[log] { true } else { false } }
  }

  func lack(_ log: LogID) { told.withLock { _ = $0.lacked.insert(log) } }
  func has(_ log: LogID) -> Bool { told.withLock { !$0.lacked.contains(log) } }

  /// What it does when logs are given up; without it they cannot be.
  func whenReleased(_ release: @escaping @Sendable ([LogID]) async -> Bool) {
    told.withLock { $0.release = release }
  }

  func release(_ logs: [LogID]) async -> Bool {
    await told.withLock { $0.release }?(logs) ?? false
  }

  func owner(of log: LogID) async -> SpaceOwner {
    // A node asks for that one by itself, again and again.
    let isClients = log != .operators
    defer { if isClients { question.yield() } }
    return told.withLock { told in
      if isClients { told.asked += 1 }
      return told.owners[log] ?? .here
    }
  }
}

/// What a node reads of a database in which nothing is sealed of what other nodes own.
struct Unsealed: ForwardingLogStore {
  let base: any LogStore
  let owners: ToldOwners

  func info(of log: LogID) async throws(LogError) -> LogInfo { seen(try await base.info(of: log)) }

  func logs(after: LogID?, limit: Int) async throws(LogError) -> [LogInfo] {
    try await base.logs(after: after, limit: limit).map(seen)
  }

  func read(_ log: LogID, after: Revision, limit: Int) async throws(LogError) -> [StoredRun] {
    guard owners.isOthers(log) else { return try await base.read(log, after: after, limit: limit) }
    guard after == .zero else { throw .beyondEnd(log, asked: after, last: .zero) }
    return []
  }

  private func seen(_ info: LogInfo) -> LogInfo {
    guard owners.isOthers(info.log) else { return info }
    return LogInfo(
      log: info.log, epoch: info.epoch, created: info.created, low: info.low, last: .zero, lastTime: .zero,
      rawBytes: 0, storedBytes: 0, isComplete: false)
  }
}

/// Two whole servers that have one store and the same keys. Clients come to `middle`; rooms are at `owner`.
struct TwoNodes: Sendable {
  let middle: RunningServer
  let owner: RunningServer
  /// What each of them believes.
  let middleOwners: ToldOwners
  let ownerOwners: ToldOwners
  /// Tells the middle node that another one is gone.
  let gone: AsyncStream<NodeAddress>.Continuation
  let store: MemoryLogStore
  /// The time of both.
  let now: @Sendable () -> Timestamp

  /// Runs both for `body`.
  ///
  /// - Parameters:
  ///   - gatekeeper: that of both; nil: the usual one, which decides at once.
  ///   - sendsOn: whether the middle node may send clients to the owner.
  ///   - operators: who owns the operators' log, as the middle node believes from its first question on; nil: it does.
  ///   - view: what the middle node sees of the store; nil: all of it.
  ///   - clock: nil: one that stands still, so that the time that a busy machine takes is no silence of a client.
  static func run(
    middle middleSettings: ServerSettings = ServerSettings(),
    owner ownerSettings: ServerSettings = ServerSettings(), trust: String? = nil,
    clock: (@Sendable () -> Timestamp)? = nil, gatekeeper: (any RoomGatekeeper)? = nil,
    sendsOn: Bool = false, operators: (@Sendable (TwoNodes) -> SpaceOwner)? = nil,
    middleSees view: ((MemoryLogStore, ToldOwners) -> any LogStore)? = nil,
    _ body: @Sendable (TwoNodes) async throws -> Void
  ) async throws {
    let store = MemoryLogStore()
    let start = Timestamp.wallClock
    let clock = clock ?? { start }
    let (middleOwners, ownerOwners) = (ToldOwners(), ToldOwners())
    let (goneNodes, gone) = AsyncStream.makeStream(of: NodeAddress.self)
    // Which is not kept: it is asked for again until the nodes are there.
    if operators != nil { middleOwners.say(.nobodyYet, of: .operators) }
    try await RunningServer.with(
      middleSettings, store: store, over: view?(store, middleOwners),
      clock: clock, gatekeeper: gatekeeper,
      embedding: { server in
        var server = server
        server.node = NodeSettings(name: "middle", owners: middleOwners, trust: trust)
        server.node?.clientsReachNodes = sendsOn
        server.node?.gone = goneNodes
        return server
      },
      { middle in
        try await RunningServer.with(
          ownerSettings, store: store, clock: clock, gatekeeper: gatekeeper,
          embedding: { server in
            var server = server
            server.node = NodeSettings(name: "owner", owners: ownerOwners)
            return server
          },
          { owner in
            let nodes = TwoNodes(
              middle: middle, owner: owner, middleOwners: middleOwners, ownerOwners: ownerOwners, gone: gone,
              store: store, now: clock)
            if let operators { middleOwners.say(operators(nodes), of: .operators) }
            try await body(nodes)
          })
      })
  }

  /// The owner, as the middle node reaches it; on another port if something stands between.
  func address(port: Int? = nil, isSecure: Bool = false) -> NodeAddress {
    NodeAddress(name: "owner", host: "127.0.0.1", port: port ?? owner.port, isSecure: isSecure)
  }

  /// A room of the owner's.
  func room(through port: Int? = nil, isSecure: Bool = false) async throws -> RoomID {
    let room = try await middle.room()
    middleOwners.say(.at(address(port: port, isSecure: isSecure)), of: room)
    return room
  }

  /// One measurement of a node.
  static func figure(_ name: String, of server: RunningServer) async throws -> Double {
    let text = try await server.call("GET", "/metrics", token: server.admin).text
    let line = text.split(separator: "\n").first { $0.hasPrefix(name + " ") }
    return try #require(line.flatMap { Double($0.dropFirst(name.count + 1)) })
  }
}

/// A client of the JSON subprotocol, byte for byte.
final class NodeClient: Sendable {
  let socket: RawSocket
  private let heardText = Mutex("")

  /// All that it has heard.
  var heard: String { heardText.withLock { $0 } }

  /// Opens a WebSocket.
  init(_ server: RunningServer, from address: String? = nil, window: Int? = nil) async throws {
    socket = try #require(RawSocket(port: server.port, window: window))
    socket.askForRoom(
      offering: "boardroom.json.v1", more: address.map { ["X-Forwarded-For: \($0)"] } ?? [])
    let answer = await socket.receive(until: "\r\n\r\n")
    #expect(answer.hasPrefix("HTTP/1.1 101"), "\(answer)")
  }

  func hello(_ room: RoomID, by server: RunningServer, token: String? = nil, more: String = "") {
    let token = token ?? server.admin
    socket.sendFrame("{\"m\":\"hello\",\"room\":\"\(room)\",\"token\":\"\(token)\"\(more)}")
  }

  /// Says a custom event, as the command of this number.
  func say(_ event: String, _ number: Int = 1, bytes: Int = 0) {
    let payload = bytes > 0 ? ",\"payload\":\"\(String(repeating: "x", count: bytes))\"" : ""
    socket.sendFrame(
      "{\"m\":\"commands\",\"commands\":[{\"n\":\(number),\"kind\":\"magix\",\"body\":{\"event\":\"\(event)\"\(payload)}}]}"
    )
  }

  /// Hears until this was said since the last call, or the connection ends. Returns what was heard.
  @discardableResult
  func hears(_ mark: String) async -> String {
    let text = await socket.receive { $0.contains(mark) }
    heardText.withLock { $0 += text }
    return text
  }

  /// Comes in, or is sent away.
  @discardableResult
  func comesIn() async -> String {
    let text = await socket.receive { $0.contains("\"m\":\"live\"") || $0.contains("\"m\":\"farewell\"") }
    heardText.withLock { $0 += text }
    return text
  }

  /// A field of the welcome.
  func field(_ name: String) throws -> String {
    let text = heard
    let start = try #require(text.firstRange(of: "\"\(name)\":")?.upperBound)
    return String(text[start...].prefix { $0 != "," && $0 != "}" }.filter { $0 != "\"" })
  }

  /// What a hello says to go on with this stay.
  func resuming() throws -> String {
    "," + (try ["session", "ticket"].map { "\"\($0)\":\"\(try field($0))\"" }.joined(separator: ","))
      + ",\"generation\":\(try field("generation"))"
  }
}

/// Stands between a node and another one, and can be cut.
final class CutWay: Sendable {
  let port: Int
  private let server: any Channel
  private let accepted = Mutex<[any Channel]>([])

  /// What comes on one side goes out on the other one.
  private final class Side: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let other: any Channel
    init(_ other: any Channel) { self.other = other }
    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      other.writeAndFlush(unwrapInboundIn(data), promise: nil)
    }
    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
  }

  private init(_ server: any Channel, _ port: Int) { (self.server, self.port) = (server, port) }

  static func to(_ port: Int) async throws -> CutWay {
    let (channels, channel) = AsyncStream<any Channel>.makeStream()
    let server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { one in
        channel.yield(one)
        return ClientBootstrap(group: one.eventLoop)
          .channelInitializer { $0.pipeline.addHandler(Side(one)) }
          .connect(host: "127.0.0.1", port: port)
          .flatMap { one.pipeline.addHandler(Side($0)) }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let way = CutWay(server, try #require(server.localAddress?.port))
    Task { for await channel in channels { way.accepted.withLock { $0.append(channel) } } }
    return way
  }

  /// Both sides of all that goes through end.
  func cut() async {
    for channel in accepted.withLock({ $0 }) { try? await channel.close() }
  }

  func end() async throws {
    await cut()
    try await server.close()
  }
}

/// A port on which a test speaks as the owner: all that it says to a preface or a request, and then it closes, or says nothing more.
final class FalseOwner: Sendable {
  let port: Int
  /// Goes on with each time that it has spoken.
  let spoken: AsyncStream<Void>
  private let server: any Channel

  private final class Mouth: ChannelInboundHandler, Sendable {
    typealias InboundIn = ByteBuffer
    private let words: ByteBuffer
    private let stays: Bool
    private let spoken: AsyncStream<Void>.Continuation

    init(_ words: ByteBuffer, stays: Bool, _ spoken: AsyncStream<Void>.Continuation) {
      (self.words, self.stays, self.spoken) = (words, stays, spoken)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let channel = context.channel
      context.writeAndFlush(NIOAny(words)).whenComplete { [stays, spoken] _ in
        if !stays { channel.close(promise: nil) }
        spoken.yield()
      }
    }
  }

  /// - Parameter stays: whether it keeps its connections.
  init(saying words: [UInt8], stays: Bool = false) async throws {
    let (spoken, said) = AsyncStream.makeStream(of: Void.self)
    self.spoken = spoken
    server = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      .childChannelInitializer { $0.pipeline.addHandler(Mouth(ByteBuffer(bytes: words), stays: stays, said)) }
      .bind(host: "127.0.0.1", port: 0).get()
    port = try #require(server.localAddress?.port)
  }

  func end() async throws { try await server.close() }
}
