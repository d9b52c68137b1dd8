import BoardroomModel
import EventLogModel
import Testing

@testable import BoardroomCore

/// Seconds of the spec's timelines.
func seconds(_ value: Double) -> Timestamp { Timestamp(milliseconds: Int64((value * 1_000).rounded())) }

private let banned = Farewell(Refusal(.banned), kick: .roomBan, comeBack: false)
private let moving = Farewell(Refusal(.goingAway), kick: .GatewayAdjust, comeBack: true)

@Suite struct ConnectionMachineTests {
  /// A machine in the given phase, with its clock at 100.
  func machine(_ phase: RoomPhase, policy: ConnectionPolicy = .white()) -> ConnectionMachine {
    var machine = ConnectionMachine(policy: policy)
    _ = machine.join(at: seconds(100))
    switch phase {
    case .connecting: break
    case .connected: _ = machine.live(1, at: seconds(100))
    case .reconnecting:
      _ = machine.live(1, at: seconds(100))
      _ = machine.lost(1, chance: 0.5, at: seconds(100))
    case .disconnecting:
      _ = machine.live(1, at: seconds(100))
      _ = machine.leave(at: seconds(100))
    case .disconnected: _ = machine.leave(at: seconds(100))
    }
    return machine
  }

  struct Row: Sendable, CustomStringConvertible {
    let description: String
    let from: RoomPhase
    let input: @Sendable (inout ConnectionMachine) -> Void
    let to: RoomPhase
  }

  static let table: [Row] = [
    Row(
      description: "connecting, accepted", from: .connecting,
      input: { _ = $0.live(1, at: seconds(101)) }, to: .connected),
    Row(
      description: "connecting, bad token", from: .connecting,
      input: { _ = $0.refused(banned, on: 1, chance: 0, at: seconds(101)) }, to: .disconnected),
    Row(
      description: "connecting, asked to come back", from: .connecting,
      input: { _ = $0.refused(moving, on: 1, chance: 0, at: seconds(101)) }, to: .connecting),
    Row(
      description: "connecting, unreachable for one attempt", from: .connecting,
      input: { _ = $0.lost(1, chance: 0, at: seconds(101)) }, to: .connecting),
    Row(
      description: "connecting, timeout", from: .connecting,
      input: { _ = $0.tick(chance: 0, at: seconds(145)) }, to: .disconnected),
    Row(
      description: "connecting, just before the timeout", from: .connecting,
      input: { _ = $0.tick(chance: 0, at: seconds(144.999)) }, to: .connecting),
    Row(
      description: "connecting, disconnect()", from: .connecting,
      input: { _ = $0.leave(at: seconds(101)) }, to: .disconnected),
    Row(
      description: "connected, link lost", from: .connected,
      input: { _ = $0.lost(1, chance: 0, at: seconds(101)) }, to: .reconnecting),
    Row(
      description: "connected, silent for 3.999 s", from: .connected,
      input: { _ = $0.tick(chance: 0, at: seconds(103.999)) }, to: .connected),
    Row(
      description: "connected, silent for 4.000 s (X-1)", from: .connected,
      input: { _ = $0.tick(chance: 0, at: seconds(104)) }, to: .reconnecting),
    Row(
      description: "connected, an older socket closes", from: .connected,
      input: { _ = $0.lost(0, chance: 0, at: seconds(101)) }, to: .connected),
    Row(
      description: "connected, kicked", from: .connected,
      input: { _ = $0.refused(banned, on: 1, chance: 0, at: seconds(101)) }, to: .disconnected),
    Row(
      description: "connected, server moves the room", from: .connected,
      input: { _ = $0.refused(moving, on: 1, chance: 0, at: seconds(101)) }, to: .reconnecting),
    Row(
      description: "connected, disconnect()", from: .connected,
      input: { _ = $0.leave(at: seconds(101)) }, to: .disconnecting),
    Row(
      description: "reconnecting, retry succeeded", from: .reconnecting,
      input: {
        _ = $0.networkBack(at: seconds(101))
        _ = $0.live(2, at: seconds(101))
      }, to: .connected),
    Row(
      description: "reconnecting, retry refused for good", from: .reconnecting,
      input: {
        _ = $0.networkBack(at: seconds(101))
        _ = $0.refused(banned, on: 2, chance: 0, at: seconds(101))
      }, to: .disconnected),
    Row(
      description: "reconnecting, retry failed", from: .reconnecting,
      input: {
        _ = $0.networkBack(at: seconds(101))
        _ = $0.lost(2, chance: 0, at: seconds(101))
      }, to: .reconnecting),
    Row(
      description: "reconnecting, limit reached (P-23)", from: .reconnecting,
      input: { _ = $0.tick(chance: 0, at: seconds(145)) }, to: .disconnected),
    Row(
      description: "reconnecting, disconnect()", from: .reconnecting,
      input: { _ = $0.leave(at: seconds(101)) }, to: .disconnected),
    Row(
      description: "disconnecting, farewell", from: .disconnecting,
      input: { _ = $0.refused(banned, on: 1, chance: 0, at: seconds(101)) }, to: .disconnected),
    Row(
      description: "disconnecting, link gone", from: .disconnecting,
      input: { _ = $0.lost(1, chance: 0, at: seconds(101)) }, to: .disconnected),
    Row(
      description: "disconnecting, no answer for 4 s", from: .disconnecting,
      input: { _ = $0.tick(chance: 0, at: seconds(104)) }, to: .disconnected),
    Row(
      description: "disconnected, anything late", from: .disconnected,
      input: {
        _ = $0.opened(1, at: seconds(101))
        _ = $0.live(1, at: seconds(101))
        _ = $0.networkBack(at: seconds(101))
        _ = $0.tick(chance: 0, at: seconds(500))
      }, to: .disconnected),
    Row(
      description: "disconnected, join again", from: .disconnected,
      input: { _ = $0.join(at: seconds(101)) }, to: .connecting),
  ]

