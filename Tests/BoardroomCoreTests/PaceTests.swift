import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Pointers and cameras")
struct PaceTests {
  private func trial(_ pace: RoomPolicy.Pace) throws -> Trial {
    var trial = Trial(RoomPolicy(pointers: pace, cameras: pace))
    for _ in 0..<2 { try trial.join() }
    return trial
  }

  private func moves(_ trial: Trial) -> [Int64] {
    trial.log.compactMap { if case .drawing(.pointer(let move)) = $0.event { move.x } else { nil } }
  }

  @Test("DEC-13: at most one pointer a pace is recorded; the newest wins, and the last is never lost")
  func gathers() throws {
    var trial = try trial(.every(.milliseconds(50)))
    let start = trial.now
    #expect(trial.say(pointer(1), 0).isDone, "the first goes at once")
    for x in 2...9 as ClosedRange<Int64> {
      trial.wait(5)
      #expect(trial.say(pointer(x), 0) == .later(start + .milliseconds(50)))
    }
    #expect(trial.room.nextDue == start + .milliseconds(50))
    #expect(trial.passDue().isEmpty)
    trial.wait(10)
    let due = trial.passDue()
    #expect(due.map(\.counter) == [9])
    #expect(due.first?.settles == Array(2...8))
    #expect(moves(trial) == [1, 9])
    #expect(trial.room.nextDue == nil)
    #expect(trial.state.members[0]?.pointer?.x == 9)
    #expect(trial.state.members[0]?.lastCounter == 9)
    trial.wait(50)
    #expect(trial.say(pointer(10), 0).isDone)
  }

  @Test("DEC-13: a new pointer after its time takes the waiting one's place at once")
  func lateNews() throws {
    var trial = try trial(.every(.milliseconds(50)))
    trial.say(pointer(1), 0)
    trial.say(pointer(2), 0)
    trial.wait(80)
    let decision = trial.say(pointer(3), 0)
    #expect(decision.proposed.map(\.counter) == [3])
    #expect(decision.proposed.first?.settles == [2])
    #expect(trial.room.nextDue == nil)
  }

  @Test("DEC-14: members, and a member's pointer and camera, do not wait for one another")
  func apart() throws {
    var trial = try trial(.every(.milliseconds(50)))
    for command in [pointer(1), camera(1)] {
      for member in [0, 1] as [MemberID] { #expect(trial.say(command, member).isDone) }
    }
    for command in [pointer(2), camera(2)] { trial.say(command, 0) }
    #expect(trial.say(magix(), 0).isDone)
    trial.wait(50)
    #expect(trial.passDue().map(\.counter) == [3, 4])
    #expect(trial.state.members[0]?.lastCounter == 5, "the magix event's")
    #expect(trial.say(magix(), 0).isDone)
    #expect(trial.anomalies.isEmpty)
  }

  @Test("IDEM-4: a held position is a duplicate when sent again, and leaves no gap")
  func heldDuplicate() throws {
    var trial = try trial(.every(.milliseconds(50)))
    trial.say(pointer(1), 0)
    let held = NumberedCommand(counter: 2, command: pointer(2))
    #expect(trial.say(held, 0) == .later(trial.now + .milliseconds(50)))
    #expect(trial.say(held, 0) == .duplicate)
    #expect(trial.say(NumberedCommand(counter: 3, command: magix()), 0).isDone)
  }

  @Test("DEC-15: with pointers off nothing is recorded, nothing is refused, and counters go on")
  func off() throws {
    var trial = try trial(.off)
    let count = trial.log.count
    for x in 0..<5 as Range<Int64> { #expect(trial.say(pointer(x), 0) == .events([])) }
    #expect(trial.log.count == count)
    #expect(trial.say(magix(), 0).isDone)
    #expect(trial.state.members[0]?.lastCounter == 6)
  }

  @Test("DEC-16: with every pointer recorded none waits")
  func all() throws {
    var trial = try trial(.all)
    for x in 0..<5 as Range<Int64> { #expect(trial.say(pointer(x), 0).isDone) }
    #expect(moves(trial) == [0, 1, 2, 3, 4])
  }

  @Test("DEC-13: who leaves takes its waiting positions along")
  func leaving() throws {
    var trial = try trial(.every(.milliseconds(50)))
    trial.say(pointer(1), 0)
    trial.say(pointer(2), 0)
    trial.record(trial.room.leave(0, .left))
    trial.wait(100)
    #expect(trial.room.nextDue == nil)
    #expect(trial.passDue().isEmpty)
  }

  @Test(
    "P-12, DEC-13: a pointer that waits while its author becomes read-only changes nothing any more, and has its receipt",
    arguments: [
      .members(.setWritable(false)), .moderation(.writing(1, isAllowed: false)), .moderation(.lock(true)),
      .scenes(.remove(path: "/b")),
    ] as [Command])
  func readOnlyMeanwhile(_ command: Command) throws {
    var trial = Trial(RoomPolicy(pointers: .every(.milliseconds(50)), cameras: .every(.milliseconds(50))))
    try trial.join(role: .admin)
    try trial.join()
    trial.say(pages("/", ["b"]), 0)
    let page = try #require(trial.state.scenes.first { $0.path == "/b" }?.id)
    trial.say(pointer(1, on: page), 1)
    trial.say(pointer(2, on: page), 1)
    trial.say(pointer(3, on: page), 1)
    #expect(trial.say(command, command == .members(.setWritable(false)) ? 1 : 0).isDone)
    trial.wait(60)
    let due = trial.passDue()
    #expect(due.map(\.event) == [.diagnostics(.nothingChanged(kind: EventKind.pointer.rawValue))])
    #expect(due.first?.counter == 3)
    #expect(due.first?.settles == [2])
    #expect(trial.state.members[1]?.pointer?.x == 1)
    #expect(moves(trial) == [1])
  }

  @Test("DEC-6, DEC-13: a camera that waits while its author becomes read-only still goes")
  func cameraOfReadOnly() throws {
    var trial = try trial(.every(.milliseconds(50)))
    trial.say(camera(1), 0)
    trial.say(camera(2), 0)
    #expect(trial.say(.members(.setWritable(false)), 0).isDone)
    trial.wait(60)
    #expect(trial.passDue().map(\.event.kind) == [EventKind.camera.rawValue])
  }

  @Test("DEC-13: a clock that steps back holds nothing for ever")
  func clockStepsBack() throws {
    var trial = try trial(.every(.milliseconds(50)))
    trial.say(pointer(1), 0)
    trial.wait(-100_000)
    #expect(trial.say(pointer(2), 0).isDone)
  }
}
