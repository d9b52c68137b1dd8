import BoardroomClient
import BoardroomHosting
import BoardroomLegacy
import BoardroomModel
import Synchronization
import TestKit
import Testing

@testable import BoardroomConformance

/// The performers of RTC, RTM, Signaling and replay: their timelines hold, and do not hold where something is wrong.
@Suite struct ServiceTests {
  @Test("TL-1, TL-2, TL-3, TL-4, TL-5, TL-6: RTC's golden timelines hold", arguments: GoldenTimeline.rtc)
  func rtc(_ timeline: GoldenTimeline) async { await expectOk(timeline) }

  @Test(
    "TL-7, TL-8, TL-9, TL-10, TL-11, TL-12, TL-13, TL-14: RTM's golden timelines hold",
    arguments: GoldenTimeline.rtm)
  func rtm(_ timeline: GoldenTimeline) async { await expectOk(timeline) }

  @Test(
    "TL-15, TL-16, TL-17, TL-18, TL-19, TL-20, TL-21: Signaling's golden timelines hold",
    arguments: GoldenTimeline.signaling)
  func signaling(_ timeline: GoldenTimeline) async { await expectOk(timeline) }

  @Test(
    "TL-9, TL-10, TL-20, TL-21, SES-10: they hold while the server is lost that has the account and the channel",
    arguments: GoldenTimeline.lostServer)
  func lostServer(_ timeline: GoldenTimeline) async { await expectOk(timeline) }

  @Test("TL-27: the whiteboard's timelines, replayed, show the boards and phases that were seen live")
  func replay() async {
    for timeline in GoldenTimeline.replay { await expectOk(timeline) }
  }

  @Test(
    "FACE-10, TL-2, RTC-T4, RTMT-5: a socket that closes is told of 4 s after the last byte, or never",
    arguments: GoldenTimeline.cuts)
  func cuts(_ timeline: GoldenTimeline) async { await expectOk(timeline) }

  private func expectOk(_ timeline: GoldenTimeline) async {
    let report = await Conformance.run([timeline])
    #expect(report.passed.count == 1, "\(report)")
  }

  @Test("CONF-6: whatever the seed, they hold", arguments: UInt64(1)...2)
  func seeds(_ seed: UInt64) async {
    let performers: [any Performer] = [
      RtcPerformer(seed: seed), RtmPerformer(seed: seed), SignalingPerformer(seed: seed),
    ]
    // Those of hours take as long under any seed.
    let short = (GoldenTimeline.rtc + GoldenTimeline.rtm + GoldenTimeline.signaling).filter { $0.until < 400 }
    let report = await Conformance.run(short, by: performers)
    #expect(report.passed.count == short.count, "\(report)")
  }

  // MARK: What is wrong is found

  /// A server that lets go of silent members of this service after so many seconds.
  private func server(_ service: Service, grace: Int) -> ServerPolicy {
    var policy = ServerPolicy()
    policy.graces[service] = .seconds(grace)
    return policy
  }

  private func expectDifference(
    _ id: String, by performer: any Performer, of party: Party, at second: Double
  ) async {
    let timelines = GoldenTimeline.all.filter { $0.id == id }
    let report = await Conformance.run(timelines, by: [performer])
    guard case .differs(let difference)? = report[id] else { Issue.record("\(report)"); return }
    #expect(difference.party == party, "\(difference)")
    #expect(abs(difference.second - second) < 0.5, "\(difference)")
  }

  @Test("CONF-1: servers with another grace do not pass, and the report says when they let go")
  func graces() async {
    let rtc = RtcPerformer(server: server(.rtc, grace: 25))
    await expectDifference("TL-5", by: rtc, of: .remote, at: 125)
    let rtm = RtmPerformer(server: server(.rtm, grace: 60))
    await expectDifference("TL-8", by: rtm, of: .remote, at: 160)
    let hasty = RtmPerformer(server: server(.rtm, grace: 20))
    await expectDifference("TL-8", by: hasty, of: .remote, at: 120)
    let signaling = SignalingPerformer(server: server(.signaling, grace: 60))
    await expectDifference("TL-15", by: signaling, of: .remote, at: 160)
  }

  @Test("CONF-1: a server that is silent for too long passes with no face")
  func mute() async {
    var mute = ServerPolicy()
    mute.timings.heartbeat = .seconds(6)
    let performers: [any Performer] = [
      RtcPerformer(server: mute), RtmPerformer(server: mute), SignalingPerformer(server: mute),
    ]
    for id in ["TL-3", "TL-14", "TL-19"] {
      let report = await Conformance.run(GoldenTimeline.all.filter { $0.id == id }, by: performers)
      #expect(report.failed.map(\.id) == [id], "\(report)")
    }
  }

  @Test("TL-27: a replay through other eyes has other phases, and one of a damaged log another board")
  func otherReplays() throws {
    let timeline = try #require(GoldenTimeline.replay.first)
    let damaged = ReplayPerformer(viewer: .user("ben")) { world in
      let source = SlowSource(LogReplaySource(world.room, in: world.store), on: world.loop)
      source.damage(4...4)
      return source
    }
    let words = try damaged.perform(timeline).lines[.local]?.map(\.heard.words) ?? []
    #expect(words.count == 10)
    for word in words { #expect(word.last != "as live", "\(word)") }
  }

  @Test(
    "CONF-3: a method that is none, or with too few arguments, cannot be played",
    arguments: ["jump", "getAttr"])
  func unknown(_ method: String) async {
    let timeline = GoldenTimeline(
      "X", "unknown", .signaling, steps: [Step(10, .signaling(method, [], by: .local))], from: 0, until: 20,
      expected: [:])
    let report = await Conformance.run([timeline])
    let isUnplayed = if case .unplayed? = report["X"] { true } else { false }
    #expect(isUnplayed, "\(report)")
  }
}
