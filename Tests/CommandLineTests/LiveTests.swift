import Foundation
import Testing

@Suite("Command line: live rooms", .serialized)
struct LiveTests {
  private struct Performance: Decodable {
    struct Member: Decodable {
      var member: UInt64
      var acts: Int
      var revision: Int
      var stateHash: String
    }
    var agree: Bool
    var members: [Member]
  }

  private static let repository = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
  /// Third-party drawings lie beside a repository, never in it.
  private static let corpus =
    ProcessInfo.processInfo.environment["BOARDROOM_CORPUS"]
    ?? repository.appending(path: "../shared/corpus").standardizedFileURL.path
  private static let hasCorpus = FileManager.default.fileExists(atPath: corpus + "/wacom_pen.ndjson")
  private static func sample(_ name: String) -> String {
    repository.appending(path: "tools/samples/\(name).ndjson").path
  }

  private let folder: Folder
  private let server: LiveServer

  init() async throws {
    folder = try Folder()
    server = LiveServer(in: folder)
    try await server.start()
  }

  private func run(_ arguments: String...) async throws -> Program.Answer {
    try await Program.run(arguments, in: folder)
  }

  private func makeRoom() async throws -> String {
    let answer = try await run("room", "create", "--name", "test", "--quiet", "--server", server.url)
    #expect(answer.status == 0, "\(answer.errors)")
    return try #require(answer.lines.first)
  }

  private func perform(
    _ file: String, in room: String, members: Int, speed: String, more: [String] = []
  ) async throws -> Performance {
    let answer = try await Program.run(
      [
        "perform", file, "--room", room, "--members", "\(members)", "--speed", speed, "--server", server.url,
        "--json", "--quiet",
      ] + more, in: folder)
    #expect(answer.status == 0, "\(answer.output) \(answer.errors)")
    return try JSONDecoder().decode(Performance.self, from: Data(answer.output.utf8))
  }

  private func stateHash(_ room: String, at instant: String, data: String = "data") async throws -> String {
    let answer = try await run("replay", room, "--at", instant, "--data", data, "--json")
    #expect(answer.status == 0, "\(answer.errors)")
    let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
    return try #require(object?["stateHash"] as? String)
  }

  private func length(_ room: String) async throws -> Int {
    let answer = try await run("inspect", room, "--json")
    let object = try JSONSerialization.jsonObject(with: Data((answer.lines.first ?? "{}").utf8))
    return try #require((object as? [String: Any])?["last"] as? Int)
  }

  @Test("kill -9 in the middle: performers come back, finish, and replay, export and import agree with them")
  func killedInTheMiddle() async throws {
    let room = try await makeRoom()
    async let performance = perform(Self.sample("loops"), in: room, members: 5, speed: "3")
    _ = try await until("something was drawn") { try await length(room) > 60 ? true : nil }
    try await server.kill()
    let before = try await length(room)
    try await server.start()
    let played = try await performance
    #expect(played.agree)
    #expect(played.members.count == 5)
    #expect(played.members.map(\.acts) == [8, 8, 8, 8, 8])
    let end = try #require(played.members.first)
    #expect(end.revision > before)
    #expect(try await stateHash(room, at: "\(end.revision)") == end.stateHash)

    let export = try await run("export", room, "--output", "room.jsonl")
    #expect(export.status == 0, "\(export.errors)")
    let last = try await length(room)
    #expect(try folder.text("room.jsonl").split(separator: "\n").count == last)
    #expect(try await run("import", "room.jsonl", "--data", "copy", "--room", room).status == 0)
    #expect(try await stateHash(room, at: "end", data: "copy") == stateHash(room, at: "end"))
    #expect(try await run("export", room, "--data", "copy").output == folder.text("room.jsonl"))
    #expect(try await run("verify", "--level", "deep", "--quiet").status == 0)
  }

  /// `boardroom watch`, which is ended by Ctrl-C: how long a performance takes to begin is the machine's affair, so that
  /// a watcher that ends when nothing happens would miss it on a busy one.
  private struct Watcher {
    let program: StartedProgram
    let folder: Folder
    let name: String

    init(_ room: String, server: LiveServer, in folder: Folder) async throws {
      (self.folder, name) = (folder, UUID().uuidString)
      program = try await StartedProgram(
        Program.url.path, ["watch", room, "--json", "--server", server.url], in: folder.path,
        output: StartedProgram.file(folder.path + "/\(name).out"),
        errors: StartedProgram.file(folder.path + "/\(name).err"))
    }

    /// The whole lines that it has printed.
    var lines: [String] {
      get throws {
        try folder.text("\(name).out").split(separator: "\n", omittingEmptySubsequences: false).dropLast()
          .map(String.init)
      }
    }

