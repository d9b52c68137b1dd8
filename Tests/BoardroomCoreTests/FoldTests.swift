import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("The fold")
struct FoldTests {
  @Test("FOLD-1: revision, time and counter advance with every event, also if it does not fit")
  func advances() throws {
    var trial = Trial()
    let one = try trial.join()
    var state = trial.state
    let events: [Event] = [
      extendEvent(9), .scenes(.switched(77)), .members(.viewMode(.follower)),
      .elements(.erased([ElementID("9.9")!])),
      .members(.kicked(MemberKicked(member: 99, reason: .roomBan))),
      .room(.created(RoomCreated(name: "again"))),
    ]
    for (step, event) in events.enumerated() {
      let revision = state.revision.next
      let time = Timestamp(milliseconds: Int64(step) + 5)
      let counter = CommandCounter(step + 1)
      let anomaly = state.apply(
        RoomEvent(
          revision: revision, time: time, actor: .member(one), counter: counter, event: event))
      #expect(anomaly?.revision == revision, "\(event)")
      #expect(anomaly?.actor == .member(one), "\(event)")
      #expect(state.revision == revision)
      #expect(state.time == time)
      #expect(state.members[one]?.lastCounter == counter)
      #expect(state.members[one]?.lastRevision == revision)
    }
  }

  private func extendEvent(_ number: UInt64) -> Event {
    .drawing(.stroke(StrokeSegment(number: number, begin: nil, ends: false, points: points())))
  }

  @Test("FOLD-2: a refused command advances its author's counter and changes nothing else")
  func refusedAdvances() throws {
    var trial = Trial()
    let one = try trial.join()
    let before = trial.state
    #expect(trial.say(.scenes(.switchTo(.index(5))), one).code == .badParameter)
    #expect(trial.state.members[one]?.lastCounter == 1)
    var same = trial.state
    same.revision = before.revision
    same.time = before.time
    same.members[one]?.lastCounter = 0
    same.members[one]?.lastRevision = .zero
    #expect(same == before)
  }

  @Test("FOLD-3: unknown kinds, magix events and client phases change nothing else")
  func carriesOn() throws {
    var trial = Trial()
    let one = try trial.join()
    for event in [
      Event.unknown(kind: 200, payload: [1]),
      .diagnostics(.clientPhases([ClientPhase(phase: "reconnecting", ago: 3)])),
      .magix(MagixEvent(name: "a", payload: json("1"), raw: json("{}"))),
    ] {
      var state = trial.state
      var touched: RoomParts = []
      let anomaly = state.apply(
        RoomEvent(
          revision: state.revision.next, time: state.time, actor: .member(one), counter: 0, event: event),
        touching: &touched)
      #expect(anomaly == nil)
      #expect(touched.isEmpty)
      state.revision = trial.state.revision
      #expect(state == trial.state)
    }
  }

  @Test("FOLD-4: a counter never falls, so that a position held back does not undo a later command's")
  func counterNeverFalls() throws {
    var trial = Trial()
    let one = try trial.join()
    trial.record([Proposed(actor: .member(one), counter: 5, event: .state(.member(patch([("a", "1")]))))])
    let revision = trial.state.revision
    let move = PointerMove(scene: 1, unit: 0, x: 1, y: 1)
    trial.record([Proposed(actor: .member(one), counter: 4, event: .drawing(.pointer(move)))])
    #expect(trial.state.members[one]?.lastCounter == 5)
    #expect(trial.state.members[one]?.lastRevision == revision)
    #expect(trial.state.members[one]?.pointer == move)
  }

  @Test("RS-1: a patch sets top-level keys, and null removes one")
  func globalState() throws {
    var trial = Trial()
    let one = try trial.join()
    trial.say(.state(.global(patch([("a", "1"), ("b", "{\"c\":2}")]))), one)
    trial.say(.state(.global(patch([("b", nil), ("d", "[]"), ("never", nil)]))), one)
    #expect(trial.state.globalState == ["a": json("1"), "d": json("[]")])
  }

