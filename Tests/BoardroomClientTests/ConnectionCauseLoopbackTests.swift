import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import Synchronization
import TestKit
import Testing

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why a server is not reached, over real sockets: what a join's error says, what each attempt tells, and what reads over HTTP say.
@Suite(.timeLimit(.minutes(15))) struct ConnectionCauseLoopbackTests {
  /// What no error, no told failure and no line of the log may hold.
  private static let secret = "NETLESSROOM_secret"

  private final class Attempts: WhiteRoomCallbackDelegate, Sendable {
    let failures = Mutex<[ConnectionFailure]>([])
    func fireConnectionAttemptFailed(_ failure: ConnectionFailure) {
      failures.withLock { $0.append(failure) }
    }
  }

  /// The error of a join that may take so long: an attempt on a busy machine may fail for want of time, and the next one says why.
  private func join(
    _ endpoint: Endpoint, trust: Certificates? = nil, within limit: Duration = .seconds(10)
  ) async throws -> (error: BoardroomError, told: [ConnectionFailure], log: String) {
    let log = KeptLog()
    var endpoint = endpoint
    endpoint.path += "?token=\(Self.secret)"
    var configuration = WhiteSdkConfiguration(endpoint: endpoint, trust: try trust.map(Self.roots))
    configuration.logger = log.logger
    var config = WhiteRoomConfig(uuid: RoomID(high: 1, low: 9).description, roomToken: Self.secret)
    config.timeout = limit
    let attempts = Attempts()
    do {
      _ = try await WhiteSDK(sdkConfiguration: configuration).joinRoom(config, callbacks: attempts)
    } catch {
      let said = "\(error) \(error.connection.map { "\($0) \($0.cure)" } ?? "") \(log.everything)"
      #expect(!said.contains(Self.secret), "\(said)")
      return (error, attempts.failures.withLock { $0 }, log.everything)
    }
    throw NotExpected()
  }

  private struct NotExpected: Error {}

  private static func roots(_ certificate: Certificates) throws -> TrustRoots {
    try TrustRoots(pem: Array(try Data(contentsOf: URL(fileURLWithPath: certificate.certificate))))
  }

  /// What the error, the attempts and the log say of one cause.
  private func expect(
    _ cause: ConnectionFailure.Cause, says words: String,
    of join: (error: BoardroomError, told: [ConnectionFailure], log: String),
    _ place: SourceLocation = #_sourceLocation
  ) {
    #expect(join.error.connection?.cause == cause, "\(join.error)", sourceLocation: place)
    #expect(join.error.cause.contains(words), "\(join.error)", sourceLocation: place)
    #expect(!join.error.cure.isEmpty, sourceLocation: place)
    #expect(join.told.last?.cause == cause, sourceLocation: place)
    #expect(join.told.first?.attempt == 1, sourceLocation: place)
    #expect(join.log.contains(words), "\(join.log)", sourceLocation: place)
  }

  @Test(
    "Nobody listens: the error says that the connection was refused, where, and after how long it gave up")
  func refused() async throws {
    let endpoint = try await FixedServer.closedPort()
    let failed = try await join(endpoint)
    expect(.refused, says: "Nothing listens at 127.0.0.1:\(endpoint.port)", of: failed)
    #expect(failed.error.code == .timeout)
    #expect(failed.error.cause.contains("given up after 10 s"))
    #expect(failed.told.count > 1, "each attempt is told")
    #expect(failed.told.map(\.attempt) == Array(1...failed.told.count))
  }

  @Test("A name that is none: the error says that it was not found")
  func unknownHost() async throws {
    let failed = try await join(Endpoint(host: "nobody.invalid", port: 443), within: .seconds(20))
    expect(.unknownHost, says: "The name nobody.invalid was not found", of: failed)
  }

  @Test(
    "Another program answers over HTTP: the error says its status, and when it wants to be asked again",
    arguments: [
      (
        "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n",
        ConnectionFailure.Cause.status(404, retryAfter: nil)
      ),
      ("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\nnope", .status(502, retryAfter: nil)),
      (
        "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 0\r\n\r\n",
        .status(503, retryAfter: .seconds(7))
      ),
      ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", .proxy(status: 407)),
      (
        "HTTP/1.1 302 Found\r\nLocation: http://x/?token=NETLESSROOM_secret\r\nContent-Length: 0\r\n\r\n",
        .status(302, retryAfter: nil)
      ),
    ])
  func status(_ answer: String, _ cause: ConnectionFailure.Cause) async throws {
    try await FixedServer.run(.text(answer)) { server in
      let failed = try await join(server.endpoint)
      let number = answer.split(separator: " ")[1]
      expect(cause, says: "answered with HTTP status \(number)", of: failed)
      if number == "503" { #expect(failed.error.cure.contains("7 s")) }
    }
  }

  @Test("What speaks no HTTP, closes, or says nothing is told apart")
  func strange() async throws {
    try await FixedServer.run(.text("SSH-2.0-somebody\r\n")) { server in
      expect(.notHTTP, says: "does not speak HTTP", of: try await join(server.endpoint))
    }
    try await FixedServer.run(.nothing) { server in
      let failed = try await join(server.endpoint)
      expect(.closed(.requesting), says: "closed the connection without an answer", of: failed)
    }
    try await FixedServer.run(.silence) { server in
      let failed = try await join(server.endpoint)
      expect(.timeout(.requesting), says: "gave no answer in time", of: failed)
    }
  }

  // MARK: TLS

  @Test(
    "TLS: an authority that is not trusted, a certificate that has expired and one for another name are told apart, at once"
  )
  func certificates() async throws {
    let cases: [(Certificates, trusted: Certificates?, ConnectionFailure.Cause, String)] = [
      (.server, nil, .untrustedCertificate, "no authority that is trusted"),
      (.server, .elsewhere, .untrustedCertificate, "no authority that is trusted"),
      (.expired, .expired, .expiredCertificate, "has expired"),
      (.elsewhere, .elsewhere, .wrongName, "for another name"),
    ]
    for (certificate, trusted, cause, words) in cases {
      try await LoopbackServer.run(tls: certificate.files) { server in
        let failed = try await join(server.endpoint, trust: trusted, within: .seconds(30))
        expect(cause, says: words, of: failed)
        #expect(failed.error.code == .networkLost, "it is not tried again")
        let door = HTTPReplayDoor(server.endpoint, trust: try trusted.map(Self.roots))
        guard case .failed(let failure) = await door.get("/healthz", headers: []) else {
          Issue.record("answered")
          return
        }
        #expect(failure.cause == cause, "over HTTP")
      }
    }
  }

  @Test("TLS where the other side speaks none, and none where it does")
  func mismatched() async throws {
    try await FixedServer.run(.text("HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")) { server in
      var endpoint = server.endpoint
      endpoint.isSecure = true
      expect(.notTLS, says: "does not speak TLS", of: try await join(endpoint))
    }
    try await LoopbackServer.run { server in
      var endpoint = server.endpoint
      endpoint.isSecure = true
      let failed = try await join(endpoint)
      #expect(failed.error.cause.contains("TLS"), "\(failed.error)")
      #expect(!failed.error.cause.contains("prove"), "\(failed.error)")
    }
    try await FixedServer.run(.text("\u{15}\u{3}\u{1}\u{0}\u{2}\u{2}\u{46}")) { server in
      expect(.needsTLS, says: "speaks TLS, and was asked without", of: try await join(server.endpoint))
    }
    // A Boardroom server says it over HTTP.
    try await LoopbackServer.run(tls: Certificates.server.files) { server in
      var endpoint = server.endpoint
      endpoint.isSecure = false
      let failed = try await join(endpoint)
      expect(.status(400, retryAfter: nil), says: "HTTP status 400", of: failed)
      #expect(failed.error.cure.contains("TLS"))
    }
  }

  // MARK: Over HTTP, and of accounts

  @Test("What is read over HTTP says the cause at once, and a store of logs keeps it")
  func overHTTP() async throws {
    let endpoint = try await FixedServer.closedPort()
    let answer = await HTTPReplayDoor(endpoint).get(
      "/?token=\(Self.secret)", headers: [("token", Self.secret)])
    #expect(answer == .failed(ConnectionFailure(.refused, at: endpoint)))
    #expect(!"\(answer)".contains(Self.secret))
    let store = RemoteLogStore(endpoint) { Self.secret }
    await #expect(throws: (any Error).self) { try await store.logs(after: nil, limit: 1) }
    #expect(store.failure?.connection?.cause == .refused)
    #expect(store.failure?.cause.contains("Nothing listens") == true, "\(String(describing: store.failure))")
    let room = RoomID(high: 1, low: 9).description
    let sdk = WhiteSDK(sdkConfiguration: WhiteSdkConfiguration(endpoint: endpoint))
    let playable = await sdk.isPlayable(WhitePlayerConfig(room: room, roomToken: Self.secret))
    guard case .notReadable(let error) = playable else { Issue.record("\(playable)"); return }
    #expect(error.connection?.cause == .refused)
    try await FixedServer.run(.text("HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")) {
      server in
      let store = RemoteLogStore(server.endpoint) { Self.secret }
      await #expect(throws: (any Error).self) { try await store.logs(after: nil, limit: 1) }
      #expect(store.failure?.cause.contains("503") == true, "\(String(describing: store.failure))")
    }
  }

  @Test("RTC, RTM and Signaling: the configuration hears why attempts fail; a cancelled login ends")
  func accounts() async throws {
    let endpoint = try await FixedServer.closedPort()
    let heard = Mutex<[ConnectionFailure.Cause]>([])
    var configuration = ServiceConfiguration(appId: "app", endpoint: endpoint)
    configuration.attemptFailed = { failure in heard.withLock { $0.append(failure.cause) } }
    let (rtm, signaling) = (
      RtmClient(configuration: configuration), SignalingClient.createSigInstance(configuration)
    )
    let rtc = RtcConnection(configuration: configuration)
    let logins: [@Sendable () async throws -> Void] = [
      { try await rtm.loginByToken(Self.secret, user: "anna") },
      { try await signaling.login(account: "anna", token: Self.secret) },
      { _ = try await rtc.joinChannel(byToken: Self.secret, channelId: "room") },
    ]
    for login in logins {
      heard.withLock { $0 = [] }
      let task = Task { try await login() }
      while heard.withLock({ $0.isEmpty }) { await Task.yield() }
      task.cancel()
      await #expect(throws: (any Error).self) { try await task.value }
      #expect(heard.withLock { $0.first } == .refused)
    }
  }
}
