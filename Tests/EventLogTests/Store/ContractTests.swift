import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// The one contract, against every store of this layer.
@Suite struct ContractTests {
  @Test("LOG-2, LOG-3: memory keeps the contract of a log store", arguments: LogStoreContract.rules)
  func memory(_ rule: LogStoreContract.Rule) async throws {
    let store = MemoryLogStore()
    await #expect(throws: Never.self) { try await rule.check(store) }
    await store.shutdown()
  }

  @Test("LOG-2: who reads memory while others append misses nothing, and takes nothing away")
  func memoryBesideWriters() async throws {
    let store = MemoryLogStore()
    let log = LogID(high: 1, low: 1)
    _ = try await store.create(log, at: .zero)
    let count = 2_000
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        for number in 0..<count {
          try await store.append(
            [Record(kind: 1, time: .zero, actor: 0, body: [UInt8(truncatingIfNeeded: number)])], to: log,
            expecting: nil, epoch: nil)
        }
      }
      for _ in 0..<3 {
        tasks.addTask {
          var after = Revision.zero
          while after.rawValue < count {
            for stored in try await store.read(log, after: after, limit: 1 << 20) {
              #expect(stored.first <= after.next)
              after = max(after, stored.lastRevision)
            }
            _ = try await store.spans(of: log, after: .zero, limit: 10)
            _ = try await store.revision(in: log, at: .zero)
            // The threads are few, and the writer needs one.
            await Task.yield()
          }
        }
      }
      try await tasks.waitForAll()
    }
    let bodies = try await store.runs(of: log, after: .zero, limit: .max).flatMap(\.unpacked).map(\.body)
    #expect(bodies == (0..<count).map { [UInt8(truncatingIfNeeded: $0)] })
    await store.shutdown()
  }

  @Test("Memory under a virtual clock keeps it too, when commits are told by the waiting functions")
  func memoryWhenTold() async throws {
    let store = MemoryLogStore(commits: .whenTold)
    let log = LogID(high: 1, low: 1)
    _ = try await store.create(log, at: .zero)
    let listener = RecordingListener()
    let appender = try await store.open(log, listener: listener)
    try appender.append([1])
    try appender.append([2])
    #expect(listener.last(of: log) == 0)
    #expect(try await store.info(of: log).last == 0)
    store.commitPending()
    #expect(listener.records(of: log).map(\.body) == [[1], [2]])
    #expect(listener.calls.count == 1)
  }

  @Test("LOG-2, LOG-3: one folder keeps the contract of a log store", arguments: LogStoreContract.rules)
  func embedded(_ rule: LogStoreContract.Rule) async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: small)
    await #expect(throws: Never.self) { try await rule.check(store) }
    await store.shutdown()
  }

  @Test("One folder keeps it with tiny segments, when sealing never stops", arguments: LogStoreContract.rules)
  func embeddedTiny(_ rule: LogStoreContract.Rule) async throws {
    let folder = TemporaryFolder()
    var options = small
    options.segmentBytes = 64 << 10
    options.sealIdle = .zero
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options)
    await #expect(throws: Never.self) { try await rule.check(store) }
    await store.shutdown()
  }

  private var small: EmbeddedLogStore.Options {
    var options = EmbeddedLogStore.Options()
    options.segmentBytes = 1 << 20
    options.spareSegments = 1
    options.minimumCommitInterval = .zero
    return options
  }
}
