import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import NIOCore
import Synchronization

/// One WebSocket of a member. It reads frames from the socket's bytes, and writes finished frames: on the socket
/// itself where it may (`DirectSocket`), else through the channel, where `RawWriter` passes them around NIO's
/// encoder.
///
/// It has one small object for each connection and no task, and writes without promises. The channel's
/// writability says whether the other side keeps up; its high mark is the outbox of the policy.
public final class RoomSocketHandler: ChannelInboundHandler, MemberLink, @unchecked Sendable {
  public typealias InboundIn = ByteBuffer
  public typealias OutboundOut = ByteBuffer

  private enum State {
    case waiting
    case open(ConnectionHandle)
    /// The close frame was sent; the other side's answer, or the end of `patience`, closes the channel.
    case closing
    case closed
  }

  /// What becomes of bytes that are not read as frames.
  private enum Detour {
    /// There was a flood: what else it brought is dropped.
    case flood
    /// A frame was none: the connection is cut if more comes.
    case fault
    /// The node that owns the client's room is looked for: bytes wait.
    case held
    /// They go to that node.
    case piped(Pipe)
  }

  /// How long the other side may take to answer a close frame. If the socket were closed at once, bytes that
  /// are still under way could be lost.
  static let patience = TimeAmount.seconds(2)

  private let engine: RoomServerEngine
  private let subprotocol: Subprotocol
  private let home: EventLoopHome
  private let address: String?
  /// Another node has sent the client here.
  private let isPiped: Bool
  /// Where clients of other nodes' rooms are joined to these; nil: there are no other nodes.
  private let pipes: PipeDesk?
  private let full = Atomic<Bool>(false)
  // Touched on the channel's loop only.
  private var state = State.waiting
  private var reader: FrameReader
  /// Bytes came since the last read was over: a long frame is a sign of life before it is complete.
  private var hasArrivals = false
  /// Nil: bytes are read as frames.
  private var detour: Detour?
  private var readsFrames: Bool { if case nil = detour { true } else { false } }
  private var assembly = MessageAssembly()
  private var pace = FramePace()
  /// The content of the newest ping that came while the outbox was full.
  private var unansweredPing: [UInt8]?
  private var context: ChannelHandlerContext?
  private let rawWriter: RawWriter?
  private var direct: DirectSocket?
  private var backlog = SocketBacklog.catchingUp
  /// Bytes behind the hello that stand in the preface to its owner.
  private var held = 0

  /// - Parameters:
  ///   - direct: the channel's socket, if nothing stands between it and this handler.
  ///   - address: who the other end is, where the channel cannot know it (a proxy, another node).
  ///   - isPiped: another node has sent the client here, so that the address is what that node says.
  ///   - pipes: where clients of other nodes' rooms are joined to these.
  init(
    engine: RoomServerEngine, subprotocol: Subprotocol, home: EventLoopHome, rawWriter: RawWriter?,
    direct: DirectSocket?, address: String? = nil, isPiped: Bool = false, pipes: PipeDesk? = nil
  ) {
    self.address = address
    self.isPiped = isPiped
    self.pipes = pipes
    self.engine = engine
    self.subprotocol = subprotocol
    self.home = home
    self.rawWriter = rawWriter
    self.direct = direct
    reader = FrameReader(limit: engine.policy.limits.message)
  }

  // MARK: ChannelInboundHandler

  public func handlerAdded(context: ChannelHandlerContext) {
    self.context = context
    guard context.channel.isActive else { return }
    open(context)
  }

  public func channelActive(context: ChannelHandlerContext) { open(context) }

