import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// An account's logins and the channels that they are in. Two logs are never written in one step: the account's
/// keeps a channel until its end there is known, and every end can be done twice.
extension SpaceHost {
  var accountName: String? {
    if case .account(let name) = room.state.space?.name { name } else { nil }
  }

  func login(of service: Service) -> MemberSession? {
    guard accountName != nil else { return nil }
    return sessions.all.first { room.state.members[$0.member]?.uid == service.rawValue }
  }

  private func channels(of service: Service) -> [String] {
    room.state.space?.slots[service]?.channels ?? []
  }

  /// Ends what is overdue before anything is decided by it (TL-9).
  func passLogins(at now: Timestamp) {
    for service in Service.allCases where !isClosed {
      if let session = login(of: service) { pass(session, at: now) }
    }
  }

  // MARK: Entering channels

  /// A login of the service is about to enter a channel (or comes back to it). `done` hears the number of the
  /// entry once the log holds it.
  func enterChannel(
    _ place: Place, at now: Timestamp, done: @escaping @Sendable (SpaceAnswer) -> Void
  ) {
    guard !isClosed, let channel = place.channel else { return done(.refused(Refusal(.goingAway))) }
    passLogins(at: now)
    guard !isClosed, let login = login(of: place.service) else {
      return done(.refused(Self.notSignedIn))
    }
    let key = MembershipKey(service: place.service, channel: channel)
    guard account.ending[key] == nil else { return wait(to: place, done) }
    if !channels(of: place.service).contains(channel) {
      if place.service == .signaling, !key.isSpecial, moves(from: place.service, at: now) {
        return wait(to: place, done)
      }
      if let refusal = refusal(oneMore: key) { return done(.refused(refusal)) }
      guard recordByServer([.channelEntered(channel)], by: .member(login.member), at: now) else {
        return done(.refused(Refusal(.logFull)))
      }
    }
    account.lastEntry += 1
    let entry = account.lastEntry
    account.entries[key] = entry
    afterward { done($0.map { .refused($0) } ?? .entered(entry)) }
  }

  static let notSignedIn = Refusal(
    .notConnected, cause: "The account is not signed in to the service.", cure: "Sign in first.")

  private func wait(to place: Place, _ done: @escaping @Sendable (SpaceAnswer) -> Void) {
    account.waiting.append { [unowned self] in enterChannel(place, at: clock(), done: done) }
  }

  /// SIG-C2: whether others have to be left first; they are being left then. The special channels are beside it: a
  /// program that watches them is in one of its own, too (SIG-C8).
  private func moves(from service: Service, at now: Timestamp) -> Bool {
    for other in ordinaryChannels(of: service) { end(other, .moved, at: now) }
    return account.ending.keys.contains { $0.service == service && !$0.isSpecial }
  }

  private func ordinaryChannels(of service: Service) -> [MembershipKey] {
    channels(of: service).map { MembershipKey(service: service, channel: $0) }.filter { !$0.isSpecial }
  }

  private func refusal(oneMore key: MembershipKey) -> Refusal? {
    let (actual, allowed) = (
      ordinaryChannels(of: key.service).count + 1, AccountPolicy.channels(of: key.service)
    )
    guard !key.isSpecial, actual > allowed else { return nil }
    return Refusal(
      .tooMany, cause: "The login is in as many channels as the service allows.",
      cure: "Leave one first.", actual: actual, allowed: allowed)
  }

  // MARK: Ends

  /// A login is over, and so is its being in channels. Called with what the log is about to hold.
  func loginEnded(_ service: Service, _ cause: LeaveCause, at now: Timestamp) {
    for channel in channels(of: service) {
      end(MembershipKey(service: service, channel: channel), ChannelLeaveCause(endOfLogin: cause), at: now)
    }
    // Another one of the same service goes on with the calls.
    if cause != .replaced { endCalls(of: service, at: now) }
  }

  private func end(_ key: MembershipKey, _ cause: ChannelLeaveCause, at now: Timestamp) {
    guard account.ending[key] == nil else { return }
    account.ending[key] = AccountWork.EndingMembership(cause: cause)
    once(durable: { $0.dismiss(key) })
  }

  private func dismiss(_ key: MembershipKey) {
    guard let ending = account.ending[key], let name = accountName else { return }
    // No newer entry is let in before the end of this one is known.
    let question = SpaceQuestion.dismiss(
      account: name, ending.cause.leaveCause, through: account.entries[key] ?? account.lastEntry)
    ask(question, of: .channel(key.service, key.channel)) { [unowned self] answer in
      if answer == .done || answer.isMissing { return ended(key) }
      account.ending[key]?.failed = clock()
    }
  }

