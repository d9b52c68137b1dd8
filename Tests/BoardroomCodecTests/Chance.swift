/// SplitMix64: the same numbers from the same seed, everywhere.
struct Chance: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }

  mutating func next() -> UInt64 {
    state &+= 0x9e37_79b9_7f4a_7c15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
    return mixed ^ (mixed >> 31)
  }

  mutating func upTo(_ limit: Int) -> Int { Int.random(in: 0...limit, using: &self) }
  mutating func coin() -> Bool { Bool.random(using: &self) }
  mutating func pick<Items: Collection>(_ items: Items) -> Items.Element {
    items.randomElement(using: &self)!
  }

  /// A number of any magnitude up to `limit`: small ones as often as large ones.
  mutating func number(upTo limit: UInt64) -> UInt64 {
    let bits = UInt64(upTo(64))
    let mask = bits == 64 ? UInt64.max : (1 << bits) - 1
    return min(next() & mask, limit)
  }

  mutating func signed(within limit: Int64) -> Int64 {
    let magnitude = Int64(number(upTo: UInt64(limit)))
    return coin() ? magnitude : -magnitude
  }

  /// A few bytes changed, removed or put in.
  mutating func mutate(_ bytes: [UInt8]) -> [UInt8] {
    var bytes = bytes
    for _ in 0...upTo(3) {
      let at = bytes.isEmpty ? 0 : upTo(bytes.count - 1)
      switch upTo(4) {
      case 0 where !bytes.isEmpty: bytes[at] = UInt8.random(in: 0...255, using: &self)
      case 1 where !bytes.isEmpty: bytes.remove(at: at)
      case 2 where !bytes.isEmpty: bytes.removeLast(upTo(min(bytes.count, 8)))
      case 3 where !bytes.isEmpty: bytes[at] ^= 1 << UInt8(upTo(7))
      default: bytes.insert(pick([0x22, 0x5c, 0x7b, 0x5d, 0x2c, 0x80, 0xff, 0x30, 0x00]), at: at)
      }
    }
    return bytes
  }
}
