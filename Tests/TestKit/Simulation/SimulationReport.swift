/// What came of one seed.
public struct SimulationReport: Sendable {
  public let seed: UInt64
  /// Each begins with the rule that does not hold.
  public let faults: [String]
  /// The fewest steps that still break the same rule, and how to see it again; empty if all is well.
  public let story: String

  /// Lives through the plan of a seed; makes it smaller if something is wrong.
  public init(seed: UInt64, shrinks: Bool = true) {
    let plan = SimulationPlan(seed: seed)
    self.seed = seed
    faults = Simulation(plan).run()
    guard let first = faults.first else {
      story = ""
      return
    }
    let least = shrinks ? plan.shrunk(keeping: first.rule) : plan
    let simulation = Simulation(least, traces: true)
    let left = simulation.run()
    story =
      """
      seed \(seed): \(faults.count) faults, the first: \(first)
      \(least.steps.count) of \(plan.steps.count) steps are enough for: \(left.first ?? "nothing, the second time")
      \(simulation.trace.joined(separator: "\n"))
      Again: BOARDROOM_SIMULATE_SEED=\(seed) tools/test --filter ModelTests
      """
  }
}

extension String {
  /// What stands before the first colon of a fault.
  fileprivate var rule: Substring { prefix { $0 != ":" } }
}

extension SimulationPlan {
  /// Leaves out whatever steps are not needed to break `rule`, in ever smaller pieces.
  func shrunk(keeping rule: Substring) -> SimulationPlan {
    var least = self
    least.steps = steps.shrunk { steps in
      var tried = self
      tried.steps = steps
      return Simulation(tried).run().contains { $0.rule == rule }
    }
    return least
  }
}
