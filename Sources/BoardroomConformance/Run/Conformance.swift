/// The entry point of the conformance kit.
public enum Conformance {
  /// All timelines of PARITY rows TL, further ones of the whiteboard, those with sockets that close, and all
  /// contracts.
  public static let everything: [GoldenTimeline] = [
    GoldenTimeline.all, GoldenTimeline.whiteMore, GoldenTimeline.cuts, GoldenTimeline.contracts,
  ].flatMap { $0 }

  /// One performer for each face.
  public static let performers: [any Performer] = [
    WhitePerformer(), RtcPerformer(), RtmPerformer(), SignalingPerformer(), ReplayPerformer(),
  ]

  /// Plays timelines, each with the performer of its face, and returns a report.
  ///
  /// - Parameters:
  ///   - timelines: the timelines to play; `everything` if none are given.
  ///   - performers: if a face has several, the first one plays. A face without one is reported as such.
  ///   - judge: compares what was heard with what is expected.
  public static func run(
    _ timelines: [GoldenTimeline] = everything,
    by performers: [any Performer] = performers, judge: Judge = Judge()
  ) async -> ConformanceReport {
    var rows: [ConformanceReport.Row] = []
    for timeline in timelines {
      let outcome = await outcome(of: timeline, by: performers, judge: judge)
      rows.append(ConformanceReport.Row(timeline.id, timeline.title, outcome))
    }
    return ConformanceReport(rows: rows)
  }

  private static func outcome(
    of timeline: GoldenTimeline, by performers: [any Performer], judge: Judge
  ) async -> ConformanceReport.Outcome {
    guard let performer = performers.first(where: { $0.face == timeline.face }) else {
      return .noPerformer(timeline.face)
    }
    do {
      let transcript = try await performer.play(timeline)
      return judge.difference(in: transcript, from: timeline).map { .differs($0) } ?? .ok
    } catch { return .unplayed("\(error)") }
  }
}

extension GoldenTimeline {
  /// All timelines of PARITY rows TL, in their order.
  public static let all: [GoldenTimeline] = [rtc, rtm, signaling, white, replay].flatMap { $0 }
}
