import EventLog
import EventLogModel

/// Lives of stores with SQLite on simulated disks that lose power, fail or rot. Each is made by one seed, and is the same
/// again by it.
package struct StoreCampaign: Sendable {
  package enum Kind: String, Sendable, CaseIterable {
    /// Power cuts: `states` moments of one life.
    case cuts
    /// One call of one life fails, by chance.
    case faults
    /// The call of this number fails, in each way: of life `seed / callsOfLife` the call `seed % callsOfLife`.
    case calls
    /// Bits of the files of a life that has ended flip, one at a time.
    case rot
  }

  package struct Outcome: Sendable {
    /// Power cuts, lives or flipped bits.
    package var states = 0
    /// What was wrong, each with the seed.
    package var faults: [String] = []
    /// Calls of the disks, and a checksum over them.
    package var calls = 0
    package var trace: UInt64 = 0
    package var acknowledged: UInt64 = 0
    package var refusals = 0
    /// Blocks that were packed into columns.
    package var packed = 0
    /// Lives in which a call failed; flips that were named as damage.
    package var met = 0

    package init() {}
  }

  /// States of one life with power cuts, and bits that flip after one life.
  package static let statesOfLife = 25

  package static let callsOfLife: UInt64 = 1_000

  let kind: Kind
  let seed: UInt64
  /// Files whose flushes do nothing.
  private let lies: String?
  private var outcome = Outcome()
  private var generator: SeededGenerator

  private init(_ kind: Kind, seed: UInt64, lies: String?) {
    (self.kind, self.seed, self.lies) = (kind, seed, lies)
    let life = kind == .calls ? seed / Self.callsOfLife : seed
    generator = SeededGenerator(seed: life &* 0x9E37_79B9_7F4A_7C15 ^ 0x6469_736b)
  }

  /// All states of one seed.
  ///
  /// - Parameter lies: flushes of files whose paths hold this do nothing, so that losses must be found.
  package static func run(_ kind: Kind, seed: UInt64, lies: String? = nil) async -> Outcome {
    var campaign = StoreCampaign(kind, seed: seed, lies: lies)
    switch kind {
    case .cuts: await campaign.cutPower()
    case .faults: await campaign.fail()
    case .calls: await campaign.failInEachWay(at: Int(seed % callsOfLife))
    case .rot: await campaign.rot()
    }
    return campaign.outcome
  }

  private mutating func tell(_ what: String) {
    outcome.faults.append("swift run disklives \(kind.rawValue) --seed \(seed) --count 1: \(what)")
  }

  // MARK: Lives

  /// Nil when it came to nothing more.
  private mutating func live(
    on disk: SimulatedDisk, truth: StoreTruth = StoreTruth(), steps: Int,
    failing plan: DiskFaults.Plan? = nil,
    stopping: Bool? = nil
  ) async -> StoreLife? {
    let (seed, stopping) = (generator.next(), stopping ?? Bool.random(using: &generator))
    let schedule = SeededSchedule(seed: seed)
    let life = StoreLife(seed: seed, on: disk, truth: truth, failing: plan, schedule: schedule)
    life.faults.lies = lies
    do {
      try await schedule.run { await life.live(steps: steps, stopping: stopping) }
    } catch {
      tell("\(error); \(life.faults.fired ?? "no call failed")")
      return nil
    }
    outcome.calls += life.faults.count
    outcome.trace = outcome.trace &* 31 &+ life.faults.trace
    outcome.refusals += life.refusals
    outcome.packed += life.packed
    if let fault = life.fault { tell("\(fault.what); \(life.faults.fired ?? "no call failed")") }
    return life
  }

  /// Starts on what is left, and looks at all of it.
  @discardableResult
  private mutating func prove(_ disk: SimulatedDisk, _ truth: StoreTruth, _ what: String) async -> StoreFault?
  {
    let seed = generator.next()
    let schedule = SeededSchedule(seed: seed)
    let life = StoreLife(seed: seed, on: disk, truth: truth, schedule: schedule)
    outcome.states += 1
    let isRotten = kind == .rot
    do { try await schedule.run { await life.prove(isRotten: isRotten) } } catch {
      tell("\(what): \(error)")
      return nil
    }
    outcome.calls += life.faults.count
    outcome.trace = outcome.trace &* 31 &+ life.faults.trace
    outcome.acknowledged += truth.logs.values.reduce(0) { $0 + $1.acknowledged }
    guard kind != .rot else { return life.fault }
    if let fault = life.fault { tell("\(what): \(fault.what)") }
    return life.fault
  }

  private mutating func plan(calls: Int) -> DiskFaults.Plan {
    let codes = [ErrorNumber.io, ErrorNumber.io, ErrorNumber.noSpace, ErrorNumber.filesOfProcess]
    let code = codes.randomElement(using: &generator)!
    let effect: DiskFaults.Effect =
      switch Int.random(in: 0..<10, using: &generator) {
      case 0..<5: .error(code)
      case 5: .lasting(ErrorNumber.io, reads: Bool.random(using: &generator))
      case 6: .lasting(ErrorNumber.noSpace, reads: false)
      case 7: .short
      case 8: .torn(Bool.random(using: &generator) ? ErrorNumber.noSpace : ErrorNumber.io)
      default: .hang(UInt64.random(in: 1_000_000...90_000_000_000, using: &generator))
      }
    return DiskFaults.Plan(at: Int.random(in: 1...calls, using: &generator), effect: effect)
  }

  // MARK: Power cuts

  private mutating func cutPower() async {
    let disk = SimulatedDisk()
    // Of three lives one has a call that fails besides: a flush above all.
    let plan = seed % 3 == 0 ? plan(calls: 2_500) : nil
    guard let life = await live(on: disk, steps: 40, failing: plan) else { return }
    if plan != nil, life.faults.fired != nil { outcome.met += 1 }
    let operations = disk.operations
    let points = (0..<Self.statesOfLife).map { _ in Int.random(in: 1...operations.count, using: &generator) }
    var replay = PowerCutReplay(operations)
    for (index, point) in points.sorted().enumerated() {
      replay.advance(to: point)
      let keeping = PowerCutReplay.Keeping.allCases.randomElement(using: &generator)!
      let truth = replay.notes.last.map { life.truths[Int($0)] } ?? StoreTruth()
      let what = "cut before \(point) of \(operations.count), \(keeping)"
      let isTwice = index % 6 == 0
      let left = replay.disk(keeping: keeping, recording: isTwice, using: &generator)
      if isTwice {
        await cutAgain(left, truth, what)
      } else {
        await prove(left, truth, what)
      }
    }
  }

  /// Lives on for a few steps from what a power cut has left, and cuts the power again, mostly while it starts.
  private mutating func cutAgain(_ disk: SimulatedDisk, _ truth: StoreTruth, _ what: String) async {
    let before = disk.files
    guard let life = await live(on: disk, truth: truth, steps: 3, stopping: false), life.fault == nil else {
      return
    }
    var replay = PowerCutReplay(disk.operations, on: before)
    let point = Int.random(in: 0...disk.operationCount, using: &generator)
    replay.advance(to: point)
    let keeping = PowerCutReplay.Keeping.allCases.randomElement(using: &generator)!
    let left = replay.disk(keeping: keeping, using: &generator)
    let now = replay.notes.last.map { life.truths[Int($0)] } ?? truth
    await prove(left, now, "\(what), again before \(point), \(keeping)")
  }

  // MARK: Failing calls

  private mutating func fail() async {
    var plan = plan(calls: 1_000)
    let start = generator
    var life = await live(on: SimulatedDisk(recording: false), steps: 25, failing: plan)
    if let calls = life?.faults.count, life?.faults.fired == nil {
      // The life has fewer calls.
      plan.at = 1 + plan.at % calls
      generator = start
      life = await live(on: SimulatedDisk(recording: false), steps: 25, failing: plan)
    }
    guard let life else { return }
    if life.faults.fired != nil { outcome.met += 1 }
    await prove(life.disk, life.truth, "after \(life.faults.fired ?? "no failure")")
  }

  /// A life of a few steps, again and again, in which one and the same call fails.
  private mutating func failInEachWay(at call: Int) async {
    let effects: [DiskFaults.Effect] = [
      .error(ErrorNumber.io), .error(ErrorNumber.noSpace), .error(ErrorNumber.filesOfProcess),
      .lasting(ErrorNumber.io, reads: true), .lasting(ErrorNumber.noSpace, reads: false),
      .torn(ErrorNumber.io), .hang(40_000_000_000),
    ]
    let start = generator
    for effect in effects {
      generator = start
      let plan = DiskFaults.Plan(at: call, effect: effect)
      let disk = SimulatedDisk(recording: false)
      guard let life = await live(on: disk, steps: 4, failing: plan, stopping: true) else { return }
      guard life.faults.fired != nil else {
        if case .error(ErrorNumber.io) = effect { return }
        continue
      }
      outcome.met += 1
      await prove(life.disk, life.truth, "after \(life.faults.fired!)")
    }
  }

  // MARK: Bit rot

  private mutating func rot() async {
    guard let life = await live(on: SimulatedDisk(recording: false), steps: 25), life.fault == nil else {
      return
    }
    let files = life.disk.files
    let paths = files.filter { !$0.value.isEmpty && !$0.key.contains("/spare-") }.map(\.key).sorted()
    for _ in 0..<Self.statesOfLife {
      let path = paths.randomElement(using: &generator)!
      let bit = Int.random(in: 0..<files[path]!.count * 8, using: &generator)
      let disk = SimulatedDisk(files: files, recording: false)
      disk.tamper(path) { $0[bit / 8] ^= 1 << UInt8(bit % 8) }
      let what = "bit \(bit) of \(path)"
      guard let fault = await prove(disk, life.truth, what) else { continue }
      outcome.met += 1
      if !fault.isNamed { tell("\(what): \(fault.what)") }
    }
  }
}

extension StoreFault {
  /// Whether the store itself says that something is damaged.
  fileprivate var isNamed: Bool {
    switch error {
    case .damaged, .incompatible, .missingPart: !isFalse
    case .stopped(let reason): !isFalse && reason.contains("Damage: ")
    default: false
    }
  }
}

extension StoreCampaign.Outcome {
  /// Another seed's besides. Of lives that run at once, the order does not matter.
  package mutating func add(_ other: StoreCampaign.Outcome) {
    states += other.states
    faults += other.faults
    calls += other.calls
    trace ^= other.trace
    acknowledged += other.acknowledged
    refusals += other.refusals
    packed += other.packed
    met += other.met
  }
}