  private func open(_ context: ChannelHandlerContext) {
    guard case .waiting = state else { return }
    let address = isPiped ? self.address : self.address ?? context.remoteAddress?.ipAddress
    state = .open(
      engine.connect(
        self, on: home, subprotocol: subprotocol, from: address, isPiped: isPiped, at: engine.clock()))
  }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    hasArrivals = true
    switch detour {
    case nil: break
    case .flood: return
    case .fault: return context.close(promise: nil)
    case .held: return reader.add(unwrapInboundIn(data))
    case .piped(let pipe): return pipe.passToOwner(unwrapInboundIn(data))
    }
    reader.add(unwrapInboundIn(data))
    readFrames(context)
  }

  private func readFrames(_ context: ChannelHandlerContext) {
    do throws(FrameFault) {
      // One read of a flood can hold ten thousand frames, and the loop has other rooms to serve.
      while readsFrames, let frame = try reader.next() { take(frame, context) }
    } catch {
      detour = .fault
      guard case .open(let handle) = state else { return context.close(promise: nil) }
      handle.breach(error.refusal, code: error.code, at: engine.clock())
    }
    switch detour {
    case .flood, .fault: reader.drop()
    case nil, .held, .piped: break
    }
  }

  private func take(_ frame: ClientFrame, _ context: ChannelHandlerContext) {
    switch state {
    case .open(let handle): read(frame, handle, context)
    case .closing: if frame.opcode == .close { context.close(promise: nil) }
    case .waiting, .closed: break
    }
  }

  public func channelReadComplete(context: ChannelHandlerContext) {
    // NIO also ends a read that found only the end of the stream.
    guard hasArrivals else { return }
    hasArrivals = false
    if case .piped(let pipe) = detour { return pipe.flushToOwner() }
    guard case .open(let handle) = state else { return }
    handle.heard(at: engine.clock())
  }

  public func channelWritabilityChanged(context: ChannelHandlerContext) {
    let isWritable = context.channel.isWritable
    full.store(!isWritable, ordering: .releasing)
    if case .piped(let pipe) = detour { return pipe.clientTakes(isWritable) }
    guard isWritable, case .open(let handle) = state else { return }
    if let ping = unansweredPing { answer(ping) }
    handle.drained(at: engine.clock())
  }

  public func channelInactive(context: ChannelHandlerContext) { ended() }

  public func handlerRemoved(context: ChannelHandlerContext) {
    ended()
    self.context = nil
  }

  public func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  private func ended() {
    let before = state
    state = .closed
    reader.drop()
    direct = nil
    assembly = MessageAssembly()
    if case .piped(let pipe) = detour { pipe.end() }
    detour = .flood
    if case .open(let handle) = before { handle.closed(at: engine.clock()) }
  }

  // MARK: Frames

  private func read(_ frame: ClientFrame, _ handle: ConnectionHandle, _ context: ChannelHandlerContext) {
    if frame.bringsNothing {
      switch pace.countFrame(at: engine.clock()) {
      case .taken: break
      case .ignored: if frame.opcode == .ping || frame.opcode == .pong { return }
      case .flood:
        let cause = "Pings, pongs and empty fragments came without end."
        // The rest of the bytes is dropped, and no more are read.
        detour = .flood
        try? context.channel.syncOptions?.setOption(ChannelOptions.autoRead, value: false)
        return handle.breach(Refusal(.rateLimited, cause: cause), at: engine.clock())
      }
    }
    switch frame.opcode {
    case .ping: answer(frame.payload)
    case .pong: break
    case .close: answerClose(frame.payload, handle, context)
    case .text, .binary, .continuation: receive(frame, handle)
    }
  }

  /// A peer that pings and does not read must not make the outbox grow: while it is full, only the newest ping
  /// is kept, and answered when there is room (RFC 6455, section 5.5.3, allows that).
  private func answer(_ ping: [UInt8]) {
    guard !isFull else {
      unansweredPing = ping
      return
    }
    unansweredPing = nil
    write(FrameWriter.frame(.pong, ping))
    flush()
  }

  private func receive(_ frame: ClientFrame, _ handle: ConnectionHandle) {
    do throws(FrameFault) {
      let limit = engine.policy.limits.message
      guard let message = try assembly.add(frame, in: subprotocol, limit: limit) else { return }
      handle.gather(message, at: engine.clock())
    } catch {
      handle.breach(error.refusal, code: error.code, at: engine.clock())
    }
  }

  /// The other side closes. A connection that closes without a leave counts as silence, not as a leave
  /// (SES-8).
  private func answerClose(
    _ payload: [UInt8], _ handle: ConnectionHandle, _ context: ChannelHandlerContext
  ) {
    state = .closing
    handle.closed(at: engine.clock())
    let fault = CloseFrame.fault(payload)
    write(FrameWriter.close(fault ?? CloseCode.left, fault == nil ? "" : RefusalCode.malformed.rawValue))
    flush()
    context.close(promise: nil)
  }

  // MARK: MemberLink

  public var isFull: Bool { full.load(ordering: .acquiring) }

  public func write(_ bytes: SharedBytes) {
    if let direct {
      if let context { direct.write(bytes.frame, context) }
    } else {
      (rawWriter?.context ?? context)?.write(NIOAny(bytes.frame), promise: nil)
    }
  }

  public func flush() {
    if let direct {
      if let context { direct.flush(context) }
    } else {
      (rawWriter?.context ?? context)?.flush()
    }
  }

  public func isLive() {
    guard backlog != SocketBacklog.live, let options = context?.channel.syncOptions else { return }
    backlog = SocketBacklog.live
    try? backlog.set(in: options)
  }

  public func close(code: UInt16, reason: String) {
    switch state {
    case .closing, .closed: return
    case .waiting, .open: break
    }
    state = .closing
    write(FrameWriter.close(code, reason))
    flush()
    // What was held may have the client's answer already.
    goOn()
    guard let context else { return }
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { [weak self] in
      self?.context?.close(promise: nil)
    }
  }
}

