import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import PostgresLog

extension PostgresTests {
  private static let (first, second, gone) = (
    LogID(high: 9, low: 1), LogID(high: 9, low: 2), LogID(high: 9, low: 3)
  )

  /// Two logs of some blocks and one that was deleted; the last 20 events of each are in frames alone.
  ///
  /// - Parameter keepsFrames: whether the frames of what is in blocks are there still.
  private static func fill(_ database: TestDatabase, keepsFrames: Bool = false) async throws {
    var node = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await node.create(gone, at: start)
    try await node.append(records(1...20), to: gone, expecting: nil, epoch: nil)
    for log in [first, second] {
      _ = try await node.create(log, at: start)
      for step in 0..<20 {
        try await node.append(
          records(step * 20 + 1...step * 20 + 20, bytes: 3_600), to: log, expecting: nil, epoch: nil)
      }
    }
    try await node.seal()
    try await node.delete(gone)
    try await node.seal()
    if !keepsFrames {
      await node.shutdown()
      // Whoever comes next empties the frame tables.
      node = try PostgresLogStore.open(address: database.address, options: database.options())
    }
    for log in [first, second] {
      try await node.append(records(401...420, bytes: 3_600), to: log, expecting: nil, epoch: nil)
    }
    node.abandon()
  }

  private static let number = "(select no from log where id = '\\x\(first)')"

  /// What is in a repaired folder, and in the tables.
  private static func runs(of log: LogID, in store: any LogStore) async throws -> [Record] {
    var (found, at): ([Record], Revision) = ([], .zero)
    while true {
      let runs = try await store.runs(of: log, after: at, limit: 1 << 20)
      guard let last = runs.last else { return found }
      found += runs.flatMap(\.unpacked)
      at = last.lastRevision
    }
  }

  private static func repair(_ database: TestDatabase, into folder: TemporaryFolder) throws -> RepairReport {
    try TablesRepair(address: database.address).write(to: folder.path)
  }

  @Test(
    "DB-21, LOG-25: of sound tables a repair makes a folder with all of it, frames that nobody has sealed included"
  )
  func repairSound() async throws {
    let database = try TestDatabase()
    try await Self.fill(database)
    let folder = TemporaryFolder()
    let report = try Self.repair(database, into: folder)
    #expect(report.isWhole, "\(report)")
    #expect(report.damages.isEmpty, "\(report.damages)")
    #expect(report.logs.map(\.events).sorted() == [420, 420])
    let store = try EmbeddedLogStore.open(folder: folder.path)
    let tables = try PostgresLogStore.openReading(address: database.address)
    for log in [Self.first, Self.second] {
      #expect(try await Self.runs(of: log, in: store) == Self.records(1...420, bytes: 3_600))
      #expect(try await store.info(of: log).epoch == tables.info(of: log).epoch)
    }
    await #expect(throws: LogError.deleted(Self.gone)) { try await store.info(of: Self.gone) }
    await tables.shutdown()
    await store.shutdown()
  }

  @Test(
    "DB-21: what a block has lost is taken from frames that are there still, and proved by the hash chain")
  func repairFromFrames() async throws {
    let database = try TestDatabase()
    try await Self.fill(database, keepsFrames: true)
    let number = try database.run("select \(Self.number)")
    let third = "first = (select first from block where log = \(number) order by first offset 2 limit 1)"
    try database.run(
      "update block set bytes = set_byte(bytes, 300, get_byte(bytes, 300) # 1) where log = \(number) and \(third)"
    )
    let folder = TemporaryFolder()
    let report = try Self.repair(database, into: folder)
    #expect(report.isWhole, "\(report)")
    let found = try #require(report.logs.first { $0.log == Self.first }?.found.first)
    #expect(found.isProved)
    #expect(found.place == .journal)
    #expect(found.revisions.count > 1)
    let store = try EmbeddedLogStore.open(folder: folder.path)
    #expect(try await Self.runs(of: Self.first, in: store) == Self.records(1...420, bytes: 3_600))
    await store.shutdown()
  }

