import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import Testing

@testable import PostgresLog

#if canImport(Glibc)
  import Glibc
#endif

/// Another process of these tests that is a node, and writes until it is fenced, again and again. It says
/// what it does on its output, one line each.
private final class ChildNode: Sendable {
  static let addressName = "BOARDROOM_TEST_CHILD"
  static let roundsName = "BOARDROOM_TEST_CHILD_ROUNDS"
  private static let mark = "NODE: "

  private struct State {
    var incarnations: [Int: Int64] = [:]
    var acknowledged: [Int: Int] = [:]
    /// What the node said of its end, by round.
    var ends: [Int: String] = [:]
  }

  private let state = Mutex(State())
  private let program = Mutex<SpawnedProgram?>(nil)

  init(_ database: TestDatabase, rounds: Int) throws {
    let tests = URL(fileURLWithPath: CommandLine.arguments[0]).resolvingSymlinksInPath().path
    let started = SpawnedProgram(
      [tests, "--testing-library", "swift-testing", "--filter", "childNode"],
      environment: [Self.addressName: database.address, Self.roundsName: "\(rounds)"]
    ) { [self] in hear($0) }
    let found = try #require(started, "the node is started")
    program.withLock { $0 = found }
  }

  func signal(_ signal: Int32) { program.withLock { $0?.signal(signal) } }
  func end() { program.withLock { $0?.end() } }

  private func hear(_ line: String) {
    guard line.hasPrefix(Self.mark) else { return }
    let words = line.dropFirst(Self.mark.count).split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count == 3, let round = Int(words[1]) else { return }
    state.withLock { state in
      switch words[0] {
      case "open": state.incarnations[round] = Int64(words[2])
      case "ack": state.acknowledged[round] = Int(words[2])
      default: state.ends[round] = words[2]
      }
    }
  }

  static func say(_ line: String) {
    let bytes = Array("\(mark)\(line)\n".utf8)
    _ = bytes.withUnsafeBytes { write(1, $0.baseAddress, $0.count) }
  }

  func incarnation(_ round: Int) -> Int64? { state.withLock { $0.incarnations[round] } }
  func acknowledged(_ round: Int) -> Int { state.withLock { $0.acknowledged[round] ?? 0 } }
  func end(_ round: Int) -> String? { state.withLock { $0.ends[round] } }
}

extension PostgresTests {
  private static func round(_ number: Int) -> LogID { LogID(high: 9, low: UInt64(number)) }

  /// How often a node is stopped; `BOARDROOM_TEST_STOPS` says another number.
  private static let stops = Int(ProcessInfo.processInfo.environment["BOARDROOM_TEST_STOPS"] ?? "") ?? 20

  @Test(
    "The node of the test below",
    .enabled(if: ProcessInfo.processInfo.environment[ChildNode.addressName] != nil, "it is no test"))
  func childNode() async throws {
    let environment = ProcessInfo.processInfo.environment
    let address = try #require(environment[ChildNode.addressName])
    let rounds = try #require(Int(environment[ChildNode.roundsName] ?? ""))
    let parent = getppid()
    var options = PostgresLogStore.Options()
    options.node = "child"
    options.readers = 1
    options.minimumCommitInterval = .zero
    options.segmentBytes = 1 << 20
    var sharing = PostgresLogStore.Sharing(address: "child")
    sharing.beat = .milliseconds(100)
    sharing.silence = .milliseconds(600)
    options.sharing = sharing
    for number in 0..<rounds {
      let (store, log) = (try PostgresLogStore.open(address: address, options: options), Self.round(number))
      _ = try await store.create(log, at: Self.start)
      let listener = RecordingListener()
      let appender = try await store.open(log, listener: listener)
      ChildNode.say("open \(number) \(store.incarnation ?? 0)")
      var count = 0
      while listener.failures.isEmpty, getppid() == parent {
        // Some records are waited for, and others are under way when it is stopped.
        count += 1
        guard (try? appender.append(at: Self.start, Array("\(count)".utf8))) != nil else { break }
        guard count % 3 == 0 else { continue }
        await listener.reached(Revision(UInt64(count)), of: log)
        ChildNode.say("ack \(number) \(listener.last(of: log).rawValue)")
      }
      await listener.reached(Revision(UInt64(count)), of: log)
      ChildNode.say("ack \(number) \(listener.last(of: log).rawValue)")
      var again = "taken"
      do { try appender.append(at: Self.start, [0]) } catch { again = "\(error)" }
      do { _ = try await store.create(Self.round(number + 100_000), at: Self.start) } catch {
        again += "; \(error)"
      }
      let heard = listener.failures.map { "\($0.error)" }.joined()
      ChildNode.say("end \(number) \(heard); \(again)")
      await store.shutdown()
    }
  }

