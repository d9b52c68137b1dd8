import EventLogModel
import Foundation
import StorageTestKit
import Synchronization
import Testing

@testable import EventLog

/// Runs the real engine on a simulated disk, cuts the power at thousands of moments of what was recorded,
/// recovers each, and looks for acknowledged events that are gone (LOG-1).
///
/// The journal alone, under load and with its threads as they come: `ModelBackend` stands for the sealed half. The whole
/// store with SQLite is in `StoreLifeTests`.
@Suite struct PowerCutTests {
  private static let states = 2_000
  fileprivate static let logs = 6

  @Test("LOG-1, LOG-8: no acknowledged event is lost in 2,000 power cuts")
  func losesNothing() async throws {
    let disk = SimulatedDisk()
    try await Self.work(disk)
    let found = try Self.explore(disk, seed: 1, count: Self.states, secondCutEvery: 10)
    #expect(found.losses == [], "of \(found.states) states")
    #expect(found.states == Self.states)
    // How often depends on how the sealer keeps up on a busy machine; that it happens is what counts.
    #expect(found.recycled >= 2, "segments must be used again during the run")
    #expect(found.acknowledged >= 1_000)
  }

  @Test("LOG-1, LOG-34: nor in 1,000 power cuts while the thread that appends commits")
  func losesNothingInTurns() async throws {
    let disk = SimulatedDisk()
    let turns = try await Self.work(disk, inTurns: true)
    #expect(turns > 100, "of 260 rounds")
    let found = try Self.explore(disk, seed: 4, count: Self.states / 2, secondCutEvery: 10)
    #expect(found.losses == [], "of \(found.states) states")
    #expect(found.acknowledged >= 1_000)
  }

  @Test("The explorer finds losses when every fourth flush of the journal does nothing")
  func findsMissingFlush() async throws {
    let disk = SimulatedDisk()
    for index in 0..<100 {
      disk.inject(.init(.flush, path: "/journal/", after: 3 + index * 3, count: 1, .lie))
    }
    try await Self.work(disk)
    let found = try Self.explore(disk, seed: 2, count: 200, secondCutEvery: 0)
    #expect(!found.losses.isEmpty)
  }

  @Test("LOG-8: the explorer finds losses when segments are recycled before the sealing is durable")
  func findsEarlyRecycling() async throws {
    let disk = SimulatedDisk()
    try await Self.work(disk, flushing: .onlyWithoutChanges)
    let found = try Self.explore(disk, seed: 3, count: 200, secondCutEvery: 0)
    #expect(!found.losses.isEmpty)
  }

  // MARK: The run

  private static func name(_ log: Int) -> LogID { LogID(high: 3, low: UInt64(log)) }

