import BoardroomModel
import EventLogModel

/// How fast a channel is spoken to and changed, from inside and from outside: one count for an account wherever it
/// speaks from. Nothing of it is in the log, and all of it may be lost without harm.
struct ChannelRates: Sendable, Hashable {
  /// What a command ran into, and the bit that stands for it in `MemberLedger.dry`.
  struct Flood: Sendable {
    var refusal: Refusal
    var bit: UInt64
  }

  /// Who and what is counted: at most so many, and then those that did nothing lately are dropped. 1,024: as many accounts
  /// or attributes as a channel usually has at most.
  private static let kept = 1_024

  private var channel: SlidingWindow?
  private var senders: [String: SlidingWindow] = [:]
  private var changers: [String: SlidingWindow] = [:]
  private var attributes: [String: SlidingWindow] = [:]

  /// Every bit that a command of this kind can run into.
  static func bits(of command: SpaceCommand) -> UInt64 {
    switch command {
    case .say: command.kind.bit | MemberLedger.room
    case .setAttributes, .clearAttributes, .acknowledge: command.kind.bit
    }
  }

  /// Takes a command's share; nil if all that it needs was there. What is refused costs nobody else anything.
  mutating func pay(
    for command: SpaceCommand, by account: String, in space: SpaceState, of service: Service, ceiling: Int,
    at now: Timestamp
  ) -> Flood? {
    let limits = SpaceLimits.of(service)
    switch command {
    case .say: return payMessage(by: account, limits, in: space, ceiling, at: now)
    case .setAttributes(let set): return payChange(set, by: account, limits, in: space, at: now)
    case .clearAttributes: return Self.pay(limits.changes, account, &changers, command.kind, at: now)
    case .acknowledge: return nil
    }
  }

  private mutating func payMessage(
    by account: String, _ limits: SpaceLimits, in space: SpaceState, _ ceiling: Int, at now: Timestamp
  ) -> Flood? {
    if let flood = Self.pay(limits.messages, account, &senders, .channelMessage, at: now) { return flood }
    guard let usual = limits.channelMessages else { return nil }
    let allowed = min(space.builtIn(BuiltIn.messageLimit) ?? usual, ceiling)
    let window = SlidingWindow(allowed, in: .seconds(1))
    if channel?.count != allowed { channel = window }
    guard channel?.take(at: now) == false else { return nil }
    return Flood(refusal: Self.tooFast(window, BuiltIn.messageLimit), bit: MemberLedger.room)
  }

  /// Each attribute has its own limit; a change of several passes whole or not at all.
  private mutating func payChange(
    _ set: AttributesSet, by account: String, _ limits: SpaceLimits, in space: SpaceState, at now: Timestamp
  ) -> Flood? {
    if let flood = Self.pay(limits.changes, account, &changers, .attributesSet, at: now) { return flood }
    guard let allowed = space.builtIn(BuiltIn.attributeLimit), allowed > 0 else { return nil }
    let window = SlidingWindow(allowed, in: .seconds(1))
    let before = attributes
    for field in set.fields where !Self.take(window, field.name, &attributes, at: now) {
      attributes = before
      return Flood(refusal: Self.tooFast(window, BuiltIn.attributeLimit), bit: EventKind.attributesSet.bit)
    }
    return nil
  }

  private static func pay(
    _ window: SlidingWindow?, _ key: String, _ windows: inout [String: SlidingWindow], _ kind: EventKind,
    at now: Timestamp
  ) -> Flood? {
    guard let window, !take(window, key, &windows, at: now) else { return nil }
    return Flood(refusal: tooFast(window, LimitName.rate(of: kind)), bit: kind.bit)
  }

  /// `window`: what is allowed; one with another limit begins anew.
  private static func take(
    _ window: SlidingWindow, _ key: String, _ windows: inout [String: SlidingWindow], at now: Timestamp
  ) -> Bool {
    if windows[key]?.allows(asMuchAs: window) != true {
      if windows.count >= kept { windows = windows.filter { !$0.value.isFull(at: now) } }
      windows[key] = window
    }
    return windows[key]?.take(at: now) ?? true
  }

  private static func tooFast(_ window: SlidingWindow, _ limit: String) -> Refusal {
    Refusal(.rateLimited, actual: window.count + 1, allowed: window.count, limit: limit)
  }
}
