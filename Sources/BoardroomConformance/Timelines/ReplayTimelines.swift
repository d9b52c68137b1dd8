// TL-27: what TL-22 to TL-26 left in the log, played to a callbacks object.

extension GoldenTimeline {
  public static let replay: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-27", "Replay of TL-22 to TL-26: the board at each time as live, the phases at the same instants",
      .replay, given: Given([]),
      steps: replayed.map { Step(0, .replay(of: $0)) }, from: 0, until: 0,
      expected: [
        .local: replayed.flatMap { _ in
          [Expectation.at(0, .saw(.board, "as live")), .at(0, .saw(.phases, "as live"))]
        }
      ])
  ]

  private static let replayed = ["TL-22", "TL-23", "TL-24", "TL-25", "TL-26"]
}
