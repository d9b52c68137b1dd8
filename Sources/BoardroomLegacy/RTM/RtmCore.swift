import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Called on the context of the client.
typealias RtmCompletion = (RtmErrorCode) -> Void

/// What an RTM client does, on its context: a session, and what RTM calls its news.
final class RtmCore: SpaceSessionDelegate {
  let context: any ClientContext
  let session: SpaceSession
  private let hasGoodAppId: Bool
  let onEvent: (RtmEvent) -> Void
  var limits = RtmLimits()
  var unsettledNames = UnsettledNames()
  private var whenLoggedIn: RtmCompletion?
  private var whenLoggedOut: [RtmCompletion] = []
  var whenJoined: [String: RtmCompletion] = [:]
  var whenLeft: [String: RtmCompletion] = [:]
  /// When the number of members was told last, and whether it will be.
  private var counts: [String: (told: Timestamp, isDue: Bool)] = [:]
  private var hasToldExpiry = false

  init(_ ground: ServiceGround, onEvent: @escaping (RtmEvent) -> Void) {
    context = ground.context
    hasGoodAppId = ground.configuration.hasGoodAppId
    self.onEvent = onEvent
    session = SpaceSession(ground, .rtm)
    session.delegate = self
  }

  var state: RtmConnectionState { RtmConnectionState(session.phase) }
  /// Why a call that needs a login fails, if so (RTMT-11, RTMM-sent).
  var obstacle: RtmErrorCode? { state == .connected ? nil : .notLoggedIn }

  // MARK: The login

  func login(_ token: String, _ user: String, _ completion: RtmCompletion?) {
    guard state == .disconnected else { return refuse(completion, .alreadyLogin) }
    guard hasGoodAppId else { return refuse(completion, .invalidAppId) }
    guard RtmLimits.isGoodId(user) else { return refuse(completion, .invalidArgument) }
    guard limits.login.takeOne(at: context.now) else { return refuse(completion, .tooOften) }
    whenLoggedIn = completion
    hasToldExpiry = false
    session.signIn(user, token: token, policy: .rtm)
  }

  private func refuse(_ completion: RtmCompletion?, _ code: RtmErrorCode) { completion?(code) }

  func logout(_ completion: RtmCompletion?) {
    guard state != .disconnected else { return refuse(completion, .notLoggedIn) }
    if let completion { whenLoggedOut.append(completion) }
    session.signOut()
  }

  func renew(_ token: String, _ completion: RtmCompletion?) {
    switch state {
    case .connecting, .connected, .reconnecting:
      hasToldExpiry = false
      session.renew(token)
      completion?(.ok)
    case .disconnected, .aborted: refuse(completion, .notLoggedIn)
    }
  }

  // MARK: What the session tells

  func handleLoginNews(_ news: SpaceNews) {
    switch news {
    case .connecting: onEvent(.state(state, .login))
    case .entered:
      hasToldExpiry = false
      onEvent(.state(state, .loginSuccess))
      settleLogin(.ok)
    // By the time it is told of, another socket may be open already.
    case .reconnecting: onEvent(.state(.reconnecting, .interrupted))
    case .tokenExpired:
      guard !hasToldExpiry else { return }
      hasToldExpiry = true
      onEvent(.tokenDidExpire)
    case .tokenWillExpire: onEvent(.tokenWillExpire)
    // Another end of it is told anew.
    case .tokenRenewed: hasToldExpiry = false
    case .ended(let end, let wasJoining): ended(end, wasJoining: wasJoining)
    case .attempt, .mended, .lost, .happened: break
    }
  }

  private func ended(_ end: ConnectionEnd, wasJoining: Bool) {
    switch end {
    case .left:
      onEvent(.state(state, .logout))
      settleLogin(.rejected)
    case .joinLimit, .gaveUp:
      onEvent(.state(state, .loginTimeout))
      settleLogin(.timeout)
    case .refused(let farewell):
      onEvent(.state(state, reason(farewell.code, wasJoining: wasJoining)))
      settleLogin(FaceCodes(farewell.code).rtm)
    }
    let waiting = whenLoggedOut
    whenLoggedOut = []
    for completion in waiting { completion(.ok) }
  }

  private func reason(_ code: RefusalCode, wasJoining: Bool) -> RtmConnectionReason {
    if code == .replaced { return .remoteLogin }
    if wasJoining { return .loginFailure }
    return code == .banned || code == .kicked ? .bannedByServer : .loginFailure
  }

