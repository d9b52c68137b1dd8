import EventLog
import EventLogModel
import Synchronization
import Testing

@testable import PostgresLog

/// An append under way, and whether it was acknowledged.
private final class Append: Sendable {
  let isDone = Mutex(false)
  let task = Mutex<Task<Void, any Error>?>(nil)

  init(_ record: Record, to store: PostgresLogStore) {
    let task = Task {
      try await store.append([record], to: PostgresTests.log, expecting: nil, epoch: nil)
      isDone.withLock { $0 = true }
    }
    self.task.withLock { $0 = task }
  }

  func finished() async throws { try await task.withLock { $0 }?.value }
}

/// A store that begins to read a database beside its node, on a thread of its own.
private final class BeginningReader: Sendable {
  private let begun = Mutex<PostgresLogStore?>(nil)
  private let beginning = Mutex<Task<Void, Never>?>(nil)

  init(of database: TestDatabase) {
    let address = database.address
    let task = Task {
      await JobThread.once {
        let store = try? PostgresLogStore.openReading(address: address, readers: 1)
        self.begun.withLock { $0 = store }
      }
    }
    beginning.withLock { $0 = task }
  }

  /// Whether it may read.
  var isThere: Bool { begun.withLock { $0 != nil } }

  /// The store; nil: it could not be opened.
  func store() async -> PostgresLogStore? {
    await beginning.withLock { $0 }?.value
    return begun.withLock { $0 }
  }
}

extension PostgresTests {
  /// What happens to a commit that waits for a standby.
  enum Trap: CaseIterable {
    /// Answered as done, and with a warning: visible to all, on no standby.
    case cancelled
    /// The connection is closed; visible, on no standby.
    case terminated
    /// Nothing: no answer comes.
    case silent
    /// The server is killed and comes back: visible to all at once, on no standby.
    case restarted
  }

  /// Waits until `condition` holds, asking the server again and again, for a minute at most.
  func until(_ condition: () throws -> Bool) async throws {
    let end = PostgresConnection.milliseconds + 60_000
    while try !condition() {
      try #require(PostgresConnection.milliseconds < end, "what was waited for has not come in a minute")
      await Task.yield()
    }
  }

  /// Appends one after the other until a commit waits for a standby: a setting of the server holds from some moment on. Returns
  /// the last one, and how many there are.
  private func appendUntilOneWaits(
    _ records: [Record], to store: PostgresLogStore, in database: TestDatabase
  ) async throws -> (last: Append, count: Int) {
    var count = 0
    while true {
      let append = Append(records[count], to: store)
      count += 1
      try await until { try append.isDone.withLock { $0 } || database.isWaiting("with open%") }
      if !append.isDone.withLock({ $0 }) { return (append, count) }
    }
  }