  @Test("DB-21: deletions, trims and imports of which only frames know are kept, and none is a loss")
  func repairUnsealedChanges() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    let low = try await UnsealedChanges.make(in: node) { try await node.seal() }
    node.abandon()
    #expect(try database.run("select sum(state) from log") == 0, "the rows know nothing of it")
    let folder = TemporaryFolder()
    let report = try Self.repair(database, into: folder)
    #expect(report.isWhole, "\(report)")
    #expect(report.logs.count == 3)
    let store = try EmbeddedLogStore.open(folder: folder.path)
    try await UnsealedChanges.expect(in: store, low)
    await store.shutdown()
  }

  @Test("DB-21: nobody repairs what a node is writing")
  func repairBesideNode() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect {
      _ = try TablesRepair(address: database.address)
    } throws: {
      if case LogError.locked = $0 { true } else { false }
    }
    await node.shutdown()
  }

  @Test(
    "DB-21: what is lost is named, and all else is there: a block, a missing one, a row of the catalog, keys without a row",
    arguments: [
      (
        "update block set bytes = set_byte(bytes, 300, get_byte(bytes, 300) # 1)", "a block", true, 400
      ), ("delete from block", "a missing block", true, 400),
      ("update log set crc = crc + 1", "a row of the catalog", false, 420),
      ("delete from log", "no row of the catalog", false, 420),
    ])
  func repairDamaged(_ damage: String, _ what: String, _ loses: Bool, _ least: Int) async throws {
    let database = try TestDatabase()
    try await Self.fill(database)
    let number = try database.run("select \(Self.number)")
    if loses {
      let third = "first = (select first from block where log = \(number) order by first offset 2 limit 1)"
      try database.run("\(damage) where log = \(number) and \(third)")
    } else {
      try database.run("\(damage) where no = \(number)")
    }
    let folder = TemporaryFolder()
    let report = try Self.repair(database, into: folder)
    #expect(!report.isWhole)
    let found = try #require(report.logs.first { $0.log == Self.first })
    let other = try #require(report.logs.first { $0.log == Self.second })
    #expect(other.isWhole)
    #expect(other.events == 420)
    let store = try EmbeddedLogStore.open(folder: folder.path)
    if loses {
      let lost = try #require(found.lost.first)
      #expect(found.lost.count == 1)
      #expect(found.events + lost.count == 420)
      #expect(!found.hasNewEpoch, "its end is there")
      let read = try await store.runs(of: Self.first, after: Revision(lost.upperBound), limit: 1 << 24)
      #expect(
        read.flatMap(\.unpacked).first
          == Self.records(Int(lost.upperBound) + 1...Int(lost.upperBound) + 1, bytes: 3_600)[0])
      let noted = try Verify.earlier(folder: folder.path)
      #expect(noted.contains { $0.lost == lost && $0.log == Self.first }, "\(noted)")
    } else {
      #expect(found.events == 420)
      #expect(!found.isEndKnown, "nothing says which event was its last")
      #expect(found.hasNewEpoch)
      #expect(try await Self.runs(of: Self.first, in: store) == Self.records(1...420, bytes: 3_600))
    }
    #expect(try await Self.runs(of: Self.second, in: store) == Self.records(1...420, bytes: 3_600))
    await store.shutdown()
  }

  @Test("DB-21: of damaged frames those before them are taken, and every log may have lost its end")
  func repairDamagedFrames() async throws {
    let database = try TestDatabase()
    try await Self.fill(database)
    let tables = try (0..<PostgresSchema.frameTables).map {
      PostgresSchema.frameTable(slot: 0, segment: UInt64($0))
    }.filter { try database.run("select count(*) from \($0)") > 0 }
    let last = try #require(
      try tables.max {
        try database.run("select max(number) from \($0)") < database.run("select max(number) from \($1)")
      })
    try database.run(
      """
      update \(last) set bytes = set_byte(bytes, length(bytes) - 1, get_byte(bytes, length(bytes) - 1) # 1)
      where number = (select max(number) from \(last))
      """)
    let folder = TemporaryFolder()
    let report = try Self.repair(database, into: folder)
    #expect(report.hasUnknownLoss)
    #expect(!report.isWhole)
    #expect(report.damages.count == 1, "\(report.damages)")
    for log in report.logs {
      #expect(log.hasNewEpoch)
      #expect((400...420).contains(log.events))
    }
    #expect(report.logs.map(\.events).sorted() == [400, 420], "the last frame has those of one log")
  }

  @Test("DB-21: a page that the server cannot read takes only its blocks with it")
  func repairUnreadablePage() async throws {
    let database = try TestDatabase()
    try await Self.fill(database)
    let partition = TestDatabase.partition(of: try database.run("select \(Self.number)"))
    try database.spoil(of: partition)
    #expect(throws: (any Error).self) { try database.run("select sum(length(bytes || '')) from block") }
    let folder = TemporaryFolder()
    let report = try Self.repair(database, into: folder)
    #expect(!report.isWhole)
    for log in report.logs {
      let lost = log.lost.reduce(0) { $0 + $1.count }
      #expect(lost < 400, "what is on other pages can be read: \(report)")
      #expect(log.events == 420 - lost)
    }
    #expect(report.damages.contains { $0.what.contains("cannot read") }, "\(report.damages)")
  }

  @Test(
    "DB-21: without an index, or with keys of blocks that are damaged, all blocks are found by what is in them",
    arguments: [
      "", "update block set first = first # (-9223372036854775808)",
      "update block set first = first | (1::bigint << 40)",
      "update block set first = first - 3",
    ], [false, true])
  func repairKeys(_ damage: String, _ losesRow: Bool) async throws {
    let database = try TestDatabase()
    try await Self.fill(database)
    let number = try database.run("select \(Self.number)")
    if losesRow { try database.run("update log set crc = crc + 1 where no = \(number)") }
    if damage.isEmpty {
      try database.spoil(page: 1, of: TestDatabase.index(of: TestDatabase.partition(of: number)))
    } else {
      let third = "first = (select first from block where log = \(number) order by first offset 2 limit 1)"
      try database.run("\(damage) where log = \(number) and \(third)")
    }
    let folder = TemporaryFolder()
    let report = try Self.repair(database, into: folder)
    #expect(report.isWhole == !losesRow, "\(report)")
    #expect(report.logs.map(\.events) == [420, 420])
    let lost = report.logs.flatMap(\.lost)
    #expect(lost.isEmpty, "\(lost)")
    let store = try EmbeddedLogStore.open(folder: folder.path)
    #expect(try await Self.runs(of: Self.first, in: store) == Self.records(1...420, bytes: 3_600))
    await store.shutdown()
  }

  @Test("DB-21: what cannot be listed is no proof that there was nothing")
  func repairUnlisted() async throws {
    let database = try TestDatabase()
    try await Self.fill(database)
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    await node.shutdown()
    try database.spoil(of: "'log'::regclass")
    for partition in ["'block_0'::regclass", "'block_1'::regclass"] {
      let pages = try FileManager.default.attributesOfItem(atPath: try database.path(of: partition))[.size]
      for page in 0..<(try #require(pages as? Int) / 8_192) { try database.spoil(page: page, of: partition) }
    }
    let report = try Self.repair(database, into: TemporaryFolder())
    #expect(report.logs.isEmpty)
    #expect(report.hasUnknownLoss)
    #expect(!report.isWhole)
  }

  @Test(
    "DB-21: whatever table cannot be read, a repair takes what the others have",
    arguments: [
      (table: "meta", isWhole: true), (table: "damage", isWhole: true), (table: "log", isWhole: false),
      (table: "incarnation", isWhole: false), (table: "frame", isWhole: false),
    ], [false, true])
  func repairTable(_ found: (table: String, isWhole: Bool), isMissing: Bool) async throws {
    let database = try TestDatabase()
    try await Self.fill(database)
    try database.run("insert into damage(log, first, last, what, place) values (2, 1, 1, 'earlier', 'x')")
    let table =
      try found.table == "frame"
      ? #require(
        try (0..<PostgresSchema.frameTables).map { PostgresSchema.frameTable(slot: 0, segment: $0) }
          .first { try database.run("select count(*) from \($0)") > 0 }) : found.table
    if isMissing {
      try FileManager.default.removeItem(atPath: try database.path(of: "'\(table)'::regclass"))
      try database.restart()
    } else {
      try database.spoil(of: "'\(table)'::regclass")
    }
    let folder = TemporaryFolder()
    let report = try Self.repair(database, into: folder)
    #expect(report.isWhole == found.isWhole, "\(report)")
    #expect(report.hasUnknownLoss == !found.isWhole, "\(report)")
    #expect(report.damages.contains { $0.what.contains("cannot read") }, "\(report.damages)")
    let least = found.table == "frame" || found.table == "incarnation" ? 400 : 420
    // Without its row a deleted log may be there still.
    let events = report.logs.filter { $0.log != Self.gone }.map(\.events)
    #expect(events == [least, least], "\(report)")
    #expect(report.logs.allSatisfy { $0.hasNewEpoch != found.isWhole })
    let noted = try Verify.earlier(folder: folder.path)
    #expect(noted.contains { $0.what == "earlier" } == (found.table != "damage"), "\(noted)")
  }
}
