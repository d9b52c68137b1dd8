import EventLogFormat
import EventLogModel
import Testing

@testable import EventLog

/// A log.db of version 1.0, written after docs/FORMAT.md by a program that shares no code with ours.
@Suite struct SealedGoldenTests {
  private static let log = LogID(high: 0x1011_1213_1415_1617, low: 0x1819_1A1B_1C1D_1E1F)

  private static func copy() throws -> SealedFolder {
    let root = #filePath.split(separator: "/").dropLast(2).joined(separator: "/")
    let folder = try SealedFolder()
    try SealedFile.write(try SealedFile.read("/\(root)/Golden/v1/log.db"), to: folder.database)
    return folder
  }

  @Test("A database of version 1.0 is sound and gives its log, its records, its snapshot")
  func read() throws {
    let folder = try Self.copy()
    let report = try Verify.database(folder: folder.path, level: .full)
    #expect(report.findings.isEmpty)
    #expect(report.logs.map(\.revisions) == [[1...203]])
    let reader = try folder.reader()
    let row = try #require(try reader.row(number: 5))
    #expect(row.log == Self.log)
    #expect(row.epoch == Epoch(0x123_4567))
    #expect(row.next == 204)
    #expect(row.blocks == 3)
    let runs = try reader.read(number: 5, log: Self.log, after: 0, limit: .max)
    #expect(runs.map(\.count) == [1, 200, 2])
    let last = try #require(try runs[2].unpacked().unpacked.first)
    #expect(last.kind == 255)
    #expect(last.actor == 1 << 40)
    #expect(last.body == [0, 255, 0, 255, 0, 255])
    let snapshot = try #require(try reader.latestSnapshot(number: 5, log: Self.log, notAfter: 203))
    #expect(snapshot.revision == 150)
    #expect(snapshot.root == Array("golden root".utf8))
    #expect(snapshot.parts.map(\.bytes) == [Array((UInt8.min...UInt8.max).reversed())])
    #expect(try reader.revision(number: 5, at: Timestamp(milliseconds: 1_700_000_000_003)) == 1)
    #expect(try Salvage(file: folder.database).runs(of: Self.log).map(\.count) == [1, 200, 2])
  }

  @Test("A database of version 1.0 takes new events, and its open block is merged, unknown kinds unchanged")
  func write() throws {
    let folder = try Self.copy()
    let store = try folder.store()
    #expect(try store.oldestSegment() == 11)
    #expect(store.storeID == Array(0x40...0x4F))
    var builder = RunBuilder(first: 204)
    builder.append(Record(kind: 3, time: Timestamp(milliseconds: 1_700_000_009_000), actor: 1, body: [7]))
    try store.apply([.run(number: 5, builder.takeRun()!)], oldestSegment: 12)
    let runs = try folder.reader().read(number: 5, log: Self.log, after: 201, limit: .max)
    #expect(runs.map(\.count) == [3])
    #expect(try runs[0].unpacked().unpacked.map(\.kind) == [255, 200, 3])
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }
}
