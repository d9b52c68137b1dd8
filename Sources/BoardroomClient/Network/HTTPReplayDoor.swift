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
  /// From the request to the last byte. 30 s: a page of a log is a quarter of a megabyte.
  private static let limit = TimeAmount.seconds(30)

  private let client: HTTPClient
  private let origin: String

  public init(_ endpoint: Endpoint, trust: TrustRoots? = nil) {
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

  public func get(_ path: String, headers: [(name: String, value: String)]) async -> ReplayAnswer {
    var request = HTTPClientRequest(url: origin + path)
    request.headers = HTTPHeaders(headers.map { ($0.name, $0.value) })
    do {
      let answer = try await client.execute(request, timeout: Self.limit)
      let body = try await answer.body.collect(upTo: Self.mostBytes)
      return .status(Int(answer.status.code), body: Array(body.readableBytesView))
    } catch let error as HTTPClientError where error == .deadlineExceeded || error == .connectTimeout {
      return .unreachable("no answer in time")
    } catch {
      return .unreachable("the connection broke")
    }
  }
}
