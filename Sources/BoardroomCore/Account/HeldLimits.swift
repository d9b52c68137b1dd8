import BoardroomModel

/// How much an account holds of what others sent to it: counts and bytes, and a share of each that one sender has while
/// nobody is there to take it. What one sender has beyond its share takes nobody else's place.
public struct HeldLimits: Sendable, Hashable {
  public var count: Int
  public var bytes: Int
  /// Of one sender's, while nobody is there.
  public var shareCount: Int
  public var shareBytes: Int

  /// ACC-14: the count of one service's mailbox, the bytes of all of the account.
  public static let mailbox = HeldLimits(
    count: AccountPolicy.heldMessages, bytes: AccountPolicy.heldBytes,
    shareCount: AccountPolicy.heldMessages / AccountPolicy.shares,
    shareBytes: AccountPolicy.heldBytes / AccountPolicy.shares)
  /// INV-5: calls that are not answered.
  public static let calls = HeldLimits(
    count: AccountPolicy.openInvitations, bytes: AccountPolicy.heldBytes,
    shareCount: AccountPolicy.callsOfOneCaller,
    shareBytes: AccountPolicy.heldBytes / AccountPolicy.shares)

  /// Something that is held, or is to be.
  public struct Item: Sendable {
    public var from: String
    /// Bytes in the snapshot.
    public var weight: Int
    /// Whether it takes a place of the count; what does not takes bytes only.
    public var counts: Bool

    public init(from: String, weight: Int, counts: Bool = true) {
      self.from = from
      self.weight = weight
      self.counts = counts
    }
  }

  /// Why one more cannot be held; nil if it can. `isShared`: nobody is there to take it.
  public func refusal(of new: Item, beside held: [Item], isShared: Bool, limit: String) -> Refusal? {
    var sums: [String: (count: Int, bytes: Int)] = [:]
    for item in held + [new] {
      let sum = sums[item.from] ?? (0, 0)
      sums[item.from] = (sum.count + (item.counts ? 1 : 0), sum.bytes + item.weight)
    }
    let own = sums[new.from] ?? (0, 0)
    let counted = sums.values.reduce(0) { $0 + min($1.count, shareCount) }
    let weighed = sums.values.reduce(0) { $0 + min($1.bytes, shareBytes) }
    let (mostOwn, mostBytes) = isShared ? (shareCount, shareBytes) : (count, bytes)
    for (actual, allowed) in [(own.count, mostOwn), (counted, count)] where actual > allowed {
      return Self.full(actual, allowed, limit)
    }
    for (actual, allowed) in [(own.bytes, mostBytes), (weighed, bytes)] where actual > allowed {
      return Self.full(actual, allowed, limit + ".bytes")
    }
    return nil
  }

  private static func full(_ actual: Int, _ allowed: Int, _ limit: String) -> Refusal {
    Refusal(
      .tooMany, cause: "The other account holds as much as it may, or as much of yours.",
      cure: "Wait until it has been read.", actual: actual, allowed: allowed, limit: limit)
  }

  /// Bytes that a held text takes in a snapshot: as JSON writes it, with what stands around it.
  public static func weight(of texts: String...) -> Int {
    // Numbers, names of fields and signs: less than 128 bytes.
    texts.reduce(128) { $0 + quoted($1) }
  }

  private static func quoted(_ text: String) -> Int {
    text.utf8.reduce(0) { sum, byte in
      switch byte {
      case 0..<0x20: sum + 6
      case UInt8(ascii: "\""), UInt8(ascii: "\\"): sum + 2
      default: sum + 1
      }
    }
  }
}
