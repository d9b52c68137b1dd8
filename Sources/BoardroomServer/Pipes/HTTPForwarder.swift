import AsyncHTTPClient
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import Crypto
import EventLogModel
import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// Passes HTTP requests on to the nodes that own what they are about, and knows those that other nodes pass on. A request
/// that is passed on has a pipe's place (`PipeLimits.pipes`) until its answer has gone out.
final class HTTPForwarder: RequestForwarder {
  /// Holds a place of a pipe for as long as it is referred to.
  private final class PipePlace: Sendable {
    private let desk: PipeDesk
    init(_ desk: PipeDesk) { self.desk = desk }
    deinit { desk.leave() }
  }

  /// What is left of an answer. Asked by one task after the other.
  private final class AnswerBytes: @unchecked Sendable {
    private var iterator: HTTPClientResponse.Body.AsyncIterator
    init(_ body: HTTPClientResponse.Body) { iterator = body.makeAsyncIterator() }
    @Sendable func next() async throws -> ByteBuffer? { try await iterator.next() }
  }

  private let desk: PipeDesk
  private let client: HTTPClient
  private let underWay = RequestsUnderWay()

  /// - Parameters:
  ///   - trust: whose certificates of other nodes are believed.
  init(_ desk: PipeDesk, trust: TLSConfiguration, group: any EventLoopGroup) {
    self.desk = desk
    var configuration = HTTPClient.Configuration(
      tlsConfiguration: trust, redirectConfiguration: .disallow,
      timeout: .init(connect: desk.limits.opensWithin, read: PipeLimits.answersWithin),
      decompression: .disabled)
    configuration.httpVersion = .http1Only
    configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = PipeLimits.requestConnections
    configuration.connectionPool.idleTimeout = PipeLimits.idleRequests
    // What is not there now is looked for again, because another node may have the log.
    configuration.connectionPool.retryConnectionEstablishment = false
    client = HTTPClient(eventLoopGroup: group, configuration: configuration)
  }

  func shutdown() async { try? await client.shutdown() }

  /// Another node is gone: nobody waits for its answers any more (FWD-8).
  func part(from node: NodeAddress) { underWay.end(at: node) }

  // MARK: From other nodes

  func sender(of request: Request) throws(RestError) -> RequestSender? {
    let values = request.headers[values: Self.header]
    guard !values.isEmpty else { return nil }
    do throws(PrefaceFault) {
      guard values.count == 1 else { throw .malformed }
      let header = try RequestHeader(
        values[0], of: request.method.rawValue, request.head.path ?? "", by: desk.gate.proof)
      try desk.gate.admit(header)
      return RequestSender(client: header.address.isEmpty ? nil : header.address)
    } catch {
      desk.gate.count(error)
      throw RestError(
        .malformed, "The request says that another node has passed it on, which is not proved.",
        cure: "Leave out the header \(RequestHeader.name).")
    }
  }

  private static let header = HTTPField.Name(RequestHeader.name)!

  // MARK: To other nodes

  func answer(
    to request: Request, body: ByteBuffer, of client: String?, by node: NodeAddress
  ) async throws(RestError) -> Response {
    guard let target = request.head.path.flatMap(RequestTarget.plain) else {
      throw RestError(.badName, "The address is not percent-encoded.", cure: "Encode the bytes of its parts.")
    }
    let (answer, place) = try await send(
      request.method.rawValue, target, Self.passed(request.head), body, of: client, to: node)
    return response(answer, to: request.method, by: node, holding: place)
  }

  /// Says something to another node. Nil if there is no answer, whatever the reason. Throws `notHere`.
  ///
  /// - Parameters:
  ///   - path: one of those on which nodes are heard (`RestRoutes.questions`).
  ///   - limit: bytes of the answer at most.
  ///   - deadline: when there is no answer any more, also if the other node reads and says nothing.
  func answer(
    to question: [UInt8], on path: String, by node: NodeAddress, upTo limit: Int = RestRoutes.longestQuestion,
    until deadline: NIODeadline = .distantFuture
  ) async throws(RestError) -> [UInt8]? {
    let target = "\(path)?sha256=\(SHA256.hash(data: question).hexadecimal)"
    do {
      let (answer, place) = try await send(
        "POST", target, ["content-type": "application/json"], ByteBuffer(bytes: question), of: nil, to: node,
        until: deadline)
      defer { withExtendedLifetime(place) {} }
      guard answer.status == .ok else { return nil }
      return try await underWay.untilGone(node) {
        Array(try await answer.body.collect(upTo: limit).readableBytesView)
      }
    } catch let error as RestError where error.name == RestError.notHere.name {
      throw error
    } catch {
      return nil
    }
  }

