import BoardroomCodec
import BoardroomModel
import NIOCore
import Synchronization

/// The other end of a real socket, without the library under test: masks what it says, takes frames apart.
final class RawPeer: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  private var rest = ByteBuffer()
  let notices: AsyncStream<Notice>
  private let sink: AsyncStream<Notice>.Continuation
  private let codec = WireCodec(.binary)
  private let closeCodes = Mutex<[UInt16]>([])
  private let heardPongs = Mutex<[[UInt8]]>([])

  static let lastPing: [UInt8] = Array("last".utf8)

  init() { (notices, sink) = AsyncStream.makeStream() }

  var pongs: [[UInt8]] { heardPongs.withLock { $0 } }
  var closeCode: UInt16? { closeCodes.withLock { $0.first } }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var buffer = unwrapInboundIn(data)
    rest.writeBuffer(&buffer)
    while let (opcode, payload) = nextFrame() {
      if opcode == 2, let notice = try? codec.decodeServer(payload) { sink.yield(notice) }
      if opcode == 10 {
        heardPongs.withLock { $0.append(payload) }
        if payload == Self.lastPing { sink.finish() }
      }
      if opcode == 8 {
        closeCodes.withLock { $0.append(UInt16(payload[0]) << 8 | UInt16(payload[1])) }
        context.close(promise: nil)
      }
    }
  }

  func channelInactive(context: ChannelHandlerContext) { sink.finish() }

  private func nextFrame() -> (UInt8, [UInt8])? {
    var reader = rest
    guard let first = reader.readInteger(as: UInt8.self), let short = reader.readInteger(as: UInt8.self)
    else { return nil }
    var length = Int(short)
    if short == 126 {
      guard let long = reader.readInteger(as: UInt16.self) else { return nil }
      length = Int(long)
    } else if short == 127 {
      guard let long = reader.readInteger(as: UInt64.self) else { return nil }
      length = Int(long)
    }
    guard let payload = reader.readBytes(length: length) else { return nil }
    rest = reader
    return (first & 0x0f, payload)
  }

  /// A masked frame; a client's must be.
  static func frame(_ opcode: UInt8, _ payload: [UInt8], final: Bool = true) -> ByteBuffer {
    let mask: [UInt8] = [7, 77, 177, 200]
    var buffer = ByteBuffer()
    buffer.writeInteger((final ? 0x80 : 0) | opcode)
    if payload.count < 126 {
      buffer.writeInteger(0x80 | UInt8(payload.count))
    } else {
      buffer.writeInteger(UInt8(0x80 | 126))
      buffer.writeInteger(UInt16(payload.count))
    }
    buffer.writeBytes(mask)
    buffer.writeBytes(payload.enumerated().map { $0.element ^ mask[$0.offset % 4] })
    return buffer
  }
}
