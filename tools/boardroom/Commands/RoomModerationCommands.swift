import ArgumentParser
import BoardroomCodec
import BoardroomModel
import BoardroomServer
import EventLogModel

/// Sub-commands of `boardroom room` that keep people out of a room, and keep those inside from writing.
struct BanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ban",
    abstract: "Ban a room, or keep one user out of it for a time.",
    discussion: """
      Without --uid and --member the room is banned: all members are removed and nobody is let in, until `boardroom room
      unban`. With one of them only this user is kept out, from 10 s to a day; a ban of a member also covers the token
      that it came with. `boardroom room bans` lists users who are kept out.

      Examples:
        boardroom room ban 6b0c…
        boardroom room ban 6b0c… --uid ada --for 2h
        boardroom room ban 6b0c… --member 3 --name Ada
      """)
  @Argument(help: "The room's uuid.") var room: RoomID
  @Option(help: "This user, who may be away.") var uid: String?
  @Option(help: "Who came as the member of this number.") var member: UInt64?
  @Option(name: .customLong("for"), help: ArgumentHelp("How long, such as 30min or 2h.", valueName: "time"))
  var time: String?
  @Option(help: "The name that the list of bans shows, up to 256 bytes.") var name: String?
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Nothing but the ban's id; of a room nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  func validate() throws {
    if uid != nil, member != nil { throw ValidationError("Name either --member or --uid.") }
    if uid == nil, member == nil, time != nil || name != nil {
      throw ValidationError("--for and --name are of one user; name it with --uid or --member.")
    }
    if let time, Self.seconds(time) == nil {
      throw ValidationError("--for \(time) is not a time such as 30min or 2h.")
    }
  }

  /// Whole seconds, at least one: a ban of 0 s is none.
  private static func seconds(_ text: String) -> Int64? {
    Quantity.duration(text).flatMap { $0 < .seconds(1) ? nil : $0.components.seconds }
  }

  func run() async throws {
    try await answering {
      guard uid != nil || member != nil else { return try await banRoom() }
      var body: [(String, JSONValue)] = []
      if let uid { body.append(("uid", .string(uid))) }
      if let member { body.append(("memberId", .number(String(member)))) }
      if let name { body.append(("name", .string(name))) }
      if let seconds = time.flatMap(Self.seconds) {
        body.append(("time_in_seconds", .number(String(seconds))))
      }
      let ban = try await server.call("POST", "/v5/rooms/\(room)/bans", .object(body))
      if json { return Terminal.line(ban.text.text, isJSON: true) }
      guard let id = ban["id"]?.int else { throw RestOptions.strange }
      Terminal.line(quiet ? "\(id)" : BansCommand.line(ban))
    }
  }

  private func banRoom() async throws {
    let shown = try await RoomBan.set(true, room, server)
    if json { return Terminal.line(shown.text.text, isJSON: true) }
    if !quiet { Terminal.line("banned: \(room)") }
  }
}

private enum RoomBan {
  static func set(_ isBanned: Bool, _ room: RoomID, _ server: RestOptions) async throws -> JSONValue {
    try await server.call("PATCH", "/v5/rooms/\(room)", .object([("isBan", .bool(isBanned))]))
  }
}

struct UnbanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unban",
    abstract: "Lift the ban of a room, or let one user in again.",
    discussion: """
      Examples:
        boardroom room unban 6b0c…
        boardroom room unban 6b0c… --ban 12
      """)
  @Argument(help: "The room's uuid.") var room: RoomID
  @Option(help: ArgumentHelp("One user's ban, by its id; `boardroom room bans` lists them.", valueName: "id"))
  var ban: UInt64?
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  func run() async throws {
    try await answering {
      if let ban {
        _ = try await server.call("DELETE", "/v5/rooms/\(room)/bans/\(ban)")
        if json { return Terminal.line("{\"lifted\":\(ban)}", isJSON: true) }
        if !quiet { Terminal.line("lifted: \(ban)") }
        return
      }
      let shown = try await RoomBan.set(false, room, server)
      if json { return Terminal.line(shown.text.text, isJSON: true) }
      if !quiet { Terminal.line("not banned: \(room)") }
    }
  }
}

struct BansCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bans", abstract: "List the users who are kept out of a room, by the ids of their bans.")
  @Argument(help: "The room's uuid.") var room: RoomID
  @Flag(help: "Print JSON, one line a ban.") var json = false
  @Flag(help: "Nothing but the ids.") var quiet = false
  @OptionGroup var server: RestOptions

  /// The most bans of one answer.
  private static let page = 1_000

  func run() async throws {
    try await answering {
      var after = 0
      while true {
        let path = "/v5/rooms/\(room)/bans?limit=\(Self.page)&after=\(after)"
        guard let bans = try await server.call("GET", path).array else { throw RestOptions.strange }
        for ban in bans {
          guard let id = ban["id"]?.int else { throw RestOptions.strange }
          after = max(after, id)
          if json {
            Terminal.line(ban.text.text, isJSON: true)
          } else {
            Terminal.line(quiet ? "\(id)" : Self.line(ban))
          }
        }
        guard bans.count == Self.page else { return }
      }
    }
  }

  /// The ban's id, until when, and of whom.
  static func line(_ ban: JSONValue) -> String {
    let until = ban["until"]?.int.map { Text.time(Timestamp(milliseconds: Int64($0))) } ?? ""
    var whom: [String] = []
    if let uid = ban["uid"]?.string { whom.append("uid \(Text.visible(uid))") }
    if ban["token"]?.bool == true { whom.append("its token") }
    if let member = ban["memberId"]?.int { whom.append("member \(member)") }
    if let name = ban["name"]?.string { whom.append("named \(Text.visible(name))") }
    return "\(Text.padded("\(ban["id"]?.int ?? 0)", 8)) until \(until)  \(whom.joined(separator: ", "))"
  }
}

struct LockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock", abstract: "Keep all but administrators from writing in a room.")
  @Argument(help: "The room's uuid.") var room: RoomID
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  func run() async throws {
    try await answering {
      try await LockAnswer.set(true, room, server).tell("locked", json: json, quiet: quiet)
    }
  }
}

struct UnlockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Let members write again in a room that was locked.")
  @Argument(help: "The room's uuid.") var room: RoomID
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  func run() async throws {
    try await answering {
      try await LockAnswer.set(false, room, server).tell("not locked", json: json, quiet: quiet)
    }
  }
}

/// The answer to a change of a room's lock.
private struct LockAnswer {
  let answer: JSONValue

  static func set(_ isLocked: Bool, _ room: RoomID, _ server: RestOptions) async throws -> LockAnswer {
    let body = JSONValue.object([("isLocked", .bool(isLocked))])
    return LockAnswer(answer: try await server.call("PUT", "/v5/rooms/\(room)/lock", body))
  }

  func tell(_ what: String, json: Bool, quiet: Bool) throws {
    guard let revision = answer["revision"]?.int else { throw RestOptions.strange }
    if json { return Terminal.line(answer.text.text, isJSON: true) }
    if !quiet { Terminal.line("\(what) at revision \(revision)") }
  }
}
