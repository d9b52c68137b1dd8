import BoardroomClient
import BoardroomCore
import BoardroomModel
import EventLogModel

// What an app asks of RTM beside its login. What fails before anything goes out fails at once.

extension RtmCore {
  private func done(_ completion: RtmCompletion?) -> (BoardroomError?) -> Void {
    { error in completion?(error.map { FaceCodes($0.code).rtm } ?? .ok) }
  }

  // MARK: Channels

  func join(_ channel: String, _ completion: RtmCompletion?) {
    if let obstacle { completion?(obstacle); return }
    guard RtmLimits.isGoodId(channel) else { completion?(.invalidArgument); return }
    guard session.channels[channel] == nil else { completion?(.alreadyJoined); return }
    guard session.channels.count < RtmLimits.channels else { completion?(.tooMany); return }
    guard limits.mayJoin(channel, at: context.now) else { completion?(.tooOften); return }
    whenJoined[channel] = completion
    session.join(channel)
  }

  func leave(_ channel: String, _ completion: RtmCompletion?) {
    if let obstacle { completion?(obstacle); return }
    guard let joined = session.channels[channel], joined.leaving == nil else {
      completion?(.notInChannel)
      return
    }
    whenLeft[channel] = completion
    session.leave(channel)
  }

  func members(_ channel: String) -> Result<[String], RtmErrorCode> {
    if let obstacle { return .failure(obstacle) }
    guard limits.members.takeOne(at: context.now) else { return .failure(.tooOften) }
    return session.known(of: channel).map { .success($0.members) } ?? .failure(.notInChannel)
  }

  // MARK: Messages

  private func obstacle(toSend text: String) -> RtmErrorCode? {
    if let obstacle { return obstacle }
    guard !text.isEmpty else { return .invalidArgument }
    guard text.utf8.count <= RtmLimits.messageBytes else { return .messageTooLong }
    return limits.send.takeOne(at: context.now) ? nil : .tooOften
  }

  func send(_ text: String, channel: String, _ completion: RtmCompletion?) {
    if let obstacle = obstacle(toSend: text) { completion?(obstacle); return }
    let done = done(completion)
    let late: () -> Void = { [weak self] in
      self?.onEvent(.channelMessageDelivered(text, channel: channel))
    }
    session.say(text, id: session.newName(), in: channel, late: late, done)
  }

  func send(_ text: String, peer: String, _ options: RtmSendOptions, _ completion: RtmCompletion?) {
    if let obstacle = obstacle(toSend: text) { completion?(obstacle); return }
    guard RtmLimits.isGoodId(peer) else { completion?(.invalidArgument); return }
    let done = done(completion)
    let unsettled = UnsettledNames.Message(peer: peer, text: text)
    // One that failed without an answer may have arrived: sent again it is the same, and not doubled (ACC-14).
    let id = unsettledNames.takeName(of: unsettled) ?? session.newName()
    let question = Question.send(account: peer, id: id, text: text, holds: options.enableOfflineMessaging)
    session.ask(question) { [weak self] result in
      if result.failure == .outcomeUnknown { self?.unsettledNames.keep(id, of: unsettled) }
      done(result.failure)
    }
  }

  // MARK: Attributes

  /// `replaces`: whether those that are not named go.
  func setOwn(_ changes: [String: String?], replaces: Bool, _ completion: RtmCompletion?) {
    if let obstacle { completion?(obstacle); return }
    let own = session.attributes
    let changes = replaces ? own.mapValues { _ in nil }.merging(changes) { $1 } : changes
    let after = own.merging(changes.compactMapValues { $0 }) { $1 }.filter { changes[$0.key] != .some(nil) }
    if let obstacle = RtmLimits.obstacle(after, total: RtmLimits.userAttributes) {
      completion?(obstacle); return
    }
    guard limits.set.takeOne(at: context.now) else { completion?(.tooOften); return }
    guard !changes.isEmpty else { completion?(.ok); return }
    let done = done(completion)
    session.setAttributes(changes.fields, done)
  }

  func clearOwn(_ completion: RtmCompletion?) {
    if let obstacle { completion?(obstacle); return }
    guard limits.set.takeOne(at: context.now) else { completion?(.tooOften); return }
    let done = done(completion)
    session.clearAttributes(done)
  }

