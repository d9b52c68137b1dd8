import BoardroomCore
import BoardroomModel
import EventLogModel
import StorageTestKit
import Testing

private func at(_ seconds: Double) -> Timestamp { Timestamp(milliseconds: Int64(seconds * 1_000)) }

@Suite struct SessionMachineTests {
  private func joined() -> SessionMachine {
    SessionMachine(joinedOn: 1, at: at(100), timings: Timings())
  }

  @Test("Silence for suspectAfter makes a member reconnecting, a byte makes it connected again")
  func suspicion() {
    var machine = joined()
    #expect(machine.deadline == at(104))
    #expect(machine.tick(at: at(103.999)) == .nothing)
    #expect(machine.tick(at: at(104)) == .suspected)
    #expect(machine.tick(at: at(105)) == .nothing)
    #expect(machine.deadline == at(130))
    #expect(machine.noteSignOfLife(on: 1, at: at(110)) == .revived)
    #expect(machine.noteSignOfLife(on: 1, at: at(111)) == .nothing)
    #expect(machine.deadline == at(115))
  }

  @Test(
    "WIRE-20: announced silence makes nobody suspected; the grace counts from the last byte all the same (P-13)"
  )
  func quiet() {
    var machine = joined()
    _ = machine.noteSignOfLife(on: 1, at: at(101))
    machine.noteQuiet(for: .seconds(10), at: at(101))
    #expect(machine.deadline == at(115))
    #expect(machine.tick(at: at(114.999)) == .nothing)
    #expect(machine.tick(at: at(115)) == .suspected)
    #expect(machine.deadline == at(131))
    machine = joined()
    machine.noteQuiet(for: .seconds(28), at: at(100))
    #expect(machine.deadline == at(130))
    #expect(machine.tick(at: at(130)) == .gone(.timeout))
  }

  @Test(
    "WIRE-20: who is told something in a quiet room is suspected after 4 s without an answer; a byte alone ends nothing"
  )
  func endOfQuiet() {
    var machine = joined()
    machine.noteQuiet(for: .seconds(10), at: at(100))
    _ = machine.noteSignOfLife(on: 1, at: at(101))
    #expect(machine.deadline == at(114))
    machine.endQuiet(at: at(102))
    #expect(machine.deadline == at(106))
    machine.endQuiet(at: at(105))
    #expect(machine.deadline == at(106))
    _ = machine.resume(1, on: 2, at: at(105))
    #expect(machine.deadline == at(109))
  }

  @Test("SES-8, SES-9, 10.3 rule 2: a close without a leave is silence; the grace is from the last byte")
  func closing() {
    var machine = joined()
    _ = machine.noteSignOfLife(on: 1, at: at(102))
    #expect(machine.closed(1, at: at(103)) == .reconnecting)
    #expect(machine.deadline == at(132))
    #expect(machine.tick(at: at(131.999)) == .nothing)
    #expect(machine.tick(at: at(132)) == .gone(.timeout))
    #expect(machine.deadline == nil)
    #expect(machine.tick(at: at(200)) == .nothing)
  }

  @Test("A connection that closes after it was suspected says nothing new")
  func closingWhenSuspected() {
    var machine = joined()
    _ = machine.tick(at: at(104))
    #expect(machine.closed(1, at: at(106)) == .nothing)
  }

  @Test("TL-9: the end of the grace is decided before a resume at the same instant")
  func boundary() {
    for (instant, expected): (Double, SessionMachine.Resumption) in [
      (129.999, .resumed(2, fenced: nil)), (130, .gone(ending: .timeout)), (131, .gone(ending: .timeout)),
    ] {
      var machine = joined()
      _ = machine.closed(1, at: at(100))
      #expect(machine.resume(1, on: 2, at: at(instant)) == expected)
    }
  }

  @Test("The end of a stay is told once")
  func endOnce() {
    var machine = joined()
    #expect(machine.resume(1, on: 2, at: at(140)) == .gone(ending: .timeout))
    #expect(machine.resume(1, on: 3, at: at(141)) == .gone(ending: nil))
    #expect(machine.end(.kicked) == false)
  }

