/// Compresses bytes as gzip (RFC 1952), with one block of fixed codes (RFC 1951, 3.2.6). It is written here
/// because only the page is packed, once: a better packer would save some percent, which is no reason for a
/// package.
enum Gzip {
  static func pack(_ bytes: [UInt8]) -> [UInt8] {
    var out: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 0xFF]
    var deflate = Deflate(bytes)
    out += deflate.run()
    for value in [checksum(bytes), UInt32(truncatingIfNeeded: bytes.count)] {
      for shift in stride(from: 0 as UInt32, to: 32, by: 8) {
        out.append(UInt8(truncatingIfNeeded: value >> shift))
      }
    }
    return out
  }

  private static let table: [UInt32] = (0..<256).map { number in
    (0..<8).reduce(UInt32(number)) { sum, _ in sum & 1 == 1 ? 0xEDB8_8320 ^ (sum >> 1) : sum >> 1 }
  }

  /// CRC-32, the checksum of gzip.
  static func checksum(_ bytes: [UInt8]) -> UInt32 {
    ~bytes.reduce(~0 as UInt32) { sum, byte in table[Int(UInt8(truncatingIfNeeded: sum) ^ byte)] ^ (sum >> 8)
    }
  }
}

/// One block: literals, and pairs of a length and a distance for what has been there before.
private struct Deflate {
  /// The longest distance.
  static let window = 32_768
  static let lengths = 3...258
  /// How many earlier places are looked at. 64: twice as many win less than a percent.
  static let patience = 64

  private let bytes: [UInt8]
  private var bits = DeflateBits()
  /// The newest place of each hash of three bytes, and for each place the one before it; -1: none.
  private var newest = [Int](repeating: -1, count: 1 << 15)
  private var earlier: [Int]

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    earlier = [Int](repeating: -1, count: bytes.count)
  }

  mutating func run() -> [UInt8] {
    // The last block, with fixed codes.
    bits.put(0b011, 3)
    var at = 0
    while at < bytes.count {
      let (length, distance) = best(at)
      if length >= Self.lengths.lowerBound {
        putPair(length, distance)
      } else {
        putSymbol(Int(bytes[at]))
      }
      for place in at..<at + max(length, 1) { remember(place) }
      at += max(length, 1)
    }
    putSymbol(256)
    return bits.end()
  }

  private func hash(_ place: Int) -> Int {
    let three = UInt32(bytes[place]) << 16 | UInt32(bytes[place + 1]) << 8 | UInt32(bytes[place + 2])
    return Int((three &* 2_654_435_761) >> 17)
  }

  private mutating func remember(_ place: Int) {
    guard place + 2 < bytes.count else { return }
    let hash = hash(place)
    earlier[place] = newest[hash]
    newest[hash] = place
  }

  /// The longest match of the bytes from `at` on with earlier bytes; length 0 if there is none.
  private func best(_ at: Int) -> (length: Int, distance: Int) {
    guard at + 2 < bytes.count else { return (0, 0) }
    var (length, distance) = (0, 0)
    var place = newest[hash(at)]
    var tries = Self.patience
    while place >= 0, at - place <= Self.window, tries > 0 {
      let found = common(place, at)
      if found > length { (length, distance) = (found, at - place) }
      place = earlier[place]
      tries -= 1
    }
    return length >= Self.lengths.lowerBound ? (length, distance) : (0, 0)
  }

  private func common(_ one: Int, _ other: Int) -> Int {
    let most = min(Self.lengths.upperBound, bytes.count - other)
    var count = 0
    while count < most, bytes[one + count] == bytes[other + count] { count += 1 }
    return count
  }

  // MARK: Codes

  private mutating func putSymbol(_ symbol: Int) {
    switch symbol {
    case ..<144: bits.putCode(0x30 + symbol, 8)
    case ..<256: bits.putCode(0x190 + symbol - 144, 9)
    case ..<280: bits.putCode(symbol - 256, 7)
    default: bits.putCode(0xC0 + symbol - 280, 8)
    }
  }

  private mutating func putPair(_ length: Int, _ distance: Int) {
    if length == Self.lengths.upperBound {
      putSymbol(285)
    } else {
      let (code, extra, rest) = Self.split(length - 3, plain: 8, step: 4)
      putSymbol(257 + code)
      bits.put(rest, extra)
    }
    let (code, extra, rest) = Self.split(distance - 1, plain: 4, step: 2)
    bits.putCode(code, 5)
    bits.put(rest, extra)
  }

  /// The tables of RFC 1951, 3.2.5 as what they are: the first `plain` values have codes of their own, then each
  /// doubling has `step` codes, and more and more bits that say which value of a code is meant.
  static func split(_ value: Int, plain: Int, step: Int) -> (code: Int, extra: Int, rest: Int) {
    guard value >= plain else { return (value, 0, 0) }
    let high = Int.bitWidth - 1 - value.leadingZeroBitCount
    let extra = high - step.trailingZeroBitCount
    let code = (value >> extra) - step + step * (extra + 1)
    return (code, extra, value & ((1 << extra) - 1))
  }
}

/// Bits from the lowest of each byte on.
private struct DeflateBits {
  private var bytes: [UInt8] = []
  private var held: UInt64 = 0
  private var count = 0

  mutating func put(_ value: Int, _ width: Int) {
    held |= UInt64(value) << UInt64(count)
    count += width
    while count >= 8 {
      bytes.append(UInt8(truncatingIfNeeded: held))
      held >>= 8
      count -= 8
    }
  }

  /// A code begins with its highest bit.
  mutating func putCode(_ code: Int, _ width: Int) {
    var turned = 0
    for bit in 0..<width where code >> bit & 1 == 1 { turned |= 1 << (width - 1 - bit) }
    put(turned, width)
  }

  mutating func end() -> [UInt8] {
    if count > 0 { put(0, 8 - count) }
    return bytes
  }
}
