import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

/// What a Signaling client does, on its context: a session, and what Signaling calls its news.
final class SignalingCore: SpaceSessionDelegate {
  struct Login: Sendable {
    var appId: String
    var account: String
    var token: String
    /// Limits that the app set itself: they bound each outage too, where they are smaller.
    var seconds: Int?
    var tries: Int?
  }

  let session: SpaceSession
  private let appId: String
  /// Hears of everything, on the context.
  var onEvent: (SignalingEvent) -> Void = { _ in }
  private var login: Login?
  /// Asked for while the last login is on its way out (SIG-6).
  private var nextLogin: Login?
  private var connections = 0
  private var isDestroyed = false
  /// Reads of what happened, and has no log lines of its own.
  private var isReading = false
  /// Is told the status before anything else is.
  var onStatus: (SignalingStatus) -> Void = { _ in }
  var channel = SignalingChannel()

  init(_ ground: ServiceGround) {
    appId = ground.configuration.appId
    session = SpaceSession(ground, .signaling)
    session.delegate = self
  }

  func report(_ event: SignalingEvent) { if !isDestroyed { onEvent(event) } }

  private func log(_ line: String) { if !isReading { report(.log(txt: line)) } }

  /// Before anything is told, so that a callback reads what it is told of.
  private func showStatus() { onStatus(status) }

  func complain(_ name: String, _ code: SignalingCode, _ what: String) {
    report(.error(name: name, ecode: code, desc: what))
  }

  func complain(_ name: String, _ error: BoardroomError) {
    complain(name, FaceCodes(error.code).signaling.general, error.description)
  }

  /// What `getStatus` says.
  var status: SignalingStatus { session.phase.signaling }

  // MARK: The login

  func logIn(_ login: Login) {
    if session.phase == .closing { nextLogin = login }
    guard status == .loggedOut else { return }
    guard login.appId == appId, !appId.isEmpty else { return report(.loginFailed(ecode: .loginFailed)) }
    guard SignalingLimits.obstacle(toName: login.account) == nil else {
      return report(.loginFailed(ecode: .loginInvalidUser))
    }
    self.login = login
    connections += 1
    let policy = policy(timeout: .seconds(120))
    log(
      "Logging in: up to \(policy.joinLimit.wholeMilliseconds / 1_000) s, \(policy.joinTries ?? 0) attempts.")
    session.signIn(login.account, token: login.token, policy: policy)
    showStatus()
  }

  private func policy(timeout: Duration) -> ConnectionPolicy {
    var policy = ConnectionPolicy.signaling(timeout: timeout)
    policy.joinLimit = .seconds(login?.seconds ?? SignalingLimits.loginTime)
    policy.joinTries = login?.tries ?? SignalingLimits.loginTries
    if let seconds = login?.seconds, let limit = policy.giveUpAfter {
      policy.giveUpAfter = min(limit, .seconds(seconds))
    }
    policy.reconnectTries = login?.tries
    return policy
  }

  /// `_conn_timeout` is another number of seconds (SIG-A2).
  func follow(timeout seconds: Int) {
    let policy = policy(timeout: .seconds(seconds))
    session.follow(policy)
  }

  func logOut() {
    nextLogin = nil
    guard status != .loggedOut else { return report(.logout(ecode: .logoutAlready)) }
    session.signOut()
    showStatus()
  }

  /// As another client of this account, which reads of what happened and has no connection.
  func stand(for account: String) {
    (connections, channel, isReading) = (1, SignalingChannel(), true)
    session.stand(for: account)
  }

  func destroy() {
    isDestroyed = true
    session.drop()
    onStatus(.loggedOut)
  }

  // MARK: What the session tells

  func handleLoginNews(_ news: SpaceNews) {
    showStatus()
    logLine(news).map(log)
    switch news {
    case .entered(.first): report(.loginSuccess(uid: 0, fd: connections))
    case .entered(.resumed), .entered(.anew):
      connections += 1
      report(.reconnected(fd: connections))
    case .attempt(let number): report(.reconnecting(nretry: number))
    case .ended(let end, let wasJoining): ended(end, wasJoining: wasJoining)
    case .connecting, .reconnecting, .mended, .lost, .tokenExpired, .tokenWillExpire, .tokenRenewed,
      .happened:
      break
    }
  }

  /// For the app's log: what the connection does. Never a text, a token or an account.
  private func logLine(_ news: SpaceNews) -> String? {
    switch news {
    case .connecting: "Connecting."
    case .entered(.first): "Logged in."
    case .entered(.resumed): "Connected again; the login goes on."
    case .entered(.anew): "Connected again, as a new login: the server had let the old one go."
    case .reconnecting: "The connection is lost; attempts to come back follow."
    case .attempt(let number): "Attempt \(number) to come back."
    case .tokenExpired: "The token has ended."
    case .tokenWillExpire: "The token ends soon."
    case .tokenRenewed: "There is another token."
    case .ended(.left, _): "Logged out."
    case .ended(.joinLimit(let limit, let tries), _):
      "Not logged in after \(limit.wholeMilliseconds / 1_000) s and \(tries) attempts."
    case .ended(.gaveUp(let limit, let tries), _):
      "Not back after \(limit.wholeMilliseconds / 1_000) s and \(tries) attempts."
    case .ended(.refused(let farewell), _): "The server ended it: \(farewell.refusal.description)"
    case .mended, .lost, .happened: nil
    }
  }

  private func ended(_ end: ConnectionEnd, wasJoining: Bool) {
    report(wasJoining ? .loginFailed(ecode: loginCode(end)) : .logout(ecode: Self.logoutCode(end)))
    guard let next = nextLogin else { return }
    nextLogin = nil
    logIn(next)
  }

  /// Where the server answered to the last and could not say what was wrong, that is the reason, not the network.
  private func loginCode(_ end: ConnectionEnd) -> SignalingCode {
    switch end {
    case .left: .loginCancelled
    case .joinLimit, .gaveUp:
      session.loginRefusal == .internalFailure ? .loginOther : .loginNet
    case .refused(let farewell): FaceCodes(farewell.code).signaling.login
    }
  }

  private static func logoutCode(_ end: ConnectionEnd) -> SignalingCode {
    switch end {
    case .left: .logoutUser
    case .joinLimit, .gaveUp: .logoutNet
    case .refused(let farewell):
      FaceCodes(farewell.code).signaling.logout
    }
  }

  func handleAccountNews(_ news: AccountNews) {
    switch news {
    case .message(let from, _, let text): report(.messageInstantReceive(account: from, uid: 0, msg: text))
    case .offered(let key, let call):
      report(.inviteReceived(channelID: call.channel, account: key.caller, uid: 0, extra: call.extra))
    case .heard(let key, let call, let what): handleInviteHeard(key, call, what)
    case .moved(let invitation, let move): handleInviteMoved(invitation, move)
    }
  }
}
