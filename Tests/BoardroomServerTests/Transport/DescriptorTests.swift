import NIOCore
import NIOPosix
import ServerTestKit
import Synchronization
import Testing

@testable import BoardroomHosting
@testable import BoardroomServer
@testable import BoardroomWebhooks

#if canImport(Glibc)
  import Glibc
#else
  import Darwin
#endif

@Suite(.timeLimit(.minutes(15))) struct DescriptorTests {
  @Test(
    "DESC-2: what the system allows is for the journal, the database and the loops first; sockets get the rest"
  )
  func fitting() {
    for files in [64, 256, 1_024, 4_096, 65_536, 1 << 20] {
      for (threads, endpoints) in [(1, 0), (2, 3), (64, 0), (256, 8)] {
        var settings = ServerSettings()
        (settings.threads, settings.allConnections) = (threads, 10_000_000)
        settings.webhooks.urls = (0..<endpoints).map { "http://127.0.0.1:\($0 + 1)/" }.joined(separator: ",")
        let kept = Descriptors.reserve(loops: threads, endpoints: settings.webhooks.endpoints.count)
        let allowed = settings.fit(openFiles: files)
        #expect(allowed == settings.allConnections)
        let sockets = settings.connectionLimits.sockets
        #expect(sockets <= max(Descriptors.fewestSockets, files - kept), "\(files) files, \(threads) loops")
        #expect(settings.allConnections > 0)
      }
    }
    var enough = ServerSettings()
    enough.allConnections = 100
    let less = enough.fit(openFiles: 1_024)
    #expect(less == nil)
    #expect(enough.allConnections == 100)
  }

  @Test(
    "DESC-3: one address never has all places, nor has this machine; each of its addresses is the same place")
  func addresses() throws {
    for all in [3, 100, 777, 100_000] {
      var settings = ServerSettings()
      (settings.allConnections, settings.addressConnections) = (all, 1_000_000)
      let limits = settings.connectionLimits
      #expect(limits.address < all || all < 4)
      #expect(limits.thisMachine < all || all < 8)
      #expect(limits.address <= limits.thisMachine)
    }
    let own = ["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.2"].map { ClientAddress($0)?.place }
    #expect(Set(own).count == 1)
    #expect(try #require(ClientAddress("128.0.0.1")).place != own[0])
  }

  /// What comes through behind the gate.
  private final class Behind: ChannelInboundHandler, Sendable {
    typealias InboundIn = any Channel
    let errors = Mutex<[Int32]>([])
    func errorCaught(context: ChannelHandlerContext, error: any Error) {
      errors.withLock { $0.append((error as? IOError)?.errnoCode ?? -1) }
    }
  }

  @Test(
    "DESC-2: a port that can accept nobody for the moment goes on listening; any other failure is passed on")
  func accepting() async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let behind = Behind()
    let told = Mutex(0)
    let channel = try await ServerBootstrap(group: group)
      .serverChannelInitializer { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(
            AcceptGate(limit: 10) { _ in told.withLock { $0 += 1 } })
          try channel.pipeline.syncOperations.addHandler(behind)
        }
      }.bind(host: "127.0.0.1", port: 0).get()
    for code in [EMFILE, ENFILE, ENOBUFS, ENOMEM, EMFILE] {
      channel.pipeline.fireErrorCaught(IOError(errnoCode: code, reason: "accept"))
    }
    channel.pipeline.fireErrorCaught(IOError(errnoCode: EBADF, reason: "accept"))
    try await channel.eventLoop.submit {}.get()
    #expect(behind.errors.withLock { $0 } == [EBADF])
    #expect(told.withLock { $0 } == 1, "told once, however often it fails")
    #expect(channel.isActive)
    // It accepts again when the pause is over.
    let client = try await ClientBootstrap(group: group)
      .connect(host: "127.0.0.1", port: channel.localAddress?.port ?? 0).get()
    try await client.close()
    try await channel.close()
    try await group.shutdownGracefully()
  }

  @Test(
    "DESC-2: however many silent connections there are, who is in goes on; when they have gone, others are served"
  )
  func silent() async throws {
    var settings = ServerSettings()
    settings.allConnections = 4
    let bound = settings.connectionLimits.sockets
    try await RunningServer.with(settings) { server in
      let mine = try #require(RawSocket(port: server.port))
      let ask = "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"
      mine.send(ask)
      #expect(await mine.receive(until: "ok\n").hasPrefix("HTTP/1.1 200 "))
      var silent: [RawSocket] = []
      for _ in 0..<(bound * 3) { if let socket = RawSocket(port: server.port) { silent.append(socket) } }
      for _ in 0..<3 {
        mine.send(ask)
        #expect(await mine.receive(until: "ok\n").hasPrefix("HTTP/1.1 200 "), "who is in goes on")
      }
      silent = []
      var answer = ""
      for _ in 0..<1_000 where !answer.hasPrefix("HTTP/1.1 200 ") {
        guard let next = RawSocket(port: server.port) else { continue }
        next.send(ask)
        answer = await next.receive(enough: { $0.hasSuffix("ok\n") || $0.contains("connectionLimit") })
      }
      #expect(answer.hasPrefix("HTTP/1.1 200 "))
    }
  }
}
