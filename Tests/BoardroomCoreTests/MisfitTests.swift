import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Events that do not fit")
struct MisfitTests {
  static let ofTheBoard: [(rule: String, Event, RoomParts?)] =
    scenesOfTheBoard + stateOfTheBoard + roomOfTheBoard

  @Test(
    "FOLD-23, FOLD-24, FOLD-25: what fits changes what it says, what does not changes nothing",
    arguments: ofTheBoard.indices)
  func board(row: Int) throws {
    var trial = Trial()
    try trial.join()
    trial.say(pages("/", ["a"]), 0)
    trial.say(store("s", [("x", "1")]), 0)
    let (rule, event, expected) = Self.ofTheBoard[row]
    var state = trial.state
    var touched: RoomParts = []
    let anomaly = state.apply(
      RoomEvent(
        revision: state.revision.next, time: state.time, actor: .server, counter: 0, event: event),
      touching: &touched)
    #expect((anomaly == nil) == (expected != nil), "\(rule): \(event)")
    #expect(touched == expected ?? [], "\(rule): \(event)")
    state.revision = trial.state.revision
    #expect((state == trial.state) == touched.isEmpty, "\(rule): \(event)")
    #expect(state.members == trial.state.members, "none removes a member")
  }

  static let early: [Event] = [
    .state(.storeSet(StoreSet(store: "s", patch: patch([])))), .room(.banned(true)), .room(.deleted),
    .room(.limitsSet(LimitsPatch([LimitsPatch.Field(name: "members", value: 3)]))),
  ]

  @Test("FOLD-24, FOLD-25: a room that was not created is not banned, deleted, limited, nor has it stores")
  func notCreated() {
    for event in Self.early {
      var trial = Trial(created: false)
      trial.record([Proposed(actor: .server, event: event)])
      #expect(trial.anomalies.count == 1, "\(event)")
      #expect(!trial.state.isBanned)
      #expect(!trial.state.isDeleted)
      #expect(trial.state.limits.isEmpty)
      #expect(trial.state.stores.isEmpty)
    }
  }

  /// One member, number 0, with an ended stroke 0.1 and an open one 0.2 on scene 1.
  private func trial() throws -> Trial {
    var trial = Trial()
    try trial.join()
    trial.say(begin(1, ends: true), 0)
    trial.say(begin(2), 0)
    return trial
  }

  static let table: [(rule: String, actor: Actor, event: Event)] =
    membersMisfits + roomMisfits + drawingMisfits + stateMisfits + elementsMisfits + scenesMisfits

  @Test(
    "FOLD-13, FOLD-14, FOLD-15, FOLD-19, CB-16: what does not fit changes nothing", arguments: table.indices)
  func nothingChanges(row: Int) throws {
    let before = try trial().state
    var state = before
    var touched: RoomParts = []
    let event = RoomEvent(
      revision: before.revision.next, time: before.time, actor: Self.table[row].actor, counter: 0,
      event: Self.table[row].event)
    let anomaly = state.apply(event, touching: &touched)
    #expect(anomaly?.actor == Self.table[row].actor, "\(Self.table[row])")
    #expect(state.revision == event.revision)
    #expect(touched.isEmpty)
    state.revision = before.revision
    #expect(state == before, "\(Self.table[row])")
  }

  @Test("FOLD-18: scenes do not fit before the room is created")
  func scenesBeforeCreation() {
    var state = RoomState()
    let event = RoomEvent(
      revision: 1, time: .zero, actor: .server, counter: 0, event: Self.put([1], ["a"]))
    #expect(state.apply(event) != nil)
    #expect(state.scenes.isEmpty)
    #expect(state.nextScene == 1)
  }

  @Test("FOLD-13: erased removes those that are there, though one is not")
  func erasesTheRest() throws {
    var trial = try trial()
    let ids = ["9.9", "0.1", "0.2"].compactMap { ElementID($0) }
    trial.record([Proposed(actor: .server, event: .elements(.erased(ids)))])
    #expect(trial.anomalies.count == 1)
    #expect(trial.state.elements.count == 0)
  }

  @Test("FOLD-16, FOLD-17: an element keeps its place when put anew, and leaves it empty when erased")
  func places() throws {
    var trial = try trial()
    trial.say(shape(0, 3), 0)
    trial.say(shape(0, 4), 0)
    trial.say(shape(0, 3, "{\"x\":2}"), 0)
    trial.say(.elements(.erase([ElementID("0.4")!])), 0)
    trial.say(shape(0, 4), 0)
    let ids = trial.state.elements.places.map { $0?.id.description }
    #expect(ids == ["0.1", "0.2", "0.3", nil, "0.4"])
  }

  @Test("FOLD-16: an element put in place of an open stroke closes it")
  func shapeOverStroke() throws {
    var trial = try trial()
    let put = ElementPut(id: ElementID("0.2")!, scene: 1, type: .text, raw: json("{}"))
    trial.record([Proposed(actor: .member(0), event: .elements(.put(put)))])
    #expect(trial.state.elements.openStrokes.isEmpty)
    #expect(trial.anomalies.isEmpty)
    #expect(trial.say(extend(2), 0).code == .noSuchElement)
  }

  @Test("DEC-1: deciding changes no state")
  func pure() throws {
    var trial = try trial()
    let before = trial.state
    let command = NumberedCommand(counter: 3, command: .state(.global(patch([("a", "1")]))))
    #expect(trial.room.decide(command, from: 0, at: trial.now).isDone)
    #expect(trial.state == before)
  }
}