  private func settleLogin(_ code: RtmErrorCode) {
    let completion = whenLoggedIn
    whenLoggedIn = nil
    completion?(code)
  }

  // MARK: Channels

  func handleChannelNews(_ news: ChannelNews, of channel: String) {
    switch news {
    case .joined:
      whenJoined.removeValue(forKey: channel)?(.ok)
      noteCount(channel)
    case .notJoined(let error):
      whenJoined.removeValue(forKey: channel)?(FaceCodes(error.code).rtm)
      // Left before it was in.
      whenLeft.removeValue(forKey: channel)?(.ok)
    case .happened(let happening): happened(happening, in: channel)
    case .left(let cause): left(channel, cause)
    }
  }

  private func left(_ channel: String, _ cause: ChannelLeaveCause) {
    counts[channel] = nil
    let completion = whenLeft.removeValue(forKey: channel)
    switch cause {
    case .left, .moved, .logout: completion?(.ok)
    case .offline, .kicked, .replaced:
      completion?(.notInChannel)
      // Where the login is over that says it all.
      if state == .connected { onEvent(.removed(.rejected, channel: channel)) }
    }
  }

  private func happened(_ happening: SpaceHappening, in channel: String) {
    switch happening {
    case .joined(let user):
      guard user != session.account else { return }
      if isNoticed(channel) { onEvent(.memberJoined(user, channel: channel)) }
      noteCount(channel)
    case .left(let user, _):
      guard user != session.account else { return }
      if isNoticed(channel) { onEvent(.memberLeft(user, channel: channel)) }
      noteCount(channel)
    case .event(.channelMessage(let said), let user):
      guard let user, user != session.account else { return }
      onEvent(.channelMessage(said.text, from: user, channel: channel))
    case .event(.attributesSet, _), .event(.attributesCleared, _):
      guard let known = session.known(of: channel) else { return }
      onEvent(.attributesUpdated(known.attributes, channel: channel))
    case .event: break
    }
  }

  private func isNoticed(_ channel: String) -> Bool {
    (session.known(of: channel)?.members.count ?? 0) <= RtmLimits.noticedMembers
  }

  // MARK: The number of members

  private func noteCount(_ channel: String) {
    let now = context.now
    guard let last = counts[channel] else { return tellCount(channel) }
    guard !last.isDue else { return }
    let wait: Duration = isNoticed(channel) ? .seconds(1) : .seconds(3)
    guard last.told + wait > now else { return tellCount(channel) }
    counts[channel]?.isDue = true
    context.scheduleConfined(at: last.told + wait) { [weak self] in
      guard let self, counts[channel]?.isDue == true else { return }
      tellCount(channel)
    }
  }

  private func tellCount(_ channel: String) {
    guard let known = session.known(of: channel) else { return }
    counts[channel] = (context.now, false)
    onEvent(.memberCount(known.members.count, channel: channel))
  }

  // MARK: The user

  func handleAccountNews(_ news: AccountNews) {
    switch news {
    case .message(let from, _, let text): onEvent(.peerMessage(text, from: from))
    case .offered(let key, let call): tellRemote(key, call, .received)
    case .heard(let key, let call, let what): handleInviteHeard(key, call, what)
    case .moved(let invitation, let move): handleInviteMoved(invitation, move)
    }
  }

  private func tellRemote(_ key: CallKey, _ call: Call, _ news: RtmRemoteInvitationNews) {
    onEvent(.remoteInvitation(RtmInvitation(key, call, callee: session.account), news))
  }

  private func handleInviteHeard(_ key: CallKey, _ call: Call, _ news: InviteHeard.News) {
    switch news {
    case .withdrawn, .ended: tellRemote(key, call, .canceled)
    case .accepted: tellRemote(key, call, .accepted)
    case .refused: tellRemote(key, call, .refused)
    case .offered, .tones: break
    }
  }

  private func handleInviteMoved(_ invitation: Invitation, _ move: InviteMoved.Move) {
    func tellOwn(_ news: RtmLocalInvitationNews, response: String = "") {
      onEvent(
        .localInvitation(RtmInvitation(caller: session.account, invitation, response: response), news))
    }
    switch move {
    case .ringing: tellOwn(.receivedByPeer)
    case .accepted(let response): tellOwn(.accepted, response: response)
    case .refused(let response): tellOwn(.refused, response: response)
    case .failed(let code): tellOwn(.failure(RtmInvitationFailure(signaling: code)))
    case .ended: tellOwn(.canceled)
    case .created, .waiting, .sent, .tones: break
    }
  }
}
