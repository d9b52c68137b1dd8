import ArgumentParser
import TestKit

@main struct Simulate: ParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Lives through whole rooms from seeds, and says what was wrong.")

  @Option(help: "The first seed.") var seed: UInt64 = 1
  @Option(help: "How many seeds.") var count: Int = 1_000
  @Flag(help: "Print what is done.") var trace = false

  func run() throws {
    let clock = ContinuousClock()
    var bad = 0
    let took = clock.measure {
      for seed in seed..<seed + UInt64(count) {
        let simulation = Simulation(SimulationPlan(seed: seed), traces: trace)
        let faults = simulation.run()
        for line in simulation.trace { print(line) }
        if !faults.isEmpty {
          bad += 1
          print("seed \(seed): \(faults.prefix(3))")
        }
      }
    }
    print(Simulation.t)
    print("\(count) lives in \(took), \(bad) bad")
    if bad > 0 { throw ExitCode(1) }
  }
}
