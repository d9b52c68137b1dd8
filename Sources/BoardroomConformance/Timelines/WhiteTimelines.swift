// TL-22 to TL-26, and further rules of the whiteboard's connection.

import BoardroomModel

extension GoldenTimeline {
  public static let white: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-22", "White, back after 20 s: the same member, nobody sees it, what was missed comes as one delta",
      .white,
      steps: .outage(from: 100, to: 120).and([
        Step(5, .white(.setStrokeWidth(9), by: .local)),
        Step(124, .look(at: .member, of: .local)), Step(124, .look(at: .own, of: .local)),
        Step(110, .white(.setGlobalState("topic", json: "\"one\""), by: .remote)),
        Step(111, .white(.setGlobalState("topic", json: "\"two\""), by: .remote)),
        Step(112, .white(.setGlobalState("page", json: "3"), by: .remote)),
      ]),
      until: 125,
      expected: [
        .local: reconnecting(at: 104).then(reconnected(at: 120)).then([
          .at(120, .state([.globalState: "page=3 topic=\"two\""])),
          .at(124, .saw(.member, "first")), .at(124, .saw(.own, "- 9")),
        ]),
        .remote: [],
      ]),
    GoldenTimeline(
      "TL-23", "White, never back: others lose it at 30 s, it gives up after 45 s of trying", .white,
      steps: .outage(from: 100), until: 160,
      expected: [.local: reconnecting(at: 104).then(givenUp(at: 149)), .remote: [left(at: 130)]]),
    GoldenTimeline(
      "TL-24", "White, a join after giving up: the old callbacks object, a new room object, a new member",
      .white,
      steps: .outage(from: 100).and([
        Step(160, .network(.clear, of: .local)), Step(161, .white(.join(.none), by: .local)),
        Step(163, .look(at: .object, of: .local)), Step(163, .look(at: .member, of: .local)),
      ]), from: 160, until: 164,
      expected: [
        .local: joined(at: 161).then([
          .at(163, .saw(.object, "another")), .at(163, .saw(.member, "another")),
        ]),
        .remote: [.at(161, .state([.roomMembers: "ben, anna"]))],
      ]),
    GoldenTimeline(
      "TL-25", "White, two outages: the second has its full 45 s", .white,
      steps: .outage(from: 100, to: 140).and(.outage(from: 160)), until: 215,
      expected: [
        .local: [
          reconnecting(at: 104), reconnected(at: 140),
          // A new stay, whose camera is where every stay begins.
          [.at(140, .state([.roomMembers: "ben, anna", .cameraState: "0 0 1"]))],
          [.at(159.94, .state([.cameraState: "1 1 1"]))], reconnecting(at: 164), givenUp(at: 209),
        ].flatMap { $0 },
        .remote: [left(at: 130), .at(140, .state([.roomMembers: "ben, anna"])), left(at: 190)],
      ]),
    GoldenTimeline(
      "TL-26", "White, a kick over REST: its reason, phase disconnected, and nothing comes back by itself",
      .white,
      steps: [
        Step(99, .look(at: .attempts, of: .local)), Step(100, .server(.kick(.local))),
        Step(200, .look(at: .attempts, of: .local)), Step(200, .look(at: .connection, of: .local)),
      ], until: 201,
      expected: [
        .local: kicked("kickByAdmin", at: 100).then([
          .at(200, .saw(.attempts, "none")), .at(200, .saw(.connection, "disconnected")),
        ]),
        .remote: [left(at: 100)],
      ]),
  ]

  /// Further timelines of the whiteboard, under the ids of other PARITY rows.
  public static let whiteMore: [GoldenTimeline] = [
    GoldenTimeline(
      "P-20", "White, silence of 3.9 s: nothing anywhere", .white,
      steps: .outage(from: 100, to: 103.9), until: 110, expected: [.local: [], .remote: []]),
    GoldenTimeline(
      "PT-4", "White, a connection that breaks: told at once, back at the first try", .white,
      steps: [Step(100, .network(.cut, of: .local)), Step(100.2, .network(.clear, of: .local))], until: 110,
      expected: [
        .local: reconnecting(at: 100).then([
          .between(100.3...101, .phase(.connected)), .between(100.3...101, .committable(true)),
        ]), .remote: [],
      ]),
    GoldenTimeline(
      "X-52", "White, a timeout of 10 s: given up 10 s after reconnecting began", .white,
      given: Given(timeout: 10), steps: .outage(from: 100), until: 131,
      expected: [
        .local: reconnecting(at: 104).then(givenUp(at: 114, naming: "*10 s*")), .remote: [left(at: 130)],
      ]),
    GoldenTimeline(
      "KICK-replaceByOther", "White, the same uid joins elsewhere: the first is told, and stays away", .white,
      steps: [
        Step(100, .white(.join(.own), by: .rival)), Step(101, .look(at: .attempts, of: .local)),
        Step(150, .look(at: .attempts, of: .local)),
      ], until: 151,
      expected: [
        .local: kicked("replaceByOther", at: 100).then([
          .at(101, .saw(.attempts, "some")), .at(150, .saw(.attempts, "none")),
          // Leave and join are in the log before the farewell is sent.
          .allowed(.state([.roomMembers: "ben, anna"]), 99.7...100.3),
        ]),
        .rival: joined(at: 100),
      ]),
    GoldenTimeline(
      "PT-8", "White, left while reconnecting: both phases at once, no error", .white,
      steps: .outage(from: 100).and([Step(110, .white(.leave, by: .local))]), until: 200,
      expected: [
        .local: reconnecting(at: 104).then([
          .at(110, .phase(.disconnecting)), .at(110, .phase(.disconnected)),
        ]),
        .remote: [left(at: 130)],
      ]),
  ]

  // MARK: What comes again and again

  static func reconnecting(at second: Double) -> [Expectation] {
    [.at(second, .phase(.reconnecting)), .at(second, .committable(false))]
  }

  static func reconnected(at second: Double) -> [Expectation] {
    [.at(second, .phase(.connected)), .at(second, .committable(true))]
  }

  static func givenUp(at second: Double, naming limit: String = "*45 s*") -> [Expectation] {
    [.at(second, .phase(.disconnected)), .at(second, .disconnect(limit))]
  }

  static func kicked(_ reason: String, at second: Double) -> [Expectation] {
    [.at(second, .kicked(reason)), .at(second, .phase(.disconnected)), .at(second, .committable(false))]
  }

  /// A join of the party's, from its call to its completion.
  static func joined(at second: Double) -> [Expectation] {
    [
      .at(second, .phase(.connecting)), .at(second, .phase(.connected)), .at(second, .committable(true)),
      .at(second, .answer(to: "join", "ok")),
    ]
  }

  static func left(at second: Double) -> Expectation { .at(second, .state([.roomMembers: "ben"])) }
}

extension [Expectation] {
  func then(_ more: [Expectation]) -> [Expectation] { self + more }
}

extension [Step] {
  /// These steps and others, in the order of their seconds; of equal seconds these come first.
  func and(_ others: [Step]) -> [Step] {
    (self + others).enumerated().sorted { ($0.element.second, $0.offset) < ($1.element.second, $1.offset) }
      .map(\.element)
  }
}
