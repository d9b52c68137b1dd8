import CChecksum

/// CRC32C (Castagnoli, RFC 3720 appendix B.4), the checksum of every frame, segment header and block.
public enum CRC32C {
  /// The checksum of `bytes`, going on from `seed`: `of(a + b) == of(b, seed: of(a))`.
  public static func of(_ bytes: UnsafeRawBufferPointer, seed: UInt32 = 0) -> UInt32 {
    br_crc32c(seed, bytes.baseAddress, bytes.count)
  }

  /// The checksum of an array of bytes.
  public static func of(_ bytes: [UInt8], seed: UInt32 = 0) -> UInt32 {
    bytes.withUnsafeBytes { of($0, seed: seed) }
  }
}
