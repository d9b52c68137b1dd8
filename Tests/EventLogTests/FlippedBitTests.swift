import EventLogFormat
import EventLogModel
import Foundation
import StorageTestKit
import Testing

@testable import EventLog

/// Single bits that change in the files of a folder that a killed server left. LOG-10: damage is named, and what is whole
/// is served; LOG-18, LOG-19: an empty, older or foreign database is never taken for the folder's own.
@Suite(.timeLimit(.minutes(15))) struct FlippedBitTests {
  private static let rooms = 4
  private static let events = 200

  private static func log(_ number: Int) -> LogID { LogID(high: 1, low: UInt64(number)) }
  private static func body(_ log: Int, _ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(log << 32 | number))
    return generator.bytes(120)
  }

  private static func options(_ change: (inout EmbeddedLogStore.Options) -> Void = { _ in })
    -> EmbeddedLogStore.Options
  {
    var options = EmbeddedLogStore.Options()
    options.segmentBytes = 64 << 10
    options.minimumCommitInterval = .zero
    options.confirmDelay = .zero
    change(&options)
    return options
  }

  /// The files of a folder as `kill -9` leaves them: a copy while the store is open and rests.
  private static func killed(
    sealing: Bool, _ change: (inout EmbeddedLogStore.Options) -> Void = { _ in }
  ) async throws -> [String: [UInt8]] {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options(change))
    for log in 1...rooms { _ = try await store.create(Self.log(log), at: .zero) }
    for number in 1...events {
      for log in 1...rooms {
        let record = Record(kind: 1, time: .zero, actor: 0, body: body(log, number))
        try await store.append([record], to: Self.log(log), expecting: nil, epoch: nil)
      }
      if sealing, number % 32 == 16 { try await store.seal() }
    }
    // The empty frame behind the last one comes by itself.
    while options(change).confirmDelay == .zero, try !isConfirmed(content(of: folder)) { await Task.yield() }
    // The sealer may still be at work: what is the same twice rests.
    var files = try content(of: folder)
    while true {
      let again = try content(of: folder)
      if again == files { break }
      files = again
    }
    store.abandon()
    return files
  }

  private static func content(of folder: TemporaryFolder) throws -> [String: [UInt8]] {
    var all: [String: [UInt8]] = [:]
    for name in try folder.names() where !["journal", "LOCK", "log.db-shm"].contains(name) {
      all[name] = try folder.bytes(of: name)
    }
    for name in try folder.names(in: "journal") {
      all["journal/" + name] = try folder.bytes(of: "journal/" + name)
    }
    return all
  }

  private static func folder(_ files: [String: [UInt8]]) throws -> TemporaryFolder {
    let folder = TemporaryFolder()
    try FileManager.default.createDirectory(
      atPath: folder.path + "/journal", withIntermediateDirectories: true)
    for (name, bytes) in files { try folder.write(bytes, to: name) }
    return folder
  }

  private enum Outcome: Equatable {
    case refused(Damage)
    /// All events are there.
    case whole(named: [Damage], remains: Bool)
    case lost(String)
  }

  private static func open(_ files: [String: [UInt8]], readOnly: Bool) async throws -> Outcome {
    let folder = try folder(files)
    let store: EmbeddedLogStore
    do throws(LogError) {
      store = try EmbeddedLogStore.open(folder: folder.path, options: options { $0.readOnly = readOnly })
    } catch {
      guard case .damaged(let damage) = error else { throw error }
      return .refused(damage)
    }
    var wrong: String?
    for log in 1...rooms where wrong == nil {
      do throws(LogError) {
        var found = 0
        while wrong == nil {
          let runs = try await store.runs(of: Self.log(log), after: Revision(UInt64(found)), limit: 1 << 20)
          if runs.isEmpty { break }
          for record in runs.flatMap(\.unpacked) {
            found += 1
            if record.body != body(log, found) { wrong = "log \(log), event \(found) differs" }
          }
        }
        if found != events { wrong = "log \(log) has \(found) of \(events)" }
      } catch { wrong = "log \(log): \(error)" }
    }
    let named = store.damages
    let remains = store.remains != nil
    await store.shutdown()
    return wrong.map { .lost($0) } ?? .whole(named: named, remains: remains)
  }

  private static func flipped(_ files: [String: [UInt8]], _ name: String, bit: Int) -> [String: [UInt8]] {
    var files = files
    files[name]![bit / 8] ^= 1 << UInt8(bit % 8)
    return files
  }

  @Test(
    "LOG-10, LOG-18: a flipped bit anywhere in the write-ahead log loses no event, and is named where it can be told"
  )
  func writeAheadLog() async throws {
    // In one large segment nothing has been settled.
    let files = try await Self.killed(sealing: true) { $0.segmentBytes = 2 << 20 }
    let count = try #require(files["log.db-wal"]).count
    try #require(count > 100_000, "there is something written ahead: \(count)")
    var generator = SeededGenerator(seed: 11)
    var named = 0
    for round in 0..<40 {
      let bit = round < 8 ? round * 32 : Int.random(in: 0..<count * 8, using: &generator)
      let damaged = Self.flipped(files, "log.db-wal", bit: bit)
      for readOnly in [true, false] {
        switch try await Self.open(damaged, readOnly: readOnly) {
        case .whole(let found, _): named += found.contains { $0.place.hasSuffix("log.db-wal") } ? 1 : 0
        case let other: Issue.record("bit \(bit), readOnly \(readOnly): \(other)")
        }
      }
    }
    // The rest is in the last transaction.
    #expect(named >= 50, "named in \(named) of 80 openings")
  }

  @Test(
    "LOG-18: without a manifest a damaged write-ahead log is refused and named: it may hold the only copy")
  func olderFolder() async throws {
    var files = try await Self.killed(sealing: true) { $0.segmentBytes = 2 << 20 }
    files["MANIFEST"] = nil
    let outcome = try await Self.open(Self.flipped(files, "log.db-wal", bit: 8 * 5_000), readOnly: false)
    guard case .refused(let damage) = outcome else { return #expect(Bool(false), "\(outcome)") }
    #expect(damage.place.hasSuffix("log.db-wal"), "\(damage)")
    #expect(damage.offset != nil, "\(damage)")
  }

  @Test(
    "LOG-18: an empty, older or foreign database beside a manifest is refused and named, and changed by nobody"
  )
  func otherDatabases() async throws {
    let (early, late) = (try await Self.killed(sealing: false), try await Self.killed(sealing: true))
    var cases: [(String, [String: [UInt8]])] = []
    var files = late
    files["log.db"] = early["log.db"]
    files["log.db-wal"] = nil
    cases.append(("of another folder", files))
    files = late
    files["log.db-wal"] = nil
    files["log.db"] = []
    cases.append(("empty", files))
    files = files.filter { !$0.key.hasPrefix("journal/") }
    cases.append(("empty, no journal", files))
    files["log.db"] = nil
    cases.append(("none, no journal", files))
    files = late.filter { !$0.key.hasPrefix("journal/") }
    cases.append(("no journal", files))
    for (name, files) in cases {
      for readOnly in [true, false] {
        let outcome = try await Self.open(files, readOnly: readOnly)
        let isRefused = if case .refused = outcome { true } else { false }
        #expect(isRefused, "\(name), readOnly \(readOnly): \(outcome)")
      }
    }
  }

  @Test("LOG-18: every flipped bit of the manifest is named; it is written anew, and no event is missed")
  func manifest() async throws {
    let files = try await Self.killed(sealing: true)
    let count = try #require(files["MANIFEST"]).count
    for bit in stride(from: 0, to: count * 8, by: 23) {
      let outcome = try await Self.open(Self.flipped(files, "MANIFEST", bit: bit), readOnly: bit % 2 == 0)
      guard case .whole(let named, _) = outcome, named.count == 1, named[0].place.hasSuffix("MANIFEST") else {
        Issue.record("bit \(bit): \(outcome)")
        continue
      }
    }
    var without = files
    without["MANIFEST"] = nil
    guard case .whole(let named, _) = try await Self.open(without, readOnly: true) else {
      return #expect(Bool(false))
    }
    #expect(named.map(\.what) == ["the manifest is missing"])
  }

  @Test(
    "LOG-19: a flipped bit in the last frame with events is refused and named, once an empty frame is behind it"
  )
  func lastFrame() async throws {
    let files = try await Self.killed(sealing: false)
    let name = try #require(files.keys.filter { $0.hasPrefix("journal/0") }.max())
    let frames = try Self.frames(try #require(files[name]))
    try #require(frames.count > 2)
    let (last, empty) = (frames[frames.count - 2], frames[frames.count - 1])
    for bit in stride(from: last.offset * 8, to: empty.offset * 8, by: 17) {
      let outcome = try await Self.open(Self.flipped(files, name, bit: bit), readOnly: true)
      guard case .refused(let damage) = outcome else {
        Issue.record("bit \(bit): \(outcome)")
        continue
      }
      #expect(damage.offset == last.offset, "\(damage)")
    }
    for bit in stride(from: empty.offset * 8, to: (empty.offset + 40) * 8, by: 7) {
      // Nothing is in it; whether it was durable nobody can say.
      #expect(
        try await Self.open(Self.flipped(files, name, bit: bit), readOnly: true)
          == .whole(named: [], remains: true))
    }
  }

  @Test("LOG-10: a flipped bit in the header of the newest segment costs nothing, and is named as harmless")
  func segmentHeader() async throws {
    let files = try await Self.killed(sealing: false)
    let name = try #require(files.keys.filter { $0.hasPrefix("journal/0") }.max())
    for (round, bit) in stride(from: 0, to: JournalSegmentHeader.length * 8, by: 1_021).enumerated() {
      let outcome = try await Self.open(Self.flipped(files, name, bit: bit), readOnly: round % 4 != 0)
      guard case .whole(let named, remains: false) = outcome else {
        Issue.record("bit \(bit): \(outcome)")
        continue
      }
      #expect(named.count == 1, "bit \(bit): \(named)")
      #expect(named.allSatisfy { $0.isHarmless }, "bit \(bit): \(named)")
    }
  }

  @Test(
    "LOG-19: of a last frame with nothing behind it nobody can say if it was cut short or damaged, and that is said"
  )
  func uncertain() async throws {
    var files = try await Self.killed(sealing: false) { $0.confirmDelay = .seconds(3_600) }
    // A power cut may have left it as old as the last start.
    files[CommitMarkFile.name] = nil
    let name = try #require(files.keys.filter { $0.hasPrefix("journal/0") }.max())
    let segment = try #require(files[name])
    let last = try #require(try Self.frames(segment).last)
    for bit in stride(from: last.offset * 8, to: (last.offset + last.length) * 8, by: 31) {
      let folder = try Self.folder(Self.flipped(files, name, bit: bit))
      for readOnly in [true, false] {
        let store = try EmbeddedLogStore.open(
          folder: folder.path, options: Self.options { $0.readOnly = readOnly })
        #expect(store.remains?.offset == last.offset, "bit \(bit)")
        #expect(store.remains?.what.contains("or it was damaged since") == true)
        store.abandon()
      }
    }
  }

  @Test("LOG-20: an orderly stop leaves no write-ahead log, and a manifest that knows the last frame")
  func orderly() async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: Self.options())
    _ = try await store.create(Self.log(1), at: .zero)
    for number in 1...50 {
      let record = Record(kind: 1, time: .zero, actor: 0, body: Self.body(1, number))
      try await store.append([record], to: Self.log(1), expecting: nil, epoch: nil)
    }
    _ = try await store.runs(of: Self.log(1), after: .zero, limit: 1)
    await store.shutdown()
    #expect(try folder.names().filter { $0.hasPrefix("log.db") } == ["log.db"])
    let manifest = try #require(try ManifestFile(disk: SystemDisk(), folder: folder.path).read())
    #expect(manifest.logs == 1)
    #expect(manifest.frame >= 51)
    // A journal that ends before that is damage: harmless if the database says that it has all of it (LOG-21).
    for name in try folder.names(in: "journal") where JournalFolder.segmentNumber(name) != nil {
      var bytes = try folder.bytes(of: "journal/" + name)
      bytes.replaceSubrange(
        JournalSegmentHeader.length..., with: [UInt8](repeating: 0, count: bytes.count - 4_096))
      try folder.write(bytes, to: "journal/" + name)
    }
    let reading = Self.options { $0.readOnly = true }
    let again = try EmbeddedLogStore.open(folder: folder.path, options: reading)
    try #require(again.damages.count == 1, "\(again.damages)")
    #expect(again.damages[0].isHarmless, "\(again.damages)")
    await again.shutdown()
    let raw = try SQLiteConnection(path: folder.path + "/log.db", role: .writer)
    try raw.execute("DELETE FROM meta WHERE k = 'oldest_frame'")
    raw.close()
    #expect(throws: LogError.self) { _ = try EmbeddedLogStore.open(folder: folder.path, options: reading) }
  }

  private static func isConfirmed(_ files: [String: [UInt8]]) throws -> Bool {
    guard let name = files.keys.filter({ $0.hasPrefix("journal/0") }).max(), let segment = files[name] else {
      return false
    }
    return try frames(segment).last?.isEmpty ?? false
  }

  private static func frames(_ segment: [UInt8]) throws -> [(offset: Int, length: Int, isEmpty: Bool)] {
    try segment.withUnsafeBytes { raw in
      var scan = JournalScan(segment: raw, header: try JournalSegmentHeader(reading: raw), previous: nil)
      var found: [(offset: Int, length: Int, isEmpty: Bool)] = []
      while case .frame(let frame, let at) = scan.next() {
        found.append((at, scan.offset - at, frame.entries.isEmpty))
      }
      return found
    }
  }
}
