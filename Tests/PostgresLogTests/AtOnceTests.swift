import EventLogModel
import StorageTestKit
import Testing

@testable import PostgresLog

// Claims and releases are sent together with the look at their fence.
extension PostgresTests {
  @Test(
    "NODE-6: a claim and a release that are sent before it is known whether their fence is open write nothing behind it",
    arguments: [true, false])
  func fencedAtOnce(_ isRelease: Bool) async throws {
    let database = try TestDatabase()
    let node = try database.node("a")
    for number: UInt64 in 1...3 { _ = try await node.create(Self.log(number), at: Self.start) }
    // The link is there from here on, so that the next transaction is one round.
    try await node.release([Self.log(2), Self.log(3)])
    try await node.claim(Self.log(2))
    let incarnation = try #require(node.incarnation)
    try database.run("update fence set fenced = true where incarnation = \(incarnation) and kind = 2")
    await #expect {
      if isRelease { try await node.release([Self.log(1)]) } else { try await node.claim(Self.log(3)) }
    } throws: {
      if case LogError.nodeFenced = $0 { true } else { false }
    }
    let owned = try database.run("select count(*) from log where owner = \(incarnation)")
    #expect(owned == 2, "as they were before")
    node.abandon()
  }

  @Test("NODE-2, NODE-4: claims and releases behind connections that were cut are carried out once")
  func atOnceBehindNewLink() async throws {
    let database = try TestDatabase()
    let (a, b) = (try database.node("a"), try database.node("b"))
    _ = try await a.create(Self.log, at: Self.start)
    for round in 1...6 {
      let ((from, _), (to, name)) = round % 2 == 1 ? ((a, "a"), (b, "b")) : ((b, "b"), (a, "a"))
      try await from.append(Self.records(round...round), to: Self.log, expecting: nil, epoch: nil)
      try database.strike("pg_terminate_backend", where: "true")
      try await Self.despiteCut {
        try await from.release([Self.log], to: round % 3 == 0 ? to.incarnation : nil)
      }
      try database.strike("pg_terminate_backend", where: "true")
      try await Self.despiteCut { try await to.claim(Self.log) }
      #expect(try await to.owner(of: Self.log) == .thisNode)
      await #expect {
        try await Self.despiteCut { try await from.claim(Self.log) }
      } throws: {
        Self.isElsewhere($0, name)
      }
    }
    #expect(try await Self.all(a, of: Self.log) == Self.records(1...6))
    await a.shutdown()
    await b.shutdown()
  }

  /// A look whose connection was cut is not made again by itself.
  private static func despiteCut(_ body: () async throws -> Void) async throws {
    do { try await body() } catch LogError.full { try await body() }
  }
}
