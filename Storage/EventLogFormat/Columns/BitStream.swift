// Bits in bytes, the lowest bit of the first byte first; the last byte is filled up with zero bits.

import EventLogModel

/// Writes bits.
struct BitWriter {
  private(set) var bytes: [UInt8]
  private var buffer: UInt64 = 0
  private var count = 0

  /// Appends to `bytes`.
  init(after bytes: [UInt8]) { self.bytes = bytes }

  /// The low `length` bits of `bits`, 0 to 64 of them; the others are zero.
  mutating func write(_ bits: UInt64, _ length: Int) {
    buffer |= bits << UInt64(count)
    let free = 64 - count
    guard length >= free else {
      count += length
      return
    }
    bytes.appendLittleEndian(buffer)
    buffer = free == 64 ? 0 : bits >> UInt64(free)
    count = length - free
  }

  /// All bytes, when nothing more is written.
  mutating func finish() -> [UInt8] {
    while count > 0 {
      bytes.append(UInt8(truncatingIfNeeded: buffer))
      buffer >>= 8
      count -= 8
    }
    return bytes
  }
}

/// Reads bits. The owner of the bytes keeps them alive while they are read.
struct BitReader {
  private let bytes: UnsafeRawBufferPointer
  private var position = 0
  /// The next bits, and how many of them are known.
  private(set) var buffer: UInt64 = 0
  private(set) var count = 0

  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  /// Reads bytes until at least 56 bits are in the buffer, or all that are left.
  @inline(__always) mutating func fill() {
    if position + 8 <= bytes.count {
      let next = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: UInt64.self))
      buffer |= next << UInt64(count)
      position += (63 - count) >> 3
      count |= 56
      return
    }
    while count <= 55, position < bytes.count {
      buffer |= UInt64(bytes[position]) << UInt64(count)
      position += 1
      count += 8
    }
  }

  /// Takes `length` bits, at most as many as `fill` has brought.
  @inline(__always) mutating func readBits(_ length: Int) throws(WireError) -> UInt64 {
    guard length <= count else { throw .truncated(at: position) }
    let mask: UInt64 = (1 << UInt64(length)) &- 1
    let bits = buffer & mask
    buffer >>= UInt64(length)
    count -= length
    return bits
  }

  /// 0 to 64 bits.
  mutating func read(_ length: Int) throws(WireError) -> UInt64 {
    fill()
    guard length > 32 else { return try readBits(length) }
    let low = try readBits(32)
    fill()
    let high = try readBits(length - 32)
    return low | high << 32
  }

  /// Throws unless only the zero bits that fill up the last byte are left.
  func expectEnd() throws(WireError) {
    let mask: UInt64 = (1 << UInt64(count)) &- 1
    guard position == bytes.count, count < 8, buffer & mask == 0 else {
      throw .trailingBytes(at: position)
    }
  }
}
