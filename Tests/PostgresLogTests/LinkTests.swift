import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import Testing

@testable import PostgresLog

/// New connections: how many are left behind, what refuses them, and whose they are.
extension PostgresTests {
  @Test("DB-9: while no standby answers, a node leaves no more connections behind than it has purposes")
  func connectionsLeftBehind() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.sealIdle = .zero
    let store = try PostgresLogStore.open(address: database.address, options: options)
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    try await store.seal()
    defer { try? database.loseStandby(false) }
    try database.loseStandby(true)
    let append = Task {
      for number in 6...5_000 {
        try await store.append(Self.records(number...number), to: Self.log, expecting: nil, epoch: nil)
      }
    }
    try await until { try database.isWaiting("with open%") }
    try database.strike("pg_terminate_backend", where: "state is not null")
    try await pass(milliseconds: 9_000)
    let left = try database.run(
      """
      select count(*) from pg_stat_activity where application_name like 'boardroom incarnation %'
      and query like 'update fence set link%' and state = 'active'
      """)
    #expect(left <= 2, "one waits for the commits and one for the sealer")
    // It may be an old primary, so which server takes writes is asked again, by another connection.
    let others = try database.run(
      """
      select count(*) from pg_stat_activity where application_name like 'boardroom incarnation %'
      and query like '%starts_with(query%'
      """)
    #expect((1...2).contains(others), "DB-17")
    try database.loseStandby(false)
    append.cancel()
    _ = await append.result
    try await until { store.refusal == nil }
    try await store.seal()
    await store.shutdown()
  }

  @Test(
    "DB-4: what refuses a new link for a while stops no node: connections, space, a deadlock, no writes at present",
    arguments: ["53300", "53100", "40001", "25006"])
  func refusedLink(_ state: String) async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    try database.run(
      """
      create function refuse() returns trigger language plpgsql as $$ begin
      raise 'not now' using errcode = '\(state)'; end $$
      """)
    try database.run("create trigger refuse before update on fence execute function refuse()")
    try database.strike("pg_terminate_backend", where: "state is not null")
    let append = Task {
      _ = try await store.append(Self.records(6...6), to: Self.log, expecting: nil, epoch: nil)
    }
    try await until { store.refusal != nil || store.base.stopped != nil }
    #expect(store.base.stopped == nil)
    try database.run("drop trigger refuse on fence")
    try await append.value
    try await until { store.refusal == nil }
    try await store.append(Self.records(7...7), to: Self.log, expecting: 6, epoch: nil)
    try await store.seal()
    #expect(try await Self.all(store) == Self.records(1...7))
    await store.shutdown()
  }

  @Test("DB-17: of several servers one that takes writes is found, whichever do not answer")
  func servers() throws {
    let database = try TestDatabase()
    let text = try #require(TestDatabase.server)
    let folder = try #require(text.firstMatch(of: /host=([^&]*)/)?.output.1)
    let several = database.address.replacing(
      "host=\(folder)", with: "host=/nowhere,127.0.0.1,\(folder)&port=5432,1,5432")
    let connection = try PostgresConnection(DatabaseAddress(several), name: "test")
    #expect(try connection.run([Query("select 7::bigint")])[0].integer(0, 0) == 7)
    let nobody = database.address.replacing("host=\(folder)", with: "host=/nowhere,127.0.0.1&port=5432,1")
    #expect {
      _ = try PostgresConnection(DatabaseAddress(nobody), name: "test")
    } throws: {
      guard case PostgresFailure.unknown(let reason) = $0 else { return false }
      return reason != "the connection was lost"
    }
  }

  @Test("DB-17: a server of an older timeline than was seen is an old primary, and is not written to")
  func oldPrimary() throws {
    let database = try TestDatabase()
    let address = try DatabaseAddress(database.address + "&application_name=old")
    let earlier = try PostgresConnection(address, name: "test")
    #expect(address.newestTimeline >= 1, "the server's was noted")
    address.note(timeline: 4_000_000_000)
    address.note(timeline: 1)
    for connect in [{ try PostgresConnection(address, name: "test") }, { earlier }] {
      #expect {
        _ = try connect().run([Query("select 7::bigint")])
      } throws: {
        guard case PostgresFailure.unknown(let reason) = $0 else { return false }
        return reason.hasPrefix("an old primary answers")
      }
    }
    // Another address of this process knows nothing of it.
    _ = try PostgresConnection(DatabaseAddress(database.address), name: "test")
  }

  @Test("DB-17: an answer of an old primary is not waited for once another server has a higher timeline")
  func oldPrimaryIsSilent() throws {
    let database = try TestDatabase()
    let address = try DatabaseAddress(database.address + "&application_name=silent")
    let slow = try PostgresConnection(address, name: "test")
    #expect {
      _ = try slow.run([Query("select pg_sleep(60)")]) { _ in address.note(timeline: 4_000_000_000) }
    } throws: {
      guard case PostgresFailure.unknown(let reason) = $0 else { return false }
      return reason.hasPrefix("an old primary answers")
    }
  }

  @Test("DB-17: each address of a server's name is tried, because an attempt stays with one that is silent")
  func addressesOfAName() {
    let found = ServerChoice.addresses(of: [("host", "localhost"), ("port", "1")])
    #expect(!found.isEmpty)
    for server in found {
      #expect(server.map(\.keyword) == ["host", "port", "hostaddr"])
      #expect(["127.0.0.1", "::1"].contains(server.last?.value))
    }
    for kept in [
      [("host", "/tmp")], [("host", "name"), ("hostaddr", "127.0.0.1")], [("host", "no such name")],
      [("port", "1")],
    ] as [ServerChoice.Server] {
      #expect(ServerChoice.addresses(of: kept).map { $0.map(\.value) } == [kept.map(\.value)])
    }
  }

  @Test("DB-10: tables of further schemas on the path are not taken for the store's own")
  func firstSchemaOnly() async throws {
    let (other, own) = (try TestDatabase(), try TestDatabase())
    let stranger = try PostgresLogStore.open(address: other.address, options: other.options())
    _ = try await stranger.create(Self.log, at: Self.start)
    await stranger.shutdown()
    try other.run("create table log_owner_of_somebody(n bigint)")
    // Also tables that are not Boardroom's at all.
    let third = try TestDatabase()
    try third.run("create table meta(name text, value text)")
    try third.run("create table incarnation(n bigint)")
    for further in [other, third] {
      let address = own.address.replacing(own.schema, with: "\(own.schema)%2C\(further.schema)")
      #expect(throws: (any Error).self, "nothing to read yet") {
        try own.run("select 1 from log")
      }
      let store = try PostgresLogStore.open(address: address, options: own.options())
      #expect(try await store.logs(after: nil, limit: 9) == [])
      await store.shutdown()
      let made = "select count(*) from pg_tables where schemaname = '\(own.schema)' and tablename = 'log'"
      #expect(try own.run(made) == 1)
      try own.run("drop schema \(own.schema) cascade")
      try own.run("create schema \(own.schema)")
    }
  }

  @Test("DB-10: stores in two schemas of one database do not take each other's connections for their own")
  func twoSchemas() async throws {
    let (one, two) = (try TestDatabase(), try TestDatabase())
    let living = try PostgresLogStore.open(address: one.address, options: one.options())
    _ = try await living.create(Self.log, at: Self.start)
    try await living.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    let killed = try PostgresLogStore.open(address: two.address, options: two.options())
    #expect(try one.run("select max(id) from incarnation") == two.run("select max(id) from incarnation"))
    killed.abandon()
    var options = two.options()
    options.takesOver = true
    for options in [two.options(), options] {
      let next = try PostgresLogStore.open(address: two.address, options: options)
      next.abandon()
    }
    try await living.append(Self.records(6...6), to: Self.log, expecting: 5, epoch: nil)
    #expect(living.outcomes.unknown == 0, "nobody has cut its connections")
    let names = try one.run(
      "select max(length(application_name)) from pg_stat_activity where application_name like 'boardroom%'")
    #expect(names < 63)
    await living.shutdown()
  }

  @Test("DB-11: of two starts at once one is refused, and fences nobody", .timeLimit(.minutes(2)))
  func twoStarts() async throws {
    let database = try TestDatabase()
    _ = try PostgresLogStore.makeTables(address: database.address, options: database.options())
    let holder = try PostgresConnection(DatabaseAddress(database.address), name: "test")
    _ = try holder.run([Query("begin"), Query(PostgresSchema.locking)])
    let starts = (1...2).map { _ in Start(address: database.address, options: database.options()) }
    try await until { try database.run(Self.waitingStarts) == 2 }
    _ = try holder.run([Query("rollback")])
    try await until { starts.allSatisfy(\.isDone) }
    let opened = starts.compactMap { try? $0.result?.get() }
    #expect(opened.count == 1)
    for store in opened {
      _ = try await store.create(Self.log, at: Self.start)
      try await store.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    }
    for store in opened { await store.shutdown() }
  }

  @Test("DB-11: a start that is done is there for other starts, before its store has connected")
  func presentStart() async throws {
    let database = try TestDatabase()
    let first = try Incarnation.begin(DatabaseAddress(database.address), options: database.options())
    let place = try DatabaseAddress(database.address).place
    #expect(throws: LogError.locked(path: place)) {
      _ = try PostgresLogStore.open(address: database.address, options: database.options())
    }
    #expect(try database.run("select count(*) from fence where fenced") == 0)
    withExtendedLifetime(first) {}
  }

  @Test("DB-9: a read whose connection was cut is done once more behind a new one")
  func cutReader() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...2_000, bytes: 200), to: Self.log, expecting: nil, epoch: nil)
    try await store.seal()
    await store.shutdown()
    let reader = try PostgresLogStore.openReading(address: database.address, readers: 1)
    _ = try await reader.runs(of: Self.log, after: .zero, limit: 1_000)
    for _ in 0..<3 {
      let ended = try database.run(
        """
        select count(pg_terminate_backend(pid, 5000)) from pg_stat_activity
        where application_name = 'boardroom reader'
        """)
      #expect(ended > 0)
      _ = try await reader.runs(of: Self.log, after: .zero, limit: 1_000)
    }
    await reader.shutdown()
  }
}
