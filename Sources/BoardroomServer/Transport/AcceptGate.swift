import NIOCore
import NIOPosix

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Stands first at the listening socket. While the port has as many sockets as it may, no more are accepted: who
/// comes then waits in the system's queue, and costs no descriptor. A connection that is accepted only to be
/// closed would cost one, too.
///
/// Where accepting fails for want of descriptors or memory, it is tried again a little later. Passed on, such an
/// error would end the listening for good, and without a pause the loop would do nothing else.
final class AcceptGate: ChannelDuplexHandler {
  typealias InboundIn = any Channel
  typealias InboundOut = any Channel
  typealias OutboundIn = Never
  typealias OutboundOut = Never

  /// 100 ms: ten futile tries a second cost nothing, and nobody who waits notices.
  static let pause = TimeAmount.milliseconds(100)

  private let limit: Int
  private let told: @Sendable (any Error) -> Void
  private(set) var open = 0
  private var isPausing = false
  private var isWanted = false
  /// Told once for each time that accepting stands still.
  private var hasTold = false

  /// - Parameters:
  ///   - limit: sockets of the port at once. Up to three more can come in one turn of the loop.
  ///   - told: hears of failures after which accepting goes on.
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
