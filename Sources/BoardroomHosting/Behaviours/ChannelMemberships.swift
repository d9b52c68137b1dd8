import BoardroomCore
import BoardroomModel
import EventLogModel

/// In which channels an account's logins are. Two logs are never written in one step: the account's log keeps a channel
/// until the end of the membership there is known, and every end can be done twice. What stands here beside the state
/// is nothing that a restart may not forget.
final class ChannelMemberships {
  /// A membership whose end is under way.
  private struct EndingMembership {
    var cause: ChannelLeaveCause
    /// When the channel could not do it last, and is to be asked again `patience` later; nil: it is being asked.
    var failed: Timestamp?
  }

  /// How long a channel that could not end a membership is left alone. 5 s: an opening takes milliseconds, and a full log
  /// gets space by its cleaning.
  private static let patience = Duration.seconds(5)

  private unowned let account: AccountBehaviour
  private var ending: [MembershipKey: EndingMembership] = [:]
  /// Entries, and leaves of logins, that wait for an end.
  private var waiting: [() -> Void] = []
  /// The newest entry of each channel since this host opened, so that a leave of an earlier one does not count.
  private var entries: [MembershipKey: UInt64] = [:]
  private var lastEntry: UInt64

  /// Entries are numbered on from the time of the opening, so that those of a later opening are newer. 2^20 a
  /// millisecond are more than there can be.
  init(of account: AccountBehaviour, at opened: Timestamp) {
    self.account = account
    lastEntry = UInt64(max(0, opened.milliseconds)) << 20
  }

  private var host: SpaceHost { account.host }

  var areEnding: Bool { !ending.isEmpty }

  func newestEntry(of key: MembershipKey) -> UInt64? { entries[key] }

  private func channels(of service: Service) -> [String] {
    account.space?.slots[service]?.channels ?? []
  }

  private func once(durable step: @escaping @Sendable (ChannelMemberships) -> Void) {
    account.once(durable: { step($0.memberships) })
  }

  // MARK: Entering

  /// A login of the service is about to enter a channel (or comes back to it). `done` is given the number of the
  /// entry once the log holds it.
  func enter(_ place: Place, at now: Timestamp, done: @escaping @Sendable (SpaceAnswer) -> Void) {
    guard !host.isClosed, let channel = place.channel else { return done(.refused(Refusal(.goingAway))) }
    account.passLogins(at: now)
    guard !host.isClosed, let login = account.login(of: place.service) else {
      return done(.refused(AccountBehaviour.notSignedIn))
    }
    let key = MembershipKey(service: place.service, channel: channel)
    guard ending[key] == nil else { return wait(to: place, done) }
    if !channels(of: place.service).contains(channel) {
      if place.service == .signaling, !key.isSpecial, moves(from: place.service) {
        return wait(to: place, done)
      }
      if let refusal = refusal(oneMore: key) { return done(.refused(refusal)) }
      do throws(Refusal) {
        try host.recordByServer([.channelEntered(channel)], by: .member(login.member), at: now)
      } catch { return done(.refused(error)) }
    }
    lastEntry += 1
    let entry = lastEntry
    entries[key] = entry
    host.afterward { done($0.map { .refused($0) } ?? .entered(entry)) }
  }

  private func wait(to place: Place, _ done: @escaping @Sendable (SpaceAnswer) -> Void) {
    waiting.append { [unowned self] in enter(place, at: host.clock(), done: done) }
  }

  /// Those who waited for the end of a membership try again. Should one of them close the host, the others are told so.
  func resumeWaiting() {
    let calls = waiting
    waiting = []
    for call in calls { call() }
  }

