import ArgumentParser
import BoardroomAccess
import BoardroomClient
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import BoardroomVersion
import EventLogModel
import Foundation

/// Options of commands that join a live room.
struct LiveOptions: ParsableArguments {
  @Option(
    help:
      "The server, or several with the same rooms and commas between; else $BOARDROOM_SERVER, else http://127.0.0.1:8080."
  )
  var server: String?
  @Option(help: "A room token; else $BOARDROOM_TOKEN; else one is made with the key in the data folder.")
  var token: String?
  @OptionGroup var trust: TrustOption
  @OptionGroup var folder: FolderOption

  /// Milliseconds for which a token of this command is valid: a day, longer than any performance.
  private static let lifespan: Int64 = 24 * 3_600 * 1_000

  /// The server where none is named.
  static let usualServer = "http://127.0.0.1:8080"

  /// The name and version by which servers and logs know this program.
  static let client = "boardroom-cli/\(ProductVersion.current)"

  private func given(_ option: String?, _ variable: String) -> String? {
    option ?? ProcessInfo.processInfo.environment[variable]
  }

  func servers() throws -> EndpointList {
    try Self.servers(given(server, "BOARDROOM_SERVER") ?? Self.usualServer)
  }

  /// One address, or several with commas between.
  static func servers(_ text: String) throws -> EndpointList {
    guard text.contains(",") else { return EndpointList(try endpoint(text)) }
    let endpoints = try text.split(separator: ",", omittingEmptySubsequences: false).map {
      try endpoint($0.trimmingCharacters(in: .whitespaces))
    }
    do throws(BoardroomError) { return try EndpointList(endpoints) } catch {
      throw Failure(.usage, error.cause, error.cure, at: text)
    }
  }

  static func endpoint(_ text: String) throws -> Endpoint {
    guard !text.contains(","), let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
      let scheme = parts.scheme, ["http", "ws", "https", "wss"].contains(scheme),
      ["", "/"].contains(parts.path)
    else {
      throw Failure(
        .usage, "\(text) is not a server's address.", "Write it as http://HOST:PORT or https://….", at: text)
    }
    let isSecure = scheme == "https" || scheme == "wss"
    // An IPv6 address has brackets only in an address of this form.
    let bare = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    return Endpoint(host: bare, port: parts.port ?? (isSecure ? 443 : 80), isSecure: isSecure)
  }

  func roomToken(for room: RoomID, role: Role) throws -> String {
    if let token = given(token, "BOARDROOM_TOKEN") { return token }
    let signer = try folder.keyRing().signer
    return AccessToken(
      scope: .room(room), role: role, keyID: signer.id, lifespan: Self.lifespan, at: .wallClock
    ).signed(with: signer.secret)
  }

  func accountToken(for account: String) throws -> String {
    if let token = given(token, "BOARDROOM_TOKEN") { return token }
    let signer = try folder.keyRing().signer
    return AccessToken(
      scope: .account(account), role: .writer, keyID: signer.id, lifespan: Self.lifespan, at: .wallClock
    ).signed(with: signer.secret)
  }

  func sdk() throws -> WhiteSDK {
    WhiteSDK(
      sdkConfiguration: WhiteSdkConfiguration(
        servers: try servers(), client: Self.client, trust: try trust.roots()))
  }
}

/// Certificates that are trusted besides the system's own roots.
struct TrustOption: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "PEM file of certificates to trust besides the system's, for https and wss.", valueName: "file"))
  var trust: String?

  func roots() throws -> TrustRoots? {
    guard let trust else { return nil }
    guard let bytes = FileManager.default.contents(atPath: trust) else {
      throw Failure(.noInput, "\(trust) cannot be read.", "Check --trust.", at: trust)
    }
    do throws(BoardroomError) { return try TrustRoots(pem: Array(bytes)) } catch {
      throw Failure(.badInput, "\(trust): \(error.cause)", error.cure, at: trust)
    }
  }
}

extension ExitStatus {
  init(_ error: BoardroomError) { self.init(error.code) }
}
