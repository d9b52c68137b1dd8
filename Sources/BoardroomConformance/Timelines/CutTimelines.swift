// TL-2 and TL-7 where the socket closes instead of falling silent (PARITY rows RTCB, RTMT): an
// interruption of the source systems is 4 s without a byte, also where the socket closed.

extension GoldenTimeline {
  /// RTC and RTM: a closed socket that is replaced before 4 s have passed, and one that is not.
  public static let cuts: [GoldenTimeline] =
    [1, 3.9].flatMap { seconds in
      [
        GoldenTimeline(
          "RTCB-cut-\(seconds)", "RTC, the socket closes and is back after \(seconds) s: nothing anywhere",
          .rtc,
          steps: cut(until: 100 + seconds), until: 130, expected: [.local: [], .remote: []]),
        GoldenTimeline(
          "RTMT-cut-\(seconds)",
          "RTM, the socket closes and is back after \(seconds) s: nothing but the channel's messages", .rtm,
          steps: cut(until: 100 + seconds).and([
            Step(100.5, .rtm(.send("one", channel: channel), by: .remote))
          ]),
          until: 130,
          expected: [
            .local: [.between(100...(100.3 + seconds), .rtmText("one", from: .remote))],
            .remote: [.allowed(.answer(to: "send", "0"), 100...102)],
          ]),
      ]
    } + [
      GoldenTimeline(
        "RTCB-cut-7", "RTC, the socket closes and is back after 7 s: interrupted 4 s after the last byte",
        .rtc,
        steps: cut(until: 107), until: 140,
        expected: [
          .local: [
            .at(104, .rtcState(4, reason: 2)), .at(107, .rtcState(3, reason: 15)), .at(107, .rtcRejoined),
          ], .remote: [],
        ]),
      GoldenTimeline(
        "RTMT-cut-7", "RTM, the socket closes and is back after 7 s: interrupted 4 s after the last byte",
        .rtm,
        steps: cut(until: 107), until: 140,
        expected: [
          .local: [.at(104, .rtmState(4, reason: 5)), .at(107, .rtmState(3, reason: 2))], .remote: [],
        ]),
    ]

  private static func cut(until end: Double) -> [Step] {
    [
      Step(99.94, .speaks(.local)), Step(100, .network(.cut, of: .local)),
      Step(end, .network(.clear, of: .local)), Step(end, .networkIsBack(of: .local)),
    ]
  }
}
