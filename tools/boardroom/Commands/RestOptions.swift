import ArgumentParser
import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Foundation

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Options of commands that use a running server over HTTP.
struct RestOptions: ParsableArguments {
  @Option(help: "The server; else $BOARDROOM_SERVER, else http://127.0.0.1:8080.")
  var server: String?
  @Option(help: "An SDK token; else $BOARDROOM_SDK_TOKEN; else one is made with the key in the data folder.")
  var token: String?
  @OptionGroup var folder: FolderOption

  /// How long an answer may take. 30 s: creating a room waits for one commit.
  private static let patience: TimeInterval = 30
  static let strange = Failure(.unavailable, "What answers there is not a Boardroom server. Check --server.")

  func call(_ method: String, _ path: String, _ body: JSONValue? = nil) async throws -> JSONValue {
    let variables = ProcessInfo.processInfo.environment
    let base = server ?? variables["BOARDROOM_SERVER"] ?? "http://127.0.0.1:8080"
    guard let url = URL(string: base + path), ["http", "https"].contains(url.scheme), url.host != nil else {
      throw Failure(.usage, "\(base) is not a server's address. Write it as http://HOST:PORT.")
    }
    var request = URLRequest(url: url, timeoutInterval: Self.patience)
    request.httpMethod = method
    request.setValue(try sdkToken(variables), forHTTPHeaderField: "token")
    request.setValue("application/json", forHTTPHeaderField: "content-type")
    request.httpBody = body.map { Data($0.compact) }
    return try Self.value(of: try await Self.answer(request, base))
  }

  func sdkToken(
    _ variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    try token ?? variables["BOARDROOM_SDK_TOKEN"] ?? folder.sdkToken()
  }

  private static func answer(_ request: URLRequest, _ base: String) async throws -> (Data, URLResponse) {
    do {
      return try await URLSession.shared.data(for: request)
    } catch {
      throw Failure(
        .unavailable, "\(base) does not answer. Start it with `boardroom serve`, or name it with --server.")
    }
  }

  private static func value(of answer: (Data, URLResponse)) throws -> JSONValue {
    guard let status = (answer.1 as? HTTPURLResponse)?.statusCode,
      let value = try? JSONValue.parse(Array(answer.0))
    else { throw strange }
    guard !(200..<300).contains(status) else { return value }
    guard let code = value["code"]?.string.flatMap(RefusalCode.init(rawValue:)),
      let cause = value["cause"]?.string
    else { throw strange }
    throw Refusal(code, cause: cause, cure: value["cure"]?.string)
  }
}

extension FolderOption {
  /// Milliseconds for which a token that a command makes for itself is valid. A minute, because it is used at
  /// once.
  private static let tokenLifespan: Int64 = 60_000

  /// An administrator's SDK token, made with the key in the folder.
  func sdkToken() throws -> String {
    let signer = try keyRing().signer
    return AccessToken(
      scope: .team, role: .admin, keyID: signer.id, lifespan: Self.tokenLifespan, at: .wallClock
    ).signed(with: signer.secret)
  }
}
