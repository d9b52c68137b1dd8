import EventLog
import EventLogModel
import Foundation
import Testing

@Suite("Command line: what is exported comes back")
struct RoundTripTests {
  private let folder: Folder

  init() async throws {
    folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    let answer = try await Program.run(
      "import", "room.jsonl", "--data", "data", "--room", SampleLog.room, "--json", in: folder)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.output.contains("\"revision\":\(SampleLog.count)"))
  }

  private func run(_ arguments: String..., input: String = "") async throws -> Program.Answer {
    try await Program.run(arguments, input: input, in: folder)
  }

  private func stateHash(_ data: String) async throws -> String {
    let answer = try await run("replay", SampleLog.room, "--data", data, "--at", "end", "--json")
    #expect(answer.status == 0, "\(answer.errors)")
    let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
    return try #require(object?["stateHash"] as? String)
  }

  @Test("JSONL → folder → JSONL is the same text, line for line, one line a revision")
  func lines() async throws {
    let answer = try await run("export", SampleLog.room, "--data", "data", "--quiet")
    #expect(answer.status == 0)
    #expect(answer.output == SampleLog.text)
    #expect(answer.lines.count == SampleLog.count)
  }

  @Test("Blocks and JSONL imported into empty folders give the original's state hash")
  func hashes() async throws {
    #expect(try await run("export", SampleLog.room, "--blocks", "--output", "room.blocks").status == 0)
    #expect(try await run("import", "room.blocks", "--data", "copy").status == 0)
    let original = try await stateHash("data")
    #expect(original.count == 64)
    #expect(try await stateHash("copy") == original)
  }

  @Test("A backup is a folder with the same rooms in the same states")
  func backup() async throws {
    let answer = try await run("backup", "saved")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try await stateHash("saved") == stateHash("data"))
  }

  @Test("FILE-4: a backup has all snapshots of a room, and what its webhooks need")
  func backupIsWhole() async throws {
    let log = try #require(LogID(SampleLog.room))
    let store = try EmbeddedLogStore.open(folder: folder.path + "/data")
    for number in UInt64(1)...50 {
      let part = SnapshotPart(
        key: [UInt8](repeating: UInt8(number % 4), count: 16), bytes: [UInt8](repeating: 7, count: 90))
      let hash = [UInt8](repeating: UInt8(number), count: 32)
      try await store.put(
        Snapshot(revision: Revision(number), time: .zero, stateHash: hash, root: [1], parts: [part]), for: log
      )
    }
    let kept = try await snapshots(of: log, in: store)
    await store.shutdown()
    #expect(kept.count > 3)
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data/webhooks", withIntermediateDirectories: true)
    try folder.write("secret", to: "data/webhooks/secret")
    let answer = try await run("backup", "saved")
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(try folder.text("saved/webhooks/secret") == "secret")
    let copy = try EmbeddedLogStore.open(folder: folder.path + "/saved")
    #expect(try await snapshots(of: log, in: copy) == kept)
    await copy.shutdown()
  }

  private func snapshots(of log: LogID, in store: EmbeddedLogStore) async throws -> [Snapshot] {
    var found: [Snapshot] = []
    for info in try await store.snapshots(of: log) {
      found.append(try #require(try await store.latestSnapshot(of: log, notAfter: info.revision)))
    }
    return found
  }

  @Test("Export by revisions, times and kinds")
  func parts() async throws {
    let room = SampleLog.room
    #expect(try await run("export", room, "--from", "5", "--to", "9").lines == Array(SampleLog.lines[4..<9]))
    let from = "@\(SampleLog.start + 401)"
    #expect(try await run("export", room, "--from", from, "--to", "9").lines == Array(SampleLog.lines[5..<9]))
    let magix = try await run("export", room, "--kind", "magix")
    #expect(magix.lines == SampleLog.lines.filter { $0.contains("\"magix\"") })
    #expect(try await run("export", room, "--output", "all.jsonl", "--quiet").status == 0)
    #expect(try folder.text("all.jsonl") == SampleLog.text)
  }

  @Test("Replay prints a moment for people: room, roster, phases")
  func moment() async throws {
    let answer = try await run("replay", SampleLog.room, "--at", "4", "--phases")
    #expect(answer.status == 0, "\(answer.errors)")
    for words in [
      "sample", "revision  4 of 60", "ada", "reconnecting, generation 1", "connected, generation 2",
    ] {
      #expect(answer.output.contains(words), "no \(words) in \(answer.output)")
    }
    let moment = try await run("replay", SampleLog.room, "--at", "4")
    #expect(moment.status == 0)
    #expect(moment.lines.allSatisfy { !$0.hasPrefix("phases") })
    #expect(moment.lines == Array(answer.lines.prefix { !$0.hasPrefix("phases") }))
    let json = try await run("replay", SampleLog.room, "--at", "4", "--json")
    #expect(json.status == 0)
    #expect(!json.output.contains("\"phases\""))
    let ofMember = try await run("replay", SampleLog.room, "--at", "4", "--json", "--member", "0")
    #expect(ofMember.status == 0)
    #expect(ofMember.output.contains("\"phases\":[{"))
  }

  @Test("RP-60: replay at a time is replay at the last revision not after it")
  func times() async throws {
    let time = "@\(SampleLog.start + 1_050)"
    let byTime = try await run("replay", SampleLog.room, "--at", time, "--json")
    let byRevision = try await run("replay", SampleLog.room, "--at", "11", "--json")
    #expect(byTime.status == 0)
    #expect(byTime.output == byRevision.output)
    let iso = try await run("replay", SampleLog.room, "--at", "2023-11-14T22:13:21.050Z", "--json")
    #expect(iso.output == byRevision.output)
  }

  @Test("Replay plays events in order, filtered, and as JSON lines that are those of the export")
  func play() async throws {
    let answer = try await run("replay", SampleLog.room, "--play", "--speed", "0", "--json")
    #expect(answer.status == 0)
    #expect(answer.lines == SampleLog.lines)
    let filtered = try await run("replay", SampleLog.room, "--play", "--speed", "0", "--kind", "magix")
    #expect(filtered.lines.count == SampleLog.lines.filter { $0.contains("\"magix\"") }.count)
    #expect(filtered.lines.allSatisfy { $0.contains("magix \"tick\"") })
  }

  @Test("Replay steps forwards and back as its input says")
  func step() async throws {
    let answer = try await run(
      "replay", SampleLog.room, "--step", "--json", input: "\n\nb\n10\n\nq\n")
    #expect(answer.status == 0, "\(answer.errors)")
    let lines = answer.lines
    #expect(lines.count == 5)
    #expect(lines.prefix(2) == SampleLog.lines.prefix(2))
    #expect(lines[2] == SampleLog.lines[0])
    #expect(lines[3].contains("\"from\":1,\"to\":10"))
    #expect(lines[4] == SampleLog.lines[10])
  }

  @Test("A picture of a scene is an SVG with all strokes")
  func picture() async throws {
    let answer = try await run("replay", SampleLog.room, "--svg", "board.svg")
    #expect(answer.status == 0, "\(answer.errors)")
    let picture = try folder.text("board.svg")
    #expect(picture.hasPrefix("<svg "))
    #expect(picture.hasSuffix("</svg>\n"))
    #expect(picture.components(separatedBy: "<path ").count - 1 == 28)
  }

  @Test("Inspect shows the folder, a log, a piece of it; verify finds all well at each level")
  func inspectAndVerify() async throws {
    let rooms = try await run("inspect")
    #expect(rooms.status == 0)
    #expect(rooms.output.contains("\(SampleLog.room)  60 events"))
    let log = try await run("inspect", SampleLog.room, "--json")
    #expect(log.status == 0)
    #expect(log.output.contains("\"last\":60"))
    let piece = try await run("inspect", SampleLog.room, "--block", "30", "--json")
    #expect(piece.lines.contains(SampleLog.lines[29]))
    for level in ["quick", "full", "deep"] {
      let answer = try await run("verify", "--level", level, "--quiet")
      #expect(answer.status == 0, "\(level): \(answer.output) \(answer.errors)")
      #expect(answer.output.contains("All is well."))
    }
  }

  @Test("The same seed gives the same sample drawing, another seed another")
  func samples() async throws {
    let one = try await run("sample", "hello", "--seed", "7")
    #expect(one.status == 0)
    #expect(one.lines.count > 10)
    #expect(try await run("sample", "hello", "--seed", "7").output == one.output)
    #expect(try await run("sample", "hello", "--seed", "8").output != one.output)
  }
}