  @Test("A resume fences the older connection; what it still says and its close are ignored")
  func fencing() {
    var machine = joined()
    #expect(machine.resume(1, on: 2, at: at(105)) == .resumed(2, fenced: 1))
    #expect(machine.noteSignOfLife(on: 1, at: at(106)) == .ignored)
    #expect(machine.closed(1, at: at(106)) == .ignored)
    #expect(machine.leave(on: 1) == false)
    #expect(machine.connection == 2)
    #expect(machine.noteSignOfLife(on: 2, at: at(106)) == .nothing)
  }

  @Test("SES-12, 10.3 rule 1: an older generation is refused, once the newer one has been heard")
  func staleGeneration() {
    var machine = joined()
    _ = machine.resume(1, on: 2, at: at(105))
    // The welcome of generation 2 was lost: the client knows 1 only, and is still the newest client.
    #expect(machine.resume(1, on: 3, at: at(106)) == .resumed(3, fenced: 2))
    _ = machine.noteSignOfLife(on: 3, at: at(107))
    #expect(machine.resume(1, on: 4, at: at(108)) == .stale)
    #expect(machine.resume(2, on: 4, at: at(108)) == .stale)
    #expect(machine.resume(3, on: 4, at: at(108)) == .resumed(4, fenced: 3))
  }

  @Test("SES-12, SES-17: a later generation than the log knows goes on: the log was set back")
  func laterGeneration() {
    var machine = SessionMachine(restored: 3, at: at(100), timings: joined().timings)
    #expect(machine.resume(9, on: 1, at: at(105)) == .resumed(4, fenced: nil))
    // Its welcome was lost.
    #expect(machine.resume(9, on: 2, at: at(106)) == .resumed(5, fenced: 1))
    _ = machine.noteSignOfLife(on: 2, at: at(107))
    #expect(machine.resume(4, on: 3, at: at(108)) == .stale)
  }

  @Test("An explicit leave is immediate")
  func leaving() {
    var machine = joined()
    #expect(machine.leave(on: 1) == true)
    #expect(machine.state == .gone(.left))
    #expect(machine.closed(1, at: at(101)) == .ignored)
  }

  @Test("A stay found in the log has a whole grace from the opening, and then ends with serverRestart")
  func restored() {
    var machine = SessionMachine(restored: 3, at: at(500), timings: Timings())
    #expect(machine.connection == nil)
    #expect(machine.deadline == at(530))
    var other = machine
    #expect(machine.resume(3, on: 9, at: at(529)) == .resumed(4, fenced: nil))
    _ = machine.closed(9, at: at(529))
    #expect(machine.tick(at: at(559)) == .gone(.timeout))
    #expect(other.tick(at: at(530)) == .gone(.serverRestart))
  }

  @Test("Whatever happens in whatever order, nothing comes after the end and the deadline never lies")
  func property() {
    var chance = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      var machine = joined()
      var now = at(100)
      var ended = false
      for connection in UInt64(2)..<60 {
        now = now + .milliseconds(Int64(chance.next() % 9_000))
        let isOverdue = machine.deadline.map { $0 <= now } ?? false
        let before = machine
        switch chance.next() % 5 {
        case 0: _ = machine.noteSignOfLife(on: machine.connection ?? 0, at: now)
        case 1: _ = machine.closed(machine.connection ?? 0, at: now)
        case 2: _ = machine.resume(machine.generation, on: connection, at: now)
        case 3: if chance.next() % 20 == 0 { _ = machine.end(.kicked) }
        default:
          #expect((machine.tick(at: now) != .nothing) == isOverdue)
        }
        if ended { #expect(machine == before) }
        if case .gone = machine.state { ended = true }
        #expect((machine.deadline == nil) == ended)
        #expect(machine.generation >= before.generation)
      }
    }
  }
}
