import ArgumentParser
import BoardroomAccess
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLogModel
import Foundation

extension Role: ExpressibleByArgument {}

struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token",
    abstract: "Make tokens with the key of a server; the server need not run.",
    discussion: """
      Examples:
        boardroom token room 6b0c… --role writer --data /srv/boardroom
        boardroom token room 6b0c… --uid anna --lifespan 2h
        boardroom token sdk --role admin --lifespan 1h
        boardroom token account anna --lifespan 24h
        boardroom token room 6b0c… --key AK --secret "$SECRET"
      """,
    subcommands: [RoomTokenCommand.self, TeamTokenCommand.self, AccountTokenCommand.self])
}

/// Options of a token: with which key it is signed, for whom, and for how long.
struct TokenOptions: ParsableArguments {
  @Option(help: "admin, writer or reader.") var role: Role = .writer
  @Option(help: .duration("Such as 30m, 24h or 7d; 0 never expires. A number alone is in milliseconds."))
  var lifespan = TimeSpan("24h")
  @Option(help: "Which access key; else the first of the key file.") var key: String?
  @Option(help: "Its secret, instead of the key file; else $BOARDROOM_SECRET.") var secret: String?
  @OptionGroup var folder: FolderOption
  @Flag(help: "Machine-readable output: the token, its role, and the ms since 1970 at which it ends.")
  var json = false

  func printToken(_ scope: TokenScope, uid: String? = nil) throws {
    let (text, token) = try token(scope, uid: uid)
    guard json else { return Terminal.line(text) }
    let ends = token.expires.map { "\($0.milliseconds)" } ?? "null"
    Terminal.line(
      "{\"token\":\(Text.json(text)),\"role\":\"\(role.rawValue)\",\"ends\":\(ends)}", isJSON: true)
  }

  private func token(_ scope: TokenScope, uid: String?) throws -> (text: String, token: AccessToken) {
    let lifespan = lifespan.duration(alone: .milliseconds(1))
    let pair = try pair()
    let now = Timestamp.wallClock
    let token = AccessToken(
      scope: scope, role: role, keyID: pair.id, lifespan: lifespan.wholeMilliseconds, at: now, uid: uid)
    return (token.signed(with: pair.secret), token)
  }

  private func pair() throws -> KeyPair {
    if let secret = secret ?? ProcessInfo.processInfo.environment["BOARDROOM_SECRET"] {
      guard let key else { throw Failure(.usage, "A secret needs its access key: --key.") }
      return KeyPair(id: key, secret: secret)
    }
    let ring = try folder.keyRing()
    guard let key else { return ring.signer }
    guard let secret = ring.secret(of: key) else {
      throw Failure(.noInput, "There is no key \(key) in \(folder.folder)/\(KeyFile.name).")
    }
    return KeyPair(id: key, secret: secret)
  }
}

extension FolderOption {
  /// The keys of a server's folder. Fails with a sentence that says why there are none.
  func keyRing() throws -> KeyRing {
    let path = folder + "/" + KeyFile.name
    do {
      guard let ring = try KeyFile.read(path) else {
        throw Failure(
          .noInput, "There is no key in \(path).", "Start the server once, or name its folder with --data.",
          at: path)
      }
      return ring
    } catch let failure as KeyFile.Failure {
      throw Failure(failure)
    }
  }
}

extension Failure {
  init(_ error: KeyFile.Failure) {
    switch error {
    case .io: self.init(.forbidden, sentences: error.description)
    case .malformed, .changed, .duplicate: self.init(.badInput, sentences: error.description)
    }
  }
}

struct RoomTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "room", abstract: "A token for one room.")
  @OptionGroup var named: RoomArgument
  @Option(help: "Bind it to this user: who holds it joins as that one only.") var uid: String?
  @OptionGroup var options: TokenOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      do throws(Refusal) {
        if let uid { try BoundUser.check(uid) }
      } catch {
        throw Failure(.usage, error.cause, error.cure)
      }
      try options.printToken(.room(room), uid: uid)
    }
  }
}

struct TeamTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sdk", abstract: "A token for the whole server, as a backend uses it.")
  @OptionGroup var options: TokenOptions

  func run() async throws {
    try await answering { try options.printToken(.team) }
  }
}

struct AccountTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "account", abstract: "A token for one account and its channels, in every service.")
  @Argument(help: "The account's name: visible characters, no spaces, up to 128 bytes.") var account: String
  @OptionGroup var options: TokenOptions

  func run() async throws {
    try await answering {
      do throws(Refusal) {
        try SpaceNameRule.checkAccount(account, of: .signaling)
      } catch {
        throw Failure(.usage, error.cause, error.cure)
      }
      try options.printToken(.account(account))
    }
  }
}
