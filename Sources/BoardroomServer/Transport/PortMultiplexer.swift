import BoardroomAccess
import BoardroomHosting
import BoardroomModel
import HummingbirdCore
import Logging
import NIOCore
import NIOHTTP1

// Rooms, HTTP and other nodes share one port. The first bytes of a connection decide which of them gets it:
//
//   "GET /v1/rooms" and then " " or "?"  →  one handshake, then the room's WebSocket and nothing else
//   F2, on a server with other nodes      →  one preface, then the WebSocket of a client of that node
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
    /// The connection went to its room, or is refused and will be closed; also that of another node.
    case room
  }

  static let roomPath = "/v1/rooms"
  /// Time for the first bytes, and again for a room's whole request. 10 s: as for a slow mobile link twice over.
  static let requestWithin = TimeAmount.seconds(10)
  /// An idle HTTP connection is closed after this. 60 s: longer than clients usually keep one.
  static let idleTimeout = TimeAmount.seconds(60)

  /// Each connection keeps the bytes into which it read last. 512: what a member sends at once is smaller, and a connection
  /// that sends more is given twice as much each time.
  private static let reading = AdaptiveRecvByteBufferAllocator(minimum: 64, initial: 512, maximum: 65_536)

  let http: HTTP1Channel
  let times: RequestTimes
  let engine: RoomServerEngine
  let limiter: ConnectionLimiter
  let identity: TLSIdentity?
  let origins: OriginRule
  let rule: OpenRule?
  let pipes: PipeDesk?

  /// - Parameters:
  ///   - identity: with it, the port speaks TLS.
  ///   - rule: that of an open server; nil on others.
  ///   - pipes: joins clients to other nodes; nil: there are none.
  init(
    responder: @escaping HTTPChannelHandler.Responder, engine: RoomServerEngine, limiter: ConnectionLimiter,
    identity: TLSIdentity?, origins: OriginRule = .any, rule: OpenRule? = nil,
    times: RequestTimes = RequestTimes(), pipes: PipeDesk? = nil
  ) {
    self.times = times
    self.pipes = pipes
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
      try channel.syncOptions?.setOption(.recvAllocator, value: Self.reading)
      let answer = limiter.enter(channel)
      if let identity { try pipeline.addHandler(TLSOpening(identity)) }
      switch answer {
      case .welcome: return try open(channel, logger)
      case .reserved(let refusal): return try open(channel, logger, .onlyHTTP(refusal))
      case .refused(let refusal, let status) where pipes != nil && status == .tooManyRequests:
        return try open(channel, logger, .onlyNodes(refusal, status))
      case .refused(let refusal, let status): try pipeline.addHandler(Turnaway(refusal, status: status))
      case .cut: channel.close(promise: nil)
      }
      return Value(channel: channel, entry: channel.eventLoop.makeSucceededFuture(.room))
    }
  }

  /// What a connection may be used for.
  private enum PortAccess {
    case all
    /// It is over the limit of all connections, and from this machine.
    case onlyHTTP(Refusal)
    /// Its address has too many connections. It may be another node's, whose clients have addresses of their own.
    case onlyNodes(Refusal, HTTPResponseStatus)

    var isForAll: Bool { if case .onlyNodes = self { false } else { true } }
  }

  private func open(
    _ channel: any Channel, _ logger: Logger, _ access: PortAccess = .all
  ) throws -> Value {
    let way = channel.eventLoop.makePromise(of: PortProtocol.self)
    let first = FirstBytes(way, takesNodes: pipes != nil, tellsRooms: access.isForAll)
    try channel.pipeline.syncOperations.addHandler(first)
    return Value(channel: channel, entry: enter(channel, way.futureResult, access, logger))
  }

  private func enter(
    _ channel: any Channel, _ way: EventLoopFuture<PortProtocol>, _ access: PortAccess, _ logger: Logger
  ) -> EventLoopFuture<AcceptedConnection> {
    way.flatMap { way -> EventLoopFuture<AcceptedConnection> in
      switch (way, access) {
      case (.http, .onlyNodes(let refusal, let status)), (.room, .onlyNodes(let refusal, let status)):
        turnAway(channel, refusal, status).map { .room }
      case (.http, _): speakHTTP(channel, logger).map { .http($0) }
      case (.room, .onlyHTTP(let refusal)), (.node, .onlyHTTP(let refusal)):
        turnAway(channel, refusal, .serviceUnavailable).map { .room }
      case (.room, .all): shakeHands(channel).map { .room }
      case (.node, _): readPreface(channel, wasOver: !access.isForAll).map { .room }
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

  private func turnAway(
    _ channel: any Channel, _ refusal: Refusal, _ status: HTTPResponseStatus
  ) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try channel.pipeline.syncOperations.addHandler(Turnaway(refusal, status: status))
    }
  }

  private func readPreface(_ channel: any Channel, wasOver: Bool) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      guard let pipes else { return }
      try PrefaceReader.add(
        to: channel, pipes: pipes, engine: engine, limiter: limiter, isPlain: identity == nil,
        wasOver: wasOver)
    }
  }

  private func shakeHands(_ channel: any Channel) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      try RoomHandshake.add(
        to: channel, engine: engine, limiter: limiter, origins: origins, rule: rule, isPlain: identity == nil,
        pipes: pipes)
    }
  }

  fileprivate enum PortProtocol { case http, room, node }
}

/// Keeps the bytes that come until it is decided where the connection goes.
private final class FirstBytes: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = ByteBuffer
  typealias InboundOut = ByteBuffer

  private static let rooms = Array("GET \(PortMultiplexer.roomPath)".utf8)

  private var promise: EventLoopPromise<PortMultiplexer.PortProtocol>?
  private var held = ByteBuffer()
  private var patience: Scheduled<Void>?
  private let takesNodes: Bool
  private let tellsRooms: Bool

  /// - Parameters:
  ///   - takesNodes: other nodes may come.
  ///   - tellsRooms: false: rooms and HTTP need not be told apart, so that the first byte decides.
  init(
    _ promise: EventLoopPromise<PortMultiplexer.PortProtocol>, takesNodes: Bool, tellsRooms: Bool
  ) {
    self.promise = promise
    self.takesNodes = takesNodes
    self.tellsRooms = tellsRooms
  }

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    let within = tellsRooms ? PortMultiplexer.requestWithin : Turnaway.patience
    patience = context.eventLoop.scheduleTask(in: within) { channel.close(promise: nil) }
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    var bytes = unwrapInboundIn(data)
    held.writeBuffer(&bytes)
    guard promise != nil, let way = way(held.readableBytesView) else { return }
    patience?.cancel()
    promise?.succeed(way)
    promise = nil
  }

  /// Nil while the bytes could still be either.
  private func way(_ bytes: ByteBufferView) -> PortMultiplexer.PortProtocol? {
    if takesNodes, bytes.first == PrefaceHeader.first { return .node }
    guard tellsRooms else { return .http }
    let rooms = Self.rooms
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
