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
    help: ArgumentHelp(
      "With --cluster: these faults, with commas between, are planted one at a time; each must be found.",
      discussion: "`all` plants each. There are: \(PlantedFault.names).", valueName: "faults"))
  var plant: String?

  func validate() throws {
    if spaces, cluster {
      throw ValidationError("--spaces and --cluster do not go together: lives are of one sort.")
    }
    if plant != nil, !cluster {
      throw ValidationError("--plant is for --cluster: only there faults can be planted.")
    }
    for name in plantedNames where PlantedFault(rawValue: name) == nil {
      throw ValidationError("There is no fault \(name) to plant. There are: all, \(PlantedFault.names).")
    }
    guard count > 0 else { throw ValidationError("--count \(count): there must be one run at least.") }
  }

  /// Each once.
  private var plantedNames: [String] {
    guard let plant else { return [] }
    guard plant != "all" else { return PlantedFault.allCases.map(\.rawValue) }
    let names = plant.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    return names.enumerated().filter { !names[..<$0.offset].contains($0.element) }.map(\.element)
  }

  func run() throws {
    guard plant == nil else { return try find(plantedNames.compactMap { PlantedFault(rawValue: $0) }) }
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

  /// Lives with each of these faults, until it is found. Ends with 1 if one is found in no life.
  private func find(_ faults: [PlantedFault]) throws {
    let (seed, count) = (seed, count)
    let found = Mutex<[PlantedFault: SimulationReport]>([:])
    let next = Mutex(0)
    DispatchQueue.concurrentPerform(iterations: max(1, atOnce)) { _ in
      while let place = next.withLock({ next -> Int? in
        defer { next += 1 }
        return next < faults.count ? next : nil
      }) {
        let fault = faults[place]
        let lives = (seed..<seed + UInt64(count)).lazy.map { ClusterPlan(seed: $0, planted: fault) }
        guard let plan = lives.first(where: { !$0.run(traces: false).faults.isEmpty }) else { continue }
        let report = SimulationReport(of: plan, shrinks: faults.count == 1)
        found.withLock { $0[fault] = report }
      }
    }
    let reports = found.withLock { $0 }
    for fault in faults {
      guard let report = reports[fault] else {
        print("\(fault.rawValue): NOT FOUND in \(count) runs from seed \(seed) on")
        continue
      }
      print("\(fault.rawValue): found with seed \(report.seed): \(report.faults.first ?? "")")
      if faults.count == 1 { print(report.story) }
    }
    print("\(reports.count) of \(faults.count) planted faults found")
    guard reports.count == faults.count else { throw ExitCode(1) }
  }
}

extension PlantedFault {
  static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}
