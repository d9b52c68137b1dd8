import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Histories")
struct HistoryTests {
  @Test("HIST-1, EL-6: only who asks keeps a history, as much as asked for and allowed; 0 ends it")
  func asking() throws {
    var trial = Trial()
    for _ in 0..<2 { try trial.join() }
    trial.say(rectangle("0.1"), 0)
    #expect(trial.state.histories.isEmpty)
    #expect(trial.steps(0) == [0, 0])
    #expect(trial.say(.history(.undo(nil)), 0).code == .nothingToUndo)
    trial.say(.history(.keep(scenes: 1_000)), 0)
    #expect(trial.state.histories[0]?.kept == HistoryDepth(scenes: 20, depth: 100))
    trial.say(.history(.keep(scenes: 3)), 0)
    #expect(trial.state.histories[0]?.kept == HistoryDepth(scenes: 3, depth: 100))
    trial.say(rectangle("0.2"), 0)
    #expect(trial.steps(0) == [1, 0])
    #expect(trial.steps(1) == [0, 0])
    trial.say(.history(.keep(scenes: 0)), 0)
    #expect(trial.state.histories.isEmpty)
    #expect(trial.has("0.2"))
    trial.say(.history(.keep(scenes: -5)), 1)
    #expect(trial.state.histories.isEmpty)
  }

  struct Row: Sendable {
    var what: String
    var command: Command
    /// What is true of the room before and after.
    var changed: @Sendable (Trial) -> Bool
  }

  static let rows: [Row] = [
    Row(what: "a stroke", command: begin(9, ends: true)) { $0.has("0.9") },
    Row(what: "an element", command: rectangle("0.9", set: [("x", "5")])) {
      $0.attribute("x", of: "0.9") == "5"
    },
    Row(what: "one put anew", command: rectangle("0.1", x: 7, set: [("y", "1")])) {
      $0.attribute("y", of: "0.1") == "1" && $0.attribute("x", of: "0.1") == nil
    },
    Row(what: "a copy put anew", command: rectangle("0.3", x: 7)) {
      $0.state.elements[element("0.3")]?.isCopy == false
    },
    Row(what: "attributes", command: change("0.1", ("x", "8"), ("y", "9"), ("style.fill", "1"))) {
      $0.attribute("x", of: "0.1") == "8" && $0.attribute("y", of: "0.1") == "9"
    },
    Row(what: "one attribute taken away", command: change("0.1", ("x", nil))) {
      $0.attribute("x", of: "0.1") == nil
    },
    Row(what: "one element changed twice", command: changes([("0.1", [("x", "8")]), ("0.1", [("x", "9")])])) {
      $0.attribute("x", of: "0.1") == "9"
    },
    Row(what: "a lock", command: change("0.1", ("locked", "true"), ("x", "8"))) {
      $0.attribute("locked", of: "0.1") == "true"
    },
    Row(what: "a copy", command: copy("0.1", as: "0.9", [("y", "2")])) {
      $0.attribute("y", of: "0.9") == "2"
    },
    Row(what: "erasing", command: erase("0.1", "0.2")) {
      !$0.has("0.1") && !$0.has("0.2") && $0.isBuried("0.1")
    },
    Row(what: "cleaning", command: .scenes(.clean(SceneClean()))) { $0.state.elements.count == 0 },
  ]