    /// Ends it once it has shown what is there.
    func end(after lines: Int) async throws -> (status: Int32, errors: String) {
      _ = try await until("the watcher has shown \(lines) lines") {
        try self.lines.count >= lines ? true : nil
      }
      program.send(SIGINT)
      return try await (program.ended(), folder.text("\(name).err"))
    }
  }

  @Test("A watcher sees every event of a performance once and in order, and ends when all is quiet")
  func watching() async throws {
    let room = try await makeRoom()
    let watcher = try await Watcher(room, server: server, in: folder)
    _ = try await until("the watcher is in") { try await length(room) >= 2 ? true : nil }
    let played = try await perform(Self.sample("hello"), in: room, members: 2, speed: "0")
    #expect(played.agree)
    let export = try await run("export", room, "--from", "3")
    #expect(export.lines.count { $0.contains("\"stroke\"") } == 15)
    let answer = try await watcher.end(after: export.lines.count)
    #expect(answer.status == 130, "\(answer.errors)")
    #expect(try watcher.lines.prefix(export.lines.count) == export.lines[...])
    #expect(answer.errors.contains("state "))

    let idle = try await run("watch", room, "--until-idle", "0.2", "--server", server.url)
    #expect(idle.status == 0, "\(idle.errors)")
    #expect(idle.errors.contains("state "))
  }

  @Test("TERM-3: two watchers of one room, and two performances in it, do not throw each other out")
  func severalAtOnce() async throws {
    let room = try await makeRoom()
    let one = try await Watcher(room, server: server, in: folder)
    let other = try await Watcher(room, server: server, in: folder)
    _ = try await until("both watchers are in") { try await length(room) >= 3 ? true : nil }
    async let left = perform(Self.sample("hello"), in: room, members: 2, speed: "0")
    let right = try await perform(Self.sample("hello"), in: room, members: 2, speed: "0")
    #expect(try await left.agree)
    #expect(right.agree)
    let export = try await run("export", room, "--from", "4")
    for watcher in [one, other] {
      let answer = try await watcher.end(after: export.lines.count)
      #expect(answer.status == 130, "\(answer.errors)")
    }
    #expect(try await !run("export", room).output.contains("memberReplaced"))
  }

  @Test("OPS-3: a server whose data folder is moved away ends by itself with 74, and everything is there")
  func folderMoved() async throws {
    let room = try await makeRoom()
    _ = try await perform(Self.sample("plan"), in: room, members: 1, speed: "0")
    let before = try await run("export", room).output
    try FileManager.default.moveItem(atPath: folder.path + "/data", toPath: folder.path + "/moved")
    #expect(try await server.ended() == 74)
    try FileManager.default.moveItem(atPath: folder.path + "/moved", toPath: folder.path + "/data")
    #expect(try await run("export", room).output.hasPrefix(before))
    #expect(try await run("verify", "--quiet").status == 0)
  }

  @Test("Ctrl-C ends a server cleanly: exit status 0, and everything is there")
  func interrupted() async throws {
    let room = try await makeRoom()
    _ = try await perform(Self.sample("plan"), in: room, members: 1, speed: "0")
    let before = try await run("export", room).output
    #expect(try await server.interrupt() == 0)
    #expect(try await run("export", room).output.hasPrefix(before))
    #expect(try await run("verify", "--quiet").status == 0)
  }

  @Test(
    "Drawings of the corpus are read in each of their forms",
    .enabled(if: hasCorpus, "the drawings of ../shared/corpus are not here"),
    arguments: ["wacom_pen", "omniglot_strokes", "excalidraw_freedraw", "excalidraw_elements"])
  func corpusDrawings(name: String) async throws {
    let room = try await makeRoom()
    let played = try await perform(
      "\(Self.corpus)/\(name).ndjson", in: room, members: 3, speed: "0", more: ["--limit", "60"])
    #expect(played.agree)
    #expect(played.members.map(\.acts).reduce(0, +) == 60)
    #expect(try await stateHash(room, at: "\(played.members[0].revision)") == played.members[0].stateHash)
  }

  @Test("A token that is none, and a room that is not there, are refused with a code and a sentence")
  func refused() async throws {
    let room = try await makeRoom()
    let token = try await run("watch", room, "--token", "NETLESSROOM_none", "--server", server.url)
    #expect(token.status == 77, "\(token.errors)")
    #expect(token.errors.contains("tokenInvalid"))
    let stranger = try await run(
      "watch", "ffffffffffffffffffffffffffffffff", "--server", server.url)
    #expect(stranger.status == 66, "\(stranger.errors)")
    #expect(stranger.errors.contains("notFound"))
  }
}
