import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import Testing

@testable import EventLog

/// What was removed is looked for in every file, byte by byte.
@Suite struct RemainsTests {
  private static let (doomed, kept): (UInt64, UInt64) = (3, 4)

  /// Two logs whose events stand in blocks that grew several times, in segments and in a snapshot.
  private static func fill(_ store: EmbeddedLogStore) async throws {
    for log in [doomed, kept] { _ = try await store.create(DamagedFolder.log(log), at: .zero) }
    for round in 0..<6 as Range<UInt64> {
      for log in [doomed, kept] {
        try await DamagedFolder.append(round * 120 + 1...round * 120 + 120, to: log, store)
      }
      try await store.seal()
    }
    let parts = [
      SnapshotPart(key: [UInt8](repeating: 7, count: 16), bytes: DamagedFolder.body(doomed, 10_000))
    ]
    let snapshot = Snapshot(
      revision: 700, time: Timestamp(milliseconds: 700_000), stateHash: [UInt8](repeating: 1, count: 32),
      root: DamagedFolder.body(doomed, 10_001), parts: parts)
    try await store.put(snapshot, for: DamagedFolder.log(doomed))
    // The journal alone has these.
    for log in [doomed, kept] { try await DamagedFolder.append(721...760, to: log, store) }
  }

  private static func filled() async throws -> (TemporaryFolder, EmbeddedLogStore) {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    try await fill(store)
    return (folder, store)
  }

  /// Which of these events' bytes stand in which file.
  private static func found(
    _ log: UInt64, _ numbers: [UInt64], in folder: TemporaryFolder
  ) throws -> Set<String> {
    var places: Set<String> = []
    for (name, bytes) in try DamagedFolder.content(of: folder) {
      let data = Data(bytes)
      for number in numbers where data.range(of: Data(DamagedFolder.body(log, number))) != nil {
        places.insert(name.hasPrefix("journal/") ? "journal" : name)
      }
    }
    return places
  }

  private static let all = Array(1...760 as ClosedRange<UInt64>) + [10_000, 10_001]

  @Test("LOG-27: of a deleted log no file holds a byte once it is cleared, and other logs are as they were")
  func deleted() async throws {
    let (folder, store) = try await Self.filled()
    #expect(try Self.found(Self.doomed, Self.all, in: folder).isSuperset(of: ["journal", "log.db-wal"]))
    try await store.delete(DamagedFolder.log(Self.doomed))
    #expect(try !Self.found(Self.doomed, Self.all, in: folder).isEmpty)
    try await store.clearRemains()
    #expect(try Self.found(Self.doomed, Self.all, in: folder).isEmpty)
    try await Self.expectKept(store)
    try await DamagedFolder.append(761...800, to: Self.kept, store)
    await store.shutdown()
    #expect(try Self.found(Self.doomed, Self.all, in: folder).isEmpty)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
    let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(again.damages.isEmpty)
    try await Self.expectKept(again, through: 800)
    await again.shutdown()
  }

  @Test(
    "LOG-27: a store that was killed between removal and clearing knows that it has to be cleared",
    arguments: [false, true])
  func killed(sealed: Bool) async throws {
    let (folder, store) = try await Self.filled()
    try await store.delete(DamagedFolder.log(Self.doomed))
    if sealed { try await store.seal() }
    store.abandon()
    let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(try !Self.found(Self.doomed, Self.all, in: folder).isEmpty)
    try await again.clearRemains()
    #expect(try Self.found(Self.doomed, Self.all, in: folder).isEmpty)
    try await Self.expectKept(again)
    await again.shutdown()
    let third = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(third.base.engine.state.withLock { !$0.clearing.isDue })
    await third.shutdown()
  }

  @Test("LOG-27: what a trim removed is cleared the same way, and what it kept is there")
  func trimmed() async throws {
    let (folder, store) = try await Self.filled()
    let low = try await store.trim(DamagedFolder.log(Self.doomed), below: 701)
    #expect(low > 100)
    try await store.clearRemains()
    let gone = Array(1...low.previous.rawValue)
    #expect(try Self.found(Self.doomed, gone, in: folder).isEmpty)
    let rest = try await store.runs(of: DamagedFolder.log(Self.doomed), after: low.previous, limit: .max)
    #expect(rest.last?.lastRevision == 760)
    try await Self.expectKept(store)
    await store.shutdown()
  }

  @Test("LOG-27: events that come while it is cleared are taken, and none is lost")
  func besideWriters() async throws {
    let (folder, store) = try await Self.filled()
    try await store.delete(DamagedFolder.log(Self.doomed))
    async let cleared: Void = store.clearRemains()
    try await DamagedFolder.append(761...1_500, to: Self.kept, store)
    try await cleared
    #expect(try Self.found(Self.doomed, Self.all, in: folder).isEmpty)
    store.abandon()
    let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(again.damages.isEmpty)
    try await Self.expectKept(again, through: 1_500)
    await again.shutdown()
  }

  @Test("LOG-27: two that clear at once are both told when no file holds anything any more")
  func twice() async throws {
    let (folder, store) = try await Self.filled()
    try await store.delete(DamagedFolder.log(Self.doomed))
    async let first: Void = store.clearRemains()
    async let second: Void = store.clearRemains()
    try await DamagedFolder.append(761...900, to: Self.kept, store)
    try await first
    #expect(try Self.found(Self.doomed, Self.all, in: folder).isEmpty)
    try await second
    #expect(try Self.found(Self.doomed, Self.all, in: folder).isEmpty)
    #expect(store.base.engine.state.withLock { $0.clearing.underWay == 0 && !$0.clearing.isDue })
    await store.shutdown()
  }

  @Test("LOG-27: where nothing was removed nothing is done, and a store that is shut down says so")
  func nothing() async throws {
    let (folder, store) = try await Self.filled()
    defer { withExtendedLifetime(folder) {} }
    let segment = store.base.engine.state.withLock { $0.segment }
    try await store.clearRemains()
    #expect(store.base.engine.state.withLock { $0.segment } == segment)
    try await store.delete(DamagedFolder.log(Self.doomed))
    await store.shutdown()
    await #expect(throws: LogError.self) { try await store.clearRemains() }
  }

  private static func expectKept(_ store: EmbeddedLogStore, through last: UInt64 = 760) async throws {
    var (next, at): (UInt64, Revision) = (1, .zero)
    while true {
      let runs = try await store.runs(of: DamagedFolder.log(kept), after: at, limit: 1 << 20)
      guard let end = runs.last?.lastRevision else { break }
      for record in runs.flatMap(\.unpacked) {
        #expect(record.body == DamagedFolder.body(kept, next))
        next += 1
      }
      at = end
    }
    #expect(next == last + 1)
  }
}
