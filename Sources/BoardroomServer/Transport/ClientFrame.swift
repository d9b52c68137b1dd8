import BoardroomCore
import BoardroomHosting
import BoardroomModel
import NIOCore

/// A frame of a client as RFC 6455, section 5, allows it, without its mask.
public struct ClientFrame: Sendable, Equatable {
  enum Opcode: UInt8, Sendable {
    case continuation = 0
    case text = 1
    case binary = 2
    case close = 8
    case ping = 9
    case pong = 10

    var isControl: Bool { rawValue >= 8 }
  }

  var opcode: Opcode
  var isFinal: Bool
  var payload: [UInt8]
}

/// A client broke the rules of the transport: the refusal that it is sent, and the code with which the
/// connection closes.
struct FrameFault: Error, Sendable, Equatable {
  var refusal: Refusal
  var code: UInt16

  /// A frame that RFC 6455 does not allow.
  static func malformed(_ cause: String) -> FrameFault {
    FrameFault(
      refusal: Refusal(.malformed, cause: cause, cure: "Send WebSocket frames as RFC 6455 describes them."),
      code: CloseCode.protocolError)
  }

  static let badText = FrameFault(
    refusal: Refusal(
      .malformed, cause: "A text message is not UTF-8.", cure: "Send text as UTF-8 (RFC 3629)."),
    code: CloseCode.badText)

  static func tooLarge(_ actual: Int, allowed: Int) -> FrameFault {
    FrameFault(
      refusal: Refusal(
        .tooLarge, cause: "The WebSocket message is larger than the limit.", actual: actual, allowed: allowed,
        limit: LimitName.message),
      code: CloseCode.refused)
  }
}

/// Makes frames from a client's bytes, and refuses what RFC 6455 does not allow as soon as a frame's header
/// shows it. Keeps only the bytes of a frame that is not complete.
///
/// NIO's decoder is not used, because it accepts lengths that are not in their shortest form, and unmasks
/// byte by byte. Nor is NIO's `ByteToMessageHandler`: it costs each message and each connection more than all
/// of this.
struct FrameReader {
  /// Bytes that one frame may hold.
  let limit: Int
  private var unread = ByteBuffer()

  init(limit: Int) { self.limit = limit }

  /// Takes the bytes of one read.
  mutating func add(_ bytes: ByteBuffer) {
    guard unread.readableBytes > 0 else {
      unread = bytes
      return
    }
    unread.discardReadBytes()
    unread.writeImmutableBuffer(bytes)
  }

  /// The next frame; nil if no other one is complete. After an error nothing more is to be read.
  mutating func next() throws(FrameFault) -> ClientFrame? {
    let limit = limit
    let header = try unread.withUnsafeReadableBytes { bytes in
      Result { () throws(FrameFault) in try FrameHeader(bytes, limit: limit) }
    }.get()
    guard let header, unread.readableBytes >= header.size + header.length else {
      // The channel reads into these bytes again, unless somebody keeps them.
      if unread.readableBytes == 0 { drop() }
      return nil
    }
    unread.moveReaderIndex(forwardBy: header.size)
    let payload = unread.withUnsafeReadableBytes {
      Self.unmasked(UnsafeRawBufferPointer(rebasing: $0.prefix(header.length)), header.mask)
    }
    unread.moveReaderIndex(forwardBy: header.length)
    return ClientFrame(opcode: header.opcode, isFinal: header.isFinal, payload: payload)
  }

  /// Drops what was not read.
  mutating func drop() { unread = ByteBuffer() }

  /// What was not read.
  var rest: ByteBuffer { unread }

  // MARK: Payload

