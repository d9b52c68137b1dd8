import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// Messages from one account to another: each account's log is its mailbox (SIG-M1, SIG-M6, SIG-M7).
extension RoomHost {
  func send(
    _ text: String, as id: String, to account: String, holds: Bool, _ asker: Asker
  ) throws(Refusal) {
    try SpaceNameRule.checkAccount(account, of: asker.service)
    let limit = SpaceLimits.of(asker.service).text
    guard text.utf8.count <= limit else {
      throw Refusal(.tooLarge, actual: text.utf8.count, allowed: limit, limit: LimitName.text)
    }
    // Its version is given by the receiver.
    let message = InboxMessage(
      version: 0, service: asker.service, from: asker.account, id: id, text: text)
    reach(.account(account), making: holds) { (home, done: @escaping @Sendable (Refusal?) -> Void) in
      home.take(message, holds: holds, at: home.clock(), done: done)
    } then: { [unowned self] result in
      switch result {
      case .success(nil): finish(asker, .success(.done))
      case .success(let refusal?): finish(asker, .failure(refusal))
      case .failure(let refusal) where refusal.code == .notFound:
        finish(asker, .failure(Refusal(.peerOffline)))
      case .failure(let refusal): finish(asker, .failure(refusal))
      }
    }
  }

  private func take(
    _ message: InboxMessage, holds: Bool, at now: Timestamp, done: @escaping @Sendable (Refusal?) -> Void
  ) {
    passLogins(at: now)
    expireInbox(at: now)
    guard !isClosed else { return done(Refusal(.internalFailure)) }
    guard holds || login(of: message.service) != nil else { return done(Refusal(.peerOffline)) }
    let slot = room.state.space?.slots[message.service] ?? AccountSlot()
    guard slot.inbox.count < AccountPolicy.heldMessages else {
      return done(
        Refusal(
          .tooMany, cause: "The other account's mailbox is full.", cure: "Wait until it has been read.",
          actual: slot.inbox.count + 1, allowed: AccountPolicy.heldMessages, limit: "inbox"))
    }
    var message = message
    message.version = slot.lastVersion + 1
    guard recordByServer([.inboxMessage(message)], at: now) else { return done(Refusal(.logFull)) }
    afterward(done)
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
