import ArgumentParser
import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation

struct KeepCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "keep", abstract: "Keep a moment of a room: retention removes nothing at or behind it.")
  @Argument(help: "The room's uuid.") var room: RoomID
  @Option(help: ArgumentHelp("The moment's revision.", valueName: "revision")) var at: UInt64
  @Option(help: "What it is called; a moment of this name that is there already moves.") var name: String
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  func run() async throws {
    try await answering {
      let body = JSONValue.object([("at", .number(String(at)))])
      let kept = try await server.call("PUT", try KeptPath.of(name, in: room), body)
      Terminal.line(json ? kept.text.text : KeptPath.line(kept), isJSON: json)
    }
  }
}

struct KeptCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kept", abstract: "Moments of a room that are kept, the oldest first.")
  @Argument(help: "The room's uuid.") var room: RoomID
  @Flag(help: "Print JSON.") var json = false
  @OptionGroup var server: RestOptions

  func run() async throws {
    try await answering {
      let kept = try await server.call("GET", "/v5/rooms/\(room)/kept")
      if json { return Terminal.line(kept.text.text, isJSON: true) }
      for moment in kept.array ?? [] { Terminal.line(KeptPath.line(moment)) }
    }
  }
}

struct ReleaseCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "release", abstract: "Keep a moment of a room no longer.")
  @Argument(help: "The room's uuid.") var room: RoomID
  @Option(help: "What the moment is called.") var name: String
  @OptionGroup var server: RestOptions

  func run() async throws {
    try await answering {
      _ = try await server.call("DELETE", try KeptPath.of(name, in: room))
      Terminal.line("released: \(Text.visible(name))")
    }
  }
}

private enum KeptPath {
  private static let plain = CharacterSet(
    charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.~")

  static func of(_ name: String, in room: RoomID) throws -> String {
    guard !name.isEmpty, let path = name.addingPercentEncoding(withAllowedCharacters: plain) else {
      throw Failure(.usage, "A kept moment has a name. Give it with --name.")
    }
    return "/v5/rooms/\(room)/kept/\(path)"
  }

  static func line(_ moment: JSONValue) -> String {
    "\(moment["at"]?.int ?? 0)  \(Text.visible(moment["name"]?.string ?? ""))"
  }
}
