import ArgumentParser
import BoardroomClient
import BoardroomCodec
import BoardroomModel
import EventLogModel

/// Sub-commands of `boardroom room` that show a room and its members, set its limits, and delete it.
struct ShowRoomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show", abstract: "Show a room: its name, whether it is banned, and its limits.")
  @OptionGroup var named: RoomArgument
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      let shown = try await server.call(.get, "/v5/rooms/\(room)")
      if json { return Terminal.line(shown.text.text, isJSON: true) }
      Terminal.facts(try Self.lines(of: shown))
    }
  }

  private static func lines(of room: JSONValue) throws -> [String] {
    guard let uuid = room["uuid"]?.string, let limit = room["limit"]?.int else { throw RestOptions.strange }
    var lines = [
      "room      \(uuid)", "name      \(Text.visible(room["name"]?.string ?? ""))",
      "created   \(room["createdAt"]?.string ?? "")",
      "recorded  \(room["isRecord"]?.bool == true ? "yes" : "no")",
      "banned    \(room["isBan"]?.bool == true ? "yes" : "no")",
      "writers   \(limit == 0 ? "any number" : "\(limit) at once")",
    ]
    for (name, value) in room["limits"]?.object ?? [] {
      lines.append("limit     \(Text.visible(name)) \(value.int ?? 0)")
    }
    return lines
  }
}

struct DeleteRoomCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete",
    abstract: "Delete a room: everybody is removed, and nobody comes in again.",
    discussion: """
      The log stays readable for as long as the server keeps deleted rooms. With --with-log the log and the images are
      removed for good at once, also of a room that was deleted before; nothing brings them back.
      """)
  @OptionGroup var named: RoomArgument
  @Flag(help: "Remove the log and the images for good, too.") var withLog = false
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print nothing.") var quiet = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      do {
        _ = try await server.call(.delete, "/v5/rooms/\(room)")
      } catch let refusal as Refusal where withLog && refusal.code == .notFound {
        // A room that was deleted before is not found any more; its log may still be there.
      }
      if withLog { _ = try await server.call(.delete, "/v5/rooms/\(room)/log") }
      if json {
        let answer = JSONValue.object([("uuid", .string("\(room)")), ("withLog", .bool(withLog))])
        return Terminal.line(answer.text.text, isJSON: true)
      }
      if !quiet { Terminal.line(withLog ? "deleted, with its log: \(room)" : "deleted: \(room)") }
    }
  }
}

struct RoomMembersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "members", abstract: "List who is in a room, in the order of their numbers.",
    discussion: "`boardroom room kick` removes a member by this number, or by the uid.")
  @OptionGroup var named: RoomArgument
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Nothing but the numbers.") var quiet = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      let members = try await server.call(.get, "/v5/rooms/\(room)/members")
      if json { return Terminal.line(members.text.text, isJSON: true) }
      for member in members.array ?? [] {
        Terminal.line(quiet ? "\(member["memberId"]?.int ?? 0)" : Self.line(member))
      }
    }
  }

  private static func line(_ member: JSONValue) -> String {
    var facts = [
      member["role"]?.string ?? "", member["isWritable"]?.bool == true ? "may write" : "read-only",
      member["phase"]?.string ?? "",
    ]
    if let joined = member["joinedAt"]?.int {
      facts.append("since \(Text.time(Timestamp(milliseconds: Int64(joined))))")
    }
    if let client = member["client"]?.string { facts.append("with \(Text.visible(client))") }
    let uid = Text.padded(Text.visible(member["uid"]?.string ?? "-"), 20)
    return "\(Text.padded("\(member["memberId"]?.int ?? 0)", 8)) \(uid) \(facts.joined(separator: ", "))"
  }
}

/// `rate=50` on the command line: a limit's name and its value.
struct LimitAssignment: ExpressibleByArgument {
  let name: String
  let value: UInt64

  init?(argument: String) {
    let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, !parts[0].isEmpty, let value = UInt64(parts[1]) else { return nil }
    (name, self.value) = (String(parts[0]), value)
  }
}

struct RoomLimitsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "limits",
    abstract: "Show or set the limits that a room has of its own.",
    discussion: """
      Names are those of the server's settings; docs/OPERATIONS.md lists them. What a room has no limit of its own for,
      the server's setting holds.

      Examples:
        boardroom room limits 6b0c…
        boardroom room limits 6b0c… --set members=40 --set rate=100
        boardroom room limits 6b0c… --unset rate
      """)
  @OptionGroup var named: RoomArgument
  @Option(
    name: .customLong("set"), help: ArgumentHelp("Give the room this limit.", valueName: "name=value"))
  var assignments: [LimitAssignment] = []
  @Option(help: ArgumentHelp("Let the server's value hold again.", valueName: "name"))
  var unset: [String] = []
  @Flag(help: "Print JSON.") var json = false
  @Flag(help: "Print nothing when limits were set.") var quiet = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  private var isChange: Bool { !assignments.isEmpty || !unset.isEmpty }

  func validate() throws {
    let names = assignments.map(\.name) + unset
    guard Set(names).count == names.count else { throw ValidationError("Name each limit once.") }
  }

  func run() async throws {
    try await answering {
      let shown = isChange ? try await change() : try await server.call(.get, "/v5/rooms/\(room)")
      let limits = shown["limits"] ?? .object([])
      if json { return Terminal.line(limits.text.text, isJSON: true) }
      if quiet, isChange { return }
      let lines = (limits.object ?? []).map { "\(Text.padded(Text.visible($0), 24)) \($1.int ?? 0)" }
      if lines.isEmpty { Terminal.note("The room has no limits of its own; the server's hold.") }
      Terminal.lines(lines)
    }
  }

  private func change() async throws -> JSONValue {
    let fields =
      assignments.map { ($0.name, JSONValue.number(String($0.value))) } + unset.map { ($0, JSONValue.null) }
    return try await server.call(
      .patch(JSONValue.object([("limits", .object(fields))]).compact), "/v5/rooms/\(room)")
  }
}
