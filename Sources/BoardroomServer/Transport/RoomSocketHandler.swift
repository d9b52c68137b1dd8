import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import NIOCore
import Synchronization

/// One WebSocket of a member. It comes after `ClientFrameDecoder` in the pipeline. It writes finished frames,
/// which `RawWriter` passes around NIO's encoder.
///
/// It has one small object for each connection and no task, and writes without promises. The channel's
/// writability says whether the other side keeps up; its high mark is the outbox of the policy.
public final class RoomSocketHandler: ChannelInboundHandler, MemberLink, @unchecked Sendable {
  public typealias InboundIn = ClientFrame
  public typealias OutboundOut = ByteBuffer

  private enum State {
    case waiting
    case open(ConnectionHandle)
    /// The close frame was sent; the other side's answer, or the end of `patience`, closes the channel.
    case closing
    case closed
  }

  /// How long the other side may take to answer a close frame. If the socket were closed at once, bytes that
  /// are still under way could be lost.
  static let patience = TimeAmount.seconds(2)

  private let engine: RoomServerEngine
  private let subprotocol: Subprotocol
  private let home: EventLoopHome
  private let address: String?
  private let full = Atomic<Bool>(false)
  // Touched on the channel's loop only.
  private var state = State.waiting
  private var assembly = MessageAssembly()
  private var pace = FramePace()
  /// The content of the newest ping that came while the outbox was full.
  private var unansweredPing: [UInt8]?
  private var context: ChannelHandlerContext?
  private let rawWriter: RawWriter?
  private let arrivals: ArrivalMark
  private var backlog = SocketBacklog.catchingUp

  /// - Parameter address: who the other end is, where the channel cannot know it (a proxy).
  init(
    engine: RoomServerEngine, subprotocol: Subprotocol, home: EventLoopHome, rawWriter: RawWriter?,
    arrivals: ArrivalMark, address: String? = nil
  ) {
    self.address = address
    self.engine = engine
    self.subprotocol = subprotocol
    self.home = home
    self.rawWriter = rawWriter
    self.arrivals = arrivals
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
    state = .open(
      engine.connect(
        self, on: home, subprotocol: subprotocol, from: address ?? context.remoteAddress?.ipAddress,
        at: engine.clock()))
  }

  public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    let frame = unwrapInboundIn(data)
    switch state {
    case .open(let handle): read(frame, handle, context)
    case .closing: if frame.opcode == .close { context.close(promise: nil) }
    case .waiting, .closed: break
    }
  }

  public func channelReadComplete(context: ChannelHandlerContext) {
    // NIO also ends a read that found only the end of the stream.
    guard arrivals.takeSignal(), case .open(let handle) = state else { return }
    handle.heard(at: engine.clock())
  }

  public func channelWritabilityChanged(context: ChannelHandlerContext) {
    let isWritable = context.channel.isWritable
    full.store(!isWritable, ordering: .releasing)
    guard isWritable, case .open(let handle) = state else { return }
    if let ping = unansweredPing { answer(ping) }
    handle.drained(at: engine.clock())
  }

  public func channelInactive(context: ChannelHandlerContext) { ended() }

  public func handlerRemoved(context: ChannelHandlerContext) {
    ended()
    self.context = nil
  }

  public func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard case .open(let handle) = state, let fault = error as? FrameFault else {
      context.close(promise: nil)
      return
    }
    handle.breach(fault.refusal, code: fault.code, at: engine.clock())
  }

  private func ended() {
    let before = state
    state = .closed
    assembly = MessageAssembly()
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
        arrivals.end()
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
    (rawWriter?.context ?? context)?.write(NIOAny(bytes.frame), promise: nil)
  }

  public func flush() { (rawWriter?.context ?? context)?.flush() }

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
    guard let context else { return }
    context.eventLoop.assumeIsolated().scheduleTask(in: Self.patience) { [weak self] in
      self?.context?.close(promise: nil)
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

/// Notes that bytes came, before frames are made from them, so that a long frame is a sign of life before it
/// is complete.
final class ArrivalMark: ChannelInboundHandler, @unchecked Sendable {
  typealias InboundIn = ByteBuffer
  // Touched on the channel's loop only.
  private var isSet = false
  /// Whether incoming bytes are dropped.
  private(set) var areOver = false

  func end() { areOver = true }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    isSet = true
    context.fireChannelRead(data)
  }

  /// Whether bytes came since this was last asked.
  func takeSignal() -> Bool {
    defer { isSet = false }
    return isSet
  }
}
