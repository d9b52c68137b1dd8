import Testing

@testable import BoardroomConformance

/// A sample of the timelines over real sockets: what the virtual world stands for.
@Suite(.timeLimit(.minutes(1)), .serialized) struct ConformanceLoopbackTests {
  static let scale = 20
  /// 300 ms of a machine that is busy with other things; `tools/test` lets nothing else run beside it.
  static let slack = 0.3 * Double(scale)
  /// By the face that plays them.
  static let sample: [(face: Face, ids: [String])] = [
    (.white, ["TL-22", "TL-26"]), (.rtc, ["TL-3", "TL-5"]), (.rtm, ["TL-13", "TL-14"]),
    (.signaling, ["TL-19"]),
  ]

  @Test("CONF-7: timelines of each face hold over real sockets, with clocks 20 times as fast")
  func sample() async {
    // Side by side, each with a server of its own: nearly all of it is waiting.
    let reports = await withTaskGroup(of: ConformanceReport.self) { tasks in
      for (face, ids) in Self.sample {
        for timeline in GoldenTimeline.all where ids.contains(timeline.id) {
          tasks.addTask {
            await Conformance.run(
              [timeline], by: [SocketPerformer(face: face, scale: Self.scale)],
              judge: Judge(slack: Self.slack))
          }
        }
      }
      return await tasks.reduce(into: []) { $0.append($1) }
    }
    #expect(reports.count == Self.sample.map(\.ids.count).reduce(0, +))
    for report in reports { #expect(report.passed.count == 1, "\(report)") }
  }
}
