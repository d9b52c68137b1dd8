import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Who asked what: the answer goes to this connection, if it is still the one that counts.
struct Asker {
  let session: MemberSession
  let connection: ConnectionID
  let account: String
  let service: Service
  let ask: Ask

  /// Who has spaces made by what it asks.
  var payer: SpaceBudget.Payer {
    SpaceBudget.Payer(account: account, address: session.line?.connection.address)
  }
}

/// Questions of an account's logins. Each is decided here, by its account; what it needs of other spaces is asked of
/// their hosts.
final class LoginQuestions {
  private unowned let account: AccountBehaviour
  private var rates: [Service: AskRates] = [:]

  init(of account: AccountBehaviour) { self.account = account }

  private var host: SpaceHost { account.host }

  /// False: the member is no login of a service.
  func consider(
    _ ask: Ask, from session: MemberSession, over line: ConnectionOutput, at now: Timestamp
  ) -> Bool {
    guard let service = host.room.service(of: session.member) else { return false }
    let asker = Asker(
      session: session, connection: line.id, account: account.name, service: service, ask: ask)
    do throws(Refusal) {
      try charge(asker, at: now)
      try decide(asker, at: now)
    } catch {
      finish(asker, .failure(error))
    }
    return true
  }

  private func charge(_ asker: Asker, at now: Timestamp) throws(Refusal) {
    try rates[asker.service, default: AskRates(asker.service)].pay(for: asker.ask.question, at: now)
    asker.session.asksTooFast = false
    guard asker.ask.question.wish == nil || host.room.state.members[asker.session.member]?.writable == true
    else {
      throw Refusal(.notWritable)
    }
  }

  private func decide(_ asker: Asker, at now: Timestamp) throws(Refusal) {
    switch asker.ask.question {
    case .userStatus(let account): try askStatus(of: account, asker)
    case .usersStatus(let accounts): try askStatus(ofAll: accounts, asker)
    case .userAttributes(let account): try askAttributes(of: account, asker)
    case .channelAttributes(let channel):
      try read(channel, .channelAttributes, asker, none: .attributes([:]))
    case .channelCount(let channel): try read(channel, .memberCount, asker, none: .number(0))
    case .isInChannel(let channel, let account):
      try SpaceNameRule.checkAccount(account, of: asker.service)
      try read(channel, .hasMember(account), asker, none: .number(0))
    case .channelUsers(let channel, let limit):
      try read(channel, .newestMembers(limit), asker, none: .users([], total: 0))
    case .setChannelAttributes(let channel, let set): try change(channel, .setAttributes(set), asker)
    case .clearChannelAttributes(let channel): try change(channel, .clearAttributes, asker)
    case .say(let channel, let message): try change(channel, .say(message), asker)
    case .send(let account, let id, let text, let holds):
      try send(text, as: id, to: account, holds: holds, asker)
    case .invite(let channel, let account, let extra, let needsPeer, let timeout):
      try self.account.invitations.invite(
        account, into: channel, extra, needsPeer: needsPeer, timeout: timeout, asker, at: now)
    case .moveInvite(let caller, let serial, let act):
      try self.account.invitations.moveOn(of: caller, serial, act, asker, at: now)
    case .leaveChannel(let channel): try leave(channel, asker)
    }
  }

  // MARK: Answers

  /// The one answer to a question, once the log holds what came of it.
  func finish(_ asker: Asker, _ result: Result<Reply, Refusal>) {
    if case .failure(let refusal) = result { note(refusal, of: asker) }
    guard !host.isClosed else { return }
    let answer = Answer(number: asker.ask.number, result: result)
    let (session, connection) = (Confined(asker.session, to: host.loop), asker.connection)
    host.once(durable: { host in
      guard session.value.line?.id == connection else { return }
      host.say(answer, to: session.value)
    })
  }

  /// What somebody wished to change and could not is recorded; of a flood the first one (DEC-4).
  private func note(_ refusal: Refusal, of asker: Asker) {
    guard let wish = asker.ask.question.wish, host.sessions[asker.session.member] === asker.session else {
      return
    }
    if refusal.code == .rateLimited {
      guard !asker.session.asksTooFast else { return }
      asker.session.asksTooFast = true
    }
    let event = Event.diagnostics(.refused(RefusedCommand(kind: wish.rawValue, code: refusal.code)))
    _ = host.recordUnlessFull(
      [Proposed(actor: .member(asker.session.member), event: event)], at: host.clock())
  }

  // MARK: Reading others