  private func ended(_ key: MembershipKey) {
    guard let ending = account.ending[key] else { return }
    let left = ChannelLeft(service: key.service, channel: key.channel, cause: ending.cause)
    guard recordByServer([.channelLeft(left)], at: clock()) else {
      account.ending[key]?.failed = clock()
      return
    }
    account.ending[key] = nil
    account.entries[key] = nil
    let waiting = account.waiting
    account.waiting = []
    // Should one of them close the host, the others hear so.
    for call in waiting { call() }
  }

  /// The member that came in by `entry` has left the channel by itself, or was removed there.
  func leftChannel(_ key: MembershipKey, entry: UInt64?, _ cause: LeaveCause, at now: Timestamp) {
    guard !isClosed, accountName != nil, channels(of: key.service).contains(key.channel),
      account.ending[key] == nil
    else { return }
    // Which entry it was the channel does not know: it may have been one before the newest.
    if entry == nil, let newest = account.entries[key] { return verify(key, newest) }
    guard entry == nil || entry == account.entries[key] else { return }
    let left = ChannelLeft(
      service: key.service, channel: key.channel, cause: ChannelLeaveCause(leftChannel: cause))
    // If the log is full, the next opening finds it out.
    if recordByServer([.channelLeft(left)], at: now) { account.entries[key] = nil }
  }

  /// Why this account's login is not in the channel; nil: it is, as far as the account knows.
  func obstacle(toBeingIn key: MembershipKey, at now: Timestamp) -> LeaveCause? {
    passLogins(at: now)
    guard !isClosed, login(of: key.service) != nil else { return .timeout }
    if let ending = account.ending[key] { return ending.cause.leaveCause }
    return channels(of: key.service).contains(key.channel) ? nil : .left
  }

  // MARK: Openings and time

  /// What is over by now is over before anybody comes in, also where it became so while the account was closed.
  func recordAccountDue(at now: Timestamp) {
    guard !isClosed, accountName != nil else { return }
    expireInbox(at: now)
    passInvitations(at: now)
  }

  /// What a crash between two logs left undone.
  func takeUpAccount(at now: Timestamp) {
    for service in Service.allCases {
      for channel in channels(of: service) {
        let key = MembershipKey(service: service, channel: channel)
        if login(of: service) == nil { end(key, .offline, at: now) } else { verify(key, nil) }
      }
    }
    takeUpInvitations(at: now)
  }

  /// The account says that it is in the channel, by this entry: does the channel say so, too?
  private func verify(_ key: MembershipKey, _ entry: UInt64?) {
    guard let name = accountName else { return }
    ask(.holdsMember(account: name), of: .channel(key.service, key.channel)) { [unowned self] answer in
      guard answer == .no || answer.isMissing, account.entries[key] == entry else { return }
      leftChannel(key, entry: entry, .left, at: clock())
    }
  }

  /// The next time at which an account or a channel has something to do; nil: none.
  var spaceDue: Timestamp? {
    guard let space = room.state.space else { return nil }
    switch space.name {
    case .channel: return membershipDue
    case .account:
      let retries = account.ending.values.lazy.compactMap { $0.failed.map { $0 + AccountWork.patience } }
        .min()
      let tokens = sessions.all.lazy.compactMap { self.tokenEnd(of: $0) }.min()
      return [retries, tokens, inboxDue, invitationDue].compactMap(\.self).min()
    }
  }

  /// Time went by, in an account or a channel.
  func passSpace(at now: Timestamp) {
    guard !isClosed, let due = spaceDue, due <= now else { return }
    guard accountName != nil else { return checkMemberships(at: now) }
    for (key, ending) in account.ending.sorted(by: { $0.key < $1.key })
    where ending.failed.map({ $0 + AccountWork.patience <= now }) ?? false {
      account.ending[key]?.failed = nil
      once(durable: { $0.dismiss(key) })
    }
    endLoginsWithTheirTokens(at: now)
    expireInbox(at: now)
    passInvitations(at: now)
  }

  /// ACC-5: RTC and RTM stay when their token ends, Signaling does not.
  private func tokenEnd(of session: MemberSession) -> Timestamp? {
    guard room.state.members[session.member]?.uid == Service.signaling.rawValue else { return nil }
    return session.expires
  }

  private func endLoginsWithTheirTokens(at now: Timestamp) {
    for session in sessions.inOrder where !isClosed {
      guard let end = tokenEnd(of: session), end <= now, session.machine.end(.kicked) else { continue }
      recordLeave(of: session, .kicked, saying: Farewell(Refusal(.tokenExpired), comeBack: false), at: now)
    }
  }
}
