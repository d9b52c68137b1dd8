import BoardroomCodec
import BoardroomModel
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOWebSocket

#if canImport(Network)
  import NIOTransportServices
#endif

/// WebSockets over TCP, plain (`ws://`) or with TLS (`wss://`), as the endpoint says.
public struct WebSocketTransport: Transport {
  /// The largest message taken from a server. 16 MiB: four times the largest run.
  static let messageLimit = 16 << 20
  /// How long a TCP connection may take to open; the connection machine gives up an attempt earlier (4 s).
  static let connectLimit = TimeAmount.seconds(10)

  private let loop: any EventLoop
  private let tls: ClientTLS
  /// Where `events` are called, if that is not the loop.
  private let other: ActorContext?

  /// - Parameters:
  ///   - context: on whose loop connections live.
  ///   - trust: who may vouch for a server besides the system's own roots.
  public init(on context: LoopContext, trust: TrustRoots? = nil) {
    (loop, other) = (context.loop, nil)
    tls = ClientTLS(trust)
  }

  /// The same for an app that is called on an actor: connections live on the context's event loop.
  public init(on context: ActorContext, trust: TrustRoots? = nil) {
    (loop, other) = (context.network.loop, context)
    tls = ClientTLS(trust)
  }

  /// Opens a WebSocket. Whatever happens to it is said to `events`, on the context.
  public func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let connection = WebSocketConnection(on: loop, endpoint, subprotocol, telling: other, events: events)
    open(connection, endpoint, subprotocol)
    return other == nil ? connection : HandedConnection(connection, on: loop)
  }

  private func open(_ connection: WebSocketConnection, _ endpoint: Endpoint, _ subprotocol: Subprotocol) {
    connect(to: endpoint) { [tls] channel in
      channel.eventLoop.makeCompletedFuture {
        if endpoint.isSecure {
          try tls.add(to: channel, host: endpoint.host) { connection.heard($0) }
        }
        let upgrade = try Self.upgrade(channel, to: connection, at: endpoint, subprotocol)
        // In front of all others, so that it hears every byte.
        try channel.pipeline.syncOperations.addHandler(
          WebSocketConnection.ByteObserver(connection), position: .first)
        // Not before: NIO's upgrade handler refuses what is written while it is at work.
        upgrade.whenSuccess { isWebSocket in if isWebSocket { connection.opened(channel) } }
        upgrade.whenFailure { error in
          connection.failed(error)
          channel.close(promise: nil)
        }
      }
    }.whenFailure { connection.failed($0) }
  }

  /// Over Network.framework if the loop is one of that (`LoopContext.networkFramework`), else over a socket.
  private func connect(
    to endpoint: Endpoint, preparing prepare: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
  ) -> EventLoopFuture<any Channel> {
    #if canImport(Network)
      // It sends small messages at once by itself.
      if let bootstrap = NIOTSConnectionBootstrap(validatingGroup: loop) {
        return bootstrap.connectTimeout(Self.connectLimit).channelInitializer(prepare)
          .connect(host: endpoint.host, port: endpoint.port)
      }
    #endif
    return ClientBootstrap(group: loop)
      .connectTimeout(Self.connectLimit)
      .channelOption(.tcpOption(.tcp_nodelay), value: 1)
      .channelInitializer(prepare)
      .connect(host: endpoint.host, port: endpoint.port)
  }

  /// Asks for the upgrade; whichever way that goes, the connection hears of it. False: the answer is another one.
  private static func upgrade(
    _ channel: any Channel, to connection: WebSocketConnection, at endpoint: Endpoint,
    _ subprotocol: Subprotocol
  ) throws -> EventLoopFuture<Bool> {
    var headers = HTTPHeaders()
    headers.add(name: "Host", value: "\(endpoint.host):\(endpoint.port)")
    headers.add(name: "Sec-WebSocket-Protocol", value: subprotocol.rawValue)
    headers.add(name: "Content-Length", value: "0")
    let upgrader = NIOTypedWebSocketClientUpgrader<Bool>(maxFrameSize: messageLimit) { channel, _ in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandlers([
          NIOWebSocketFrameAggregator(
            minNonFinalFragmentSize: 0, maxAccumulatedFrameCount: 1_024,
            maxAccumulatedFrameSize: messageLimit),
          connection.makeHandler(),
        ])
        return true
      }
    }
    let configuration = NIOTypedHTTPClientUpgradeConfiguration<Bool>(
      upgradeRequestHead: HTTPRequestHead(
        version: .http1_1, method: .GET, uri: endpoint.path, headers: headers),
      upgraders: [upgrader]
    ) { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(AnswerReader(connection))
        return false
      }
    }
    return try channel.pipeline.syncOperations.configureUpgradableHTTPClientPipeline(
      configuration: .init(upgradeConfiguration: configuration))
  }
}

/// One WebSocket. Everything happens on its loop; what happens may be told on another context.
final class WebSocketConnection: TransportConnection {
  private struct State {
    var channel: (any Channel)?
    var isOver = false
    var step = ConnectionStep.connecting
    /// Whether the first bytes are a record of TLS.
    var speaksTLS: Bool?
  }

  private let state: NIOLoopBoundBox<State>
  private let loop: any EventLoop
  private let endpoint: Endpoint
  private let subprotocol: Subprotocol
  private let events: @Sendable (TransportEvent) -> Void
  /// Where `events` is called, if that is not the loop.
  private let other: (any ClientContext)?
  private let handed = HandedBytes()

  init(
    on loop: any EventLoop, _ endpoint: Endpoint, _ subprotocol: Subprotocol,
    telling other: (any ClientContext)? = nil,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) {
    self.loop = loop
    self.endpoint = endpoint
    self.subprotocol = subprotocol
    self.other = other
    self.events = events
    state = .makeBoxSendingValue(State(), eventLoop: loop)
  }

