import Testing

@testable import BoardroomConformance

/// How long the kit takes; `tools/test` lets nothing else run beside it. 20 s: a debug build took 8.6 s of one core.
@Suite(.timeLimit(.minutes(1))) struct ConformanceTimeTests {
  @Test("TL-1 to TL-27: all golden timelines and contracts together are played and hold in less than 20 s")
  func everything() async {
    let clock = ContinuousClock()
    let begun = clock.now
    let report = await Conformance.run()
    #expect(clock.now - begun < .seconds(20))
    #expect(report.passed.count == Conformance.everything.count, "\(report)")
  }
}
