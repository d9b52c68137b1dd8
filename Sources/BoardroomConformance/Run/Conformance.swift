/// Where the conformance kit begins.
public enum Conformance {
  /// All of PARITY rows TL, what holds for the whiteboard besides, sockets that close, and all contracts.
  public static let everything: [GoldenTimeline] = [
    GoldenTimeline.all, GoldenTimeline.whiteMore, GoldenTimeline.cuts, GoldenTimeline.contracts,
  ].flatMap { $0 }

  /// One for each face.
  public static let performers: [any Performer] = [
    WhitePerformer(), RtcPerformer(), RtmPerformer(), SignalingPerformer(), ReplayPerformer(),
  ]

  /// Plays timelines, each by the performer of its face, and says how it went.
  ///
  /// - Parameters:
  ///   - timelines: `everything` unless others are given.
  ///   - performers: of a face that has several, the first plays. A face without one is reported as such.
  ///   - judge: holds what was heard against what is expected.
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
  /// All of PARITY rows TL, in its order.
  public static let all: [GoldenTimeline] = [rtc, rtm, signaling, white, replay].flatMap { $0 }
}
