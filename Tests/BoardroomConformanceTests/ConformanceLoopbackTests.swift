import BoardroomCodec
import BoardroomModel
import EventLogModel
import Testing

@testable import BoardroomConformance

/// A sample of the timelines over real sockets: what the virtual world stands for.
@Suite(.timeLimit(.minutes(15)), .serialized) struct ConformanceLoopbackTests {
  /// What is borne besides a timeline's own tolerance, on the clock on the wall: 30 ms by which the last byte is earlier,
  /// and what a question, a timer and a few turns of loops take where nothing else runs. `tools/test` sees to that.
  /// At most 2 s of a timeline: half of the shortest wait in any.
  static let slack = 0.1
  /// A machine that let a timer wait for so long, did so to others for longer: what a run on it missed proves nothing.
  static let stall = Duration.milliseconds(25)
  /// A run that proves nothing is played again, at half the pace: the machine's lateness is half as long then, by the
  /// timeline's clock, and what is borne is what it was.
  static let attempts = 3
  /// The timelines of a face, and how many times as fast as the world's the clocks run: such that each takes 5 s or so.
  static let sample: [(face: Face, pace: Int, ids: [String])] = [
    (.white, 20, ["TL-22", "TL-26"]), (.rtc, 10, ["TL-3", "TL-5"]), (.rtm, 15, ["TL-14"]),
    (.signaling, 10, ["TL-19"]),
  ]

  @Test("CONF-7: timelines of each live face hold over real sockets, with clocks 10 to 20 times as fast")
  func sample() async { await hold(Self.sample) }

  /// Accounts are at the first node, and the channel of all timelines is at the second one.
  static let channel = Set(Service.allCases.map { SpaceName.channel($0, GoldenTimeline.channel).log })
  /// All that end within so many seconds; the others are the same for longer, up to two hours.
  static let longest = 200.0
  /// They are not played over sockets, with one server either: the first needs a crowd, the others leave a tenth of a
  /// second for all that happens on the way.
  static let virtual = ["TL-21", "TL-2", "TL-7"]
  static let apart = [(face: Face.rtc, pace: 10), (.rtm, 15), (.signaling, 10)].map { face, pace in
    let timelines = GoldenTimeline.all.filter {
      $0.face == face && $0.until <= longest && !virtual.contains($0.id)
    }
    return (face: face, pace: pace, ids: timelines.map(\.id))
  }

  @Test("NODE-9: accounts and channels at different nodes: the timelines of RTC, RTM and Signaling hold")
  func nodes() async { await hold(Self.apart, apart: Self.channel) }

  private func hold(
    _ plays: [(face: Face, pace: Int, ids: [String])], apart: Set<LogID>? = nil
  ) async {
    var left = plays.flatMap { face, pace, ids in
      GoldenTimeline.all.filter { ids.contains($0.id) && $0.face == face }.map {
        Play($0, by: face, pace, apart: apart)
      }
    }
    #expect(left.count == plays.map(\.ids.count).reduce(0, +))
    #expect(left.count > 3)
    for attempt in 1...Self.attempts where !left.isEmpty {
      let (missed, stall) = await StallWatch.over { await Self.misses(of: left, attempt) }
      left = missed.map(\.play)
      guard attempt == Self.attempts || stall < Self.stall else { continue }
      for (play, report) in missed {
        Issue.record("\(play.timeline.id), attempt \(attempt), the machine late by \(stall):\n\(report)")
      }
      return
    }
  }

  private struct Play: Sendable {
    let timeline: GoldenTimeline
    private let face: Face
    private let pace: Int
    private let apart: Set<LogID>?

    init(_ timeline: GoldenTimeline, by face: Face, _ pace: Int, apart: Set<LogID>?) {
      (self.timeline, self.face, self.pace, self.apart) = (timeline, face, pace, apart)
    }

    func report(_ attempt: Int) async -> ConformanceReport {
      let performer = SocketPerformer(face: face, scale: pace >> (attempt - 1), apart: apart)
      let judge = Judge(slack: ConformanceLoopbackTests.slack * Double(pace))
      return await Conformance.run([timeline], by: [performer], judge: judge)
    }
  }

  /// Those that do not hold. Side by side, each with a server of its own: nearly all of it is waiting.
  private static func misses(
    of plays: [Play], _ attempt: Int
  ) async -> [(play: Play, report: ConformanceReport)] {
    await withTaskGroup(of: (Play, ConformanceReport).self) { tasks in
      for play in plays { tasks.addTask { (play, await play.report(attempt)) } }
      return await tasks.reduce(into: []) { missed, one in
        if one.1.passed.count != 1 { missed.append(one) }
      }
    }
  }
}
