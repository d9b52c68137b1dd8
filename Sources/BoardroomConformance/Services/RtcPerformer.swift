import BoardroomClient
import BoardroomHosting
import BoardroomLegacy

/// Plays RTC's timelines in a world of its own, with Boardroom's server and SDK in virtual time.
public struct RtcPerformer: Performer {
  public let face = Face.rtc
  private let seed: UInt64
  private let server: ServerPolicy
  private let app: @Sendable (RtcConnection) -> (any RtcConnectionDelegate)?

  /// - Parameters:
  ///   - seed: gives latencies and the spread of retries.
  ///   - server: the server's limits and times.
  ///   - app: gets the local party's connection of each timeline, and returns the object for its callbacks,
  ///     if there is one. The kit keeps a strong reference to it, and records the callbacks.
  public init(
    seed: UInt64 = 7, server: ServerPolicy = ServerPolicy(),
    app: @escaping @Sendable (RtcConnection) -> (any RtcConnectionDelegate)? = { _ in nil }
  ) {
    (self.seed, self.server, self.app) = (seed, server, app)
  }

  public func play(_ timeline: GoldenTimeline) async throws -> Transcript { try perform(timeline) }

  /// Plays the timeline on the caller's thread.
  func perform(_ timeline: GoldenTimeline) throws(ConformanceError) -> Transcript {
    let app = app
    return try ServiceStage(timeline, seed: seed, server: server) { party, isLocal in
      RtcActor(party, app: isLocal ? app : { _ in nil })
    }.perform()
  }
}

final class RtcActor: ServiceActor {
  let party: ServiceParty
  private let connection: RtcConnection
  private let recorder: RtcCallbackRecorder

  init(_ party: ServiceParty, app: (RtcConnection) -> (any RtcConnectionDelegate)? = { _ in nil }) {
    self.party = party
    connection = RtcConnection(
      configuration: party.configuration, context: party.context, transport: party.transport)
    recorder = RtcCallbackRecorder(party.log, passingTo: app(connection))
    connection.delegate = recorder
  }

  var entry: [ServiceCall] { [ServiceCall(sign: .rtcJoined) { self.join() }] }

  private func join() {
    connection.joinChannel(byToken: party.token, channelId: GoldenTimeline.channel, uid: party.uid) {
      [log = party.log] _ in log.add(.answer(to: "join", "refused"))
    }
  }

  func networkIsBack() { connection.networkIsBack() }
  func standing() async -> Int { connection.getConnectionState().rawValue }
  func attributes(of account: String) async -> [String: String] { [:] }

  func call(_ act: Act) -> Bool {
    guard case .rtc(let call, _) = act else { return false }
    switch call {
    case .join: join()
    case .leave: connection.leaveChannel()
    }
    return true
  }
}

/// Records a connection's callbacks and passes them on.
final class RtcCallbackRecorder: RtcConnectionDelegate, @unchecked Sendable {
  private let log: CallbackLog
  /// The app's object. It is called where the client calls this one, and nowhere else, so that it need not be `Sendable`.
  private let target: (any RtcConnectionDelegate)?

  init(_ log: CallbackLog, passingTo target: (any RtcConnectionDelegate)?) {
    (self.log, self.target) = (log, target)
  }

  func connectionChangedToState(_ state: RtcConnectionState, reason: RtcConnectionReason) {
    log.record(.rtcState(state.rawValue, reason: reason.rawValue))
    target?.connectionChangedToState(state, reason: reason)
  }

  func rtcEngineConnectionDidLost() {
    log.record(.rtcLost)
    target?.rtcEngineConnectionDidLost()
  }

  func didJoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int) {
    log.record(.rtcJoined)
    target?.didJoinChannel(channel, withUid: uid, elapsed: elapsed)
  }

  func didRejoinChannel(_ channel: String, withUid uid: UInt, elapsed: Int) {
    log.record(.rtcRejoined)
    target?.didRejoinChannel(channel, withUid: uid, elapsed: elapsed)
  }

  func didJoinedOfUid(_ uid: UInt, elapsed: Int) {
    if let party = Party(uid: uid) { log.record(.rtcUserJoined(party)) }
    target?.didJoinedOfUid(uid, elapsed: elapsed)
  }

  func didOfflineOfUid(_ uid: UInt, reason: RtcOfflineReason) {
    if let party = Party(uid: uid) { log.record(.rtcUserOffline(party, reason: reason.rawValue)) }
    target?.didOfflineOfUid(uid, reason: reason)
  }

  /// The change of state says the same, and no timeline expects this callback.
  func didLeaveChannel() { target?.didLeaveChannel() }
}
