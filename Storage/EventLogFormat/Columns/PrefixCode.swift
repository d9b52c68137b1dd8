// A prefix code over 256 symbols: the usual ones get short codes (Huffman, canonical, at most 11 bits).
//
//   code    = u8 last symbol | the lengths of the symbols 0 to the last, in half bytes, the low half first
//   length  = 1 to 11 bits; 0: the symbol does not occur
//             12 | r: 3 + r symbols that do not occur; 13 | low | high: 19 + low + 16 * high of them
//
// A last half byte that is not used is 0. Codes are given in order of length and symbol, as RFC 1951 (section 3.2.2) gives
// them, and their first bit is written first. The lengths fill the code exactly; but where only one symbol occurs it has
// length 1 in the table and takes no bits.

import EventLogModel

/// A code, given by the lengths of its symbols.
struct PrefixCode {
  static let mostBits = 11
  static let symbols = 256

  /// Bits of each symbol; 0 where it does not occur.
  let lengths: [UInt8]

  /// The shortest code for symbols that occur so often. One of them occurs at least once.
  init(counts: some Collection<UInt32>) {
    let used = counts.enumerated().filter { $0.element > 0 }.map {
      (weight: Int($0.element), symbol: $0.offset)
    }
    .sorted { ($0.weight, $0.symbol) < ($1.weight, $1.symbol) }
    var lengths = [UInt8](repeating: 0, count: Self.symbols)
    if used.count == 1 {
      lengths[used[0].symbol] = 1
    } else {
      var symbols = used[...]
      for (length, count) in Self.limited(Self.depths(used.map(\.weight))).enumerated().reversed() {
        for _ in 0..<count { lengths[symbols.removeFirst().symbol] = UInt8(length) }
      }
    }
    self.lengths = lengths
  }

  /// How many symbols have each depth in the tree of Huffman, for weights in rising order.
  private static func depths(_ leaves: [Int]) -> [Int] {
    var weights = leaves
    var parents = [Int](repeating: 0, count: 2 * leaves.count - 1)
    var (leaf, inner) = (0, leaves.count)
    func smallest() -> Int {
      if leaf < leaves.count, inner >= weights.count || weights[leaf] <= weights[inner] {
        leaf += 1
        return leaf - 1
      }
      inner += 1
      return inner - 1
    }
    while weights.count < parents.count {
      let (first, second) = (smallest(), smallest())
      parents[first] = weights.count
      parents[second] = weights.count
      weights.append(weights[first] + weights[second])
    }
    var depths = [Int](repeating: 0, count: parents.count)
    var counts = [Int](repeating: 0, count: max(leaves.count, mostBits + 1))
    for node in (0..<parents.count - 1).reversed() {
      depths[node] = depths[parents[node]] + 1
      if node < leaves.count { counts[depths[node]] += 1 }
    }
    return counts
  }

  /// The same with no depth above the limit: longer codes are shortened, and shorter ones are lengthened in
  /// exchange.
  private static func limited(_ depths: [Int]) -> [Int] {
    var counts = Array(depths[...mostBits])
    counts[mostBits] += depths[(mostBits + 1)...].reduce(0, +)
    var room = counts.enumerated().reduce(0) { $0 + $1.element << (mostBits - $1.offset) }
    // Depth 0 means no code.
    while room > 1 << mostBits {
      let length = (1..<mostBits).last(where: { counts[$0] > 0 })!
      counts[mostBits] -= 1
      counts[length] -= 1
      counts[length + 1] += 2
      room -= 1
    }
    return counts
  }

  /// Each symbol's code, its first bit lowest.
  var codes: [UInt16] {
    var codes = [UInt16](repeating: 0, count: Self.symbols)
    var next: UInt16 = 0
    for length in 1...Self.mostBits {
      next <<= 1
      for symbol in 0..<Self.symbols where Int(lengths[symbol]) == length {
        codes[symbol] = next.reversed(length)
        next += 1
      }
    }
    return codes
  }

  /// Whether one symbol only occurs, which then takes no bits.
  var isSingle: Bool { lengths.reduce(0) { $0 + ($1 > 0 ? 1 : 0) } == 1 }
}

extension UInt16 {
  fileprivate func reversed(_ length: Int) -> UInt16 {
    var (rest, result) = (self, UInt16(0))
    for _ in 0..<length {
      result = result << 1 | rest & 1
      rest >>= 1
    }
    return result
  }
}

// MARK: The table of lengths as bytes

extension PrefixCode {
  private static let shortRun: UInt8 = 12
  private static let longRun: UInt8 = 13

