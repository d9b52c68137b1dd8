import BoardroomCodec
import Foundation
import Testing

private let room = SampleLog.room
private let stranger = "ffffffffffffffffffffffffffffffff"
private let nowhere = "--server http://127.0.0.1:1 --token x"

/// How each command fails once its command line is understood. A test fails if a command is missing.
private let failures: [String: String] = [
  "serve": "--config no.json", "token room": "\(room) --data no", "token sdk": "--data no",
  "token account": "anna --data no", "room create": nowhere, "room list": nowhere,
  "room show": "\(room) \(nowhere)", "room delete": "\(room) \(nowhere)",
  "room members": "\(room) \(nowhere)", "room kick": "\(room) --member 1 \(nowhere)",
  "room ban": "\(room) \(nowhere)", "room unban": "\(room) \(nowhere)", "room bans": "\(room) \(nowhere)",
  "room lock": "\(room) \(nowhere)", "room unlock": "\(room) \(nowhere)",
  "room limits": "\(room) \(nowhere)", "room keep": "\(room) --at 1 --name x \(nowhere)",
  "room kept": "\(room) \(nowhere)", "room release": "\(room) --name x \(nowhere)",
  "room trim": "\(room) --before 2 \(nowhere)", "perform": "no.ndjson --room \(room)",
  "watch": "\(room) \(nowhere)", "sample": "no", "signaling": "anna \(nowhere)",
  "replay": "\(room) --data no", "export": "\(room) --data no", "import": "no.jsonl",
  "inspect": "--data no", "verify": "--data no", "backup": "copy --data no", "follow": "copy --data no",
  "repair": "mended --data no", "erase": "--uid ada --dry-run --data no",
  "archive": "\(room) room.tar --data no", "migrate": "no other",
  "database make": "postgres://127.0.0.1:1/none",
  "database newlife": "postgres://127.0.0.1:1/none",
]

@Suite("Command line: JSON")
struct JSONTests {
  private let folder: Folder
  init() throws { folder = try Folder() }

