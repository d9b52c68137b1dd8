import EventLogModel
import Foundation
import Testing

@testable import PostgresLog

extension PostgresTests {
  @Test("IMG-4: an image that one node puts is shown by another, and the limits hold for all of them")
  func images() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    let (one, two) = (
      try PostgresImages(address: database.address), try PostgresImages(address: database.address)
    )
    let (log, other) = (Self.log(1), Self.log(2))
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    #expect(try one.put(bytes, named: "a.png", of: log, bytesLimit: 150_000, countLimit: 2) == .stored)
    #expect(try two.image(named: "a.png", of: log) == bytes)
    #expect(try two.image(named: "a.png", of: other) == nil)
    #expect(try two.about("a.png", of: log)?.bytes == 100_000)
    // The same again costs nothing, however full the log is.
    #expect(try two.put(bytes, named: "a.png", of: log, bytesLimit: 1, countLimit: 0) == .stored)
    #expect(
      try two.put(bytes, named: "b.png", of: log, bytesLimit: 150_000, countLimit: 2)
        == .overLimit(bytes: 200_000, count: 2))
    #expect(try two.put([1], named: "b.png", of: log, bytesLimit: 150_000, countLimit: 2) == .stored)
    #expect(
      try one.put([1], named: "c.png", of: log, bytesLimit: 150_000, countLimit: 2)
        == .overLimit(bytes: 100_002, count: 3))
    #expect(try one.put([], named: "a.gif", of: other, bytesLimit: 1, countLimit: 1) == .stored)

    let first = try one.page(after: nil, limit: 2)
    #expect(first.map(\.name) == ["a.png", "b.png"])
    let last = try #require(first.last)
    #expect(try one.page(after: (last.log, last.name), limit: 2).map(\.log) == [other])
    #expect(try one.logs() == [log, other])
    try two.removeAll(of: log)
    #expect(try one.logs() == [other])
    await store.shutdown()
  }

  @Test("IMG-4: a damaged image is whole again when it is put again, and its time is that of the put")
  func imageIsMended() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    let (images, log) = (try PostgresImages(address: database.address), Self.log(1))
    _ = try images.put([1, 2, 3], named: "a.png", of: log, bytesLimit: 9, countLimit: 9)
    try database.run("update image set bytes = 'x', put_ms = 5")
    _ = try images.put([1, 2, 3], named: "a.png", of: log, bytesLimit: 9, countLimit: 9)
    #expect(try images.image(named: "a.png", of: log) == [1, 2, 3])
    #expect((try images.about("a.png", of: log)?.put.milliseconds ?? 0) > 1_700_000_000_000)
    await store.shutdown()
  }

  @Test(
    "IMG-4: a connection that was cut is opened again, and of an address without a server all calls fail as full"
  )
  func connectionIsCut() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    let (images, log) = (try PostgresImages(address: database.address), Self.log(1))
    _ = try images.put([1], named: "a.png", of: log, bytesLimit: 9, countLimit: 9)
    let cut = try database.run(
      "select count(pg_terminate_backend(pid)) from pg_stat_activity where query like '%from image%' and pid <> pg_backend_pid()"
    )
    #expect(cut > 0)
    #expect(try images.image(named: "a.png", of: log) == [1])
    await store.shutdown()
    let nobody = try PostgresImages(address: "postgres://nobody@127.0.0.1:1/none")
    for _ in 0..<2 {
      #expect {
        try nobody.image(named: "a.png", of: log)
      } throws: {
        guard case LogError.full = $0 else { return false }
        return !"\($0)".contains("nobody")
      }
    }
  }

  @Test("HOOK-11: a cursor only moves on, and who is behind hears how far another node has told")
  func cursors() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    let (one, two) = (
      try PostgresCursors(address: database.address, endpoint: "hook"),
      try PostgresCursors(address: database.address, endpoint: "hook")
    )
    let (log, epoch) = (Self.log(1), Epoch(UInt64.max - 3))
    func cursor(_ revision: UInt64) -> Cursor { Cursor(epoch: epoch, revision: Revision(revision)) }
    #expect(try one.begin())
    #expect(try !two.begin(), "an endpoint is new once")
    #expect(try one.move([.init(log: log, cursor: cursor(5))]) == [:])
    #expect(
      try two.move([.init(log: log, cursor: cursor(3)), .init(log: Self.log(2), cursor: cursor(1))]) == [
        log: cursor(5)
      ])
    #expect(
      try two.cursors(of: [log, Self.log(2), Self.log(3)]) == [log: cursor(5), Self.log(2): cursor(1)])
    #expect(try two.move([.init(log: Self.log(2), cursor: nil)]) == [:])
    #expect(try PostgresCursors.all(address: database.address) == ["hook": [log: cursor(5)]])
    try one.note(failingSince: Timestamp(milliseconds: 77))
    #expect(try two.failingSince() == Timestamp(milliseconds: 77))
    try one.note(failingSince: nil)
    #expect(try two.failingSince() == nil)
    await store.shutdown()
  }

  @Test(
    "HOOK-11: logs that an endpoint was not told of wholly are found by owner, and one node has those of nobody"
  )
  func behind() async throws {
    let database = try TestDatabase()
    let (a, b) = (try database.node("a"), try database.node("b"))
    for (number, store) in [(1, a), (2, a), (3, b)] as [(UInt64, PostgresLogStore)] {
      _ = try await store.create(Self.log(number), at: .zero)
      let records = (0..<4).map {
        Record(kind: 1, time: Timestamp(milliseconds: Int64($0)), actor: 0, body: [])
      }
      try await store.append(records, to: Self.log(number), expecting: nil, epoch: nil)
    }
    try await a.seal()
    try await b.seal()
    let cursors = try PostgresCursors(address: database.address, endpoint: "hook")
    let (first, second) = (try #require(a.incarnation), try #require(b.incarnation))
    #expect(try cursors.begin())
    #expect(try cursors.behind(after: nil, limit: 1, of: .node(first)).logs.map(\.log) == [Self.log(1)])
    #expect(
      try cursors.behind(after: Self.log(1), limit: 9, of: .node(first)).logs.map(\.log) == [Self.log(2)])
    #expect(try cursors.behind(after: nil, limit: 9, of: .node(second)).logs.map(\.last) == [4])
    #expect(try cursors.behind(after: nil, limit: 9, of: .nobody).logs.isEmpty)
    let epoch = try await a.info(of: Self.log(1)).epoch
    try cursors.move([.init(log: Self.log(1), cursor: Cursor(epoch: epoch, revision: 2))])
    let found = try #require(try cursors.behind(after: nil, limit: 1, of: .node(first)).logs.first)
    #expect(found.cursor == Cursor(epoch: epoch, revision: 2))
    try cursors.move([.init(log: Self.log(1), cursor: Cursor(epoch: epoch, revision: 4))])
    #expect(try cursors.behind(after: nil, limit: 9, of: .node(first)).logs.map(\.log) == [Self.log(2)])

    #expect(try cursors.takeDuty(first) == 0)
    #expect(try cursors.takeDuty(second) == nil)
    try cursors.giveUpDuty(first)
    #expect(try cursors.takeDuty(second) == 0)
    #expect(try cursors.takeDuty(first) == nil, "the other lives")
    try cursors.giveUpDuty(second)
    #expect(try cursors.takeDuty(first) == 0)
    await a.shutdown()
    #expect(try cursors.takeDuty(second) == 1, "it has ended, and its logs are nobody's")
    #expect(try cursors.behind(after: nil, limit: 9, of: .nobody).logs.map(\.log) == [Self.log(2)])
    let later = try PostgresCursors(address: database.address, endpoint: "later")
    let known = Cursor(epoch: epoch, revision: 1)
    #expect(try later.begin(with: [Self.log(1): known], skips: true))
    #expect(try !later.begin(skips: true))
    #expect(try later.behind(after: nil, limit: 9, of: .nobody).logs.map(\.cursor) == [known])
    #expect(try later.behind(after: nil, limit: 9, of: .node(second)).logs.isEmpty)
    #expect(try !later.begin(with: [Self.log(1): Cursor(epoch: epoch, revision: 3)]))
    #expect(try later.cursors(of: [Self.log(1)]).values.map(\.revision) == [3], "another node had told more")
    #expect(try !later.begin(with: [Self.log(1): known]))
    #expect(try later.cursors(of: [Self.log(1)]).values.map(\.revision) == [3], "it does not go back")
    // As many are looked at as were asked for, whether they are behind or not.
    let page = try later.behind(after: nil, limit: 1, of: .nobody)
    #expect(page.last == Self.log(1))
    #expect(try later.behind(after: page.last, limit: 2, of: .nobody).last == nil)
    await b.shutdown()
  }

  @Test("HOOK-1, HOOK-11: a node alone is told after a start what its logs owe to an endpoint")
  func behindAlone() async throws {
    let database = try TestDatabase()
    let before = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await before.create(Self.log(1), at: .zero)
    let record = Record(kind: 1, time: .zero, actor: 0, body: [])
    try await before.append([record], to: Self.log(1), expecting: nil, epoch: nil)
    let cursors = try PostgresCursors(address: database.address, endpoint: "hook")
    #expect(try cursors.begin())
    await before.shutdown()
    let alone = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(try cursors.behind(after: nil, limit: 9, of: .everybody).logs.map(\.log) == [Self.log(1)])
    #expect(
      try cursors.behind(after: nil, limit: 9, of: .nobody).logs.isEmpty, "a start owns all that is there")
    await alone.shutdown()
  }

  @Test("DB-16: new lives keep what logs hold, and a cursor of webhooks is in the new one")
  func newLives() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...40), to: Self.log, expecting: nil, epoch: nil)
    let old = try await store.info(of: Self.log)
    await #expect(throws: LogError.self, "a node is connected") {
      try await PostgresLogStore.giveNewLives(address: database.address, options: database.options())
    }
    await store.shutdown()
    let cursors = try PostgresCursors(address: database.address, endpoint: "hook")
    try cursors.move([.init(log: Self.log, cursor: Cursor(epoch: old.epoch, revision: 50))])
    #expect(
      try await PostgresLogStore.giveNewLives(address: database.address, options: database.options()) == 1)
    let next = try PostgresLogStore.open(address: database.address, options: database.options())
    let info = try await next.info(of: Self.log)
    #expect(info.epoch != old.epoch)
    #expect(info.last == 40)
    #expect(try await Self.all(next) == Self.records(1...40))
    #expect(try cursors.cursors(of: [Self.log]) == [Self.log: Cursor(epoch: info.epoch, revision: 40)])
    await next.shutdown()
  }

  @Test("NODE-12: a node of several knows whether commits wait for a standby")
  func standbyNames() async throws {
    let database = try TestDatabase()
    let node = try database.node("a")
    try await until { node.waitsForStandby == false }
    await node.shutdown()
    let alone = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(alone.waitsForStandby == nil)
    await alone.shutdown()
  }
}