  /// Appends the code.
  func append(to bytes: inout [UInt8]) {
    let last = lengths.lastIndex(where: { $0 > 0 })!
    bytes.append(UInt8(last))
    var halves: [UInt8] = []
    var symbol = 0
    while symbol <= last {
      let zeros = lengths[symbol...].prefix { $0 == 0 }.count
      if zeros >= 19 {
        let more = zeros - 19
        halves += [Self.longRun, UInt8(more & 15), UInt8(more >> 4)]
      } else if zeros >= 3 {
        // The longest of the short runs has 18.
        halves += [Self.shortRun, UInt8(zeros - 3)]
      } else {
        halves.append(lengths[symbol])
      }
      symbol += zeros >= 3 ? zeros : 1
    }
    for index in stride(from: 0, to: halves.count, by: 2) {
      bytes.append(halves[index] | (index + 1 < halves.count ? halves[index + 1] << 4 : 0))
    }
  }

  /// Reads a code; throws unless its lengths fill it exactly.
  init(reading reader: inout ByteReader) throws(WireError) {
    let start = reader.position
    let last = Int(try reader.byte())
    var lengths = [UInt8](repeating: 0, count: Self.symbols)
    var (symbol, held) = (0, UInt8?.none)
    func half(_ reader: inout ByteReader) throws(WireError) -> UInt8 {
      if let value = held {
        held = nil
        return value
      }
      let byte = try reader.byte()
      held = byte >> 4
      return byte & 15
    }
    while symbol <= last {
      let value = try half(&reader)
      switch value {
      case 0: symbol += 1
      case 1...UInt8(Self.mostBits):
        lengths[symbol] = value
        symbol += 1
      case Self.shortRun:
        let more = try half(&reader)
        symbol += 3 + Int(more)
      case Self.longRun:
        let (low, high) = (try half(&reader), try half(&reader))
        symbol += 19 + Int(low) + 16 * Int(high)
      default: throw .badField("length of a code", at: reader.position)
      }
    }
    guard symbol == last + 1, held ?? 0 == 0, lengths[last] > 0, Self.isWhole(lengths) else {
      throw .badField("code", at: start)
    }
    self.lengths = lengths
  }

  private static func isWhole(_ lengths: [UInt8]) -> Bool {
    var (room, used) = (0, 0)
    for length in lengths where length > 0 {
      room += 1 << (mostBits - Int(length))
      used += 1
    }
    return room == 1 << mostBits || used == 1 && room == 1 << (mostBits - 1)
  }
}

/// Finds the symbols of up to eight codes by the next bits.
struct PrefixTable {
  private static let size = 1 << PrefixCode.mostBits
  /// In the low half byte no length: this code does not occur.
  private static let none: UInt16 = 15
  /// Symbol << 4 | length, for each code and each next `mostBits` bits.
  private let entries: UnsafeMutableBufferPointer<UInt16>

  /// The owner of the table keeps the memory alive.
  init(codes count: Int, in memory: UnpackedMemory) {
    entries = memory.numbers(count * Self.size, of: Self.none)
  }

  func set(_ code: PrefixCode, at index: Int) {
    let (codes, isSingle) = (code.codes, code.isSingle)
    for (symbol, length) in code.lengths.enumerated() where length > 0 {
      let bits = isSingle ? 0 : Int(length)
      let entry = UInt16(symbol) << 4 | UInt16(bits)
      for place in stride(from: isSingle ? 0 : Int(codes[symbol]), to: Self.size, by: 1 << bits) {
        entries[index * Self.size + place] = entry
      }
    }
  }

  /// The next symbol by the code at `index`. The bits are filled.
  @inline(__always) func symbol(_ index: Int, _ bits: inout BitReader) throws(WireError) -> UInt8 {
    let entry = entries[index * Self.size + Int(bits.buffer & UInt64(Self.size - 1))]
    guard entry & 15 != Self.none else { throw .badField("class of a column", at: 0) }
    _ = try bits.readBits(Int(entry & 15))
    return UInt8(truncatingIfNeeded: entry >> 4)
  }
}

/// A value as a symbol and some bits besides: 0 to 15 are symbols themselves; above, the symbol has the value's length and the
/// two bits after its highest, and the bits below those follow.
enum Bucket {
  @inline(__always) static func symbol(of value: UInt64) -> Int {
    guard value >= 16 else { return Int(truncatingIfNeeded: value) }
    let top = 63 - value.leadingZeroBitCount
    return 16 + (top - 4) << 2 + Int(truncatingIfNeeded: value >> UInt64(top - 2)) & 3
  }

  /// How many bits follow a symbol: 0 to 61.
  @inline(__always) static func bits(after symbol: Int) -> Int { symbol < 16 ? 0 : (symbol - 16) >> 2 + 2 }

  /// The smallest value of a symbol.
  @inline(__always) static func base(_ symbol: Int) -> UInt64 {
    guard symbol >= 16 else { return UInt64(symbol) }
    return UInt64(4 + (symbol - 16) & 3) << UInt64((symbol - 16) >> 2 + 2)
  }
}
