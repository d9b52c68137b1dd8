import BoardroomHosting
import BoardroomModel
import NIOCore

/// What the port does with another node's connection: reads the preface, and answers. The client of a good one gets the
/// handlers of a room's connection, as after a handshake of its own, and its hello is taken from the preface.
final class PrefaceReader: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer
  typealias OutboundOut = ByteBuffer

  private enum State {
    case reading
    /// Whether the room is this node's is looked for.
    case asking
    case over
  }

  private let pipes: PipeDesk
  private let engine: RoomServerEngine
  private let limiter: ConnectionLimiter
  private let isPlain: Bool
  /// The node's own address has as many connections as it may have, without this one.
  private let wasOver: Bool
  private var state = State.reading
  private var reading: PrefaceReading
  private var heard = ByteBuffer()
  private var patience: Scheduled<Void>?

  private init(
    pipes: PipeDesk, engine: RoomServerEngine, limiter: ConnectionLimiter, isPlain: Bool, wasOver: Bool
  ) {
    self.pipes = pipes
    reading = pipes.gate.reading()
    self.engine = engine
    self.limiter = limiter
    self.isPlain = isPlain
    self.wasOver = wasOver
  }

  /// Puts it at the end of a pipeline. To be called on the channel's loop.
  static func add(
    to channel: any Channel, pipes: PipeDesk, engine: RoomServerEngine, limiter: ConnectionLimiter,
    isPlain: Bool, wasOver: Bool
  ) throws {
    // A node that closes its side has lost its client.
    try channel.syncOptions?.setOption(ChannelOptions.allowRemoteHalfClosure, value: false)
    try channel.pipeline.syncOperations.addHandler(
      PrefaceReader(pipes: pipes, engine: engine, limiter: limiter, isPlain: isPlain, wasOver: wasOver))
  }

  // MARK: ChannelInboundHandler

  func handlerAdded(context: ChannelHandlerContext) {
    let me = NIOLoopBound((reader: self, context: context), eventLoop: context.eventLoop)
    patience = context.eventLoop.scheduleTask(in: pipes.limits.opensWithin) {
      me.value.reader.timeIsOver(me.value.context)
    }
  }

  private func timeIsOver(_ context: ChannelHandlerContext) {
    switch state {
    case .reading: refuse(.slow, context)
    // The fault is ours: it was not to be learnt in time whose room it is.
    case .asking: answer(.refused, context)
    case .over: break
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent, state == .reading { answer(.refused, context) }
    context.fireUserInboundEventTriggered(event)
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    heard.writeImmutableBuffer(unwrapInboundIn(data))
    switch state {
    case .over: heard.clear()
    case .asking:
      // A node says nothing before it is answered.
      refuse(.malformed, context)
    case .reading: read(context)
    }
  }

  private func read(_ context: ChannelHandlerContext) {
    do throws(PrefaceFault) {
      guard let preface = try reading.read(&heard) else { return }
      guard heard.readableBytes == 0 else { throw .malformed }
      ask(preface, context)
    } catch {
      refuse(error, context)
    }
  }

  // MARK: Whose room it is

  private func ask(_ preface: Preface, _ context: ChannelHandlerContext) {
    state = .asking
    let me = NIOLoopBound((reader: self, context: context), eventLoop: context.eventLoop)
    let loop = context.eventLoop
    let log = preface.header.log
    Task { [engine] in
      // Not what this node has heard a moment ago: the other one believes that it is the owner.
      engine.owners?.forget(log)
      let owner = await engine.owners?.owner(of: log) ?? .here
      loop.execute { me.value.reader.learn(owner, preface, me.value.context) }
    }
  }

  private func learn(_ owner: SpaceOwner, _ preface: Preface, _ context: ChannelHandlerContext) {
    guard state == .asking, context.channel.isActive else { return }
    guard owner == .here else { return answer(.notHere, context) }
    state = .over
    patience?.cancel()
    context.writeAndFlush(wrapOutboundOut(PrefaceAnswer.joined.bytes), promise: nil)
    let client = preface.address.isEmpty ? nil : preface.address
    let refusal = limiter.passOn(context.channel, wasOver: wasOver, to: client)
    do {
      let handler = try configureRoomSocket(
        channel: context.channel, engine: engine, subprotocol: preface.header.subprotocol, isPlain: isPlain,
        address: client, isPiped: true, pipes: pipes)
      if let refusal { handler.refuse(refusal) } else { handler.take(hello: preface.hello) }
    } catch {
      return context.close(promise: nil)
    }
    // The bytes behind the hello belong to its read.
    if !preface.early.isEmpty {
      context.fireChannelRead(wrapInboundOut(ByteBuffer(bytes: preface.early)))
    }
    context.fireChannelReadComplete()
    context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
  }

  // MARK: Answers

  private func refuse(_ fault: PrefaceFault, _ context: ChannelHandlerContext) {
    guard state != .over else { return }
    pipes.gate.count(fault)
    answer(fault == .otherVersion ? .otherVersion : .refused, context)
  }

  private func answer(_ verdict: PrefaceAnswer, _ context: ChannelHandlerContext) {
    end()
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(verdict.bytes)).whenComplete { _ in channel.close(promise: nil) }
  }

  private func end() {
    state = .over
    patience?.cancel()
    heard.clear()
  }
}
