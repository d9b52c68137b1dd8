import BoardroomAccess
import BoardroomCodec
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import Crypto
import HTTPTypes
import NIOCore
import NIOHTTP1

/// The opening of a room's WebSocket (RFC 6455, section 4.2): reads one request. It either answers 101 and is
/// replaced by the room's handlers, or it answers what is wrong and closes.
///
/// NIO's upgrade handler is not used, because it drops a request that it does not upgrade, and leaves a
/// request with a body without an answer.
final class RoomHandshake: ChannelInboundHandler, RemovableChannelHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  private enum State {
    case waiting
    case asked(HTTPRequestHead)
    case answered
  }

  private let engine: RoomServerEngine
  private let limiter: ConnectionLimiter
  private let origins: OriginRule
  /// The rule of an open server; nil on others.
  private let rule: OpenRule?
  private let isPlain: Bool
  private let pipes: PipeDesk?
  private let encoder: HTTPResponseEncoder
  private let decoder: ByteToMessageHandler<HTTPRequestDecoder>
  private var state = State.waiting
  private var patience: Scheduled<Void>?

  private init(
    engine: RoomServerEngine, limiter: ConnectionLimiter, origins: OriginRule, rule: OpenRule?,
    isPlain: Bool, pipes: PipeDesk?, encoder: HTTPResponseEncoder,
    decoder: ByteToMessageHandler<HTTPRequestDecoder>
  ) {
    self.rule = rule
    self.pipes = pipes
    self.isPlain = isPlain
    self.engine = engine
    self.limiter = limiter
    self.origins = origins
    self.encoder = encoder
    self.decoder = decoder
  }

  /// Puts the handshake at the end of a pipeline. To be called on the channel's loop.
  ///
  /// - Parameters:
  ///   - isPlain: there is no TLS.
  ///   - pipes: where clients of other nodes' rooms are joined to these; nil: there are no other nodes.
  static func add(
    to channel: any Channel, engine: RoomServerEngine, limiter: ConnectionLimiter, origins: OriginRule = .any,
    rule: OpenRule? = nil, isPlain: Bool = false, pipes: PipeDesk? = nil
  ) throws {
    // A peer that closes only its own side of a WebSocket has left without a leave.
    try channel.syncOptions?.setOption(ChannelOptions.allowRemoteHalfClosure, value: false)
    let encoder = HTTPResponseEncoder()
    let decoder = ByteToMessageHandler(HTTPRequestDecoder(leftOverBytesStrategy: .forwardBytes))
    let pipeline = channel.pipeline.syncOperations
    try pipeline.addHandler(encoder)
    try pipeline.addHandler(decoder)
    try pipeline.addHandler(
      RoomHandshake(
        engine: engine, limiter: limiter, origins: origins, rule: rule, isPlain: isPlain, pipes: pipes,
        encoder: encoder, decoder: decoder))
  }

  // MARK: ChannelInboundHandler

  func handlerAdded(context: ChannelHandlerContext) {
    let channel = context.channel
    patience = context.eventLoop.scheduleTask(in: PortMultiplexer.requestWithin) {
      channel.close(promise: nil)
    }
  }

  func handlerRemoved(context: ChannelHandlerContext) { patience?.cancel() }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    switch (state, unwrapInboundIn(data)) {
    case (.waiting, .head(let head)): state = .asked(head)
    case (.asked(let head), .end): answer(head, context)
    case (.asked, .body), (.asked, .head), (.waiting, .body), (.waiting, .end):
      refuse(Refusal(.malformed, cause: "A request for a WebSocket has no body."), context)
    case (.answered, _): break
    }
  }

  func errorCaught(context: ChannelHandlerContext, error: any Error) {
    guard error is HTTPParserError else { return context.close(promise: nil) }
    refuse(Refusal(.malformed, cause: "The request is not HTTP/1.1."), context)
  }

  func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
    if event is ChannelShouldQuiesceEvent { refuse(Refusal(.goingAway), context) }
    context.fireUserInboundEventTriggered(event)
  }

  // MARK: Answers

  private func answer(_ head: HTTPRequestHead, _ context: ChannelHandlerContext) {
    if let refusal = Self.refusal(of: head, origins) { return refuse(refusal, context) }
    let (hosts, pages) = (head.headers["host"], head.headers["origin"])
    if let refusal = rule?.refusal(hosts: hosts, origins: pages) { return refuse(refusal, context) }
    guard let spoken = Self.subprotocol(of: head), let key = head.headers.first(name: "sec-websocket-key")
    else { return refuse(RestError.noWebSocket, context) }
    let asking = limiter.ask(head.headers, on: context.channel)
    if let refusal = asking.refusal { return refuse(refusal, context) }
    accept(key, spoken, from: asking.address, context)
  }

  private func accept(
    _ key: String, _ spoken: Subprotocol, from address: String?, _ context: ChannelHandlerContext
  ) {
    state = .answered
    let headers = HTTPHeaders([
      ("upgrade", "websocket"), ("connection", "upgrade"), ("sec-websocket-accept", Self.accept(key)),
      ("sec-websocket-protocol", spoken.rawValue),
    ])
    let response = HTTPResponseHead(version: .http1_1, status: .switchingProtocols, headers: headers)
    context.writeAndFlush(wrapOutboundOut(.head(response)), promise: nil)
    let pipeline = context.pipeline.syncOperations
    do {
      try configureRoomSocket(
        channel: context.channel, engine: engine, subprotocol: spoken, isPlain: isPlain, address: address,
        pipes: pipes)
    } catch {
      return context.close(promise: nil)
    }
    // The decoder is removed last, so that bytes that it has read after the request go to the room.
    pipeline.removeHandler(context: context, promise: nil)
    pipeline.removeHandler(encoder, promise: nil)
    pipeline.removeHandler(decoder, promise: nil)
  }

  private func refuse(_ refusal: Refusal, _ context: ChannelHandlerContext) {
    if case .answered = state { return }
    state = .answered
    let body = RestError(refusal).bytes
    var headers = HTTPHeaders([
      ("content-type", "application/json; charset=utf-8"), ("content-length", String(body.count)),
      ("connection", "close"),
    ])
    if refusal.code == .unsupportedVersion { headers.add(name: "sec-websocket-version", value: "13") }
    let status = HTTPResponseStatus(statusCode: refusal.code.status.code)
    let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
    context.write(wrapOutboundOut(.head(head)), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
  }

  // MARK: Rules

  /// What is wrong with a request for a WebSocket; nil if nothing.
  static func refusal(of request: HTTPRequestHead, _ origins: OriginRule) -> Refusal? {
    let headers = request.headers
    let version = request.version
    guard version.major > 1 || (version.major == 1 && version.minor >= 1) else {
      return Refusal(.malformed, cause: "The request is older than HTTP/1.1.")
    }
    let hosts = headers["host"]
    guard hosts.count == 1, !hosts[0].isEmpty else {
      return Refusal(.malformed, cause: "The request has not exactly one Host.")
    }
    // Browsers always send `Origin`; programs need not.
    guard headers["origin"].allSatisfy(origins.allows) else {
      return Refusal(
        .forbidden, cause: "Pages of this origin may not open rooms here.",
        cure: "Let the operator add it to the setting origins.")
    }
    guard headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }),
      headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" })
    else { return RestError.noWebSocket }
    guard headers[canonicalForm: "sec-websocket-version"] == ["13"] else {
      return Refusal(.unsupportedVersion, cause: "The WebSocket version is not 13.", cure: "Use version 13.")
    }
    let keys = headers["sec-websocket-key"]
    guard keys.count == 1, Base64URL.isKey(keys[0]) else {
      return Refusal(.malformed, cause: "Sec-WebSocket-Key is not 16 bytes in base64.")
    }
    guard subprotocol(of: request) != nil else {
      return Refusal(.unsupportedVersion, cause: "No subprotocol that this server speaks was offered.")
    }
    return nil
  }

  /// The first subprotocol of the client's list that the server has.
  static func subprotocol(of request: HTTPRequestHead) -> Subprotocol? {
    request.headers[canonicalForm: "sec-websocket-protocol"].lazy
      .compactMap { Subprotocol(rawValue: String($0)) }.first
  }

  /// The answer to the client's key; the constant is the RFC's.
  static func accept(_ key: String) -> String {
    let hash = Insecure.SHA1.hash(data: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    return Base64URL.encodePadded(Array(hash))
  }
}
