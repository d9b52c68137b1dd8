import EventLogModel
import StorageTestKit
import Testing

@testable import EventLog

/// What a store does when no more files can be opened: others of the process have taken all, for a while.
@Suite(.timeLimit(.minutes(15))) struct OpenFileTests {
  let disk = SimulatedDisk()
  let trouble = ModelBackend.Trouble()
  let log = LogID(high: 1, low: 1)

  private func open(
    on disk: SimulatedDisk? = nil, _ change: (inout EmbeddedLogStore.Options) -> Void = { _ in }
  ) throws -> EmbeddedLogStore {
    let disk = disk ?? self.disk
    var options = EmbeddedLogStore.Options()
    options.disk = disk
    options.sealed = ModelBackend.source(disk, trouble: trouble)
    options.segmentBytes = 16 << 10
    options.spareSegments = 1
    options.minimumCommitInterval = .zero
    // By the clock of the machine: calls of the disk are counted here.
    options.confirmDelay = .seconds(3_600)
    change(&options)
    return try EmbeddedLogStore.open(folder: "/store", options: options)
  }

  private func body(_ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    return generator.bytes(400)
  }

  private func append(_ numbers: ClosedRange<Int>, to store: EmbeddedLogStore) async throws {
    for number in numbers {
      while true {
        do {
          let record = Record(kind: 1, time: .zero, actor: 0, body: body(number))
          try await store.append([record], to: log, expecting: nil, epoch: nil)
          break
        } catch LogError.full {
          await Task.yield()
        }
      }
    }
  }

  private func count(_ store: EmbeddedLogStore) async throws -> Int {
    var found = 0
    while true {
      let runs = try await store.runs(of: log, after: Revision(UInt64(found)), limit: 1 << 30)
      if runs.isEmpty { return found }
      for record in runs.flatMap(\.unpacked) {
        found += 1
        #expect(record.body == body(found))
      }
    }
  }

  private struct Case: Sendable, CustomTestStringConvertible {
    var call: SimulatedDisk.Call
    var code: Int32
    var testDescription: String { "\(call), error \(code)" }
  }

  @Test(
    "DESC-1: a journal that cannot open a file goes on when it can again; nothing is lost, nothing stops",
    arguments: [
      Case(call: .open, code: ErrorNumber.filesOfProcess),
      Case(call: .create, code: ErrorNumber.filesOfProcess),
      Case(call: .flushFolder, code: ErrorNumber.filesOfProcess),
      Case(call: .open, code: ErrorNumber.filesOfSystem),
      Case(call: .flushFolder, code: ErrorNumber.filesOfSystem),
    ])
  private func passing(_ fault: Case) async throws {
    for after in 0..<8 {
      let disk = SimulatedDisk(recording: false)
      let store = try open(on: disk) { $0.liveSegments = 2 }
      _ = try await store.create(log, at: .zero)
      disk.inject(.init(fault.call, path: "/journal", after: after, count: 2, .error(code: fault.code)))
      try await append(1...200, to: store)
      // Faster machines make spare segments early and have met both faults by now; slower ones meet them later.
      disk.heal()
      #expect(store.statistics.refusal == nil, "after \(after)")
      #expect(try await count(store) == 200)
      store.abandon()
      let again = try open(on: disk)
      #expect(try await count(again) == 200, "after \(after)")
      await again.shutdown()
    }
  }

  @Test(
    "DESC-1, LOG-6: while no file can be opened the store is full, and reads go on; afterwards it takes events"
  )
  func refused() async throws {
    let store = try open {
      $0.spareSegments = 0; $0.liveSegments = 100
    }
    _ = try await store.create(log, at: .zero)
    try await append(1...3, to: store)
    for call in [SimulatedDisk.Call.open, .create, .flushFolder] {
      disk.inject(.init(call, path: "/journal", .error(code: ErrorNumber.filesOfProcess)))
    }
    let listener = RecordingListener()
    let appender = try await store.open(log, listener: listener)
    var (appended, refused) = (3, LogError?.none)
    while refused == nil {
      do { try appender.append(body(appended + 1)) } catch { refused = error }
      if refused == nil { appended += 1 }
      await Task.yield()
    }
    #expect(refused == .full(place: ErrorNumber.openFiles))
    #expect(store.statistics.refusal == .full(place: ErrorNumber.openFiles), "what /readyz tells")
    #expect(try await count(store) >= 3)
    disk.heal()
    await listener.reached(Revision(UInt64(appended)), of: log)
    try await append((appended + 1)...(appended + 1), to: store)
    #expect(store.statistics.refusal == nil)
    #expect(try await count(store) == appended + 1)
    await store.shutdown()
  }

  @Test("DESC-1, LOG-7: a sealed half that cannot be opened again after a failure is opened when it can be")
  func sealerOpens() async throws {
    let store = try open()
    _ = try await store.create(log, at: .zero)
    try await append(1...3, to: store)
    disk.inject(.init(.create, path: "model.db", count: 2, .error(code: ErrorNumber.filesOfProcess)))
    trouble.push(.io(operation: "fsync", path: "log.db", code: ErrorNumber.io))
    try await store.seal()
    #expect(store.statistics.refusal == nil)
    try await append(4...4, to: store)
    try await store.seal()
    await store.shutdown()
    let again = try open()
    #expect(try await count(again) == 4)
    await again.shutdown()
  }

  @Test(
    "DESC-1: SQLite's \"cannot open\" is full where the system said that there are too many files, and only there"
  )
  func database() {
    func error(_ code: Int32, _ system: Int32) -> LogError {
      SQLiteFailure.error(code, operation: "open", path: "log.db", system: system)
    }
    #expect(error(14, ErrorNumber.filesOfProcess) == .full(place: ErrorNumber.openFiles))
    #expect(error(14, ErrorNumber.filesOfSystem) == .full(place: ErrorNumber.openFiles))
    #expect(error(14, ErrorNumber.noEntry) == .io(operation: "SQLite open", path: "log.db", code: 14))
    #expect(error(10, ErrorNumber.filesOfProcess) == .io(operation: "SQLite open", path: "log.db", code: 10))
  }
}