  @Test("P-1 to P-5, PT-2 to PT-10: every transition of the table in PARITY rows P, PT", arguments: table)
  func transition(_ row: Row) {
    var machine = machine(row.from)
    #expect(machine.phase.white == row.from)
    row.input(&machine)
    #expect(machine.phase.white == row.to)
  }

  @Test("P-11: a join while one is under way is refused, in every phase that is under way")
  func oneJoin() {
    for phase in [RoomPhase.connecting, .connected, .reconnecting, .disconnecting] {
      var machine = machine(phase)
      #expect(machine.join(at: seconds(101)) == .alreadyUnderWay)
      #expect(machine.phase.white == phase)
    }
  }

  @Test("Attempts come after 0.5, 1, 2, 4, 8 s and then every 8 s")
  func pace() {
    var machine = machine(.reconnecting)
    var waits: [Int64] = []
    var failed = seconds(100)
    for link in LinkNumber(2)...8 {
      let due = machine.deadline!
      #expect(machine.tick(chance: 0.5, at: due) == .open(link))
      waits.append((due - failed).wholeMilliseconds)
      #expect(machine.lost(link, chance: 0.5, at: due) == .retryLater)
      failed = due
    }
    #expect(waits == [500, 1_000, 2_000, 4_000, 8_000, 8_000, 8_000])
    #expect(machine.tries == 7)
  }

  @Test(
    "PIPE-13: chance puts the first attempt of who was sent off anywhere into 0.1 s; who makes a pause makes none"
  )
  func sentOff() {
    for (chance, wait) in [(0.0, 0), (0.25, 25), (0.5, 50), (1.0, 100)] {
      var machine = machine(.connected)
      #expect(machine.refused(moving, on: 1, chance: chance, at: seconds(101)) == .reconnecting(1))
      #expect(machine.deadline == seconds(101) + .milliseconds(wait))
    }
    var hasty = machine(.connected)
    hasty.policy.retryPace = [.milliseconds(10)]
    _ = hasty.refused(moving, on: 1, chance: 1, at: seconds(101))
    #expect(hasty.deadline == seconds(101.012), "never later than after a lost connection")
    var paused = machine(.connected)
    (paused.policy.retryPace, paused.policy.sentOffWait) = ([.seconds(9_999)], .zero)
    _ = paused.refused(moving, on: 1, chance: 0.5, at: seconds(101))
    #expect(paused.deadline == seconds(146), "nothing but the limit of the outage")
  }

