import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import Testing

@testable import PostgresLog

/// What nodes tell their users.
final class NodeEvents: Sendable {
  private let events = Mutex<[PostgresLogStore.NodeEvent]>([])

  /// Without `gone`, which is told when other nodes end, too.
  var all: [PostgresLogStore.NodeEvent] {
    events.withLock { events in
      events.filter { if case .gone = $0 { false } else { true } }
    }
  }
  /// The names of the nodes that are gone.
  var gone: [String] {
    events.withLock { events in
      events.compactMap { if case .gone(let node) = $0 { node.name } else { nil } }
    }
  }
  func note(_ event: PostgresLogStore.NodeEvent) { events.withLock { $0.append(event) } }

  /// The logs of incarnations that were recovered.
  var recovered: [Int64: [LogID]] {
    var found: [Int64: [LogID]] = [:]
    for case .recovered(let node, let logs) in all { found[node.incarnation, default: []] += logs }
    return found
  }
}

/// How many events of each log were acknowledged.
final class Counts: Sendable {
  let all = Mutex<[LogID: Int]>([:])
}

extension TestDatabase {
  /// The silence of a node that is to be taken for dead in a test: shorter than a server's.
  static let soon = Duration.milliseconds(900)

  /// Opens a node that shares this database.
  ///
  /// - Parameter silence: a minute, so that a busy machine lets no node be taken for dead by chance.
  func node(
    _ name: String, _ events: NodeEvents = NodeEvents(), silence: Duration = .seconds(60),
    _ change: (inout PostgresLogStore.Options) -> Void = { _ in }
  ) throws -> PostgresLogStore {
    var options = options()
    options.node = name
    options.readers = 1
    var sharing = PostgresLogStore.Sharing(address: "\(name).example:80")
    sharing.silence = silence
    sharing.beat = min(silence, Self.soon) / 6
    sharing.grace = .seconds(20)
    sharing.onEvent = { events.note($0) }
    options.sharing = sharing
    change(&options)
    return try PostgresLogStore.open(address: address, options: options)
  }
}

extension PostgresTests {
  static func log(_ number: UInt64) -> LogID { LogID(high: 7, low: number) }

  static func all(_ store: PostgresLogStore, of log: LogID) async throws -> [Record] {
    var found: [Record] = []
    var after = Revision.zero
    while true {
      let runs = try await store.runs(of: log, after: after, limit: 1 << 20)
      guard let last = runs.last else { return found }
      found += runs.flatMap(\.unpacked)
      after = last.lastRevision
    }
  }

  static func isElsewhere(_ error: any Error, _ node: String) -> Bool {
    guard case LogError.elsewhere(_, node, "\(node).example:80") = error else { return false }
    return true
  }

  @Test(
    "LOG-2, LOG-3, NODE-2: a node beside another keeps the contract of a log store",
    arguments: LogStoreContract.rules)
  func sharedContract(_ rule: LogStoreContract.Rule) async throws {
    let database = try TestDatabase()
    let other = try database.node("other")
    let store = try database.node("a") { $0.sealIdle = .zero }
    await #expect(throws: Never.self) { try await rule.check(store) }
    await store.shutdown()
    await other.shutdown()
    #expect(try database.run("select count(*) from incarnation where not recovered") == 0, "both have left")
  }

