import BoardroomClient
import BoardroomHosting
import BoardroomLegacy

/// Plays RTM's timelines in a world of its own, with Boardroom's server and SDK in virtual time.
public struct RtmPerformer: Performer {
  /// An app's object for RTM's callbacks: of the login, and of the channel of the timelines.
  public typealias Listener = any RtmDelegate & RtmChannelDelegate

  public let face = Face.rtm
  private let seed: UInt64
  private let server: ServerPolicy
  private let app: @Sendable (RtmClient) -> Listener?

  /// - Parameters:
  ///   - seed: gives latencies and the spread of retries.
  ///   - server: the server's limits and times.
  ///   - app: gets the local party's client of each timeline, and returns the object for its callbacks, if
  ///     there is one. The kit keeps a strong reference to it, and records the callbacks.
  public init(
    seed: UInt64 = 7, server: ServerPolicy = ServerPolicy(),
    app: @escaping @Sendable (RtmClient) -> Listener? = { _ in nil }
  ) {
    (self.seed, self.server, self.app) = (seed, server, app)
  }

  public func play(_ timeline: GoldenTimeline) async throws -> Transcript { try perform(timeline) }

  /// Plays the timeline on the caller's thread.
  func perform(_ timeline: GoldenTimeline) throws(ConformanceError) -> Transcript {
    let app = app
    return try ServiceStage(timeline, seed: seed, server: server) { party, isLocal in
      RtmActor(party, app: isLocal ? app : { _ in nil })
    }.perform()
  }
}

final class RtmActor: ServiceActor {
  let party: ServiceParty
  private let client: RtmClient
  private let recorder: RtmCallbackRecorder

  init(_ party: ServiceParty, app: (RtmClient) -> RtmPerformer.Listener? = { _ in nil }) {
    self.party = party
    client = RtmClient(configuration: party.configuration, context: party.context, transport: party.transport)
    recorder = RtmCallbackRecorder(party.log, passingTo: app(client))
    client.delegate = recorder
  }

  var entry: [ServiceCall] {
    [
      ServiceCall(sign: .answer(to: "login", "0")) { self.login() },
      ServiceCall(sign: .answer(to: "join", "0")) { self.join(GoldenTimeline.channel) },
    ]
  }

  private func login() { client.loginByToken(party.token, user: party.account, completion: answer("login")) }

  private func join(_ channel: String) {
    client.createChannel(channel, delegate: recorder).join(completion: answer("join"))
  }

  private func answer(_ name: String) -> @Sendable (RtmErrorCode) -> Void {
    { [log = party.log] in log.add(.answer(to: name, "\($0.rawValue)")) }
  }

  func networkIsBack() { client.networkIsBack() }
  func standing() async -> Int { client.connectionState.rawValue }
  func attributes(of account: String) async -> [String: String] {
    (try? await client.getUserAllAttributes(account)) ?? [:]
  }

  func call(_ act: Act) -> Bool {
    guard case .rtm(let call, _) = act else { return false }
    switch call {
    case .login: login()
    case .logout:
      client.logoutWithCompletion { [log = party.log] in log.add(.answer(to: "logout", "\($0.logoutValue)")) }
    case .join(let channel): join(channel)
    case .send(let text, let channel):
      client.createChannel(channel).sendMessage(text, completion: answer("send"))
    // The results of these calls are seen in other callbacks.
    case .setAttribute(let name, let value):
      client.addOrUpdateLocalUserAttributes([name: value], completion: nil)
    case .renewToken: client.renewToken(party.freshToken, completion: nil)
    }
    return true
  }
}

/// Records the callbacks of a client and its channel and passes them on.
final class RtmCallbackRecorder: RtmDelegate, RtmChannelDelegate, @unchecked Sendable {
  private let log: CallbackLog
  /// The app's object. It is called where the client calls this one, and nowhere else, so that it need not be `Sendable`.
  private let target: RtmPerformer.Listener?

  init(_ log: CallbackLog, passingTo target: RtmPerformer.Listener?) {
    (self.log, self.target) = (log, target)
  }

  private func record(of account: String, _ make: (Party) -> Heard) {
    if let party = Party(account: account) { log.record(make(party)) }
  }

  func connectionStateChanged(_ state: RtmConnectionState, reason: RtmConnectionReason) {
    log.record(.rtmState(state.rawValue, reason: reason.rawValue))
    target?.connectionStateChanged(state, reason: reason)
  }

  func rtmKitTokenDidExpire() {
    log.record(.rtmTokenExpired)
    target?.rtmKitTokenDidExpire()
  }

  func memberJoined(_ userId: String) {
    record(of: userId) { .rtmMemberJoined($0) }
    target?.memberJoined(userId)
  }

  func memberLeft(_ userId: String) {
    record(of: userId) { .rtmMemberLeft($0) }
    target?.memberLeft(userId)
  }

  func messageReceived(_ text: String, fromMember userId: String) {
    record(of: userId) { .rtmText(text, from: $0) }
    target?.messageReceived(text, fromMember: userId)
  }

  func messageReceived(_ text: String, fromPeer peerId: String) {
    record(of: peerId) { .rtmText(text, from: $0) }
    target?.messageReceived(text, fromPeer: peerId)
  }

  // Callbacks that no timeline judges are only passed on.

  func localInvitation(_ invitation: RtmInvitation, news: RtmLocalInvitationNews) {
    target?.localInvitation(invitation, news: news)
  }
  func remoteInvitation(_ invitation: RtmInvitation, news: RtmRemoteInvitationNews) {
    target?.remoteInvitation(invitation, news: news)
  }
  func memberCount(_ count: Int) { target?.memberCount(count) }
  func attributeUpdate(_ attributes: [String: String]) { target?.attributeUpdate(attributes) }
  func removedFromChannel(_ reason: RtmErrorCode) { target?.removedFromChannel(reason) }
}