  @Test("A wait is up to 20 % shorter or longer by chance")
  func spread() {
    let policy = ConnectionPolicy.white()
    #expect(policy.retryDelay(after: 0, chance: 0) == .milliseconds(400))
    #expect(policy.retryDelay(after: 0, chance: 1) == .milliseconds(600))
    #expect(policy.retryDelay(after: 99, chance: 0) == .milliseconds(6_400))
    #expect(policy.retryDelay(after: 99, chance: 1) == .milliseconds(9_600))
  }

  @Test("When the system reports a network, the next attempt is at once; the older counts no more")
  func networkBack() {
    var machine = machine(.reconnecting)
    #expect(machine.networkBack(at: seconds(100.1)) == .open(2))
    #expect(machine.networkBack(at: seconds(100.2)) == .open(3))
    #expect(machine.opened(2, at: seconds(100.3)) == .stale)
    #expect(machine.opened(3, at: seconds(100.3)) == .greet)
    #expect(machine.live(2, at: seconds(100.4)) == .ignore)
    #expect(machine.live(3, at: seconds(100.4)) == .connected(1))
  }

  @Test(
    "WIRE-20: a server that announced its silence is suspected 4 s after its end, or 4 s after it was asked something"
  )
  func quiet() {
    var machine = machine(.connected)
    machine.noteQuiet(for: .seconds(10), at: seconds(100))
    #expect(machine.deadline == seconds(114))
    #expect(machine.noteSignOfLife(1, at: seconds(101)) == .current)
    #expect(machine.deadline == seconds(114))
    machine.endQuiet(at: seconds(103))
    #expect(machine.deadline == seconds(107))
    #expect(machine.tick(chance: 0.5, at: seconds(107)) == .reconnecting(1))
    _ = machine.tick(chance: 0.5, at: seconds(107.5))
    #expect(machine.live(2, at: seconds(108)) == .connected(1))
    #expect(machine.deadline == seconds(112), "another socket, another server perhaps: it announced nothing")
  }

  @Test("A silent attempt is given up after 4 s; a talking one is not")
  func silentAttempt() {
    var machine = machine(.connecting)
    #expect(machine.deadline == seconds(104))
    #expect(machine.noteSignOfLife(1, at: seconds(103)) == .current)
    #expect(machine.tick(chance: 0.5, at: seconds(104)) == .nothing)
    #expect(machine.tick(chance: 0.5, at: seconds(107)) == .retryLater)
    #expect(machine.tick(chance: 0.5, at: seconds(107.5)) == .open(2))
  }

  @Test("TL-25: each outage has its full 45 s")
  func twoOutages() {
    var machine = machine(.connected)
    #expect(machine.tick(chance: 0.5, at: seconds(104)) == .reconnecting(1))
    #expect(machine.networkBack(at: seconds(140)) == .open(2))
    #expect(machine.live(2, at: seconds(140)) == .connected(1))
    _ = machine.noteSignOfLife(2, at: seconds(160))
    #expect(machine.tick(chance: 0.5, at: seconds(164)) == .reconnecting(2))
    _ = machine.tick(chance: 0.5, at: seconds(208.999))
    #expect(machine.phase == .reconnecting)
    let end = ConnectionEnd.gaveUp(after: .seconds(45), tries: machine.tries)
    #expect(machine.tick(chance: 0.5, at: seconds(209)) == .over(end))
    #expect(machine.phase == .closed(end))
    #expect(machine.deadline == nil)
  }

