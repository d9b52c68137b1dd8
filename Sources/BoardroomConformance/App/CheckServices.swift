import BoardroomClient
import BoardroomLegacy

extension Conformance {
  /// Takes an app's RTC object through RTC's timelines in the local party's part, and reports the
  /// differences. The timelines join and leave. The object is told the callbacks, and may use the connection
  /// as it does in the app.
  ///
  /// - Parameters:
  ///   - app: gets the connection and returns the object for its callbacks, a new one for each timeline. The
  ///     kit keeps a strong reference to it.
  ///   - ids: only rows of these ids.
  ///   - seed: the begin of the random numbers: the same seed gives the same runs.
  public static func check(
    rtc app: @escaping @Sendable (RtcConnection) -> any RtcConnectionDelegate, only ids: Set<String>? = nil,
    seed: UInt64 = 7
  ) -> ConformanceReport {
    let performer = RtcPerformer(seed: seed) { app($0) }
    return check(GoldenTimeline.rtc, ids) { timeline throws(ConformanceError) in
      try performer.perform(timeline)
    }
  }

  /// The same check of an app's RTM object, which gets the callbacks of login and channel.
  public static func check(
    rtm app: @escaping @Sendable (RtmClient) -> RtmPerformer.Listener, only ids: Set<String>? = nil,
    seed: UInt64 = 7
  ) -> ConformanceReport {
    let performer = RtmPerformer(seed: seed) { app($0) }
    return check(GoldenTimeline.rtm, ids) { timeline throws(ConformanceError) in
      try performer.perform(timeline)
    }
  }

  /// The same check of an app's use of Signaling. `app` sets callbacks and returns the object that the kit
  /// must keep for them.
  public static func check(
    signaling app: @escaping @Sendable (SignalingClient) -> (any Sendable)?, only ids: Set<String>? = nil,
    seed: UInt64 = 7
  ) -> ConformanceReport {
    let performer = SignalingPerformer(seed: seed, app: app)
    return check(GoldenTimeline.signaling, ids) { timeline throws(ConformanceError) in
      try performer.perform(timeline)
    }
  }

  private static func check(
    _ timelines: [GoldenTimeline], _ ids: Set<String>?,
    _ perform: (GoldenTimeline) throws(ConformanceError) -> Transcript
  ) -> ConformanceReport {
    let rows = timelines.filter { ids?.contains($0.id) ?? true }.map { timeline in
      ConformanceReport.Row(timeline.id, timeline.title, outcome(of: timeline, perform))
    }
    return ConformanceReport(rows: rows)
  }

  private static func outcome(
    of timeline: GoldenTimeline, _ perform: (GoldenTimeline) throws(ConformanceError) -> Transcript
  ) -> ConformanceReport.Outcome {
    do throws(ConformanceError) {
      let difference = Judge().difference(in: try perform(timeline), from: timeline)
      return difference.map { .differs($0) } ?? .ok
    } catch { return .unplayed(error.description) }
  }
}
