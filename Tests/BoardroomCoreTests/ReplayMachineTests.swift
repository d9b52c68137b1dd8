import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

/// A machine whose inputs can stand in an expectation.
private final class Watched {
  var machine: ReplayMachine
  init(_ machine: ReplayMachine) { self.machine = machine }

  var phase: ReplayPhase { machine.phase }
  var speed: Double { machine.speed }
  var end: Timestamp { machine.end }
  func place(at now: Timestamp) -> Timestamp { machine.place(at: now) }
  func due(_ time: Timestamp) -> Timestamp? { machine.due(time) }
  func wake(next: Timestamp?) -> Timestamp? { machine.wake(next: next) }
  func apply(_ control: ReplayControl, at now: Timestamp) -> [ReplayMachine.Instruction] {
    machine.apply(control, at: now)
  }
  func tick(at now: Timestamp, isComplete: Bool) -> [ReplayMachine.Instruction] {
    machine.tick(at: now, isComplete: isComplete)
  }
  func arrived(_ search: Int, place: Timestamp, end: Timestamp, at now: Timestamp) -> Bool {
    machine.arrived(search, place: place, end: end, at: now)
  }
  func looked(end: Timestamp, goesOn: Bool, at now: Timestamp) -> [ReplayMachine.Instruction] {
    machine.looked(end: end, goesOn: goesOn, at: now)
  }
}

/// A log from second 100 to second 160, a server's clock that begins at 5,000 s.
@Suite struct ReplayMachineTests {
  private static func log(_ seconds: Double) -> Timestamp {
    Timestamp(milliseconds: Int64(seconds * 1_000))
  }
  private static func clock(_ seconds: Double) -> Timestamp { log(5_000 + seconds) }

  private func machine(_ place: Double = 100, speed: Double = 1) -> Watched {
    Watched(
      ReplayMachine(
        begin: Self.log(100), end: Self.log(160), place: Self.log(place), speed: speed, at: Self.clock(0)))
  }

  @Test(
    "RPL-11, RP-32: the place moves by the clock times the speed, and never beyond the end",
    arguments: [
      (1.0, 0.0, 100.0), (1, 7.5, 107.5), (4, 7.5, 130), (0.5, 10, 105), (0.01, 10, 100.1), (1, 60, 160),
      (1, 90, 160), (1_000, 1, 160),
    ])
  func places(_ speed: Double, _ passed: Double, _ place: Double) {
    #expect(machine(speed: speed).place(at: Self.clock(passed)) == Self.log(place))
  }

  @Test("RPL-11: an event is due when its place is reached, and that is when something is to be done")
  func dues() {
    let machine = machine(speed: 3)
    #expect(machine.due(Self.log(101)) == Self.clock(0.334), "not before it")
    #expect(machine.place(at: Self.clock(0.334)) >= Self.log(101))
    #expect(machine.place(at: Self.clock(0.333)) < Self.log(101))
    #expect(machine.wake(next: Self.log(101)) == Self.clock(0.334))
    #expect(machine.wake(next: Self.log(150)) == Self.clock(1), "watchers are told once a second")
  }

  @Test("RP-30, RP-32: while paused nothing is due and the speed stays; playing goes on where it stood")
  func pauses() {
    let machine = machine(speed: 2)
    #expect(machine.apply(.pause, at: Self.clock(5)) == [.tell])
    #expect(machine.phase == .paused)
    #expect(machine.speed == 2)
    #expect(machine.place(at: Self.clock(50)) == Self.log(110))
    #expect(machine.due(Self.log(111)) == nil)
    #expect(machine.wake(next: Self.log(111)) == nil)
    #expect(machine.tick(at: Self.clock(50), isComplete: false) == [])
    #expect(machine.apply(.speed(4), at: Self.clock(50)) == [.tell])
    #expect(machine.apply(.play, at: Self.clock(60)) == [.tell])
    #expect(machine.place(at: Self.clock(61)) == Self.log(114))
  }

  @Test("RPL-11: another speed counts from where it stands")
  func speeds() {
    let machine = machine()
    #expect(machine.apply(.speed(10), at: Self.clock(10)) == [.tell])
    #expect(machine.place(at: Self.clock(12)) == Self.log(130))
    _ = machine.apply(.speed(1_000_000), at: Self.clock(12))
    #expect(machine.speed == ReplayWish.speeds.upperBound)
  }

