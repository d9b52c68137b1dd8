import BoardroomClient
import BoardroomLegacy
import Synchronization

extension Conformance {
  /// Takes an app through losses of connection, removals and changes in virtual time, and reports what it did wrong. On the
  /// caller's thread; takes about a second.
  ///
  /// Rows `APP-…` are the app's own duties. The others are timelines and contracts in which the app takes the
  /// local party's part: the kit checks what its callbacks object is told. Pages, view, custom events and
  /// history are left to the app.
  ///
  /// - Parameters:
  ///   - app: describes how the kit makes and uses the app.
  ///   - ids: only rows of these ids.
  ///   - seed: the begin of the random numbers: the same seed gives the same runs.
  public static func check<App: AnyObject & Sendable>(
    _ app: AppUnderTest<App>, only ids: Set<String>? = nil, seed: UInt64 = 7
  ) -> ConformanceReport {
    func isAsked(_ id: String) -> Bool { ids?.contains(id) ?? true }
    let duties = AppDuty.allCases.filter { isAsked($0.rawValue) }.map { duty in
      ConformanceReport.Row(duty.rawValue, duty.title, outcome(of: duty, by: app, seed: seed))
    }
    let timelines = everything.filter { $0.suitsApps && isAsked($0.id) }.map { timeline in
      ConformanceReport.Row(timeline.id, timeline.title, outcome(of: timeline, by: app, seed: seed))
    }
    return ConformanceReport(rows: duties + timelines)
  }

  /// The same check of a callbacks object alone. The kit joins with it, and never joins again.
  ///
  /// - Parameters:
  ///   - name: what reports call it.
  ///   - make: makes a new object at each call; the kit keeps a strong reference to it.
  ///   - visible: as in `AppUnderTest`.
  ///   - ids: only rows of these ids.
  ///   - seed: the begin of the random numbers: the same seed gives the same runs.
  public static func check(
    _ name: String, delegate make: @escaping @Sendable () -> any WhiteRoomCallbackDelegate & Sendable,
    visible: (@Sendable (any WhiteRoomCallbackDelegate) -> String)? = nil, only ids: Set<String>? = nil,
    seed: UInt64 = 7
  ) -> ConformanceReport {
    let app = AppUnderTest(
      name, start: { stage in DelegateHost(make(), on: stage) }, room: { $0.room },
      visible: visible.map { visible in { @Sendable host in visible(host.delegate) } })
    return check(app, only: ids, seed: seed)
  }

  private static func outcome<App>(
    of duty: AppDuty, by app: AppUnderTest<App>, seed: UInt64
  ) -> ConformanceReport.Outcome {
    if let reason = duty.reasonToLeaveOut(app) { return .leftOut(reason) }
    do throws(AppFailure) {
      try duty.check(try AppTrial(app, seed: seed))
      return .ok
    } catch { return .broken(error.words) }
  }

  private static func outcome<App>(
    of timeline: GoldenTimeline, by app: AppUnderTest<App>, seed: UInt64
  ) -> ConformanceReport.Outcome {
    do throws(AppFailure) {
      let trial = try AppTrial(app, seed: seed)
      trial.play(timeline.steps, until: timeline.until)
      let lines = trial.instance.log.lines.filter { !$0.heard.isOfTheAppsView }
      var judged = timeline
      judged.expected = judged.expected.filter { $0.key == .local }
      let difference = Judge().difference(in: Transcript([.local: lines]), from: judged)
      return difference.map { .differs($0) } ?? .ok
    } catch { return .broken(error.words) }
  }
}

extension Heard {
  /// Whether it is a callback about what the app itself may do at any time: pages, view, history.
  fileprivate var isOfTheAppsView: Bool {
    switch self {
    case .state(let parts): Set(parts.keys).isDisjoint(with: [.globalState, .roomMembers])
    case .magix, .batch, .canUndo, .canRedo: true
    case .phase, .committable, .disconnect, .kicked, .misfit, .answer, .saw, .broken, .signaling: false
    case .rtcState, .rtcLost, .rtcJoined, .rtcRejoined, .rtcUserJoined, .rtcUserOffline: false
    case .rtmState, .rtmTokenExpired, .rtmMemberJoined, .rtmMemberLeft, .rtmText: false
    }
  }
}

/// An app that has nothing but a callbacks object.
private final class DelegateHost: Sendable {
  let delegate: any WhiteRoomCallbackDelegate & Sendable
  /// The SDK, which keeps its room alive.
  private let sdk: WhiteSDK
  private let held = Mutex<WhiteRoom?>(nil)
  var room: WhiteRoom? { held.withLock { $0 } }

  init(_ delegate: any WhiteRoomCallbackDelegate & Sendable, on stage: AppStage) {
    self.delegate = delegate
    sdk = stage.sdk
    stage.sdk.joinRoom(with: stage.config, callbacks: delegate) { [weak self] _, room, _ in
      self?.held.withLock { $0 = room }
    }
  }
}
