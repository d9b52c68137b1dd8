import ArgumentParser
import Dispatch
import Synchronization
import TestKit

/// Simulated runs of whole rooms from seeds: members, networks, operators, restarts, and checks of what must
/// be true at the end.
@main struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lives through whole rooms from seeds, and says what was wrong.",
    discussion: "Ends with 1 if anything was. The same seeds give the same lives on every machine.")

  @Option(help: "The first seed.") var seed: UInt64 = 1
  @Option(help: "How many seeds.") var count: Int = 10_000
  @Option(help: "How many at a time.") var atOnce: Int = 2
  @Flag(help: "Lives of accounts and their channels, in place of rooms.") var spaces = false

  func run() throws {
    let took = ContinuousClock().measure { live() }
    let (lived, bad) = Self.tally.withLock { ($0.lived, $0.bad) }
    print(
      "\(lived) lives of \(spaces ? "accounts" : "rooms") from seed \(seed) on in \(took.components.seconds) s, \(bad) with faults"
    )
    guard bad == 0, lived == count else { throw ExitCode(1) }
  }

  private static let tally = Mutex((lived: 0, bad: 0))

  private func live() {
    let (seed, count, atOnce) = (seed, count, max(1, atOnce))
    DispatchQueue.concurrentPerform(iterations: atOnce) { worker in
      for place in stride(from: worker, to: count, by: atOnce) {
        let shrinks = Self.tally.withLock { $0.bad < 5 }
        let (faults, story) = outcome(of: seed + UInt64(place), shrinks: shrinks)
        Self.tally.withLock { tally in
          tally.lived += 1
          guard let first = faults.first else { return }
          tally.bad += 1
          print(shrinks ? story : "seed \(seed + UInt64(place)): \(first)")
        }
      }
    }
  }

  private func outcome(of seed: UInt64, shrinks: Bool) -> (faults: [String], story: String) {
    let report =
      spaces
      ? SimulationReport(SpacePlan.self, seed: seed, shrinks: shrinks)
      : SimulationReport(SimulationPlan.self, seed: seed, shrinks: shrinks)
    return (report.faults, report.story)
  }
}
