import BoardroomAccess
import BoardroomCodec
import Foundation
import Testing

private let room = SampleLog.room

@Suite("Command line: flags")
struct FlagTests {
  @Test("CLI-3: a flag of one name is of one kind, with one value, in all commands")
  func uniform() async throws {
    var known: [String: (command: String, option: CommandTree.Option)] = [:]
    for leaf in try await CommandTree.leaves.value {
      for option in leaf.options where option.isShown {
        for name in option.names where name.hasPrefix("--") {
          guard let first = known[name] else {
            known[name] = (leaf.name, option)
            continue
          }
          #expect(first.option.kind == option.kind, "\(name) of \(first.command) and of \(leaf.name)")
          #expect(first.option.value == option.value, "\(name) of \(first.command) and of \(leaf.name)")
        }
      }
    }
    for (name, value) in [
      ("--room", "room"), ("--trust", "file"), ("--speed", "factor"), ("--from", "instant"),
      ("--at", "instant"),
      ("--to", "instant"), ("--before", "instant"), ("--lifespan", "duration"), ("--for", "duration"),
      ("--every", "duration"), ("--idle", "duration"), ("--until-idle", "duration"),
      ("--patience", "duration"),
    ] { #expect(known[name]?.option.value == value, "\(name)") }
  }

  @Test("CLI-3: a command that talks to a server takes --trust, and one that takes a room takes --room")
  func everywhere() async throws {
    for leaf in try await CommandTree.leaves.value {
      let names = Set(leaf.options.flatMap(\.names))
      if names.contains("--server") { #expect(names.contains("--trust"), "\(leaf.name)") }
      let help = try await Program.run(leaf.words + ["--help"], in: try Folder())
      if help.output.contains("The room's uuid") { #expect(names.contains("--room"), "\(leaf.name)") }
    }
  }

  @Test(
    "CLI-3: a length of time has its unit; without one it is what it was before",
    arguments: [
      ("90s", 90), ("30m", 1_800), ("30min", 1_800), ("2h", 7_200), ("1d", 86_400), ("1.5h", 5_400),
      ("90000", 90), ("500ms", 0.5),
    ])
  func durations(text: String, seconds: Double) async throws {
    let words = ["token", "sdk", "--key", "a", "--secret", "b", "--json", "--lifespan", text]
    let before = Date().timeIntervalSince1970
    let answer = try await Program.run(words, in: try Folder())
    let token = try JSONValue.parse(Array(answer.output.utf8))
    let ends = Double(try #require(token["ends"]?.int)) / 1_000
    #expect(ends >= before + seconds - 0.01, "\(text)")
    #expect(ends <= Date().timeIntervalSince1970 + seconds + 0.01, "\(text)")
  }

  @Test("CLI-3: what is no length of time, no instant and no speed is a wrong command line")
  func wrong() async throws {
    let folder = try Folder()
    for words in [
      "token sdk --lifespan soon", "token sdk --lifespan 1w", "watch \(room) --until-idle never",
      "follow copy --every 0.5s", "follow copy --every 2d", "perform x --room \(room) --patience 1x",
      "replay \(room) --at 2026-02-30", "replay \(room) --at 2026-11-21T25:00",
      "replay \(room) --at 1969-12-31",
      "replay \(room) --at 2026-11", "replay \(room) --from 3", "replay \(room) --play --from 3 --at 3",
      "serve --speed 1.5", "serve --speed 0", "replay \(room) --play --speed fast", "room list --begin 12",
      "watch \(room) --room \(room)", "watch", "archive x.tar", "archive \(room)",
    ] {
      let answer = try await Program.run(words.split(separator: " ").map(String.init), in: folder)
      #expect(answer.status == 64, "\(words): \(answer.status) \(answer.errors)")
    }
  }

  @Test("CLI-3: an instant is a revision, a date, a date and a time, or ms since 1970, in every command")
  func instants() async throws {
    let folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--room", room, in: folder).status == 0)
    // The log is of 2023-11-14T22:13:20.000Z and the six seconds after it, an event each 100 ms.
    for (text, revision) in [
      ("11", 11), ("@1700000001000", 11), ("2023-11-14T22:13:21Z", 11), ("2023-11-14T22:13:21", 11),
      ("2023-11-14 22:13:21.000", 11), ("2023-11-14T23:13:21+01:00", 11), ("2023-11-14T22:13:21.050Z", 11),
      ("2023-11-14T22:14", 60), ("2023-11-15", 60), ("2023-11-14", 0), ("end", 60),
    ] {
      let shown = try await Program.run("replay", "--room", room, "--at", text, "--json", in: folder)
      let moment = try JSONValue.parse(Array(shown.output.utf8))
      #expect(moment["revision"]?.int == revision, "\(text): \(shown.errors)")
    }
    let played = try await Program.run(
      "replay", room, "--play", "--speed", "0", "--from", "2023-11-14T22:13:25Z", in: folder)
    #expect(played.lines.count == SampleLog.count - 51)
    let piece = try await Program.run(
      "inspect", room, "--block", "2023-11-14T22:13:21Z", "--json", in: folder)
    #expect(piece.status == 0, "\(piece.errors)")
    #expect(piece.lines.count > 1)
    let archived = try await Program.run("archive", "--room", room, "room.tar", in: folder)
    #expect(archived.status == 0, "\(archived.errors)")
  }

  @Test(
    "CLI-3: moments of a running server are kept and trimmed by dates, too; older names of flags go on working"
  )
  func server() async throws {
    let folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--room", room, in: folder).status == 0)
    let server = LiveServer(in: folder)
    try await server.start()
    func run(_ words: String...) async throws -> Program.Answer {
      try await Program.run(words + ["--server", server.url], in: folder)
    }
    let kept = try await run(
      "room", "keep", room, "--at", "2023-11-14T22:13:21Z", "--name", "second", "--json")
    #expect(try JSONValue.parse(Array(kept.output.utf8))["at"]?.int == 11, "\(kept.errors)")
    #expect(try await run("room", "kept", "--room", room).lines == ["11  second"])
    #expect(try await run("room", "trim", "--room", room, "--before", "2023-11-14").status == 0)
    #expect(try await run("room", "trim", room, "--before-time", "2023-11-14").status == 0)
    for flag in ["--begin", "--from"] {
      let listed = try await run("room", "list", flag, room)
      #expect(listed.lines.count == 1, "\(listed.errors)")
    }
  }
}
