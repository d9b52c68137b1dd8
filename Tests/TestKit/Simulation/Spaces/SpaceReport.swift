/// What came of one seed of accounts and channels.
public struct SpaceReport: Sendable {
  public let seed: UInt64
  /// Each begins with the rule that does not hold.
  public let faults: [String]
  /// The fewest steps that still break the same rule; empty if all is well.
  public let story: String

  public init(seed: UInt64, shrinks: Bool = true) {
    let plan = SpacePlan(seed: seed)
    self.seed = seed
    faults = SpaceLife(plan).run()
    guard let first = faults.first else {
      story = ""
      return
    }
    let rule = first.prefix { $0 != ":" }
    let least = shrinks ? plan.shrunk(keeping: rule) : plan
    let life = SpaceLife(least, traces: true)
    let left = life.run()
    story =
      """
      seed \(seed): \(faults.count) faults, the first: \(first)
      \(least.steps.count) of \(plan.steps.count) steps are enough for: \(left.first ?? "nothing, the second time")
      \(life.trace.joined(separator: "\n"))
      Again: BOARDROOM_SIMULATE_SEED=\(seed) tools/test --filter SpaceLifeTests
      """
  }
}

extension SpacePlan {
  fileprivate func shrunk(keeping rule: Substring) -> SpacePlan {
    var least = self
    least.steps = steps.shrunk { steps in
      var tried = self
      tried.steps = steps
      return SpaceLife(tried).run().contains { $0.prefix { $0 != ":" } == rule }
    }
    return least
  }
}

extension Array {
  /// Leaves out whatever `breaks` does not need, in ever smaller pieces.
  func shrunk(_ breaks: ([Element]) -> Bool) -> [Element] {
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
