// Integers of variable length, as every format of this repository writes them.
//
// `uv`: unsigned LEB128, seven bits a byte, least significant first, the top bit says that more follow.
// `zz`: a signed integer as `uv` of its zig-zag form (0, -1, 1, -2 … become 0, 1, 2, 3 …).
// Only the shortest form is accepted, so that bytes → value → bytes is the identity.

/// Why bytes could not be read.
public enum WireError: Error, Sendable, Hashable {
  /// The bytes end inside a field.
  case truncated(at: Int)
  /// An integer is longer than it needs to be, or than 64 bits.
  case overlongInteger(at: Int)
  /// A length, count or flag is outside what the format allows.
  case badField(String, at: Int)
  /// Bytes are left over after the last field.
  case trailingBytes(at: Int)
}

extension [UInt8] {
  @inlinable public mutating func appendVarint(_ value: UInt64) {
    var rest = value
    while rest >= 0x80 {
      append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    append(UInt8(truncatingIfNeeded: rest))
  }

  @inlinable public mutating func appendZigzag(_ value: Int64) {
    appendVarint(zigzag(value))
  }

  @inlinable public mutating func appendLittleEndian<Value: FixedWidthInteger>(_ value: Value) {
    Swift.withUnsafeBytes(of: value.littleEndian) { append(contentsOf: $0) }
  }
}

@inlinable public func zigzag(_ value: Int64) -> UInt64 {
  UInt64(bitPattern: (value << 1) ^ (value >> 63))
}

@inlinable public func unzigzag(_ value: UInt64) -> Int64 {
  Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
}

/// How many bytes `uv` takes for `value`: 1 to 10.
@inlinable public func varintLength(_ value: UInt64) -> Int {
  value == 0 ? 1 : (70 - value.leadingZeroBitCount) / 7
}

/// Reads fields from bytes, in order. Every method throws `WireError`; a failed read may leave the position
/// anywhere in the failed field. The owner of the bytes keeps them alive while it reads.
public struct ByteReader {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  /// Index of the next byte.
  public var position: Int

  @inlinable public init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
    self.bytes = bytes
    self.position = position
  }

  @inlinable public var remaining: Int { bytes.count - position }
  @inlinable public var isAtEnd: Bool { position >= bytes.count }

  @inlinable public mutating func byte() throws(WireError) -> UInt8 {
    guard position < bytes.count else { throw .truncated(at: position) }
    defer { position += 1 }
    return bytes[position]
  }

  @inlinable public mutating func varint() throws(WireError) -> UInt64 {
    guard position < bytes.count else { throw .truncated(at: position) }
    let first = bytes[position]
    if first < 0x80 {
      position += 1
      return UInt64(first)
    }
    return try longVarint()
  }

  @usableFromInline mutating func longVarint() throws(WireError) -> UInt64 {
    var value: UInt64 = 0
    var shift: UInt64 = 0
    while true {
      let byte = try byte()
      if shift == 63, byte > 1 { throw .overlongInteger(at: position - 1) }
      value |= UInt64(byte & 0x7f) << shift
      if byte < 0x80 {
        if byte == 0, shift > 0 { throw .overlongInteger(at: position - 1) }
        return value
      }
      shift += 7
    }
  }

  @inlinable public mutating func zigzag() throws(WireError) -> Int64 {
    unzigzag(try varint())
  }

  /// A `uv` that must fit an Int and not exceed `limit`; `name` goes into the error.
  @inlinable public mutating func count(
    _ name: StaticString, limit: Int
  ) throws(WireError) -> Int {
    let at = position
    let value = try varint()
    guard value <= UInt64(limit) else { throw .badField(name.description, at: at) }
    return Int(value)
  }

  @inlinable public mutating func littleEndian<Value: FixedWidthInteger>(
    _ type: Value.Type = Value.self
  ) throws(WireError) -> Value {
    let size = MemoryLayout<Value>.size
    guard remaining >= size else { throw .truncated(at: position) }
    defer { position += size }
    return Value(littleEndian: bytes.loadUnaligned(fromByteOffset: position, as: Value.self))
  }

  /// The next `count` bytes, not copied.
  @inlinable public mutating func readBytes(_ count: Int) throws(WireError) -> UnsafeRawBufferPointer {
    guard count >= 0, remaining >= count else { throw .truncated(at: position) }
    defer { position += count }
    return UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
  }

  @inlinable public func expectEnd() throws(WireError) {
    guard isAtEnd else { throw .trailingBytes(at: position) }
  }
}
