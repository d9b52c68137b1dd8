import EventLog
import EventLogModel
import StorageTestKit
import Testing

/// Whole stores with SQLite on a simulated disk, from seeds. `disklives` runs the same for a night; what it prints of a
/// fault, and what these tests do, is the command that does it again.
@Suite(.serialized) struct StoreLifeTests {
  /// All states of some seeds, two at a time.
  private func run(
    _ kind: StoreCampaign.Kind, _ seeds: some Collection<UInt64> & Sendable, lies: String? = nil
  ) async -> StoreCampaign.Outcome {
    await withTaskGroup(of: StoreCampaign.Outcome.self) { group in
      var rest = Array(seeds)[...]
      for seed in rest.prefix(2) { group.addTask { await StoreCampaign.run(kind, seed: seed, lies: lies) } }
      rest = rest.dropFirst(2)
      var all = StoreCampaign.Outcome()
      while let outcome = await group.next() {
        all.add(outcome)
        if let seed = rest.popFirst() {
          group.addTask { await StoreCampaign.run(kind, seed: seed, lies: lies) }
        }
      }
      return all
    }
  }

  @Test("LOG-1, LOG-8, LOG-30: 500 power cuts at any call of journal and database lose nothing")
  func cuts() async {
    let outcome = await run(.cuts, 1...20)
    #expect(outcome.faults == [])
    #expect(outcome.states == 500)
    #expect(outcome.acknowledged > 10_000)
    #expect(outcome.packed >= 20)
  }

  @Test("LOG-30: lives in which any call of journal or database fails, is cut short or hangs end well")
  func faults() async {
    let outcome = await run(.faults, 1...60)
    #expect(outcome.faults == [])
    #expect(outcome.met > 50)
  }

  @Test("LOG-30: every call of the start and the first steps of a life may fail")
  func everyCall() async {
    let outcome = await run(.calls, 1_001...1_030)
    #expect(outcome.faults == [])
    #expect(outcome.met >= 150)
  }

  @Test("LOG-10: a flipped bit in any file of a store that has ended is no silent loss")
  func rot() async {
    let outcome = await run(.rot, 1...6)
    #expect(outcome.faults == [])
    #expect(outcome.met > 20)
  }

  @Test("One seed is one life: the same calls in the same order", arguments: StoreCampaign.Kind.allCases)
  func sameAgain(_ kind: StoreCampaign.Kind) async {
    let seed: UInt64 = kind == .calls ? 1_040 : 3
    let (first, second) = (
      await StoreCampaign.run(kind, seed: seed), await StoreCampaign.run(kind, seed: seed)
    )
    #expect(first.calls > 0)
    #expect((first.calls, first.trace, first.met) == (second.calls, second.trace, second.met))
  }

  @Test(
    "The power cuts find what is lost by flushes that do nothing",
    arguments: ["/journal/", "/log.db", "/log.db-wal"])
  func findsLies(_ file: String) async {
    #expect(await run(.cuts, 1...4, lies: file).faults != [])
  }

  // MARK: What lives have found

  /// One process on a disk, on which a call fails; killed at the end.
  private func process<Value: Sendable>(
    _ disk: SimulatedDisk, failing plan: DiskFaults.Plan? = nil,
    _ body: @escaping @Sendable (EmbeddedLogStore) async throws -> Value
  ) async throws -> Value {
    let schedule = SeededSchedule(seed: 1)
    return try await schedule.run { () -> Result<Value, any Error> in
      let session = DiskSession(disk, faults: DiskFaults(plan, on: schedule), schedule: schedule)
      do {
        var options = StoreLife.options(on: session)
        options.segmentBytes = 16 << 10
        let store = try EmbeddedLogStore.open(folder: "/store", options: options)
        defer {
          session.kill()
          store.abandon()
        }
        return .success(try await body(store))
      } catch {
        session.kill()
        return .failure(error)
      }
    }.get()
  }

  private static let log = LogID(high: 9, low: 1)
  private static let records = (0..<20).map { Record(kind: 1, time: .zero, actor: 0, body: [UInt8($0)]) }

  @Test("LOG-30: a file whose flush has failed becomes no segment, also where it cannot be removed")
  func halfMadeSpare() async throws {
    let disk = SimulatedDisk()
    disk.inject(.init(.flush, path: "/journal/spare-", count: 1, .error(code: ErrorNumber.io)))
    disk.inject(.init(.unlink, path: "/journal/spare-", count: 1, .error(code: ErrorNumber.io)))
    await #expect(throws: LogError.self) { try await process(disk) { _ in } }
    try await process(disk) { store in
      _ = try await store.create(Self.log, at: .zero)
      try await store.append(Self.records, to: Self.log, expecting: nil, epoch: nil)
    }
    var replay = PowerCutReplay(disk.operations)
    replay.advance(to: disk.operationCount)
    var generator = SeededGenerator(seed: 1)
    let left = replay.disk(keeping: .nothing, using: &generator)
    let found = try await process(left) { store in try await store.allRuns(of: Self.log).flatMap(\.unpacked) }
    #expect(found == Self.records)
  }

  @Test("LOG-30: a read that fails once while blocks are removed is not noted as damage for ever")
  func failedReadIsNoDamage() async throws {
    let disk = SimulatedDisk(recording: false)
    try await process(disk) { store in
      _ = try await store.create(Self.log, at: .zero)
      let big = (0..<120).map { Record(kind: 1, time: .zero, actor: 0, body: StoreLifeTests.noise($0)) }
      for record in big { try await store.append([record], to: Self.log, expecting: nil, epoch: nil) }
      try await store.seal()
    }
    let files = disk.files
    for call in stride(from: 60, to: 420, by: 3) {
      let copy = SimulatedDisk(files: files, recording: false)
      try? await process(copy, failing: .init(at: call, effect: .error(ErrorNumber.io))) { store in
        try await store.delete(Self.log)
        try await store.seal()
      }
      let earlier = try await process(copy) { store in store.earlier }
      #expect(earlier == [], "call \(call)")
    }
  }

  private static func noise(_ number: Int) -> [UInt8] {
    var generator = SeededGenerator(seed: UInt64(number))
    return generator.bytes(1_500)
  }

  @Test("LOG-12: a trim is taken once its snapshot stands where a flipped bit does not take it away unseen")
  func trimOnSnapshot() async throws {
    let disk = SimulatedDisk(recording: false)
    let low = try await process(disk) { store in
      _ = try await store.create(Self.log, at: .zero)
      try await store.append(Self.records, to: Self.log, expecting: nil, epoch: nil)
      try await store.seal()
      let snapshot = Snapshot(
        revision: 20, time: .zero, stateHash: [UInt8](repeating: 1, count: 32), root: [1], parts: [])
      try await store.put(snapshot, for: Self.log)
      return try await store.trim(Self.log, below: 21)
    }
    #expect(low == 21)
    let files = disk.files
    let written = files["/store/log.db-wal"]?.count ?? 0
    for place in [0] + stride(from: 40, to: written, by: 1_511) {
      let copy = SimulatedDisk(files: files, recording: false)
      copy.tamper("/store/log.db-wal") { if place > 0 { $0[place] ^= 1 } }
      let (info, snapshot, damages) = try await process(copy) { store in
        (
          try await store.info(of: Self.log),
          try await store.latestSnapshot(of: Self.log, notAfter: 20), store.damages
        )
      }
      #expect(info.low == 1 || snapshot != nil || !damages.isEmpty, "with a flipped bit at \(place)")
    }
  }
}
