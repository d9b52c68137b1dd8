import EventLog
import EventLogModel
import StorageTestKit
import Testing

@testable import PostgresLog

/// All tests on the server, one after the other: some change its settings.
@Suite(
  .serialized,
  .enabled(if: TestDatabase.server != nil, "there is no server: tools/postgres --test starts one"),
  .timeLimit(.minutes(15)))
struct PostgresTests {
  static let start = Timestamp(milliseconds: 1_700_000_000_000)
  static let log = LogID(high: 7, low: 1)

  static func records(_ range: ClosedRange<Int>, bytes: Int = 20) -> [Record] {
    range.map { number in
      Record(
        kind: 1, time: start + .milliseconds(Int64(number)), actor: UInt64(number),
        body: [UInt8](repeating: UInt8(number % 256), count: bytes))
    }
  }

  static func all(_ store: PostgresLogStore) async throws -> [Record] {
    var found: [Record] = []
    var after = Revision.zero
    while true {
      let runs = try await store.runs(of: log, after: after, limit: 1 << 20)
      guard let last = runs.last else { return found }
      found += runs.flatMap(\.unpacked)
      after = last.lastRevision
    }
  }

  @Test("LOG-2, LOG-3: a database keeps the contract of a log store", arguments: LogStoreContract.rules)
  func contract(_ rule: LogStoreContract.Rule) async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    await #expect(throws: Never.self) { try await rule.check(store) }
    await store.shutdown()
  }

  @Test("It keeps it with tiny frame tables, when sealing never stops", arguments: LogStoreContract.rules)
  func contractTiny(_ rule: LogStoreContract.Rule) async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.segmentBytes = 64 << 10
    options.sealIdle = .zero
    let store = try PostgresLogStore.open(address: database.address, options: options)
    await #expect(throws: Never.self) { try await rule.check(store) }
    await store.shutdown()
  }
}

extension PostgresTests {
  @Test("LOG-1: what was acknowledged is there after a kill, sealed or only in frames")
  func killedNode() async throws {
    let database = try TestDatabase()
    let first = try PostgresLogStore.open(address: database.address, options: database.options())
    let made = try await first.create(Self.log, epoch: Epoch(9), at: Self.start)
    try await first.append(Self.records(1...2_000, bytes: 100), to: Self.log, expecting: nil, epoch: nil)
    try await first.seal()
    try await first.append(Self.records(2_001...2_100), to: Self.log, expecting: 2_000, epoch: nil)
    first.abandon()
    let second = try PostgresLogStore.open(address: database.address, options: database.options())
    let all = Self.records(1...2_000, bytes: 100) + Self.records(2_001...2_100)
    #expect(try await Self.all(second) == all)
    #expect(try await second.info(of: Self.log).epoch == made.epoch)
    #expect(second.statistics.unsealedBytes == 0, "recovery seals")
    try await second.append(Self.records(2_101...2_110), to: Self.log, expecting: 2_100, epoch: nil)
    await second.shutdown()
    let third = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(try await Self.all(third).count == 2_110)
    #expect(try await third.chain(of: Self.log)?.last == 2_110)
    await third.shutdown()
  }

  @Test(
    "A start beside a living node is refused; one that takes over fences it, and nothing of it comes after")
  func fencedNode() async throws {
    let database = try TestDatabase()
    let stale = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await stale.create(Self.log, at: Self.start)
    try await stale.append(Self.records(1...10), to: Self.log, expecting: nil, epoch: nil)
    #expect(throws: LogError.self) {
      _ = try PostgresLogStore.open(address: database.address, options: database.options())
    }
    try await stale.append(Self.records(11...20), to: Self.log, expecting: nil, epoch: nil)
    var options = database.options()
    options.takesOver = true
    let next = try PostgresLogStore.open(address: database.address, options: options)
    await #expect(throws: LogError.self) {
      try await stale.append(Self.records(21...30), to: Self.log, expecting: nil, epoch: nil)
    }
    await #expect(throws: LogError.self) {
      try await stale.append(Self.records(21...30), to: Self.log, expecting: nil, epoch: nil)
    }
    #expect(try await Self.all(next) == Self.records(1...20))
    await stale.shutdown()
    await next.shutdown()
  }

  @Test("LOG-1: frame tables are used in turn and emptied; a log of many segments is whole after a kill")
  func tablesInTurn() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.segmentBytes = 64 << 10
    let store = try PostgresLogStore.open(address: database.address, options: options)
    _ = try await store.create(Self.log, at: Self.start)
    // Bytes that LZ4 does not shorten, so that frames fill their tables.
    var generator = SeededGenerator(seed: 5)
    var all: [Record] = []
    for number in 1...300 {
      let body = (0..<4_000).map { _ in UInt8.random(in: 0...255, using: &generator) }
      all.append(Record(kind: 2, time: Self.start, actor: UInt64(number), body: body))
      try await store.append([all[number - 1]], to: Self.log, expecting: nil, epoch: nil)
    }
    try await store.seal()
    #expect(store.statistics.segmentsInUse < 8)
    let used = try database.run("select count(distinct segment) from frame_0_1")
    #expect(used <= 1, "a table holds frames of one segment")
    store.abandon()
    let again = try PostgresLogStore.open(address: database.address, options: options)
    #expect(try await Self.all(again) == all)
    await again.shutdown()
  }

  @Test("LOG-10: a changed frame is named and not recovered, and nothing is changed by the attempt")
  func damagedFrame() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...10), to: Self.log, expecting: nil, epoch: nil)
    store.abandon()
    let flip = "update frame_0_1 set bytes = set_byte(bytes, 60, get_byte(bytes, 60) # 1) where number = 2"
    try database.run(flip)
    #expect {
      _ = try PostgresLogStore.open(address: database.address, options: database.options())
    } throws: {
      guard case LogError.damaged(let damage) = $0 else { return false }
      return damage.what.hasPrefix("frame 2 of incarnation")
    }
    try database.run(flip)
    let again = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(try await Self.all(again) == Self.records(1...10))
    await again.shutdown()
  }
}
