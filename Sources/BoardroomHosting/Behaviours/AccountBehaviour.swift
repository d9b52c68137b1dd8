import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// An account: its logins, and by components its memberships in channels, its mailbox, the invitations that it made,
/// the calls that it got, and the questions of its logins.
final class AccountBehaviour: SpaceBehaviour {
  unowned let host: SpaceHost
  let name: String

  private(set) lazy var memberships = ChannelMemberships(of: self, at: host.clock())
  private(set) lazy var mailbox = Mailbox(of: self)
  private(set) lazy var invitations = OwnInvitations(of: self)
  private(set) lazy var calls = ReceivedCalls(of: self)
  private(set) lazy var questions = LoginQuestions(of: self)

  /// When logins of each service began lately.
  private var logins: [Service: SlidingWindow] = [:]
  /// Called when a login can be reached.
  private let arrived: () -> Void

  init(_ name: String, of host: SpaceHost, arrived: @escaping () -> Void) {
    self.name = name
    self.host = host
    self.arrived = arrived
  }

  var space: SpaceState? { host.room.state.space }

  /// The host's next step once the log holds all that was decided so far; not at all if the log fails.
  func once(durable step: @escaping @Sendable (AccountBehaviour) -> Void) {
    let me = Confined(self, to: host.loop)
    host.once { _ in step(me.value) }
  }

  // MARK: Logins

  static let notSignedIn = Refusal(
    .notConnected, cause: "The account is not signed in to the service.", cure: "Sign in first.")

  func login(of service: Service) -> MemberSession? {
    host.sessions.all.first { host.room.state.members[$0.member]?.uid == service.rawValue }
  }

  /// there is who can be reached now; a login that is only reconnecting cannot.
  func isReachable(_ service: Service) -> Bool {
    guard let session = login(of: service) else { return false }
    switch session.machine.state {
    case .live(_, let suspected): return !suspected
    case .silent, .gone: return false
    }
  }

  /// Ends the logins that are overdue before anything is decided by them (TL-9).
  func passLogins(at now: Timestamp) {
    for service in Service.allCases where !host.isClosed {
      if let session = login(of: service) { host.pass(session, at: now) }
    }
  }

  /// A login is over, and so is its being in channels. Called with what the log is about to hold.
  private func loginEnded(_ service: Service, _ cause: LeaveCause, at now: Timestamp) {
    memberships.loginEnded(service, cause)
    // Another one of the same service goes on with the calls.
    guard cause != .replaced else { return }
    invitations.loginEnded(service, at: now)
    calls.loginEnded(service)
  }

  /// ACC-5: RTC and RTM stay when their token ends, Signaling does not.
  private func tokenEnd(of session: MemberSession) -> Timestamp? {
    guard host.room.state.members[session.member]?.uid == Service.signaling.rawValue else { return nil }
    return session.expires
  }

  private func endLoginsWithTheirTokens(at now: Timestamp) {
    for session in host.sessions.inOrder where !host.isClosed {
      guard let end = tokenEnd(of: session), end <= now, session.machine.end(.kicked) else { continue }
      host.recordLeave(
        of: session, .kicked, saying: Farewell(Refusal(.tokenExpired), comeBack: false), at: now)
    }
  }

  // MARK: Members

  var owner: String? { name }
  var tellsOwnStayOnly: Bool { false }

  /// A login may have given its service another time after which it counts as gone (SIG-A2).
  func timings(of uid: String?) -> Timings {
    let service = uid.flatMap { Service(rawValue: $0) } ?? .white
    var timings = host.policy.timings(of: service)
    let own = (space?.slots[service]?.attributes).flatMap(AccountPolicy.connectionTimeout)
    if service == .signaling, let own { timings.offlineAfter = own }
    return timings
  }

  func graces(of uid: String?) -> Timings { timings(of: uid) }

  /// What is over by now is over before anybody comes in, also where it became so while the account was closed.
  func prepareEntrance(at now: Timestamp) {
    guard !host.isClosed else { return }
    mailbox.expire(at: now)
    invitations.passTime(at: now)
  }

  /// ACC-3: 2 logins a second of one account and service, since each may replace the one before (PARITY rows RTML, RTMX).
  func checkEntrance(to place: Place, at now: Timestamp) throws(Refusal) {
    guard logins[place.service, default: SlidingWindow(2, in: .seconds(1))].take(at: now) else {
      throw Refusal(.rateLimited, actual: 3, allowed: 2, limit: "rate.logins")
    }
  }

