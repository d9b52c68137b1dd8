import BoardroomCore
import BoardroomHosting
import BoardroomModel
import Testing

@testable import BoardroomConformance

@Suite struct TimelineTests {
  static let performers: [any Performer] = [WhitePerformer()]

  @Test(
    "TL-22, TL-23, TL-24, TL-25, TL-26: the whiteboard's golden timelines hold",
    arguments: GoldenTimeline.white + GoldenTimeline.whiteMore)
  func white(_ timeline: GoldenTimeline) async {
    let report = await Conformance.run([timeline], by: Self.performers)
    #expect(report.passed.count == 1, "\(report)")
  }

  static let contracts = [
    "CB-1", "CB-2", "CB-3", "CB-4", "CB-5", "CB-6", "CB-7", "CB-10", "CB-11", "CB-12", "EC-all", "CB-13",
    "CB-14",
    "CB-15",
    "CB-16", "CB-17", "CB-18", "CB-19",
  ]

  @Test("CB-1 to CB-7, CB-10 to CB-19, EC-all: the callback contracts hold", arguments: contracts)
  func contract(_ id: String) async {
    let contracts = GoldenTimeline.contracts.filter { $0.id == id }
    let report = await Conformance.run(contracts, by: Self.performers)
    #expect(report.passed.count == 1, "\(report)")
  }

  @Test("CONF-3: a face that nobody was given for is counted, and is no failure", arguments: Face.allCases)
  func withoutPerformer(_ face: Face) async {
    let others = Conformance.performers.filter { $0.face != face }
    #expect(others.count == Face.allCases.count - 1)
    let timelines = GoldenTimeline.all.filter { $0.face == face }
    let report = await Conformance.run(timelines, by: others)
    #expect(report.withoutPerformer.count == timelines.count)
    #expect(report.isOk)
    #expect(report.passed.isEmpty)
  }

  @Test("CONF-3: all of the specification's timelines are written down, once each and in order")
  func written() {
    #expect(GoldenTimeline.all.map(\.id) == (1...27).map { "TL-\($0)" })
    #expect(GoldenTimeline.contracts.map(\.id) == Self.contracts)
    #expect(Set(Conformance.everything.map(\.id)).count == Conformance.everything.count)
  }

  @Test(
    "CONF-1: a timeline's steps and expectations stand in the order of their seconds, inside its time",
    arguments: Conformance.everything)
  func ordered(_ timeline: GoldenTimeline) {
    let steps = timeline.steps.map(\.second)
    #expect(steps == steps.sorted())
    #expect(timeline.from <= timeline.until)
    #expect((steps.last ?? 0) <= timeline.until)
    #expect(!timeline.expected.isEmpty)
    for expected in timeline.expected.values {
      let due = expected.filter { $0.need == .once }.map(\.seconds.lowerBound)
      #expect(due == due.sorted())
      for one in expected {
        #expect(one.seconds.upperBound >= timeline.from)
        #expect(one.seconds.lowerBound <= timeline.until)
      }
    }
  }

  @Test("CONF-6: the same seed gives the same transcript, and another seed other instants")
  func seeded() throws {
    let timeline = try #require(GoldenTimeline.white.first)
    let first = try WhitePerformer(seed: 3).perform(timeline)
    #expect(try WhitePerformer(seed: 3).perform(timeline) == first)
    #expect(try WhitePerformer(seed: 4).perform(timeline) != first)
  }

  @Test("CONF-1: a server with another grace, or without heartbeats in time, does not pass")
  func mutants() async {
    var hasty = ServerPolicy()
    hasty.timings.offlineAfter = .seconds(20)
    let early = await Conformance.run(GoldenTimeline.white, by: [WhitePerformer(server: hasty)])
    let outcome = early["TL-23"]
    guard case .differs(let difference)? = outcome else {
      Issue.record("a grace of 20 s passed: \(early)")
      return
    }
    #expect(difference.party == .remote)
    #expect(abs(difference.second - 120) < 0.5)
    #expect(difference.expected?.contains("at 130 ± 0.3") == true)
    var mute = ServerPolicy()
    mute.timings.heartbeat = .seconds(6)
    let late = await Conformance.run(GoldenTimeline.contracts, by: [WhitePerformer(server: mute)])
    #expect(!late.isOk)
  }

  @Test("CONF-3: an act of another face is no failure of the face, but cannot be played")
  func foreign() async {
    let timeline = GoldenTimeline(
      "X", "foreign", .white, steps: [Step(10, .rtc(.join, by: .local))], from: 0, until: 20, expected: [:])
    let report = await Conformance.run([timeline], by: Self.performers)
    guard case .unplayed(let why)? = report["X"] else { Issue.record("\(report)"); return }
    #expect(why.contains("belongs to another face"))
  }
}
