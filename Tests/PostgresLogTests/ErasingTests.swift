import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import PostgresLog

/// What was erased is looked for in the rows, and in the files of the server's tables.
extension PostgresTests {
  private static let (erasedLog, last): (LogID, Int) = (LogID(high: 7, low: 99), 600)

  /// Bytes that no other record has, and that cannot be made shorter.
  private static func content(_ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number) + 5_000)
    return (0..<200).map { _ in UInt8.random(in: 0...255, using: &generator) }
  }

  private static func isErased(_ number: Int) -> Bool { number % 3 == 0 }

  private static let replacing: @Sendable (Run) throws(LogError) -> Run? = { run throws(LogError) in
    var builder = RunBuilder(first: run.first, base: run.base)
    for (index, record) in run.unpacked.enumerated() {
      var record = record
      if isErased(Int((run.first + index).rawValue)) { (record.kind, record.body) = (99, [0]) }
      builder.append(record)
    }
    return builder.takeRun()
  }

  /// Numbers of records whose content is in a file of the store's tables.
  private static func inFiles(of database: TestDatabase) throws -> Set<Int> {
    try database.run("checkpoint")
    let connection = try PostgresConnection(DatabaseAddress(database.address), name: "test")
    let rows = try connection.run([
      Query(
        """
        select current_setting('data_directory') || '/' || pg_relation_filepath(oid) from pg_class
        where relkind in ('r', 't') and (relnamespace = current_schema()::regnamespace or oid in
        (select reltoastrelid from pg_class where relnamespace = current_schema()::regnamespace))
        """)
    ])[0]
    var found: Set<Int> = []
    for row in 0..<rows.count {
      let bytes = try Data(contentsOf: URL(filePath: rows.text(row, 0)))
      for number in 1...last where !found.contains(number) {
        // A quarter is enough: long values lie in pieces.
        let whole = content(number)
        for begin in [0, 50, 100, 150] where bytes.range(of: Data(whole[begin..<begin + 50])) != nil {
          found.insert(number)
        }
      }
    }
    return found
  }

  private static func info(_ database: TestDatabase) async throws -> (info: LogInfo, chain: ChainEnds?) {
    let store = try PostgresLogStore.openReading(address: database.address)
    let found = (try await store.info(of: erasedLog), try await store.chain(of: erasedLog))
    await store.shutdown()
    return found
  }

  @Test(
    "LOG-29, DB-19: what is erased in a database is in no row and no file of its tables; revisions, times and chain stay, and endpoints go on"
  )
  func erases() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.sharing = PostgresLogStore.Sharing(address: "a.example:80")
    // A node that leaves in order: frames with all of it stay where they are.
    let node = try PostgresLogStore.open(address: database.address, options: options)
    _ = try await node.create(Self.erasedLog, at: Self.start)
    for number in 1...Self.last {
      let record = Record(
        kind: 1, time: Self.start + .milliseconds(Int64(number)), actor: 1, body: Self.content(number))
      try await node.append([record], to: Self.erasedLog, expecting: nil, epoch: nil)
      guard number == 300 || number == 500 else { continue }
      let part = SnapshotPart(key: [UInt8](repeating: UInt8(number / 100), count: 16), bytes: Self.content(3))
      try await node.put(
        Snapshot(
          revision: Revision(UInt64(number)), time: Self.start, stateHash: [UInt8](repeating: 1, count: 32),
          root: [1], parts: [part]), for: Self.erasedLog)
    }
    await #expect(throws: LogError.self, "a node that shares its database erases nothing") {
      _ = try await node.erase(in: Self.erasedLog, keepingSnapshotAt: nil, replacing: Self.replacing)
    }
    await node.shutdown()
    let before = try await Self.info(database)
    let cursors = try PostgresCursors(address: database.address, endpoint: "https://a.example")
    _ = try cursors.begin(with: [Self.erasedLog: Cursor(epoch: before.info.epoch, revision: 77)])
    #expect(try Self.inFiles(of: database).count == Self.last, "the search finds what is there")

    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    let epoch = try await store.erase(
      in: Self.erasedLog, keepingSnapshotAt: nil, replacing: Self.replacing)
    let blocks = try await store.erasedBlocks(of: Self.erasedLog)
    #expect(blocks.first?.first == 1)
    #expect(blocks.last?.last == Revision(UInt64(Self.last)))
    #expect(blocks.allSatisfy { $0.before != $0.after })
    #expect(try await store.snapshots(of: Self.erasedLog).isEmpty)
    // Done again it changes nothing.
    _ = try await store.erase(in: Self.erasedLog, keepingSnapshotAt: nil, replacing: Self.replacing)
    #expect(try await store.erasedBlocks(of: Self.erasedLog) == blocks)
    try await store.clearRemains()
    await store.shutdown()

    var told: [Int] = []
    let isStopped = try PostgresLogStore.rewriteTables(address: database.address, of: [Self.erasedLog]) {
      $0 < 1 && $1 > 1
    }
    #expect(!isStopped)
    let isWhole = try PostgresLogStore.rewriteTables(address: database.address, of: [Self.erasedLog]) {
      told.append($0)
      return $0 <= $1
    }
    #expect(isWhole)
    #expect(told == Array(0..<told.count))
    let left = try Self.inFiles(of: database)
    #expect(left.filter(Self.isErased).isEmpty)
    #expect(left.count == Self.last - Self.last / 3, "what others made is there")

    let after = try await Self.info(database)
    #expect(after.info.epoch != before.info.epoch)
    #expect(after.info.epoch != epoch, "the second erasure gave another one")
    #expect(after.info.last == before.info.last)
    #expect(after.chain?.value == before.chain?.value)
    #expect(
      try PostgresCursors.all(address: database.address)["https://a.example"]?[Self.erasedLog]
        == Cursor(epoch: after.info.epoch, revision: 77))
    let report = try PostgresLogStore.verify(address: database.address, level: .full) { _ in true }
    #expect(report.findings.isEmpty, "\(report.findings)")
    let next = try PostgresLogStore.open(address: database.address, options: database.options())
    let runs = try await next.runs(of: Self.erasedLog, after: .zero, limit: 1 << 24)
    for (index, record) in runs.flatMap(\.unpacked).enumerated() {
      #expect(record.time == Self.start + .milliseconds(Int64(index + 1)))
      #expect(record.body == (Self.isErased(index + 1) ? [0] : Self.content(index + 1)))
    }
    await next.shutdown()
  }

  @Test("DB-19: tables are not written anew while a node is there")
  func rewritesAlone() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(throws: LogError.self) {
      try PostgresLogStore.rewriteTables(address: database.address, of: [Self.erasedLog])
    }
    await store.shutdown()
    try PostgresLogStore.rewriteTables(address: database.address, of: [Self.erasedLog])
  }
}
