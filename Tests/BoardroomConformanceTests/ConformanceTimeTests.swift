import Testing

@testable import BoardroomConformance

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What the kit costs; `tools/test` lets nothing else run beside it. 20 s: a debug build took 8.6 s of one core. The time of
/// the processor and not of the wall: other work on the machine is not the kit's.
@Suite(.timeLimit(.minutes(15))) struct ConformanceTimeTests {
  @Test("All golden timelines and contracts together are played and hold in less than 20 s of one core")
  func everything() async {
    let begun = clock()
    let report = await Conformance.run()
    #expect(clock() - begun < 20 * CLOCKS_PER_SEC)
    #expect(report.passed.count == Conformance.everything.count, "\(report)")
  }
}
