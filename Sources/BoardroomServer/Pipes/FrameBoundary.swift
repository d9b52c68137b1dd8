import NIOCore

/// Follows a server's frames (RFC 6455, section 5.2) without keeping them: whether something may be said between two, and
/// whether the last one was said.
struct FrameBoundary: Sendable, Equatable {
  /// Bytes of the frame's payload that have not come.
  private var left: UInt64 = 0
  /// Bytes of its header that have come, and how many it has.
  private var (came, header) = (0, 2)
  private var opcode: UInt8 = 0
  private var length: UInt64 = 0
  /// The close frame went by.
  private(set) var hasClosed = false

  /// Whether all frames that have begun are whole.
  var isBetween: Bool { left == 0 && came == 0 }

  /// Takes the next bytes.
  mutating func pass(_ bytes: ByteBuffer) {
    bytes.withUnsafeReadableBytes { bytes in
      var at = 0
      while at < bytes.count {
        if left > 0 {
          let skipped = min(left, UInt64(bytes.count - at))
          left -= skipped
          at += Int(skipped)
        } else {
          take(bytes[at])
          at += 1
        }
      }
    }
  }

  private mutating func take(_ byte: UInt8) {
    switch came {
    case 0:
      opcode = byte & 0x0F
      (header, length) = (2, 0)
    case 1:
      switch byte & 0x7F {
      case 126: header = 4
      case 127: header = 10
      default: length = UInt64(byte & 0x7F)
      }
    default: length = length << 8 | UInt64(byte)
    }
    came += 1
    guard came == header else { return }
    (came, left) = (0, length)
    if opcode == 8 { hasClosed = true }
  }
}
