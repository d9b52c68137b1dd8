import CZlib

/// Compresses files of the page as gzip (RFC 1952), with zlib (ADR 0045).
enum Gzip {
  /// The best that zlib does. Each file is packed once in the life of a server, in some milliseconds.
  static let level: Int32 = 9

  /// - Returns: Nil: zlib had no memory for it, or it has 4 GiB, of which zlib takes no more at once. The file is sent as it is then.
  static func pack(_ bytes: [UInt8]) -> [UInt8]? {
    var stream = z_stream()
    guard czlib_begin_gzip(&stream, level) == Z_OK else { return nil }
    defer { deflateEnd(&stream) }
    var bytes = bytes
    let bound = Int(deflateBound(&stream, UInt(bytes.count)))
    guard let room = UInt32(exactly: bound) else { return nil }
    return bytes.withUnsafeMutableBufferPointer { input -> [UInt8]? in
      var isWhole = false
      let packed = [UInt8](unsafeUninitializedCapacity: bound) { output, count in
        stream.next_in = input.baseAddress
        stream.avail_in = UInt32(input.count)
        stream.next_out = output.baseAddress
        stream.avail_out = room
        isWhole = deflate(&stream, Z_FINISH) == Z_STREAM_END
        count = bound - Int(stream.avail_out)
      }
      return isWhole ? packed : nil
    }
  }
}
