import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// The first handler of the listening socket. While the port has as many sockets as it may have, it accepts
/// no more: further connections wait in the system's queue, where they cost no descriptor. To accept a
/// connection only to close it would cost one.
///
/// If accepting fails for lack of descriptors or memory, it is tried again a little later. If such an error
/// were passed on, listening would end for good; without a pause the loop would do nothing else.
final class AcceptGate: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  /// 100 ms: ten failing tries a second cost nothing, and a waiting client does not notice them.
  static let pause = TimeAmount.milliseconds(100)

  private let limit: Int
  private let told: @Sendable (any Error) -> Void
  private(set) var open = 0
  private var isPausing = false
  private var isWanted = false
  /// Whether `told` was called for the present stop of accepting.
  private var hasTold = false

  /// - Parameters:
  ///   - limit: sockets of the port at once. Up to three more can come in one turn of the loop.
  ///   - told: called for failures after which accepting goes on.
  init(limit: Int, told: @escaping @Sendable (any Error) -> Void = { _ in }) {
    self.limit = limit
    self.told = told
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    open += 1
    hasTold = false
    let me = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
    unwrapInboundIn(data).closeFuture.hop(to: context.eventLoop).whenComplete { _ in
      me.value.gate.open -= 1
      me.value.gate.resume(me.value.context)
    }
    context.fireChannelRead(data)
  }

  func read(context: ChannelHandlerContext) {
    if isPausing || open >= limit { isWanted = true } else { context.read() }
  }

  private func resume(_ context: ChannelHandlerContext) {
    guard isWanted, !isPausing, open < limit else { return }
    isWanted = false
    context.read()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard Self.canPass(error) else { return context.fireErrorCaught(error) }
    guard !isPausing else { return }
    isPausing = true
    if !hasTold { told(error) }
    hasTold = true
    let me = NIOLoopBound((gate: self, context: context), eventLoop: context.eventLoop)
    context.eventLoop.scheduleTask(in: Self.pause) {
      me.value.gate.isPausing = false
      me.value.gate.resume(me.value.context)
    }
  }

  private static func canPass(_ error: any Error) -> Bool {
    guard let error = error as? IOError else { return false }
    return [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(error.errnoCode)
  }
}
