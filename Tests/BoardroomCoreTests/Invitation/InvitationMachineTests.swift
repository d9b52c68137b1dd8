import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

private typealias Machine = InvitationMachine
private let start = Timestamp(milliseconds: 1_000_000)

private func invitation(
  _ step: InviteStep, needsPeer: Bool = false, timeout: Int? = nil
) -> Invitation {
  Invitation(
    serial: 1, service: .signaling, channel: "c", callee: "ben", extra: "", needsPeer: needsPeer,
    until: timeout.map { start + .seconds($0) }, began: start, step: step, since: start)
}

private struct Row: Sendable, CustomTestStringConvertible {
  var step: InviteStep
  var needsPeer = false
  var input: InvitationMachine.Input
  /// Seconds after the beginning.
  var at = 1
  var timeout: Int?
  var moves: [InviteMoved.Move] = []
  var news: InviteHeard.News?
  var isRefused = false
  var testDescription: String { "\(step) \(input) at \(at)" }
}

private func no(_ step: InviteStep, _ input: InvitationMachine.Input) -> Row {
  Row(step: step, input: input, isRefused: true)
}

private let end = InvitationMachine.Input.ended(byCaller: true, extra: "e")
private let calleeEnds = InvitationMachine.Input.ended(byCaller: false, extra: "e")
private let tones = InvitationMachine.Input.tones(byCaller: true, digits: "1")
private let ended = InviteMoved.Move.ended(byCaller: true, extra: "e")
private let endedByCallee = InviteMoved.Move.ended(byCaller: false, extra: "e")

/// PARITY rows SIG-I, SIGI, row by row, and what is no row.
private let table: [Row] = [
  Row(step: .created, input: .calleeThere, moves: [.sent]),
  Row(step: .created, needsPeer: true, input: .calleeNotThere, moves: [.failed(code: 703)]),
  Row(step: .created, input: .calleeNotThere, moves: [.waiting]),
  Row(step: .waiting, input: .calleeNotThere),
  Row(step: .waiting, input: .calleeThere, at: 19, moves: [.sent]),
  Row(step: .waiting, input: .tick, at: 19),
  Row(step: .waiting, input: .tick, at: 20, moves: [.failed(code: 703)]),
  Row(step: .waiting, input: .calleeThere, at: 20, moves: [.failed(code: 703)], news: .withdrawn),
  Row(step: .created, input: .tick, at: 20, moves: [.failed(code: 703)]),
  Row(step: .sent, input: .rang, moves: [.ringing]),
  Row(step: .ringing, input: .rang),
  Row(step: .sent, input: .calleeThere),
  Row(step: .sent, input: .tick, at: 20, moves: [.failed(code: 703)], news: .withdrawn),
  Row(step: .ringing, input: .tick, at: 500),
  Row(step: .waiting, input: .tick, at: 10, timeout: 10, moves: [.failed(code: 704)]),
  Row(step: .sent, input: .tick, at: 10, timeout: 10, moves: [.failed(code: 704)], news: .withdrawn),
  Row(step: .ringing, input: .tick, at: 30, timeout: 30, moves: [.failed(code: 704)], news: .withdrawn),
  Row(step: .sent, input: .tick, at: 20, timeout: 30, moves: [.failed(code: 703)], news: .withdrawn),
  Row(
    step: .ringing, input: .accepted(extra: "a"), at: 10, timeout: 10, moves: [.failed(code: 704)],
    news: .withdrawn, isRefused: true),
  Row(step: .accepted, input: .tick, at: 500, timeout: 10),
  Row(step: .sent, input: .accepted(extra: "a"), moves: [.accepted(extra: "a")], news: .accepted),
  Row(step: .ringing, input: .accepted(extra: "a"), moves: [.accepted(extra: "a")], news: .accepted),
  Row(step: .sent, input: .refused(extra: "r"), moves: [.refused(extra: "r")], news: .refused),
  Row(step: .ringing, input: .refused(extra: "r"), moves: [.refused(extra: "r")], news: .refused),
  Row(step: .created, input: end, moves: [ended]),
  Row(step: .waiting, input: end, moves: [ended]),
  Row(step: .sent, input: end, moves: [ended], news: .ended(byCaller: true, extra: "e")),
  Row(step: .ringing, input: end, moves: [ended], news: .ended(byCaller: true, extra: "e")),
  Row(step: .accepted, input: end, moves: [ended], news: .ended(byCaller: true, extra: "e")),
  Row(step: .ringing, input: calleeEnds, moves: [endedByCallee], news: .ended(byCaller: false, extra: "e")),
  Row(step: .accepted, input: calleeEnds, moves: [endedByCallee], news: .ended(byCaller: false, extra: "e")),
  Row(step: .accepted, input: tones, moves: [.tones(byCaller: true, digits: "1")], news: .tones(digits: "1")),
  Row(
    step: .accepted, input: .tones(byCaller: false, digits: "1"),
    moves: [.tones(byCaller: false, digits: "1")]),
  Row(step: .created, input: .callerGone, moves: [.failed(code: 702)]),
  Row(step: .waiting, input: .callerGone, moves: [.failed(code: 702)]),
  Row(step: .sent, input: .callerGone, moves: [.failed(code: 702)], news: .withdrawn),
  Row(step: .ringing, input: .callerGone, moves: [.failed(code: 702)], news: .withdrawn),
  Row(
    step: .accepted, input: .callerGone, moves: [.ended(byCaller: true, extra: "")],
    news: .ended(byCaller: true, extra: "")),
  Row(step: .waiting, input: .calleeGone),
  Row(step: .sent, input: .calleeGone, moves: [.failed(code: 703)], news: .withdrawn),
  Row(step: .ringing, input: .calleeGone, moves: [.failed(code: 703)], news: .withdrawn),
  Row(
    step: .accepted, input: .calleeGone, moves: [.ended(byCaller: false, extra: "")],
    news: .ended(byCaller: false, extra: "")),
  no(.created, .rang), no(.waiting, .accepted(extra: "")), no(.waiting, .refused(extra: "")),
  no(.created, calleeEnds), no(.sent, calleeEnds), no(.waiting, tones), no(.ringing, tones),
  no(.accepted, .rang), no(.accepted, .accepted(extra: "")), no(.accepted, .refused(extra: "")),
]

