import EventLogFormat
import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import Testing

@testable import EventLog

/// Records are replaced by ones that say less; what was there is looked for in every file, byte by byte.
@Suite struct ErasingTests {
  private static let (touched, other): (UInt64, UInt64) = (3, 4)
  private static let log = DamagedFolder.log(touched)
  /// The last event of every log here; the journal alone has those behind 720.
  private static let last: UInt64 = 760

  private static func filled() async throws -> (TemporaryFolder, EmbeddedLogStore) {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    for log in [touched, other] { _ = try await store.create(DamagedFolder.log(log), at: .zero) }
    for round in 0..<6 as Range<UInt64> {
      for log in [touched, other] {
        try await DamagedFolder.append(round * 120 + 1...round * 120 + 120, to: log, store)
      }
      try await store.seal()
    }
    for revision in [200, 700] as [UInt64] { try await put(revision, holding: 10_000 + revision, store) }
    for log in [touched, other] { try await DamagedFolder.append(721...last, to: log, store) }
    return (folder, store)
  }

  private static func put(_ revision: UInt64, holding number: UInt64, _ store: EmbeddedLogStore) async throws
  {
    let body = DamagedFolder.body(touched, number)
    let part = SnapshotPart(
      key: [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 16), bytes: body)
    try await store.put(
      Snapshot(
        revision: Revision(revision), time: Timestamp(milliseconds: Int64(revision)),
        stateHash: [UInt8](repeating: 1, count: 32), root: body, parts: [part]), for: log)
  }

  /// Every third record says nothing any more.
  private static func isErased(_ revision: UInt64) -> Bool { revision % 3 == 0 }

  private static let replacing: @Sendable (Run) throws(LogError) -> Run? = { run throws(LogError) in
    var builder = RunBuilder(first: run.first, base: run.base)
    for (index, record) in run.unpacked.enumerated() {
      var record = record
      if isErased((run.first + index).rawValue) { (record.kind, record.body) = (99, [0]) }
      builder.append(record)
    }
    return builder.takeRun()
  }

  private static let erased = (1...last).filter(isErased)

  private static func found(_ numbers: [UInt64], in folder: TemporaryFolder) throws -> Set<UInt64> {
    var found: Set<UInt64> = []
    for (_, bytes) in try DamagedFolder.content(of: folder) {
      let data = Data(bytes)
      for number in numbers where data.range(of: Data(DamagedFolder.body(touched, number))) != nil {
        found.insert(number)
      }
    }
    return found
  }

  private static func records(of log: LogID, _ store: EmbeddedLogStore) async throws -> [Record] {
    try await store.allRuns(of: log).flatMap(\.unpacked)
  }

  /// The catalog's value.
  private static func chain(in folder: TemporaryFolder) throws -> [UInt8]? {
    let reader = try SealedReader(folder: folder.path)
    defer { reader.close() }
    return try reader.database.statement("SELECT chain FROM log WHERE id = ?").first(.blob(log.bytes)) {
      $0.bytes(0)
    }
  }

  private static func expectErased(_ store: EmbeddedLogStore) async throws {
    let records = try await Self.records(of: log, store)
    #expect(records.count == Int(last))
    for (index, record) in records.enumerated() {
      let revision = UInt64(index + 1)
      let body = isErased(revision) ? [0] : DamagedFolder.body(touched, revision)
      #expect(record.body == body, "\(revision)")
      #expect(record.time.milliseconds == Int64(revision) * 1_000)
    }
    let whole = try await Self.records(of: DamagedFolder.log(other), store)
    #expect(whole.map(\.body) == (1...last).map { DamagedFolder.body(other, $0) })
  }

  @Test("LOG-29: no file holds a byte of what was erased; everything else, the chain too, is as it was")
  func erases() async throws {
    let (folder, store) = try await Self.filled()
    try await store.seal()
    let before = try await store.info(of: Self.log)
    let chain = try Self.chain(in: folder)
    // A block that is packed may hold one in pieces, and files that were sealed may be gone already.
    #expect(try Self.found(Self.erased + [10_200, 10_700], in: folder).count > 100)
    let epoch = try await store.erase(in: Self.log, keepingSnapshotAt: nil, replacing: Self.replacing)
    try await Self.expectErased(store)
    try await store.clearRemains()
    #expect(try Self.found(Self.erased + [10_200, 10_700], in: folder).isEmpty)
    let info = try await store.info(of: Self.log)
    #expect(info.epoch == epoch)
    #expect(epoch != before.epoch)
    #expect(info.last == before.last)
    #expect(try await store.snapshots(of: Self.log).isEmpty)
    await store.shutdown()
    #expect(try Self.chain(in: folder) == chain)
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
    let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(again.damages.isEmpty)
    #expect(try await again.info(of: Self.log).epoch == epoch)
    try await Self.expectErased(again)
    await again.shutdown()
  }

  @Test("LOG-29: a log whose records were erased goes on, and what comes later is chained after them")
  func goesOn() async throws {
    let (folder, store) = try await Self.filled()
    _ = try await store.erase(in: Self.log, keepingSnapshotAt: nil, replacing: Self.replacing)
    try await DamagedFolder.append(761...1_500, to: Self.touched, store)
    try await store.seal()
    await store.shutdown()
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
    let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(try await Self.records(of: Self.log, again).count == 1_500)
    await again.shutdown()
  }

