import BoardroomModel
import EventLogModel
import StorageTestKit
import Testing

@testable import BoardroomCore

@Suite struct ConnectionPropertyTests {
  /// Transitions that PARITY rows P, PT allow, by White's numbers of the phases; nil is "no room".
  static let legal: Set<[Int?]> = [
    [nil, 0], [0, 1], [0, 4], [1, 2], [1, 3], [1, 4], [2, 1], [2, 4], [3, 4], [4, 0], [nil, 4],
  ]

  @Test("Complaint 4: every reconnecting is followed by exactly one connected or disconnected")
  func reconnectingEnds() {
    for seed in UInt64(1)...300 {
      var chance = SeededGenerator(seed: seed)
      let phases = walk(steps: 200, chance: &chance)
      for (before, after) in zip(phases, phases.dropFirst()) {
        #expect(
          Self.legal.contains([before.white?.rawValue, after.white?.rawValue]),
          "seed \(seed): \(before) to \(after)")
        if before == .reconnecting { #expect(after == .connected || after.end != nil, "seed \(seed)") }
      }
      #expect(phases.last != .reconnecting, "seed \(seed)")
      #expect(phases.last != .connecting, "seed \(seed)")
    }
  }

  /// The phases in which a machine was, under random inputs and then, for as long as it wants, silence.
  private func walk(steps: Int, chance: inout SeededGenerator) -> [ConnectionPhase] {
    var machine = ConnectionMachine(policy: .white())
    var now = seconds(0)
    var phases = [machine.phase]
    func note() { if phases.last != machine.phase { phases.append(machine.phase) } }
    for _ in 0..<steps {
      now = now + .milliseconds(Int64.random(in: 0...3_000, using: &chance))
      poke(&machine, at: now, chance: &chance)
      note()
    }
    while let due = machine.deadline {
      now = max(now, due)
      _ = machine.tick(chance: Double.random(in: 0..<1, using: &chance), at: now)
      note()
    }
    return phases
  }

  private func poke(_ machine: inout ConnectionMachine, at now: Timestamp, chance: inout SeededGenerator) {
    let luck = Double.random(in: 0..<1, using: &chance)
    let newest = machine.lastLink
    let link = LinkNumber.random(in: (newest > 1 ? newest - 1 : 0)...newest, using: &chance)
    switch Int.random(in: 0..<16, using: &chance) {
    case 0: _ = machine.join(at: now)
    case 1, 2: _ = machine.opened(link, at: now)
    case 3, 4: _ = machine.noteSignOfLife(link, at: now)
    case 5, 6, 7: _ = machine.live(link, at: now)
    case 8, 9: _ = machine.lost(link, chance: luck, at: now)
    case 10:
      let farewell = Farewell(Refusal(.goingAway), comeBack: Bool.random(using: &chance))
      _ = machine.refused(farewell, on: link, chance: luck, at: now)
    case 11: if luck < 0.2 { _ = machine.leave(at: now) }
    case 12: _ = machine.networkBack(at: now)
    default: _ = machine.tick(chance: luck, at: now)
    }
  }

  @Test("The machine never waits for nothing: unless at rest it has a deadline, after the last tick")
  func deadlines() {
    for seed in UInt64(1)...200 {
      var chance = SeededGenerator(seed: seed)
      var machine = ConnectionMachine(policy: .white())
      var now = seconds(0)
      for _ in 0..<100 {
        now = now + .milliseconds(Int64.random(in: 0...2_000, using: &chance))
        poke(&machine, at: now, chance: &chance)
        var ticks = 0
        while machine.tick(chance: 0.5, at: now) != .nothing { ticks += 1 }
        #expect(ticks < 4, "seed \(seed)")
        let resting = machine.phase == .idle || machine.phase.end != nil
        #expect((machine.deadline == nil) == resting, "seed \(seed)")
        if let due = machine.deadline { #expect(due > now, "seed \(seed)") }
      }
    }
  }
}
