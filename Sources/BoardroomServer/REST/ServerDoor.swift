import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

// One port for both. The first bytes of a connection say where it goes:
//
//   "GET /v1/rooms" and then " " or "?"  →  NIO's HTTP with its upgrade, then the room's WebSocket and nothing else
//   anything else                         →  Hummingbird's HTTP
//
// A room's connection so never carries an HTTP stack or a task. The price: an upgrade only works as the first
// request of a connection, as with NIO's own upgrade handler.

/// Accepts connections for Hummingbird's server.
struct ServerDoor: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    /// Known once the first bytes have come; a channel is only read after it was set up.
    let entry: EventLoopFuture<Entry>
  }

  enum Entry: Sendable {
    case http(HTTP1Channel.Value)
    /// Handed over to its room, or about to be refused and closed.
    case room
  }

  static let roomPath = "/v1/rooms"
  /// Time for the first bytes. 10 s: as for a slow mobile link twice over.
  static let firstBytesWithin = TimeAmount.seconds(10)
  /// An idle HTTP connection is closed after this. 60 s: longer than clients usually keep one.
  static let idleTimeout = TimeAmount.seconds(60)

  let http: HTTP1Channel
  let engine: RoomServerEngine

  init(responder: @escaping HTTPChannelHandler.Responder, engine: RoomServerEngine) {
    http = HTTP1Channel(responder: responder, configuration: .init(idleTimeout: Self.idleTimeout))
    self.engine = engine
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let way = channel.eventLoop.makePromise(of: Way.self)
      try channel.pipeline.syncOperations.addHandler(FirstBytes(way))
      return Value(channel: channel, entry: enter(channel, way.futureResult, logger))
    }
  }

  private func enter(
    _ channel: any Channel, _ way: EventLoopFuture<Way>, _ logger: Logger
  ) -> EventLoopFuture<Entry> {
    way.flatMap { way in
      switch way {
      case .http: http.setup(channel: channel, logger: logger).map { .http($0) }
      case .room: upgrade(channel).map { .room }
      }
    }.flatMap { (entry: Entry) in
      FirstBytes.release(channel).map { entry }
    }
  }

  func handle(value: Value, logger: Logger) async {
    // An error here means that the connection ended before it had asked for anything.
    switch try? await value.entry.get() {
    case .http(let channel): await http.handle(value: channel, logger: logger)
    case .room, nil: break
    }
  }

  /// HTTP for one request, which becomes a WebSocket or is answered and closed.
  private func upgrade(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try channel.syncOptions?.setOption(ChannelOptions.allowRemoteHalfClosure, value: false)
      let configuration = NIOTypedHTTPServerUpgradeConfiguration<Void>(
        upgraders: [RoomUpgrader(engine: engine)]
      ) { channel in
        channel.eventLoop.makeCompletedFuture {
          try channel.pipeline.syncOperations.addHandler(UpgradeRefusal())
        }
      }
      var pipeline = NIOUpgradableHTTPServerPipelineConfiguration(upgradeConfiguration: configuration)
      pipeline.enablePipelining = false
      _ = try channel.pipeline.syncOperations.configureUpgradableHTTPServerPipeline(configuration: pipeline)
    }
  }

  fileprivate enum Way { case http, room }
}

/// Holds back what comes until the first bytes have said where the connection goes.
private final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private static let rooms = Array("GET \(ServerDoor.roomPath)".utf8)

  private var promise: EventLoopPromise<ServerDoor.Way>?
  private var held = ByteBuffer()
  private var patience: Scheduled<Void>?

  init(_ promise: EventLoopPromise<ServerDoor.Way>) { self.promise = promise }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    patience = context.eventLoop.scheduleTask(in: ServerDoor.firstBytesWithin) { channel.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    held.writeBuffer(&bytes)
    guard promise != nil, let way = Self.way(held.readableBytesView) else { return }
    patience?.cancel()
    promise?.succeed(way)
    promise = nil
  }

  /// Nil while the bytes could still be either.
  private static func way(_ bytes: ByteBufferView) -> ServerDoor.Way? {
    guard bytes.prefix(rooms.count).elementsEqual(rooms.prefix(bytes.count)) else { return .http }
    guard let next = bytes.dropFirst(rooms.count).first else { return nil }
    return next == UInt8(ascii: " ") || next == UInt8(ascii: "?") ? .room : .http
  }

  func channelInactive(context: ChannelHandlerContext) {
    end()
    context.fireChannelInactive()
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    // A drain, or a peer that will say no more: nothing has been asked for, so nothing is owed.
    if event is ChannelShouldQuiesceEvent || (event as? ChannelEvent) == .inputClosed {
      context.close(promise: nil)
    }
    context.fireUserInboundEventTriggered(event)
  }

  private func end() {
    patience?.cancel()
    promise?.fail(ChannelError.eof)
    promise = nil
  }

  func handlerRemoved(context: ChannelHandlerContext) { end() }

  func removeHandler(context: ChannelHandlerContext, removalToken: ChannelHandlerContext.RemovalToken) {
    if held.readableBytes > 0 {
      context.fireChannelRead(wrapInboundOut(held))
      context.fireChannelReadComplete()
    }
    context.leavePipeline(removalToken: removalToken)
  }

  /// Lets the held bytes go on to the handlers that were added meanwhile.
  static func release(_ channel: any Channel) -> EventLoopFuture<Void> {
    let pipeline = channel.pipeline.syncOperations
    do {
      return pipeline.removeHandler(context: try pipeline.context(handlerType: FirstBytes.self))
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }
}
