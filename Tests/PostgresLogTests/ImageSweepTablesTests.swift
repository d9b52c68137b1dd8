import EventLogModel
import Foundation
import Testing

@testable import PostgresLog

extension PostgresTests {
  @Test("LOG-32: of several nodes one has the turn to look for images, until its connection ends")
  func sweepTurn() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    let (one, two) = (
      try TablesImageSweep(address: database.address), try TablesImageSweep(address: database.address)
    )
    #expect(try one.isOurTurn())
    #expect(try one.isOurTurn())
    #expect(try !two.isOurTurn())
    // The server ends the connection, as where a node is not heard of any more.
    try database.run(
      "select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())"
    )
    #expect(try two.isOurTurn())
    #expect(try !one.isOurTurn())
    // Who has lost its turn changes nothing.
    let images = try PostgresImages(address: database.address)
    _ = try images.put([1], named: "a.png", of: Self.log(1), bytesLimit: 9, countLimit: 9)
    #expect(throws: LogError.self) {
      try one.setAside([(Self.log(1), "a.png")], unlessPutAfter: Timestamp(milliseconds: .max / 2))
    }
    #expect(try images.image(named: "a.png", of: Self.log(1)) == [1])
    two.close()
    #expect(try one.isOurTurn())
    await store.shutdown()
  }

  @Test(
    "LOG-32: an image that is set aside is out of sight, comes back or goes, and is new if it is put again")
  func setAside() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    let (images, sweep) = (
      try PostgresImages(address: database.address), try TablesImageSweep(address: database.address)
    )
    let (log, other) = (Self.log(1), Self.log(2))
    func put(_ name: String, _ log: LogID) throws {
      _ = try images.put([1, 2], named: name, of: log, bytesLimit: 99, countLimit: 9)
    }
    func shown() throws -> [String] { try images.page(after: nil, limit: 99).map(\.name) }
    for name in ["a.png", "b.png", "c.png", "d.png"] { try put(name, log) }
    try put("a.png", other)
    try database.run("update image set put_ms = 1000")
    try put("d.png", log)
    #expect(try sweep.isOurTurn())
    let limit = Timestamp(milliseconds: 2_000)
    let wanted = ["a.png", "b.png", "c.png", "d.png", "missing.png"].map { (log: log, name: $0) }
    // Not the one that was put since, and none that is not there.
    #expect(try sweep.setAside(wanted, unlessPutAfter: limit).map(\.name) == ["a.png", "b.png", "c.png"])
    #expect(try shown() == ["d.png", "a.png"])
    #expect(try images.image(named: "a.png", of: log) == nil)
    try sweep.bringBack([(log, "a.png")])
    #expect(try shown() == ["a.png", "d.png", "a.png"])
    // One is put again meanwhile: there is that one.
    _ = try images.put([1, 2], named: "b.png", of: log, bytesLimit: 99, countLimit: 9)
    #expect(try sweep.removeAside([(log, "c.png"), (log, "a.png")]).map(\.name) == ["c.png"])
    try sweep.bringAllBack()
    #expect(try shown() == ["a.png", "b.png", "d.png", "a.png"])
    #expect((try images.about("b.png", of: log)?.put.milliseconds ?? 0) > 1_700_000_000_000)
    await store.shutdown()
  }

  @Test("LOG-32: what a node has committed and not sealed is read from its frames")
  func unsealed() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    let info = try await store.create(Self.log(7), at: Timestamp(milliseconds: 1_000))
    let body = Array("a name of 64 digits".utf8)
    _ = try await store.append(
      [Record(kind: 30, time: Timestamp(milliseconds: 1_001), actor: 0, body: body)], to: Self.log(7),
      expecting: nil, epoch: info.epoch)
    let sweep = try TablesImageSweep(address: database.address)
    func isSeen() throws -> Bool {
      var isSeen = false
      try sweep.readUnsealed { bytes in
        if String(decoding: bytes, as: UTF8.self).contains("a name of 64 digits") { isSeen = true }
      }
      return isSeen
    }
    #expect(try isSeen())
    await store.shutdown()
  }
}