  func settle(entry: UInt64, of account: String) {}
  func giveBack(entry: UInt64?, of account: String) {}

  // MARK: Events

  /// Logins and logouts of Signaling.
  func presence(of proposed: Proposed) -> Presence? {
    guard let (uid, isHere) = host.arrivalOrLeave(by: proposed), uid == Service.signaling.rawValue
    else { return nil }
    return Presence(account: name, channel: nil, isHere: isHere)
  }

  func follow(_ proposed: Proposed, of member: Member?, at now: Timestamp) {
    let member = host.member(of: proposed) ?? member
    guard let service = (member?.uid).flatMap({ Service(rawValue: $0) }) else { return }
    switch proposed.event {
    case .members(.left(let cause)): loginEnded(service, cause, at: now)
    case .members(.joined): once(durable: { $0.arrived() })
    case .members(.phase(let change)):
      if change.phase == .connected { once(durable: { $0.arrived() }) }
    case .space(.attributesSet), .space(.attributesCleared):
      // SIG-A2: the grace of a login follows its attributes at once.
      login(of: service)?.machine.keep(timings(of: service.rawValue))
    default: return
    }
  }

  // MARK: Time

  func takeUp(at now: Timestamp) {
    memberships.takeUp()
    invitations.takeUp(at: now)
    calls.takeUp(at: now)
  }

  func nodeIsGone() { calls.askAgain() }

  var nextDue: Timestamp? {
    let tokens = host.sessions.all.lazy.compactMap { self.tokenEnd(of: $0) }.min()
    return [memberships.nextDue, tokens, mailbox.nextDue, invitations.nextDue].compactMap(\.self).min()
  }

  func tick(at now: Timestamp) {
    guard !host.isClosed, let due = nextDue, due <= now else { return }
    memberships.retry(at: now)
    endLoginsWithTheirTokens(at: now)
    mailbox.expire(at: now)
    invitations.passTime(at: now)
  }

  func recordDue(at now: Timestamp) {}

  var isBusy: Bool { memberships.areEnding }

  func hostClosed() { memberships.resumeWaiting() }

  // MARK: Questions

  func consider(
    _ ask: Ask, from session: MemberSession, over line: ConnectionOutput, at now: Timestamp
  ) -> Bool {
    questions.consider(ask, from: session, over: line, at: now)
  }

  func answer(
    _ question: SpaceQuestion, noting number: QuestionApplied?, at now: Timestamp,
    done: @escaping @Sendable (SpaceAnswer) -> Void
  ) {
    let settled: @Sendable (Refusal?) -> Void = { done($0.map { .refused($0) } ?? .done) }
    switch question {
    case .isSignedIn(let service):
      passLogins(at: now)
      host.later(login(of: service) != nil ? .yes : .no, done)
    case .loginAttributes(let service):
      passLogins(at: now)
      host.later(.reply(.attributes(space?.slots[service]?.attributes ?? [:])), done)
    case .message(let message, let holds):
      mailbox.receive(message, holds: holds, noting: number, at: now, done: settled)
    case .enter(let place): memberships.enter(place, at: now, done: done)
    case .left(let key, let entry, let cause):
      memberships.left(key, entry: entry, cause, at: now)
      done(.done)
    case .standing(let key):
      let obstacle = memberships.obstacle(toBeingIn: key, at: now)
      // Nothing follows from what the account's log does not hold.
      host.onceKept(.standing(obstacle, entry: memberships.newestEntry(of: key)), done)
    case .offer(let heard, _): calls.offer(heard, noting: number, at: now) { done($0 ? .yes : .no) }
    case .news(let heard):
      calls.note(heard, noting: number, at: now)
      // What this log does not hold is said again to its next owner.
      host.onceKept(.done, done)
    case .act(let input, let serial, let callee, let service):
      invitations.act(input, serial, from: callee, service, noting: number, at: now, done: settled)
    case .calleeGone(let serial, let callee):
      invitations.calleeGone(serial, callee, at: now)
      // What the caller's log does not hold is not forgotten there.
      host.onceKept(invitations.isOpen(serial, to: callee) ? .yes : .no, done)
    case .calleeCame(let serial):
      invitations.offerAgain(serial, at: now)
      done(.done)
    case .isOpen(let serial, let callee):
      host.onceKept(invitations.isOpen(serial, to: callee) ? .yes : .no, done)
    case .wake: done(.done)
    case .channelAttributes, .memberCount, .hasMember, .newestMembers, .holdsMember, .change, .dismiss,
      .presences:
      done(.refused(Refusal(.notFound)))
    }
  }
}