  @Test(
    "LOG-1, DB-4: a commit that no standby has is not acknowledged, whatever the server answers, and is there once in the end",
    arguments: Trap.allCases)
  func unknownOutcome(_ trap: Trap) async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    let records = Self.records(1...1_000)
    defer { try? database.loseStandby(false) }
    try database.loseStandby(true)
    let (last, count) = try await appendUntilOneWaits(records, to: store, in: database)
    switch trap {
    case .cancelled: #expect(try database.strike("pg_cancel_backend", where: "wait_event = 'SyncRep'") == 1)
    case .terminated:
      #expect(try database.strike("pg_terminate_backend", where: "wait_event = 'SyncRep'") == 1)
    case .silent: break
    case .restarted: try database.crash()
    }
    // The new link waits: for the old statement, or for the standby itself. A server that starts refuses to be asked.
    let append = last
    try await until {
      append.isDone.withLock { $0 }
        || (try? database.run(
          """
          select count(*) from pg_stat_activity where query like 'update fence set link%' and state = 'active'
          and wait_event_type in ('IPC', 'Lock')
          """)) ?? 0 > 0
    }
    #expect(last.isDone.withLock { !$0 }, "nothing is acknowledged that no standby has")
    let refused = store
    try await until { append.isDone.withLock { $0 } || refused.refusal != nil }
    await #expect(throws: LogError.self, "new events are refused meanwhile") {
      try await store.append([records[count]], to: Self.log, expecting: nil, epoch: nil)
    }
    #expect(last.isDone.withLock { !$0 })
    try database.loseStandby(false)
    try await last.finished()
    #expect(try await Self.all(store) == Array(records.prefix(count)))
    #expect(store.outcomes.unknown >= 1)
    #expect(store.outcomes.resent == 0, "it was written the first time")
    #expect(store.refusal == nil, "events are taken again")
    try await store.append([records[count]], to: Self.log, expecting: Revision(UInt64(count)), epoch: nil)
    await store.shutdown()
    let again = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(try await Self.all(again) == Array(records.prefix(count + 1)))
    await again.shutdown()
  }

  @Test(
    "LOG-3: the row alone fences, while the connection lives",
    arguments: [FencedConnection.Purpose.commit, .seal])
  func fencedRow(_ kind: FencedConnection.Purpose) async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    try await store.seal()
    try database.run("update fence set fenced = true where kind = \(kind.rawValue)")
    switch kind {
    case .commit:
      await #expect(throws: LogError.self) {
        try await store.append(Self.records(6...6), to: Self.log, expecting: nil, epoch: nil)
      }
    case .seal:
      try await store.append(Self.records(6...6), to: Self.log, expecting: nil, epoch: nil)
      await #expect(throws: LogError.self) { try await store.seal() }
      #expect(try database.run("select sum(count)::bigint from block") == 5)
    case .catalog: break
    }
    await store.shutdown()
    let again = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(try await Self.all(again) == Self.records(1...(kind == .commit ? 5 : 6)))
    await again.shutdown()
  }

  @Test(
    "LOG-1, LOG-3: a node that is taken over amid its commits loses nothing acknowledged and adds nothing later"
  )
  func takeovers() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.takesOver = true
    var store = try PostgresLogStore.open(address: database.address, options: options)
    _ = try await store.create(Self.log, at: Self.start)
    let records = Self.records(1...5_000)
    var known = 0
    for round in 0..<10 {
      let (writing, first) = (store, known)
      let writer = Task { () -> Int in
        var count = first
        while count < records.count {
          do {
            try await writing.append(
              [records[count]], to: Self.log, expecting: Revision(UInt64(count)), epoch: nil)
          } catch { break }
          count += 1
        }
        return count
      }
      try await until { writing.statistics.events > 3 * round }
      if round % 3 == 2 { writing.abandon() }
      let next = try PostgresLogStore.open(address: database.address, options: options)
      let acknowledged = await writer.value
      let all = try await Self.all(next)
      #expect(all.count == acknowledged || all.count == acknowledged + 1, "one commit was under way at most")
      #expect(all == Array(records.prefix(all.count)))
      known = all.count
      await writing.shutdown()
      #expect(try await Self.all(next).count == known)
      store = next
    }
    await store.shutdown()
  }

  /// What can happen where a pipeline commits, after its statements have answered.
  enum CommitFault: String, CaseIterable {
    case refused = "raise exception 'not now' using errcode = '53100'"
    case terminated = "perform pg_terminate_backend(pg_backend_pid())"
  }

  @Test(
    "LOG-1: the answer of a statement is not the answer of its commit, which may fail after it",
    arguments: CommitFault.allCases)
  func failedCommit(_ fault: CommitFault) throws {
    let database = try TestDatabase()
    try database.run("create table kept(number bigint)")
    try database.run(
      "create function fault() returns trigger language plpgsql as $$ begin \(fault.rawValue); return null; end $$"
    )
    try database.run(
      """
      create constraint trigger fault after insert on kept deferrable initially deferred
      for each row execute function fault()
      """)
    let connection = try PostgresConnection(DatabaseAddress(database.address), name: "test")
    let insertion = Query("insert into kept values (1) returning number")
    do throws(PostgresFailure) {
      _ = try connection.run([insertion])
      Issue.record("the commit failed, and the rows of its statement were taken for its answer")
    } catch {
      switch (fault, error) {
      case (.refused, .refused(state: "53100", _)):
        // The connection is as good as before.
        #expect(try connection.run([Query("select 2::bigint")])[0].integer(0, 0) == 2)
      case (.terminated, .unknown): break
      default: Issue.record("\(error)")
      }
    }
    #expect(try database.run("select count(*) from kept") == 0)
  }

  @Test("LOG-1, DB-4: connections that are cut at any moment lose nothing and bring nothing twice")
  func cutConnections() async throws {
    let database = try TestDatabase()
    var options = database.options()
    options.segmentBytes = 64 << 10
    options.sealIdle = .zero
    let store = try PostgresLogStore.open(address: database.address, options: options)
    _ = try await store.create(Self.log, at: Self.start)
    let records = Self.records(1...1_200, bytes: 300)
    let isDone = Mutex(false)
    let cutter = Task {
      var cuts: Int64 = 0
      while !isDone.withLock({ $0 }), cuts < 60 {
        cuts += try database.strike("pg_terminate_backend", where: "state is not null")
        await Task.yield()
      }
      return cuts
    }
    for start in stride(from: 0, to: records.count, by: 4) {
      try await store.append(
        Array(records[start..<start + 4]), to: Self.log, expecting: Revision(UInt64(start)), epoch: nil)
    }
    isDone.withLock { $0 = true }
    #expect(try await cutter.value > 0)
    #expect(store.outcomes.unknown > 0, "commits were cut")
    #expect(try await Self.all(store) == records)
    await store.shutdown()
    let again = try PostgresLogStore.open(address: database.address, options: options)
    #expect(try await Self.all(again) == records)
    await again.shutdown()
  }

  @Test(
    "DB-4, DB-15: whoever reads beside a node is shown nothing that no standby has, whatever the server shows",
    arguments: [true, false])
  func unreplicatedReads(_ isRestart: Bool) async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    let records = Self.records(1...1_000)
    defer { try? database.loseStandby(false) }
    try database.loseStandby(true)
    let (last, count) = try await appendUntilOneWaits(records, to: store, in: database)
    if isRestart {
      try database.crash()
      try await until { (try? database.run("select 1")) == 1 }
    } else {
      try database.strike("pg_terminate_backend", where: "wait_event = 'SyncRep'")
    }
    // The server shows it to everybody now.
    try await until { (try? database.run("select max(number) from frame_0_1")) ?? 0 > Int64(count) }
    let reader = BeginningReader(of: database)
    try await until {
      try reader.isThere || database.isWaiting("select pg_logical_emit_message%")
    }
    #expect(!reader.isThere)
    try database.loseStandby(false)
    let open = try #require(await reader.store())
    try await last.finished()
    #expect(try await Self.all(open) == Array(records.prefix(count)))
    await open.shutdown()
    await store.shutdown()
  }

  @Test(
    "DB-15: what became visible between a reader's connection and its reading is not shown before a standby has it"
  )
  func unreplicatedBetween() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    let records = Self.records(1...1_000)
    defer { try? database.loseStandby(false) }
    // The reader's connection is made while all is well. Then it waits for this lock.
    let locker = try PostgresConnection(DatabaseAddress(database.address), name: "test")
    // Its own end waits for no standby.
    _ = try locker.run([
      Query("set synchronous_commit = off"), Query("begin"),
      Query("lock table incarnation in access exclusive mode"),
    ])
    let reader = BeginningReader(of: database)
    try await until {
      try database.run(
        "select count(*) from pg_stat_activity where application_name = 'boardroom reader' and wait_event_type = 'Lock'"
      ) > 0
    }
    try database.loseStandby(true)
    let (last, count) = try await appendUntilOneWaits(records, to: store, in: database)
    try database.strike("pg_terminate_backend", where: "wait_event = 'SyncRep'")
    try await until { (try? database.run("select max(number) from frame_0_1")) ?? 0 > Int64(count) }
    _ = try locker.run([Query("commit")])
    try await until {
      try reader.isThere || database.isWaiting("select pg_logical_emit_message%")
    }
    #expect(!reader.isThere, "the server shows it to the reader, and no standby has it")
    try database.loseStandby(false)
    let open = try #require(await reader.store())
    try await last.finished()
    #expect(try await Self.all(open) == Array(records.prefix(count)))
    await open.shutdown()
    await store.shutdown()
  }
}
