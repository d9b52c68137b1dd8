import ClusterSimulation
import Foundation
import TestKit
import Testing

/// Whole lives of clusters from seeds: three nodes on a model of a database with two standbys, all of which are killed,
/// stopped, cut off and replaced. `simulate --cluster` lives through 10,000 of them.
@Suite struct ClusterLifeTests {
  private static let lives = 300
  private static let pieces = 4

  @Test(
    """
    LOG-1, LOG-3, DB-4, DB-17, NODE-1, NODE-2, NODE-4, NODE-5, NODE-6: what was acknowledged or shown is in the log, once and in \
    order, one node at a time writes it, and whatever ends is taken over in bounded time
    """,
    arguments: 0..<pieces)
  func lives(_ piece: Int) {
    var lived = 0
    for seed in seeds(piece) {
      let report = SimulationReport(ClusterPlan.self, seed: seed)
      #expect(report.faults.isEmpty, Comment(rawValue: report.story))
      lived += 1
    }
    print("Lived through \(lived) clusters of piece \(piece)")
    #expect(lived == (asked == nil ? Self.lives / Self.pieces : piece == 0 ? 1 : 0))
  }

  @Test("A planted fault is found in one of 1,000 lives of clusters", arguments: PlantedFault.allCases)
  func planted(_ fault: PlantedFault) throws {
    let lives = (1...1_000 as ClosedRange<UInt64>).lazy.map { ClusterPlan(seed: $0, planted: fault) }
    let plan = try #require(lives.first { !ClusterLife($0).run().isEmpty })
    print("\(fault): found with seed \(plan.seed)")
  }

  @Test(
    """
    DB-8: a node whose database lacks what was acknowledged writes nothing over that, and it believes a server that knows \
    nothing of it only when a standby does
    """,
    arguments: [(PlantedFault.promotedUnasked, "over"), (.firstServerTaken, "steady")])
  func befallen(_ fault: PlantedFault, _ sign: String) {
    for seed in 1...300 as ClosedRange<UInt64> {
      let faults = ClusterLife(ClusterPlan(seed: seed, planted: fault, sign: sign)).run()
      #expect(faults.isEmpty, "seed \(seed): \(faults.first ?? "")")
    }
  }

  @Test("The command that is printed with a life names its planted fault, and shows it again")
  func again() throws {
    let lives = (1...1_000 as ClosedRange<UInt64>).lazy.map { ClusterPlan(seed: $0, planted: .noLook) }
    let plan = try #require(lives.first { !ClusterLife($0).run().isEmpty })
    let report = SimulationReport(of: plan, shrinks: false)
    #expect(report.story.hasSuffix("Again: simulate --cluster --plant noLook --seed \(plan.seed) --count 1"))
    #expect(ClusterLife(ClusterPlan(seed: plan.seed)).run().isEmpty)
    #expect(ClusterPlan(seed: 7).again == "BOARDROOM_SIMULATE_SEED=7 tools/test --filter ClusterLifeTests")
  }

  @Test("The same seed is the same life")
  func repeatable() {
    for seed in [3, 4, 5] as [UInt64] {
      let lives = (0..<2).map { _ in
        let life = ClusterLife(ClusterPlan(seed: seed), traces: true)
        _ = life.run()
        return life.trace
      }
      #expect(lives[0].count > 10)
      #expect(lives[0] == lives[1])
    }
  }

  /// One seed, when somebody wants to see it again.
  private var asked: UInt64? {
    ProcessInfo.processInfo.environment["BOARDROOM_SIMULATE_SEED"].flatMap { UInt64($0) }
  }

  private func seeds(_ piece: Int) -> [UInt64] {
    if let asked { return piece == 0 ? [asked] : [] }
    return (0..<Self.lives / Self.pieces).map { UInt64(2_000_000 + piece * Self.lives + $0) }
  }
}
