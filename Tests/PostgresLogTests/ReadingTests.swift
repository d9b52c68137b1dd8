import EventLog
import EventLogModel
import StorageTestKit
import Synchronization
import Testing

@testable import PostgresLog

extension PostgresTests {
  @Test(
    "DB-1: a store is read as it is while a node writes: what is sealed and what only frames hold; nothing changes"
  )
  func readBesideNode() async throws {
    let database = try TestDatabase()
    let node = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await node.create(Self.log, at: Self.start)
    try await node.append(Self.records(1...2_000, bytes: 100), to: Self.log, expecting: nil, epoch: nil)
    try await node.seal()
    try await node.append(Self.records(2_001...2_100), to: Self.log, expecting: 2_000, epoch: nil)
    let reader = try PostgresLogStore.openReading(address: database.address)
    try await node.append(Self.records(2_101...2_110), to: Self.log, expecting: 2_100, epoch: nil)
    try await node.seal()
    let all = Self.records(1...2_000, bytes: 100) + Self.records(2_001...2_100)
    // Blocks may have grown since; the log ends where it ended when it was opened.
    #expect(try await reader.info(of: Self.log).last == 2_100)
    var read: [Record] = []
    while read.count < all.count {
      let after = Revision(UInt64(read.count))
      read += try await reader.runs(of: Self.log, after: after, limit: 1 << 20).flatMap(\.unpacked)
    }
    #expect(Array(read.prefix(all.count)) == all)
    #expect(reader.identity == node.identity)
    #expect(reader.identity.count == 32)
    await #expect(throws: LogError.readOnly) {
      try await reader.append(Self.records(1...1), to: Self.log, expecting: nil, epoch: nil)
    }
    await reader.shutdown()
    #expect(try database.run("select count(*) from incarnation") == 1)
    try await node.append(Self.records(2_111...2_111), to: Self.log, expecting: 2_110, epoch: nil)
    await node.shutdown()
  }

  @Test("DB-1: whoever reads while frames are sealed and their tables emptied misses nothing acknowledged")
  func readWhileEmptied() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.segmentBytes = 64 << 10
    options.sealIdle = .zero
    let node = try PostgresLogStore.open(address: database.address, options: options)
    _ = try await node.create(Self.log, at: Self.start)
    let reads = Mutex(0)
    let reading = Task {
      while !Task.isCancelled {
        let before = try await node.info(of: Self.log).last
        let reader = try PostgresLogStore.openReading(address: database.address, readers: 1)
        let found = try await reader.info(of: Self.log).last
        await reader.shutdown()
        #expect(found >= before, "\(before) was acknowledged, and \(found) is read")
        reads.withLock { $0 += 1 }
      }
    }
    // On a fast disk it takes more than on a slow one.
    var start = 0
    while start < 600 || (reads.withLock { $0 } < 4 && start < 60_000) {
      try await node.append(
        Self.records(start + 1...start + 3, bytes: 4_000), to: Self.log, expecting: nil, epoch: nil)
      start += 3
    }
    reading.cancel()
    try await reading.value
    #expect(reads.withLock { $0 } > 3)
    await node.shutdown()
  }

  /// Takes away what later versions added, the newest first.
  static let toVersion4 = [
    "drop table image", "drop table webhook", "drop table webhook_cursor",
    "update meta set value = 4 where name = 'version'",
  ]
  static let toVersion3 =
    toVersion4 + [
      "drop index log_import", "drop index log_removal", "update meta set value = 3 where name = 'version'",
    ]
  static let toVersion2 =
    toVersion3 + [
      "alter table incarnation drop column address", "drop table beat", "drop sequence log_number",
      "drop index log_owner", "drop index incarnation_left",
      "update meta set value = 2 where name = 'version'",
    ]
  static let toVersion1 =
    toVersion2 + ["drop table store", "update meta set value = 1 where name = 'version'"]

  @Test("DB-2: tables of an earlier version are brought to the present one, and keep what they hold")
  func earlierVersion() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...10), to: Self.log, expecting: nil, epoch: nil)
    for statement in Self.toVersion1 {
      try database.run(statement)
    }
    #expect(throws: LogError.self, "a node is there that does not expect the change") {
      _ = try PostgresLogStore.makeTables(address: database.address, options: database.options())
    }
    await store.shutdown()
    let reader = try PostgresLogStore.openReading(address: database.address)
    #expect(try await Self.all(reader).count == 10)
    #expect(reader.identity == "", "reading changes nothing")
    await reader.shutdown()
    let made = try PostgresLogStore.makeTables(address: database.address, options: database.options())
    #expect(made == .init(found: 1, version: 5))
    let again = try PostgresLogStore.makeTables(address: database.address, options: database.options())
    #expect(again == .init(found: 5, version: 5))
    let next = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(try await Self.all(next) == Self.records(1...10))
    #expect(next.identity.count == 32)
    await next.shutdown()
  }

  @Test("DB-2: tables of a later version are refused, by a start, a reader and whoever makes tables")
  func laterVersion() throws {
    let database = try TestDatabase()
    #expect(throws: LogError.self, "there are no tables to read") {
      _ = try PostgresLogStore.openReading(address: database.address)
    }
    let made = try PostgresLogStore.makeTables(address: database.address, options: database.options())
    #expect(made == .init(found: nil, version: 5))
    try database.run("update meta set value = 99 where name = 'version'")
    let attempts: [() throws -> Void] = [
      { _ = try PostgresLogStore.open(address: database.address, options: database.options()) },
      { _ = try PostgresLogStore.openReading(address: database.address) },
      { _ = try PostgresLogStore.makeTables(address: database.address) },
      { _ = try PostgresLogStore.verify(address: database.address, level: .quick) },
    ]
    for attempt in attempts {
      #expect {
        try attempt()
      } throws: {
        guard case LogError.incompatible(_, "tables of version 99", _) = $0 else { return false }
        return true
      }
    }
    #expect(try database.run("select count(*) from incarnation") == 0)
  }

  @Test(
    "DB-3: no error names a password, wherever it stands in the address",
    arguments: [
      "postgres://anna:geheim@127.0.0.1:1/rooms", "postgres://127.0.0.1:1/rooms?user=anna&password=geheim",
      "postgres://anna:ge/heim@127.0.0.1:1/rooms", "postgres://anna:geheim@127.0.0.1:x/rooms",
      "postgres://anna:geheim@127.0.0.1:1/rooms?nonsense=geheim", "host=127.0.0.1 port=1 password=geheim",
      "postgre://anna:geheim@127.0.0.1:1/rooms",
    ])
  func hiddenPassword(_ address: String) {
    let attempts: [() throws -> Void] = [
      { _ = try PostgresLogStore.open(address: address) },
      { _ = try PostgresLogStore.openReading(address: address) },
      { _ = try PostgresLogStore.makeTables(address: address) },
      { _ = try PostgresLogStore.verify(address: address, level: .quick) },
    ]
    for attempt in attempts {
      #expect {
        try attempt()
      } throws: {
        let text = "\($0) \(String(reflecting: $0))"
        return $0 is LogError && !text.contains("heim") && !text.contains("anna")
      }
    }
  }

  @Test("DB-3: no error names the user whom the server does not take, or who may not do something")
  func hiddenUser() throws {
    let database = try TestDatabase()
    let stranger = database.address.replacing("user=boardroom", with: "user=annageheim")
    try #require(stranger != database.address)
    func attempt() throws -> String {
      var told = ""
      do { _ = try PostgresLogStore.open(address: stranger, options: database.options()) } catch {
        told = "\(error)"
      }
      return told
    }
    let unknown = try attempt()
    try database.run("create role annageheim login")
    defer { _ = try? database.run("drop role annageheim") }
    let refused = try attempt()
    for told in [unknown, refused] {
      #expect(!told.isEmpty)
      #expect(!told.contains("heim"), "\(told)")
    }
  }

  @Test("DB-13: a node needs no right to make tables, once they are made")
  func fewerRights() async throws {
    let database = try TestDatabase()
    _ = try PostgresLogStore.makeTables(address: database.address, options: database.options())
    let user = "user_\(database.schema)"
    try database.run("create role \(user) login")
    // As OPERATIONS has them.
    for grant in [
      "usage on schema \(database.schema)",
      "select, insert, update, delete, truncate on all tables in schema \(database.schema)",
      "usage, select, update on all sequences in schema \(database.schema)",
    ] {
      try database.run("grant \(grant) to \(user)")
    }
    let address = database.address.replacing("user=boardroom", with: "user=\(user)")
    try #require(address != database.address)
    var options = database.options()
    options.sealIdle = .zero
    let store = try PostgresLogStore.open(address: address, options: options)
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...2_000, bytes: 200), to: Self.log, expecting: nil, epoch: nil)
    try await store.seal()
    store.abandon()
    let next = try PostgresLogStore.open(address: address, options: options)
    #expect(try await Self.all(next).count == 2_000)
    try await next.delete(Self.log)
    try await next.clearRemains()
    await next.shutdown()
    var sharing = PostgresLogStore.Sharing(address: "a.example:80")
    sharing.beat = .milliseconds(150)
    options.sharing = sharing
    let node = try PostgresLogStore.open(address: address, options: options)
    _ = try await node.create(Self.log(2), at: Self.start)
    try await node.append(Self.records(1...3), to: Self.log(2), expecting: nil, epoch: nil)
    let reader = try PostgresLogStore.openReading(address: address)
    #expect(try await Self.all(reader, of: Self.log(2)).count == 3)
    await reader.shutdown()
    await node.shutdown()
    try database.run("drop owned by \(user)")
    try database.run("drop role \(user)")
  }

  @Test("DB-1: a snapshot is read as it is at one moment, also when it is removed meanwhile")
  func snapshotAtOneMoment() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    let snapshot = Snapshot(
      revision: 5, time: Self.start, stateHash: [UInt8](repeating: 1, count: 32), root: [4, 5],
      parts: (1...3).map { .init(key: [UInt8](repeating: $0, count: 16), bytes: [$0, 9]) })
    try await store.put(snapshot, for: Self.log)
    let remover = try PostgresConnection(DatabaseAddress(database.address), name: "test")
    _ = try remover.run([Query("begin"), Query("lock table part in access exclusive mode")])
    async let read = store.latestSnapshot(of: Self.log, notAfter: 5)
    try await until {
      try database.run(
        """
        select count(*) from pg_stat_activity
        where application_name = 'boardroom reader' and wait_event_type = 'Lock'
        """) == 1
    }
    _ = try remover.run([Query("delete from snapshot"), Query("delete from part"), Query("commit")])
    #expect(try await read == snapshot)
    await store.shutdown()
  }

  /// Changes what a row of the catalog says of its blocks, under a right checksum, and puts it back.
  private func checkSums(in database: TestDatabase) throws {
    let connection = try PostgresConnection(DatabaseAddress(database.address), name: "test")
    let rows = try connection.run([Query(CatalogEntry.select)])[0]
    let entry = try CatalogEntry(rows, 0, "the catalog")
    let changes: [(String, (inout CatalogEntry) -> Void)] = [
      ("the chain does not end at the catalog's value", { $0.row.chain[0] ^= 1 }),
      ("bytes of records", { $0.row.rawBytes += 1 }), ("bytes of blocks", { $0.row.storedBytes += 1 }),
      ("blocks where the catalog has", { $0.row.blocks += 1 }),
      ("the chain breaks at revision 1", { $0.chainBefore = [UInt8](repeating: 9, count: 32) }),
    ]
    for (told, change) in changes {
      var wrong = entry
      change(&wrong)
      _ = try connection.run([CatalogEntry.upsert([wrong])])
      let found = try PostgresLogStore.verify(address: database.address, level: .full).findings
      #expect(found.contains { $0.what.contains(told) }, "\(told): \(found)")
    }
    _ = try connection.run([CatalogEntry.upsert([entry])])
  }

  @Test("LOG-10: the check of the tables names what is damaged, and nothing where all is well")
  func verified() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    for start in stride(from: 0, to: 4_000, by: 500) {
      try await store.append(
        Self.records(start + 1...start + 500, bytes: 100), to: Self.log, expecting: nil, epoch: nil)
      try await store.seal()
    }
    try checkSums(in: database)
    let part = SnapshotPart(key: [UInt8](repeating: 7, count: 16), bytes: [1, 2, 3])
    try await store.put(
      Snapshot(
        revision: 4_000, time: Self.start, stateHash: [UInt8](repeating: 1, count: 32), root: [4, 5],
        parts: [part]), for: Self.log)
    func findings(_ level: VerifyLevel) throws -> [Damage] {
      let report = try PostgresLogStore.verify(address: database.address, level: level)
      #expect(report.checked.logs == 1)
      #expect(report.checked.blocks > 3)
      return report.findings
    }
    #expect(try findings(.quick) == [])
    #expect(try findings(.full) == [])
    await store.shutdown()
    let flip =
      "update block set bytes = set_byte(bytes, 200, get_byte(bytes, 200) # 1) where first = (select min(first) from block)"
    try database.run(flip)
    let found = try #require(try findings(.full).first)
    #expect(found.what == "the block fails its checksum")
    #expect(found.lost?.lowerBound == 1)
    try database.run(flip)
    try database.run("update part set bytes = set_byte(bytes, 10, get_byte(bytes, 10) # 1)")
    #expect(try findings(.full).map(\.what) == ["a part of a snapshot"])
    try database.run("delete from part")
    #expect(try findings(.full).count == 1)
    try database.run("delete from block where first = (select max(first) from block)")
    #expect(try findings(.quick).contains { $0.what == "a block is missing" })
  }
}
