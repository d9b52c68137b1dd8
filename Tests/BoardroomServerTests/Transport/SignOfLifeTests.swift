import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLog
import EventLogModel
import NIOCore
import NIOPosix
import StorageTestKit
import TestKit
import Testing

/// What of a real socket's life is a sign of life, by a clock that the tests move.
@Suite(.timeLimit(.minutes(15))) struct SignOfLifeTests {
  enum Ending: CaseIterable { case endOfStream, closeFrame }

  @Test(
    "SES-8, SES-9: what ends a connection is no sign of life: the grace runs from the last byte before it",
    arguments: Ending.allCases)
  func ending(_ ending: Ending) async throws {
    try await StillRoom.run { room in
      let start = room.clock.now
      let goer = try await room.visitor()
      var other = try await room.visitor()
      room.pass(.seconds(3))
      try await other.catchUp()
      switch ending {
      case .endOfStream: try await goer.channel.close()
      case .closeFrame: try await goer.channel.writeAndFlush(RawPeer.frame(8, []))
      }
      _ = await other.events { $0.kind == .memberPhase }
      room.pass(.milliseconds(26_999))
      room.pass(.milliseconds(1))
      let left = try await other.catchUp().filter { $0.kind == .memberLeft }
      #expect(left.map(\.time) == [start + .seconds(30)])
    }
  }

  @Test("SES-9: any byte is a sign of life, also one that ends no frame")
  func piece() async throws {
    try await StillRoom.run { room in
      let start = room.clock.now
      let slow = try await room.visitor()
      var other = try await room.visitor()
      room.pass(.seconds(3))
      let said = RawPeer.frame(2, WireCodec(.binary).encode(client: .heartbeat(1)))
      try await slow.channel.writeAndFlush(said.getSlice(at: said.readerIndex, length: 2) ?? said)
      try await other.catchUp()
      room.pass(.seconds(27))
      var events = try await other.catchUp()
      room.pass(.seconds(3))
      events += try await other.catchUp()
      let left = events.filter { $0.kind == .memberLeft }
      #expect(left.map(\.time) == [start + .seconds(33)])
    }
  }

  @Test(
    "SES-12: neither the hello's own bytes nor the end confirm a welcome: who lost it comes back all the same",
    arguments: [false, true])
  func lostWelcome(closes: Bool) async throws {
    try await StillRoom.run { room in
      let first = try await room.visitor()
      let welcome = try #require(first.welcome)
      let deaf = try await room.visitor(resuming: welcome)
      #expect(deaf.welcome?.generation == 2)
      if closes { try await deaf.channel.close() }
      let again = try await room.visitor(resuming: welcome)
      #expect(again.farewell == nil)
      #expect(again.welcome?.resumed == true)
      #expect(again.welcome?.generation == 3)
    }
  }

  @Test("SES-14: a leave counts that comes in one read with the end of the connection")
  func leaveAndEnd() async throws {
    try await StillRoom.run { room in
      let goer = try await room.visitor()
      var other = try await room.visitor()
      var last = RawPeer.frame(2, WireCodec(.binary).encode(client: .leave))
      last.writeImmutableBuffer(RawPeer.frame(8, []))
      try await goer.channel.writeAndFlush(last)
      let left = try await other.catchUp().filter { $0.kind == .memberLeft }
      #expect(left.map(\.event) == [.members(.left(.left))])
    }
  }
}

/// A room on a real port, whose time passes when a test says so.
private struct StillRoom {
  let clock: VirtualClock
  private let engine: RoomServerEngine
  private let group: any EventLoopGroup
  private let port: Int
  private let room = RoomID(high: 1, low: 2)

  static func run(_ body: (StillRoom) async throws -> Void) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let clock = VirtualClock()
    let engine = RoomServerEngine(
      store: MemoryLogStore(), gatekeeper: OpenGate(), loops: EventLoopHome.all(of: group),
      clock: { clock.now })
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try configureRoomSocket(channel: channel, engine: engine, subprotocol: .binary)
        }.map { _ in }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let still = StillRoom(clock, engine, group, port: try #require(server.localAddress?.port))
    try await engine.create(still.room, as: RoomCreated(name: "still"), at: clock.now)
    try await body(still)
    await engine.drain()
    try await server.close()
    try await group.shutdownGracefully()
  }

  private init(
    _ clock: VirtualClock, _ engine: RoomServerEngine, _ group: any EventLoopGroup, port: Int
  ) {
    (self.clock, self.engine, self.group, self.port) = (clock, engine, group, port)
  }

  func pass(_ time: Duration) { engine.tick(at: clock.advance(by: time)) }

  /// One who has come in, or was sent away.
  func visitor(resuming welcome: Welcome? = nil) async throws -> Visitor {
    let peer = RawPeer()
    let channel = try await ClientBootstrap(group: group)
      .channelInitializer { $0.pipeline.addHandler(peer) }
      .connect(host: "127.0.0.1", port: port).get()
    var visitor = Visitor(channel, peer)
    var hello = Hello(room: room, token: "")
    hello.resume = welcome.map {
      Hello.Resume(session: $0.session, generation: $0.generation, ticket: $0.ticket)
    }
    try await visitor.say(.hello(hello))
    await visitor.comesIn()
    return visitor
  }
}

/// A client, byte for byte.
private struct Visitor {
  let channel: any Channel
  private(set) var welcome: Welcome?
  private(set) var farewell: Farewell?
  private var heard: AsyncStream<Notice>.Iterator
  private var counter: CommandCounter = 0

  init(_ channel: any Channel, _ peer: RawPeer) {
    self.channel = channel
    heard = peer.notices.makeAsyncIterator()
  }

  func say(_ notice: ClientNotice) async throws {
    try await channel.writeAndFlush(RawPeer.frame(2, WireCodec(.binary).encode(client: notice)))
  }

  mutating func comesIn() async {
    while let notice = await heard.next() {
      if case .welcome(let welcome) = notice { self.welcome = welcome }
      if case .farewell(let farewell) = notice { self.farewell = farewell }
      if case .live = notice { return }
    }
  }

  /// What happened up to the first event that is meant, or to the end.
  mutating func events(upTo isMeant: (RoomEvent) -> Bool) async -> [RoomEvent] {
    var events: [RoomEvent] = []
    while let notice = await heard.next() {
      guard case .run(let run) = notice else { continue }
      run.forEach { view, _ in
        if let event = try? EventCodec.decode(view, in: run.records) { events.append(event) }
      }
      if events.contains(where: isMeant) { break }
    }
    return events
  }

  /// Speaks, and hears all that happened until then: twice, so that what others said before has been read.
  @discardableResult
  mutating func catchUp() async throws -> [RoomEvent] {
    var events: [RoomEvent] = []
    for _ in 1...2 {
      counter += 1
      let number = counter
      let set = Command.set("spoken", "\(number)")
      try await say(.commands([NumberedCommand(counter: number, command: set)]))
      events += await self.events { $0.kind == .globalState && $0.counter == number }
    }
    return events
  }
}

extension RoomEvent {
  fileprivate var kind: EventKind? { EventKind(rawValue: event.kind) }
}
