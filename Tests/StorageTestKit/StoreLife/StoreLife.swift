import EventLog
import EventLogModel

/// A life of a store from a seed, with SQLite, on a simulated disk: appends to several logs, seals, snapshots, trims,
/// deletions, clean stops, kills, starts. What is wrong at any moment ends it.
///
/// Runs on a `SeededSchedule`; used by one task at a time, but for the appends that it makes at once.
package final class StoreLife: @unchecked Sendable {
  static let folder = "/store"

  package let disk: SimulatedDisk
  package let faults: DiskFaults
  package private(set) var truth = StoreTruth()
  /// What was true at each note that the disk has recorded.
  package private(set) var truths: [StoreTruth] = []
  package private(set) var fault: StoreFault?
  /// What the store refused while calls failed.
  package private(set) var refusals = 0
  /// Blocks that were packed into columns.
  package private(set) var packed = 0

  let schedule: SeededSchedule
  private var generator: SeededGenerator
  private var session: DiskSession
  private var store: EmbeddedLogStore?
  private var appenders: [UInt64: (appender: any LogAppender, listener: RecordingListener)] = [:]
  private let segmentBytes: Int
  private let liveSegments: Int
  private let spareSegments: Int
  private let openBlock: Int
  /// What there is is looked at, and not packed besides.
  private var isProving = false

  /// - Parameter truth: of what stands on the disk.
  package init(
    seed: UInt64, on disk: SimulatedDisk, truth: StoreTruth = StoreTruth(),
    failing plan: DiskFaults.Plan? = nil,
    schedule: SeededSchedule
  ) {
    var generator = SeededGenerator(seed: seed)
    (self.disk, self.schedule, self.truth) = (disk, schedule, truth)
    faults = DiskFaults(plan, on: schedule)
    session = DiskSession(disk, faults: faults, schedule: schedule)
    segmentBytes = [16, 16, 24, 40].randomElement(using: &generator)! << 10
    liveSegments = Int.random(in: 1...4, using: &generator)
    spareSegments = Int.random(in: 0...2, using: &generator)
    // Half of the lives have full blocks, which can be packed, early.
    openBlock = seed % 2 == 0 ? 32 << 10 : 2 << 10
    self.generator = generator
  }

  package static func options(on disk: any Disk) -> EmbeddedLogStore.Options {
    var options = EmbeddedLogStore.Options()
    options.disk = disk
    options.readers = 1
    // Every log is idle at once: its events are from long ago.
    options.packAfter = .zero
    options.bodyShapes = StoreTruth.shapes
    return options
  }

  private var options: EmbeddedLogStore.Options {
    var options = Self.options(on: session)
    options.segmentBytes = segmentBytes
    options.liveSegments = liveSegments
    options.spareSegments = spareSegments
    if isProving { options.packAfter = nil }
    options.openBlock = openBlock
    return options
  }

  private func chance(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &generator) == 0 }

  /// Changes the truth, and has the disk remember the moment.
  private func note(_ number: UInt64, _ change: (inout StoreTruth.Log) -> Void) {
    change(&truth.logs[number, default: StoreTruth.Log()])
    truths.append(truth)
    disk.note(UInt64(truths.count - 1))
  }

  // MARK: The course of a life

  /// Lives through `steps` steps. The store is left as a kill leaves it, or after a clean stop.
  package func live(steps: Int, stopping: Bool) async {
    do throws(StoreFault) {
      for _ in 0..<steps {
        if store == nil { try await start() }
        if let store { try await step(store) }
      }
      if stopping, store == nil { try await start() }
      await end(stopping: stopping)
    } catch {
      fault = error
      await end(stopping: false)
    }
  }

  /// Starts the store, holds it against the truth, adds an event to each log, seals, stops, and checks the database.
  ///
  /// - Parameter isRotten: bits have flipped, so snapshots may be gone that nobody needs.
  package func prove(isRotten: Bool = false) async {
    faults.heal()
    isProving = true
    do throws(StoreFault) {
      try await start()
      guard let store else { throw StoreFault(what: "it does not start") }
      if let first = store.damages.first ?? store.earlier.first {
        throw StoreFault(what: "start: \(first)", error: .damaged(first))
      }
      try await StoreCheck(store: store, isRotten: isRotten).run(&truth)
      for number in truth.numbers { try await append(1, to: number, store) }
      try await trying("seal") { () throws(LogError) in try await store.seal() }
      try await StoreCheck(store: store, isRotten: isRotten).run(&truth)
      await end(stopping: true)
      try verify()
    } catch {
      fault = fault ?? error
      if let remains = store?.remains, error.error == nil { fault?.error = .damaged(remains) }
      await end(stopping: false)
    }
  }

  private func verify() throws(StoreFault) {
    session = DiskSession(disk, faults: faults, schedule: schedule)
    do throws(LogError) {
      let report = try Verify.database(folder: Self.folder, level: .full, on: session)
      if let first = report.findings.first { throw LogError.damaged(first) }
    } catch { throw StoreFault(what: "verify: \(error)", error: error) }
  }

  /// Opens the store; where a call fails again and again, until it does not any more.
  private func start() async throws(StoreFault) {
    for _ in 0..<20 {
      let calls = faults.count
      do throws(LogError) {
        store = try EmbeddedLogStore.open(folder: Self.folder, options: options)
        return
      } catch {
        session.kill()
        session = DiskSession(disk, faults: faults, schedule: schedule)
        guard faults.fired != nil else { throw StoreFault(what: "start: \(error)", error: error) }
        try mustBeTrue(error, "start")
        // All calls of this start went well.
        if faults.lastFailed <= calls { throw StoreFault(what: "start: \(error)", error: error) }
        schedule.sleep(nanoseconds: 5_000_000_000)
      }
    }
    throw StoreFault(what: "it does not start on a disk that works again")
  }

  private func end(stopping: Bool) async {
    appenders = [:]
    if let store {
      packed += store.statistics.packedBlocks
      if stopping {
        await store.shutdown()
        session.kill()
      } else {
        session.kill()
        store.abandon()
      }
    }
    store = nil
    session = DiskSession(disk, faults: faults, schedule: schedule)
  }

  /// One call of the store; false when it was refused because the disk fails.
  @discardableResult
  private func trying(_ what: String, _ body: () async throws(LogError) -> Void) async throws(StoreFault)
    -> Bool
  {
    do throws(LogError) {
      try await body()
      return true
    } catch {
      guard faults.fired != nil else { throw StoreFault(what: "\(what): \(error)", error: error) }
      try mustBeTrue(error, what)
      refusals += 1
      schedule.sleep(nanoseconds: 300_000_000)
      return false
    }
  }

  /// A call that fails is no damage, and no version of another program; but of a page that cannot be read SQLite itself
  /// says that it is damaged, as a sector that is lost is met in this way.
  private func mustBeTrue(_ error: LogError, _ what: String) throws(StoreFault) {
    switch error {
    case .damaged(let damage) where damage.what.hasPrefix("SQLite cannot read a page") && faults.hitReading:
      return
    case .damaged, .incompatible, .unstarted, .missingPart, .noSuchLog, .logExists, .trimmed, .beyondEnd:
      throw StoreFault(what: "\(what) after \(faults.fired ?? ""): \(error)", error: error)
    default: return
    }
  }

  // MARK: Steps

  private func step(_ store: EmbeddedLogStore) async throws(StoreFault) {
    if case .stopped = store.refusal { return await end(stopping: false) }
    let numbers = truth.numbers
    if numbers.isEmpty || numbers.count < 4 && chance(10) { return try await create(store) }
    let number = numbers.randomElement(using: &generator)!
    switch Int.random(in: 0..<100, using: &generator) {
    case 0..<36: try await append(Int.random(in: 1...12, using: &generator), to: number, store)
    case 36..<48: try await appendToAll(numbers, store)
    case 48..<56: try await appendByListener(number, store)
    case 56..<64: try await trying("seal") { () throws(LogError) in try await store.seal() }
    case 64..<72: try await snapshot(number, store)
    case 72..<78: try await trim(number, store)
    case 78..<81: if numbers.count > 1 { try await delete(number, store) }
    case 81..<83: try await trying("clear") { () throws(LogError) in try await store.clearRemains() }
    case 83..<88: try await read(number, store)
    case 88..<93: schedule.sleep(nanoseconds: UInt64.random(in: 1_000_000...3_000_000_000, using: &generator))
    case 93: schedule.sleep(nanoseconds: 70_000_000_000)
    default: await end(stopping: chance(2))
    }
  }

  private func create(_ store: EmbeddedLogStore) async throws(StoreFault) {
    let number = UInt64(truth.logs.count + 1)
    note(number) { $0.isCreated = .perhaps }
    let isDone = try await trying("create") { () throws(LogError) in
      _ = try await store.create(
        StoreTruth.name(number), epoch: StoreTruth.epoch(number), at: Timestamp(milliseconds: 1))
    }
    if isDone { note(number) { $0.isCreated = .yes } }
  }

  /// Where the log ends now; nil when nobody can say.
  private func last(_ number: UInt64, _ store: EmbeddedLogStore) async throws(StoreFault) -> UInt64? {
    let known = truth.logs[number]!
    guard known.offered > known.acknowledged else { return known.acknowledged }
    var last: UInt64?
    try await trying("info") { () throws(LogError) in
      last = try await store.info(of: StoreTruth.name(number)).last.rawValue
    }
    return last
  }

  private func append(_ count: Int, to number: UInt64, _ store: EmbeddedLogStore) async throws(StoreFault) {
    guard let last = try await last(number, store) else { return }
    let end = last + UInt64(count)
    note(number) { $0.offered = max($0.offered, end) }
    let records = (last + 1...end).map { StoreTruth.record(number, $0) }
    let isDone = try await trying("append") { () throws(LogError) in
      do throws(LogError) {
        try await store.append(
          records, to: StoreTruth.name(number), expecting: Revision(last), epoch: StoreTruth.epoch(number))
      } catch {
        // What was refused for its outcome's sake has been taken since.
        if case .conflict = error { throw .full(place: "a conflict") }
        throw error
      }
    }
    if isDone { note(number) { $0.acknowledged = max($0.acknowledged, end) } }
  }

  private func appendToAll(_ numbers: [UInt64], _ store: EmbeddedLogStore) async throws(StoreFault) {
    let counts = numbers.map { _ in Int.random(in: 1...6, using: &generator) }
    let faults = await withTaskGroup(of: StoreFault?.self) { group in
      for (number, count) in zip(numbers, counts) {
        group.addTask {
          do throws(StoreFault) {
            try await self.append(count, to: number, store)
            return nil
          } catch { return error }
        }
      }
      return await group.reduce(into: [StoreFault]()) { if let fault = $1 { $0.append(fault) } }
    }
    if let first = faults.first { throw first }
  }

  /// As rooms do: an appender that stays open, and a listener that hears of commits.
  private func appendByListener(_ number: UInt64, _ store: EmbeddedLogStore) async throws(StoreFault) {
    guard let last = try await last(number, store) else { return }
    let name = StoreTruth.name(number)
    if appenders[number] == nil || chance(4) {
      let listener = RecordingListener()
      try await trying("open") { () throws(LogError) in
        appenders[number] = (try await store.open(name, listener: listener), listener)
      }
    }
    guard let (appender, listener) = appenders[number] else { return }
    let end = last + UInt64.random(in: 1...8, using: &generator)
    note(number) { $0.offered = max($0.offered, end) }
    var given = last
    // As a loop of rooms does it.
    let isTurn = chance(2) && store.beginTurn()
    try await trying("append by an appender") { () throws(LogError) in
      defer { if isTurn { store.endTurn() } }
      while given < end {
        let record = StoreTruth.record(number, given + 1)
        let at = try appender.append(
          kind: record.kind, actor: record.actor, at: record.time, record.body)
        guard at.rawValue == given + 1 else {
          // An earlier append of unknown outcome is in front of it.
          appenders[number] = nil
          throw .stopped(reason: "the appender is at \(at)")
        }
        given += 1
      }
    }
    await listener.reached(Revision(given), of: name)
    guard listener.last(of: name).rawValue >= given, given > last else { return }
    note(number) { $0.acknowledged = max($0.acknowledged, given) }
  }

  private func snapshot(_ number: UInt64, _ store: EmbeddedLogStore) async throws(StoreFault) {
    let revision = truth.logs[number]!.acknowledged
    guard revision > 0, truth.logs[number]!.snapshots[revision] == nil else { return }
    note(number) { $0.snapshots[revision] = .perhaps }
    let isDone = try await trying("snapshot") { () throws(LogError) in
      try await store.put(StoreTruth.snapshot(number, revision), for: StoreTruth.name(number))
    }
    if isDone { note(number) { $0.snapshots[revision] = .yes } }
  }

  private func trim(_ number: UInt64, _ store: EmbeddedLogStore) async throws(StoreFault) {
    let log = truth.logs[number]!
    guard log.acknowledged > log.lowOffered else { return }
    let below = UInt64.random(in: log.lowOffered...log.acknowledged + 1, using: &generator)
    note(number) { $0.lowOffered = below }
    var low: UInt64 = 1
    let isDone = try await trying("trim") { () throws(LogError) in
      low = try await store.trim(StoreTruth.name(number), below: Revision(below)).rawValue
    }
    if isDone { note(number) { $0.low = low } }
  }

  private func delete(_ number: UInt64, _ store: EmbeddedLogStore) async throws(StoreFault) {
    note(number) { $0.isDeleted = .perhaps }
    appenders[number] = nil
    let isDone = try await trying("delete") { () throws(LogError) in
      try await store.delete(StoreTruth.name(number))
    }
    if isDone { note(number) { $0.isDeleted = .yes } }
  }

  private func read(_ number: UInt64, _ store: EmbeddedLogStore) async throws(StoreFault) {
    let log = truth.logs[number]!
    guard log.acknowledged >= log.lowOffered else { return }
    do throws(StoreFault) {
      try await StoreCheck(store: store).readAll(number, from: log.lowOffered, through: log.acknowledged)
    } catch {
      guard faults.fired != nil, let told = error.error else { throw error }
      try mustBeTrue(told, error.what)
      refusals += 1
    }
  }
}
