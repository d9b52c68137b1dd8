import EventLog
import EventLogModel
import StorageTestKit
import Synchronization
import Testing

@testable import PostgresLog

extension PostgresTests {
  @Test(
    "NODE-7: a start ends its own earlier incarnation and leaves living nodes alone; slots are used again")
  func startBeside() async throws {
    let database = try TestDatabase()
    let other = try database.node("b", silence: .seconds(60))
    _ = try await other.create(Self.log(2), at: Self.start)
    let first = try database.node("a", silence: .seconds(60))
    _ = try await first.create(Self.log, at: Self.start)
    try await first.append(Self.records(1...7), to: Self.log, expecting: nil, epoch: nil)
    // It is there and writes; the next start of the same name takes its place all the same.
    let second = try database.node("a", silence: .seconds(60))
    await #expect {
      try await first.append(Self.records(8...8), to: Self.log, expecting: nil, epoch: nil)
    } throws: {
      guard case LogError.nodeFenced = $0 else { return false }
      return true
    }
    #expect(try await second.owner(of: Self.log) == .nobody)
    try await second.append(Self.records(8...9), to: Self.log, expecting: 7, epoch: nil)
    #expect(try await Self.all(second, of: Self.log) == Self.records(1...9))
    #expect(try await other.owner(of: Self.log(2)) == .thisNode)
    #expect(try database.run("select max(slot) from incarnation") == 1, "two live, so there are two slots")
    #expect(try database.run("select count(*) from incarnation where not recovered") == 2)
    await first.shutdown()
    await second.shutdown()
    await other.shutdown()
  }

  @Test(
    "NODE-7: a killed node without connections at a server that stands long enough is recovered by a start")
  func startAfterAll() async throws {
    let database = try TestDatabase()
    let killed = try database.node("a", silence: TestDatabase.soon)
    _ = try await killed.create(Self.log, at: Self.start)
    try await killed.append(Self.records(1...7), to: Self.log, expecting: nil, epoch: nil)
    killed.abandon()
    try await until {
      try database.run(
        """
        select count(*) from beat where at > clock_timestamp() - interval '1 s'
        """) == 0
    }
    let next = try database.node("b", silence: TestDatabase.soon) { $0.sharing?.grace = .zero }
    #expect(try await next.owner(of: Self.log) == .nobody, "it was recovered before the start ended")
    #expect(try await Self.all(next, of: Self.log) == Self.records(1...7))
    await next.shutdown()
  }

  @Test(
    "NODE-7: at a server that may have been promoted a moment ago a start judges nobody: the last beats may be lost with the old primary"
  )
  func startAfterPromotion() async throws {
    let database = try TestDatabase()
    let killed = try database.node("a", silence: TestDatabase.soon)
    _ = try await killed.create(Self.log, at: Self.start)
    killed.abandon()
    try await until {
      try database.run("select count(*) from beat where at > clock_timestamp() - interval '1 s'") == 0
    }
    // A promoted server makes a checkpoint on its timeline, before which it says nothing of how long it is one. The test's
    // server is up for longer than this grace.
    try database.run("checkpoint")
    let grace = try database.run(
      "select (extract(epoch from clock_timestamp() - pg_postmaster_start_time()) * 1000)::bigint")
    let next = try database.node("b", silence: TestDatabase.soon) {
      $0.sharing?.grace = .milliseconds(max(1, grace - 100))
    }
    #expect(try database.run("select count(*) from incarnation where not recovered") == 2)
    await next.shutdown()
  }

  @Test(
    "NODE-7: a node that shares with none, and nodes that share, suffer each other only one after the other")
  func exclusiveAndShared() async throws {
    let database = try TestDatabase()
    let alone = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await alone.create(Self.log, at: Self.start)
    try await alone.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    #expect(throws: LogError.locked(path: try DatabaseAddress(database.address).place)) {
      _ = try database.node("a", silence: TestDatabase.soon)
    }
    alone.abandon()
    let node = try database.node("a", silence: TestDatabase.soon)
    try await node.append(Self.records(6...8), to: Self.log, expecting: 5, epoch: nil)
    let made = try await node.create(Self.log(3), at: Self.start)
    #expect(made.last == 0)
    #expect(throws: LogError.locked(path: try DatabaseAddress(database.address).place)) {
      _ = try PostgresLogStore.open(address: database.address, options: database.options())
    }
    node.abandon()
    let again = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(try await Self.all(again) == Self.records(1...8))
    _ = try await again.create(Self.log(4), at: Self.start)
    try await again.append(Self.records(1...2), to: Self.log(3), expecting: nil, epoch: nil)
    await again.shutdown()
    let last = try database.node("b", silence: TestDatabase.soon)
    _ = try await last.create(Self.log(5), at: Self.start)
    #expect(try await last.logs(after: nil, limit: 10).map(\.log) == [1, 3, 4, 5].map(Self.log))
    #expect(try await Self.all(last, of: Self.log(3)) == Self.records(1...2))
    await last.shutdown()
  }

  @Test("DB-2: tables of version 2 are brought up by a node that shares them, and keep what they hold")
  func version2() async throws {
    let database = try TestDatabase()
    let store = try PostgresLogStore.open(address: database.address, options: database.options())
    _ = try await store.create(Self.log, at: Self.start)
    try await store.append(Self.records(1...10), to: Self.log, expecting: nil, epoch: nil)
    store.abandon()
    for statement in Self.toVersion2 { try database.run(statement) }
    try database.run("delete from fence where kind = 2")
    let node = try database.node("a")
    #expect(try await Self.all(node, of: Self.log) == Self.records(1...10))
    _ = try await node.create(Self.log(2), at: Self.start)
    try await node.append(Self.records(11...11), to: Self.log, expecting: 10, epoch: nil)
    await node.shutdown()
  }

  @Test("NODE-2: an import of one node is complete for all at its end, and no other node goes on with it")
  func sharedImport() async throws {
    let database = try TestDatabase()
    let (a, b) = (try database.node("a"), try database.node("b"))
    let info = try await a.beginImport(Self.log, epoch: Epoch(5), from: 101, through: 103, at: Self.start)
    #expect(info.low == 101)
    await #expect(throws: LogError.unfinished(Self.log, last: 100, of: 103)) {
      _ = try await b.info(of: Self.log)
    }
    await #expect(throws: LogError.unfinished(Self.log, last: 100, of: 103)) {
      _ = try await b.create(Self.log, at: Self.start)
    }
    #expect(try await b.imports().map(\.info.log) == [Self.log])
    #expect(try await b.logs(after: nil, limit: 9) == [])
    await #expect {
      try await b.append(Self.records(1...1), to: Self.log, expecting: nil, epoch: Epoch(5))
    } throws: { Self.isElsewhere($0, "a") }
    try await a.append(Self.records(1...3), to: Self.log, expecting: 100, epoch: Epoch(5))
    #expect(try await a.logs(after: nil, limit: 9).map(\.last) == [103])
    try await a.release([Self.log], to: b.incarnation)
    #expect(try await b.imports() == [])
    #expect(try await b.logs(after: nil, limit: 9).map(\.last) == [103])
    try await b.append(Self.records(4...4), to: Self.log, expecting: 103, epoch: nil)
    #expect(try await b.info(of: Self.log).low == 101)
    await a.shutdown()
    await b.shutdown()
  }

  @Test(
    "NODE-5: damaged frames are named, their logs wait, and are recovered once the frames are whole again")
  func damagedNode() async throws {
    let database = try TestDatabase()
    let events = NodeEvents()
    let (a, b) = (
      try database.node("a", silence: TestDatabase.soon),
      try database.node("b", events, silence: TestDatabase.soon)
    )
    _ = try await a.create(Self.log, at: Self.start)
    try await a.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    // It must have been seen to beat.
    try await pass(milliseconds: 600)
    a.abandon()
    let flip = "update frame_0_1 set bytes = set_byte(bytes, 60, get_byte(bytes, 60) # 1) where number = 1"
    try database.run(flip)
    try await until { !events.all.isEmpty }
    guard case .recoveryFailed(a.incarnation, .damaged) = events.all[0] else {
      Issue.record("\(events.all)")
      return
    }
    await #expect(throws: LogError.changingOwner(Self.log)) {
      _ = try await b.open(Self.log, listener: RecordingListener())
    }
    try database.run(flip)
    try await until { events.recovered[a.incarnation!] == [Self.log] }
    #expect(events.all.count == 2, "each reason is told once")
    #expect(try await Self.all(b, of: Self.log) == Self.records(1...5))
    await b.shutdown()
  }

  @Test(
    "NODE-5: a node whose store has stopped for another reason beats no more, so that others have its logs")
  func stoppedStore() async throws {
    let database = try TestDatabase()
    let events = NodeEvents()
    let (a, b) = (
      try database.node("a", silence: TestDatabase.soon),
      try database.node("b", events, silence: TestDatabase.soon)
    )
    _ = try await a.create(Self.log, at: Self.start)
    try await a.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    // It must have been seen to beat.
    try await pass(milliseconds: 600)
    a.base.fail(.stopped(reason: "a test"))
    try await until { events.recovered[a.incarnation!] == [Self.log] }
    try await b.append(Self.records(6...6), to: Self.log, expecting: 5, epoch: nil)
    #expect(try await Self.all(b, of: Self.log) == Self.records(1...6))
    await a.shutdown()
    await b.shutdown()
  }

  @Test("LOG-10, NODE-2: a damaged row of the catalog is named to who claims its log, and to nobody else")
  func damagedRow() async throws {
    let database = try TestDatabase()
    let (a, b) = (try database.node("a"), try database.node("b"))
    for number: UInt64 in 1...9 { _ = try await a.create(Self.log(number), at: Self.start) }
    try await a.release((1...9).map { Self.log($0) })
    try database.run("update log set low = 77 where no = (select min(no) + 4 from log)")
    let claimed = await withTaskGroup(of: (UInt64, LogError?).self) { group in
      for number: UInt64 in 1...9 {
        group.addTask {
          do throws(LogError) {
            _ = try await b.open(Self.log(number), listener: RecordingListener())
            return (number, nil)
          } catch { return (number, error) }
        }
      }
      return await group.reduce(into: [UInt64: LogError]()) { $0[$1.0] = $1.1 }
    }
    #expect(claimed.keys.sorted() == [5], "\(claimed)")
    guard case .damaged(let damage) = claimed[5] else {
      Issue.record("\(claimed)")
      return
    }
    #expect(damage.log == Self.log(5))
    await a.shutdown()
    await b.shutdown()
  }

  @Test("NODE-2: what a node has deleted and not removed yet another removes, once nobody owns it")
  func removedByAnother() async throws {
    let database = try TestDatabase()
    let (a, b) = (
      try database.node("a", silence: TestDatabase.soon), try database.node("b", silence: TestDatabase.soon)
    )
    _ = try await a.create(Self.log, at: Self.start)
    try await a.append(Self.records(1...400, bytes: 1_000), to: Self.log, expecting: nil, epoch: nil)
    try await a.seal()
    #expect(try database.run("select count(*) from block") > 1)
    try await a.delete(Self.log)
    a.abandon()
    try await until { try database.run("select count(*) from block") == 0 }
    try await until { try database.run("select count(*) from log where state = 2") == 1 }
    await #expect(throws: LogError.deleted(Self.log)) { _ = try await b.info(of: Self.log) }
    await b.shutdown()
  }

  @Test("NODE-2: two nodes that claim the same hundreds of logs at once share them, and neither fails")
  func claimedInMasses() async throws {
    let database = try TestDatabase()
    let nodes = [try database.node("a", silence: .seconds(5)), try database.node("b", silence: .seconds(5))]
    let logs = (1...300).map { Self.log(UInt64($0)) }
    for log in logs { _ = try await nodes[0].create(log, at: Self.start) }
    for _ in 0..<5 {
      for node in nodes { try await node.release(logs) }
      let owned = await withTaskGroup(of: (Int, LogID, LogError?).self) { group in
        for (index, node) in nodes.enumerated() {
          for log in index == 0 ? logs : logs.reversed() {
            group.addTask {
              do throws(LogError) {
                _ = try await node.open(log, listener: RecordingListener())
                return (index, log, nil)
              } catch { return (index, log, error) }
            }
          }
        }
        return await group.reduce(into: [(Int, LogID, LogError?)]()) { $0.append($1) }
      }
      #expect(Set(owned.filter { $0.2 == nil }.map(\.1)).count == logs.count, "each has an owner")
      #expect(owned.filter { $0.2 == nil }.count == logs.count, "and one only")
      for case (let index, _, let error?) in owned {
        #expect(Self.isElsewhere(error, index == 0 ? "b" : "a"))
      }
    }
    for node in nodes { await node.shutdown() }
  }

  @Test("DB-1: whoever reads beside several nodes sees the frames of all of them")
  func readBesideNodes() async throws {
    let database = try TestDatabase()
    let (a, b) = (try database.node("a"), try database.node("b"))
    _ = try await a.create(Self.log, at: Self.start)
    _ = try await b.create(Self.log(2), at: Self.start)
    try await a.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    try await b.append(Self.records(1...9), to: Self.log(2), expecting: nil, epoch: nil)
    // The frames of the one still have what the other has gone on with.
    try await b.release([Self.log(2)], to: a.incarnation)
    try await a.append(Self.records(10...12), to: Self.log(2), expecting: 9, epoch: nil)
    try await a.release([Self.log], to: b.incarnation)
    try await b.append(Self.records(6...7), to: Self.log, expecting: 5, epoch: nil)
    let reader = try PostgresLogStore.openReading(address: database.address)
    #expect(try await Self.all(reader, of: Self.log) == Self.records(1...7))
    #expect(try await Self.all(reader, of: Self.log(2)) == Self.records(1...12))
    await reader.shutdown()
    for node in [a, b] { node.abandon() }
    let alone = try PostgresLogStore.open(address: database.address, options: database.options())
    #expect(try await Self.all(alone, of: Self.log) == Self.records(1...7))
    #expect(try await Self.all(alone, of: Self.log(2)) == Self.records(1...12))
    await alone.shutdown()
  }

  @Test("DB-4, NODE-2: nothing of a log is read before its claim is answered, and that waits for the standby")
  func claimWaits() async throws {
    let database = try TestDatabase()
    let (a, b) = (
      try database.node("a", silence: .seconds(60)), try database.node("b", silence: .seconds(60))
    )
    _ = try await a.create(Self.log, at: Self.start)
    try await a.append(Self.records(1...5), to: Self.log, expecting: nil, epoch: nil)
    try await a.release([Self.log])
    _ = try await a.create(Self.log(2), at: Self.start)
    let probe = try await a.open(Self.log(2), listener: RecordingListener())
    // Both of its connections have written, so that the claim itself is what waits.
    _ = try await b.create(Self.log(3), at: Self.start)
    try await b.append(Self.records(1...1), to: Self.log(3), expecting: nil, epoch: nil)
    try await b.seal()
    defer { try? database.loseStandby(false) }
    try database.loseStandby(true)
    // The setting holds from some moment on.
    try await until {
      try probe.append(at: Self.start, [1])
      return try database.isWaiting("with open%")
    }
    let claim = Task { try await b.open(Self.log, listener: RecordingListener()) }
    let waiting = """
      select count(*) from pg_stat_activity where wait_event = 'SyncRep' and query = 'commit'
      and application_name like 'boardroom incarnation \(b.incarnation!) of %'
      """
    // The claim. The sealer's look for what is to be removed writes nothing.
    try await until { try database.run(waiting) == 1 }
    #expect(b.base.holding(of: Self.log) == .none)
    try database.loseStandby(false)
    _ = try await claim.value
    #expect(try await Self.all(b, of: Self.log) == Self.records(1...5))
    await a.shutdown()
    await b.shutdown()
  }
}
