// Timelines of hours, of an instant and of a crowd, in which the server that has the account and the channel is lost, and
// another one goes on with their logs three seconds later.

extension GoldenTimeline {
  public static let lostServer: [GoldenTimeline] =
    lostAtAnInstant
    + rtm.filter { $0.id == "TL-10" }.map { $0.losingServer(at: [3_000]) }
    // What has a date in the log keeps it.
    + signaling.filter { $0.id == "TL-20" }.map { $0.losingServer(at: [3_000, 10_000]) }
    + signaling.filter { $0.id == "TL-21" }.map { $0.losingServer(at: [106]) }

  /// Whether its server is killed.
  var losesServer: Bool {
    steps.contains { if case .server(.isKilled) = $0.act { true } else { false } }
  }

  /// From the death of a node until its logs are open elsewhere.
  static let away = 3.0

  /// What a party may hear of its own connection around the loss: the others are told nothing.
  static func blinks(at second: Double) -> [Expectation] {
    let heard: [Heard] = [
      .rtmState(4, reason: 5), .rtmState(3, reason: 2), .signaling("onReconnecting", ["*"]),
      .signaling("onReconnected", ["*"]),
    ]
    return heard.map { .allowed($0, second...second + 10) }
  }

  /// The same, and the server is lost at these seconds.
  private func losingServer(at seconds: [Double]) -> GoldenTimeline {
    var timeline = self
    timeline.title += "; the server is lost at \(seconds.map { "\(Int($0))" }.joined(separator: " and ")) s"
    timeline.steps += seconds.map { Step($0, .server(.isKilled(backAfter: Self.away))) }
    timeline.steps.sort { $0.second < $1.second }
    timeline.expected = expected.mapValues { $0 + seconds.flatMap(Self.blinks) }
    return timeline
  }

  // Who does not come back has a whole grace from the opening (SES-10): 118 + 30.
  static let lostAtAnInstant: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-9", "RTM, the server lost at 115 and back at 118; back at exactly 148 s: counted as gone", .rtm,
      steps: .outage(from: 100, to: 148).and([Step(115, .server(.isKilled(backAfter: away)))]),
      until: 160,
      expected: [
        .local: [.at(104, .rtmState(4, reason: 5)), .at(148, within: 1, .rtmState(3, reason: 2))],
        .remote: [.at(148, .rtmMemberLeft(.local)), .at(148, within: 1, .rtmMemberJoined(.local))]
          + blinks(at: 115),
      ]),
    GoldenTimeline(
      "TL-9", "RTM, the server lost at 115 and back at 118; back at 147 s: nobody saw it", .rtm,
      steps: .outage(from: 100, to: 147).and([Step(115, .server(.isKilled(backAfter: away)))]),
      until: 160,
      expected: [
        .local: [.at(104, .rtmState(4, reason: 5)), .at(147, within: 0.9, .rtmState(3, reason: 2))],
        .remote: blinks(at: 115),
      ]),
  ]
}
