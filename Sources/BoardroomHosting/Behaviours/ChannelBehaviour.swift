import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// A channel: what it does by itself, and its members that are there by a login of their account. Such a member is there
/// for as long as its login is in the channel, whatever becomes of the member's own connection.
final class ChannelBehaviour: SpaceBehaviour {
  private unowned let host: SpaceHost
  private let service: Service
  private let channel: String
  private let name: SpaceName
  /// By which entries the members are there.
  private var entries = EntryNumbers()

  init(_ service: Service, _ channel: String, of host: SpaceHost) {
    self.host = host
    self.service = service
    self.channel = channel
    name = .channel(service, channel)
  }

  private var key: MembershipKey { MembershipKey(service: service, channel: channel) }
  private var followsLogins: Bool { service.hasLogins }

  private func member(of account: String) -> MemberSession? {
    host.sessions.all.first { host.room.state.members[$0.member]?.uid == account }
  }

  // MARK: Members

  var owner: String? { nil }
  var tellsOwnStayOnly: Bool { true }

  func timings(of uid: String?) -> Timings { host.policy.timings(of: service) }

  /// Ten years: the silence of a member that is there by a login ends nothing.
  static let endlessGrace = Duration.seconds(10 * 365 * 86_400)

  func graces(of uid: String?) -> Timings {
    var timings = timings(of: uid)
    if followsLogins { timings.offlineAfter = Self.endlessGrace }
    return timings
  }

  func prepareEntrance(at now: Timestamp) { recordDue(at: now) }
  func checkEntrance(to place: Place, at now: Timestamp) throws(Refusal) {}

  func settle(entry: UInt64, of account: String) {
    guard let session = member(of: account) else { return giveBack(entry: entry, of: account) }
    entries.note(entry, of: account)
    session.checked = host.clock()
    // Meanwhile the login may have moved on, or be over, and have ended what was not here yet (SIG-C2).
    check(session, of: account)
  }

  func giveBack(entry: UInt64?, of account: String) {
    guard member(of: account) == nil else { return }
    memberGone(account, entry: entry, .left)
    host.endTurn()
  }

  /// The login is over or elsewhere: so is this, unless it came in later. Nothing if it is over already.
  private func dismiss(_ account: String, _ cause: LeaveCause, through entry: UInt64) {
    guard entries.isOf(account, upTo: entry), let session = member(of: account), session.machine.end(cause)
    else { return }
    host.recordLeave(of: session, cause, at: host.clock())
  }

  /// A member is no longer here: its account is told once the log holds it, unless it is here again.
  private func memberGone(_ account: String, entry: UInt64?, _ cause: LeaveCause) {
    guard followsLogins else { return }
    let me = Confined(self, to: host.loop)
    host.once { host in
      let channel = me.value
      guard channel.member(of: account) == nil else { return }
      channel.entries.forget(entry, of: account)
      host.ask(.left(channel.key, entry: entry, cause), of: .account(account)) { _ in }
    }
  }

  // MARK: Events

  /// Joins and leaves of Signaling channels, but not of the special ones.
  func presence(of proposed: Proposed) -> Presence? {
    guard service == .signaling, !name.isSpecial else { return nil }
    return host.arrivalOrLeave(by: proposed).map { uid, isHere in
      Presence(account: uid, channel: channel, isHere: isHere)
    }
  }

  func follow(_ proposed: Proposed, of member: Member?, at now: Timestamp) {
    guard case .members(.left(let cause)) = proposed.event,
      let uid = (host.member(of: proposed) ?? member)?.uid
    else { return }
    memberGone(uid, entry: entries[uid], cause)
  }

  // MARK: Time

  func takeUp(at now: Timestamp) { checkMemberships(at: now) }

  /// An account of which nothing more is heard is asked after a grace (`membershipDue`).
  func nodeIsGone() {}

  /// The members' accounts are asked about them at the opening, and when a member has been silent for a grace: its login
  /// may have ended where nobody could tell.
  private var membershipDue: Timestamp? {
    guard followsLogins else { return nil }
    return host.sessions.all.lazy.map { self.nextCheck(of: $0) }.min()
  }

  var nextDue: Timestamp? {
    [membershipDue, ChannelClock(host.room.state)?.deadline].compactMap(\.self).min()
  }

  func tick(at now: Timestamp) {
    guard !host.isClosed, let due = membershipDue, due <= now else { return }
    checkMemberships(at: now)
  }

