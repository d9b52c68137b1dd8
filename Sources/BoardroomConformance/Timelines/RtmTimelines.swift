// TL-7 to TL-14. States: 1 disconnected, 2 connecting, 3 connected, 4 reconnecting, 5 aborted. Reasons: 1 login,
// 2 login success, 4 login timeout, 5 interrupted, 6 logout, 8 remote login (PARITY rows RTMR). Codes of login: PARITY
// rows RTML.

extension GoldenTimeline {
  public static let rtm: [GoldenTimeline] = [rtmOutages, rtmCalls].flatMap { $0 }

  private static let interrupted = Expectation.at(104, .rtmState(4, reason: 5))

  private static func back(at second: Double) -> Expectation { .at(second, .rtmState(3, reason: 2)) }

  private static let rtmOutages: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-7", "RTM, back after 29.9 s: nobody sees it, no login block, the channel's messages come in order",
      .rtm,
      steps: .outage(from: 100, to: 129.9).and([
        Step(110, .rtm(.send("one", channel: channel), by: .remote)),
        Step(111, .rtm(.send("two", channel: channel), by: .remote)),
      ]), until: 140,
      expected: [
        .local: [
          interrupted, back(at: 129.9), .at(129.9, .rtmText("one", from: .remote)),
          .at(129.9, .rtmText("two", from: .remote)),
        ],
        .remote: [.allowed(.answer(to: "send", "0"), 109.7...112)],
      ]),
    GoldenTimeline(
      "TL-8",
      "RTM, back after 100 s: the others see it go and come, its attributes are there again by themselves",
      .rtm,
      steps: .outage(from: 100, to: 200).and([
        Step(10, .rtm(.setAttribute("name", "Anna"), by: .local)),
        Step(205, .look(at: .attribute, of: .remote)),
      ]), until: 206,
      expected: [
        .local: [interrupted, back(at: 200)],
        .remote: [
          .at(130, .rtmMemberLeft(.local)), .at(200, .rtmMemberJoined(.local)),
          .at(205, .saw(.attribute, "name=Anna")),
        ],
      ]),
    GoldenTimeline(
      "TL-9", "RTM, back at exactly 30 s: counted as gone", .rtm, steps: .outage(from: 100, to: 130),
      until: 140,
      expected: [
        .local: [interrupted, back(at: 130)],
        .remote: [.at(130, .rtmMemberLeft(.local)), .at(130, .rtmMemberJoined(.local))],
      ]),
    GoldenTimeline(
      "TL-10", "RTM, two hours: it stays reconnecting and goes on trying", .rtm,
      steps: .outage(from: 100, to: 7_300).and([
        Step(3_600, .look(at: .attempts, of: .local)), Step(7_200, .look(at: .attempts, of: .local)),
        Step(7_299, .look(at: .connection, of: .local)),
      ]), until: 7_310,
      expected: [
        .local: [
          interrupted, .at(3_600, .saw(.attempts, "some")), .at(7_200, .saw(.attempts, "some")),
          .at(7_299, .saw(.connection, "4")), back(at: 7_300),
        ],
        .remote: [.at(130, .rtmMemberLeft(.local)), .at(7_300, .rtmMemberJoined(.local))],
      ]),
    GoldenTimeline(
      "TL-11", "RTM, the token ends in an outage: told once, still reconnecting, in again once it is renewed",
      .rtm,
      steps: .outage(from: 100).and([
        Step(150, .server(.tokenEnds(.local))), Step(200, .network(.clear, of: .local)),
        Step(299, .look(at: .connection, of: .local)), Step(300, .rtm(.renewToken, by: .local)),
      ]), until: 320,
      expected: [
        .local: [
          // Attempts are at most 9.6 s apart. A client that reads its token knows of its end before it can
          // ask the server.
          interrupted, .between(150...210, .rtmTokenExpired), .at(299, .saw(.connection, "4")),
          .between(300...310, .rtmState(3, reason: 2)),
        ],
        .remote: [.at(130, .rtmMemberLeft(.local)), .between(300...310, .rtmMemberJoined(.local))],
      ]),
  ]

  private static let rtmCalls: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-12", "RTM, a login that nobody answers: ends after 12 s with code 9", .rtm, given: Given([]),
      steps: [Step(100, .network(.silent, of: .local)), Step(100, .rtm(.login, by: .local))], until: 140,
      expected: [
        .local: [
          .at(100, .rtmState(2, reason: 1)), .at(112, .rtmState(1, reason: 4)),
          .at(112, .answer(to: "login", "9")),
        ]
      ]),
    GoldenTimeline(
      "TL-13", "RTM, the same account elsewhere: aborted, calls fail, login only after logout", .rtm,
      steps: [
        Step(100, .rtm(.login, by: .rival)), Step(101, .rtm(.send("no", channel: channel), by: .local)),
        Step(102, .rtm(.login, by: .local)), Step(160, .look(at: .connection, of: .local)),
        Step(161, .rtm(.logout, by: .local)), Step(162, .rtm(.login, by: .local)),
      ], until: 170,
      expected: [
        .local: [
          .at(100, .rtmState(5, reason: 8)), .at(101, .answer(to: "send", "*")),
          .at(102, .answer(to: "login", "8")), .at(160, .saw(.connection, "5")),
          .at(161, .rtmState(1, reason: 6)), .at(162, .rtmState(2, reason: 1)), back(at: 162),
          .at(162, .answer(to: "login", "0")), .allowed(.answer(to: "logout", "0"), 160.7...161.3),
        ],
        .rival: [
          .at(100, .rtmState(2, reason: 1)), back(at: 100), .at(100, .answer(to: "login", "0")),
          .at(162, .rtmState(5, reason: 8)),
        ],
      ]),
    GoldenTimeline(
      "TL-14", "RTM, a message sent while reconnecting: fails at once, and is never delivered", .rtm,
      steps: .outage(from: 100, to: 120).and([
        Step(110, .rtm(.send("lost", channel: channel), by: .local))
      ]), until: 180,
      expected: [
        .local: [interrupted, .at(110, within: 0.05, .answer(to: "send", "*")), back(at: 120)],
        .remote: [],
      ]),
  ]
}
