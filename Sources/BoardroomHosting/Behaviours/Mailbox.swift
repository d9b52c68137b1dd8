import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel

/// The messages that others have sent to an account: its log is its mailbox (SIG-M1, SIG-M6, SIG-M7).
final class Mailbox {
  private struct MessageKey: Hashable {
    var service: Service
    var version: UInt64
  }

  private unowned let account: AccountBehaviour
  /// Bytes of held messages in the snapshot. Weighing reads the whole text, so each is weighed once.
  private var weights: [MessageKey: Int] = [:]
  private var taken = TakenMessages()

  init(of account: AccountBehaviour) { self.account = account }

  private var host: SpaceHost { account.host }

  func receive(
    _ message: InboxMessage, holds: Bool, noting number: QuestionApplied?, at now: Timestamp,
    done: @escaping @Sendable (Refusal?) -> Void
  ) {
    account.passLogins(at: now)
    expire(at: now)
    if let refusal = host.refusal { return done(refusal) }
    guard holds || account.login(of: message.service) != nil else { return done(Refusal(.peerOffline)) }
    let slot = account.space?.slots[message.service] ?? AccountSlot()
    // Sent again after its answer was lost (10.7): what is the same in everything is the same.
    let isRepeated = slot.inbox.contains {
      !message.id.isEmpty && ($0.from, $0.id, $0.text) == (message.from, message.id, message.text)
    }
    guard !isRepeated, !taken.contains(message, at: now) else { return host.afterward(done) }
    if let refusal = obstacle(toHolding: message) { return done(refusal) }
    var message = message
    message.version = slot.lastVersion + 1
    do throws(Refusal) {
      try host.recordByServer([.inboxMessage(message)], noting: number, at: now)
    } catch { return done(error) }
    taken.add(message, at: now)
    host.afterward(done)
  }

  // MARK: Room for one more

  /// One sender has a share only while nobody takes the messages.
  private func obstacle(toHolding message: InboxMessage) -> Refusal? {
    let weight = HeldLimits.weight(of: message.from, message.id, message.text)
    return HeldLimits.mailbox.refusal(
      of: .init(from: message.from, weight: weight), beside: heldItems(countingOnly: message.service),
      isShared: !account.isReachable(message.service), limit: "inbox")
  }

  /// All mailboxes of this account.
  private func heldItems(countingOnly service: Service) -> [HeldLimits.Item] {
    var weights: [MessageKey: Int] = [:]
    var items: [HeldLimits.Item] = []
    for (own, slot) in account.space?.slots ?? [:] {
      for held in slot.inbox {
        let key = MessageKey(service: own, version: held.version)
        let weight = self.weights[key] ?? HeldLimits.weight(of: held.from, held.id, held.text)
        weights[key] = weight
        items.append(.init(from: held.from, weight: weight, counts: own == service))
      }
    }
    self.weights = weights
    return items
  }

  // MARK: The end of their life

  var nextDue: Timestamp? {
    account.space?.slots.values.lazy.compactMap { $0.inbox.first?.time }.min()
      .map { $0 + AccountPolicy.messageLife }
  }

  func expire(at now: Timestamp) {
    for service in Service.allCases where !host.isClosed {
      let held = account.space?.slots[service]?.inbox ?? []
      guard let last = held.last(where: { $0.time + AccountPolicy.messageLife <= now }) else { continue }
      try? host.recordByServer([.inboxExpired(service, last.version)], at: now)
    }
  }
}
