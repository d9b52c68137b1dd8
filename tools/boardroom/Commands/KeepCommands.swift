import ArgumentParser
import BoardroomClient
import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation

struct KeepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Keep a moment of a room: retention removes nothing at or behind it.")
  @OptionGroup var named: RoomArgument
  @Option(help: .instant("The moment: a revision, end, a date or a time.")) var at: Instant
  @Option(help: "What it is called; a moment of this name that is there already moves.") var name: String
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      let revision = try await server.revision(at: at, in: room)
      let body = JSONValue.object([("at", .number("\(revision)"))])
      let kept = try await server.call(.put(body.compact), try KeptPath.of(name, in: room))
      Terminal.line(json ? kept.text.text : KeptPath.line(kept), isJSON: json)
    }
  }
}

struct KeptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kept", abstract: "Moments of a room that are kept, the oldest first.")
  @OptionGroup var named: RoomArgument
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      let kept = try await server.call(.get, "/v5/rooms/\(room)/kept")
      if json { return Terminal.line(kept.text.text, isJSON: true) }
      for moment in kept.array ?? [] { Terminal.line(KeptPath.line(moment)) }
    }
  }
}

struct ReleaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Keep a moment of a room no longer.")
  @OptionGroup var named: RoomArgument
  @Option(help: "What the moment is called.") var name: String
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  private var room: RoomID { named.id }

  func run() async throws {
    try await answering {
      _ = try await server.call(.delete, try KeptPath.of(name, in: room))
      Terminal.line(
        json ? "{\"released\":\(Text.json(name))}" : "released: \(Text.visible(name))", isJSON: json)
    }
  }
}

private enum KeptPath {
  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")

  static func of(_ name: String, in room: RoomID) throws -> String {
    guard !name.isEmpty, let path = name.addingPercentEncoding(withAllowedCharacters: plain) else {
      throw Failure(.usage, "A kept moment has a name.", "Give it with --name.")
    }
    return "/v5/rooms/\(room)/kept/\(path)"
  }

  static func line(_ moment: JSONValue) -> String {
    "\(moment["at"]?.int ?? 0)  \(Text.visible(moment["name"]?.string ?? ""))"
  }
}
