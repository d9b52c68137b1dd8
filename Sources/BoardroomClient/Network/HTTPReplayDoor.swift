import AsyncHTTPClient
import Dispatch
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// Reaches a server's HTTP interface, which answers on the same port as the rooms. Follows no redirects: a token
/// goes to the server that was named, and nowhere else.
public final class HTTPReplayDoor: ReplayDoor {
  /// The largest answer taken: a snapshot of a room of 100,000 elements is a tenth of it.
  static let mostBytes = 256 << 20
  /// What is asked.
  package enum ReplayRequest: Sendable {
    case get, delete
    /// With a body of JSON.
    case post([UInt8])
    case put([UInt8])
    case patch([UInt8])
  }

  package enum ReplayResponse: Sendable {
    /// With the tag of its content, if it has one.
    case answer(Int, tag: String?, body: [UInt8])
    /// No answer, and why.
    case failed(ConnectionFailure)
    /// An answer that is not taken, in words for people that name no address.
    case unreachable(String)

    /// Whether the server was not reached.
    package var isNone: Bool {
      switch self {
      case .failed, .unreachable: true
      case .answer: false
      }
    }
  }

  private let client: HTTPClient
  private let patience: TimeAmount
  private let origin: String
  private let endpoint: Endpoint
  private let probe: HandshakeProbe

  /// - Parameters:
  ///   - endpoint: The server.
  ///   - trust: Whose certificates count, over TLS; nil: the system's.
  ///   - patience: Time from a request to the last byte of its answer. 30 s: a page of a log is a quarter of a megabyte.
  public init(_ endpoint: Endpoint, trust: TrustRoots? = nil, patience: Duration = .seconds(30)) {
    self.patience = .milliseconds(Int64(patience / .milliseconds(1)))
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    // What cannot be reached is said at once: whoever asks knows better how often to try.
    configuration.connectionPool.retryConnectionEstablishment = false
    if let trust {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      tls.additionalTrustRoots = [.certificates(trust.certificates)]
      configuration.tlsConfiguration = tls
    }
    client = HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
    origin = "\(endpoint.isSecure ? "https" : "http")://\(endpoint.address)"
    self.endpoint = endpoint
    probe = HandshakeProbe(trust)
  }

  deinit { client.shutdown(queue: .global()) { _ in } }

  /// Sends one GET and returns the answer. A failure of the network is an answer, too.
  public func get(_ path: String, headers: [(name: String, value: String)]) async -> ReplayAnswer {
    switch await ask(.get, path, headers: headers) {
    case .answer(let status, _, let body): .status(status, body: body)
    case .failed(let failure): .failed(failure)
    case .unreachable(let why): .unreachable(why)
    }
  }

  /// Of a certificate that nobody vouches for the HTTP client does not say what is wrong with it: one more handshake does.
  private func cause(of error: any Error) async -> ConnectionFailure.Cause {
    let cause = ConnectionFailure.Cause(of: error, during: .requesting)
    guard cause == .untrustedCertificate else { return cause }
    return await probe.cause(at: endpoint, within: patience) ?? cause
  }

  package func ask(
    _ question: ReplayRequest, _ path: String, headers: [(name: String, value: String)]
  ) async -> ReplayResponse {
    var request = HTTPClientRequest(url: origin + path)
    request.headers = HTTPHeaders(headers.map { ($0.name, $0.value) })
    switch question {
    case .get: request.method = .GET
    case .delete: request.method = .DELETE
    case .post(let body): (request.method, request.body) = (.POST, .bytes(ByteBuffer(bytes: body)))
    case .put(let body): (request.method, request.body) = (.PUT, .bytes(ByteBuffer(bytes: body)))
    case .patch(let body): (request.method, request.body) = (.PATCH, .bytes(ByteBuffer(bytes: body)))
    }
    do {
      let answer = try await client.execute(request, timeout: patience)
      let body = try await answer.body.collect(upTo: Self.mostBytes)
      return .answer(
        Int(answer.status.code), tag: answer.headers.first(name: "etag"), body: Array(body.readableBytesView))
    } catch is NIOTooManyBytesError {
      return .unreachable("its answer is larger than \(Self.mostBytes) bytes")
    } catch {
      if Task.isCancelled { return .unreachable("the task was cancelled") }
      return .failed(ConnectionFailure(await cause(of: error), at: endpoint))
    }
  }
}
