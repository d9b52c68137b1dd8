import ArgumentParser
import BoardroomAccess
import BoardroomClient
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation

/// Options of commands that use a running server over HTTP.
struct RestOptions: ParsableArguments {
  @Option(
    help:
      "The server, or several with the same rooms and commas between; else $BOARDROOM_SERVER, else http://127.0.0.1:8080."
  )
  var server: String?
  @Option(help: "An SDK token; else $BOARDROOM_SDK_TOKEN; else one is made with the key in the data folder.")
  var token: String?
  @OptionGroup var trust: TrustOption
  @OptionGroup var folder: FolderOption

  static let strange = Failure(
    .unavailable, "What answers there is not a Boardroom server.", "Check --server.", code: "notBoardroom")

  func call(_ request: HTTPReplayDoor.ReplayRequest, _ path: String) async throws -> JSONValue {
    let server = try await named()
    let headers = [
      (name: "token", value: try sdkToken()), (name: "content-type", value: "application/json"),
    ]
    // 30 s for an answer: creating a room waits for one commit.
    let door = HTTPReplayDoor(server.endpoint, trust: server.trust)
    switch await door.ask(request, path, headers: headers) {
    case .failed(let failure): throw await server.failure(after: failure)
    case .unreachable(let why): throw await server.failure(saying: why)
    case .answer(let status, _, let body):
      if let trouble = await server.trouble(behind: status) { throw trouble }
      guard let value = try Self.value(status, body) else { throw await server.trouble() ?? Self.strange }
      return value
    }
  }

  private func named() async throws -> NamedServer {
    let address = server ?? ProcessInfo.processInfo.environment["BOARDROOM_SERVER"] ?? LiveOptions.usualServer
    return await NamedServer.answering(try LiveOptions.servers(address), trust: try trust.roots())
  }

  /// The revision that an instant means in a room of the server.
  func revision(at instant: Instant, in room: RoomID) async throws -> Revision {
    if case .revision(let revision) = instant { return revision }
    let options = self
    return try await named().reading({ try options.sdkToken() }) { store in
      try await instant.revision(in: try await Recording.open(room, in: store))
    }
  }

  func sdkToken(
    _ variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws -> String {
    try token ?? variables["BOARDROOM_SDK_TOKEN"] ?? folder.sdkToken()
  }

  /// Nil for an answer that is not one of Boardroom's.
  private static func value(_ status: Int, _ body: [UInt8]) throws -> JSONValue? {
    guard let value = try? JSONValue.parse(body) else { return nil }
    guard !(200..<300).contains(status) else { return value }
    guard let code = value["code"]?.string.flatMap(RefusalCode.init(rawValue:)),
      let cause = value["cause"]?.string
    else { return nil }
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