  private func askStatus(of account: String, _ asker: Asker) throws(Refusal) {
    try SpaceNameRule.checkAccount(account, of: asker.service)
    whetherSignedIn(account, to: asker.service) { [unowned self] result in
      finish(asker, result.map { .number($0 ? 1 : 0) })
    }
  }

  /// Answers once all are known, with the first refusal if there is one.
  private func askStatus(ofAll accounts: [String], _ asker: Asker) throws(Refusal) {
    guard accounts.count <= AccountPolicy.askedAccounts else {
      throw Refusal(
        .tooMany, actual: accounts.count, allowed: AccountPolicy.askedAccounts, limit: "accounts")
    }
    for account in accounts { try SpaceNameRule.checkAccount(account, of: asker.service) }
    guard !accounts.isEmpty else { return finish(asker, .success(.users([], total: 0))) }
    var (left, found, failure) = (Set(accounts).count, Set<String>(), Refusal?.none)
    for account in Set(accounts).sorted() {
      whetherSignedIn(account, to: asker.service) { [unowned self] result in
        left -= 1
        switch result {
        case .success(true): found.insert(account)
        case .success(false): break
        case .failure(let refusal): failure = failure ?? refusal
        }
        guard left == 0 else { return }
        let online = accounts.filter { found.contains($0) }
        finish(asker, failure.map { .failure($0) } ?? .success(.users(online, total: accounts.count)))
      }
    }
  }

  /// Nobody is made by being asked about.
  private func whetherSignedIn(
    _ account: String, to service: Service, then answer: @escaping (Result<Bool, Refusal>) -> Void
  ) {
    host.ask(.isSignedIn(service), of: .account(account)) { given in
      switch given {
      case .yes: answer(.success(true))
      case .no: answer(.success(false))
      default: answer(given.isMissing ? .success(false) : .failure(given.refusal))
      }
    }
  }

  private func askAttributes(of account: String, _ asker: Asker) throws(Refusal) {
    try SpaceNameRule.checkAccount(account, of: asker.service)
    host.ask(.loginAttributes(asker.service), of: .account(account)) { [unowned self] given in
      finish(asker, given.result(missing: .success(.attributes([:]))))
    }
  }

  /// Reads a channel; one that is not there is not made for it.
  private func read(
    _ channel: String, _ question: SpaceQuestion, _ asker: Asker, none: Reply
  ) throws(Refusal) {
    try SpaceNameRule.checkChannel(channel, of: asker.service)
    host.ask(question, of: .channel(asker.service, channel)) { [unowned self] given in
      finish(asker, given.result(missing: .success(none)))
    }
  }

  // MARK: Changing channels from outside

  /// ACC-18. Where channels follow no login, a member leaves by its own connection only.
  private func leave(_ channel: String, _ asker: Asker) throws(Refusal) {
    guard asker.service.hasLogins else { throw Refusal(.unknownKind) }
    try SpaceNameRule.checkChannel(channel, of: asker.service)
    let key = MembershipKey(service: asker.service, channel: channel)
    account.memberships.leave(key) { [unowned self] in finish(asker, .success(.done)) }
  }

  private func change(_ channel: String, _ command: SpaceCommand, _ asker: Asker) throws(Refusal) {
    try SpaceNameRule.checkChannel(channel, of: asker.service)
    // There is nothing to clear where there is nothing.
    let makes = command != .clearAttributes
    host.ask(
      .change(command, by: asker.account), of: .channel(asker.service, channel),
      making: makes ? asker.payer : nil
    ) { [unowned self] given in
      finish(asker, given.result(missing: makes ? nil : .success(.done)))
    }
  }

  func send(
    _ text: String, as id: String, to account: String, holds: Bool, _ asker: Asker
  ) throws(Refusal) {
    // Where nobody signs in for messages, nobody would ever take them.
    guard asker.service.hasLogins else { throw Refusal(.unknownKind) }
    try SpaceNameRule.checkAccount(account, of: asker.service)
    try Self.check(text, SpaceLimits.of(asker.service).text, LimitName.text)
    try Self.check(id, AccountPolicy.messageName, LimitName.messageName)
    // Its version is given by the receiver.
    let message = InboxMessage(
      version: 0, service: asker.service, from: asker.account, id: id, text: text)
    host.ask(
      .message(message, holds: holds), of: .account(account), making: holds ? asker.payer : nil
    ) { [unowned self] answer in
      finish(asker, answer.result(missing: .failure(Refusal(.peerOffline))))
    }
  }

  private static func check(_ text: String, _ allowed: Int, _ limit: String) throws(Refusal) {
    guard text.utf8.count > allowed else { return }
    throw Refusal(.tooLarge, actual: text.utf8.count, allowed: allowed, limit: limit)
  }
}
