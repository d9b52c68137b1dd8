import EventLogModel
import Testing

@testable import PostgresLog

extension PostgresTests {
  @Test("NODE-14: a clock is ahead or behind by what a question and its answer cannot explain")
  func clocks() {
    func ahead(_ asked: Int64, _ said: Int64, _ answered: Int64) -> Int64 {
      ClockDifference(asked: asked, said: said, answered: answered).ahead
    }
    #expect(ahead(10_000, 10_400, 11_000) == 0, "said in between: nothing is known")
    #expect(ahead(10_000, 8_500, 11_000) == 1_500)
    #expect(ahead(10_000, 13_000, 11_000) == -2_000)
  }

  @Test(
    "NODE-14: a node says its start, the living nodes, for how long its database is silent and how far its clock is ahead"
  )
  func figures() async throws {
    let database = try TestDatabase()
    let (a, b) = (
      try database.node("a", silence: .seconds(60)), try database.node("b", silence: .seconds(60))
    )
    try await until { a.nodeFigures?.nodes == 2 }
    let figures = try #require(a.nodeFigures)
    #expect(figures.incarnation == a.incarnation)
    #expect(figures.recovered == 0)
    #expect(figures.silence < .seconds(30))
    #expect(abs(figures.clockAhead / .seconds(1)) < 1, "the server is on this machine")
    await b.shutdown()
    try await until { a.nodeFigures?.nodes == 1 }
    await a.shutdown()
  }

  @Test(
    "NODE-1: a beat that is lost with its connection is made up for after a tenth of a second, and not with the next beat"
  )
  func lostBeat() async throws {
    let database = try TestDatabase()
    let node = try database.node("a") {
      $0.sharing?.beat = .seconds(120)
      $0.sharing?.silence = .seconds(600)
    }
    try await until { node.nodes.count == 1 }
    let first = try database.run("select (extract(epoch from at) * 1000)::bigint from beat")
    try database.strike("pg_terminate_backend", where: "state is not null")
    // The next beat is due, and finds that its connection is cut.
    node.watch?.standStill(false)
    try await until { try database.run("select (extract(epoch from at) * 1000)::bigint from beat") > first }
    await node.shutdown()
  }
}
