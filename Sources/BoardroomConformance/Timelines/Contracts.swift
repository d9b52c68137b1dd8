// What a callbacks object is and is not told (PARITY rows CB, EC): short timelines, one or two for each rule.

import BoardroomModel

extension GoldenTimeline {
  public static let contracts: [GoldenTimeline] = [contractsOfTheObject, contractsOfCallbacks].flatMap { $0 }

  private static func sets(_ second: Double, _ value: String, _ key: String = "k") -> Step {
    Step(second, .white(.setGlobalState(key, json: value), by: .remote))
  }

  private static func told(_ second: Double, _ text: String) -> Expectation {
    .at(second, .state([.globalState: text]))
  }

  private static func contract(
    _ id: String, _ title: String, given: Given = Given(), steps: [Step], from: Double = 10,
    until: Double = 20, expected: [Party: [Expectation]]
  ) -> GoldenTimeline {
    GoldenTimeline(
      id, title, .white, given: given, steps: steps, from: from, until: until, expected: expected)
  }

  private static let contractsOfTheObject: [GoldenTimeline] = [
    contract(
      "CB-1", "A callbacks object without a single method: the room goes its way",
      steps: [
        Step(8, .white(.leave, by: .local)), Step(10, .white(.join(.mute), by: .local)), sets(12, "1"),
        Step(13, .server(.kick(.local))), Step(14, .look(at: .connection, of: .local)),
      ],
      expected: [
        .local: [.at(10, .answer(to: "join", "ok")), .at(14, .saw(.connection, "disconnected"))]
      ]),
    contract(
      "CB-2",
      "One object over all joins: a join without one leaves it in force, and each change is told once",
      steps: [Step(10, .white(.leave, by: .local)), Step(12, .white(.join(.none), by: .local))],
      expected: [.local: leaving(at: 10).then(joined(at: 12))]),
    contract(
      "CB-3", "The object is held weakly: let go by its owner, it is gone",
      steps: [
        Step(10, .white(.dropCallbacks, by: .local)), Step(11, .look(at: .callbacksObject, of: .local)),
        sets(12, "1"),
      ],
      expected: [.local: [.at(11, .saw(.callbacksObject, "gone"))], .remote: []]),
    contract(
      "CB-4", "Inside a callback the room shows the new state already",
      steps: [sets(10, "1"), sets(11, "2")],
      expected: [.local: [told(10, "k=1"), told(11, "k=2")]]),
    contract(
      "CB-5", "What is set to what it was, or changed and changed back in an outage, is not told",
      steps: [
        sets(10, "1"), sets(11, "1"), Step(12, .network(.cut, of: .local)), sets(13, "5"), sets(14, "1"),
        Step(15, .network(.clear, of: .local)), Step(15, .networkIsBack(of: .local)),
      ],
      expected: [.local: [told(10, "k=1")].then(reconnecting(at: 12)).then(reconnected(at: 15))]),
    contract(
      "CB-6", "States and events come in the order of the log, one after another, on the SDK's context",
      steps: [Step(9, .white(.listen("step"), by: .local))].and(
        ["1", "2", "3"].flatMap {
          [sets(10, $0), Step(10, .white(.dispatch("step", json: $0), by: .remote))]
        }),
      expected: [
        .local: ["1", "2", "3"].flatMap {
          [told(10, "k=\($0)"), Expectation.at(10, .magix(name: "step", payload: $0))]
        }
      ]),
    contract(
      "CB-7", "After a later join the older room object is silent: a change is told once",
      steps: [Step(10, .white(.join(.own), by: .local)), sets(12, "1")], from: 11,
      expected: [.local: [told(12, "k=1")]]),
  ]

  private static func leaving(at second: Double) -> [Expectation] {
    [
      .at(second, .phase(.disconnecting)), .at(second, .committable(false)),
      .at(second, .phase(.disconnected)),
    ]
  }

