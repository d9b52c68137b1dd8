import BoardroomModel
import NIOCore
import NIOHTTP1

/// Closes HTTP connections that are too slow, and bounds how much of an unread body is taken. It has two
/// handlers, one before and one after the HTTP decoder; `RequestPace` decides.
///
/// Belongs to its channel's loop.
final class RequestWatch {
  static let refusal = Refusal(
    .timeout, cause: "The request did not come in time.", cure: "Send it faster, or less at once.")

  private let bytes: Bytes
  private let parts: RequestParts
  private let channel: any Channel
  private let step: TimeAmount
  fileprivate var pace: RequestPace
  fileprivate var written = 0
  private var check: Scheduled<Void>?
  private var isOver = false

  /// To be made on the channel's loop.
  init(_ times: RequestTimes, on channel: any Channel) {
    self.channel = channel
    step = times.step
    pace = RequestPace(times)
    bytes = Bytes()
    parts = RequestParts()
    bytes.watch = self
    parts.watch = self
  }

  /// Adds its handlers on both sides of the HTTP decoder.
  func stand(in pipeline: ChannelPipeline.SynchronousOperations) throws {
    let encoder = try pipeline.context(handlerType: HTTPResponseEncoder.self)
    try pipeline.addHandler(bytes, position: .before(encoder.handler))
    let decoder = try pipeline.context(handlerType: ByteToMessageHandler<HTTPRequestDecoder>.self)
    try pipeline.addHandler(parts, position: .after(decoder.handler))
  }

  private var waiting: Int { (try? channel.syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

  /// Checks the times now, and again while a request is under way.
  fileprivate func look() {
    guard check == nil, !isOver else { return }
    let now = NIODeadline.now()
    let waiting = waiting
    switch pace.verdict(at: now, waiting: waiting, gone: written - waiting) {
    case .rests: break
    case .goesOn:
      check = channel.eventLoop.assumeIsolated().scheduleTask(in: step) { [weak self] in
        self?.check = nil
        self?.look()
      }
    case .tooSlow: tellAndClose()
    case .over: close()
    }
  }

  private func tellAndClose() {
    isOver = true
    guard let context = bytes.context else { return close() }
    PlainAnswer.end(context, with: Self.refusal, status: .requestTimeout)
  }

  fileprivate func close() {
    end()
    channel.close(promise: nil)
  }

  fileprivate func end() {
    isOver = true
    check?.cancel()
    check = nil
    bytes.watch = nil
    parts.watch = nil
  }

  // MARK: Handlers

  final class Bytes: ChannelDuplexHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer
    typealias OutboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    fileprivate var watch: RequestWatch?
    fileprivate var context: ChannelHandlerContext?

    func handlerAdded(context: ChannelHandlerContext) { self.context = context }
    func handlerRemoved(context: ChannelHandlerContext) {
      self.context = nil
      watch?.end()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      watch?.pace.cameBytes(at: .now())
      context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      context.fireChannelReadComplete()
      watch?.look()
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      watch?.written += unwrapOutboundIn(data).readableBytes
      context.write(data, promise: promise)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
      if !context.channel.isWritable { watch?.look() }
      context.fireChannelWritabilityChanged()
    }
  }

  final class RequestParts: ChannelDuplexHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart
    typealias OutboundIn = HTTPServerResponsePart
    typealias OutboundOut = HTTPServerResponsePart

    fileprivate var watch: RequestWatch?

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      switch unwrapInboundIn(data) {
      case .head: watch?.pace.cameHead(at: .now())
      case .body(let bytes): if watch?.pace.cameBody(bytes.readableBytes) == false { return }
      case .end: if watch?.pace.cameEnd() == true { context.channel.close(promise: nil) }
      }
      context.fireChannelRead(data)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
      watch?.pace.held(at: .now())
      context.fireChannelReadComplete()
    }

    func read(context: ChannelHandlerContext) {
      watch?.pace.wanted(at: .now())
      if watch?.pace.isSated != true { context.read() }
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
      guard let watch else { return context.write(data, promise: promise) }
      switch unwrapOutboundIn(data) {
      case .head(var head):
        guard head.status.code >= 200, watch.pace.beganAnswer() else { break }
        head.headers.replaceOrAdd(name: "connection", value: "close")
        return context.write(wrapOutboundOut(.head(head)), promise: promise)
      case .body: break
      case .end: if watch.pace.endedAnswer(at: .now()) { watch.look() }
      }
      context.write(data, promise: promise)
    }
  }
}
