import CLZ4
import EventLogModel

/// The LZ4 block format, used in frames and blocks. It has no length and no checksum of its own; both are in
/// the header around it.
public enum LZ4 {
  /// The LZ4 block of `bytes`; `nil` if it would not be shorter, so that they are stored plain.
  public static func compress(_ bytes: [UInt8]) -> [UInt8]? {
    compress(bytes) { LZ4_compress_default($0, $1, $2, $3) }
  }

  /// The same, shorter and several times slower: LZ4 HC, level 9. Higher levels gain nothing on records.
  static func compressWell(_ bytes: [UInt8]) -> [UInt8]? {
    compress(bytes) { LZ4_compress_HC($0, $1, $2, $3, 9) }
  }

  private static func compress(
    _ bytes: [UInt8],
    by function: (UnsafePointer<CChar>?, UnsafeMutablePointer<CChar>?, Int32, Int32) -> Int32
  ) -> [UInt8]? {
    // LZ4 counts in C ints; no run is nearly as long.
    guard bytes.count > 1, bytes.count <= Int(LZ4_MAX_INPUT_SIZE) else { return nil }
    let room = bytes.count - 1
    let packed = [UInt8](unsafeUninitializedCapacity: room) { output, length in
      let written = bytes.withUnsafeBytes { input in
        function(
          input.baseAddress?.assumingMemoryBound(to: CChar.self),
          UnsafeMutableRawPointer(output.baseAddress)?.assumingMemoryBound(to: CChar.self),
          Int32(input.count), Int32(room))
      }
      length = Int(max(written, 0))
    }
    return packed.isEmpty ? nil : packed
  }

  /// Exactly `count` bytes from an LZ4 block. The caller has checked `count` against its own limit.
  ///
  /// Throws `badField` when the block is not one of exactly that many bytes; nothing is read or written
  /// outside the buffers, whatever the bytes are.
  public static func decompress(
    _ packed: UnsafeRawBufferPointer, count: Int
  ) throws(WireError) -> [UInt8] {
    guard count >= 0, count <= Int(LZ4_MAX_INPUT_SIZE), packed.count <= Int(Int32.max) else {
      throw .badField("LZ4 length", at: 0)
    }
    guard count > 0, let input = packed.baseAddress else {
      if count == 0, packed.isEmpty { return [] }
      throw .badField("LZ4 block", at: 0)
    }
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { output, length in
      length = unpack(input, packed.count, UnsafeMutableRawPointer(output.baseAddress), count)
    }
    guard bytes.count == count else { throw .badField("LZ4 block", at: 0) }
    return bytes
  }

  /// The same, into memory with as many bytes as the block must give.
  static func decompress(
    _ packed: UnsafeRawBufferPointer, into place: UnsafeMutableRawBufferPointer
  ) throws(WireError) {
    guard packed.count <= Int(Int32.max), place.count <= Int(LZ4_MAX_INPUT_SIZE),
      let input = packed.baseAddress, place.count > 0,
      unpack(input, packed.count, place.baseAddress, place.count) == place.count
    else { throw .badField("LZ4 block", at: 0) }
  }

  /// How many bytes were written.
  private static func unpack(
    _ input: UnsafeRawPointer, _ length: Int, _ output: UnsafeMutableRawPointer?, _ count: Int
  ) -> Int {
    let written = LZ4_decompress_safe(
      input.assumingMemoryBound(to: CChar.self), output?.assumingMemoryBound(to: CChar.self), Int32(length),
      Int32(count))
    return Int(max(written, 0))
  }
}
