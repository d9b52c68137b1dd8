import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLog
import EventLogModel
import NIOCore
import NIOPosix
import TestKit
import Testing

@Suite struct LoopbackTests {
  private static func connect(_ port: Int, _ group: any EventLoopGroup) async throws -> (any Channel, RawPeer)
  {
    let peer = RawPeer()
    let channel = try await ClientBootstrap(group: group)
      .channelInitializer { $0.pipeline.addHandler(peer) }
      .connect(host: "127.0.0.1", port: port).get()
    return (channel, peer)
  }

  @Test("Over real sockets on two loops: hello, commands in fragments, events to all, receipt, leave")
  func conversation() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 2)
    // A clock that stands still: how long a busy machine takes is no silence of a client.
    let now = Timestamp(milliseconds: 1_700_000_000_000)
    let engine = RoomServerEngine(
      store: MemoryLogStore(), gatekeeper: OpenGate(), loops: EventLoopHome.all(of: group),
      clock: { now })
    engine.start()
    let room = RoomID(high: 1, low: 2)
    try await engine.create(room, as: RoomCreated(name: "socket"), at: now)
    let server = try await ServerBootstrap(group: group)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try configureRoomSocket(channel: channel, engine: engine, subprotocol: .binary)
        }.map { _ in }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let port = try #require(server.localAddress?.port)
    let codec = WireCodec(.binary)
    let hello = codec.encode(client: .hello(Hello(room: room, token: "")))

    let (first, one) = try await Self.connect(port, group)
    let (second, two) = try await Self.connect(port, group)
    try await first.writeAndFlush(RawPeer.frame(2, hello))
    try await second.writeAndFlush(RawPeer.frame(2, hello))
    var heardByOne = one.notices.makeAsyncIterator()
    var heardByTwo = two.notices.makeAsyncIterator()
    while let notice = await heardByOne.next() { if case .live = notice { break } }
    while let notice = await heardByTwo.next() { if case .live = notice { break } }

    let said = codec.encode(
      client: .commands([NumberedCommand(counter: 1, command: .note(1, bytes: 300))]))
    try await first.writeAndFlush(RawPeer.frame(2, Array(said[..<10]), final: false))
    try await first.writeAndFlush(RawPeer.frame(0, Array(said[10...])))
    var seen: Revision?
    while seen == nil, let notice = await heardByTwo.next() {
      guard case .run(let run) = notice else { continue }
      run.forEach { view, _ in if view.kind == EventKind.magix.rawValue { seen = view.revision } }
    }
    var receipt: Receipt?
    while receipt == nil, let notice = await heardByOne.next() {
      if case .receipts(let receipts) = notice { receipt = receipts.first }
    }
    #expect(receipt?.counter == 1)
    #expect(receipt?.revision == seen)

    try await first.writeAndFlush(RawPeer.frame(2, codec.encode(client: .leave)))
    while await heardByOne.next() != nil {}
    #expect(one.closeCode == CloseCode.left)
    // An unmasked frame is against the rules of WebSocket.
    try await second.writeAndFlush(ByteBuffer(bytes: [0x82, 1, 4]))
    while await heardByTwo.next() != nil {}
    #expect(two.closeCode == CloseCode.protocolError)
    await engine.drain()
    try await server.close()
    try await group.shutdownGracefully()
  }

  @Test(
    "DESC-6: who pings without reading and without end gets 40 pongs, makes no outbox grow, and is parted from",
    .timeLimit(.minutes(15)))
  func pingFlood() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    var policy = ServerPolicy()
    policy.outbox = 16 << 10
    let engine = RoomServerEngine(
      store: MemoryLogStore(), gatekeeper: OpenGate(), policy: policy, loops: EventLoopHome.all(of: group),
      clock: { .zero })
    let server = try await ServerBootstrap(group: group)
      .childChannelOption(.socketOption(.so_sndbuf), value: 16 << 10)
      .childChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try configureRoomSocket(channel: channel, engine: engine, subprotocol: .binary)
        }.map { _ in }
      }
      .bind(host: "127.0.0.1", port: 0).get()
    let peer = RawPeer()
    let client = try await ClientBootstrap(group: group)
      .channelOption(.autoRead, value: false)
      .channelOption(.socketOption(.so_rcvbuf), value: 16 << 10)
      .channelInitializer { $0.pipeline.addHandler(peer) }
      .connect(host: "127.0.0.1", port: try #require(server.localAddress?.port)).get()
    let ping = RawPeer.frame(9, [UInt8](repeating: 1, count: 125))
    // The server may part from it at any of these.
    do {
      for _ in 0..<200 {
        var many = ByteBuffer()
        for _ in 0..<200 { many.writeImmutableBuffer(ping) }
        try await client.writeAndFlush(many)
      }
    } catch {}
    try? await client.setOption(.autoRead, value: true).get()
    for await _ in peer.notices {}
    #expect(peer.pongs.count <= 40)
    try? await client.close()
    try await server.close()
    try await group.shutdownGracefully()
  }
}