  /// Waits for another process, or for a node's own threads, which are on the system's clock.
  func pass(milliseconds: Int) async throws {
    let end = PostgresConnection.milliseconds + milliseconds
    try await until { PostgresConnection.milliseconds >= end }
  }

  @Test(
    "NODE-6: a node that is stopped, fenced meanwhile and goes on appends nothing, says nodeFenced, and claims nothing",
    .enabled(if: ProcessInfo.processInfo.environment[ChildNode.addressName] == nil, "this is the node"))
  func staleNode() async throws {
    let database = try TestDatabase()
    let events = NodeEvents()
    let node = try database.node("parent", events, silence: .milliseconds(600))
    let child = try ChildNode(database, rounds: Self.stops)
    defer { child.end() }
    for number in 0..<Self.stops {
      let log = Self.round(number)
      let wanted = 5 + number * 7 % 40
      try await until { child.incarnation(number) != nil && child.acknowledged(number) > wanted }
      let incarnation = try #require(child.incarnation(number))
      if number % 4 == 0 {
        // So short a stop means nothing: it is not fenced, and goes on.
        child.signal(SIGSTOP)
        try await pass(milliseconds: 100)
        child.signal(SIGCONT)
        let before = child.acknowledged(number)
        try await until { child.acknowledged(number) > before + 6 }
        #expect(events.recovered[incarnation] == nil)
      }
      child.signal(SIGSTOP)
      try await until { events.recovered[incarnation] != nil }
      let known = child.acknowledged(number)
      let listener = RecordingListener()
      let appender = try await node.open(log, listener: listener)
      let before = try await node.info(of: log).last
      #expect(before.rawValue >= known, "round \(number)")
      await listener.reached(try appender.append(kind: 9, at: Self.start, [9]), of: log)
      // Most go on at once, some later, and in the long form a few much later.
      let longer = Self.stops < 100 || number % 50 != 49 ? 0 : number == 49 ? 5_000 : 30_000
      try await pass(milliseconds: number % 5 * 200 + longer)
      child.signal(SIGCONT)
      try await until { child.end(number) != nil }
      let said = try #require(child.end(number))
      #expect(said.ranges(of: "Other nodes have fenced this one").count == 3, "round \(number): \(said)")
      #expect(child.acknowledged(number) <= Int(before.rawValue), "round \(number)")
      await listener.reached(try appender.append(kind: 9, at: Self.start, [10]), of: log)
      let found = try await Self.all(node, of: log)
      #expect(found.suffix(2).map(\.body) == [[9], [10]], "round \(number)")
      #expect(found.dropLast(2).map(\.body) == (1...Int(before.rawValue)).map { Array("\($0)".utf8) })
    }
    #expect(
      try database.run("select count(*) from log") == Int64(Self.stops), "nothing was made by a stale node")
    await node.shutdown()
  }

  @Test(
    "NODE-6: a stale node appends nothing either when the database crashes as it wakes",
    .enabled(if: ProcessInfo.processInfo.environment[ChildNode.addressName] == nil, "this is the node"))
  func staleNodeAndCrash() async throws {
    let crash = try #require(ProcessInfo.processInfo.environment["BOARDROOM_TEST_POSTGRES_CRASH"])
    let (database, events, log) = (try TestDatabase(), NodeEvents(), Self.round(0))
    let node = try database.node("parent", events, silence: .milliseconds(600))
    let child = try ChildNode(database, rounds: 1)
    defer { child.end() }
    try await until { child.incarnation(0) != nil && child.acknowledged(0) > 20 }
    let incarnation = try #require(child.incarnation(0))
    child.signal(SIGSTOP)
    try await until { events.recovered[incarnation] != nil }
    let listener = RecordingListener()
    let appender = try await node.open(log, listener: listener)
    let before = try await node.info(of: log).last
    await listener.reached(try appender.append(kind: 9, at: Self.start, [9]), of: log)
    let ending = try #require(SpawnedProgram(["/bin/bash", "-c", crash]))
    defer { ending.end() }
    try await until { (try? database.run("select 1")) == nil }
    child.signal(SIGCONT)
    try await until { (try? database.run("select 1")) != nil }
    try await until { child.end(0) != nil }
    #expect(try #require(child.end(0)).hasPrefix("Other nodes have fenced this one"))
    try await until { (try? appender.append(kind: 9, at: Self.start, [10])) != nil }
    await listener.reached(before + 2, of: log)
    _ = try? await Self.all(node, of: log)
    let found = try await Self.all(node, of: log)
    #expect(found.suffix(2).map(\.body) == [[9], [10]])
    #expect(found.count == Int(before.rawValue) + 2)
    #expect(child.acknowledged(0) <= Int(before.rawValue))
    await node.shutdown()
  }

  @Test("NODE-5: a node that stands still in the middle of a recovery is ended, and another recovers both")
  func stillInRecovery() async throws {
    let (database, events) = (try TestDatabase(), NodeEvents())
    let (killed, still) = (
      try database.node("a", silence: TestDatabase.soon), try database.node("c", silence: TestDatabase.soon)
    )
    let node = try database.node("b", events, silence: TestDatabase.soon)
    for (store, log) in [(killed, Self.log(1)), (still, Self.log(2))] {
      _ = try await store.create(log, at: Self.start)
      try await store.append(Self.records(1...5), to: log, expecting: nil, epoch: nil)
    }
    let (dead, standing) = (try #require(killed.incarnation), try #require(still.incarnation))
    // It must have been seen to beat.
    try await pass(milliseconds: 600)
    // What a node holds that has locked the dead one's row and stopped there.
    let connection = try PostgresConnection(
      DatabaseAddress(database.address), incarnation: standing)
    _ = try connection.run([
      Query("begin"), Query("select 1 from incarnation where id = \(dead) for update"),
    ])
    still.watch?.standStill(true)
    killed.abandon()
    try await until { events.recovered.count == 2 }
    #expect(events.recovered == [dead: [Self.log(1)], standing: [Self.log(2)]])
    for number: UInt64 in 1...2 {
      #expect(try await Self.all(node, of: Self.log(number)) == Self.records(1...5))
    }
    withExtendedLifetime(connection) {}
    still.watch?.standStill(false)
    await still.shutdown()
    await node.shutdown()
  }

  @Test(
    "NODE-6: a fenced node's listeners are told nodeFenced, its user that it is fenced, and its logs go on elsewhere"
  )
  func fencedSharing() async throws {
    let database = try TestDatabase()
    let (heardA, heardB) = (NodeEvents(), NodeEvents())
    let (a, b) = (
      try database.node("a", heardA, silence: TestDatabase.soon),
      try database.node("b", heardB, silence: TestDatabase.soon)
    )
    _ = try await a.create(Self.log, at: Self.start)
    let listener = RecordingListener()
    let appender = try await a.open(Self.log, listener: listener)
    try appender.append(at: Self.start, [1])
    await listener.reached(1, of: Self.log)
    try await until { b.nodes.map(\.name) == ["a", "b"] }
    // It must have been seen to beat.
    try await pass(milliseconds: 600)
    // Only its beats and looks stop; its connections are there, and it would write.
    a.watch?.standStill(true)
    try await until { heardB.recovered[a.incarnation!] == [Self.log] }
    // Its commit connection was ended, too: the fence does not depend on that.
    _ = try? appender.append(at: Self.start, [2])
    await listener.reached(2, of: Self.log)
    #expect(listener.failures.map(\.logs) == [[Self.log]])
    guard case .nodeFenced = listener.failures.first?.error else {
      Issue.record("\(listener.failures)")
      return
    }
    #expect(throws: LogError.self) { try appender.append(at: Self.start, [3]) }
    a.watch?.standStill(false)
    try await until { heardA.all == [.fenced] }
    guard case .nodeFenced = a.refusal else {
      Issue.record("\(String(describing: a.refusal))")
      return
    }
    #expect(b.nodes.map(\.name) == ["b"])
    #expect(try await Self.all(b, of: Self.log).map(\.body) == [[1]])
    try await b.append(Self.records(2...2), to: Self.log, expecting: 1, epoch: nil)
    await a.shutdown()
    // The same node comes again, as a new incarnation.
    let again = try database.node("a", silence: TestDatabase.soon)
    #expect(try await again.info(of: Self.log).last >= 1)
    #expect(heardB.all.count == 1)
    await again.shutdown()
    await b.shutdown()
  }

  @Test(
    "PIPE-12: every node hears that another one is gone, dead or ended, and not of one that is there again at once"
  )
  func goneNode() async throws {
    let database = try TestDatabase()
    let heard = ["b": NodeEvents(), "c": NodeEvents()]
    func node(_ name: String) throws -> PostgresLogStore {
      try database.node(name, heard[name] ?? NodeEvents(), silence: TestDatabase.soon)
    }
    let (a, b, c) = (try node("a"), try node("b"), try node("c"))
    try await until { b.nodes.count == 3 && c.nodes.count == 3 }
    // It must have been seen to beat.
    try await pass(milliseconds: 600)
    a.abandon()
    try await until { heard.values.allSatisfy { $0.gone == ["a"] } }
    // A start under its name recovers what is left of it, if nobody has done so.
    let again = try node("a")
    try await until { b.nodes.count == 3 && c.nodes.count == 3 }
    let ended = try #require(again.incarnation)
    again.abandon()
    let next = try node("a")
    try await until { [b, c].allSatisfy { $0.nodes.contains { $0.incarnation == next.incarnation } } }
    #expect(!b.nodes.contains { $0.incarnation == ended })
    #expect(heard.values.map(\.gone) == [["a"], ["a"]])
    await c.shutdown()
    try await until { heard["b"]?.gone == ["a", "c"] }
    await next.shutdown()
    await b.shutdown()
  }

  @Test("NODE-1: the database away for all nodes for three seconds: nobody is judged dead, and all go on")
  func databaseAway() async throws {
    let crash = try #require(ProcessInfo.processInfo.environment["BOARDROOM_TEST_POSTGRES_CRASH"])
    let database = try TestDatabase()
    let events = (0..<3).map { _ in NodeEvents() }
    let nodes = try (0..<3).map { try database.node("n\($0)", events[$0], silence: .milliseconds(1_500)) }
    for (index, node) in nodes.enumerated() {
      _ = try await node.create(Self.log(UInt64(index)), at: Self.start)
    }
    try await until { nodes.allSatisfy { $0.nodes.count == 3 } }
    let ending = try #require(SpawnedProgram(["/bin/bash", "-c", crash]))
    defer { ending.end() }
    let counts = Counts()
    let writers = nodes.enumerated().map { index, node in
      Task {
        let log = Self.log(UInt64(index))
        var count = 0
        while !Task.isCancelled {
          do {
            try await node.append(
              Self.records(count + 1...count + 1), to: log, expecting: Revision(UInt64(count)), epoch: nil)
            count += 1
            counts.all.withLock { $0[log] = count }
          } catch LogError.full { await Task.yield() } catch {
            Issue.record("\(index): \(error)")
            throw error
          }
        }
        return count
      }
    }
    try await until { (try? database.run("select 1")) == nil }
    try await until { (try? database.run("select 1")) != nil }
    let after = counts.all.withLock { $0 }
    let end = PostgresConnection.milliseconds + 5_000
    try await until {
      PostgresConnection.milliseconds > end
        && (0..<3).allSatisfy { index in
          counts.all.withLock { $0[Self.log(UInt64(index))] ?? 0 } > (after[Self.log(UInt64(index))] ?? 0) + 3
        }
    }
    for (index, writer) in writers.enumerated() {
      writer.cancel()
      let count = try await writer.value
      // Its reading connection was lost, which the first read finds out.
      _ = try? await Self.all(nodes[index], of: Self.log(UInt64(index)))
      #expect(try await Self.all(nodes[index], of: Self.log(UInt64(index))) == Self.records(1...count))
    }
    #expect(events.map(\.all) == [[], [], []])
    #expect(try database.run("select count(*) from fence where fenced") == 0)
    for node in nodes { await node.shutdown() }
  }
}
