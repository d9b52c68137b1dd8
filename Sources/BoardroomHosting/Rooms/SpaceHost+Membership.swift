import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Members of channels that are joined by a login: they are there for as long as that is, whatever becomes of their
/// own connection.
extension SpaceHost {
  var followsLogins: Bool {
    if case .channel(let service, _) = room.state.space?.name { service.hasLogins } else { false }
  }

  /// Ten years: such a member's own silence ends nothing.
  static let endlessGrace = Duration.seconds(10 * 365 * 86_400)

  /// The clocks by which a stay is kept, where `timings(of:)` has those that the client is told.
  func graces(of uid: String?) -> Timings {
    var timings = timings(of: uid)
    if followsLogins { timings.offlineAfter = Self.endlessGrace }
    return timings
  }

  func member(of account: String) -> MemberSession? {
    sessions.all.first { room.state.members[$0.member]?.uid == account }
  }

  /// The account lets this member in, as its entry of this number.
  func note(entry: UInt64, of account: String) {
    guard case .channel(let service, let channel) = room.state.space?.name, let session = member(of: account)
    else { return }
    entryNumbers.note(entry, of: account)
    session.checked = clock()
    // Meanwhile the login may have moved on, or be over, and have ended what was not here yet (SIG-C2).
    check(session, of: account, MembershipKey(service: service, channel: channel))
  }

  /// The login is over or elsewhere: so is this, unless it came in later. Nothing if it is over already.
  func dismiss(
    _ account: String, _ cause: LeaveCause, through entry: UInt64,
    done: @escaping @Sendable (Refusal?) -> Void
  ) {
    if entryNumbers.isOf(account, upTo: entry), let session = member(of: account), session.machine.end(cause)
    {
      recordLeave(of: session, cause, at: clock())
    }
    afterward(done)
  }

  /// A member is no longer here: its account is told once the log holds it, unless it is here again.
  func memberGone(_ account: String, entry: UInt64?, _ cause: LeaveCause) {
    guard case .channel(let service, let channel) = room.state.space?.name, service.hasLogins else { return }
    once(durable: { host in
      guard host.member(of: account) == nil else { return }
      host.entryNumbers.forget(entry, of: account)
      let key = MembershipKey(service: service, channel: channel)
      host.ask(.left(key, entry: entry, cause), of: .account(account)) { _ in }
    })
  }

  // MARK: Members without a login

  /// A member's account is asked about it at the opening, and when the member has been silent for a grace: its login
  /// may have ended where nobody could tell.
  var membershipDue: Timestamp? {
    guard followsLogins else { return nil }
    return sessions.all.lazy.map { self.nextCheck(of: $0) }.min()
  }

  private func nextCheck(of session: MemberSession) -> Timestamp {
    guard let checked = session.checked else { return .zero }
    let grace = timings(of: room.state.members[session.member]?.uid).offlineAfter
    return max(checked, session.machine.lastHeard) + grace
  }

  func checkMemberships(at now: Timestamp) {
    guard followsLogins, case .channel(let service, let channel) = room.state.space?.name else { return }
    let key = MembershipKey(service: service, channel: channel)
    for session in sessions.inOrder
    where nextCheck(of: session) <= now {
      session.checked = now
      guard let name = room.state.members[session.member]?.uid else { continue }
      check(session, of: name, key)
    }
  }

  private func check(_ session: MemberSession, of name: String, _ key: MembershipKey) {
    let entry = entryNumbers[name]
    ask(.standing(key), of: .account(name)) { [unowned self] answer in
      guard sessions[session.member] === session, entryNumbers[name] == entry else { return }
      let cause: LeaveCause?
      switch answer {
      case .standing(let obstacle, let newest):
        cause = obstacle
        if let newest, obstacle == nil { entryNumbers.note(newest, of: name) }
      default: cause = answer.isMissing ? .timeout : nil
      }
      guard let cause, session.machine.end(cause) else { return }
      recordLeave(of: session, cause, at: clock())
    }
  }
}
