import EventLog
import EventLogModel
import StorageTestKit
import Testing

@testable import PostgresLog

/// What is too much for one statement, or for memory.
extension PostgresTests {
  /// Refuses statements that write more than 24 MiB into a table: a server refuses them at 1 GiB.
  private static func refuseLarge(_ table: String, in database: TestDatabase) throws {
    try database.run(
      """
      create function refuse_\(table)() returns trigger language plpgsql as $$ begin
      if (select sum(length(bytes)) from fresh) > 24 << 20 then raise 'too much for one statement'; end if;
      return null; end $$
      """)
    try database.run(
      """
      create trigger refuse after insert on \(table) referencing new table as fresh
      for each statement execute function refuse_\(table)()
      """)
  }

  private static func noise(_ count: Int, _ generator: inout SeededGenerator) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count {
      withUnsafeBytes(of: UInt64.random(in: 0...UInt64.max, using: &generator)) { bytes += $0 }
    }
    return bytes
  }

  @Test("LOG-1, DB-7: a recovery of many MiB of frames reads and writes them in pieces of bounded size")
  func largeRecovery() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.segmentBytes = 64 << 20
    let store = try PostgresLogStore.open(address: database.address, options: options)
    // Logs of less than a block each, so that nothing is sealed before the node ends.
    let logs = (1...1_000).map { Self.log(UInt64($0)) }
    var generator = SeededGenerator(seed: 11)
    var all: [LogID: [Record]] = [:]
    for log in logs {
      all[log] = [Record(kind: 1, time: Self.start, actor: 1, body: Self.noise(40_000, &generator))]
    }
    let written = all
    await withTaskGroup { group in
      for log in logs {
        group.addTask {
          _ = try? await store.create(log, at: Self.start)
          _ = try? await store.append(written[log] ?? [], to: log, expecting: 0, epoch: nil)
        }
      }
    }
    store.abandon()
    try Self.refuseLarge("block", in: database)
    let before = try database.run("select sum(length(bytes))::bigint from frame_0_1")
    #expect(before > 32 << 20, "frames hold it, not blocks")
    let next = try PostgresLogStore.open(address: database.address, options: options)
    for log in logs { #expect(try await Self.all(next, of: log) == all[log]) }
    await next.shutdown()
  }

  @Test("DB-7: a snapshot of many MiB is written in pieces of bounded size")
  func largeSnapshot() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    try Self.refuseLarge("part", in: database)
    var generator = SeededGenerator(seed: 12)
    let parts = (1...40).map { number in
      SnapshotPart(key: [UInt8](repeating: UInt8(number), count: 16), bytes: Self.noise(1 << 20, &generator))
    }
    let snapshot = Snapshot(
      revision: 5, time: Self.start, stateHash: [UInt8](repeating: 1, count: 32), root: [4, 5], parts: parts)
    try await store.put(snapshot, for: Self.log)
    #expect(try await store.latestSnapshot(of: Self.log, notAfter: 5) == snapshot)
    await store.shutdown()
  }

  @Test(
    "DB-12: what is asked for at each seal and each tick costs nothing that grows with the number of logs")
  func manyLogs() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    try await store.seal()
    await store.shutdown()
    try database.run(
      """
      insert into log select 1000 + n, decode(lpad(to_hex(n), 32, '0'), 'hex'), epoch, created_ms, state, low, next,
      last_ms, blocks, raw_bytes, stored_bytes, chain, first_kept, chain_before, open_first, open_before, crc, null, owner
      from log, generate_series(1, 30000) as n
      """)
    try database.run("analyze log")
    let asked = [SealingTransaction.unfinished, SealedHalf.due(owner: nil), SealedHalf.due(owner: 1)]
    for (statement, index) in zip(asked, ["log_import", "log_removal", "log_removal"]) {
      let connection = try PostgresConnection(DatabaseAddress(database.address), name: "test")
      let plan = try connection.run([Query("explain \(statement)")])[0]
      let lines = (0..<plan.count).map { plan.text($0, 0) }
      #expect(lines.contains { $0.contains(index) }, "\(lines)")
    }
  }

  @Test("DB-12: an idle node writes nothing")
  func idleNode() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.sealIdle = .zero
    let store = try PostgresLogStore.open(address: database.address, options: options)
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    try await store.seal()
    try await pass(milliseconds: 1_200)
    let before = try database.run("select txid_current()")
    try await pass(milliseconds: 2_500)
    #expect(
      try database.run("select txid_current()") < before + 4, "this test's own numbers, not two a second")
    await store.shutdown()
  }
}
