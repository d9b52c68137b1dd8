import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import NIOCore
import NIOHTTP1
import NIOWebSocket

/// Why a channel cannot carry room connections.
public enum RoomSocketError: Error, Sendable {
  /// Its event loop is not one of the engine's. Accept it on the group whose loops the engine got.
  case foreignEventLoop
  /// NIO's frame decoder is in its pipeline. It accepts what RFC 6455 forbids, so the room adds a decoder of
  /// its own.
  case foreignDecoder
}

/// Turns a channel into a room's WebSocket after the HTTP upgrade: sets the outbox, and adds the
/// handler. HTTP handlers must be gone, or be about to be removed by the upgrade, and NIO's frame decoder must not
/// be there; its frame encoder may stay, nothing goes through it. To be called on the channel's event loop.
///
/// - Parameters:
///   - channel: what was upgraded.
///   - engine: one of whose loops is the channel's.
///   - subprotocol: that which the upgrade has agreed on.
///   - address: who the other end is, if a trusted proxy said so; else the channel's own.
@discardableResult
public func configureRoomSocket(
  channel: any Channel, engine: RoomServerEngine, subprotocol: Subprotocol, address: String? = nil
) throws -> RoomSocketHandler {
  try configureRoomSocket(
    channel: channel, engine: engine, subprotocol: subprotocol, isPlain: false, address: address)
}

/// - Parameters:
///   - isPlain: no handler of the channel changes bytes that go out; there is no TLS.
///   - isPiped: another node has sent the client here.
///   - pipes: where clients of other nodes' rooms are joined to these; nil: there are no other nodes.
@discardableResult
func configureRoomSocket(
  channel: any Channel, engine: RoomServerEngine, subprotocol: Subprotocol, isPlain: Bool,
  address: String? = nil, isPiped: Bool = false, pipes: PipeDesk? = nil
) throws -> RoomSocketHandler {
  guard let home = engine.home(of: channel.eventLoop) else { throw RoomSocketError.foreignEventLoop }
  let pipeline = channel.pipeline.syncOperations
  let outbox = engine.policy.outbox
  try channel.syncOptions?.setOption(
    ChannelOptions.writeBufferWaterMark,
    value: ChannelOptions.Types.WriteBufferWaterMark(low: outbox / 4, high: outbox))
  if let options = channel.syncOptions { try? SocketBacklog.catchingUp.set(in: options) }
  var rawWriter: RawWriter?
  if let encoder = try? pipeline.context(handlerType: WebSocketFrameEncoder.self) {
    let added = RawWriter()
    // Not at the first place, because the TLS handler may be there.
    try pipeline.addHandler(added, position: .before(encoder.handler))
    rawWriter = added
  }
  guard (try? pipeline.context(handlerType: ByteToMessageHandler<WebSocketFrameDecoder>.self)) == nil else {
    throw RoomSocketError.foreignDecoder
  }
  let handler = RoomSocketHandler(
    engine: engine, subprotocol: subprotocol, home: home, rawWriter: rawWriter,
    direct: isPlain ? DirectSocket.of(channel) : nil, address: address, isPiped: isPiped, pipes: pipes)
  try pipeline.addHandler(handler)
  return handler
}

/// How many bytes the system holds for one member and has not sent (`TCP_NOTSENT_LOWAT`). Without a bound
/// that is 4 MiB for each member that does not read, and for some hundred of them the loop spends seconds on
/// copying.
struct SocketBacklog: Equatable {
  let bytes: Int

  /// Two pieces (`ServerPolicy.piece`), so that one goes in at once while the one before it goes out. With less than one,
  /// each costs several turns of the loop: 1,000 members caught up in 3.1 s with 128 KiB, and in 1.9 s with this.
  static let catchingUp = SocketBacklog(bytes: 512 << 10)
  /// Bytes that are under way on the network do not count, so that a link with a long delay is as fast as
  /// before. With 384 KiB, 500 members that do not read delayed the others by 160 ms, with this value by 30
  /// ms.
  static let live = SocketBacklog(bytes: 128 << 10)

  /// Not every system has this option. Without it the server needs more memory and is slower, and nothing
  /// else changes.
  func set(in options: any NIOSynchronousChannelOptions) throws {
    try options.setOption(
      ChannelOptions.tcpOption(Self.option), value: ChannelOptions.Types.SocketOption.Value(bytes))
  }

  #if canImport(Darwin)
    private static let option = NIOBSDSocket.Option(rawValue: 0x201)
  #else
    private static let option = NIOBSDSocket.Option(rawValue: 25)
  #endif
}

/// Makes Swift's runtime look up, on one thread, which protocols the decoders of rooms conform to. The first
/// connections would do that on several loops at once, and for generic classes that another thread is just
/// creating it has crashed a server at its start (Swift 6.3 on Linux, once in hundreds of starts under load).
/// Call it once, before anything listens.
func findDecoderConformances() {
  find(HTTPRequestDecoder())
}

/// Makes the same look-ups as `ByteToMessageHandler` when it is added to a pipeline.
private func find<Decoder: ByteToMessageDecoder>(_ decoder: Decoder) {
  withExtendedLifetime(
    (ByteToMessageHandler(decoder), decoder as? any WriteObservingByteToMessageDecoder)
  ) {}
}

extension RoomServerEngine {
  /// The engine's `EventLoopHome` on this event loop; nil if it has none.
  func home(of eventLoop: any EventLoop) -> EventLoopHome? {
    for case let home as EventLoopHome in loops where home.eventLoop === eventLoop { return home }
    return nil
  }
}
