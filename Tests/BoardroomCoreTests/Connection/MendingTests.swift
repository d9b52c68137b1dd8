import BoardroomModel
import EventLogModel
import StorageTestKit
import Testing

@testable import BoardroomCore

/// A socket that closes while the silence is short (RTC, RTM): nothing is told, and others are tried.
@Suite struct MendingTests {
  private func connected(_ policy: ConnectionPolicy) -> ConnectionMachine {
    var machine = ConnectionMachine(policy: policy)
    _ = machine.join(at: seconds(99))
    _ = machine.live(1, at: seconds(100))
    return machine
  }

  @Test(
    "FACE-10, TL-2: a closed socket is told 4 s after the last byte, and tried to be made up for until then")
  func suspected() {
    for policy in [ConnectionPolicy.rtc, .rtm] {
      var machine = connected(policy)
      _ = machine.noteSignOfLife(1, at: seconds(101))
      #expect(machine.lost(1, chance: 0.5, at: seconds(102)) == .retryLater)
      var told: [Timestamp] = []
      var attempts = 0
      while let due = machine.deadline, due <= seconds(106) {
        #expect(machine.phase == (told.isEmpty ? .connected : .reconnecting))
        switch machine.tick(chance: 0.5, at: due) {
        case .open(let link):
          attempts += 1
          #expect(machine.lost(link, chance: 0.5, at: due) == .retryLater)
        case .suspected: told.append(due)
        case .nothing, .reconnecting, .retryLater, .lostNotice, .over: Issue.record("not now")
        }
      }
      #expect(told == [seconds(105)])
      #expect(attempts >= 2)
    }
  }

  @Test("FACE-10: back in time, it was connected all the while; White and Signaling are told at once")
  func mended() {
    var machine = connected(.rtc)
    _ = machine.lost(1, chance: 0.5, at: seconds(101))
    #expect(machine.phase == .connected)
    #expect(machine.isMending)
    #expect(machine.networkBack(at: seconds(103)) == .open(2))
    #expect(machine.live(2, at: seconds(103)) == .connected(1))
    #expect(machine.phase == .connected)
    #expect(!machine.isMending)
    for policy in [ConnectionPolicy.white(), .signaling()] {
      var machine = connected(policy)
      #expect(machine.lost(1, chance: 0.5, at: seconds(101)) == .reconnecting(1))
    }
  }

  @Test("PIPE-13, FACE-10: RTC and RTM that are sent off come back within 0.1 s too, and tell nothing of it")
  func sentOff() {
    for policy in [ConnectionPolicy.rtc, .rtm] {
      var machine = connected(policy)
      let farewell = Farewell(Refusal(.goingAway), kick: .GatewayAdjust, comeBack: true)
      #expect(machine.refused(farewell, on: 1, chance: 1, at: seconds(101)) == .retryLater)
      #expect(machine.isMending)
      #expect(machine.deadline == seconds(101.1))
      #expect(machine.tick(chance: 0.5, at: seconds(101.1)) == .open(2))
      #expect(machine.lost(2, chance: 0.5, at: seconds(101.1)) == .retryLater)
      #expect(machine.deadline == seconds(101.6), "and then the usual pace")
    }
  }

  @Test("FACE-10: RTC's notice of a loss and its failure count from the last byte, whoever closed the socket")
  func clocks() {
    var machine = connected(.rtc)
    _ = machine.lost(1, chance: 0.5, at: seconds(101))
    var lost: [Timestamp] = []
    while let due = machine.deadline {
      switch machine.tick(chance: 0.5, at: due) {
      case .lostNotice: lost.append(due)
      case .open(let link): _ = machine.lost(link, chance: 0.5, at: due)
      case .over: #expect(due == seconds(1_300))
      case .nothing, .reconnecting, .suspected, .retryLater: break
      }
    }
    #expect(lost == [seconds(110)])
  }

  @Test(
    "FACE-10: whatever happens, the machine has a deadline after its last tick, and every state has an end")
  func deadlines() {
    for seed in UInt64(1)...200 {
      var chance = SeededGenerator(seed: seed)
      var machine = ConnectionMachine(policy: seed.isMultiple(of: 2) ? .rtc : .rtm)
      var now = seconds(0)
      for _ in 0..<120 {
        now = now + .milliseconds(Int64.random(in: 0...2_000, using: &chance))
        let luck = Double.random(in: 0..<1, using: &chance)
        switch Int.random(in: 0..<8, using: &chance) {
        case 0: _ = machine.join(at: now)
        case 1, 2, 3: if let link = machine.link { _ = machine.live(link, at: now) }
        case 4: if let link = machine.link { _ = machine.lost(link, chance: luck, at: now) }
        case 5: _ = machine.networkBack(at: now)
        case 6: if luck < 0.1 { _ = machine.leave(at: now) }
        default: if let link = machine.link { _ = machine.noteSignOfLife(link, at: now) }
        }
        var ticks = 0
        while machine.tick(chance: 0.5, at: now) != .nothing { ticks += 1 }
        #expect(ticks < 5, "seed \(seed)")
        let resting = machine.phase == .idle || machine.phase.end != nil
        #expect((machine.deadline == nil) == resting, "seed \(seed)")
        if let due = machine.deadline { #expect(due > now, "seed \(seed)") }
      }
    }
  }
}
