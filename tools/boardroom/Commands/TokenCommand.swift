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
  @Option(help: "Such as 30min or 24h; 0 never expires.") var lifespan = "24h"
  @Option(help: "Which access key; else the first of the key file.") var key: String?
  @Option(help: "Its secret, instead of the key file; else $BOARDROOM_SECRET.") var secret: String?
  @OptionGroup var folder: FolderOption

  func token(_ scope: TokenScope, uid: String? = nil) throws -> String {
    guard let lifespan = Quantity.duration(lifespan) else {
      throw Failure(.usage, "--lifespan \(lifespan) is not a time such as 30min or 24h.")
    }
    let pair = try pair()
    let now = Timestamp.wallClock
    let token = AccessToken(
      scope: scope, role: role, keyID: pair.id, lifespan: lifespan.wholeMilliseconds, at: now, uid: uid)
    return token.signed(with: pair.secret)
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
          .noInput, "There is no key in \(path). Start the server once, or name its folder with --data.")
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
    case .io: self.init(.forbidden, error.description)
    case .malformed, .changed, .duplicate: self.init(.badInput, error.description)
    }
  }
}

struct RoomTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(commandName: "room", abstract: "A token for one room.")
  @Argument(help: "The room's uuid.") var room: RoomID
  @Option(help: "Bind it to this user: who holds it joins as that one only.") var uid: String?
  @OptionGroup var options: TokenOptions

  func run() async throws {
    try await answering {
      do throws(Refusal) {
        if let uid { try BoundUser.check(uid) }
      } catch {
        throw Failure(.usage, "\(error.cause) \(error.cure)")
      }
      Terminal.line(try options.token(.room(room), uid: uid))
    }
  }
}

struct TeamTokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "sdk", abstract: "A token for the whole server, as a backend uses it.")
  @OptionGroup var options: TokenOptions

  func run() async throws {
    try await answering { Terminal.line(try options.token(.team)) }
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
        throw Failure(.usage, "\(error.cause) \(error.cure)")
      }
      Terminal.line(try options.token(.account(account)))
    }
  }
}