// MARK: - Clients of other nodes' rooms

extension RoomSocketHandler: PipeLink {
  package func holdReading() {
    guard pipes != nil, readsFrames else { return }
    detour = .held
    read(false)
  }

  package func goOn() {
    guard case .held = detour else { return }
    detour = nil
    if let context { readFrames(context) }
    if case .open(let handle) = state { handle.submit(at: engine.clock()) }
    if readsFrames { read(true) }
  }

  package func openPipe(_ request: PipeRequest, answer: @escaping (PipeOpening) -> Bool) {
    guard let pipes, let context, case .held = detour else {
      _ = answer(.failed)
      return
    }
    let early = Array(reader.rest.readableBytesView.prefix(Preface.mostEarly))
    held = early.count
    pipes.open(request, early: early, for: self, on: context.eventLoop, answer: answer)
  }

  package func endPipe() -> Bool {
    guard case .piped(let pipe) = detour else { return true }
    detour = .flood
    let canBeTold = pipe.end()
    if !canBeTold { context?.channel.closeWhenSent() }
    return canBeTold
  }

  /// Takes the hello of a client that another node has sent here, as if it had come in the read that is under way.
  func take(hello: [UInt8]) {
    guard case .open(let handle) = state else { return }
    hasArrivals = true
    handle.gather(hello, at: engine.clock())
  }

  /// Refuses such a client, as it would have been refused at the port.
  func refuse(_ refusal: Refusal) {
    guard case .open(let handle) = state else { return }
    handle.breach(refusal, at: engine.clock())
  }
}

extension RoomSocketHandler: PipeClient {
  var takesMore: Bool { context?.channel.isWritable ?? false }
  var waitingBytes: Int { context?.channel.unsentBytes ?? 0 }

  func joined(by pipe: Pipe) -> ByteBuffer {
    var rest = reader.rest
    rest.moveReaderIndex(forwardBy: min(held, rest.readableBytes))
    reader.drop()
    detour = .piped(pipe)
    isLive()
    read(true)
    return rest
  }

  func pass(_ bytes: ByteBuffer) {
    if let direct {
      if let context { direct.write(bytes, context) }
    } else {
      (rawWriter?.context ?? context)?.write(NIOAny(bytes), promise: nil)
    }
  }

  func read(_ isWanted: Bool) {
    try? context?.channel.syncOptions?.setOption(ChannelOptions.autoRead, value: isWanted)
  }

  func ownerEnded(_ ending: PipeEnding) {
    guard case .piped = detour else { return }
    detour = .flood
    flush()
    switch ending {
    case .told:
      if case .open(let handle) = state { handle.ownerHasParted() }
      context?.channel.closeWhenSent()
    case .betweenFrames: if case .open(let handle) = state { handle.lostOwner() }
    case .insideFrame: context?.close(promise: nil)
    }
  }
}

extension ClientFrame {
  /// Whether the frame makes work and has no content: a ping, a pong, or a very small fragment.
  fileprivate var bringsNothing: Bool {
    switch opcode {
    case .ping, .pong: true
    case .text, .binary, .continuation: !isFinal && payload.count < FramePace.fragment
    case .close: false
    }
  }
}

/// Writes finished bytes into the pipeline past NIO's frame encoder, which cannot be removed.
final class RawWriter: ChannelOutboundHandler, @unchecked Sendable {
  typealias OutboundIn = ByteBuffer
  typealias OutboundOut = ByteBuffer
  // Touched on the channel's loop only.
  private(set) var context: ChannelHandlerContext?

  func handlerAdded(context: ChannelHandlerContext) { self.context = context }
  func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }
}
