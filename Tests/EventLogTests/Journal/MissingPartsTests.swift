import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import EventLog

/// What was taken from a folder by somebody else: a file, a folder, the end of a file.
@Suite struct MissingPartsTests {
  private let folder = TemporaryFolder()
  private let log = LogID(high: 1, low: 1)

  private func fill(sealing: Bool = false) async throws {
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    _ = try await store.create(log, at: .zero)
    for number in 1...20 {
      let body = [UInt8](repeating: UInt8(number), count: 300)
      try await store.append(
        [Record(kind: 1, time: .zero, actor: 0, body: body)], to: log, expecting: nil, epoch: nil)
    }
    if sealing { try await store.seal() }
    store.abandon()
  }

  private func damage(_ change: (inout EmbeddedLogStore.Options) -> Void = { _ in }) -> Damage? {
    do throws(LogError) {
      _ = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options(change)).abandon()
    } catch {
      if case .damaged(let damage) = error { return damage }
      Issue.record("refused with \(error)")
    }
    return nil
  }

  private var content: [String: [UInt8]] {
    get throws {
      var all: [String: [UInt8]] = [:]
      for name in try folder.names() where name != "journal" { all[name] = try folder.bytes(of: name) }
      for name in (try? folder.names(in: "journal")) ?? [] {
        all["journal/" + name] = try folder.bytes(of: "journal/" + name)
      }
      return all
    }
  }

  private func segment() throws -> String {
    let names = try folder.names(in: "journal").filter { JournalFolder.segmentNumber($0) != nil }
    return "journal/" + (try #require(names.last))
  }

  @Test(
    "Without log.db beside a journal nothing is opened, and the folder stays as it was",
    arguments: [false, true])
  func noDatabase(isEmpty: Bool) async throws {
    try await fill()
    for name in try folder.names() where name.hasPrefix("log.db") {
      try FileManager.default.removeItem(atPath: folder.path + "/" + name)
    }
    if isEmpty { try folder.write([], to: "log.db") }
    let before = try content
    for change: (inout EmbeddedLogStore.Options) -> Void in [
      { _ in }, { $0.acceptLoss = true }, { $0.readOnly = true },
    ] {
      let found = try #require(damage(change))
      #expect(found.what.contains("database is missing"))
      #expect(found.place.hasSuffix("/log.db"))
      #expect(try content == before)
    }
    let report = try Verify.database(folder: folder.path, level: .quick)
    #expect(report.findings.map(\.what) == ["the database is missing beside its journal"])
  }

  @Test("Without the journal's folder the events in it are missed, and no folder is made before that is said")
  func noJournal() async throws {
    try await fill()
    try FileManager.default.removeItem(atPath: folder.path + "/journal")
    for isReadOnly in [true, false] {
      let found = try #require(damage { $0.readOnly = isReadOnly })
      #expect(found.what.contains("segments 1 to 1 are missing"), "\(found)")
    }
    #expect(!(try folder.names().contains("journal")))
    let store = try EmbeddedLogStore.open(
      folder: folder.path, options: DamagedFolder.options { $0.acceptLoss = true })
    #expect(store.damages.count == 2, "the segment, and the frames that were durable: \(store.damages)")
    store.abandon()
  }

  @Test(
    "A segment's file that is shorter than its segment is damage, also cut between two frames, and said so")
  func shortened() async throws {
    try await fill()
    let path = try segment()
    let whole = try folder.bytes(of: path)
    #expect(whole.count == 64 << 10)
    // Frames begin at multiples of 8; somewhere among these cuts is the end of each of them.
    let used = try #require(whole.lastIndex { $0 != 0 }) + 1
    for kept in Array(stride(from: 4_096, through: used + 64, by: 8)) + [whole.count - 1] {
      try folder.write(Array(whole[..<kept]), to: path)
      let found = try #require(damage { $0.readOnly = true }, "cut to \(kept) bytes")
      #expect(found.what.contains("cut off after \(kept) of 65536 bytes"), "\(found)")
      #expect(found.offset == kept, "\(found)")
    }
    try folder.write(Array(whole[..<(used - 8)]), to: path)
    #expect(damage() != nil)
    let store = try EmbeddedLogStore.open(
      folder: folder.path, options: DamagedFolder.options { $0.acceptLoss = true })
    let info = try await store.info(of: log)
    #expect(info.last == 19, "what stands before the cut is kept")
    #expect(store.damages.count == 2, "the segment, and the frame that was durable: \(store.damages)")
    store.abandon()
    #expect(damage { $0.readOnly = true } == nil, "what was accepted is not said again")
  }

  @Test("A folder whose segments had another size opens: their size is that of the opening that made them")
  func otherSize() async throws {
    try await fill(sealing: true)
    for size in [128 << 10, 32 << 10] {
      let store = try EmbeddedLogStore.open(
        folder: folder.path, options: DamagedFolder.options { $0.segmentBytes = size })
      #expect(try await store.info(of: log).last == 20)
      store.abandon()
    }
    #expect(damage { $0.readOnly = true } == nil)
  }
}