  @Test("X-52: the timeout option rules the join and the outage")
  func timeoutOption() {
    var first = machine(.connecting, policy: .white(timeout: .seconds(10)))
    #expect(first.tick(chance: 0, at: seconds(110)) == .over(.joinLimit(after: .seconds(10), tries: 1)))
    var second = machine(.reconnecting, policy: .white(timeout: .seconds(10)))
    #expect(second.tick(chance: 0, at: seconds(110)) == .over(.gaveUp(after: .seconds(10), tries: 0)))
  }

  @Test("FACE-12: a leave is confirmed by notMember after it, and by no other end")
  func confirmedLeave() {
    let gone = Farewell(Refusal(.notMember), comeBack: false)
    var heard = machine(.connected)
    #expect(heard.leave(at: seconds(100)) == .sayGoodbye(1))
    #expect(heard.refused(gone, on: 1, chance: 0, at: seconds(100)) == .over(.left))
    #expect(heard.leaveIsConfirmed)
    #expect(heard.join(at: seconds(101)) == .open(2))
    #expect(!heard.leaveIsConfirmed)
    var lost = machine(.connected)
    _ = lost.leave(at: seconds(100))
    #expect(lost.lost(1, chance: 0, at: seconds(100)) == .over(.left))
    #expect(!lost.leaveIsConfirmed)
    var moved = machine(.connected)
    _ = moved.leave(at: seconds(100))
    let away = Farewell(Refusal(.goingAway), comeBack: true)
    #expect(moved.refused(away, on: 1, chance: 0, at: seconds(100)) == .over(.left))
    #expect(!moved.leaveIsConfirmed)
    var removed = machine(.connected)
    #expect(removed.refused(gone, on: 1, chance: 0, at: seconds(100)) == .over(.refused(gone)))
    #expect(!removed.leaveIsConfirmed)
  }

  @Test("X-43, X-66: attempts of an outage can be counted too")
  func countedAttempts() {
    var policy = ConnectionPolicy.white()
    policy.reconnectTries = 3
    var machine = machine(.reconnecting, policy: policy)
    for link in LinkNumber(2)...3 {
      #expect(machine.networkBack(at: seconds(101)) == .open(link))
      #expect(machine.lost(link, chance: 0, at: seconds(101)) == .retryLater)
    }
    #expect(machine.networkBack(at: seconds(101)) == .open(4))
    #expect(
      machine.lost(4, chance: 0, at: seconds(101)) == .over(.gaveUp(after: .seconds(1), tries: 3)))
  }
}

