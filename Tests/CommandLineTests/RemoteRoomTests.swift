import BoardroomClient
import BoardroomCodec
import BoardroomModel
import BoardroomReplay
import EventLogModel
import Foundation
import Testing

@Suite("Command line: a room on another machine", .serialized)
struct RemoteRoomTests {
  private static let room = SampleLog.room
  private let folder: Folder
  private let server: LiveServer
  /// A token of a reader of the room.
  private let reader: String

  init() async throws {
    folder = try Folder()
    server = LiveServer(in: folder)
    try folder.write(SampleLog.text, to: "room.jsonl")
    let made = try await Program.run("import", "room.jsonl", "--room", Self.room, "--quiet", in: folder)
    #expect(made.status == 0, "\(made.errors)")
    try await server.start()
    let token = try await Program.run("token", "room", Self.room, "--role", "reader", in: folder)
    reader = try #require(token.lines.first)
  }

  private func run(_ arguments: [String]) async throws -> Program.Answer {
    try await Program.run(arguments, in: folder)
  }

  /// The ways to reach the server: with a room's token from a place that has no key, and with the folder's key.
  private var ways: [[String]] {
    let server = ["--server", server.url]
    return [server + ["--token", reader, "--data", "nowhere"], server + ["--data", "data"]]
  }

  @Test("RP-70: over HTTP a replay, an export and a picture are those of the folder, with either token")
  func same() async throws {
    let room = Self.room
    let calls = [
      ["replay", room, "--at", "end", "--json"], ["replay", room, "--at", "23"],
      ["replay", room, "--at", "@\(SampleLog.start + 2_050)", "--phases"],
      ["replay", room, "--at", "end", "--svg", "-"], ["replay", room, "--play", "--speed", "0"],
      ["export", room, "--quiet"], ["export", room, "--from", "10", "--to", "20", "--kind", "magix"],
      ["export", room, "--format", "excalidraw", "--quiet"],
    ]
    for call in calls {
      let here = try await run(call)
      #expect(here.status == 0, "\(call): \(here.errors)")
      #expect(!here.output.isEmpty, "\(call)")
      for way in ways {
        let there = try await run(call + way)
        #expect(there.status == 0, "\(call + way): \(there.errors)")
        #expect(there.output == here.output, "\(call)")
      }
    }
    #expect(try await server.interrupt() == 0)
  }

  @Test("RP-70, RP-67: blocks that were exported over HTTP are the same room when they are imported")
  func blocks() async throws {
    let whole = try await run(["export", Self.room, "--quiet"])
    for (number, way) in ways.enumerated() {
      let exported = try await run(
        ["export", Self.room, "--blocks", "-o", "\(number).blocks", "--quiet"] + way)
      #expect(exported.status == 0, "\(exported.errors)")
      let made = try await run(
        ["import", "\(number).blocks", "--data", "copy\(number)", "--room", Self.room, "--quiet"])
      #expect(made.status == 0, "\(made.errors)")
      let copy = try await run(["export", Self.room, "--data", "copy\(number)", "--quiet"])
      #expect(copy.output == whole.output)
    }
    #expect(try await server.interrupt() == 0)
  }

  @Test("RP-70: verify over HTTP gives the same state hash; without a room it needs a team's token")
  func verify() async throws {
    let here = try await run(["verify", Self.room, "--level", "deep", "--quiet"])
    let line = try #require(here.lines.first { $0.hasPrefix(Self.room) })
    for way in ways {
      let there = try await run(["verify", Self.room, "--quiet"] + way)
      #expect(there.status == 0, "\(there.errors)")
      #expect(there.lines == [line, "All is well."])
    }
    let all = try await run(["verify", "--quiet"] + ways[1])
    #expect(all.status == 0, "\(all.errors)")
    #expect(all.lines.contains(line))
    #expect(try await run(["verify", "--quiet"] + ways[0]).status == 77)
    #expect(try await server.interrupt() == 0)
  }

