import BoardroomCodec
import BoardroomModel
import HTTPTypes
import Hummingbird

/// A refusal as an HTTP answer: `{"message","code","cause","cure"}` with the status of docs/PROTOCOL.md,
/// section 9.
package struct RestError: HTTPResponseError {
  package let refusal: Refusal
  package let status: HTTPResponse.Status
  /// The code in the body: one of `RefusalCode`, or one that exists in HTTP only.
  package let name: String

  package init(_ refusal: Refusal, status: HTTPResponse.Status? = nil, name: String? = nil) {
    self.refusal = refusal
    self.status = status ?? refusal.code.status
    self.name = name ?? refusal.code.rawValue
  }

  package init(_ code: RefusalCode, _ cause: String? = nil, cure: String? = nil) {
    self.init(Refusal(code, cause: cause, cure: cure))
  }

  package func response(from request: Request, context: some RequestContext) throws -> Response { response }

  package var response: Response { .json(bytes: bytes, status: status) }

  /// The body.
  package var bytes: [UInt8] {
    var fields: [(String, JSONValue)] = [
      ("message", .string(refusal.cause)), ("code", .string(name)),
      ("cause", .string(refusal.cause)), ("cure", .string(refusal.cure)),
    ]
    if let actual = refusal.actual { fields.append(("actual", JSONValue(actual))) }
    if let allowed = refusal.allowed { fields.append(("allowed", JSONValue(allowed))) }
    if let limit = refusal.limit { fields.append(("limit", .string(limit))) }
    return JSONValue.object(fields).compact
  }
}

extension RestError {
  /// The refusal of a request to the rooms' address that is no WebSocket handshake.
  package static let noWebSocket = Refusal(
    .badParameter, cause: "This address is for WebSockets.",
    cure: "Connect with Upgrade: websocket as the first request of a new connection.")

  /// What docs/openapi.json says of a status.
  static func meaning(of status: Int) -> String {
    switch status {
    case 400: "The request is wrong, or too large."
    case 401: "The token is missing, wrong or expired."
    case 403: "The token does not allow it, or a ban forbids it."
    case 404: "There is no such thing."
    case 409: "It is there already."
    case 429: "Too much at once."
    case 503: "The log is full, or the server is going down."
    default: "The server met a fault of its own."
    }
  }
}

extension RefusalCode {
  /// The status of each code, as the table of docs/PROTOCOL.md, section 9, has it.
  package var status: HTTPResponse.Status {
    switch self {
    case .tokenInvalid, .tokenExpired: .unauthorized
    case .forbidden, .banned, .writerLimit, .membersFull, .notWritable, .notRecorded: .forbidden
    case .notFound, .notMember, .noSuchScene, .noSuchElement, .noBroadcaster, .noSuchInvite:
      .notFound
    case .unsupportedVersion, .badName, .badParameter, .malformed, .tooLarge, .unknownKind, .outOfOrder,
      .tooSlowHello, .notConnected, .tooMany:
      .badRequest
    case .rateLimited, .connectionLimit: .tooManyRequests
    case .conflict, .pending, .replaced, .kicked, .locked, .nothingToUndo, .peerOffline,
      .repeatedInvite:
      .conflict
    case .timeout, .networkLost: .gatewayTimeout
    case .roomsFull, .logFull, .goingAway: .serviceUnavailable
    case .internalFailure: .internalServerError
    }
  }
}

extension Response {
  static func json(_ value: JSONValue, status: HTTPResponse.Status = .ok) -> Response {
    json(bytes: value.compact, status: status)
  }

  static func json(bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
    text(bytes, type: "application/json; charset=utf-8", status: status)
  }

  static func bytes(_ bytes: [UInt8]) -> Response { text(bytes, type: "application/octet-stream") }

  static func text(_ bytes: some Collection<UInt8>, type: String, status: HTTPResponse.Status = .ok)
    -> Response
  {
    Response(
      status: status,
      headers: [.contentType: type, .contentLength: String(bytes.count), .cacheControl: "no-store"],
      body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
  }
}
