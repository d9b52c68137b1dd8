import EventLog
import EventLogModel
import StorageTestKit
import Testing

@testable import PostgresLog

/// A database that does not have any more what it had acknowledged: a standby without it was promoted, or a backup of
/// an earlier moment restored.
extension PostgresTests {
  private static func isLoss(_ error: any Error) -> Bool {
    guard case LogError.stopped(let reason) = error else { return false }
    return reason.contains("does not have") && reason.contains("restore")
  }

  @Test(
    "DB-8: a node stops where the database lost the last frame that was acknowledged, and appends nothing")
  func lostFrame() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    for number in 1...3 {
      try await store.append(Self.records(number...number), to: Self.log, expecting: nil, epoch: nil)
    }
    let last = try database.run("select max(number) from frame_0_1")
    try database.run("delete from frame_0_1 where number = \(last)")
    try database.strike("pg_terminate_backend", where: "state is not null")
    await #expect {
      try await store.append(Self.records(4...4), to: Self.log, expecting: nil, epoch: nil)
    } throws: { Self.isLoss($0) }
    #expect(try database.run("select max(number) from frame_0_1") == last - 1, "nothing was appended")
    await store.shutdown()
  }

  @Test("DB-8: a node stops where frames are there again that it had sealed and removed")
  func returnedFrame() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.segmentBytes = 64 << 10
    options.sealIdle = .zero
    let store = try PostgresLogStore.open(address: database.address, options: options)
    _ = try await store.create(Self.log, at: Self.start)
    var generator = SeededGenerator(seed: 6)
    for _ in 1...40 {
      let body = (0..<4_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      let record = Record(kind: 1, time: Self.start, actor: 1, body: body)
      try await store.append([record], to: Self.log, expecting: nil, epoch: nil)
    }
    try await store.seal()
    try await until { try database.run("select count(*) from frame_0_1") == 0 }
    try database.run("insert into frame_0_1 select max(id), 1, 1, 'x' from incarnation")
    try database.strike("pg_terminate_backend", where: "state is not null")
    await #expect {
      try await store.append(Self.records(41...41), to: Self.log, expecting: nil, epoch: nil)
    } throws: { Self.isLoss($0) }
    await store.shutdown()
  }

  @Test(
    "DB-8: a node whose start the database does not know any more says so, and not that another took over")
  func lostIncarnation() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try database.run("delete from fence")
    try database.strike("pg_terminate_backend", where: "state is not null")
    await #expect {
      try await store.append(Self.records(1...1), to: Self.log, expecting: nil, epoch: nil)
    } throws: { Self.isLoss($0) }
    await store.shutdown()
  }

  @Test("DB-8: a node stops where the database lost what it had sealed, before it removes the frames")
  func lostSeal() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...3), to: Self.log, expecting: nil, epoch: nil)
    try await store.seal()
    try database.run("delete from block")
    try database.run("update log set next = 1")
    try database.strike("pg_terminate_backend", where: "state is not null")
    try await store.append(Self.records(4...4), to: Self.log, expecting: nil, epoch: nil)
    await #expect { try await store.seal() } throws: { Self.isLoss($0) }
    #expect(try database.run("select count(*) from frame_0_1") > 0, "no frame was removed")
    await store.shutdown()
  }
}