@Test("SIGI-1..14, INV-1, INV-2: the table of 7.7", arguments: table)
private func invitationTable(_ row: Row) {
  var machine = Machine(invitation(row.step, needsPeer: row.needsPeer, timeout: row.timeout))
  let outcome = machine.take(row.input, at: start + .seconds(row.at))
  #expect(outcome.moves == row.moves)
  #expect(outcome.news == row.news)
  #expect((outcome.refusal != nil) == row.isRefused)
  #expect(row.moves.isEmpty || machine.invitation.step != row.step || row.step == .accepted)
}

@Test(
  "INV-2: what is over stays over, whatever comes",
  arguments: [InviteStep.refused, .failed, .ended],
  [.calleeThere, .rang, .accepted(extra: ""), end, calleeEnds, tones, .callerGone, .tick])
private func overIsOver(_ step: InviteStep, _ input: InvitationMachine.Input) {
  var machine = Machine(invitation(step, timeout: 1))
  let outcome = machine.take(input, at: start + .seconds(100))
  #expect(outcome.moves == [])
  #expect(outcome.news == nil)
  #expect(outcome.refusal?.code == .noSuchInvite)
  #expect(machine.deadline == nil)
  #expect(machine.invitation.step == step)
}

@Test("SIG-I6: a timeout is 0 to 30 s; absent or 0 is none, more is 30, below zero is badParameter")
private func timeoutIsClamped() throws {
  #expect(try Machine.limit(nil) == nil)
  #expect(try Machine.limit(.zero) == nil)
  #expect(try Machine.limit(.seconds(10)) == .seconds(10))
  #expect(try Machine.limit(.seconds(31)) == .seconds(30))
  #expect(throws: Refusal.self) { try Machine.limit(.seconds(-1)) }
}

@Test("A sliding window lets through so many in any stretch, wherever it begins")
private func slidingWindow() {
  var window = SlidingWindow(3, in: .seconds(1))
  let taken = [0, 500, 500, 999, 1_000, 1_499, 1_500, 1_501].map {
    window.take(at: start + .milliseconds($0))
  }
  #expect(taken == [true, true, true, false, true, false, true, true])
}
