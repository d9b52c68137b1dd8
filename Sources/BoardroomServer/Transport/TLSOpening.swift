import BoardroomModel
import NIOCore
import NIOHTTP1
import NIOSSL

/// The first handler of a port with TLS. A connection whose first byte begins a TLS record gets a TLS
/// handler. Any other connection gets an answer in plain HTTP that says what to do, and is closed.
///
/// It does not redirect: a client that follows redirects would send its token in plain text each time, and
/// nobody would notice.
final class TLSOpening: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// The content type of a handshake (RFC 8446, section 5.1); no HTTP method begins with it.
  private static let handshake: UInt8 = 0x16

  static let refusal = Refusal(
    .badParameter, cause: "This port speaks TLS only.", cure: "Use https:// and wss://.")

  private let identity: TLSIdentity
  private var isRefused = false

  init(_ identity: TLSIdentity) { self.identity = identity }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isRefused, let first = unwrapInboundIn(data).readableBytesView.first else { return }
    guard first == Self.handshake else {
      isRefused = true
      PlainAnswer.end(context, with: Self.refusal, status: .badRequest)
      return
    }
    let pipeline = context.pipeline.syncOperations
    do {
      try pipeline.addHandler(NIOSSLServerHandler(context: identity.context), position: .after(self))
    } catch {
      return context.close(promise: nil)
    }
    context.fireChannelRead(data)
    pipeline.removeHandler(context: context, promise: nil)
  }
}
