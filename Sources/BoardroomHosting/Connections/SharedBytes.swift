import NIOCore

/// One message to members as ready bytes: a whole unmasked WebSocket frame. A server's frames carry no mask,
/// so the very same bytes go to every socket; copies share one storage.
public struct SharedBytes: Sendable {
  /// Header and payload.
  public let frame: ByteBuffer
  /// How many bytes of the frame come before the payload: 2, 4 or 10.
  public let headerLength: Int

  /// What the message says, without the frame's header.
  public var payload: [UInt8] {
    Array(frame.readableBytesView.dropFirst(headerLength))
  }

  /// Bytes on the wire.
  public var count: Int { frame.readableBytes }
}

/// Writes frames as RFC 6455, section 5.2, says: one final frame, no mask.
package enum FrameWriter {
  package enum Opcode: UInt8 { case text = 1, binary = 2, close = 8, ping = 9, pong = 10 }

  /// A frame around `payload`.
  package static func frame(_ opcode: Opcode, _ payload: some Collection<UInt8>) -> SharedBytes {
    frame(opcode, count: payload.count) { $0.writeBytes(payload) }
  }

  /// A frame whose payload of exactly `count` bytes `body` writes.
  static func frame(_ opcode: Opcode, count: Int, _ body: (inout ByteBuffer) -> Void) -> SharedBytes {
    var buffer = ByteBufferAllocator().buffer(capacity: count + 10)
    buffer.writeInteger(0x80 | opcode.rawValue)
    switch count {
    case ..<126: buffer.writeInteger(UInt8(count))
    case ..<65_536:
      buffer.writeInteger(UInt8(126))
      buffer.writeInteger(UInt16(count))
    default:
      buffer.writeInteger(UInt8(127))
      buffer.writeInteger(UInt64(count))
    }
    let header = buffer.readableBytes
    body(&buffer)
    assert(buffer.readableBytes == header + count, "a frame must be as long as it says")
    return SharedBytes(frame: buffer, headerLength: header)
  }

  /// A close frame with its code and reason.
  package static func close(_ code: UInt16, _ reason: String) -> SharedBytes {
    // A control frame holds at most 125 bytes, two of them the code.
    let text = reason.utf8.prefix(123)
    return frame(.close, count: 2 + text.count) {
      $0.writeInteger(code)
      $0.writeBytes(text)
    }
  }
}