  /// Numbers are told, and a channel that was empty for its whole life is gone: before anything else is decided
  /// or answered, also where that was due while the channel was closed. A full log is asked again at the next tick.
  func recordDue(at now: Timestamp) {
    guard !host.isClosed, let clock = ChannelClock(host.room.state) else { return }
    let proposals = clock.due(at: now)
    guard !proposals.isEmpty else { return }
    _ = host.recordUnlessFull(proposals, at: now)
  }

  var isBusy: Bool { false }
  func hostClosed() {}

  // MARK: Members without a login

  private func nextCheck(of session: MemberSession) -> Timestamp {
    guard let checked = session.checked else { return .zero }
    let grace = timings(of: host.room.state.members[session.member]?.uid).offlineAfter
    return max(checked, session.machine.lastHeard) + grace
  }

  private func checkMemberships(at now: Timestamp) {
    guard followsLogins else { return }
    for session in host.sessions.inOrder where nextCheck(of: session) <= now {
      session.checked = now
      guard let account = host.room.state.members[session.member]?.uid else { continue }
      check(session, of: account)
    }
  }

  private func check(_ session: MemberSession, of account: String) {
    let entry = entries[account]
    host.ask(.standing(key), of: .account(account)) { [unowned self] answer in
      guard host.sessions[session.member] === session, entries[account] == entry else { return }
      let cause: LeaveCause?
      switch answer {
      case .standing(let obstacle, let newest):
        cause = obstacle
        if let newest, obstacle == nil { entries.note(newest, of: account) }
      default: cause = answer.isMissing ? .timeout : nil
      }
      guard let cause, session.machine.end(cause) else { return }
      host.recordLeave(of: session, cause, at: host.clock())
    }
  }

  // MARK: Questions

  func consider(
    _ ask: Ask, from session: MemberSession, over line: ConnectionOutput, at now: Timestamp
  ) -> Bool { false }

  func answer(
    _ question: SpaceQuestion, noting number: QuestionApplied?, at now: Timestamp,
    done: @escaping @Sendable (SpaceAnswer) -> Void
  ) {
    let settled: @Sendable (Refusal?) -> Void = { done($0.map { .refused($0) } ?? .done) }
    switch question {
    case .channelAttributes: read(at: now, done) { .attributes($0.space?.attributes ?? [:]) }
    case .memberCount: read(at: now, done) { .number($0.members.count) }
    case .hasMember(let account):
      read(at: now, done) { state in .number(state.members.values.contains { $0.uid == account } ? 1 : 0) }
    case .newestMembers(let limit): read(at: now, done) { $0.newest(limit) }
    case .holdsMember(let account): host.onceKept(member(of: account) != nil ? .yes : .no, done)
    case .change(let command, let account):
      decide(command, by: account, noting: number, at: now, done: settled)
    case .dismiss(let account, let cause, let entry):
      dismiss(account, cause, through: entry)
      host.afterward(settled)
    case .presences(let presences):
      let proposals = presences.map { Proposed(actor: .server, event: .space(.presence($0))) }
      host.carryOut(
        at: now, removing: nil, deciding: { _ in proposals.noting(number) }, reading: { _ in () },
        done: { result in
          switch result {
          case .success: done(.done)
          case .failure(let refusal): done(.refused(refusal))
          }
        })
    case .isSignedIn, .loginAttributes, .message, .enter, .left, .standing, .offer, .news, .act, .calleeGone,
      .calleeCame, .isOpen, .wake:
      done(.refused(Refusal(.notFound)))
    }
  }

  private func read(
    at now: Timestamp, _ done: @escaping @Sendable (SpaceAnswer) -> Void, _ reading: (RoomState) -> Reply
  ) {
    recordDue(at: now)
    host.later(.reply(reading(host.room.state)), done)
  }

  /// Somebody who need not be in the channel wants something of it.
  private func decide(
    _ command: SpaceCommand, by account: String, noting number: QuestionApplied?, at now: Timestamp,
    done: @escaping @Sendable (Refusal?) -> Void
  ) {
    recordDue(at: now)
    if let refusal = host.refusal { return done(refusal) }
    do throws(Refusal) {
      let proposals = try host.room.decide(spaceCommand: command, by: account, at: now)
      _ = try host.recordOrRefuse(proposals.noting(number), at: now)
      host.afterward(done)
    } catch {
      done(error)
    }
  }
}

extension RoomState {
  /// The newest members, newest last.
  fileprivate func newest(_ limit: Int) -> Reply {
    let roster = members.values.sorted { $0.id < $1.id }
    return .users(roster.suffix(max(0, limit)).compactMap(\.uid), total: roster.count)
  }
}