  /// - Parameter mask: its first byte lowest.
  private static func unmasked(_ bytes: UnsafeRawBufferPointer, _ mask: UInt32) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: bytes.count) { buffer, count in
      let plain = UnsafeMutableRawBufferPointer(buffer)
      let wide = (UInt64(mask) << 32 | UInt64(mask)).littleEndian
      var place = 0
      while place + 8 <= bytes.count {
        let word = bytes.loadUnaligned(fromByteOffset: place, as: UInt64.self)
        plain.storeBytes(of: word ^ wide, toByteOffset: place, as: UInt64.self)
        place += 8
      }
      while place < bytes.count {
        plain[place] = bytes[place] ^ UInt8(truncatingIfNeeded: mask >> UInt32(8 * (place & 3)))
        place += 1
      }
      count = bytes.count
    }
  }
}

/// The header of a client's frame (RFC 6455, section 5.2).
private struct FrameHeader {
  let opcode: ClientFrame.Opcode
  let isFinal: Bool
  let length: Int
  let mask: UInt32
  /// Bytes of the header itself.
  let size: Int

  /// Nil while it is not complete; the bytes that have come are checked already.
  init?(_ bytes: UnsafeRawBufferPointer, limit: Int) throws(FrameFault) {
    guard let first = bytes.first else { return nil }
    guard first & 0x70 == 0 else { throw .malformed("A WebSocket frame has reserved bits set.") }
    guard let opcode = ClientFrame.Opcode(rawValue: first & 0x0F) else {
      throw .malformed("A WebSocket frame has an opcode that is not known.")
    }
    isFinal = first & 0x80 != 0
    guard isFinal || !opcode.isControl else { throw .malformed("A WebSocket control frame is fragmented.") }
    guard bytes.count > 1 else { return nil }
    guard bytes[1] & 0x80 != 0 else { throw .malformed("A client's WebSocket frame is not masked.") }
    let short = bytes[1] & 0x7F
    guard short <= 125 || !opcode.isControl else {
      throw .malformed("A WebSocket control frame holds more than 125 bytes.")
    }
    guard let (length, more) = try Self.length(short, bytes) else { return nil }
    guard length <= UInt64(limit) else { throw .tooLarge(Int(length), allowed: limit) }
    guard bytes.count >= 6 + more else { return nil }
    self.opcode = opcode
    self.length = Int(length)
    mask = UInt32(littleEndian: bytes.loadUnaligned(fromByteOffset: 2 + more, as: UInt32.self))
    size = 6 + more
  }

  /// The length, and how many bytes more than the first it takes; only the shortest form will do (section 5.2).
  private static func length(
    _ short: UInt8, _ bytes: UnsafeRawBufferPointer
  ) throws(FrameFault) -> (UInt64, Int)? {
    switch short {
    case 126:
      guard bytes.count >= 4 else { return nil }
      let length = UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
      guard length > 125 else { throw .malformed("A WebSocket frame's length is not in its shortest form.") }
      return (UInt64(length), 2)
    case 127:
      guard bytes.count >= 10 else { return nil }
      let length = UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 2, as: UInt64.self))
      guard length > UInt64(UInt16.max), length <= UInt64(Int64.max) else {
        throw .malformed("A WebSocket frame's length is not in its shortest form, or has its top bit set.")
      }
      return (length, 8)
    default: return (UInt64(short), 0)
    }
  }
}

/// What a close frame may hold (RFC 6455, sections 5.5.1 and 7.4).
enum CloseFrame {
  /// The code with which to answer a wrong close frame; nil if the frame is right.
  static func fault(_ payload: [UInt8]) -> UInt16? {
    guard !payload.isEmpty else { return nil }
    guard payload.count > 1, isAllowed(UInt16(payload[0]) << 8 | UInt16(payload[1])) else {
      return CloseCode.protocolError
    }
    var text = TextCheck()
    return text.check(payload[2...]) && text.isWhole ? nil : CloseCode.badText
  }

  /// Codes of the RFC that may stand in a frame, of its registry, of libraries and of applications.
  private static func isAllowed(_ code: UInt16) -> Bool {
    switch code {
    case 1_000...1_003, 1_007...1_014, 3_000...4_999: true
    default: false
    }
  }
}
