import ArgumentParser
import ClusterSimulation
import Dispatch
import Synchronization
import TestKit

/// Simulated runs of whole rooms, of accounts and of clusters from seeds: members, networks, operators, restarts, and
/// checks of what must be true at the end.
@main struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lives through whole rooms from seeds, and says what was wrong.",
    discussion: "Ends with 1 if anything was. The same seeds give the same lives on every machine.")

  @Option(help: "The first seed.") var seed: UInt64 = 1
  @Option(help: "How many seeds.") var count: Int = 10_000
  @Option(help: "How many at a time.") var atOnce: Int = 2
  @Flag(help: "Lives of accounts and their channels, in place of rooms.") var spaces = false
  @Flag(help: "Lives of three nodes on one database, in place of rooms.") var cluster = false
  @Option(
    help:
      "With --cluster: without this rule, which must be missed in one of the lives; `all` for each in turn.")
  var without: String?

  func validate() throws {
    if spaces, cluster {
      throw ValidationError("--spaces and --cluster do not go together: lives are of one sort.")
    }
    guard let without else { return }
    guard cluster else {
      throw ValidationError("--without is for --cluster: only there rules can be left out.")
    }
    guard without == "all" || PlantedFault(rawValue: without) != nil else {
      let names = PlantedFault.allCases.map(\.rawValue).joined(separator: ", ")
      throw ValidationError("There is no rule \(without) to go without. There are: all, \(names).")
    }
  }

  func run() throws {
    if let without { return try find(PlantedFault(rawValue: without).map { [$0] } ?? PlantedFault.allCases) }
    let took = ContinuousClock().measure { live() }
    let (lived, bad) = Self.tally.withLock { ($0.lived, $0.bad) }
    let kind = cluster ? "clusters" : spaces ? "accounts" : "rooms"
    print(
      "\(lived) lives of \(kind) from seed \(seed) on in \(took.components.seconds) s, \(bad) with faults")
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
      if cluster {
        SimulationReport(ClusterPlan.self, seed: seed, shrinks: shrinks)
      } else if spaces {
        SimulationReport(SpacePlan.self, seed: seed, shrinks: shrinks)
      } else {
        SimulationReport(SimulationPlan.self, seed: seed, shrinks: shrinks)
      }
    return (report.faults, report.story)
  }

  // MARK: Planted faults

  /// Lives without each of these rules, until one goes wrong. Ends with 1 if a rule is not missed in any.
  private func find(_ rules: [PlantedFault]) throws {
    let (seed, count) = (seed, count)
    let found = Mutex<[PlantedFault: SimulationReport]>([:])
    let next = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: max(1, atOnce)) { _ in
      while let place = next.withLock({ next -> Int? in
        defer { next += 1 }
        return next < rules.count ? next : nil
      }) {
        let rule = rules[place]
        let lives = (seed..<seed + UInt64(count)).lazy.map { ClusterPlan(seed: $0, planted: rule) }
        guard let plan = lives.first(where: { !$0.run(traces: false).faults.isEmpty }) else { continue }
        let report = SimulationReport(of: plan, shrinks: rules.count == 1)
        found.withLock { $0[rule] = report }
      }
    }
    let reports = found.withLock { $0 }
    for rule in rules {
      guard let report = reports[rule] else {
        print("\(rule.rawValue): not missed in \(count) lives")
        continue
      }
      print("\(rule.rawValue): life \(report.seed - seed + 1), \(report.faults.first ?? "")")
      if rules.count == 1 { print(report.story) }
    }
    guard reports.count == rules.count else { throw ExitCode(1) }
  }
}
