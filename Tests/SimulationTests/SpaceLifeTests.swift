import Foundation
import TestKit
import Testing

/// Whole lives of accounts and channels from seeds: logins, takeovers, channels, messages and calls over bad networks, with kicks,
/// crashes and restarts in between. `tools/simulate --spaces` lives through more of them.
@Suite struct SpaceLifeTests {
  private static let lives = 200
  private static let pieces = 2

  @Test(
    """
    SPC-8, SPC-10, SIG-C2, SIG-A8, SIG-I1..I12, SIG-M6, X-20: accounts, channels and mirrors agree at the end, \
    every question has its answer, nothing is lost or there twice, and both sides of a call went the same \
    way, also where what spaces ask each other is lost, late or there twice
    """,
    arguments: 0..<pieces)
  func lives(_ piece: Int) {
    var (lived, carried) = (0, FaultyCourier.Faults.none)
    for seed in seeds(piece) {
      let report = SimulationReport(SpacePlan.self, seed: seed)
      #expect(report.faults.isEmpty, Comment(rawValue: report.story))
      lived += 1
      carried.lost += report.carried.lost
      carried.late += report.carried.late
      carried.twice += report.carried.twice
    }
    print("Lived through \(lived) lives of accounts of piece \(piece); between spaces: \(carried)")
    if asked == nil { for one in [carried.lost, carried.late, carried.twice] { #expect(one > 0) } }
    #expect(lived == (asked == nil ? Self.lives / Self.pieces : piece == 0 ? 1 : 0))
  }

  @Test(
    "SIG-I14: a call that its caller ends while the offer is on its way is ended for the callee, too",
    arguments: [40_522_250_001_484, 40_522_250_001_570, 40_522_250_001_628] as [UInt64])
  func endedOnTheWay(_ seed: UInt64) {
    let report = SimulationReport(of: SpacePlan(seed: seed, isReliable: true))
    #expect(report.faults.isEmpty, Comment(rawValue: report.story))
  }

  @Test(
    "ASKV-2, ASKV-5: where questions come twice nothing is wrong, and where each is applied twice it is seen")
  func appliedTwice() {
    let rules = (1...40 as ClosedRange<UInt64>).flatMap { seed in
      var plan = SpacePlan(seed: seed, isReliable: true)
      plan.faults.twice = 40
      guard SpaceLife(plan).run().isEmpty else { return ["known: seed \(seed)"] }
      plan.faults.renumbers = true
      return SpaceLife(plan).run()
    }
    #expect(!rules.contains { $0.hasPrefix("known") }, "\(rules)")
    #expect(rules.contains { $0.hasPrefix("once:") }, "\(rules)")
  }

  /// One seed, when somebody wants to see it again.
  private var asked: UInt64? {
    ProcessInfo.processInfo.environment["BOARDROOM_SIMULATE_SEED"].flatMap { UInt64($0) }
  }

  private func seeds(_ piece: Int) -> [UInt64] {
    if let asked { return piece == 0 ? [asked] : [] }
    return (0..<Self.lives / Self.pieces).map { UInt64(1 + piece * Self.lives + $0) }
  }
}
