import ArgumentParser
import BoardroomClient
import BoardroomCodec
import BoardroomModel
import EventLogModel

struct RoomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "room",
    abstract: "Create, list and tend rooms of a running server.",
    discussion: """
      Examples:
        boardroom room create --name "Geometry 7b" --limit 30
        boardroom room list --json
        boardroom room show 6b0c…
        boardroom room members 6b0c…
        boardroom room kick 6b0c… --member 3
        boardroom room kick 6b0c… --uid ada --reason roomBan
        boardroom room ban 6b0c… --uid ada --for 2h
        boardroom room lock 6b0c…
        boardroom room limits 6b0c… --set members=40 --unset rate
        boardroom room keep 6b0c… --at 5120 --name "end of lesson 3"
      """,
    subcommands: [
      CreateRoomCommand.self, ListRoomsCommand.self, ShowRoomCommand.self, DeleteRoomCommand.self,
      RoomMembersCommand.self, KickCommand.self, BanCommand.self, UnbanCommand.self, BansCommand.self,
      LockCommand.self, UnlockCommand.self, RoomLimitsCommand.self, KeepCommand.self, KeptCommand.self,
      ReleaseCommand.self, TrimCommand.self,
    ])
}

struct CreateRoomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Make a room and print its uuid.")
  @Option(help: "What people call it.") var name: String?
  @Option(help: .number("How many writing members at once; 0: no limit.")) var limit = 0
  @Flag(help: "Do not offer replay. The log is kept either way.") var noRecord = false
  @Flag(help: "Print the room as JSON.") var json = false
  @Flag(help: "Nothing but the uuid.") var quiet = false
  @OptionGroup var server: RestOptions

  func run() async throws {
    try await answering {
      var body: [(String, JSONValue)] = [("limit", JSONValue(limit)), ("isRecord", .bool(!noRecord))]
      if let name { body.append(("name", .string(name))) }
      let room = try await server.call(.post(JSONValue.object(body).compact), "/v5/rooms")
      if json { return Terminal.line(room.text.text, isJSON: true) }
      guard let uuid = room["uuid"]?.string else { throw RestOptions.strange }
      Terminal.line(uuid)
      if !quiet { Terminal.note("Next: boardroom token room \(uuid) --role writer") }
    }
  }
}

struct ListRoomsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Rooms in the order of their uuids.")
  @Option(help: ArgumentHelp("Begin with this room.", valueName: "room")) var begin: RoomID?
  /// The older name.
  @Option(help: ArgumentHelp("Begin with this room.", visibility: .hidden)) var from: RoomID?
  @Option(help: .number("At most so many, up to 1000.")) var limit = 100
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  func run() async throws {
    try await answering {
      let begin = (begin ?? from).map { "&beginUUID=\($0)" } ?? ""
      let rooms = try await server.call(.get, "/v5/rooms?limit=\(limit)\(begin)")
      if json { return Terminal.line(rooms.text.text, isJSON: true) }
      for room in rooms.array ?? [] { Terminal.line(Self.line(room)) }
    }
  }

  private static func line(_ room: JSONValue) -> String {
    let name = Text.visible(room["name"]?.string ?? "")
    return [room["uuid"]?.string ?? "", room["createdAt"]?.string ?? "", name].joined(separator: "  ")
  }
}

struct KickCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kick", abstract: "Remove members from a room.")
  @OptionGroup var named: RoomArgument
  @Option(help: .number("The member's number.")) var member: UInt64?
  @Option(help: "Everyone who joined as this user.") var uid: String?
  @Option(help: "kickByAdmin, roomDelete, roomZombie, roomBan, GatewayAdjust, replaceByOther or crash.")
  var reason = "kickByAdmin"
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func validate() throws {
    guard (member == nil) != (uid == nil) else { throw ValidationError("Name either --member or --uid.") }
  }

  func run() async throws {
    try await answering {
      var body: [(String, JSONValue)] = [("reason", .string(reason))]
      if let member { body.append(("memberId", .number(String(member)))) }
      if let uid { body.append(("uid", .string(uid))) }
      let answer = try await server.call(.post(JSONValue.object(body).compact), "/v5/rooms/\(room)/kick")
      if json { return Terminal.line(answer.text.text, isJSON: true) }
      let numbers = (answer["kicked"]?.array ?? []).compactMap(\.int).map(String.init)
      Terminal.line("removed: \(numbers.joined(separator: ", "))")
    }
  }
}