  /// What event `revision` of `log` holds: random, so that LZ4 cannot shrink it.
  private static func body(_ log: Int, _ revision: UInt64) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(log) << 32 | revision)
    return generator.bytes(150 + Int(revision % 100))
  }

  /// The records of a log as they must be found, and where each begins.
  private struct Expected: Sendable {
    var bytes: [UInt8] = []
    var starts: [Int] = []

    init(log: Int, through last: UInt64) {
      var builder = RunBuilder(first: 1, base: .zero)
      for revision in 1...last {
        starts.append(builder.byteCount)
        builder.append(Record(kind: 1, time: .zero, actor: 0, body: PowerCutTests.body(log, revision)))
      }
      starts.append(builder.byteCount)
      bytes = builder.takeRun()?.records ?? []
    }

    func holds(_ run: Run) -> Bool {
      guard run.lastRevision.rawValue < starts.count else { return false }
      let range = starts[Int(run.first.rawValue) - 1]..<starts[Int(run.lastRevision.rawValue)]
      guard run.records.count == range.count else { return false }
      return bytes.withUnsafeBytes { expected in
        run.records.withUnsafeBytes {
          memcmp($0.baseAddress!, expected.baseAddress! + range.lowerBound, range.count) == 0
        }
      }
    }
  }

  private static let expected = (0..<logs).map { Expected(log: $0, through: 400) }

  private static func options(_ disk: SimulatedDisk, _ flushing: ModelBackend.Flushing)
    -> EmbeddedLogStore.Options
  {
    var options = EmbeddedLogStore.Options()
    options.disk = disk
    options.sealed = ModelBackend.source(disk, flushing: flushing)
    options.segmentBytes = 16 << 10
    options.spareSegments = 1
    options.minimumCommitInterval = .zero
    // By the clock of the machine: calls of the disk are counted here.
    options.confirmDelay = .seconds(3_600)
    return options
  }

  /// How many rounds were committed by the thread that appended.
  @discardableResult
  private static func work(
    _ disk: SimulatedDisk, flushing: ModelBackend.Flushing = .always, inTurns: Bool = false
  ) async throws -> Int {
    let store = try EmbeddedLogStore.open(folder: "/store", options: options(disk, flushing))
    let teller = Atomic<UInt>(0)
    let listener = RecordingListener { runs in
      teller.store(Engine.thisThread, ordering: .relaxed)
      for committed in runs { disk.note(committed.log.low << 32 | committed.run.lastRevision.rawValue) }
    }
    var appenders: [any LogAppender] = []
    for log in 0..<logs {
      _ = try await store.create(name(log), at: .zero)
      appenders.append(try await store.open(name(log), listener: listener))
    }
    var generator = SeededGenerator(seed: 7)
    var next = [UInt64](repeating: 0, count: logs)
    var turns = 0
    for round in 0..<260 {
      if round % 60 == 50 { try await removeAnother(store, UInt64(round)) }
      if inTurns { await store.beginTurnOnFastDisk() }
      for _ in 0..<Int.random(in: 1...8, using: &generator) {
        let log = Int.random(in: 0..<logs, using: &generator)
        next[log] += 1
        try appenders[log].append(at: .zero, body(log, next[log]))
      }
      if inTurns {
        store.endTurn()
        turns += teller.exchange(0, ordering: .relaxed) == Engine.thisThread ? 1 : 0
      }
      try await store.base.wait { store.base.engine.whenCommitted($0) }
    }
    #expect(listener.complaints == [])
    store.abandon()
    return turns
  }

  /// A log that comes and goes meanwhile, and is cleared out of the journal's files (LOG-27).
  private static func removeAnother(_ store: EmbeddedLogStore, _ number: UInt64) async throws {
    let log = LogID(high: 4, low: number)
    _ = try await store.create(log, at: .zero)
    let record = Record(kind: 1, time: .zero, actor: 0, body: body(9, number))
    _ = try await store.append([record], to: log, expecting: nil, epoch: nil)
    try await store.delete(log)
    try await store.clearRemains()
  }

  // MARK: The search

  private struct Findings {
    var states = 0
    var acknowledged: UInt64 = 0
    var recycled = 0
    var losses: [String] = []
  }

  private static func explore(
    _ disk: SimulatedDisk, seed: UInt64, count: Int, secondCutEvery: Int
  ) throws -> Findings {
    let operations = disk.operations
    var generator = SeededGenerator(seed: seed)
    var findings = Findings()
    findings.recycled = operations.count {
      if case .rename(let path, _) = $0 { !path.hasPrefix("/store/journal/spare") } else { false }
    }
    let points = (0..<count).map { _ in Int.random(in: 1...operations.count, using: &generator) }.sorted()
    var replay = PowerCutReplay(operations)
    var acknowledged: [UInt64: UInt64] = [:]
    var seen = 0
    for (index, point) in points.enumerated() {
      replay.advance(to: point)
      for note in replay.notes[seen...] { acknowledged[note >> 32] = note & 0xffff_ffff }
      seen = replay.notes.count
      let keeping = PowerCutReplay.Keeping.allCases[index % 4]
      let isTwice = secondCutEvery > 0 && index % secondCutEvery == 0
      var left = replay.disk(keeping: keeping, recording: isTwice, using: &generator)
      if isTwice { left = cutAgain(left, &generator) }
      if let loss = loss(on: left, acknowledged) {
        findings.losses.append("at \(point), \(keeping): \(loss)")
      }
      findings.states += 1
    }
    findings.acknowledged = acknowledged.values.reduce(0, +)
    return findings
  }

  /// Recovers, and cuts the power somewhere during that too.
  private static func cutAgain(_ disk: SimulatedDisk, _ generator: inout SeededGenerator) -> SimulatedDisk {
    let before = disk.files
    guard (try? recover(disk)) != nil else { return SimulatedDisk(files: before) }
    var replay = PowerCutReplay(disk.operations, on: before)
    replay.advance(to: Int.random(in: 0...disk.operationCount, using: &generator))
    let keeping = PowerCutReplay.Keeping.allCases.randomElement(using: &generator)!
    return replay.disk(keeping: keeping, using: &generator)
  }

  private static func recover(_ disk: SimulatedDisk) throws(LogError) -> (Recovery.Outcome, ModelBackend) {
    let backend = try ModelBackend(disk: disk, folder: "/store")
    let outcome = try Recovery(
      disk: disk, folder: JournalFolder(of: "/store"), segmentBytes: 16 << 10, spareSegments: 1,
      acceptLoss: false, manifest: ManifestFile(disk: disk, folder: "/store")
    ).run(backend)
    return (outcome, backend)
  }

  /// The first acknowledged event that is not there or not as it was written.
  private static func loss(on disk: SimulatedDisk, _ acknowledged: [UInt64: UInt64]) -> String? {
    do throws(LogError) {
      let (outcome, backend) = try recover(disk)
      let found = Dictionary(uniqueKeysWithValues: outcome.logs.values.map { ($0.log.low, $0) })
      for (log, last) in acknowledged {
        guard let there = found[log] else { return "log \(log) is gone" }
        let runs = (backend.runs[there.number] ?? []) + there.runs
        if let wrong = firstWrong(runs, Int(log)) { return wrong }
        let end = runs.last?.lastRevision.rawValue ?? 0
        if end < last { return "log \(log) ends at \(end), acknowledged was \(last)" }
      }
      return nil
    } catch { return "\(error)" }
  }

  private static func firstWrong(_ runs: [Run], _ log: Int) -> String? {
    var next: Revision = 1
    for run in runs {
      guard run.first == next else { return "log \(log) has a gap before \(run.first)" }
      guard expected[log].holds(run) else { return "log \(log) differs from \(run.first) on" }
      next = run.lastRevision.next
    }
    return nil
  }
}
