import BoardroomCodec
import BoardroomModel
import Crypto
import HTTPTypes
import NIOCore
import NIOHTTP1

/// Turns a GET of the rooms' path into a room's WebSocket (RFC 6455, section 4.2), if the client offers a
/// subprotocol that is spoken here.
struct RoomUpgrader: NIOTypedHTTPServerProtocolUpgrader {
  typealias UpgradeResult = Void

  let engine: RoomServerEngine
  let supportedProtocol = "websocket"
  let requiredUpgradeHeaders: [String] = []

  func buildUpgradeResponse(
    channel: any Channel, upgradeRequest: HTTPRequestHead, initialResponseHeaders: HTTPHeaders
  ) -> EventLoopFuture<HTTPHeaders> {
    channel.eventLoop.makeCompletedFuture {
      if let refusal = UpgradeRefusal.of(upgradeRequest) { throw refusal }
      var headers = initialResponseHeaders
      let key = upgradeRequest.headers.first(name: "sec-websocket-key") ?? ""
      headers.replaceOrAdd(name: "sec-websocket-accept", value: Self.accept(key))
      if let spoken = Self.subprotocol(upgradeRequest) {
        headers.replaceOrAdd(name: "sec-websocket-protocol", value: spoken.rawValue)
      }
      return headers
    }
  }

  func upgrade(channel: any Channel, upgradeRequest: HTTPRequestHead) -> EventLoopFuture<Void> {
    channel.eventLoop.makeCompletedFuture {
      guard let spoken = Self.subprotocol(upgradeRequest) else { return }
      _ = try configureRoomSocket(channel: channel, engine: engine, subprotocol: spoken)
    }
  }

  /// The first one of the client's list that is spoken here.
  static func subprotocol(_ request: HTTPRequestHead) -> Subprotocol? {
    request.headers[canonicalForm: "sec-websocket-protocol"].lazy
      .compactMap { Subprotocol(rawValue: String($0)) }.first
  }

  /// The answer to the client's key; the constant is the RFC's.
  static func accept(_ key: String) -> String {
    let hash = Insecure.SHA1.hash(data: Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8))
    return Base64URL.encodePadded(Array(hash))
  }
}

/// Answers a request for a WebSocket that cannot become one, and closes.
final class UpgradeRefusal: ChannelInboundHandler {
  typealias InboundIn = HTTPServerRequestPart
  typealias OutboundOut = HTTPServerResponsePart

  static let noWebSocket = Refusal(
    .badParameter, cause: "This address is for WebSockets.",
    cure: "Connect with Upgrade: websocket as the first request of a new connection.")

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard case .head(let head) = unwrapInboundIn(data) else { return }
    answer(Self.of(head) ?? Self.noWebSocket, context)
  }

  /// What is wrong with a request for a WebSocket; nil if nothing.
  static func of(_ request: HTTPRequestHead) -> Refusal? {
    guard request.headers[canonicalForm: "upgrade"].contains(where: { $0.lowercased() == "websocket" }),
      request.headers[canonicalForm: "connection"].contains(where: { $0.lowercased() == "upgrade" })
    else { return noWebSocket }
    guard request.headers[canonicalForm: "sec-websocket-version"] == ["13"] else {
      return Refusal(.unsupportedVersion, cause: "The WebSocket version is not 13.")
    }
    let keys = request.headers["sec-websocket-key"]
    guard keys.count == 1, Base64URL.isKey(keys[0]) else {
      return Refusal(.malformed, cause: "Sec-WebSocket-Key is not 16 bytes in base64.")
    }
    guard RoomUpgrader.subprotocol(request) != nil else {
      return Refusal(.unsupportedVersion, cause: "No subprotocol that this server speaks was offered.")
    }
    return nil
  }

  private func answer(_ refusal: Refusal, _ context: ChannelHandlerContext) {
    let body = RestError(refusal).bytes
    var headers = HTTPHeaders([
      ("content-type", "application/json; charset=utf-8"), ("content-length", String(body.count)),
      ("connection", "close"),
    ])
    if refusal.code == .unsupportedVersion { headers.add(name: "sec-websocket-version", value: "13") }
    let status = HTTPResponseStatus(statusCode: refusal.code.status.code)
    context.write(wrapOutboundOut(.head(.init(version: .http1_1, status: status, headers: headers))), promise: nil)
    context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
    let channel = context.channel
    context.writeAndFlush(wrapOutboundOut(.end(nil))).whenComplete { _ in channel.close(promise: nil) }
  }
}
