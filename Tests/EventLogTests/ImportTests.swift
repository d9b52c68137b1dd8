import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// Logs that are imported, in every store of this layer, and on a disk that loses power.
@Suite("Imports in the store") struct ImportTests {
  private static let log = LogID(high: 4, low: 1)
  private static let epoch = Epoch(77)
  private static let total: Revision = 90

  private static func records(_ range: ClosedRange<Int>) -> [Record] {
    range.map { number in
      var generator = SeededGenerator(seed: UInt64(number))
      return Record(
        kind: 3, time: Timestamp(milliseconds: Int64(number)), actor: 1, body: generator.bytes(300))
    }
  }

  private static func isUnfinished(_ error: LogError, last: Revision) -> Bool {
    error == .unfinished(log, last: last, of: total)
  }

  /// What nobody but the import may do.
  private func expectHidden(_ store: any ImportStore, last: Revision) async throws {
    let log = Self.log
    let tries: [@Sendable () async throws -> Void] = [
      { _ = try await store.info(of: log) },
      { _ = try await store.open(log, listener: RecordingListener()) },
      { _ = try await store.read(log, after: .zero, limit: 1) },
      { _ = try await store.spans(of: log, after: .zero, limit: 1) },
      { _ = try await store.revision(in: log, at: .zero) },
      { _ = try await store.latestSnapshot(of: log, notAfter: last) },
      { _ = try await store.snapshots(of: log) },
      { _ = try await store.trim(log, below: last) },
      { try await store.delete(log) },
      { _ = try await store.create(log, at: .zero) },
      { _ = try await store.append(Self.records(1...1), to: log, expecting: nil, epoch: nil) },
    ]
    for (index, attempt) in tries.enumerated() {
      let error = await #expect(throws: LogError.self, "\(index)") { try await attempt() }
      #expect(
        error.map { Self.isUnfinished($0, last: last) } == true, "\(index): \(String(describing: error))")
    }
    #expect(try await store.logs(after: nil, limit: 9).isEmpty)
    let found = try await store.imports()
    #expect(found.map(\.info.log) == [log])
    #expect(found.map(\.info.last) == [last])
    #expect(found.map(\.last) == [Self.total])
  }

  private func goOn(_ store: any ImportStore, after last: Int, through end: Int) async throws {
    for start in stride(from: last, to: end, by: 15) {
      _ = try await store.append(
        Self.records((start + 1)...min(start + 15, end)), to: Self.log, expecting: Revision(UInt64(start)),
        epoch: Self.epoch)
    }
  }

  private func begin(_ store: any ImportStore) async throws {
    let info = try await store.beginImport(Self.log, epoch: Self.epoch, through: Self.total, at: .zero)
    #expect(info.epoch == Self.epoch)
    #expect(info.last == .zero)
  }

  private func lifeOf(_ store: any ImportStore) async throws {
    try await begin(store)
    try await expectHidden(store, last: .zero)
    try await goOn(store, after: 0, through: 40)
    try await expectHidden(store, last: 40)
    #expect(try await read(store) == Self.records(1...40))
    try await goOn(store, after: 40, through: 90)
    #expect(try await store.info(of: Self.log).last == Self.total)
    #expect(try await store.logs(after: nil, limit: 9).map(\.log) == [Self.log])
    #expect(try await store.imports().isEmpty)
    await #expect(throws: LogError.logExists(Self.log)) { try await store.discardImport(Self.log) }
    #expect(try await read(store) == Self.records(1...90))
  }

  /// All of it. One answer may end early: where what was sealed ended when it was asked.
  private func read(_ store: any ImportStore) async throws -> [Record] {
    var records: [Record] = []
    while true {
      let after = Revision(UInt64(records.count))
      let pieces = try await store.readImport(Self.log, after: after, limit: 1 << 20)
      if pieces.isEmpty { return records }
      for piece in pieces {
        records += try store.unpack(piece, of: Self.log).suffix(after: after)?.unpacked ?? []
      }
    }
  }

  @Test("IMP-1: nobody sees an import before its last event is there, in memory")
  func memory() async throws { try await lifeOf(MemoryLogStore()) }

  private func options(_ change: (inout EmbeddedLogStore.Options) -> Void = { _ in })
    -> EmbeddedLogStore.Options
  {
    var options = EmbeddedLogStore.Options()
    options.segmentBytes = 64 << 10
    options.minimumCommitInterval = .zero
    options.sealIdle = .zero
    // By the clock of the machine: calls of the disk are counted here.
    options.confirmDelay = .seconds(3_600)
    change(&options)
    return options
  }

  @Test("IMP-1: nobody sees an import before its last event is there, in a folder")
  func embedded() async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options())
    try await lifeOf(store)
    await store.shutdown()
  }

  @Test(
    "IMP-2: an unfinished import is one after a restart, sealed or not, and goes on",
    arguments: [false, true])
  func restart(sealing: Bool) async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options())
    try await begin(store)
    try await goOn(store, after: 0, through: 40)
    if sealing { try await store.seal() }
    store.abandon()
    if sealing { #expect(try Verify.unfinishedImports(folder: folder.path) == [Self.log: Self.total]) }

    let reading = try EmbeddedLogStore.open(folder: folder.path, options: options { $0.readOnly = true })
    #expect(try await reading.imports().map(\.info.last) == [40])
    await #expect(throws: LogError.unfinished(Self.log, last: 40, of: Self.total)) {
      _ = try await reading.info(of: Self.log)
    }
    await reading.shutdown()

    for end in [60, 90] {
      let again = try EmbeddedLogStore.open(folder: folder.path, options: options())
      let last = try #require(try await again.imports().first).info.last
      try await expectHidden(again, last: last)
      try await goOn(again, after: last - .zero, through: end)
      if sealing { try await again.seal() }
      again.abandon()
    }
    let whole = try EmbeddedLogStore.open(folder: folder.path, options: options())
    #expect(try await whole.info(of: Self.log).last == Self.total)
    #expect(try await whole.imports().isEmpty)
    await whole.shutdown()
    #expect(try Verify.unfinishedImports(folder: folder.path).isEmpty)
    #expect(try Verify.database(folder: folder.path, level: .full).isSound)
  }

  @Test("IMP-3: the database says so to builds that know nothing of imports, for as long as there is one")
  func featureBit() async throws {
    let folder = TemporaryFolder()
    var older = Schema.current
    older.known = Schema.Features()
    func opens() throws -> Bool {
      do throws(LogError) {
        try SealedStore(folder: folder.path, writable: false, acceptsGaps: false, schema: older).close()
        return true
      } catch {
        guard case .incompatible = error else { throw error }
        return false
      }
    }
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options())
    #expect(try opens())
    try await begin(store)
    try await store.seal()
    #expect(try !opens())
    try await goOn(store, after: 0, through: 90)
    try await store.seal()
    #expect(try opens())
    await store.shutdown()
  }

  @Test(
    "IMP-4: an import that is given up is gone, and its name is not used again", arguments: [false, true])
  func discard(sealing: Bool) async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: options())
    try await begin(store)
    try await goOn(store, after: 0, through: 40)
    if sealing { try await store.seal() }
    try await store.discardImport(Self.log)
    #expect(try await store.imports().isEmpty)
    await #expect(throws: LogError.deleted(Self.log)) { try await begin(store) }
    await store.shutdown()
    let again = try EmbeddedLogStore.open(folder: folder.path, options: options())
    #expect(try await again.imports().isEmpty)
    await #expect(throws: LogError.deleted(Self.log)) { _ = try await again.info(of: Self.log) }
    await again.shutdown()
    #expect(try Verify.unfinishedImports(folder: folder.path).isEmpty)
    #expect(try Verify.database(folder: folder.path, level: .full).isSound)
  }

  // MARK: Power cuts

  /// An import of 90 events in batches of 15, and what is on the disk after each of its calls.
  @Test(
    "IMP-1, IMP-2: cut at every call of the disk, an import is unfinished or whole, and the same file finishes it"
  )
  func everyCall() async throws {
    let disk = SimulatedDisk()
    let store = try EmbeddedLogStore.open(folder: "/store", options: simulated(disk))
    try await begin(store)
    for end in stride(from: 15, through: 90, by: 15) {
      try await goOn(store, after: end - 15, through: end)
      if end == 45 { try await store.seal() }
      disk.note(UInt64(end))
    }
    try await store.seal()
    store.abandon()
    var generator = SeededGenerator(seed: 9)
    var replay = PowerCutReplay(disk.operations)
    var seen: Set<String> = []
    for point in 0...disk.operationCount {
      replay.advance(to: point)
      for keeping in PowerCutReplay.Keeping.allCases {
        let left = replay.disk(keeping: keeping, using: &generator)
        let place = "at \(point), \(keeping)"
        seen.insert(try await finish(on: left, acknowledged: replay.notes.last ?? 0, place))
      }
    }
    #expect(seen == ["nothing", "unfinished", "whole"])
  }

  private func simulated(_ disk: SimulatedDisk) -> EmbeddedLogStore.Options {
    options { options in
      options.disk = disk
      options.sealed = ModelBackend.source(disk)
      options.segmentBytes = 16 << 10
      options.spareSegments = 1
      options.sealIdle = .seconds(60)
    }
  }

  private func finish(on disk: SimulatedDisk, acknowledged: UInt64, _ place: String) async throws -> String {
    let store = try EmbeddedLogStore.open(folder: "/store", options: simulated(disk))
    defer { store.abandon() }
    var found = "whole"
    do throws(LogError) {
      let info = try await store.info(of: Self.log)
      #expect(info.last == Self.total, "\(place): part of an import passes for all of it")
    } catch {
      let begun = try await store.imports().first
      switch error {
      case .noSuchLog:
        found = "nothing"
        #expect(begun == nil, "\(place)")
        #expect(acknowledged == 0, "\(place)")
        try await begin(store)
      case .unfinished:
        found = "unfinished"
        #expect(begun.map { $0.info.last.rawValue >= acknowledged } == true, "\(place)")
      default: throw error
      }
      try await goOn(store, after: (begun?.info.last ?? .zero) - .zero, through: 90)
    }
    let all = try await store.allRuns(of: Self.log)
    #expect(all.flatMap(\.unpacked) == Self.records(1...90), "\(place)")
    return found
  }
}