  @Test(
    "HIST-2, EL-7: undo takes back the newest step of one's own, redo does it again, as often as one likes",
    arguments: rows.indices)
  func undoing(row: Int) throws {
    var trial = try Trial.withHistories(2)
    trial.say(rectangle("0.1", x: 3), 0)
    trial.say(change("0.1", ("x", "1")), 0)
    trial.say(begin(2, ends: true), 0)
    trial.say(copy("0.1", as: "0.3"), 0)
    let (steps, before, isChanged) = (trial.steps(0)[0], trial.state.elements, Self.rows[row].changed)
    #expect(!isChanged(trial))
    trial.say(Self.rows[row].command, 0)
    let after = trial.state.elements
    #expect(isChanged(trial), "\(Self.rows[row].what)")
    #expect(trial.steps(0) == [steps + 1, 0], "\(Self.rows[row].what)")
    for _ in 0..<3 {
      #expect(trial.say(.history(.undo(nil)), 0).isDone)
      #expect(trial.steps(0) == [steps, 1])
      #expect(!isChanged(trial))
      #expect(trial.state.elements.all(in: 1) == before.all(in: 1), "\(Self.rows[row].what)")
      #expect(trial.say(.history(.redo(nil)), 0).isDone)
      #expect(trial.steps(0) == [steps + 1, 0], "\(Self.rows[row].what)")
      #expect(trial.state.elements == after, "\(Self.rows[row].what)")
    }
    #expect(trial.anomalies.isEmpty)
  }

