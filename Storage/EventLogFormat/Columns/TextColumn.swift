// The one column of bytes: bodies that no shape takes apart, and the rests of those that one does, one after the other.
//
//   coding  = u8: 0 none; 1 plain; 2 LZ4; 3 code; 4 code of LZ4
//   bytes   = 1  the bytes
//             2  uv length unpacked | LZ4 block
//             3  uv length unpacked | code | bits
//             4  uv length unpacked | uv length of the LZ4 block | code | bits: the block
//
// Here a symbol of the code is a byte, and nothing follows it.

import EventLogModel

/// Writes and reads the column of bytes.
enum TextColumn {
  enum TextCoding: UInt8 { case none = 0, plain, packed, code, codedPacked }

  /// The shortest way to write `bytes`.
  static func encoded(_ bytes: [UInt8]) -> (coding: TextCoding, bytes: [UInt8]) {
    guard !bytes.isEmpty else { return (.none, []) }
    var length: [UInt8] = []
    length.appendVarint(UInt64(bytes.count))
    var ways: [(coding: TextCoding, bytes: [UInt8])] = [
      (.plain, bytes), (.code, coded(bytes, after: length)),
    ]
    if let block = LZ4.compressWell(bytes) {
      ways.append((.packed, length + block))
      var lengths = length
      lengths.appendVarint(UInt64(block.count))
      ways.append((.codedPacked, coded(block, after: lengths)))
    }
    return ways.min { $0.bytes.count < $1.bytes.count }!
  }

  private static func coded(_ bytes: [UInt8], after head: [UInt8]) -> [UInt8] {
    var counts = [UInt32](repeating: 0, count: PrefixCode.symbols)
    for byte in bytes { counts[Int(byte)] += 1 }
    let code = PrefixCode(counts: counts)
    var table = head
    code.append(to: &table)
    guard !code.isSingle else { return table }
    let codes = code.codes
    var writer = BitWriter(after: table)
    for byte in bytes { writer.write(UInt64(codes[Int(byte)]), Int(code.lengths[Int(byte)])) }
    return writer.finish()
  }

  /// - Parameter limit: bytes at most.
  static func decode(
    _ coding: UInt8, _ bytes: UnsafeRawBufferPointer, limit: Int
  ) throws(WireError) -> [UInt8] {
    guard let coding = TextCoding(rawValue: coding) else { throw .badField("coding of the bytes", at: 0) }
    var reader = ByteReader(bytes)
    switch coding {
    case .none:
      try reader.expectEnd()
      return []
    case .plain:
      guard bytes.count <= limit else { throw .badField("length of the bytes", at: 0) }
      return Array(bytes)
    case .packed:
      let count = try reader.count("length of the bytes", limit: limit)
      return try LZ4.decompress(try reader.readBytes(reader.remaining), count: count)
    case .code:
      let count = try reader.count("length of the bytes", limit: limit)
      return try coded(&reader, count: count)
    case .codedPacked:
      let count = try reader.count("length of the bytes", limit: limit)
      // A block that is longer than what it holds is not written.
      let length = try reader.count("length of a block", limit: count)
      let block = try coded(&reader, count: length)
      return try block.withUnsafeBufferPointer { block throws(WireError) in
        try LZ4.decompress(UnsafeRawBufferPointer(block), count: count)
      }
    }
  }

  private static func coded(_ reader: inout ByteReader, count: Int) throws(WireError) -> [UInt8] {
    let memory = UnpackedMemory(room: 0)
    defer { withExtendedLifetime(memory) {} }
    let table = PrefixTable(codes: 1, in: memory)
    table.set(try PrefixCode(reading: &reader), at: 0)
    var bits = BitReader(try reader.readBytes(reader.remaining))
    var bytes: [UInt8] = []
    bytes.reserveCapacity(count)
    for _ in 0..<count {
      bits.fill()
      bytes.append(try table.symbol(0, &bits))
    }
    try bits.expectEnd()
    return bytes
  }
}