@Suite struct ConnectionPolicyTests {
  @Test("X-1, X-2, X-3, X-8, X-40: one machine, and the numbers of the four services")
  func numbers() {
    let rows: [(ConnectionPolicy, [Duration?])] = [
      (.white(), [.seconds(4), nil, .seconds(30), .seconds(45), .seconds(45), nil]),
      (.rtc, [.seconds(4), .seconds(10), .seconds(20), .seconds(1_200), .seconds(45), .seconds(10)]),
      (.rtm, [.seconds(4), nil, .seconds(30), nil, .seconds(12), .zero]),
      (.signaling(), [.seconds(4), nil, .seconds(120), .seconds(120), .seconds(30), .seconds(7_200)]),
    ]
    for (policy, numbers) in rows {
      #expect(
        [
          policy.suspectAfter, policy.lostNotice, policy.offlineAfter, policy.giveUpAfter,
          policy.joinLimit, policy.emptyTtl,
        ] == numbers)
    }
  }

  @Test("TL-16: _conn_timeout is raised to 20 s and lowered to 120 s")
  func clamp() {
    #expect(ConnectionPolicy.signaling(timeout: .seconds(5)).offlineAfter == .seconds(20))
    #expect(ConnectionPolicy.signaling(timeout: .seconds(500)).offlineAfter == .seconds(120))
  }

  @Test("X-11: unified phases with names of their own, and the four views with their numbers")
  func views() {
    let end = ConnectionEnd.left
    let rows: [(ConnectionPhase, Int?, Int, Int, Int)] = [
      (.idle, nil, 1, 1, 0), (.connecting, 0, 2, 2, 1), (.connected, 1, 3, 3, 2),
      (.reconnecting, 2, 4, 4, 3), (.closing, 3, 3, 3, 2), (.closed(end), 4, 1, 1, 0),
      (.failed(end), 4, 5, 1, 0), (.aborted(end), 4, 5, 5, 0),
    ]
    for (phase, white, rtc, rtm, signaling) in rows {
      #expect(phase.white?.rawValue == white)
      #expect(phase.rtc.rawValue == rtc)
      #expect(phase.rtm.rawValue == rtm)
      #expect(phase.signaling.rawValue == signaling)
    }
  }

  @Test("TL-1 and TL-6: RTC says lost at 110 and fails at 1300; joining again needs a leave first")
  func rtc() {
    var machine = ConnectionMachine(policy: .rtc)
    _ = machine.join(at: seconds(99))
    _ = machine.live(1, at: seconds(100))
    #expect(machine.tick(chance: 0, at: seconds(104)) == .reconnecting(1))
    var notices: [Timestamp] = []
    while let due = machine.deadline {
      switch machine.tick(chance: 0.5, at: due) {
      case .lostNotice: notices.append(due)
      case .over: #expect(due == seconds(1_300))
      case .open(let link): _ = machine.lost(link, chance: 0.5, at: due)
      case .nothing, .reconnecting, .suspected, .retryLater: break
      }
    }
    #expect(notices == [seconds(110)])
    #expect(machine.phase.rtc == .failed)
    #expect(machine.join(at: seconds(1_301)) == .leaveFirst)
    #expect(machine.leave(at: seconds(1_301)) == .over)
    #expect(machine.phase.rtc == .disconnected)
    #expect(machine.join(at: seconds(1_301)) != .leaveFirst)
  }

  @Test("TL-10: RTM never gives up")
  func rtm() {
    var machine = ConnectionMachine(policy: .rtm)
    _ = machine.join(at: seconds(0))
    _ = machine.live(1, at: seconds(0))
    var attempts = 0
    while let due = machine.deadline, due < seconds(7_300) {
      if case .open = machine.tick(chance: 0.5, at: due) { attempts += 1 }
    }
    #expect(machine.phase.rtm == .reconnecting)
    #expect(attempts > 500)
  }

  @Test("TL-12 and TL-17, X-41: RTM's login ends at 12 s, Signaling's after 15 attempts or 30 s")
  func logins() {
    var rtm = ConnectionMachine(policy: .rtm)
    _ = rtm.join(at: seconds(0))
    while let due = rtm.deadline, rtm.phase == .connecting { _ = rtm.tick(chance: 0.5, at: due) }
    #expect(rtm.phase.end == .joinLimit(after: .seconds(12), tries: 3))
    var signaling = ConnectionMachine(policy: .signaling())
    _ = signaling.join(at: seconds(0))
    for link in LinkNumber(1)...15 {
      _ = signaling.lost(link, chance: 0, at: seconds(0))
      _ = signaling.networkBack(at: seconds(0))
    }
    #expect(signaling.phase.end == .joinLimit(after: .zero, tries: 15))
  }

  @Test("TL-13: a takeover aborts RTM, fails RTC, closes White")
  func takeover() {
    let farewell = Farewell(Refusal(.replaced), kick: .replaceByOther, comeBack: false)
    func phase(_ policy: ConnectionPolicy) -> ConnectionPhase {
      var machine = ConnectionMachine(policy: policy)
      _ = machine.join(at: seconds(0))
      _ = machine.live(1, at: seconds(0))
      _ = machine.refused(farewell, on: 1, chance: 0, at: seconds(1))
      return machine.phase
    }
    #expect(phase(.rtm) == .aborted(.refused(farewell)))
    #expect(phase(.rtc) == .failed(.refused(farewell)))
    #expect(phase(.white()) == .closed(.refused(farewell)))
  }
}
