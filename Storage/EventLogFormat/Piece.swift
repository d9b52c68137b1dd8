// A piece: the bytes of a snapshot's root or of one of its parts, as stored. Integers little-endian.
//
//   u8 version (1) | u8 codec: 0 plain, 1 LZ4 | u16 zero | u32 length unpacked | u32 CRC32C | payload
//
// The checksum covers the first eight bytes and the payload, and starts from a seed: the CRC32C of the fields
// that name the piece (log, key, revision, …). So a good piece in a wrong place is found, too.

import EventLogModel

/// The bytes of a snapshot's root or part, as stored. See the layout on top of this file.
public enum Piece {
  static let headerLength = 12
  /// A root or part is at most this long, unpacked, in bytes: a limit against bad lengths, far above use.
  public static let maximumBytes = 256 << 20

  public static func encode(_ bytes: [UInt8], seed: UInt32) -> [UInt8] {
    let packed = LZ4.compress(bytes)
    let payload = packed ?? bytes
    var piece: [UInt8] = [1, packed == nil ? 0 : 1, 0, 0]
    piece.reserveCapacity(headerLength + payload.count)
    piece.appendLittleEndian(UInt32(bytes.count))
    piece.appendLittleEndian(CRC32C.of(payload, seed: CRC32C.of(piece, seed: seed)))
    piece.append(contentsOf: payload)
    return piece
  }

  /// Checks and unpacks a piece. Throws if its checksum, version or length is wrong.
  public static func decode(_ piece: UnsafeRawBufferPointer, seed: UInt32) throws(WireError) -> [UInt8] {
    var reader = ByteReader(piece)
    let head = try reader.readBytes(8)
    let checksum = try reader.littleEndian(UInt32.self)
    let payload = try reader.readBytes(reader.remaining)
    guard checksum == CRC32C.of(payload, seed: CRC32C.of(head, seed: seed)) else {
      throw .badField("piece checksum", at: 8)
    }
    reader = ByteReader(head)
    guard try reader.byte() == 1 else { throw .badField("piece version", at: 0) }
    let codec = try reader.byte()
    guard try reader.littleEndian(UInt16.self) == 0 else { throw .badField("piece flags", at: 2) }
    let length = Int(try reader.littleEndian(UInt32.self))
    guard length <= maximumBytes else { throw .badField("piece length", at: 4) }
    if codec == 1 { return try LZ4.decompress(payload, count: length) }
    guard codec == 0, payload.count == length else { throw .badField("piece codec", at: 1) }
    return Array(payload)
  }
}
