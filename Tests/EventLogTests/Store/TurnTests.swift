import EventLogModel
import StorageTestKit
import Synchronization
import Testing

@testable import EventLog

extension EmbeddedLogStore {
  /// Begins a turn as soon as the commit thread sleeps, as if commits took no time so far: how long they take depends on what
  /// else the machine does.
  func beginTurnOnFastDisk() async {
    while true {
      base.engine.state.withLock { $0.usualCommit = 0 }
      if beginTurn() { return }
      await Task.yield()
    }
  }
}

/// A thread that appends may commit in the commit thread's place (LOG-34).
@Suite(.timeLimit(.minutes(15))) struct TurnTests {
  private static let log = LogID(high: 6, low: 1)

  private struct Opened {
    let store: EmbeddedLogStore
    let appender: any LogAppender
    let listener: RecordingListener
  }

  /// - Parameter hears: called when the listener is told.
  private static func open(
    _ disk: SimulatedDisk, hears: @escaping @Sendable () -> Void = {}
  ) async throws -> Opened {
    var options = EmbeddedLogStore.Options()
    options.disk = disk
    options.sealed = ModelBackend.source(disk, flushing: .always)
    options.minimumCommitInterval = .zero
    let store = try EmbeddedLogStore.open(folder: "/store", options: options)
    _ = try await store.create(log, at: .zero)
    let listener = RecordingListener { _ in hears() }
    return Opened(store: store, appender: try await store.open(log, listener: listener), listener: listener)
  }

  @Test(
    "LOG-34: what is appended in a turn is one commit of the thread that appended, done when the turn ends")
  func commitsItself() async throws {
    let teller = Atomic<UInt>(0)
    let opened = try await Self.open(SimulatedDisk()) {
      teller.store(Engine.thisThread, ordering: .relaxed)
    }
    let (store, appender, listener) = (opened.store, opened.appender, opened.listener)
    func turn() async throws -> (isItself: Bool, commits: Int) {
      await store.beginTurnOnFastDisk()
      let before = store.statistics.commits
      try appender.append(at: .zero, [1])
      try appender.together { () throws(LogError) in _ = try appender.append(at: .zero, [2]) }
      #expect(store.statistics.commits == before, "nothing is committed before the turn ends")
      store.endTurn()
      return (teller.load(ordering: .relaxed) == Engine.thisThread, store.statistics.commits - before)
    }
    for round in 1...5 {
      let ended = try await turn()
      #expect(ended.isItself)
      #expect(ended.commits == 1)
      #expect(listener.last(of: Self.log) == Revision(UInt64(round) * 2))
    }
    #expect(listener.complaints == [])
    await store.shutdown()
  }

  @Test(
    "LOG-34: on a slow disk, for a large group, and while the store works, the commit thread commits as always"
  )
  func leavesItToTheThread() async throws {
    let teller = Atomic<UInt>(0)
    let opened = try await Self.open(SimulatedDisk()) {
      teller.store(Engine.thisThread, ordering: .relaxed)
    }
    let (store, appender, listener) = (opened.store, opened.appender, opened.listener)
    try appender.append(at: .zero, [1])
    await listener.reached(1, of: Self.log)
    store.base.engine.state.withLock { $0.usualCommit = EngineState.fastCommit + 1 }
    #expect(!store.beginTurn(), "the disk is slow")
    await store.beginTurnOnFastDisk()
    for number in 0..<UInt8(Committer.smallGroup) { try appender.append(at: .zero, [number]) }
    await listener.reached(Revision(UInt64(1 + Committer.smallGroup)), of: Self.log)
    #expect(teller.load(ordering: .relaxed) != Engine.thisThread, "the group was not small any more")
    store.endTurn()
    await store.beginTurnOnFastDisk()
    #expect(!store.beginTurn(), "one turn at a time")
    store.endTurn()
    await store.shutdown()
    #expect(!store.beginTurn(), "the store has stopped")
  }

  @Test("LOG-34: turns, plain appends and waiters of many threads: all is committed once and in order")
  func manyThreads() async throws {
    // On a real disk: each commit takes long enough for the others to come in between.
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path)
    let writers: UInt64 = 4
    let rounds = 500
    let listener = RecordingListener()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 1...writers {
        let name = LogID(high: 7, low: writer)
        _ = try await store.create(name, at: .zero)
        let appender = try await store.open(name, listener: listener)
        group.addTask {
          var generator = SeededGenerator(seed: writer)
          for _ in 0..<rounds {
            store.base.engine.state.withLock { $0.usualCommit = 0 }
            let isTurn = Int.random(in: 0..<3, using: &generator) > 0 && store.beginTurn()
            try appender.together { () throws(LogError) in _ = try appender.append(at: .zero, [1]) }
            try appender.append(at: .zero, [2])
            if isTurn { store.endTurn() }
            if Int.random(in: 0..<4, using: &generator) == 0 {
              try await store.base.wait { store.base.engine.whenCommitted($0) }
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let last = Revision(UInt64(2 * rounds))
    for writer in 1...writers { await listener.reached(last, of: LogID(high: 7, low: writer)) }
    #expect(listener.complaints == [])
    await store.shutdown()
    let again = try EmbeddedLogStore.open(folder: folder.path)
    for writer in 1...writers {
      #expect(try await again.info(of: LogID(high: 7, low: writer)).last == last)
    }
    await again.shutdown()
  }

  @Test("LOG-34: a flush that fails in a turn stops the store, and nothing of the turn is acknowledged")
  func fails() async throws {
    let disk = SimulatedDisk()
    let opened = try await Self.open(disk)
    let (store, appender, listener) = (opened.store, opened.appender, opened.listener)
    await store.beginTurnOnFastDisk()
    try appender.append(at: .zero, [1])
    disk.inject(.init(.flush, path: "/journal/", after: 0, count: 1, .error(code: 5)))
    store.endTurn()
    await listener.reached(1, of: Self.log)
    #expect(listener.failures.count == 1)
    #expect(listener.last(of: Self.log) == .zero)
    #expect(throws: LogError.self) { try appender.append(at: .zero, [2]) }
    await store.shutdown()
  }
}
