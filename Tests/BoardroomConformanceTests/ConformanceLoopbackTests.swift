import Testing

@testable import BoardroomConformance

/// A sample of the timelines over real sockets: what the virtual world stands for.
@Suite(.timeLimit(.minutes(1)), .serialized) struct ConformanceLoopbackTests {
  /// 150 ms of a machine that is busy with other things.
  static let slack = 3.0
  static let scale = 20

  @Test(
    "CONF-7: TL-22 and TL-26 hold over real sockets, with clocks 20 times as fast",
    arguments: ["TL-22", "TL-26"])
  func sample(_ id: String) async throws {
    let timeline = try #require(GoldenTimeline.white.first { $0.id == id })
    let report = await Conformance.run(
      [timeline], by: [SocketPerformer(scale: Self.scale)], judge: Judge(slack: Self.slack))
    #expect(report.passed.count == 1, "\(report)")
  }
}