  private func tell(_ event: TransportEvent) {
    guard let other else { return events(event) }
    let content = if case .received(let bytes) = event { bytes.count } else { 0 }
    let size = HandedBytes.each + content
    if handed.add(size) { setReading(false) }
    other.execute { [self] in
      events(event)
      // More may have come before the loop gets to it.
      if handed.remove(size) { loop.execute { self.setReading(self.handed.allowsReading) } }
    }
  }

  private func setReading(_ reads: Bool) {
    _ = state.value.channel?.setOption(.autoRead, value: reads)
  }

  func send(_ message: [UInt8]) {
    guard let channel = state.value.channel else { return }
    let opcode: WebSocketOpcode = subprotocol == .binary ? .binary : .text
    channel.writeAndFlush(
      WebSocketFrame(
        fin: true, opcode: opcode, maskKey: .random(), data: channel.allocator.buffer(bytes: message)),
      promise: nil)
  }

  func close() {
    guard let channel = state.value.channel else {
      state.value.isOver = true
      return
    }
    channel.close(promise: nil)
  }

  func abandon() {
    if let options = state.value.channel as? any SocketOptionProvider {
      _ = options.unsafeSetSocketOption(
        level: SocketOptionLevel(NIOBSDSocket.OptionLevel.socket.rawValue),
        name: SocketOptionName(NIOBSDSocket.Option.so_linger.rawValue), value: Linger())
    }
    close()
  }

  /// As `struct linger` has it: what was not sent when the socket closes is thrown away.
  private struct Linger {
    var isOn: CInt = 1
    var seconds: CInt = 0
  }

  /// The type and the first byte of the version of every record of TLS that begins a conversation: an alert or a handshake.
  private static let recordBeginnings: [[UInt8]] = [[0x15, 0x03], [0x16, 0x03]]

  fileprivate func note(_ bytes: ByteBuffer) {
    if state.value.speaksTLS == nil {
      state.value.speaksTLS = Self.recordBeginnings.contains(Array(bytes.readableBytesView.prefix(2)))
    }
    if !state.value.isOver { tell(.heard) }
  }

  /// The TCP connection stands.
  fileprivate func connected() { reached(endpoint.isSecure ? .securing : .requesting) }

  private func reached(_ step: ConnectionStep, tls: String? = nil) {
    guard !state.value.isOver else { return }
    state.value.step = step
    tell(.reached(step, tls: tls))
  }

  /// Called on the loop.
  func heard(_ news: HandshakeNews) {
    switch news {
    case .agreed(let version): reached(.requesting, tls: version)
    case .failed(let cause): failed(cause)
    }
  }

  fileprivate func opened(_ channel: any Channel) {
    guard !state.value.isOver else { return channel.close(promise: nil) }
    state.value.channel = channel
    state.value.step = .entering
    tell(.opened)
  }

  fileprivate func received(_ buffer: ByteBuffer) { tell(.received(Array(buffer.readableBytesView))) }

  /// Called on the loop, perhaps more than once: the first cause counts.
  func failed(_ error: any Error) {
    let cause = ConnectionFailure.Cause(of: error, during: state.value.step)
    let isUnasked = !endpoint.isSecure && state.value.speaksTLS == true
    failed(cause == .notHTTP && isUnasked ? .needsTLS : cause)
  }

  func failed(_ cause: ConnectionFailure.Cause) { end(with: .failed(ConnectionFailure(cause, at: endpoint))) }

  /// The socket is gone, after all that this says of itself.
  fileprivate func broke() {
    guard state.value.step != .entering else { return ended() }
    failed(.closed(state.value.step))
  }

  /// Called on the loop, perhaps more than once.
  func ended() { end(with: .closed) }

  private func end(with event: TransportEvent) {
    let isKnown = state.value.isOver
    state.value.isOver = true
    state.value.channel = nil
    if !isKnown { tell(event) }
  }

  func makeHandler() -> Handler { Handler(self) }

  /// Tells of every read, whatever it is part of.
  final class ByteObserver: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) { self.connection = connection }

    func channelActive(context: ChannelHandlerContext) {
      connection.connected()
      context.fireChannelActive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      connection.note(unwrapInboundIn(data))
      context.fireChannelRead(data)
    }

    /// Nothing behind this says so while the upgrade is under way.
    func channelInactive(context: ChannelHandlerContext) {
      context.fireChannelInactive()
      connection.broke()
    }
  }

  /// Takes frames apart: messages go up, pings are answered, anything else ends the connection.
  final class Handler: ChannelInboundHandler {
    typealias InboundIn = WebSocketFrame
    typealias OutboundOut = WebSocketFrame

    private let connection: WebSocketConnection

    init(_ connection: WebSocketConnection) { self.connection = connection }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
      let frame = unwrapInboundIn(data)
      switch frame.opcode {
      case .binary, .text: connection.received(frame.unmaskedData)
      case .ping:
        let pong = WebSocketFrame(
          fin: true, opcode: .pong, maskKey: .random(), data: frame.unmaskedData)
        context.writeAndFlush(wrapOutboundOut(pong), promise: nil)
      case .connectionClose: context.close(promise: nil)
      default: break
      }
    }

    func channelInactive(context: ChannelHandlerContext) {
      connection.ended()
      context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
  }
}

/// Tells of an answer that is no WebSocket: its status, and nothing of its body.
private final class AnswerReader: ChannelInboundHandler {
  typealias InboundIn = HTTPClientResponsePart

  private let connection: WebSocketConnection

  init(_ connection: WebSocketConnection) { self.connection = connection }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    connection.failed(ConnectionFailure.Cause(head))
    context.close(promise: nil)
  }
}