  /// SIG-C2: whether others have to be left first; they are being left then. The special channels are beside it: a
  /// program that watches them is in one of its own, too (SIG-C8).
  private func moves(from service: Service) -> Bool {
    for other in ordinaryChannels(of: service) { end(other, .moved) }
    return ending.keys.contains { $0.service == service && !$0.isSpecial }
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

  func loginEnded(_ service: Service, _ cause: LeaveCause) {
    for channel in channels(of: service) {
      end(MembershipKey(service: service, channel: channel), ChannelLeaveCause(endOfLogin: cause))
    }
  }

  /// ACC-18: the login leaves the channel. `done` is called when it is not in it, as the log is about to hold; not at all if this host
  /// closes before.
  func leave(_ key: MembershipKey, done: @escaping () -> Void) {
    guard !host.isClosed else { return }
    guard channels(of: key.service).contains(key.channel) else { return done() }
    end(key, .left)
    waiting.append { [unowned self] in leave(key, done: done) }
  }

  private func end(_ key: MembershipKey, _ cause: ChannelLeaveCause) {
    guard ending[key] == nil else { return }
    ending[key] = EndingMembership(cause: cause)
    once(durable: { $0.dismiss(key) })
  }

  private func dismiss(_ key: MembershipKey) {
    guard let ended = ending[key] else { return }
    // No newer entry is let in before the end of this one is known.
    let question = SpaceQuestion.dismiss(
      account: account.name, ended.cause.leaveCause, through: entries[key] ?? lastEntry)
    host.ask(question, of: .channel(key.service, key.channel)) { [unowned self] answer in
      if answer == .done || answer.isMissing { return finishEnd(of: key) }
      ending[key]?.failed = host.clock()
    }
  }

  private func finishEnd(of key: MembershipKey) {
    guard let ended = ending[key] else { return }
    let left = ChannelLeft(service: key.service, channel: key.channel, cause: ended.cause)
    guard (try? host.recordByServer([.channelLeft(left)], at: host.clock())) != nil else {
      ending[key]?.failed = host.clock()
      return
    }
    ending[key] = nil
    entries[key] = nil
    resumeWaiting()
  }

  /// The member that came in by `entry` has left the channel by itself, or was removed there.
  func left(_ key: MembershipKey, entry: UInt64?, _ cause: LeaveCause, at now: Timestamp) {
    guard !host.isClosed, channels(of: key.service).contains(key.channel), ending[key] == nil else { return }
    // Which entry it was the channel does not know: it may have been one before the newest.
    if entry == nil, let newest = entries[key] { return verify(key, newest) }
    guard entry == nil || entry == entries[key] else { return }
    let left = ChannelLeft(
      service: key.service, channel: key.channel, cause: ChannelLeaveCause(leftChannel: cause))
    // If the log is full, the next opening finds it out.
    if (try? host.recordByServer([.channelLeft(left)], at: now)) != nil { entries[key] = nil }
  }

  /// Why this account's login is not in the channel; nil: it is, as far as the account knows.
  func obstacle(toBeingIn key: MembershipKey, at now: Timestamp) -> LeaveCause? {
    account.passLogins(at: now)
    guard !host.isClosed, account.login(of: key.service) != nil else { return .timeout }
    if let ended = ending[key] { return ended.cause.leaveCause }
    return channels(of: key.service).contains(key.channel) ? nil : .left
  }

  // MARK: Openings and time

  /// What a crash between two logs left undone.
  func takeUp() {
    for service in Service.allCases {
      for channel in channels(of: service) {
        let key = MembershipKey(service: service, channel: channel)
        if account.login(of: service) == nil { end(key, .offline) } else { verify(key, nil) }
      }
    }
  }

  /// The account says that it is in the channel, by this entry: does the channel say so, too?
  private func verify(_ key: MembershipKey, _ entry: UInt64?) {
    host.ask(.holdsMember(account: account.name), of: .channel(key.service, key.channel)) {
      [unowned self] answer in
      guard answer == .no || answer.isMissing, entries[key] == entry else { return }
      left(key, entry: entry, .left, at: host.clock())
    }
  }

  /// When a channel that could not end a membership is asked again; nil: there is none.
  var nextDue: Timestamp? {
    ending.values.lazy.compactMap { $0.failed.map { $0 + Self.patience } }.min()
  }

  func retry(at now: Timestamp) {
    for (key, ended) in ending.sorted(by: { $0.key < $1.key })
    where ended.failed.map({ $0 + Self.patience <= now }) ?? false {
      ending[key]?.failed = nil
      once(durable: { $0.dismiss(key) })
    }
  }
}

extension ChannelLeaveCause {
  /// Why the memberships of a login end with it.
  init(endOfLogin cause: LeaveCause) {
    switch cause {
    case .left: self = .logout
    case .timeout, .serverRestart: self = .offline
    case .kicked: self = .kicked
    case .replaced: self = .replaced
    }
  }

  /// Why a login is no longer in a channel that its member has left.
  init(leftChannel cause: LeaveCause) {
    switch cause {
    case .left: self = .left
    case .timeout, .serverRestart: self = .offline
    case .kicked: self = .kicked
    case .replaced: self = .replaced
    }
  }

  /// What the channel's members see.
  var leaveCause: LeaveCause {
    switch self {
    case .left, .moved, .logout: .left
    case .offline: .timeout
    case .kicked: .kicked
    case .replaced: .replaced
    }
  }
}

extension Place {
  /// RTM and Signaling join by a login; RTC has none.
  var needsLogin: Bool { channel != nil && service.hasLogins }
}

extension Service {
  var hasLogins: Bool {
    switch self {
    case .rtm, .signaling: true
    case .rtc, .white: false
    }
  }
}
