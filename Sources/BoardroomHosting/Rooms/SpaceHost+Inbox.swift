import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Messages from one account to another: each account's log is its mailbox (SIG-M1, SIG-M6, SIG-M7).
extension SpaceHost {
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
    ask(
      .message(message, holds: holds), of: .account(account), making: holds ? asker.payer : nil
    ) { [unowned self] answer in
      finish(asker, answer.result(missing: .failure(Refusal(.peerOffline))))
    }
  }

  private static func check(_ text: String, _ allowed: Int, _ limit: String) throws(Refusal) {
    guard text.utf8.count > allowed else { return }
    throw Refusal(.tooLarge, actual: text.utf8.count, allowed: allowed, limit: limit)
  }

  func take(
    _ message: InboxMessage, holds: Bool, at now: Timestamp, done: @escaping @Sendable (Refusal?) -> Void
  ) {
    passLogins(at: now)
    expireInbox(at: now)
    guard !isClosed else { return done(Refusal(.internalFailure)) }
    guard holds || login(of: message.service) != nil else { return done(Refusal(.peerOffline)) }
    let slot = room.state.space?.slots[message.service] ?? AccountSlot()
    // Sent again after its answer was lost (10.7): what is the same in everything is the same.
    let isRepeated = slot.inbox.contains {
      !message.id.isEmpty && ($0.from, $0.id, $0.text) == (message.from, message.id, message.text)
    }
    guard !isRepeated, !account.taken.contains(message, at: now) else { return afterward(done) }
    if let refusal = obstacle(toHolding: message) { return done(refusal) }
    var message = message
    message.version = slot.lastVersion + 1
    guard recordByServer([.inboxMessage(message)], at: now) else { return done(Refusal(.logFull)) }
    account.taken.add(message, at: now)
    afterward(done)
  }

  // MARK: Room for one more

  /// One sender has a share only while nobody takes the messages.
  private func obstacle(toHolding message: InboxMessage) -> Refusal? {
    let weight = HeldLimits.weight(of: message.from, message.id, message.text)
    return HeldLimits.mailbox.refusal(
      of: .init(from: message.from, weight: weight), beside: heldItems(countingOnly: message.service),
      isShared: !isReachable(message.service), limit: "inbox")
  }

  /// All mailboxes of this account. Weighing reads the whole text, so each is weighed once.
  private func heldItems(countingOnly service: Service) -> [HeldLimits.Item] {
    var weights: [AccountWork.MessageKey: Int] = [:]
    var items: [HeldLimits.Item] = []
    for (own, slot) in room.state.space?.slots ?? [:] {
      for held in slot.inbox {
        let key = AccountWork.MessageKey(service: own, version: held.version)
        let weight = account.weights[key] ?? HeldLimits.weight(of: held.from, held.id, held.text)
        weights[key] = weight
        items.append(.init(from: held.from, weight: weight, counts: own == service))
      }
    }
    account.weights = weights
    return items
  }

  // MARK: The end of their life

  var inboxDue: Timestamp? {
    room.state.space?.slots.values.lazy.compactMap { $0.inbox.first?.time }.min()
      .map { $0 + AccountPolicy.messageLife }
  }

  func expireInbox(at now: Timestamp) {
    for service in Service.allCases where !isClosed {
      let held = room.state.space?.slots[service]?.inbox ?? []
      guard let last = held.last(where: { $0.time + AccountPolicy.messageLife <= now }) else { continue }
      _ = recordByServer([.inboxExpired(service, last.version)], at: now)
    }
  }
}
