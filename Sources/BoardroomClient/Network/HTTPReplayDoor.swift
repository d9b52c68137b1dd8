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
    case get
    /// With a body of JSON.
    case post([UInt8])
  }

  package enum ReplayResponse: Sendable {
    /// With the tag of its content, if it has one.
    case answer(Int, tag: String?, body: [UInt8])
    /// No connection, or one that broke, in words for people that name no address.
    case unreachable(String)
  }

  private let client: HTTPClient
  private let patience: TimeAmount
  private let origin: String

  /// - Parameters:
  ///   - endpoint: The server.
  ///   - trust: Whose certificates count, over TLS; nil: the system's.
  ///   - patience: Time from a request to the last byte of its answer. 30 s: a page of a log is a quarter of a megabyte.
  public init(_ endpoint: Endpoint, trust: TrustRoots? = nil, patience: Duration = .seconds(30)) {
    self.patience = .milliseconds(Int64(patience / .milliseconds(1)))
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    if let trust {
      var tls = TLSConfiguration.makeClientConfiguration()
      tls.minimumTLSVersion = .tlsv12
      tls.additionalTrustRoots = [.certificates(trust.certificates)]
      configuration.tlsConfiguration = tls
    }
    client = HTTPClient(eventLoopGroup: .singletonMultiThreadedEventLoopGroup, configuration: configuration)
    let host = endpoint.host.contains(":") ? "[\(endpoint.host)]" : endpoint.host
    origin = "\(endpoint.isSecure ? "https" : "http")://\(host):\(endpoint.port)"
  }

  deinit { client.shutdown(queue: .global()) { _ in } }

  /// Sends one GET and returns the answer. A failure of the network is an answer, too.
  public func get(_ path: String, headers: [(name: String, value: String)]) async -> ReplayAnswer {
    switch await ask(.get, path, headers: headers) {
    case .answer(let status, _, let body): .status(status, body: body)
    case .unreachable(let why): .unreachable(why)
    }
  }

  package func ask(
    _ question: ReplayRequest, _ path: String, headers: [(name: String, value: String)]
  ) async -> ReplayResponse {
    var request = HTTPClientRequest(url: origin + path)
    request.headers = HTTPHeaders(headers.map { ($0.name, $0.value) })
    if case .post(let body) = question {
      request.method = .POST
      request.body = .bytes(ByteBuffer(bytes: body))
    }
    do {
      let answer = try await client.execute(request, timeout: patience)
      let body = try await answer.body.collect(upTo: Self.mostBytes)
      return .answer(
        Int(answer.status.code), tag: answer.headers.first(name: "etag"), body: Array(body.readableBytesView))
    } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
      return .unreachable("no answer in time")
    } catch {
      return .unreachable("the connection broke")
    }
  }
}