  @Test("LOG-29: who appended before an erasure is fenced off, and the pieces say what they were and are")
  func fences() async throws {
    let (folder, store) = try await Self.filled()
    let appender = try await store.open(Self.log, listener: RecordingListener())
    let runs = try await store.runs(of: Self.log, after: .zero, limit: .max)
    _ = try await store.erase(in: Self.log, keepingSnapshotAt: nil, replacing: Self.replacing)
    #expect(throws: LogError.fenced(Self.log)) {
      try [UInt8](repeating: 1, count: 3).withUnsafeBytes { body throws(LogError) in
        try appender.append(kind: 1, actor: 0, time: .zero, body: body)
      }
    }
    let blocks = try await store.erasedBlocks(of: Self.log)
    #expect(blocks.first?.first == 1)
    #expect(blocks.last?.last == Revision(Self.last))
    #expect(zip(blocks, blocks.dropFirst()).allSatisfy { $0.last.next == $1.first })
    #expect(blocks.allSatisfy { $0.before != $0.after })
    let first = try #require(runs.first), block = try #require(blocks.first)
    if first.lastRevision == block.last { #expect(Chain.digest(of: first.records) == block.before) }
    await store.shutdown()
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("LOG-29: an erasure that was cut short anywhere is done again, from the end to the beginning")
  func isDoneAgain() async throws {
    let (folder, store) = try await Self.filled()
    await store.shutdown()
    let sealed = try SealedStore(folder: folder.path, writable: true)
    let number = try #require(try sealed.logs().first { $0.log == Self.log }).number
    let seen = Mutex<[Revision]>([])
    let erasure = SealedErasure(number: number, epoch: .random(), base: nil) { run throws(LogError) in
      seen.withLock { $0.append(run.first) }
      return try Self.replacing(run)
    }
    let next = try #require(try sealed.erase(erasure, before: nil, blocks: 2))
    #expect(next > 1)
    sealed.close()
    // Another process begins anew: all that stands before is as it was.
    let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    let kept = try await again.runs(of: Self.log, after: .zero, limit: 1)
    #expect(kept[0].unpacked[2].body == DamagedFolder.body(Self.touched, 3))
    _ = try await again.erase(in: Self.log, keepingSnapshotAt: nil, replacing: Self.replacing)
    try await again.clearRemains()
    try await Self.expectErased(again)
    #expect(try Self.found(Self.erased, in: folder).isEmpty)
    await again.shutdown()
    #expect(seen.withLock { $0 == $0.sorted(by: >) })
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("LOG-29: one snapshot may stay, for a log whose beginning was removed; parts of the others go")
  func keepsBase() async throws {
    let (folder, store) = try await Self.filled()
    try await Self.put(200, holding: 20_000, store)
    _ = try await store.erase(in: Self.log, keepingSnapshotAt: 200, replacing: Self.replacing)
    try await store.clearRemains()
    #expect(try await store.snapshots(of: Self.log).map(\.revision) == [200])
    #expect(try Self.found([20_000], in: folder) == [20_000])
    #expect(try Self.found([10_200, 10_700], in: folder).isEmpty)
    await store.shutdown()
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("LOG-25, LOG-29: a repair joins what was erased and what was not, and its chain proves both")
  func repairs() async throws {
    let (folder, store) = try await Self.filled()
    _ = try await store.erase(in: Self.log, keepingSnapshotAt: nil, replacing: Self.replacing)
    try await store.clearRemains()
    await store.shutdown()
    let target = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: target.path, withIntermediateDirectories: true)
    let report = try Repair(folder: folder.path).write(to: target.path)
    #expect(report.logs.count == 2)
    #expect(report.logs.allSatisfy { $0.lost.isEmpty && $0.found.isEmpty })
    let repaired = try EmbeddedLogStore.open(folder: target.path, options: DamagedFolder.options())
    try await Self.expectErased(repaired)
    await repaired.shutdown()
  }

  @Test("A block whose records were erased is one of version 2: sample of the format")
  func sample() throws {
    let run = try #require(Self.run([[1, 2, 3], [4, 5]])), less = try #require(Self.run([[1, 2, 3], [0]]))
    let block = Block(sealing: run, of: Self.log, after: Chain.origin, isOpen: false)
    let erased = Block(erasing: block, of: run, leaving: less)
    let bytes = erased.encoded
    try #require(bytes.count == erased.encodedLength)
    #expect(bytes[4] == 2)
    #expect(Array(bytes[128..<160]) == Chain.digest(of: run.records))
    let read = try bytes.withUnsafeBytes { try Block(reading: $0) }
    #expect(read == erased)
    #expect(try read.unpacked() == less)
    #expect(read.chainValue(after: Chain.origin, run: less) == block.chain)
    for index in bytes.indices {
      var flipped = bytes
      flipped[index] ^= 1
      #expect(throws: WireError.self, "byte \(index)") {
        try flipped.withUnsafeBytes { try Block(reading: $0) }
      }
    }
    // Erased once more, it is still chained by what was there first.
    let least = try #require(Self.run([[0], [0]]))
    let again = Block(erasing: erased, of: less, leaving: least)
    #expect(again.originalDigest == erased.originalDigest)
  }

  private static func run(_ bodies: [[UInt8]]) -> Run? {
    var builder = RunBuilder(first: 1, base: .zero)
    for body in bodies { builder.append(Record(kind: 5, time: .zero, actor: 0, body: body)) }
    return builder.takeRun()
  }
}
