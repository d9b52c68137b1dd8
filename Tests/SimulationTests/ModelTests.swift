import TestKit
import Testing

@Suite struct ModelTests {
  @Test("Random lives of rooms")
  func lives() {
    let clock = ContinuousClock()
    var bad = 0
    let took = clock.measure {
      for seed in UInt64(1)...200 {
        let faults = Simulation(SimulationPlan(seed: seed)).run()
        if !faults.isEmpty { bad += 1; print("seed \(seed): \(faults.prefix(3))") }
      }
    }
    print("200 lives in \(took), \(bad) bad")
  }
}
