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
  func sample() async {
    var left = Self.sample.flatMap { face, pace, ids in
      GoldenTimeline.all.filter { ids.contains($0.id) }.map { Play($0, by: face, pace) }
    }
    #expect(left.count == Self.sample.map(\.ids.count).reduce(0, +))
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

    init(_ timeline: GoldenTimeline, by face: Face, _ pace: Int) {
      (self.timeline, self.face, self.pace) = (timeline, face, pace)
    }

    func report(_ attempt: Int) async -> ConformanceReport {
      let performer = SocketPerformer(face: face, scale: pace >> (attempt - 1))
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