  /// The error on standard error, whose other lines are objects, too.
  private func error(of answer: Program.Answer) throws -> JSONValue {
    let objects = try answer.errors.split(separator: "\n").map { try JSONValue.parse(Array($0.utf8)) }
    for object in objects.dropLast() { #expect(object["note"]?.string != nil, "\(answer.errors)") }
    let error = try #require(objects.last, "no error")
    #expect(error.object?.map(\.0) == ["code", "what", "where", "help", "exitStatus"], "\(answer.errors)")
    #expect(error["exitStatus"]?.int == Int(answer.status))
    for name in ["code", "what", "where"] { #expect(error[name]?.string?.isEmpty == false, "\(name)") }
    #expect(error["help"]?.string != nil)
    return error
  }

  @Test("CLI-1: every command has --json")
  func flag() async throws {
    let leaves = try await CommandTree.leaves.value
    #expect(leaves.count > 30)
    for leaf in leaves {
      let json = leaf.options.first { $0.names.contains("--json") }
      #expect(json?.kind == "flag", "\(leaf.name) has no --json")
      #expect(json?.isShown == true, "\(leaf.name) has no --json in its help")
    }
  }

  @Test("CLI-1: with --json a command line that is wrong is one JSON object, of every command")
  func usage() async throws {
    for leaf in try await CommandTree.leaves.value {
      let answer = try await Program.run(leaf.words + ["--json", "--no-such-option"], in: folder)
      #expect(answer.status == 64)
      let error = try error(of: answer)
      #expect(error["code"]?.string == "usage")
      #expect(error["where"]?.string == "boardroom \(leaf.name)")
      #expect(error["help"]?.string == "See `boardroom \(leaf.name) --help`.")
      #expect(answer.output == "", "\(leaf.name)")
    }
  }

  @Test("CLI-1: with --json a failure is one JSON object, of every command")
  func failing() async throws {
    let leaves = try await CommandTree.leaves.value
    #expect(Set(leaves.map(\.name)) == Set(failures.keys), "say how the new command fails")
    for leaf in leaves {
      let arguments = try #require(failures[leaf.name], "\(leaf.name)").split(separator: " ").map(String.init)
      let answer = try await Program.run(leaf.words + arguments + ["--json"], in: folder)
      let error = try error(of: answer)
      #expect([64, 66, 69].contains(answer.status), "\(leaf.name): \(answer.errors)")
      #expect(error["code"]?.string != "usage", "\(leaf.name)")
      #expect(error["help"]?.string?.isEmpty == false, "\(leaf.name)")
      #expect(answer.output == "", "\(leaf.name)")
    }
  }

  @Test("CLI-1: errors of a log have the name of the error and of the log; a file's error has its path")
  func log() async throws {
    try folder.write(SampleLog.text, to: "room.jsonl")
    let made = try await Program.run(
      "import", "room.jsonl", "--data", "data", "--room", room, "--json", in: folder)
    #expect(made.status == 0)
    for line in made.errors.split(separator: "\n") {
      #expect(try JSONValue.parse(Array(line.utf8))["note"]?.string != nil, "\(line)")
    }
    let missing = try error(of: try await Program.run("replay", stranger, "--json", in: folder))
    #expect(missing["code"]?.string == "noSuchLog")
    #expect(missing["where"]?.string == stranger)
    let again = try error(
      of: try await Program.run("import", "room.jsonl", "--room", room, "--json", in: folder))
    #expect(again["code"]?.string == "logExists")
    try folder.write("{\"rev\":2,\n", to: "a. Torn.jsonl")
    let torn = try error(of: try await Program.run("import", "a. Torn.jsonl", "--json", in: folder))
    #expect(torn["code"]?.string == "unreadable")
    #expect(torn["where"]?.string?.hasPrefix("a. Torn.jsonl") == true)
    #expect(torn["what"]?.string?.hasPrefix("a. Torn.jsonl, line 1: ") == true)
    let exists = try error(of: try await Program.run("backup", "data", "--json", in: folder))
    #expect(exists["code"]?.string == "cannotCreate")
    #expect(exists["what"]?.string == "data exists already.")
    #expect(exists["where"]?.string == "data")
    #expect(exists["help"]?.string == "Name a new folder.")
  }

  @Test("CLI-1: an error that nobody expected is one JSON object, too")
  func unexpected() async throws {
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--room", room, in: folder).status == 0)
    let errors = folder.path + "/errors"
    let program = try await StartedProgram(
      "/bin/sh", ["-c", "exec \"$0\" export \(room) --json >/dev/full", Program.url.path], in: folder.path,
      output: StartedProgram.file(folder.path + "/nothing"), errors: StartedProgram.file(errors))
    let answer = Program.Answer(
      status: await program.ended(), output: "", errors: try String(contentsOfFile: errors, encoding: .utf8))
    #expect(answer.status == 74)
    _ = try error(of: answer)
  }

  @Test("CLI-1: what made text only before is JSON, too")
  func outputs() async throws {
    func value(_ arguments: String...) async throws -> JSONValue {
      let answer = try await Program.run(arguments + ["--json"], in: folder)
      #expect(answer.status == 0, "\(arguments): \(answer.errors)")
      #expect(answer.lines.count == 1, "\(answer.output)")
      return try JSONValue.parse(Array(answer.output.utf8))
    }
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(try await value("import", "room.jsonl", "--room", room)["room"]?.string == room)
    let token = try await value("token", "sdk", "--key", "a", "--secret", "b", "--lifespan", "1h")
    #expect(token["token"]?.string?.hasPrefix("NETLESSSDK_") == true)
    #expect(token["role"]?.string == "writer")
    let ends = Date(timeIntervalSince1970: Double(token["ends"]?.int ?? 0) / 1_000)
    #expect(abs(ends.timeIntervalSinceNow - 3_600) < 60)
    let settings = try await value("serve", "--show-settings", "--port", "1234")
    #expect(settings["port"]?.string == "1234")
    #expect(settings["log.format"]?.string == "json")
    #expect(try await value("archive", "--public-key")["publicKey"]?.string?.isEmpty == false)
    let copy = try await value("backup", "copy")
    #expect(copy["folder"]?.string == "copy")
    #expect(copy["events"]?.int == SampleLog.count)
    #expect(copy["lost"]?.bool == false)
    let written = try await value("export", room, "--output", "out.jsonl", "--from", "11")
    #expect(written["events"]?.int == SampleLog.count - 10)
    #expect(written["file"]?.string == "out.jsonl")
  }
}
