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

  /// A bucket with the limit that it was made by: with another limit it is made anew.
  private struct Limited: Sendable, Hashable {
    let rate: RoomPolicy.Rate
    var bucket: TokenBucket

    init(_ rate: RoomPolicy.Rate, at now: Timestamp) {
      self.rate = rate
      bucket = TokenBucket(rate, at: now)
    }
  }

  /// Who and what has a bucket: at most so many, and then those that are full are dropped. 1,024: as many accounts
  /// or attributes as a channel usually has at most.
  private static let kept = 1_024

  private var channel: Limited?
  private var senders: [String: Limited] = [:]
  private var changers: [String: Limited] = [:]
  private var attributes: [String: Limited] = [:]

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
    let rate = RoomPolicy.Rate(sustained: allowed, burst: allowed)
    if channel?.rate != rate { channel = Limited(rate, at: now) }
    guard channel?.bucket.take(at: now) == false else { return nil }
    return Flood(refusal: Self.tooFast(rate, BuiltIn.messageLimit), bit: MemberLedger.room)
  }

  /// Each attribute has its own limit; a change of several passes whole or not at all.
  private mutating func payChange(
    _ set: AttributesSet, by account: String, _ limits: SpaceLimits, in space: SpaceState, at now: Timestamp
  ) -> Flood? {
    if let flood = Self.pay(limits.changes, account, &changers, .attributesSet, at: now) { return flood }
    guard let allowed = space.builtIn(BuiltIn.attributeLimit), allowed > 0 else { return nil }
    let rate = RoomPolicy.Rate(sustained: allowed, burst: allowed)
    let before = attributes
    for field in set.fields where !Self.take(rate, field.name, &attributes, at: now) {
      attributes = before
      return Flood(refusal: Self.tooFast(rate, BuiltIn.attributeLimit), bit: EventKind.attributesSet.bit)
    }
    return nil
  }

  private static func pay(
    _ rate: RoomPolicy.Rate?, _ key: String, _ buckets: inout [String: Limited], _ kind: EventKind,
    at now: Timestamp
  ) -> Flood? {
    guard let rate, !take(rate, key, &buckets, at: now) else { return nil }
    return Flood(refusal: tooFast(rate, LimitName.rate(of: kind)), bit: kind.bit)
  }

  private static func take(
    _ rate: RoomPolicy.Rate, _ key: String, _ buckets: inout [String: Limited], at now: Timestamp
  ) -> Bool {
    if buckets[key]?.rate != rate {
      if buckets.count >= kept { buckets = buckets.filter { !$0.value.bucket.isFull(at: now) } }
      buckets[key] = Limited(rate, at: now)
    }
    return buckets[key]?.bucket.take(at: now) ?? true
  }

  private static func tooFast(_ rate: RoomPolicy.Rate, _ limit: String) -> Refusal {
    Refusal(.rateLimited, actual: rate.burst + 1, allowed: rate.burst, limit: limit)
  }
}
