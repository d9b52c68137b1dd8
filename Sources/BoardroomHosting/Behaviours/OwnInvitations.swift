import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Invitations that an account has made (PARITY rows SIG-I, SIGI): their machines run here, in the caller's host.
final class OwnInvitations {
  private unowned let account: AccountBehaviour
  /// News that their callees may not have yet, counted by the serials of their invitations.
  private var news: [UInt64: Int] = [:]
  private var offers = OfferedInvitations()
  /// When callees that are waited for were asked last.
  private var offered: [UInt64: Timestamp] = [:]

  /// How often a callee that is waited for is asked anew. 5 s: a quarter of the wait. It says itself when it comes, as long as the loop lasts
  /// that remembers who waits; but that may end, or be one of another node than the one to which the callee comes.
  private static let asksAnew = Duration.seconds(5)

  init(of account: AccountBehaviour) { self.account = account }

  private var host: SpaceHost { account.host }

  func invite(
    _ callee: String, into channel: String, _ extra: String, needsPeer: Bool, timeout: Duration?,
    _ asker: Asker, at now: Timestamp
  ) throws(Refusal) {
    guard asker.service.hasLogins else { throw Refusal(.unknownKind) }
    try SpaceNameRule.checkAccount(callee, of: asker.service)
    try SpaceNameRule.checkChannel(channel, of: asker.service)
    try Self.check(extra: extra, asker.service)
    let limit = try InvitationMachine.limit(timeout)
    passTime(at: now)
    try checkOneMore(callee, channel, asker.service)
    let serial = (account.space?.lastInvitation ?? 0) + 1
    let move = InviteMoved.Move.created(
      service: asker.service, channel: channel, callee: callee, extra: extra, needsPeer: needsPeer,
      until: limit.map { now + $0 })
    try host.recordByServer(
      [.inviteMoved(InviteMoved(serial: serial, move: move))], by: .member(asker.session.member), at: now)
    account.questions.finish(asker, .success(.invite(serial)))
    offer(serial)
  }

  private static func check(extra: String, _ service: Service) throws(Refusal) {
    let limit = SpaceLimits.of(service).extra
    guard extra.utf8.count <= limit else {
      throw Refusal(.tooLarge, actual: extra.utf8.count, allowed: limit, limit: "limits.extra")
    }
  }

  private func checkOneMore(
    _ callee: String, _ channel: String, _ service: Service
  ) throws(Refusal) {
    // SIG-I13: one that was answered is pending no longer.
    let open = openInvitations.filter { $0.step != .accepted }
    let isRepeated = open.contains {
      $0.callee == callee && $0.channel == channel && $0.service == service
    }
    if isRepeated { throw Refusal(.repeatedInvite) }
    guard open.count < AccountPolicy.openInvitations else {
      throw Refusal(
        .tooMany, actual: open.count + 1, allowed: AccountPolicy.openInvitations, limit: "invitations")
    }
  }

  // MARK: The offer

  /// Brings an invitation to its callee, if that is there; else the callee's loop says when it comes.
  private func offer(_ serial: UInt64) { account.once(durable: { $0.invitations.bring(serial) }) }

  private func bring(_ serial: UInt64) {
    guard let invitation = account.space?.invitations[serial], offers.begin(serial) else { return }
    offered[serial] = host.clock()
    let heard = InviteHeard(
      caller: account.name, serial: serial, service: invitation.service, channel: invitation.channel,
      news: .offered(extra: invitation.extra))
    let end = InvitationMachine(invitation).deadline ?? host.clock()
    // In one order with the news, so that no offer comes after the end of its invitation.
    host.askInOrder(
      .offer(heard, until: invitation.needsPeer ? nil : end.milliseconds), of: .account(invitation.callee)
    ) { [unowned self] answer in
      let isThere = answer == .yes
      let (lastWord, isWantedAgain) = offers.finish(serial)
      guard account.space?.invitations[serial] != nil else {
        // It ended while it was on its way.
        if isThere { tell(invitation, lastWord) }
        return
      }
      _ = move(serial, isThere ? .calleeThere : .calleeNotThere, at: host.clock())
      if !isThere, isWantedAgain { offerAgain(serial, at: host.clock()) }
    }
  }

