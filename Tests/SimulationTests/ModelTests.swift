import Foundation
import Synchronization
import TestKit
import Testing

/// Whole lives of rooms from seeds: 3 to 6 members who draw, change, undo, moderate and are moderated over bad networks,
/// with kicks, takeovers, bans, limits and restarts. `tools/simulate` lives through 10,000 of them.
@Suite struct ModelTests {
  private static let lives = 400
  private static let pieces = 4

  @Test(
    """
    P-12, W-1, W-5, V-2, SC-7, EL-3, EL-7, IDEM-1, IDEM-2, WIRE-2, WIRE-3, FOLD-11, FOLD-12: all mirrors, the \
    server and the log agree at the end, and no undo takes back what another member made last
    """,
    arguments: 0..<pieces)
  func lives(_ piece: Int) {
    var lived = 0
    for seed in seeds(piece) {
      let report = SimulationReport(SimulationPlan.self, seed: seed)
      #expect(report.faults.isEmpty, Comment(rawValue: report.story))
      lived += 1
    }
    print("Lived through \(lived) rooms of piece \(piece)")
    #expect(lived == (asked == nil ? Self.lives / Self.pieces : piece == 0 ? 1 : 0))
  }

  /// One seed, when somebody wants to see it again.
  private var asked: UInt64? {
    ProcessInfo.processInfo.environment["BOARDROOM_SIMULATE_SEED"].flatMap { UInt64($0) }
  }

  private func seeds(_ piece: Int) -> [UInt64] {
    if let asked { return piece == 0 ? [asked] : [] }
    return (0..<Self.lives / Self.pieces).map { UInt64(1_000_000 + piece * Self.lives + $0) }
  }
}
