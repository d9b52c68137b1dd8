import EventLogFormat
import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import EventLog

/// What a repair makes of damaged folders: everything that is left anywhere, proved, and the rest named.
@Suite(.timeLimit(.minutes(15))) struct RepairTests {
  private static let last: UInt64 = 1_500

  /// Two rooms: the first `sealed` events of each are sealed, the rest stand in the journal alone. With `old` the
  /// segments are still there that held the last of the sealed events: nothing needs them.
  private static func folder(sealed: UInt64 = 1_200, old: Bool = false) async throws -> DamagedFolder {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    for log in 1...2 as ClosedRange<UInt64> {
      _ = try await store.create(DamagedFolder.log(log), at: .zero)
      try await DamagedFolder.append(1...sealed, to: log, store)
    }
    let before = try DamagedFolder.content(of: folder).filter { old && $0.key.hasPrefix("journal/0") }
    try await store.seal()
    for log in 1...2 as ClosedRange<UInt64> {
      try await DamagedFolder.append(sealed + 1...last, to: log, store)
    }
    store.abandon()
    return DamagedFolder(files: before.merging(try DamagedFolder.content(of: folder)) { $1 })
  }

  /// Repairs a folder, and checks that it was not changed and that what was made of it says what the report says.
  private static func repair(_ damaged: DamagedFolder) async throws -> (RepairReport, TemporaryFolder) {
    let folder = try damaged.written()
    let target = TemporaryFolder()
    try FileManager.default.createDirectory(atPath: target.path, withIntermediateDirectories: true)
    let report = try Repair(folder: folder.path).write(to: target.path)
    #expect(try DamagedFolder.content(of: folder).filter { !$0.key.hasSuffix("-shm") } == damaged.files)
    let store = try EmbeddedLogStore.open(folder: target.path, options: DamagedFolder.options())
    #expect(store.damages.isEmpty)
    for log in report.logs {
      let number = log.log == DamagedFolder.log(1) ? 1 : 2 as UInt64
      var gaps: [Gap] = []
      let revisions = try await DamagedFolder.revisions(of: number, in: store, gaps: &gaps)
      #expect(revisions.count == log.events)
      #expect((revisions.last ?? 0) == log.last.rawValue)
      let missing = Set(1...max(1, log.last.rawValue)).subtracting(revisions)
      #expect(missing.allSatisfy { at in log.lost.contains { $0.contains(at) } }, "\(missing)")
    }
    await store.shutdown()
    return (report, target)
  }

  /// Offsets of the blocks in `log.db`, by their first revisions.
  private static func blocks(of log: UInt64, in folder: DamagedFolder) throws -> [Salvage.SoundBlock] {
    let written = try folder.written()
    return try Salvage(file: written.path + "/log.db").blocks[DamagedFolder.log(log)] ?? []
  }

  private static func log(_ number: UInt64, in report: RepairReport) throws -> RepairReport.Log {
    try #require(report.logs.first { $0.log == DamagedFolder.log(number) })
  }

  @Test("LOG-25: a repair of a sound folder is the same rooms, whole, with their epochs")
  func sound() async throws {
    let folder = try await Self.folder()
    let (report, _) = try await Self.repair(folder)
    #expect(report.isWhole)
    #expect(report.damages.isEmpty)
    #expect(!report.isFromPages)
    for number in 1...2 as ClosedRange<UInt64> {
      let log = try Self.log(number, in: report)
      #expect(log.events == Int(Self.last))
      #expect(log.found.isEmpty)
      #expect(!log.hasNewEpoch)
      #expect(log.chain != nil)
    }
  }

  @Test(
    "LOG-25: events of a damaged block that a journal file still has are there, and the hash chain proves them"
  )
  func damagedBlock() async throws {
    var folder = try await Self.folder(old: true)
    let blocks = try Self.blocks(of: 2, in: folder)
    let block = try #require(blocks.last)
    folder.files["log.db"]?[block.offset + 200] ^= 0x10
    let (report, _) = try await Self.repair(folder)
    let log = try Self.log(2, in: report)
    #expect(log.events == Int(Self.last))
    #expect(log.isWhole)
    #expect(!log.hasNewEpoch)
    let found = try #require(log.found.first)
    #expect(found.isProved)
    #expect(found.place == .journal)
    #expect(found.revisions.lowerBound == block.first.rawValue)
    #expect(try Self.log(1, in: report).found.isEmpty)
  }

  @Test("LOG-25: what is nowhere is named with its revisions, and stays named; what lies behind it is there")
  func nowhere() async throws {
    var folder = try await Self.folder()
    let blocks = try Self.blocks(of: 1, in: folder)
    let block = try #require(blocks.first { $0.first > 1 })
    folder.files["log.db"]?[block.offset + 200] ^= 0x10
    let (report, target) = try await Self.repair(folder)
    let log = try Self.log(1, in: report)
    #expect(log.last == Revision(Self.last))
    #expect(!log.lost.isEmpty)
    #expect(!log.hasNewEpoch)
    let lost = log.lost.reduce(0) { $0 + $1.count }
    #expect(log.events + lost == Int(Self.last))
    #expect(lost <= block.count)
    let noted = try Verify.earlier(folder: target.path)
    #expect(noted.lostRevisions == lost, "\(noted) \(lost)")
    #expect(noted.allSatisfy { $0.isAcceptedLoss }, "\(noted) \(lost)")
  }

  @Test(
    "LOG-25: without a database that opens, bare pages and journal give all events; the rooms have new epochs"
  )
  func noDatabase() async throws {
    var folder = try await Self.folder()
    for at in 0..<100 { folder.files["log.db"]?[at] = 0 }
    let (report, _) = try await Self.repair(folder)
    #expect(report.isFromPages)
    #expect(!report.isWhole)
    #expect(!report.hasUnknownLoss)
    for number in 1...2 as ClosedRange<UInt64> {
      let log = try Self.log(number, in: report)
      #expect(log.events == Int(Self.last), "\(log)")
    }
  }

  @Test("LOG-25: a log whose end is gone has a new epoch: its last revisions will be other events")
  func lostEnd() async throws {
    var folder = try await Self.folder()
    let frame = try #require(try folder.frames().last { $0.holds(2, Self.last) })
    folder = folder.damaging(frame, from: 60)
    let (report, _) = try await Self.repair(folder)
    #expect(report.hasUnknownLoss)
    #expect(!report.isWhole)
    #expect(try Self.log(2, in: report).hasNewEpoch)
    #expect(try Self.log(2, in: report).last < Revision(Self.last))
  }

  @Test("LOG-25: whatever byte of the database is damaged, each event is there or named, and the proof holds")
  func anyByte() async throws {
    let folder = try await Self.folder()
    let size = try #require(folder.files["log.db"]?.count)
    var generator = SeededGenerator(seed: 25)
    for _ in 1...40 {
      var damaged = folder
      let at = Int.random(in: 0..<size, using: &generator)
      damaged.files["log.db"]?[at] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
      let (report, _) = try await Self.repair(damaged)
      for log in report.logs {
        let lost = log.lost.reduce(0) { $0 + $1.count }
        #expect(log.events + lost >= Int(Self.last), "byte \(at): \(log)")
      }
      #expect(report.logs.count == 2, "byte \(at)")
    }
  }

  @Test("LOG-25: deletions, trims and imports of which only the journal knows are kept, and none is a loss")
  func unsealedChanges() async throws {
    let (folder, target) = (TemporaryFolder(), TemporaryFolder())
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    let low = try await UnsealedChanges.make(in: store) { try await store.seal() }
    store.abandon()
    try FileManager.default.createDirectory(atPath: target.path, withIntermediateDirectories: true)
    let report = try Repair(folder: folder.path).write(to: target.path)
    #expect(report.isWhole, "\(report)")
    #expect(report.logs.count == 3)
    let repaired = try EmbeddedLogStore.open(folder: target.path, options: DamagedFolder.options())
    try await UnsealedChanges.expect(in: repaired, low)
    await repaired.shutdown()
  }

  @Test("LOG-25: a folder that a server has open is not repaired")
  func locked() async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(throws: LogError.self) { try Repair(folder: folder.path) }
    await store.shutdown()
  }
}