  @Test("NODE-2: of two nodes that make a log of one name at once, one makes it; numbers are given once")
  func madeAtOnce() async throws {
    let database = try TestDatabase()
    let nodes = [try database.node("a"), try database.node("b")]
    for number: UInt64 in 1...40 {
      let made = await withTaskGroup(of: Bool?.self) { group in
        for node in nodes {
          group.addTask {
            do {
              _ = try await node.create(Self.log(number), at: Self.start)
              return true
            } catch { return error as? LogError == .logExists(Self.log(number)) ? false : nil }
          }
        }
        return await group.reduce(into: [Bool?]()) { $0.append($1) }
      }
      #expect(made.filter { $0 == true }.count == 1, "\(number): \(made)")
      #expect(made.filter { $0 == false }.count == 1, "\(number): \(made)")
    }
    #expect(try database.run("select count(distinct no) from log") == 40)
    for node in nodes { #expect(try await node.logs(after: nil, limit: 100).count == 40) }
    for node in nodes { await node.shutdown() }
  }

  @Test("NODE-2: of many nodes that open a log of nobody at once, one owns it, and the others name that one")
  func claimedAtOnce() async throws {
    let database = try TestDatabase()
    let names = (1...6).map { "n\($0)" }
    var nodes: [PostgresLogStore] = []
    for name in names { nodes.append(try database.node(name, silence: .seconds(5))) }
    _ = try await nodes[0].create(Self.log, at: Self.start)
    for round in 1...10 {
      for node in nodes { try await node.release([Self.log]) }
      #expect(try await nodes[1].owner(of: Self.log) == .nobody)
      let outcomes = await withTaskGroup(of: (Int, Result<Void, any Error>).self) { group in
        for (index, node) in nodes.enumerated() {
          group.addTask {
            do {
              _ = try await node.open(Self.log, listener: RecordingListener())
              return (index, .success(()))
            } catch { return (index, .failure(error)) }
          }
        }
        return await group.reduce(into: [(Int, Result<Void, any Error>)]()) { $0.append($1) }
      }
      let winners = outcomes.filter { if case .success = $0.1 { true } else { false } }.map(\.0)
      try #require(winners.count == 1, "round \(round): \(outcomes)")
      for (_, outcome) in outcomes {
        if case .failure(let error) = outcome { #expect(Self.isElsewhere(error, names[winners[0]])) }
      }
      try await nodes[winners[0]].append(
        Self.records(round...round), to: Self.log, expecting: nil, epoch: nil)
    }
    for node in nodes { try await node.release([Self.log]) }
    #expect(try await Self.all(nodes[5], of: Self.log) == Self.records(1...10))
    for node in nodes { await node.shutdown() }
  }

  @Test("NODE-3: every node reads what is sealed of another's log, and writes nothing to it")
  func readElsewhere() async throws {
    let database = try TestDatabase()
    let (a, b) = (try database.node("a"), try database.node("b"))
    let made = try await a.create(Self.log, at: Self.start)
    let appender = try await a.open(Self.log, listener: RecordingListener())
    try await a.append(Self.records(1...500, bytes: 100), to: Self.log, expecting: nil, epoch: nil)
    try await a.seal()
    let part = SnapshotPart(key: [UInt8](repeating: 1, count: 16), bytes: [1, 2, 3])
    let snapshot = Snapshot(
      revision: 400, time: Self.start, stateHash: [UInt8](repeating: 3, count: 32), root: [4], parts: [part])
    try await a.put(snapshot, for: Self.log)
    try await a.append(Self.records(501...510), to: Self.log, expecting: 500, epoch: nil)
    let info = try await b.info(of: Self.log)
    #expect(info.last == 500)
    #expect(!info.isComplete, "its owner has more")
    #expect(info.epoch == made.epoch)
    #expect(try await a.info(of: Self.log).isComplete)
    #expect(try await Self.all(b, of: Self.log) == Self.records(1...500, bytes: 100))
    #expect(try await b.spans(of: Self.log, after: 0, limit: 1_000).last?.last == 500)
    #expect(try await b.revision(in: Self.log, at: Self.start + .milliseconds(77)) == 77)
    #expect(try await b.latestSnapshot(of: Self.log, notAfter: 1_000) == snapshot)
    #expect(try await b.snapshots(of: Self.log).map(\.revision) == [400])
    #expect(try await b.chain(of: Self.log)?.last == 500)
    #expect(try await b.logs(after: nil, limit: 9).map(\.last) == [500])
    await #expect(throws: LogError.beyondEnd(Self.log, asked: 505, last: 500)) {
      _ = try await b.read(Self.log, after: 505, limit: 1)
    }
    let writes: [(PostgresLogStore) async throws -> Void] = [
      { _ = try await $0.append(Self.records(1...1), to: Self.log, expecting: nil, epoch: nil) },
      { _ = try await $0.open(Self.log, listener: RecordingListener()) },
      { try await $0.put(snapshot, for: Self.log) },
      { _ = try await $0.trim(Self.log, below: 100) }, { try await $0.delete(Self.log) },
    ]
    for write in writes {
      await #expect {
        try await write(b)
      } throws: { Self.isElsewhere($0, "a") }
    }
    #expect(
      try await b.owner(of: Self.log)
        == .node(.init(incarnation: a.incarnation!, name: "a", address: "a.example:80")))
    try await a.release([Self.log])
    #expect(throws: LogError.changingOwner(Self.log)) { try appender.append(at: Self.start, [1]) }
    let complete = try await b.info(of: Self.log)
    #expect(complete.last == 510)
    #expect(complete.isComplete, "nobody has more")
    try await b.append(Self.records(511...511), to: Self.log, expecting: 510, epoch: made.epoch)
    #expect(try await Self.all(b, of: Self.log).count == 511)
    await #expect {
      _ = try await a.open(Self.log, listener: RecordingListener())
    } throws: { Self.isElsewhere($0, "b") }
    try await b.delete(Self.log)
    try await b.seal()
    await #expect(throws: LogError.deleted(Self.log)) { _ = try await a.info(of: Self.log) }
    await #expect(throws: LogError.deleted(Self.log)) { _ = try await a.create(Self.log, at: Self.start) }
    await a.shutdown()
    await b.shutdown()
  }

  @Test("NODE-4: a log that is handed over again and again amid appends loses nothing and has nothing twice")
  func handedOver() async throws {
    let database = try TestDatabase()
    let nodes = [try database.node("a", silence: .seconds(5)), try database.node("b", silence: .seconds(5))]
    _ = try await nodes[0].create(Self.log, at: Self.start)
    let acknowledged = Counts()
    let writer = Task { () -> Int in
      var (count, at, refused) = (0, 0, 0)
      while !Task.isCancelled {
        let node = nodes[at]
        do {
          try await node.append(
            Self.records(count + 1...count + 1), to: Self.log, expecting: Revision(UInt64(count)), epoch: nil)
          count += 1
          acknowledged.all.withLock { $0[Self.log] = count }
        } catch LogError.elsewhere, LogError.changingOwner {
          (at, refused) = (1 - at, refused + 1)
          await Task.yield()
        }
      }
      #expect(refused > 0)
      return count
    }
    for round in 0..<30 {
      let before = acknowledged.all.withLock { $0[Self.log] ?? 0 }
      try await until { acknowledged.all.withLock { $0[Self.log] ?? 0 } > before + 3 }
      let (from, to) = (nodes[round % 2], nodes[1 - round % 2])
      // Every third time to nobody; then whoever writes first has it, which is found out here.
      guard round % 3 != 2 else {
        for node in nodes { try await node.release([Self.log]) }
        continue
      }
      guard try await from.owner(of: Self.log) == .thisNode else { continue }
      try await from.release([Self.log], to: to.incarnation)
      #expect(try await to.owner(of: Self.log) == .thisNode)
    }
    writer.cancel()
    let count = try await writer.value
    for node in nodes { try await node.release([Self.log]) }
    #expect(try await Self.all(nodes[0], of: Self.log) == Self.records(1...count))
    for node in nodes { await node.shutdown() }
    let report = try PostgresLogStore.verify(address: database.address, level: .full)
    #expect(report.findings.isEmpty, "\(report.findings)")
  }

  @Test(
    "NODE-5: the logs of a killed node are recovered by one of the others: all that was acknowledged, once, in order"
  )
  func recovered() async throws {
    let database = try TestDatabase()
    let events = [NodeEvents(), NodeEvents()]
    let killed = try database.node("a", silence: TestDatabase.soon)
    let others = [
      try database.node("b", events[0], silence: TestDatabase.soon),
      try database.node("c", events[1], silence: TestDatabase.soon),
    ]
    let logs = (1...12).map { Self.log(UInt64($0)) }
    for log in logs { _ = try await killed.create(log, at: Self.start) }
    _ = try await others[0].create(Self.log(100), at: Self.start)
    let counts = Counts()
    let writers = logs.map { log in
      Task {
        var count = 0
        while true {
          do {
            try await killed.append(
              Self.records(count + 1...count + 2, bytes: 200), to: log, expecting: Revision(UInt64(count)),
              epoch: nil)
          } catch { return }
          count += 2
          counts.all.withLock { $0[log] = count }
        }
      }
    }
    try await until { counts.all.withLock { $0.values.filter { $0 > 20 }.count } == logs.count }
    killed.abandon()
    for writer in writers { await writer.value }
    // It may be recovered already; until then nobody may open it, and until it is seen to be silent it is its owner.
    do throws(LogError) {
      _ = try await others[0].open(logs[0], listener: RecordingListener())
    } catch {
      switch error {
      case .changingOwner(logs[0]), .elsewhere(logs[0], _, _): break
      default: Issue.record("\(error)")
      }
    }
    let dead = try #require(killed.incarnation)
    try await until { events.contains { $0.recovered[dead] != nil } }
    #expect(events.flatMap { $0.recovered[dead] ?? [] }.sorted() == logs, "one did it, and says which logs")
    #expect(try database.run("select count(*) from log where owner is null") + 1 >= 12)
    for (index, log) in logs.enumerated() {
      let node = others[index % 2]
      if index > 0 { _ = try await node.open(log, listener: RecordingListener()) }
      let found = try await Self.all(node, of: log)
      let known = counts.all.withLock { $0[log] ?? 0 }
      #expect(found.count == known || found.count == known + 2, "one commit was under way at most")
      #expect(found == Self.records(1...found.count, bytes: 200))
    }
    #expect(try await others[0].owner(of: Self.log(100)) == .thisNode, "a living node's log stays its own")
    for node in others { await node.shutdown() }
    #expect(try database.run("select count(*) from beat") == 0)
  }

  @Test("NODE-5: a recovery whose connections are cut again and again is done once, and loses nothing")
  func recoveryCut() async throws {
    let database = try TestDatabase()
    let events = [NodeEvents(), NodeEvents()]
    let killed = try database.node("a")
    // All are patient, as their connections are cut, too; the killed one is ended by hand.
    let nodes = try ["b", "c"].enumerated().map { try database.node($1, events[$0]) }
    let logs = (1...30).map { Self.log(UInt64($0)) }
    for log in logs {
      _ = try await killed.create(log, at: Self.start)
      try await killed.append(Self.records(1...300, bytes: 300), to: log, expecting: nil, epoch: nil)
    }
    killed.abandon()
    let dead = try #require(killed.incarnation)
    let address = try DatabaseAddress(database.address)
    // Each attempt takes long enough to be cut.
    try database.run(
      """
      create function wait() returns trigger language plpgsql as $$ begin perform pg_sleep(0.05); return new; end $$
      """)
    try database.run(
      "create trigger waiting before update on incarnation for each row execute function wait()")
    let cutter = Task {
      var cuts: Int64 = 0
      while !Task.isCancelled {
        cuts += try database.strike(
          "pg_terminate_backend", where: "query not like 'begin%' and state = 'active'")
        await Task.yield()
      }
      return cuts
    }
    var (done, failed) = (0, 0)
    for attempt in 0..<400 where done == 0 {
      if attempt == 40 { cutter.cancel() }
      let node = nodes[attempt % 2]
      let end = NodeEnd(address: address, incarnation: node.incarnation!, openBlock: 0)
      do { done += try end.end(dead, because: .leaves) == nil ? 0 : 1 } catch { failed += 1 }
      if try database.run("select count(*) from incarnation where id = \(dead) and recovered") == 1 { break }
    }
    cutter.cancel()
    #expect(try await cutter.value > 0)
    // An attempt whose commit was cut may have done it.
    #expect(done + failed > 0)
    #expect(try database.run("select count(*) from incarnation where not recovered") == 2)
    for log in logs {
      #expect(try await Self.all(nodes[0], of: log) == Self.records(1...300, bytes: 300))
      #expect(try await nodes[0].owner(of: log) == .nobody)
    }
    for node in nodes { await node.shutdown() }
  }

  @Test(
    "NODE-5: of two nodes that recover a third at once one does it; what is half done is undone, and done again"
  )
  func recoveredOnce() async throws {
    let database = try TestDatabase()
    let events = NodeEvents()
    let killed = try database.node("a", silence: .seconds(60))
    let node = try database.node("b", events, silence: .seconds(60))
    _ = try await killed.create(Self.log, at: Self.start)
    try await killed.append(Self.records(1...50), to: Self.log, expecting: nil, epoch: nil)
    try await killed.append(Self.records(51...60), to: Self.log, expecting: nil, epoch: nil)
    killed.abandon()
    let dead = try #require(killed.incarnation)
    let address = try DatabaseAddress(database.address)
    let ends = [1, 2].map { _ in NodeEnd(address: address, incarnation: node.incarnation!, openBlock: 0) }
    // The second frame is damaged: the first blocks would be written, and then it fails.
    let flip = "update frame_0_1 set bytes = set_byte(bytes, 60, get_byte(bytes, 60) # 1) where number = 2"
    try database.run(flip)
    #expect(throws: LogError.self) { _ = try ends[0].end(dead, because: .leaves) }
    #expect(try database.run("select count(*) from block") == 0)
    #expect(try database.run("select count(*) from log where owner = \(dead)") == 1)
    #expect(try database.run("select count(*) from incarnation where not recovered") == 2)
    try database.run(flip)
    let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
      for end in ends { group.addTask { try end.end(dead, because: .leaves) != nil } }
      return try await group.reduce(into: [Bool]()) { $0.append($1) }
    }
    #expect(outcomes.filter { $0 }.count <= 1)
    // Whoever came to the lock second has left it to the first.
    #expect(try database.run("select count(*) from incarnation where not recovered") == 1)
    #expect(try await node.append(Self.records(61...61), to: Self.log, expecting: 60, epoch: nil) == 61)
    #expect(try await Self.all(node, of: Self.log) == Self.records(1...61))
    await node.shutdown()
  }
}
