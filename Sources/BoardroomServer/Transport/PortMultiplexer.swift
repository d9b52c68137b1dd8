import BoardroomAccess
import BoardroomHosting
import BoardroomModel
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

// Rooms and HTTP share one port. The first bytes of a connection decide which of them gets it:
//
//   "GET /v1/rooms" and then " " or "?"  →  one handshake, then the room's WebSocket and nothing else
//   anything else                         →  Hummingbird's HTTP
//
// So a room's connection has no HTTP handlers and no task. In return a WebSocket can be opened only by the
// first request of a connection, as everywhere in NIO.

/// Accepts connections for Hummingbird's server.
struct PortMultiplexer: ServerChildChannel {
  struct Value: ServerChildChannelValue {
    let channel: any Channel
    /// Known once the first bytes have come, because a channel is read only after it was set up.
    let entry: EventLoopFuture<AcceptedConnection>
  }

  enum AcceptedConnection: Sendable {
    case http(HTTP1Channel.Value)
    /// The connection went to its room, or is refused and will be closed.
    case room
  }

  static let roomPath = "/v1/rooms"
  /// Time for the first bytes, and again for a room's whole request. 10 s: as for a slow mobile link twice over.
  static let requestWithin = TimeAmount.seconds(10)
  /// An idle HTTP connection is closed after this. 60 s: longer than clients usually keep one.
  static let idleTimeout = TimeAmount.seconds(60)

  let http: HTTP1Channel
  let times: RequestTimes
  let engine: RoomServerEngine
  let limiter: ConnectionLimiter
  let identity: TLSIdentity?
  let origins: OriginRule
  let rule: OpenRule?

  /// - Parameters:
  ///   - identity: with it, the port speaks TLS.
  ///   - rule: that of an open server; nil on others.
  init(
    responder: @escaping HTTPChannelHandler.Responder, engine: RoomServerEngine, limiter: ConnectionLimiter,
    identity: TLSIdentity?, origins: OriginRule = .any, rule: OpenRule? = nil,
    times: RequestTimes = RequestTimes()
  ) {
    self.times = times
    self.limiter = limiter
    self.rule = rule
    self.identity = identity
    self.origins = origins
    http = HTTP1Channel(responder: responder, configuration: .init(idleTimeout: Self.idleTimeout))
    self.engine = engine
  }

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Value> {
    channel.eventLoop.makeCompletedFuture {
      let pipeline = channel.pipeline.syncOperations
      let answer = limiter.enter(channel)
      if let identity { try pipeline.addHandler(TLSOpening(identity)) }
      switch answer {
      case .welcome: return try open(channel, logger)
      case .reserved(let refusal): return try open(channel, logger, refusingRooms: refusal)
      case .refused(let refusal, let status): try pipeline.addHandler(Turnaway(refusal, status: status))
      case .cut: channel.close(promise: nil)
      }
      return Value(channel: channel, entry: channel.eventLoop.makeSucceededFuture(.room))
    }
  }

  private func open(
    _ channel: any Channel, _ logger: Logger, refusingRooms refusal: Refusal? = nil
  ) throws -> Value {
    let way = channel.eventLoop.makePromise(of: PortProtocol.self)
    try channel.pipeline.syncOperations.addHandler(FirstBytes(way))
    return Value(channel: channel, entry: enter(channel, way.futureResult, refusal, logger))
  }

  private func enter(
    _ channel: any Channel, _ way: EventLoopFuture<PortProtocol>, _ refusal: Refusal?, _ logger: Logger
  ) -> EventLoopFuture<AcceptedConnection> {
    way.flatMap { way in
      switch way {
      case .http: speakHTTP(channel, logger).map { .http($0) }
      case .room: (refusal.map { turnAway(channel, $0) } ?? shakeHands(channel)).map { .room }
      }
    }.flatMap { (entry: AcceptedConnection) in
      FirstBytes.release(channel).map { entry }
    }
  }

  private func speakHTTP(_ channel: any Channel, _ logger: Logger) -> EventLoopFuture<HTTP1Channel.Value> {
    http.setup(channel: channel, logger: logger).flatMapThrowing { value in
      try RequestWatch(times, on: channel).stand(in: channel.pipeline.syncOperations)
      return value
    }
  }

  func handle(value: Value, logger: Logger) async {
    // An error here means that the connection ended before it had asked for anything.
    switch try? await value.entry.get() {
    case .http(let channel): await http.handle(value: channel, logger: logger)
    case .room, nil: break
    }
  }

  private func turnAway(_ channel: any Channel, _ refusal: Refusal) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(Turnaway(refusal, status: .serviceUnavailable))
    }
  }

  private func shakeHands(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try RoomHandshake.add(to: channel, engine: engine, limiter: limiter, origins: origins, rule: rule)
    }
  }

  fileprivate enum PortProtocol { case http, room }
}

/// Keeps the bytes that come until it is decided where the connection goes.
private final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private static let rooms = Array("GET \(PortMultiplexer.roomPath)".utf8)

  private var promise: EventLoopPromise<PortMultiplexer.PortProtocol>?
  private var held = ByteBuffer()
  private var patience: Scheduled<Void>?

  init(_ promise: EventLoopPromise<PortMultiplexer.PortProtocol>) { self.promise = promise }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    patience = context.eventLoop.scheduleTask(in: PortMultiplexer.requestWithin) {
      channel.close(promise: nil)
    }
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
  private static func way(_ bytes: ByteBufferView) -> PortMultiplexer.PortProtocol? {
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
    // The server drains, or the peer has ended its side. There was no request, so no answer is needed.
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

  /// Passes the kept bytes on to the handlers that were added since.
  static func release(_ channel: any Channel) -> EventLoopFuture<Void> {
    let pipeline = channel.pipeline.syncOperations
    do {
      return pipeline.removeHandler(context: try pipeline.context(handlerType: FirstBytes.self))
    } catch {
      return channel.eventLoop.makeFailedFuture(error)
    }
  }
}