  @Test("RS-2: member states are each member's own, and end with the member")
  func memberState() throws {
    var trial = Trial()
    let (one, two) = (try trial.join(), try trial.join())
    trial.say(.state(.member(patch([("tool", "\"text\""), ("x", "1")]))), one)
    trial.say(.state(.member(patch([("x", nil)]))), one)
    #expect(trial.state.members[one]?.state == ["tool": json("\"text\"")])
    #expect(trial.state.members[two]?.state == [:])
    trial.record(trial.room.leave(one, .left))
    let three = try trial.join()
    #expect(trial.state.members[three]?.state == [:])
  }

  @Test("FOLD-5: members are numbered from 0 in order of joining and no number comes twice (PARITY rows RM)")
  func numbers() throws {
    var trial = Trial()
    #expect(try trial.join() == 0)
    #expect(try trial.join() == 1)
    trial.record(trial.room.leave(1, .left))
    #expect(try trial.join() == 2)
    #expect(trial.state.roster.map(\.id) == [0, 2])
  }

  @Test("FOLD-6: kicked and replaced do not remove a member by themselves, memberLeft does")
  func removal() throws {
    var trial = Trial()
    let one = try trial.join()
    trial.record([
      Proposed(actor: .server, event: .members(.kicked(MemberKicked(member: one, reason: .crash)))),
      Proposed(
        actor: .member(one), event: .members(.replaced(MemberReplaced(by: SessionID(high: 1, low: 1))))),
    ])
    #expect(trial.state.members[one] != nil)
    trial.record([Proposed(actor: .member(one), event: .members(.left(.kicked)))])
    #expect(trial.state.members[one] == nil)
    #expect(trial.anomalies.isEmpty)
  }

  @Test(
    "FOLD-7: a member that leaves or becomes read-only ends its open strokes, and no others'",
    arguments: [Event.members(.left(.timeout)), .members(.writable(false))])
  func endsStrokes(event: Event) throws {
    var trial = Trial()
    let (one, two) = (try trial.join(), try trial.join())
    for member in [one, two] { trial.say(begin(1), member) }
    trial.record([Proposed(actor: .member(one), event: event)])
    #expect(trial.state.elements.openStrokes == [ElementID(member: two, number: 1)])
    #expect(trial.state.elements[ElementID(member: one, number: 1)]?.isOpenStroke == false)
  }

  @Test("FOLD-8: the open strokes that are kept beside the places are those that the places show")
  func openStrokes() throws {
    var trial = Trial()
    let one = try trial.join()
    for number in 1...6 as ClosedRange<UInt64> { trial.say(begin(number, ends: number == 3), one) }
    trial.say(extend(1, ends: true), one)
    trial.say(.elements(.erase([ElementID(member: one, number: 2)])), one)
    let restored = ElementStore(places: trial.state.elements.places)
    #expect(restored.openStrokes == trial.state.elements.openStrokes)
    #expect(restored.openStrokes.count == 3)
  }

  @Test("FOLD-9: segments of a stroke are kept as they came, one after the other")
  func segments() throws {
    var trial = Trial()
    let one = try trial.join()
    trial.say(begin(1), one)
    trial.say(extend(1), one)
    trial.say(extend(1, ends: true), one)
    guard case .stroke(let stroke)? = trial.state.elements[ElementID(member: one, number: 1)]?.content
    else { Issue.record("no stroke"); return }
    #expect(stroke.segments == Array(points().bytes + points(2).bytes + points(2).bytes))
    #expect(stroke.pointCount == 5)
    #expect(stroke.ended)
  }

  @Test("FOLD-10: the phase and generation of a member are those of its last memberPhase")
  func phases() throws {
    var trial = Trial()
    let one = try trial.join()
    trial.record(trial.room.silent(one))
    #expect(trial.state.members[one]?.phase == .reconnecting)
    #expect(trial.room.silent(one).isEmpty)
    trial.record(trial.room.resumed(one))
    #expect(trial.state.members[one]?.phase == .connected)
    #expect(trial.state.members[one]?.generation == 2)
    trial.record(trial.room.silent(one))
    trial.record(trial.room.heardAgain(one))
    #expect(trial.state.members[one]?.phase == .connected)
    #expect(trial.state.members[one]?.generation == 2)
  }
}