  private func send(
    _ method: String, _ target: String, _ headers: HTTPHeaders, _ body: ByteBuffer, of client: String?,
    to node: NodeAddress, until deadline: NIODeadline = .distantFuture
  ) async throws(RestError) -> (HTTPClientResponse, PipePlace) {
    let header = RequestHeader(
      time: desk.clock(), nonce: .random(), key: desk.gate.proof.signer, node: node.name,
      address: client ?? "")
    let names = [header.key, header.node, header.address]
    guard names.allSatisfy({ $0.utf8.count <= PrefaceHeader.longestName }), desk.enter() else {
      desk.noteFailure()
      throw .moving
    }
    let place = PipePlace(desk)
    var outgoing = HTTPClientRequest(url: "\(node.origin)\(target)")
    outgoing.method = HTTPMethod(rawValue: method)
    outgoing.headers = headers
    outgoing.headers.add(
      name: RequestHeader.name, value: header.value(for: method, target, proving: desk.gate.proof))
    if body.readableBytes > 0 { outgoing.body = .bytes(body) }
    do {
      let answer = try await underWay.untilGone(node) { [http = self.client, request = outgoing] in
        try await http.execute(request, deadline: deadline)
      }
      guard answer.status != .misdirectedRequest else { throw RestError.notHere }
      return (answer, place)
    } catch let error as RestError {
      throw error
    } catch {
      desk.noteFailure()
      throw Self.hasNotBegun(error) ? .moving : .noAnswer
    }
  }

  /// Errors of the system that only a connection can meet that is being made.
  private static let ofConnecting = [ECONNREFUSED, EHOSTUNREACH, ENETUNREACH, EADDRNOTAVAIL]

  /// Whether the request certainly did not reach the node.
  private static func hasNotBegun(_ error: any Error) -> Bool {
    let early: [HTTPClientError] = [.connectTimeout, .tlsHandshakeTimeout, .getConnectionFromPoolTimeout]
    switch error {
    case let error as HTTPClientError: return early.contains(error)
    // A connection that is there and breaks may have brought the request.
    case let error as IOError: return ofConnecting.contains(error.errnoCode)
    case is NIOConnectionError, ChannelError.connectTimeout, NIOSSLError.handshakeFailed: return true
    default: return false
    }
  }

  /// Headers that are about one connection, and those that this node or its client makes itself.
  private static let ofConnection: Set<String> = [
    "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade", "expect",
    "content-length", RequestHeader.name,
  ]

  private static func passed(_ head: HTTPRequest) -> HTTPHeaders {
    var headers = HTTPHeaders()
    // The owner's rules are about the name by which the client asks.
    if let authority = head.authority { headers.add(name: "host", value: authority) }
    let named = Self.named(by: head.headerFields[values: .connection])
    for field in head.headerFields {
      let name = field.name.canonicalName
      guard !ofConnection.contains(name), !named.contains(name), name != "host" else { continue }
      headers.add(name: name, value: field.value)
    }
    return headers
  }

  /// Fields that the header `Connection` names are about the connection, too (RFC 9110, section 7.6.1).
  private static func named(by values: [String]) -> Set<String> {
    Set(
      values.flatMap { $0.split(separator: ",") }.map {
        $0.lowercased().filter { $0 != " " && $0 != "\t" }
      })
  }

  private func response(
    _ answer: HTTPClientResponse, to method: HTTPRequest.Method, by node: NodeAddress,
    holding place: PipePlace
  ) -> Response {
    var headers = HTTPFields()
    let named = Self.named(by: answer.headers["connection"])
    var length: Int?
    for (name, value) in answer.headers {
      let lower = name.lowercased()
      if lower == "content-length" { length = Int(value) }
      // This node's server says its own.
      guard !Self.ofConnection.contains(lower), !named.contains(lower), !["date", "server"].contains(lower),
        let name = HTTPField.Name(name)
      else { continue }
      headers.append(HTTPField(name: name, value: value))
    }
    let status = HTTPResponse.Status(code: Int(answer.status.code))
    if method == .head { return Self.head(status, headers, length) }
    let bytes = AnswerBytes(answer.body)
    let body = ResponseBody(contentLength: length) { [underWay] writer in
      while let next = try await underWay.untilGone(node, bytes.next) { try await writer.write(next) }
      try await writer.finish(nil)
      withExtendedLifetime(place) {}
    }
    return Response(status: status, headers: headers, body: body)
  }

  /// An answer to HEAD says how long the body would be.
  private static func head(
    _ status: HTTPResponse.Status, _ headers: HTTPFields, _ length: Int?
  ) -> Response {
    var headers = headers
    headers[.contentLength] = length.map(String.init)
    return Response(status: status, headers: headers)
  }
}

/// The path and the query of a request.
enum RequestTarget {
  private static let plain = Set(
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/?".utf8)

  /// With every byte percent-encoded that stands in no address (RFC 3986, section 3), so that nobody on the way writes
  /// it in another form. Nil where a percent sign is not followed by two hexadecimal digits.
  static func plain(_ target: String) -> String? {
    let bytes = Array(target.utf8)
    var encoded: [UInt8] = []
    encoded.reserveCapacity(bytes.count)
    for (place, byte) in bytes.enumerated() {
      if byte == UInt8(ascii: "%") {
        let digits = bytes.dropFirst(place + 1).prefix(2)
        guard digits.count == 2, digits.allSatisfy({ Self.digits.contains($0) }) else { return nil }
        encoded.append(byte)
      } else if plain.contains(byte) {
        encoded.append(byte)
      } else {
        encoded += [UInt8(ascii: "%"), upper[Int(byte >> 4)], upper[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }

  private static let upper = Array("0123456789ABCDEF".utf8)
  private static let digits = Set("0123456789ABCDEFabcdef".utf8)
}

extension NodeAddress {
  /// Scheme, host and port.
  fileprivate var origin: String {
    "\(isSecure ? "https" : "http")://\(host.contains(":") ? "[\(host)]" : host):\(port)"
  }
}