  @Test("RPL-12, RP-31: a seek holds the clock until its place is found; a newer one overrides it")
  func seeks() {
    let machine = machine()
    #expect(
      machine.apply(.seek(.time(Self.log(150))), at: Self.clock(5)) == [
        .find(.time(Self.log(150)), search: 1)
      ]
    )
    #expect(machine.place(at: Self.clock(9)) == Self.log(105))
    #expect(machine.tick(at: Self.clock(9), isComplete: false) == [])
    #expect(machine.apply(.seek(.revision(7)), at: Self.clock(9)) == [.find(.revision(7), search: 2)])
    #expect(!machine.arrived(1, place: Self.log(150), end: Self.log(160), at: Self.clock(10)))
    #expect(machine.arrived(2, place: Self.log(120), end: Self.log(160), at: Self.clock(11)))
    #expect(machine.place(at: Self.clock(13)) == Self.log(122))
    #expect(!machine.arrived(2, place: Self.log(150), end: Self.log(160), at: Self.clock(14)))
    _ = machine.apply(.pause, at: Self.clock(15))
    _ = machine.apply(.seek(.time(Self.log(101))), at: Self.clock(15))
    #expect(machine.arrived(3, place: Self.log(101), end: Self.log(160), at: Self.clock(16)))
    #expect(machine.phase == .paused)
    #expect(machine.place(at: Self.clock(99)) == Self.log(101))
  }

  @Test("RPL-13: at the end it looks whether the log goes on, and says that it has ended if not")
  func ends() {
    let machine = machine(150)
    #expect(
      machine.tick(at: Self.clock(10), isComplete: false).contains(.look) == false, "not all is shown yet")
    #expect(machine.tick(at: Self.clock(11), isComplete: true) == [.show(Self.log(160)), .look, .tell])
    #expect(machine.tick(at: Self.clock(11.2), isComplete: true) == [.show(Self.log(160))], "it looks once")
    #expect(machine.looked(end: Self.log(170), goesOn: true, at: Self.clock(12)) == [])
    #expect(machine.place(at: Self.clock(13)) == Self.log(161), "on from the old end, without a jump")
    _ = machine.tick(at: Self.clock(30), isComplete: true)
    #expect(machine.looked(end: Self.log(170), goesOn: false, at: Self.clock(31)) == [.tell])
    #expect(machine.phase == .ended)
    #expect(machine.end == Self.log(170))
    #expect(machine.wake(next: nil) == nil)
    #expect(machine.apply(.play, at: Self.clock(40)) == [.look])
    #expect(machine.looked(end: Self.log(170), goesOn: false, at: Self.clock(41)) == [.tell])
    #expect(machine.phase == .ended)
    _ = machine.apply(.play, at: Self.clock(50))
    #expect(machine.looked(end: Self.log(180), goesOn: true, at: Self.clock(51)) == [.tell])
    #expect(machine.phase == .playing)
    #expect(machine.place(at: Self.clock(52)) == Self.log(171))
  }

  @Test("RPL-13: a seek from the end plays on from there")
  func seeksFromTheEnd() {
    let machine = machine(160)
    _ = machine.tick(at: Self.clock(0), isComplete: true)
    _ = machine.looked(end: Self.log(160), goesOn: false, at: Self.clock(1))
    #expect(machine.apply(.pause, at: Self.clock(2)) == [.tell])
    #expect(machine.phase == .ended)
    _ = machine.apply(.seek(.time(Self.log(130))), at: Self.clock(3))
    #expect(machine.arrived(1, place: Self.log(130), end: Self.log(160), at: Self.clock(3)))
    #expect(machine.phase == .playing)
    #expect(machine.place(at: Self.clock(4)) == Self.log(131))
  }

  @Test("RPL-15: while nobody watches it stands still, and goes on where it was")
  func unwatched() {
    let machine = machine()
    machine.machine.watched(false, at: Self.clock(5))
    #expect(machine.tick(at: Self.clock(20), isComplete: false) == [])
    machine.machine.watched(true, at: Self.clock(30))
    #expect(machine.place(at: Self.clock(31)) == Self.log(106))
  }

  @Test("RPL-12: watchers are told at least once a second while it plays")
  func tells() {
    let machine = machine()
    var told = 0
    for quarter in 1...40 {
      let answers = machine.tick(at: Self.clock(Double(quarter) / 4), isComplete: false)
      told += answers.count { $0 == .tell }
    }
    #expect(told == 10)
    let status = machine.machine.status(revision: 9, at: Self.clock(10))
    let expected = ReplayStatus(
      phase: .playing, at: Self.log(110), revision: 9, speed: 1, begin: Self.log(100), end: Self.log(160))
    #expect(status == expected)
  }
}