  /// The callee may be there by now.
  func offerAgain(_ serial: UInt64, at now: Timestamp) {
    passTime(at: now)
    switch account.space?.invitations[serial]?.step {
    case .created, .waiting: offer(serial)
    case .sent, .ringing, .accepted, .refused, .failed, .ended, nil: break
    }
  }

  // MARK: Moving on

  func moveOn(
    of caller: String?, _ serial: UInt64, _ act: InviteAct, _ asker: Asker, at now: Timestamp
  ) throws(Refusal) {
    let input = try Self.input(act, byCaller: caller == nil, asker.service)
    if case .accepted = input { try account.calls.checkAccepted() }
    guard let caller else {
      guard account.space?.invitations[serial]?.service == asker.service else {
        throw Refusal(.noSuchInvite)
      }
      let refusal = move(serial, input, by: .member(asker.session.member), at: now)
      return account.questions.finish(asker, refusal.map { .failure($0) } ?? .success(.done))
    }
    try SpaceNameRule.checkAccount(caller, of: asker.service)
    let question = SpaceQuestion.act(input, serial: serial, callee: asker.account, asker.service)
    host.ask(question, of: .account(caller)) { [unowned self] answer in
      account.questions.finish(asker, answer.result(missing: .failure(Refusal(.noSuchInvite))))
    }
  }

  private static func input(
    _ act: InviteAct, byCaller: Bool, _ service: Service
  ) throws(Refusal) -> InvitationMachine.Input {
    switch act {
    case .ring where !byCaller: return .rang
    case .accept(let extra) where !byCaller:
      try check(extra: extra, service)
      return .accepted(extra: extra)
    case .refuse(let extra) where !byCaller:
      try check(extra: extra, service)
      return .refused(extra: extra)
    case .end(let extra):
      try check(extra: extra, service)
      return .ended(byCaller: byCaller, extra: extra)
    case .tones(let digits):
      let areDigits = digits.utf8.allSatisfy { (0x30...0x39).contains($0) || $0 == 0x23 || $0 == 0x2A }
      guard areDigits, (1...AccountPolicy.digits).contains(digits.utf8.count) else {
        throw Refusal(
          .badParameter, cause: "Tones are other than 0 to 9, * and #, or none, or over 64.",
          cure: "Send digits, * and #.")
      }
      return .tones(byCaller: byCaller, digits: digits)
    case .ring, .accept, .refuse:
      throw Refusal(
        .badParameter, cause: "Only who was invited can do this.", cure: "Name the caller, or end it.")
    }
  }

  /// The callee wants something of an invitation of this account.
  func act(
    _ input: InvitationMachine.Input, _ serial: UInt64, from callee: String, _ service: Service,
    noting number: QuestionApplied?, at now: Timestamp, done: @escaping @Sendable (Refusal?) -> Void
  ) {
    guard let invitation = account.space?.invitations[serial], invitation.callee == callee,
      invitation.service == service
    else { return done(Refusal(.noSuchInvite)) }
    // Whoever answers an offer has it, also where its own word of that is still on the way.
    switch invitation.step {
    case .created, .waiting: _ = move(serial, .calleeThere, at: now)
    case .sent, .ringing, .accepted, .refused, .failed, .ended: break
    }
    if let refusal = move(serial, input, noting: number, at: now) { return done(refusal) }
    host.afterward(done)
  }

  /// Lets the machine take an input: records its moves, and tells the callee.
  /// `since`: when that was, where it was found out later: what its clocks have done after it does not count.
  private func move(
    _ serial: UInt64, _ input: InvitationMachine.Input, by actor: Actor = .server, since: Timestamp? = nil,
    noting number: QuestionApplied? = nil, at now: Timestamp
  ) -> Refusal? {
    guard !host.isClosed, let invitation = account.space?.invitations[serial] else {
      return Refusal(.noSuchInvite)
    }
    var machine = InvitationMachine(invitation)
    let outcome = machine.take(input, at: since ?? now)
    let events = outcome.moves.map { SpaceEvent.inviteMoved(InviteMoved(serial: serial, move: $0)) }
    // What is refused is decided anew should it be asked again: moves beside a refusal are those of the clocks.
    let noted = outcome.refusal == nil ? number : nil
    if !events.isEmpty {
      do throws(Refusal) { try host.recordByServer(events, by: actor, noting: noted, at: now) } catch {
        return error
      }
    }
    offers.note(outcome.moves, of: serial)
    for news in [outcome.news, outcome.then] {
      if let news { tell(invitation, news) }
    }
    if outcome.moves.contains(where: { $0.isAnswer }) { endOldest(at: now) }
    return outcome.refusal
  }