  private static let contractsOfCallbacks: [GoldenTimeline] = [
    contract(
      "CB-10", "The phase is told when it changes, and only then",
      steps: [Step(40, .network(.cut, of: .local)), Step(40.2, .network(.clear, of: .local))], until: 60,
      expected: [
        .local: reconnecting(at: 40).then([
          .between(40.3...41, .phase(.connected)), .between(40.3...41, .committable(true)),
        ]),
        .remote: [],
      ]),
    contract(
      "CB-11", "What another sets is told with what changed and nothing else; the setter is told nothing",
      steps: [sets(10, "{\"deep\":[1]}"), sets(11, "null")],
      expected: [.local: [told(10, "k={\"deep\":[1]}"), told(11, "")], .remote: []]),
    contract(
      "CB-12", "Own scenes, view mode and camera come back to the setter; own global and member state do not",
      steps: [
        Step(10, .white(.setGlobalState("k", json: "1"), by: .local)),
        Step(11, .white(.setStrokeWidth(4), by: .local)),
        Step(12, .white(.putScenes("/book", ["one", "two"]), by: .local)),
        Step(13, .white(.setScenePath("/book/two"), by: .local)), Step(14, .white(.broadcast, by: .local)),
        Step(15, .white(.moveCamera(10, 20, scale: 2), by: .local)),
      ],
      expected: [
        .local: [
          .at(13, .state([.sceneState: "/book/two", .pageState: "1 of 2"])),
          .at(14, .state([.broadcastState: "broadcaster"])), .at(15, .state([.cameraState: "10 20 2"])),
        ],
        .remote: [
          told(10, "k=1"), .at(11, .state([.roomMembers: "anna, ben"])),
          .at(13, .state([.sceneState: "/book/two", .pageState: "1 of 2"])),
          .at(14, .state([.broadcastState: "follower"])), .at(15, .state([.cameraState: "10 20 2"])),
        ],
      ]),
    contract(
      "EC-all", "With onlyCallbackRemoteStateModify off own changes come back too",
      given: Given(echoesOwn: true), steps: [Step(10, .white(.setGlobalState("k", json: "1"), by: .local))],
      expected: [.local: [told(10, "k=1")]]),
    contract(
      "CB-13", "The ability to write is told when it is lost or gained, and only then",
      steps: [
        Step(10, .white(.setWritable(false), by: .local)), Step(12, .white(.setWritable(false), by: .local)),
        Step(14, .white(.setWritable(true), by: .local)),
      ],
      expected: [
        .local: [
          .at(10, .committable(false)), .at(14, .committable(true)),
          .allowed(.state([.roomMembers: "*"]), 10...15),
        ],
        .remote: [.at(10, .state([.roomMembers: "ben"])), .at(14, .state([.roomMembers: "anna, ben"]))],
      ]),
    contract(
      "CB-14", "Leaving is no error", steps: [Step(10, .white(.leave, by: .local))], until: 80,
      expected: [.local: leaving(at: 10)]),
    contract(
      "CB-15", "A removal is told with its reason, before the phase",
      steps: [Step(10, .server(.kick(.local)))],
      expected: [.local: kicked("kickByAdmin", at: 10), .remote: [left(at: 10)]]),
    contract(
      "CB-16", "What cannot be applied is told with its author, and the room goes on",
      steps: [Step(10, .server(.misfit(of: .remote))), sets(11, "1")], until: 40,
      expected: [
        .local: [.between(10...35, .misfit(of: "1", "*")), .allowed(.state([.globalState: "k=1"]), 10...39)]
      ]),
    contract(
      "CB-17", "A custom event is told to who listens for its name, and to nobody else",
      steps: [
        Step(9, .white(.listen("wanted"), by: .local)),
        Step(10, .white(.dispatch("unwanted", json: "1"), by: .remote)),
        Step(11, .white(.dispatch("wanted", json: "[2]"), by: .remote)),
      ],
      expected: [.local: [.at(11, .magix(name: "wanted", payload: "[2]"))], .remote: []]),
    contract(
      "CB-18", "A subscription in batches is told once for all events of half a second, in their order",
      steps: [Step(9, .white(.listenInBatches("tick"), by: .local))].and(
        ["1", "2", "3"].map { Step(10, .white(.dispatch("tick", json: $0), by: .remote)) }),
      expected: [.local: [.at(10.5, .batch(name: "tick", payloads: "1 2 3"))], .remote: []]),
    contract(
      "CB-19", "How much can be undone and redone is told when it changes, to whom it concerns",
      steps: [
        Step(9, .white(.keepHistory, by: .local)), Step(9, .white(.keepHistory, by: .remote)),
        Step(10, .white(.insertText("one"), by: .local)), Step(11, .white(.undo, by: .local)),
        Step(12, .white(.redo, by: .local)),
      ],
      expected: [
        .local: [
          .at(10, .canUndo(1)), .at(11, .canUndo(0)), .at(11, .canRedo(1)), .at(12, .canUndo(1)),
          .at(12, .canRedo(0)),
        ],
        .remote: [],
      ]),
  ]
}
