import AsyncHTTPClient
import NIOCore
import NIOHTTP1
import NIOPosix

/// One delivery, ready to be sent.
struct WebhookRequest: Sendable, Hashable {
  var url: String
  var headers: [(String, String)]
  var body: [UInt8]

  static func == (left: WebhookRequest, right: WebhookRequest) -> Bool {
    left.url == right.url && left.body == right.body && left.headers.elementsEqual(right.headers) { $0 == $1 }
  }
  func hash(into hasher: inout Hasher) { hasher.combine(body) }
}

/// The result of a delivery.
enum WebhookAnswer: Sendable, Hashable {
  case status(Int, retryAfter: Duration?)
  case timeout
  /// There was no connection, or it broke. The text names no address.
  case unreachable(String)

  /// 2xx: accepted. 410: no more events. 400, 413 and 422 are about this one event; all other statuses are
  /// about the endpoint. Redirects are not followed, so that events go only to the address that the operator
  /// has set.
  var verdict: WebhookMachine.Verdict {
    switch self {
    case .status(200...299, _): .taken
    case .status(410, _): .unwanted
    case .status(400, _), .status(413, _), .status(422, _): .refused
    case .status(_, let retryAfter): .failed(retryAfter: retryAfter)
    case .timeout, .unreachable: .failed(retryAfter: nil)
    }
  }

  /// The text for logs.
  var words: String {
    switch self {
    case .status(let code, _): "status \(code)"
    case .timeout: "no answer in time"
    case .unreachable(let why): why
    }
  }
}

/// Sends deliveries to endpoints: over HTTP in the server, to a simulated receiver in tests.
protocol WebhookTransport: Sendable {
  func post(_ request: WebhookRequest, within: Duration) async -> WebhookAnswer
}

/// Sends over HTTP. Follows no redirects, and reads no more of an answer than needed.
final class HTTPWebhookTransport: WebhookTransport {
  /// The body of an answer is ignored; after a larger one the connection is closed.
  private static let answerBytes = 64 << 10

  private let client: HTTPClient

  init(group: any EventLoopGroup) {
    var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
    configuration.httpVersion = .http1Only
    client = HTTPClient(eventLoopGroup: group, configuration: configuration)
  }

  func post(_ request: WebhookRequest, within limit: Duration) async -> WebhookAnswer {
    var outgoing = HTTPClientRequest(url: request.url)
    outgoing.method = .POST
    outgoing.headers = HTTPHeaders(request.headers)
    outgoing.body = .bytes(ByteBuffer(bytes: request.body))
    do {
      let answer = try await client.execute(outgoing, timeout: TimeAmount(limit))
      _ = try? await answer.body.collect(upTo: Self.answerBytes)
      let retryAfter = answer.headers.first(name: "retry-after").flatMap { Int($0) }
      return .status(
        Int(answer.status.code), retryAfter: retryAfter.map { .seconds(min(max($0, 0), 86_400)) })
    } catch let error as HTTPClientError {
      return Self.answer(to: error)
    } catch {
      return .unreachable(error is NIOConnectionError ? "no connection" : "the connection broke")
    }
  }

  private static func answer(to error: HTTPClientError) -> WebhookAnswer {
    let slow: [HTTPClientError] = [.deadlineExceeded, .readTimeout, .connectTimeout, .writeTimeout]
    if slow.contains(error) { return .timeout }
    return error == .cancelled ? .unreachable("cancelled") : .unreachable("the connection broke")
  }

  func shutdown() async { try? await client.shutdown() }
}
