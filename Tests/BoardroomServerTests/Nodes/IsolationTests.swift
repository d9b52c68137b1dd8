import BoardroomAccess
import BoardroomHosting
import EventLog
import EventLogModel
import NIOPosix
import ServerTestKit
import Synchronization
import TestKit
import Testing

@testable import BoardroomServer

/// A node that does not reach the database while others do (NODE-16).
@Suite struct IsolationTests {
  private static let limit = Duration.seconds(2)

  private static func seen(
    own: Int64, living: Set<Int64>, others: [NodeAddress] = [], age: Duration = .zero
  ) -> SeenNodes { SeenNodes(own: own, living: living, others: others, age: age, limit: limit) }

  @Test("NODE-16: a node knows of another while its own look is fresh, and does not after that")
  func fresh() {
    var seen = Self.seen(own: 1, living: [1, 2], age: .milliseconds(999))
    #expect(seen.isLiving(2) == true)
    #expect(seen.isLiving(3) == false)
    seen.age = .seconds(1)
    #expect(seen.isLiving(2) == nil)
    #expect(seen.isLiving(3) == nil)
  }

  /// Runs `body` beside a node that has seen this, with a way to it.
  private func beside(
    _ other: SeenNodes?, _ body: @escaping @Sendable (HTTPForwarder, NodeAddress) async throws -> Void
  ) async throws {
    let start = Timestamp.wallClock
    try await RunningServer.with(
      ServerSettings(), store: MemoryLogStore(), clock: { start },
      embedding: { server in
        var server = server
        server.node = NodeSettings(name: "owner", owners: ToldOwners())
        if let other { server.node?.seen = { other } }
        return server
      },
      { server in
        let third = NodeSettings(name: "third", owners: ToldOwners())
        let desk = try third.desk(KeyRing(pairs: [RunningServer.pair]), ServerSettings()) { start }
        let forwarder = HTTPForwarder(
          desk, trust: PipeDesk.trust(nil), group: MultiThreadedEventLoopGroup.singleton)
        let outcome: Result<Void, any Error>
        do {
          outcome = .success(
            try await body(forwarder, NodeAddress(name: "owner", host: "127.0.0.1", port: server.port)))
        } catch { outcome = .failure(error) }
        await forwarder.shutdown()
        try outcome.get()
      })
  }

  @Test(
    "NODE-16: who is not among the living that another node has just seen is fenced; who is, or where the other does not know, is not",
    arguments: [
      (living: Set<Int64>([2, 3]), age: Duration.zero, isFenced: true),
      (living: Set<Int64>([1, 2]), age: Duration.zero, isFenced: false),
      // It does not reach the database either.
      (living: Set<Int64>([2, 3]), age: Duration.seconds(2), isFenced: false),
    ])
  func asked(_ living: Set<Int64>, _ age: Duration, _ isFenced: Bool) async throws {
    try await beside(Self.seen(own: 2, living: living, age: age)) { forwarder, node in
      // One of the others does not listen.
      let nobody = NodeAddress(name: "nobody", host: "127.0.0.1", port: 1)
      let own = Self.seen(own: 1, living: [1, 2, 3], others: [nobody, node], age: Self.limit)
      let watch = IsolationWatch(seen: { own }, forwarder: forwarder)
      #expect(await watch.isFenced(own) == isFenced)
    }
  }

  @Test(
    "NODE-16: a node of an earlier version does not know, and neither does one that is asked by a stranger")
  func others() async throws {
    try await beside(nil) { forwarder, node in
      let own = Self.seen(own: 1, living: [1, 2], others: [node], age: Self.limit)
      #expect(await IsolationWatch(seen: { own }, forwarder: forwarder).isFenced(own) == false)
    }
    let start = Timestamp.wallClock
    try await RunningServer.with(
      ServerSettings(), store: MemoryLogStore(), clock: { start },
      embedding: { server in
        var server = server
        server.node = NodeSettings(name: "owner", owners: ToldOwners())
        server.node?.seen = { Self.seen(own: 2, living: [2]) }
        return server
      },
      { server in
        let answer = try await server.call("POST", "/v5/nodes/living?sha256=0", token: server.admin)
        #expect(answer.status == 404)
      })
  }

  @Test("NODE-16: it asks once its own look is too old, and goes on asking until it hears that it is fenced")
  func untilFenced() async throws {
    try await beside(Self.seen(own: 2, living: [2])) { forwarder, node in
      let looks = Mutex(0)
      let watch = IsolationWatch(
        seen: {
          let count = looks.withLock { looks in
            looks += 1
            return looks
          }
          return Self.seen(
            own: 1, living: [1, 2], others: [node],
            age: count < 3 ? Self.limit - .milliseconds(1) : Self.limit)
        }, forwarder: forwarder)
      try await watch.untilFenced()
      #expect(looks.withLock { $0 } == 3)
    }
  }

  @Test("NODE-16: a node that is fenced sends its members off to come back, and ends")
  func ends() async throws {
    let start = Timestamp.wallClock
    let refusal = Mutex<LogError?>(nil)
    let isCutOff = Mutex(false)
    let watch = StoreWatch(refusal: { refusal.withLock { $0 } })
    try await beside(Self.seen(own: 2, living: [2])) { _, node in
      await #expect(throws: ServerFailure.self) {
        try await RunningServer.with(
          ServerSettings(), store: MemoryLogStore(), clock: { start }, watch: watch,
          embedding: { server in
            var server = server
            server.node = NodeSettings(name: "middle", owners: ToldOwners())
            server.node?.seen = {
              let age = isCutOff.withLock { $0 } ? Self.limit : .zero
              return Self.seen(own: 1, living: [1, 2], others: [node], age: age)
            }
            server.node?.endAsFenced = { refusal.withLock { $0 = .nodeFenced(place: "here") } }
            return server
          },
          { server in
            let client = try await NodeClient(server)
            client.hello(try await server.room(), by: server)
            await client.comesIn()
            isCutOff.withLock { $0 = true }
            let last = await client.hears("farewell")
            #expect(last.contains("goingAway"), "\(last)")
            #expect(last.contains("comeBack"), "\(last)")
          })
      }
    }
  }
}
