// TL-1 to TL-6. States: 1 disconnected, 2 connecting, 3 connected, 4 reconnecting, 5 failed (PARITY rows RTC). Reasons:
// 0 connecting, 1 join success, 2 interrupted, 4 join failed, 5 leave, 15 rejoin success; offline: 1 dropped (PARITY
// rows RTCO).

extension GoldenTimeline {
  public static let rtc: [GoldenTimeline] = [
    GoldenTimeline(
      "TL-1", "RTC, never back: interrupted at 4 s, lost at 10 s, failed after 20 minutes, then no attempt",
      .rtc,
      steps: .outage(from: 100).and([
        Step(1_325, .look(at: .attempts, of: .local)), Step(2_600, .look(at: .attempts, of: .local)),
      ]), until: 2_601,
      expected: [
        .local: [
          .at(104, .rtcState(4, reason: 2)), .at(110, .rtcLost),
          // 20 minutes after the last byte; the FAQ counts them from the moment at which the others lost it
          //
          .between(1_299.7...1_320.3, .rtcState(5, reason: 4)),
          .at(1_325, .saw(.attempts, "some")), .at(2_600, .saw(.attempts, "none")),
        ],
        .remote: [.at(120, .rtcUserOffline(.local, reason: 1))],
      ]),
    GoldenTimeline(
      "TL-2", "RTC, back after 3.9 s: nothing anywhere", .rtc, steps: .outage(from: 100, to: 103.9),
      until: 130,
      expected: [.local: [], .remote: []]),
    GoldenTimeline(
      "TL-3", "RTC, back after 7 s: rejoined, not lost, nobody sees it", .rtc,
      steps: .outage(from: 100, to: 107), until: 140,
      expected: [.local: interruptedRtc.then(rejoined(at: 107)), .remote: []]),
    GoldenTimeline(
      "TL-4", "RTC, back after 15 s: lost at 10 s, rejoined, nobody sees it", .rtc,
      steps: .outage(from: 100, to: 115), until: 140,
      expected: [
        .local: interruptedRtc.then(lostRtc).then(rejoined(at: 115)), .remote: [],
      ]),
    GoldenTimeline(
      "TL-5", "RTC, back after 25 s: the others saw it go at 20 s and see it come", .rtc,
      steps: .outage(from: 100, to: 125), until: 150,
      expected: [
        .local: interruptedRtc.then(lostRtc).then(rejoined(at: 125)),
        .remote: [.at(120, .rtcUserOffline(.local, reason: 1)), .at(125.1, .rtcUserJoined(.local))],
      ]),
    GoldenTimeline(
      "TL-6", "RTC, failed: a join without a leave is refused; after a leave it works", .rtc,
      steps: .outage(from: 100).and([
        Step(1_330, .network(.clear, of: .local)), Step(1_340, .rtc(.join, by: .local)),
        Step(1_345, .rtc(.leave, by: .local)), Step(1_350, .rtc(.join, by: .local)),
      ]), from: 1_330, until: 1_360,
      expected: [
        .local: [
          .at(1_340, .answer(to: "join", "refused")), .at(1_345, .rtcState(1, reason: 5)),
          .at(1_350, .rtcState(2, reason: 0)), .at(1_350.2, .rtcState(3, reason: 1)),
          .at(1_350.2, .rtcJoined), .allowed(.rtcUserJoined(.remote), 1_350...1_350.5),
        ],
        .remote: [.at(1_350.3, .rtcUserJoined(.local))],
      ]),
  ]

  private static let interruptedRtc = [Expectation.at(104, .rtcState(4, reason: 2))]
  private static let lostRtc = [Expectation.at(110, .rtcLost)]

  private static func rejoined(at second: Double) -> [Expectation] {
    [.at(second, .rtcState(3, reason: 15)), .at(second, .rtcRejoined)]
  }
}
