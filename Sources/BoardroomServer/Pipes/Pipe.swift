import BoardroomHosting
import NIOCore
import NIOPosix

/// How the owner's side of a pipe has ended.
enum PipeEnding: Sendable, Equatable {
  /// The owner has closed the WebSocket: the client has heard all that there is to hear.
  case told
  /// Between two messages: the client can be told that the owner is gone.
  case betweenFrames
  /// Inside of a message: nothing more can be said.
  case insideFrame
}

/// The client's end of a pipe. All methods are called on its loop.
protocol PipeClient: AnyObject {
  /// Whether it takes more bytes for now.
  var takesMore: Bool { get }
  /// Bytes that wait to go out to the client.
  var waitingBytes: Int { get }
  /// The owner has the client. Returns what was held for it and is not in the preface.
  func joined(by pipe: Pipe) -> ByteBuffer
  /// Bytes of the owner.
  func pass(_ bytes: ByteBuffer)
  /// Sends what was passed.
  func flush()
  /// Reads the client's bytes, or leaves them where they are.
  func read(_ isWanted: Bool)
  /// The owner's side is over.
  func ownerEnded(_ ending: PipeEnding)
}

/// Joins a client to the node that owns its room: says the preface, and then copies bytes both ways. It is the last
/// handler of the channel to the owner, which is on the client's loop.
///
/// Neither side is read while the other one does not take what was read before. What one side's end brings is still sent
/// to the other one.
final class Pipe: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State { case opening, open, over }

  private let desk: PipeDesk
  private let preface: ByteBuffer
  // Touched on the client's loop only.
  private var state = State.opening
  private var client: (any PipeClient)?
  private var answer: ((PipeOpening) -> Bool)?
  private var context: ChannelHandlerContext?
  /// What came before the owner's answer was whole.
  private var heard = ByteBuffer()
  private var boundary = FrameBoundary()
  private var patience: Scheduled<Void>?

  init(
    _ desk: PipeDesk, saying preface: ByteBuffer, client: any PipeClient,
    answer: @escaping (PipeOpening) -> Bool
  ) {
    self.desk = desk
    self.preface = preface
    self.client = client
    self.answer = answer
  }

  // MARK: Opening

  /// Connects. To be called on this loop, once.
  func open(to node: NodeAddress, on loop: any EventLoop) {
    patience = loop.scheduleTask(in: desk.limits.opensWithin) { self.fail(.unreachable) }
    desk.bootstrap(self, to: node, on: loop).connect(host: node.host, port: node.port)
      .whenFailure { _ in self.fail(.unreachable) }
  }

  private func fail(_ opening: PipeOpening) {
    guard state == .opening else { return }
    state = .over
    desk.leave(failed: opening != .notHere)
    patience?.cancel()
    context?.close(promise: nil)
    let answer = answer
    (client, self.answer) = (nil, nil)
    _ = answer?(opening)
  }

  private func decide(_ verdict: PrefaceAnswer) {
    guard verdict == .joined else { return fail(verdict == .notHere ? .notHere : .failed) }
    patience?.cancel()
    let answer = answer
    self.answer = nil
    guard let client, answer?(.joined) == true else {
      state = .over
      desk.leave()
      self.client = nil
      context?.close(promise: nil)
      return
    }
    state = .open
    passToOwner(client.joined(by: self))
    flushToOwner()
    if heard.readableBytes > 0 { passToClient(heard) }
    heard = ByteBuffer()
    client.flush()
  }

  // MARK: What the client's end tells

  /// Bytes of the client.
  func passToOwner(_ bytes: ByteBuffer) {
    guard state == .open, let context, bytes.readableBytes > 0 else { return }
    context.write(wrapOutboundOut(bytes), promise: nil)
    guard !context.channel.isWritable else { return }
    client?.read(false)
    if context.channel.unsentBytes > PipeLimits.most { cut() }
  }

  /// Sends what was passed.
  func flushToOwner() { context?.flush() }

  /// The client takes bytes again, or takes none for now.
  func clientTakes(_ more: Bool) {
    guard state == .open else { return }
    try? context?.channel.syncOptions?.setOption(.autoRead, value: more)
  }

  /// The client is gone, or is to be parted from the owner. What it has sent still goes there.
  ///
  /// - Returns: whether the client can be told something.
  @discardableResult
  func end() -> Bool {
    guard state == .open else { return false }
    state = .over
    client = nil
    desk.leave()
    if let context { context.channel.closeWhenSent() }
    return boundary.isBetween && !boundary.hasClosed
  }

  // MARK: ChannelInboundHandler

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

  func channelActive(context: ChannelHandlerContext) {
    guard state == .opening else { return context.close(promise: nil) }
    context.writeAndFlush(wrapOutboundOut(preface), promise: nil)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let bytes = unwrapInboundIn(data)
    switch state {
    case .over: break
    case .open: passToClient(bytes)
    case .opening:
      heard.writeImmutableBuffer(bytes)
      if let verdict = PrefaceAnswer.read(&heard) { decide(verdict) }
    }
  }

  func channelReadComplete(context: ChannelHandlerContext) {
    if state == .open { client?.flush() }
  }

  func channelWritabilityChanged(context: ChannelHandlerContext) {
    if state == .open { client?.read(context.channel.isWritable) }
  }

  func channelInactive(context: ChannelHandlerContext) {
    fail(heard.readableBytes == 0 ? .unreachable : .failed)
    guard state == .open else { return }
    ownerEnds(boundary.hasClosed ? .told : boundary.isBetween ? .betweenFrames : .insideFrame)
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    // What is no error of the way is one of TLS: the node is none that is trusted.
    if !(error is IOError) { fail(.failed) }
    context.close(promise: nil)
  }

  private func passToClient(_ bytes: ByteBuffer) {
    guard let client else { return }
    boundary.pass(bytes)
    client.pass(bytes)
    guard !client.takesMore else { return }
    clientTakes(false)
    if client.waitingBytes > PipeLimits.most { cut() }
  }

  /// More waits than may.
  private func cut() {
    let context = context
    ownerEnds(.insideFrame)
    context?.close(promise: nil)
  }

  private func ownerEnds(_ ending: PipeEnding) {
    guard state == .open else { return }
    state = .over
    desk.leave()
    let client = client
    self.client = nil
    client?.ownerEnded(ending)
  }
}

extension Channel {
  /// Bytes that were written and have not gone out. To be called on the channel's loop.
  var unsentBytes: Int { (try? syncOptions?.getOption(.bufferedWritableBytes)) ?? 0 }

  /// Closes once all that was written has gone out, or after `PipeLimits.lastBytes`. To be called on the channel's loop.
  func closeWhenSent() {
    let patience = eventLoop.scheduleTask(in: PipeLimits.lastBytes) { self.close(promise: nil) }
    writeAndFlush(ByteBuffer()).whenComplete { _ in
      patience.cancel()
      self.close(promise: nil)
    }
  }
}
