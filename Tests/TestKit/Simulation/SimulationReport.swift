import ClusterSimulation

/// What a seed makes: steps that a simulation carries out.
public protocol SeededPlan: Sendable {
  associatedtype Step
  /// The target of the tests that run it again.
  static var tests: String { get }
  var seed: UInt64 { get }
  var steps: [Step] { get set }

  /// The command that runs it again, and shows its faults.
  var again: String { get }

  init(seed: UInt64)
  func run(traces: Bool) -> SeededRun
}

extension SeededPlan {
  public var again: String { "BOARDROOM_SIMULATE_SEED=\(seed) tools/test --filter \(Self.tests)" }
}

/// What came of carrying out the steps of a plan.
public struct SeededRun: Sendable {
  /// Each begins with the rule that does not hold.
  public var faults: [String]
  /// Empty if none was asked for.
  public var trace: [String]
  /// What became of what spaces asked each other; nothing where there are none.
  public var carried = FaultyCourier.Faults.none
}

extension SimulationPlan: SeededPlan {
  public static let tests = "ModelTests"

  public func run(traces: Bool) -> SeededRun {
    let simulation = Simulation(self, traces: traces)
    let faults = simulation.run()
    return SeededRun(faults: faults, trace: simulation.trace)
  }
}

extension SpacePlan: SeededPlan {
  public static let tests = "SpaceLifeTests"

  public init(seed: UInt64) { self.init(seed: seed, isReliable: false) }

  public func run(traces: Bool) -> SeededRun {
    let life = SpaceLife(self, traces: traces)
    let faults = life.run()
    return SeededRun(faults: faults, trace: life.trace, carried: life.courier.counts)
  }
}

extension ClusterPlan: SeededPlan {
  public static let tests = "ClusterLifeTests"

  /// The tests run a seed without the planted fault, and so does `simulate` unless it is told of it.
  public var again: String {
    planted.map { "simulate --cluster --plant \($0.rawValue) --seed \(seed) --count 1" }
      ?? "BOARDROOM_SIMULATE_SEED=\(seed) tools/test --filter \(Self.tests)"
  }

  public func run(traces: Bool) -> SeededRun {
    let life = ClusterLife(self, traces: traces)
    let faults = life.run()
    return SeededRun(faults: faults, trace: life.trace)
  }
}

/// What came of one seed.
public struct SimulationReport: Sendable {
  public let seed: UInt64
  /// Each begins with the rule that does not hold.
  public let faults: [String]
  /// What became of what spaces asked each other; nothing where there are none.
  public let carried: FaultyCourier.Faults
  /// The fewest steps that still break the same rule, and how to see it again; empty if all is well.
  public let story: String

  /// Runs the plan of a seed; makes it smaller if something is wrong, with `shrinks`.
  public init<Plan: SeededPlan>(_: Plan.Type, seed: UInt64, shrinks: Bool = true) {
    self.init(of: Plan(seed: seed), shrinks: shrinks)
  }

  public init<Plan: SeededPlan>(of plan: Plan, shrinks: Bool = true) {
    seed = plan.seed
    let whole = plan.run(traces: false)
    (faults, carried) = (whole.faults, whole.carried)
    guard let first = faults.first else {
      story = ""
      return
    }
    let least = shrinks ? plan.shrunk(keeping: first.rule) : plan
    let left = least.run(traces: true)
    let courier =
      carried == .none
      ? "" : "\nbetween spaces: \(carried.lost) lost, \(carried.late) late, \(carried.twice) twice"
    story =
      """
      seed \(seed): \(faults.count) faults, the first: \(first)\(courier)
      \(least.steps.count) of \(plan.steps.count) steps are enough for: \(left.faults.first ?? "nothing, the second time")
      \(left.trace.joined(separator: "\n"))
      Again: \(plan.again)
      """
  }
}

extension String {
  /// What stands before the first colon of a fault.
  fileprivate var rule: Substring { prefix { $0 != ":" } }
}

extension SeededPlan {
  /// Leaves out whatever steps are not needed to break `rule`, in ever smaller pieces.
  fileprivate func shrunk(keeping rule: Substring) -> Self {
    var least = self
    least.steps = steps.shrunk { steps in
      var tried = self
      tried.steps = steps
      return tried.run(traces: false).faults.contains { $0.rule == rule }
    }
    return least
  }
}

extension Array {
  /// Leaves out whatever `breaks` does not need, in ever smaller pieces.
  fileprivate func shrunk(_ breaks: ([Element]) -> Bool) -> [Element] {
    var (least, size) = (self, Swift.max(1, count / 2))
    while true {
      var from = 0
      while from < least.count {
        var tried = least
        tried.removeSubrange(from..<Swift.min(from + size, least.count))
        if breaks(tried) { least = tried } else { from += size }
      }
      guard size > 1 else { return least }
      size /= 2
    }
  }
}