  @Test("RP-70: inspect over HTTP shows the log, and lists all logs for a team's token")
  func inspect() async throws {
    let here = try await run(["inspect", Self.room, "--json"])
    let there = try await run(["inspect", Self.room, "--json"] + ways[1])
    // What the server has sealed meanwhile changes the bytes, and nothing else.
    func lasting(_ answer: Program.Answer) -> String? {
      answer.lines.first?.components(separatedBy: ",\"rawBytes\"").first
    }
    #expect(lasting(there) == lasting(here))
    #expect(lasting(here)?.contains("\"last\":\(SampleLog.count)") == true)
    let seen = try await run(["inspect", Self.room] + ways[0])
    #expect(seen.status == 0, "\(seen.errors)")
    #expect(seen.lines.contains { $0.hasPrefix("events    1 to \(SampleLog.count),") }, "\(seen.output)")
    #expect(seen.lines.contains { $0.hasPrefix("piece     1 to ") }, "\(seen.output)")
    let apart = try await run(["inspect", Self.room, "--block", "30"])
    let far = try await run(["inspect", Self.room, "--block", "30"] + ways[0])
    #expect(far.lines.dropFirst() == apart.lines.dropFirst())
    #expect(far.lines.count > 1)
    let all = try await run(["inspect"] + ways[1])
    #expect(all.lines.first == "server \(server.url)")
    #expect(all.lines.contains { $0.hasPrefix(Self.room) })
    #expect(try await run(["inspect"] + ways[0]).status == 77)
    #expect(try await server.interrupt() == 0)
  }

  @Test("RP-70, RP-61, RP-66: in Swift, a replay over the server seeks and steps back")
  func replayOfASDK() async throws {
    let sdk = WhiteSDK(
      sdkConfiguration: WhiteSdkConfiguration(endpoint: Endpoint(host: "127.0.0.1", port: server.port)))
    let room = try #require(RoomID(Self.room))
    let logs = sdk.recordedLogs(token: reader)
    var replay = try await Replay.open(room, in: logs)
    try await replay.seek(to: replay.end)
    #expect(replay.revision == Revision(UInt64(SampleLog.count)))
    let shown = try await run(["replay", Self.room, "--at", "end", "--json"])
    let state = try JSONValue.parse(Array(shown.output.utf8))
    let hash = replay.moment.stateHash.map { String(format: "%02x", $0) }.joined()
    #expect(state["stateHash"]?.string == hash)
    let moment = try await replay.recording.revision(at: Timestamp(milliseconds: SampleLog.start + 950))
    #expect(moment == 10)
    try await replay.seek(to: 20)
    #expect(try await replay.stepBack()?.revision == 19)
    var lines: [String] = []
    let export = LineExport()
    try await export.write(replay.recording) { lines.append(String(decoding: $0, as: UTF8.self)) }
    #expect(lines.joined() == (try await run(["export", Self.room, "--quiet"])).output)
    #expect(logs.failure == nil)
    #expect(try await server.interrupt() == 0)
  }

  @Test("RP-70, RP-8: what the token does not open, and who does not answer, has an exit status")
  func refused() async throws {
    let (room, url) = (Self.room, server.url)
    func status(_ words: String..., says: String) async throws -> Int32 {
      let answer = try await run(words)
      #expect(answer.output.isEmpty, "\(answer.output)")
      #expect(answer.errors.contains(says), "\(answer.errors)")
      #expect(!answer.errors.contains(reader))
      #expect(!answer.errors.contains("log store has stopped"), "\(answer.errors)")
      return answer.status
    }
    #expect(try await status("replay", room, "--server", url, "--token", "x", says: "token") == 77)
    let other = "ffffffffffffffffffffffffffffffff"
    #expect(try await status("export", other, "--server", url, "--token", reader, says: "forbidden") == 77)
    #expect(try await status("export", other, "--server", url, "--data", "data", says: other) == 66)
    let made = try await run(["room", "create", "--no-record", "--quiet", "--server", url])
    let unrecorded = try #require(made.lines.first)
    let token = try await run(["token", "room", unrecorded, "--role", "admin"])
    let admin = try #require(token.lines.first)
    #expect(try await status("replay", unrecorded, "--server", url, "--token", admin, says: "record") == 66)
    #expect(try await run(["replay", unrecorded, "--server", url, "--at", "end"]).status == 0)
    #expect(try await status("replay", room, "--token", reader, says: "go with --server") == 64)
    #expect(try await status("verify", "--level", "full", "--server", url, says: "quick and full") == 64)
    #expect(try await status("export", room, "--server", "nowhere", says: "not a server's address") == 64)
    #expect(try await status("replay", room, "--server", url, "--data", "nowhere", says: "keys.json") == 66)
    #expect(try await server.interrupt() == 0)
    for command in ["replay", "export", "inspect", "verify"] {
      #expect(
        try await status(command, room, "--server", url, "--token", reader, says: "does not answer") == 69)
    }
  }

  @Test("RP-70: a server that is killed and started again gives the same export")
  func restarted() async throws {
    let whole = try await run(["export", Self.room, "--quiet"])
    try await server.kill()
    #expect(try await run(["export", Self.room, "--quiet"] + ways[1]).status == 69)
    try await server.start()
    #expect(try await run(["export", Self.room, "--quiet"] + ways[1]).output == whole.output)
    #expect(try await server.interrupt() == 0)
  }
}