  @Test("HIST-2: all the steps can be undone to the empty board and redone to the full one")
  func allTheWay() throws {
    var trial = try Trial.withHistories(1)
    let work = [
      rectangle("0.1"), change("0.1", ("x", "1")), copy("0.1", as: "0.2"), erase("0.1"),
      rectangle("0.2", x: 4),
    ]
    for command in work { trial.say(command, 0) }
    let full = trial.state.elements
    for left in (0..<5).reversed() {
      #expect(trial.say(.history(.undo(nil)), 0).isDone)
      #expect(trial.steps(0) == [left, 5 - left])
    }
    #expect(trial.state.elements.count == 0)
    #expect(trial.say(.history(.undo(nil)), 0).code == .nothingToUndo)
    for _ in 0..<5 { #expect(trial.say(.history(.redo(nil)), 0).isDone) }
    #expect(trial.state.elements == full)
    #expect(trial.say(.history(.redo(nil)), 0).code == .nothingToUndo)
    #expect(trial.anomalies.isEmpty)
  }

  @Test("HIST-3: a new step clears what could be redone on its scene, not on others")
  func clearsRedo() throws {
    var trial = try Trial.withHistories(1)
    trial.say(pages("/", ["b"]), 0)
    for (number, scene) in [(1, 1), (2, 2), (3, 2)] {
      trial.say(rectangle("0.\(number)", on: SceneID(scene)), 0)
    }
    for scene in [1, 2] as [SceneID] { trial.say(.history(.undo(scene)), 0) }
    #expect(trial.steps(0, on: 1) == [0, 1])
    #expect(trial.steps(0, on: 2) == [1, 1])
    #expect(trial.isBuried("0.3"))
    trial.say(change("0.2", ("x", "1")), 0)
    #expect(trial.steps(0, on: 1) == [0, 1])
    #expect(trial.steps(0, on: 2) == [2, 0])
    #expect(!trial.isBuried("0.3"), "nothing can bring it back any more")
    #expect(trial.isBuried("0.1"), "nothing can bring it back any more")
  }

  @Test("HIST-4: steps are those of the scene that they worked on; without a name it is the current one")
  func scenes() throws {
    var trial = try Trial.withHistories(1)
    trial.say(pages("/", ["b"]), 0)
    trial.say(rectangle("0.1", on: 1), 0)
    trial.say(rectangle("0.2", on: 2), 0)
    trial.say(changes([("0.1", [("x", "1")]), ("0.2", [("x", "1")])]), 0)
    #expect(trial.steps(0, on: 1) == [2, 0])
    #expect(trial.steps(0, on: 2) == [2, 0])
    trial.say(.history(.undo(2)), 0)
    #expect(trial.attribute("x", of: "0.1") == "1")
    #expect(trial.attribute("x", of: "0.2") == nil)
    trial.say(.history(.undo(nil)), 0)
    #expect(trial.attribute("x", of: "0.1") == nil)
    #expect(trial.steps(0) == [1, 1])
    #expect(trial.say(.history(.undo(9)), 0).code == .noSuchScene)
  }

  @Test(
    "HIST-5: the oldest step goes when there are more than the depth, the scene not worked on for longest likewise"
  )
  func depth() throws {
    var trial = try Trial.withHistories(
      1, scenes: 2, RoomPolicy(rate: nil, history: HistoryDepth(scenes: 5, depth: 3)))
    trial.say(pages("/", ["b", "c"]), 0)
    for number in 1...4 { trial.say(rectangle("0.\(number)"), 0) }
    trial.say(erase("0.1"), 0)
    #expect(trial.steps(0) == [3, 0])
    for number in 1...3 { trial.say(change("0.2", ("x", "\(number)")), 0) }
    #expect(!trial.isBuried("0.1"), "its erasing can no longer be undone")
    trial.say(rectangle("0.12", on: 2), 0)
    trial.say(rectangle("0.13", on: 3), 0)
    #expect(trial.steps(0, on: 1) == [0, 0])
    #expect(trial.steps(0, on: 2) == [1, 0])
    #expect(trial.steps(0, on: 3) == [1, 0])
    trial.say(.history(.undo(2)), 0)
    trial.say(rectangle("0.5"), 0)
    #expect(trial.steps(0, on: 2) == [0, 1], "undoing is work too")
    #expect(trial.steps(0, on: 3) == [0, 0], "undoing is work too")
    trial.say(.history(.keep(scenes: 1)), 0)
    #expect(trial.steps(0) == [1, 0])
    #expect(trial.steps(0, on: 2) == [0, 0])
    #expect(trial.state.elements.buriedCount == 0)
  }

  struct Conflict: Sendable {
    var what: String
    var mine: [Command]
    var undone = 0
    var theirs: Command
    var steps: [Int]
  }

  static let conflicts: [Conflict] = [
    Conflict(
      what: "the same key", mine: [change("0.1", ("x", "1"))], theirs: change("0.1", ("x", "2")),
      steps: [0, 0]),
    Conflict(
      what: "the same key, to the same value", mine: [change("0.1", ("x", "1"))],
      theirs: change("0.1", ("x", "1")), steps: [0, 0]),
    Conflict(
      what: "another key", mine: [change("0.1", ("x", "1"))], theirs: change("0.1", ("y", "2")),
      steps: [1, 0]),
    Conflict(
      what: "another element", mine: [change("0.1", ("x", "1"))], theirs: change("0.2", ("x", "2")),
      steps: [1, 0]),
    Conflict(
      what: "one key of two", mine: [change("0.1", ("x", "1"), ("y", "1"))],
      theirs: change("0.1", ("x", "2")), steps: [1, 0]),
    Conflict(
      what: "an element of mine changed", mine: [rectangle("1.1")], theirs: change("1.1", ("x", "2")),
      steps: [0, 0]),
    Conflict(
      what: "an element of mine erased", mine: [rectangle("1.1"), change("1.1", ("x", "1"))],
      theirs: erase("1.1"), steps: [0, 0]),
    Conflict(
      what: "an element of mine put anew", mine: [rectangle("1.1")], theirs: rectangle("1.1", x: 2),
      steps: [0, 0]),
    Conflict(
      what: "an element of mine copied", mine: [rectangle("1.1")], theirs: copy("1.1", as: "0.9"),
      steps: [1, 0]),
    Conflict(
      what: "what I put anew changed", mine: [rectangle("0.1", x: 9)], theirs: change("0.1", ("y", "2")),
      steps: [0, 0]),
    Conflict(
      what: "what I put anew changed: what I did before goes too, what I did since stays",
      mine: [change("0.1", ("x", "1")), rectangle("0.1", x: 9), change("0.1", ("x", "3"))],
      theirs: change("0.1", ("y", "2")), steps: [1, 0]),
    Conflict(
      what: "what I undid", mine: [change("0.1", ("x", "1"))], undone: 1, theirs: change("0.1", ("x", "2")),
      steps: [0, 0]),
    Conflict(
      what: "an erasing that I undid", mine: [erase("0.1")], undone: 1, theirs: change("0.1", ("x", "2")),
      steps: [0, 0]),
    Conflict(
      what: "putting anew that I undid: what came after it goes too",
      mine: [change("0.1", ("y", "1")), rectangle("0.1", x: 9), change("0.1", ("x", "3"))], undone: 2,
      theirs: change("0.1", ("z", "2")), steps: [1, 0]),
    Conflict(
      what: "cleaning", mine: [change("0.1", ("x", "1")), rectangle("1.1"), erase("0.2")],
      theirs: .scenes(.clean(SceneClean())), steps: [1, 0]),
    Conflict(
      what: "a scene removed", mine: [change("0.1", ("x", "1")), erase("0.2")],
      theirs: .scenes(.remove(path: "/")), steps: [0, 0]),
    Conflict(
      what: "a scene put anew", mine: [change("0.1", ("x", "1")), erase("0.2")], theirs: pages("/", ["init"]),
      steps: [0, 0]),
    Conflict(
      what: "a scene moved", mine: [change("0.1", ("x", "1")), erase("0.2")],
      theirs: .scenes(.move(path: "/init", target: "/b/c")), steps: [2, 0]),
  ]

  @Test("HIST-6: what others touched since is nobody's to undo but theirs", arguments: conflicts.indices)
  func conflict(row: Int) throws {
    let conflict = Self.conflicts[row]
    for keeps in [true, false] {
      var trial = try Trial.withHistories(2)
      if !keeps { trial.say(.history(.keep(scenes: 0)), 0) }
      for id in ["0.1", "0.2"] { trial.say(rectangle(id), 0) }
      for command in conflict.mine { #expect(trial.say(command, 1).isDone) }
      for _ in 0..<conflict.undone { #expect(trial.say(.history(.undo(nil)), 1).isDone) }
      #expect(trial.say(conflict.theirs, 0).isDone)
      #expect(trial.steps(1) == conflict.steps, "\(conflict.what)")
      let before = trial.state.elements
      while trial.say(.history(.undo(nil)), 1).isDone {}
      #expect(trial.steps(1)[0] == 0, "all that is told can be taken")
      #expect(trial.anomalies.isEmpty, "all that is told can be taken")
      if conflict.steps == [0, 0] { #expect(trial.state.elements == before) }
    }
  }

  @Test("HIST-6: of a step with several operations those in conflict are struck out, the rest is taken back")
  func partly() throws {
    var trial = try Trial.withHistories(2)
    for id in ["0.1", "0.2"] { trial.say(rectangle(id), 0) }
    trial.say(changes([("0.1", [("x", "1"), ("y", "1")]), ("0.2", [("x", "1")])]), 1)
    trial.say(change("0.1", ("x", "7")), 0)
    trial.say(erase("0.2"), 0)
    #expect(trial.say(.history(.undo(nil)), 1).isDone)
    #expect(trial.attribute("x", of: "0.1") == "7")
    #expect(trial.attribute("y", of: "0.1") == nil)
    #expect(!trial.has("0.2"))
    #expect(trial.steps(1) == [0, 1])
    #expect(trial.anomalies.isEmpty)
  }

  @Test("HIST-7: what a member with a history erases is buried, in its place, until nothing refers to it")
  func graves() throws {
    var trial = try Trial.withHistories(2)
    trial.say(rectangle("0.1"), 0)
    trial.say(begin(2), 0)
    trial.say(erase("0.1", "0.2"), 1)
    #expect(trial.state.elements.count == 0)
    #expect(trial.state.elements.buriedCount == 2)
    #expect(trial.state.elements.all(in: 1).isEmpty)
    #expect(trial.state.elements[element("0.1")] == nil)
    #expect(trial.steps(0) == [0, 0], "what was put can no longer be taken back by its author")
    #expect(trial.say(change("0.1", ("x", "1")), 0).code == .noSuchElement)
    #expect(trial.say(extend(2), 0).code == .noSuchElement)
    #expect(trial.say(.history(.undo(nil)), 1).isDone)
    #expect(trial.state.elements.ordinal(of: element("0.1")) == 0)
    #expect(trial.say(extend(2), 0).code == .noSuchElement, "a stroke that came back has ended")
    #expect(trial.say(.history(.redo(nil)), 1).isDone)
    trial.record(trial.room.leave(1, .left))
    #expect(trial.state.elements.buriedCount == 0)
    #expect(trial.state.elements.places == [nil, nil])
    #expect(trial.state.histories[1] == nil)
    #expect(trial.anomalies.isEmpty)
  }

  @Test(
    "HIST-7: who keeps no history, and the server, erases for good, and strikes out what others could undo")
  func forGood() throws {
    var trial = try Trial.withHistories(1)
    try trial.join()
    for number in 1...3 { trial.say(rectangle("0.\(number)"), 0) }
    trial.say(erase("0.1"), 1)
    trial.record(trial.room.decide(serverCommand: erase("0.2")).proposed)
    #expect(trial.state.elements.buriedCount == 0)
    #expect(trial.steps(0) == [1, 0])
  }

  @Test(
    "HIST-8: putting an element on another scene, or over a stroke, is not undone, nor what was before it")
  func otherScene() throws {
    var trial = try Trial.withHistories(2)
    trial.say(pages("/", ["b"]), 0)
    trial.say(rectangle("0.1"), 0)
    trial.say(change("0.1", ("x", "1")), 0)
    trial.say(change("0.1", ("y", "1")), 1)
    trial.say(rectangle("0.1", on: 2), 0)
    #expect(trial.state.histories.values.allSatisfy { $0.tracks.isEmpty })
    trial.say(begin(5), 0)
    let over = ElementPut(id: element("0.5"), scene: 1, type: .text, raw: json("{}"))
    trial.record([Proposed(actor: .member(1), event: .elements(.put(over)))])
    #expect(trial.state.histories.values.allSatisfy { $0.tracks.isEmpty })
    #expect(trial.anomalies.isEmpty)
  }

  @Test("HIST-11: a buried element's number is not given to another, until nothing can bring it back")
  func buriedNumbers() throws {
    var trial = try Trial.withHistories(2)
    for command in [
      rectangle("0.1"), begin(2, ends: true), .elements(.erase([element("0.1"), element("0.2")])),
    ] {
      #expect(trial.say(command, 0).isDone)
    }
    #expect(trial.say(rectangle("0.1"), 0).code == .badParameter)
    #expect(trial.say(begin(2), 0).code == .badParameter)
    #expect(trial.say(rectangle("0.3"), 0).isDone)
    let copy = ElementCopy(from: element("0.3"), id: element("0.2"), scene: 1)
    #expect(trial.say(.elements(.copy([copy])), 0).code == .badParameter)
    #expect(trial.say(.history(.keep(scenes: 0)), 0).isDone)
    #expect(trial.say(rectangle("0.1"), 0).isDone)
    #expect(trial.say(begin(2), 0).isDone)
  }

  @Test("FOLD-16, HIST-8: a log in which a buried element's number is given to another folds all the same")
  func buriedNumberTaken() throws {
    var trial = try Trial.withHistories(2)
    trial.say(rectangle("0.1"), 0)
    trial.say(erase("0.1"), 1)
    let put = ElementPut(id: element("0.1"), scene: 1, type: .text, raw: json("{}"))
    trial.record([Proposed(actor: .member(0), event: .elements(.put(put)))])
    #expect(trial.anomalies.isEmpty)
    #expect(trial.steps(1) == [0, 0])
    #expect(trial.state.elements.buriedCount == 0)
    #expect(trial.state.elements.count == 1)
  }

  @Test("HIST-9, EL-3: a step waits while somebody else holds a lock on what it would touch")
  func locked() throws {
    var trial = try Trial.withHistories(2)
    trial.say(rectangle("0.1"), 0)
    trial.say(change("0.1", ("x", "1")), 0)
    trial.say(change("0.1", ("locked", "true")), 1)
    #expect(trial.steps(0) == [1, 0])
    #expect(trial.say(.history(.undo(nil)), 0).code == .locked)
    #expect(trial.steps(0) == [1, 0])
    #expect(trial.say(.history(.undo(nil)), 1).isDone, "the lock is its own to take back")
    #expect(trial.say(.history(.undo(nil)), 0).isDone)
    #expect(trial.attribute("x", of: "0.1") == nil)
    trial.say(rectangle("0.2", set: [("locked", "true")]), 0)
    #expect(trial.say(.history(.undo(nil)), 0).isDone, "its own lock keeps nobody off")
  }

  @Test("FOLD-22: undone and redone need a step; what of them does not fit is told, and the rest is done")
  func misfits() throws {
    var trial = try Trial.withHistories(1)
    let other = try trial.join()
    trial.say(rectangle("0.1"), 0)
    let elements = trial.state.elements
    for (actor, event) in [
      (Actor.server, Event.history(.undone(Compensation(scene: 1, erased: [element("0.1")])))),
      (.member(other), .history(.undone(Compensation(scene: 1, erased: [element("0.1")])))),
      (.member(0), .history(.undone(Compensation(scene: 2, erased: [element("0.1")])))),
      (.member(0), .history(.redone(Compensation(scene: 1, erased: [element("0.1")])))),
      (.member(9), .history(.kept(HistoryDepth(scenes: 1, depth: 1)))),
    ] {
      trial.record([Proposed(actor: actor, event: event)])
    }
    #expect(trial.anomalies.count == 5)
    #expect(trial.state.elements == elements)
    #expect(trial.steps(0) == [1, 0])
    let shape = ElementPut(id: element("0.9"), scene: 1, type: .text, raw: json("{}"))
    let odd = Compensation(
      scene: 1, erased: [element("0.8"), element("0.1")], restored: [element("0.7")],
      puts: [Compensation.ShapePut(id: element("0.6"), shape: shape)],
      changes: [ElementChange(id: element("0.5"), set: patch([("x", "1")]))])
    trial.record([Proposed(actor: .member(0), event: .history(.undone(odd)))])
    #expect(trial.anomalies.count == 6)
    #expect(trial.isBuried("0.1"))
    #expect(trial.steps(0) == [0, 1])
  }

  @Test("CB-19: who has other steps to undo or redo than before is told, and nobody else")
  func told() throws {
    var trial = try Trial.withHistories(2)
    trial.say(rectangle("0.1"), 0)
    func parts(_ command: Command, by member: MemberID) -> [Bool] {
      var state = trial.state
      let from = trial.log.count
      trial.say(command, member)
      var deltas = (0..<2).map { StateDelta(for: MemberID(UInt64($0))) }
      let before = state
      for event in trial.log[from...] {
        var touched: RoomParts = []
        state.apply(event, touching: &touched)
        for place in deltas.indices { deltas[place].note(event, touched, in: state) }
      }
      let between = (0..<2).map { StateDelta.between(before, state, for: MemberID(UInt64($0))) }
      #expect(between.map { $0.told().contains(.history) } == deltas.map { $0.told().contains(.history) })
      return deltas.map { $0.told().contains(.history) }
    }
    #expect(parts(change("0.1", ("x", "1")), by: 1) == [true, true], "it strikes out the other's")
    #expect(parts(change("0.1", ("y", "1")), by: 1) == [false, true])
    #expect(parts(.history(.undo(nil)), by: 1) == [false, true])
    #expect(parts(magix(), by: 1) == [false, false])
    #expect(parts(store("a", [("x", "1")]), by: 1) == [false, false])
  }
}