  func attributes(
    _ question: Question, _ completion: @escaping (Result<[String: String], RtmErrorCode>) -> Void
  ) {
    if let obstacle { completion(.failure(obstacle)); return }
    guard limits.get.takeOne(at: context.now) else { completion(.failure(.tooOften)); return }
    session.ask(question) { result in
      completion(
        result.mapError { FaceCodes($0.code).rtm }.flatMap {
          if case .attributes(let attributes) = $0 { .success(attributes) } else { .failure(.unknown) }
        })
    }
  }

  func setChannel(
    _ channel: String, _ changes: [String: String?], _ completion: RtmCompletion?
  ) {
    if let obstacle { completion?(obstacle); return }
    guard RtmLimits.isGoodId(channel), !changes.isEmpty else { completion?(.invalidArgument); return }
    if let obstacle = RtmLimits.obstacle(changes, total: RtmLimits.channelAttributes) {
      completion?(obstacle)
      return
    }
    guard limits.set.takeOne(at: context.now) else { completion?(.tooOften); return }
    askForReceipt(.setChannelAttributes(channel: channel, AttributesSet(changes.fields)), completion)
  }

  func clearChannel(_ channel: String, _ completion: RtmCompletion?) {
    if let obstacle { completion?(obstacle); return }
    guard limits.set.takeOne(at: context.now) else { completion?(.tooOften); return }
    askForReceipt(.clearChannelAttributes(channel: channel), completion)
  }

  private func askForReceipt(_ question: Question, _ completion: RtmCompletion?) {
    let done = done(completion)
    session.ask(question) { done($0.failure) }
  }

  // MARK: Others

  func status(
    _ users: [String], _ completion: @escaping (Result<[String: Bool], RtmErrorCode>) -> Void
  ) {
    if let obstacle { completion(.failure(obstacle)); return }
    guard users.count <= RtmLimits.statusIds else { completion(.failure(.tooMany)); return }
    session.ask(.usersStatus(accounts: users)) { result in
      completion(
        result.mapError { FaceCodes($0.code).rtm }.flatMap { reply in
          guard case .users(let online, _) = reply else { return .failure(.unknown) }
          let there = Set(online)
          return .success(Dictionary(users.map { ($0, there.contains($0)) }) { first, _ in first })
        })
    }
  }

  // MARK: Invitations

  func invite(
    _ callee: String, _ content: String, _ channel: String,
    _ completion: @escaping (Result<RtmInvitation, RtmErrorCode>) -> Void
  ) {
    if let obstacle { completion(.failure(obstacle)); return }
    guard RtmLimits.isGoodId(callee) else { completion(.failure(.invalidArgument)); return }
    guard content.utf8.count <= RtmLimits.invitationBytes else {
      completion(.failure(.messageTooLong)); return
    }
    let (caller, now) = (session.account, context.now)
    session.invite(callee, to: channel, extra: content, needsPeer: false, timeout: nil) { result in
      completion(
        result.mapError { FaceCodes($0.code).rtm }.map { serial in
          RtmInvitation(
            caller: caller,
            Invitation(
              serial: serial, service: .rtm, channel: channel, callee: callee, extra: content,
              needsPeer: false, until: nil, began: now, since: now))
        })
    }
  }

  /// `caller` nil: one's own.
  func move(_ invitation: RtmInvitation, _ act: InviteAct, isOwn: Bool, _ completion: RtmCompletion?) {
    if let obstacle { completion?(obstacle); return }
    let caller = isOwn ? nil : invitation.callerId
    askForReceipt(.moveInvite(caller: caller, serial: invitation.serial, act), completion)
  }
}

extension [String: String?] {
  /// In the order of their names.
  var fields: [AttributesSet.Field] {
    sorted { $0.key < $1.key }.map { AttributesSet.Field(name: $0.key, value: $0.value) }
  }
}

extension SpaceSession {
  /// A name for a message that no other of this client has (SIG-M2): the time, and chance.
  func newName() -> String {
    let time = String(context.now.milliseconds, radix: 36)
    return time + "-" + String(UInt64(context.chance() * 0x1p53), radix: 36)
  }
}
