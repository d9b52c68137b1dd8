import NIOCore

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// The socket of a channel through which nothing but a room's bytes goes: what is written is sent on it at once. The
/// channel's pipeline and its list of pending writes cost more than the system call that they end in.
///
/// Bytes go through the channel when the socket takes no more, and then all that comes after them, until the channel has
/// sent everything. So the channel's writability says what it always says: whether the other side keeps up. To be used
/// on the channel's loop.
///
/// A class, because a channel that cannot send ends while it is told to, and whoever hears of that may write again.
final class DirectSocket {
  /// A larger message goes through the channel. 16 KiB: what is drawn is far smaller, and a piece of a catch-up must wait
  /// for the piece before it, which the channel's writability tells.
  static let largest = 16 << 10

  private let socket: NIOBSDSocket.Handle
  /// The last message written. It is not sent before `flush`, or before another one comes that may go out with it.
  private var unsent: ByteBuffer?
  /// The channel may have something that it has not sent.
  private var isBehindChannel = true

  private init(_ socket: NIOBSDSocket.Handle) { self.socket = socket }

  /// The channel's socket; nil if it has none, or if this system cannot send on it without a signal.
  ///
  /// - Parameter channel: its pipeline must pass on bytes as they are: no TLS, no compression.
  static func of(_ channel: any Channel) -> DirectSocket? {
    #if os(Linux)
      let socket = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable {
        (handle: NIOBSDSocket.Handle) in
        handle
      }
      return socket.flatMap { $0 }.map { DirectSocket($0) }
    #else
      return nil
    #endif
  }

  /// Adds a message to what goes out.
  func write(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
    sendUnsent(moreFollows: true, context)
    guard bytes.readableBytes <= Self.largest, isFree(context.channel) else { return pass(bytes, context) }
    unsent = bytes
  }

  /// Sends what was written.
  func flush(_ context: ChannelHandlerContext) {
    sendUnsent(moreFollows: false, context)
    if isBehindChannel { context.flush() }
  }

  /// Whether the socket may be used: the descriptor of a closed channel may be another connection's by now.
  private func isFree(_ channel: any Channel) -> Bool {
    guard channel.isActive else { return false }
    guard isBehindChannel else { return true }
    guard let options = channel.syncOptions, (try? options.getOption(.bufferedWritableBytes)) == 0 else {
      return false
    }
    isBehindChannel = false
    return true
  }

  private func pass(_ bytes: ByteBuffer, _ context: ChannelHandlerContext) {
    isBehindChannel = true
    context.write(NIOAny(bytes), promise: nil)
  }

  private func sendUnsent(moreFollows: Bool, _ context: ChannelHandlerContext) {
    guard var bytes = unsent else { return }
    unsent = nil
    if context.channel.isActive {
      bytes.moveReaderIndex(forwardBy: sent(of: bytes, moreFollows: moreFollows))
      guard bytes.readableBytes > 0 else { return }
    }
    // Also what the system says of a connection that is broken, the channel finds out by itself.
    pass(bytes, context)
  }

  /// How many bytes the system took.
  private func sent(of bytes: ByteBuffer, moreFollows: Bool) -> Int {
    #if os(Linux)
      let flags = Int32(MSG_NOSIGNAL | MSG_DONTWAIT | (moreFollows ? MSG_MORE : 0))
      return bytes.withUnsafeReadableBytes { max(0, send(socket, $0.baseAddress, $0.count, flags)) }
    #else
      return 0
    #endif
  }
}
