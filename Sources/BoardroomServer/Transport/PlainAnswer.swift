import BoardroomHTTP
import BoardroomModel
import NIOCore
import NIOHTTP1

/// An HTTP answer as bytes, for connections that are refused before they have HTTP handlers.
enum PlainAnswer {
  static func bytes(of refusal: Refusal, status: HTTPResponseStatus) -> ByteBuffer {
    let body = RestError(refusal).bytes
    var answer = ByteBuffer()
    answer.writeString(
      "HTTP/1.1 \(status.code) \(status.reasonPhrase)\r\ncontent-type: application/json; charset=utf-8\r\n"
        + "content-length: \(body.count)\r\nconnection: close\r\n\r\n")
    answer.writeBytes(body)
    return answer
  }

  /// Answers and closes.
  static func end(_ context: ChannelHandlerContext, with refusal: Refusal, status: HTTPResponseStatus) {
    let channel = context.channel
    context.writeAndFlush(NIOAny(bytes(of: refusal, status: status)))
      .whenComplete { _ in channel.close(promise: nil) }
  }
}

/// The only handler of a connection that is over a limit. It answers after the client's first bytes, because
/// an earlier answer may be lost.
final class Turnaway: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  /// Time for the first bytes. 2 s: as for the answer to a close frame.
  static let patience = TimeAmount.seconds(2)

  private let refusal: Refusal
  private let status: HTTPResponseStatus
  private var patience: Scheduled<Void>?
  private var isAnswered = false

  init(_ refusal: Refusal, status: HTTPResponseStatus) {
    self.refusal = refusal
    self.status = status
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    patience = context.eventLoop.scheduleTask(in: Self.patience) { channel.close(promise: nil) }
  }

  func handlerRemoved(context: ChannelHandlerContext) { patience?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !isAnswered else { return }
    isAnswered = true
    PlainAnswer.end(context, with: refusal, status: status)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent || (event as? ChannelEvent) == .inputClosed {
      context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