  /// Calls that were accepted and that nobody ever ends make way for newer ones.
  private func endOldest(at now: Timestamp) {
    let accepted = openInvitations.filter { $0.step == .accepted }
    guard accepted.count > AccountPolicy.openInvitations, let oldest = accepted.first else { return }
    _ = move(oldest.serial, .ended(byCaller: true, extra: ""), at: now)
  }

  private func tell(_ invitation: Invitation, _ news: InviteHeard.News) {
    let heard = InviteHeard(
      caller: account.name, serial: invitation.serial, service: invitation.service,
      channel: invitation.channel, news: news)
    // Should the callee's log be out of reach, it asks when it is opened.
    self.news[invitation.serial, default: 0] += 1
    account.once(durable: { $0.invitations.send(heard, to: invitation.callee) })
  }

  private func send(_ heard: InviteHeard, to callee: String) {
    host.askInOrder(.news(heard), of: .account(callee)) { [unowned self] _ in
      let left = news[heard.serial, default: 1] - 1
      news[heard.serial] = left > 0 ? left : nil
    }
  }

  // MARK: Clocks and crashes

  var nextDue: Timestamp? {
    account.space?.invitations.values.lazy.compactMap { [self] invitation in
      [InvitationMachine(invitation).deadline, nextOffer(of: invitation)].compactMap(\.self).min()
    }.min()
  }

  private func nextOffer(of invitation: Invitation) -> Timestamp? {
    guard invitation.step == .waiting else { return nil }
    return offered[invitation.serial].map { $0 + Self.asksAnew }
  }

  private var openInvitations: [Invitation] {
    (account.space?.invitations.values.map { $0 } ?? []).sorted { $0.serial < $1.serial }
  }

  func passTime(at now: Timestamp) {
    for invitation in openInvitations
    where InvitationMachine(invitation).deadline.map({ $0 <= now }) ?? false {
      _ = move(invitation.serial, .tick, at: now)
    }
    guard !offered.isEmpty else { return }
    let open = openInvitations
    offered = offered.filter { one in open.contains { $0.serial == one.key } }
    for invitation in open where nextOffer(of: invitation).map({ $0 <= now }) ?? false {
      offer(invitation.serial)
    }
  }

  func takeUp(at now: Timestamp) {
    // What is open without its login was open when that ended: it failed by that, whatever became due since then.
    for invitation in openInvitations where account.login(of: invitation.service) == nil {
      _ = move(invitation.serial, .callerGone, since: invitation.since, at: now)
    }
    passTime(at: now)
    for invitation in openInvitations {
      switch invitation.step {
      case .created, .waiting: offerAgain(invitation.serial, at: now)
      case .sent, .ringing: wake(invitation.callee)
      // A crash may have come before the callee's log had it.
      case .accepted: tell(invitation, .accepted)
      case .refused, .failed, .ended: break
      }
    }
  }

  /// Opens a callee's log: what it has not been able to say yet, it says then.
  private func wake(_ callee: String) {
    host.ask(.wake, of: .account(callee)) { _ in }
  }

  /// A login is over, and nobody goes on with its calls.
  func loginEnded(_ service: Service, at now: Timestamp) {
    for invitation in openInvitations where invitation.service == service {
      _ = move(invitation.serial, .callerGone, at: now)
    }
  }

  /// This account was called, and is gone.
  func calleeGone(_ serial: UInt64, _ callee: String, at now: Timestamp) {
    guard account.space?.invitations[serial]?.callee == callee else { return }
    _ = move(serial, .calleeGone, at: now)
  }

  /// Whether the callee has still to hear of it: the invitation goes on, or the last word is on its way.
  func isOpen(_ serial: UInt64, to callee: String) -> Bool {
    if let invitation = account.space?.invitations[serial] { return invitation.callee == callee }
    return news[serial] != nil || offers.holds(serial)
  }
}

extension InviteMoved.Move {
  /// Whether the callee has taken the call.
  fileprivate var isAnswer: Bool {
    switch self {
    case .accepted: true
    case .created, .waiting, .sent, .ringing, .refused, .failed, .ended, .tones: false
    }
  }
}
