import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Stores")
struct StoreTests {
  private func trial(_ policy: RoomPolicy = RoomPolicy(rate: nil)) throws -> Trial {
    var trial = Trial(policy)
    for _ in 0..<2 { try trial.join() }
    return trial
  }

  @Test("FOLD-24, SS-1: a store is set key by key, emptied and deleted; it is one of the room's parts")
  func life() throws {
    var trial = try trial()
    trial.say(store("a", [("x", "1"), ("y", "2")]), 0)
    trial.say(store("b", [("z", "3")]), 1)
    trial.say(store("a", [("x", nil), ("y", "4")]), 1)
    #expect(trial.state.stores == ["a": ["y": json("4")], "b": ["z": json("3")]])
    trial.say(store("a", [("q", "5")], resets: true), 0)
    #expect(trial.state.stores["a"] == ["q": json("5")])
    trial.say(store("a", [], resets: true), 0)
    #expect(trial.state.stores["a"] == [:], "an emptied store stays")
    trial.say(.state(.deleteStore("a")), 0)
    #expect(trial.state.stores.keys.sorted() == ["b"])
    #expect(trial.say(.state(.deleteStore("a")), 0).changesNothing, "it is deleted already")
    #expect(trial.anomalies.isEmpty)
  }

  @Test("DEC-18, SS-1: defaults are set where there is nothing yet, and the event says only those")
  func defaults() throws {
    var trial = try trial()
    trial.say(store("a", [("x", "1")]), 0)
    let decision = trial.say(store("a", [("x", "7"), ("y\"\\\n", "8"), ("n", nil)], onlyAbsent: true), 1)
    guard case .state(.storeSet(let set))? = decision.proposed.first?.event else {
      Issue.record("no event"); return
    }
    #expect(set.patch.raw.text == "{\"y\\\"\\\\\\u000a\":8}")
    #expect(!set.onlyAbsent)
    #expect(trial.state.stores["a"] == ["x": json("1"), "y\"\\\n": json("8")])
    let count = trial.log.count
    #expect(trial.say(store("a", [("x", "7")], onlyAbsent: true), 1).changesNothing)
    try #require(trial.log.count == count + 1)
    #expect(trial.state.members[1]?.lastCounter == 2)
    #expect(trial.say(store("a", [("z", "1")]), 1).isDone, "the counter went on")
  }

  @Test("SS-1, LIM-3: a store's names and sizes have limits, and what shrinks is always taken")
  func limits() throws {
    var policy = RoomPolicy(rate: nil, storePatch: 40, store: 60, stores: 2)
    var trial = try trial(policy)
    #expect(trial.say(store("", [("x", "1")]), 0).code == .badName)
    #expect(
      trial.say(store("a", [("x", "\"\(String(repeating: "-", count: 40))\"")]), 0).refusal?.limit
        == LimitName.storePatch)
    for key in ["x", "y"] { #expect(trial.say(store("a", [(key, "\"12345678901234567890\"")]), 0).isDone) }
    let large = trial.say(store("a", [("z", "\"12345678901234567890\"")]), 1).refusal
    #expect(large?.code == .tooLarge)
    #expect(large?.limit == LimitName.store)
    #expect(large?.actual == 83)
    #expect(large?.allowed == 60)
    #expect(trial.say(store("b", []), 0).isDone)
    let many = trial.say(store("c", [("x", "1")]), 0).refusal
    #expect(many?.code == .tooMany)
    #expect(many?.limit == LimitName.stores)
    #expect(many?.actual == 3)
    #expect(many?.allowed == 2)
    policy.store = 10
    policy.stores = 1
    trial.room = Room(state: trial.state, policy: policy)
    // Opened anew, the room knows of no refusal that was told and not recorded (BOUND-7).
    for (id, member) in trial.state.members { trial.counters[id] = member.lastCounter }
    #expect(trial.say(store("a", [("x", "\"1\"")]), 0).isDone, "over its limit it may shrink")
    #expect(trial.say(store("a", [("y", "\"123456789012345678901\"")]), 0).code == .tooLarge)
    #expect(trial.say(store("b", [("x", nil)]), 0).isDone)
    #expect(trial.say(.state(.deleteStore("a")), 0).isDone)
  }

  @Test("DEC-18, IDEM-5: what is so already is recorded as changing nothing, and its counter is used up")
  func nothingToDo() throws {
    var trial = try trial()
    trial.say(pages("/d", ["1"]), 0)
    trial.say(store("a", [("x", "1")]), 0)
    let count = trial.log.count
    for command in [
      .scenes(.move(path: "/d/1", target: "/d")), .scenes(.move(path: "/init", target: "/init")),
      .state(.deleteStore("b")),
      store("a", [("x", "2")], onlyAbsent: true),
    ] as [Command] {
      let before = trial.state
      #expect(trial.say(command, 0).changesNothing, "\(command)")
      #expect(trial.state.stores == before.stores)
      #expect(trial.state.scenes == before.scenes)
      #expect(trial.log.last?.event == .diagnostics(.nothingChanged(kind: command.kind.rawValue)))
    }
    #expect(trial.log.count == count + 4)
    #expect(trial.say(NumberedCommand(counter: 6, command: magix()), 0) == .duplicate)
    #expect(trial.say(magix(), 0).isDone)
  }
}

extension Decision {
  /// Carried out, and all that is recorded of it is that nothing changed.
  var changesNothing: Bool {
    if case .diagnostics(.nothingChanged)? = proposed.first?.event { proposed.count == 1 } else { false }
  }
}