@Suite("Imports of logs that begin above revision 1")
struct TrimmedImportTests {
  private static let log = DamagedFolder.log(5)

  private static func records(_ numbers: ClosedRange<UInt64>) -> [Record] {
    numbers.map {
      Record(
        kind: 1, time: Timestamp(milliseconds: Int64($0)), actor: 0, body: DamagedFolder.body(5, $0))
    }
  }

  @Test(
    "LOG-12: a log can be imported from its first kept revision on, over kills and restarts, sealed or not",
    arguments: [false, true])
  func trimmed(sealed: Bool) async throws {
    let folder = TemporaryFolder()
    var store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    let begun = try await store.beginImport(Self.log, epoch: Epoch(9), from: 101, through: 160, at: .zero)
    #expect(begun.low == 101)
    #expect(begun.last == 100)
    for first in [101, 121, 141] as [UInt64] {
      _ = try await store.append(
        Self.records(first...first + 19), to: Self.log, expecting: Revision(first - 1), epoch: Epoch(9))
      if sealed { try await store.seal() }
      store.abandon()
      store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
      #expect(store.damages.isEmpty)
    }
    let info = try await store.info(of: Self.log)
    #expect(info.low == 101)
    #expect(info.last == 160)
    #expect(info.epoch == Epoch(9))
    await #expect(throws: LogError.trimmed(Self.log, low: 101)) {
      try await store.read(Self.log, after: 99, limit: 1)
    }
    let runs = try await store.runs(of: Self.log, after: 100, limit: .max)
    #expect(runs.flatMap(\.unpacked).map(\.body) == Self.records(101...160).map(\.body))
    await store.shutdown()
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }

  @Test("LOG-12: a log of which no event is kept is whole as soon as it is there")
  func empty() async throws {
    let folder = TemporaryFolder()
    let store = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    _ = try await store.beginImport(Self.log, epoch: nil, from: 101, through: 100, at: .zero)
    let info = try await store.info(of: Self.log)
    #expect(info.low == 101)
    #expect(info.last == 100)
    _ = try await store.append(Self.records(101...110), to: Self.log, expecting: 100, epoch: nil)
    await store.shutdown()
    let again = try EmbeddedLogStore.open(folder: folder.path, options: DamagedFolder.options())
    #expect(try await again.info(of: Self.log).last == 110)
    await again.shutdown()
    #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
  }
}
