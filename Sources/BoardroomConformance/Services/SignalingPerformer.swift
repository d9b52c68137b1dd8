import BoardroomClient
import BoardroomHosting
import BoardroomLegacy

/// Plays Signaling's timelines in a world of its own, with Boardroom's server and SDK in virtual time.
public struct SignalingPerformer: Performer {
  public let face = Face.signaling
  private let seed: UInt64
  private let server: ServerPolicy
  private let app: @Sendable (SignalingClient) -> (any Sendable)?

  /// - Parameters:
  ///   - seed: gives latencies and the spread of retries.
  ///   - server: the server's limits and times.
  ///   - app: gets the local party's client of each timeline, sets its callbacks, and returns the object that
  ///     must be kept for them, if there is one. The kit records the callbacks.
  public init(
    seed: UInt64 = 7, server: ServerPolicy = ServerPolicy(),
    app: @escaping @Sendable (SignalingClient) -> (any Sendable)? = { _ in nil }
  ) {
    (self.seed, self.server, self.app) = (seed, server, app)
  }

  public func play(_ timeline: GoldenTimeline) async throws -> Transcript { try perform(timeline) }

  /// Plays the timeline on the caller's thread.
  func perform(_ timeline: GoldenTimeline) throws(ConformanceError) -> Transcript {
    let app = app
    return try ServiceStage(timeline, seed: seed, server: server) { party, isLocal in
      SignalingActor(party, app: isLocal ? app : { _ in nil })
    }.perform()
  }
}

final class SignalingActor: ServiceActor {
  let party: ServiceParty
  private let client: SignalingClient
  /// The app's callbacks, kept for as long as the client is.
  private let held: (any Sendable)?

  init(_ party: ServiceParty, app: (SignalingClient) -> (any Sendable)? = { _ in nil }) {
    self.party = party
    client = SignalingClient.createSigInstance(
      party.configuration, context: party.context, transport: party.transport)
    held = app(client)
    SignalingCallbackRecorder(client, party.log).listen()
  }

  var entry: [ServiceCall] {
    let channel = GoldenTimeline.channel
    return [
      ServiceCall(sign: .signaling("onLoginSuccess", ["0", "*"])) { self.login() },
      ServiceCall(sign: .signaling("onChannelJoined", [channel])) { self.client.channelJoin(channel) },
    ]
  }

  private func login() {
    client.login(party.configuration.appId, account: party.account, token: party.token)
  }

  func networkIsBack() { client.networkIsBack() }
  func standing() async -> Int { await client.getStatus() }
  func attributes(of account: String) async -> [String: String] { [:] }

  func call(_ act: Act) -> Bool {
    guard case .signaling(let method, let given, _) = act else { return false }
    if method == "login", given.isEmpty {
      login()
      return true
    }
    if method == "login2", given.count == 2 {
      client.login2(
        party.configuration.appId, account: party.account, token: party.token, retryTimeInS: Int(given[0]),
        retryCount: Int(given[1]))
      return true
    }
    guard let known = Self.methods[method], known.count == given.count else { return false }
    known.call(client, given)
    return true
  }

  private typealias Method = (count: Int, call: @Sendable (SignalingClient, [String]) -> Void)

  /// Callbacks with all their arguments, including the uid.
  private static let methods: [String: Method] = [
    "logout": (0, { client, _ in client.logout() }),
    "queryUserStatus": (1, { $0.queryUserStatus($1[0]) }),
    "invoke": (3, { $0.invoke($1[0], req: $1[1], callID: $1[2]) }),
    "setAttr": (2, { $0.setAttr($1[0], value: $1[1]) }),
    "getAttr": (1, { $0.getAttr($1[0]) }),
    "getAttrAll": (0, { client, _ in client.getAttrAll() }),
    "getUserAttr": (2, { $0.getUserAttr($1[0], name: $1[1]) }),
    "getUserAttrAll": (1, { $0.getUserAttrAll($1[0]) }),
    "messageInstantSend": (4, { $0.messageInstantSend($1[0], msg: $1[2], msgID: $1[3]) }),
    "messageChannelSend": (3, { $0.messageChannelSend($1[0], msg: $1[1], msgID: $1[2]) }),
    "messageChannelSendForce": (3, { $0.messageChannelSendForce($1[0], msg: $1[1], msgID: $1[2]) }),
    "channelJoin": (1, { $0.channelJoin($1[0]) }),
    "channelLeave": (1, { $0.channelLeave($1[0]) }),
    "channelQueryUserNum": (1, { $0.channelQueryUserNum($1[0]) }),
    "channelSetAttr": (3, { $0.channelSetAttr($1[0], name: $1[1], value: $1[2]) }),
    "channelDelAttr": (2, { $0.channelDelAttr($1[0], name: $1[1]) }),
    "channelClearAttr": (1, { $0.channelClearAttr($1[0]) }),
    "channelInviteUser": (3, { $0.channelInviteUser($1[0], account: $1[1]) }),
    "channelInviteUser2": (3, { $0.channelInviteUser2($1[0], account: $1[1], extra: $1[2]) }),
    "channelInviteAccept": (4, { $0.channelInviteAccept($1[0], account: $1[1], extra: $1[3]) }),
    "channelInviteRefuse": (4, { $0.channelInviteRefuse($1[0], account: $1[1], extra: $1[3]) }),
    "channelInviteEnd": (3, { $0.channelInviteEnd($1[0], account: $1[1]) }),
    "channelInviteDTMF": (3, { $0.channelInviteDTMF($1[0], phoneNum: $1[1], dtmf: $1[2]) }),
  ]
}
