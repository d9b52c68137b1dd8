import ArgumentParser
import BoardroomClient
import BoardroomCodec
import BoardroomModel
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
  @OptionGroup var named: RoomArgument
  @Option(help: "This user, who may be away.") var uid: String?
  @Option(help: .number("Who came as the member of this number.")) var member: UInt64?
  @Option(
    name: .customLong("for"),
    help: .duration("How long, such as 30m or 2h. A number alone is in milliseconds."))
  var time: TimeSpan?
  @Option(help: "The name that the list of bans shows, up to 256 bytes.") var name: String?
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Nothing but the ban's id; of a room nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func validate() throws {
    if uid != nil, member != nil { throw ValidationError("Name either --member or --uid.") }
    if uid == nil, member == nil, time != nil || name != nil {
      throw ValidationError("--for and --name are of one user; name it with --uid or --member.")
    }
    if let time, Self.seconds(time) < 1 { throw ValidationError("--for is at least 1s.") }
  }

  /// Whole seconds.
  private static func seconds(_ time: TimeSpan) -> Int64 {
    time.duration(alone: .milliseconds(1)).components.seconds
  }

  func run() async throws {
    try await answering {
      guard uid != nil || member != nil else { return try await banRoom() }
      var body: [(String, JSONValue)] = []
      if let uid { body.append(("uid", .string(uid))) }
      if let member { body.append(("memberId", .number(String(member)))) }
      if let name { body.append(("name", .string(name))) }
      if let seconds = time.map(Self.seconds) {
        body.append(("time_in_seconds", .number(String(seconds))))
      }
      let ban = try await server.call(.post(JSONValue.object(body).compact), "/v5/rooms/\(room)/bans")
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
    try await server.call(.patch(JSONValue.object([("isBan", .bool(isBanned))]).compact), "/v5/rooms/\(room)")
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
  @OptionGroup var named: RoomArgument
  @Option(help: ArgumentHelp("One user's ban, by its id; `boardroom room bans` lists them.", valueName: "id"))
  var ban: UInt64?
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      if let ban {
        _ = try await server.call(.delete, "/v5/rooms/\(room)/bans/\(ban)")
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
  @OptionGroup var named: RoomArgument
  @Flag(help: "Print JSON, one line a ban.") var json = false
  @Flag(help: "Nothing but the ids.") var quiet = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  /// The most bans of one answer.
  private static let page = 1_000

  func run() async throws {
    try await answering {
      var after = 0
      while true {
        let path = "/v5/rooms/\(room)/bans?limit=\(Self.page)&after=\(after)"
        guard let bans = try await server.call(.get, path).array else { throw RestOptions.strange }
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
  @OptionGroup var named: RoomArgument
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      try await LockAnswer.set(true, room, server).tell("locked", json: json, quiet: quiet)
    }
  }
}

struct UnlockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "unlock", abstract: "Let members write again in a room that was locked.")
  @OptionGroup var named: RoomArgument
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

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
    return LockAnswer(answer: try await server.call(.put(body.compact), "/v5/rooms/\(room)/lock"))
  }

  func tell(_ what: String, json: Bool, quiet: Bool) throws {
    guard let revision = answer["revision"]?.int else { throw RestOptions.strange }
    if json { return Terminal.line(answer.text.text, isJSON: true) }
    if !quiet { Terminal.line("\(what) at revision \(revision)") }
  }
}
