import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import StorageTestKit
import Testing

/// Acceptance 5 of issue 4: logs that a server wrote of accounts and channels, through the commands that rooms have.
@Suite("Command line: what a session left of accounts and channels")
struct SpaceSessionTests {
  private let folder: Folder
  init() throws { folder = try Folder() }

  private func run(_ words: String, _ options: [String]) async throws -> Program.Answer {
    let answer = try await Program.run(words.split(separator: " ").map(String.init) + options, in: folder)
    #expect(answer.status == 0, "\(words) \(options): \(answer.errors)")
    return answer
  }

  private func json(_ words: String, _ options: [String]) async throws -> [String: Any] {
    let answer = try await run(words, options)
    let object = try JSONSerialization.jsonObject(with: Data(answer.output.utf8)) as? [String: Any]
    return try #require(object)
  }

  private func write(_ logs: [SpaceSession.Log]) async throws {
    let store = try EmbeddedLogStore.open(folder: folder.path + "/data")
    for log in logs {
      let info = try await store.create(log.name.log, epoch: log.info.epoch, at: log.info.created)
      try await store.append(log.records, to: log.name.log, expecting: .zero, epoch: info.epoch)
    }
    await store.shutdown()
  }

  /// As the sealer does by and by, and the server when a room rests.
  private func seal(_ logs: [SpaceSession.Log]) async throws {
    let store = try EmbeddedLogStore.open(folder: folder.path + "/data")
    for log in logs {
      for snapshot in log.snapshots { try await store.put(snapshot, for: log.name.log) }
    }
    try await store.seal()
    await store.shutdown()
  }

  private func check(_ log: SpaceSession.Log) async throws {
    let count = log.records.count
    let moment = try await json("replay --at end --json", log.options)
    #expect(moment["stateHash"] as? String == log.hash, "\(log.name)")
    #expect(moment["revision"] as? Int == count)
    let verified = try await run("verify --level deep --quiet", log.options)
    #expect(verified.output.contains("\(count) events folded"))
    #expect(verified.output.contains(log.hash))
    #expect(verified.output.contains("All is well."))
    let exported = try await run("export --quiet", log.options)
    #expect(exported.lines.count == count)
    #expect(try await run("inspect --json", log.options).output.contains("\"last\":\(count)"))
    #expect(try await run("replay --play --speed 0", log.options).lines.count == count)
  }

  @Test(
    "SPC-12: fold, state hash, export, verify, inspect and replay of what a server wrote, from the journal, then sealed, with snapshots"
  )
  func session() async throws {
    let logs = SpaceSession.logs()
    for log in logs { #expect(log.records.count > 5, "\(log.name) has something to show") }
    #expect(logs.allSatisfy { !$0.snapshots.isEmpty })
    for log in logs { try Golden.record(log) }
    try await write(logs)
    for log in logs { try await check(log) }
    try await seal(logs)
    for log in logs { try await check(log) }
    #expect(try await run("verify --level deep --quiet", []).output.contains("All is well."))
    let anna = try #require(logs.first)
    let middle = try #require(anna.snapshots.first).revision
    let before = try await json("replay --at \(middle) --json", anna.options)
    let hash = StateEncoder.hash(of: state(of: anna, at: middle)).map { String(format: "%02x", $0) }.joined()
    #expect(before["stateHash"] as? String == hash)
    let blocks = try await run("export --quiet --blocks --output anna.blocks", anna.options)
    #expect(blocks.status == 0)
    _ = try await run("import anna.blocks --data blocks --room", [anna.name.log.description])
    #expect(
      try await json("replay --at end --json", anna.options + ["--data", "blocks"])["stateHash"] as? String
        == anna.hash)
  }

  private func state(of log: SpaceSession.Log, at revision: Revision) -> RoomState {
    var builder = RunBuilder(first: 1)
    for record in log.records.prefix(Int(revision.rawValue)) { builder.append(record) }
    var state = RoomState()
    guard let run = builder.takeRun() else { return state }
    run.forEach { view, _ in
      if let event = try? EventCodec.decode(view, in: run.records) { state.apply(event) }
    }
    return state
  }

  @Test(
    "SPC-12: logs of version 1 fold to the hash that they had, and are exported as they were",
    arguments: Golden.all)
  func golden(_ golden: Golden) async throws {
    let lines = try golden.text(".jsonl")
    try folder.write(lines, to: "space.jsonl")
    _ = try await run("import space.jsonl --room", [golden.name.log.description])
    let options = SpaceSession.Log.options(golden.name)
    let hash = try #require(try await json("replay --at end --json", options)["stateHash"] as? String)
    #expect(try golden.text(".hash") == hash + "\n")
    #expect(try await run("export --quiet", options).output == lines)
    #expect(try await run("verify --level deep --quiet", options).output.contains("All is well."))
  }
}

/// A log under Tests/Golden/v1/spaces, and the hash of its state. Written only with BOARDROOM_GOLDEN=record.
struct Golden: Sendable, CustomTestStringConvertible {
  var file: String
  var name: SpaceName
  var testDescription: String { file }

  static let all = [
    Golden(file: "account", name: .account("anna")),
    Golden(file: "channel", name: .channel(.signaling, "lobby")),
    Golden(file: "special", name: .userOnline),
  ]

  func text(_ ending: String) throws -> String {
    String(decoding: try GoldenFiles.read("spaces/" + file + ending), as: UTF8.self)
  }

  static func record(_ log: SpaceSession.Log) throws {
    guard GoldenFiles.isRecording, let golden = all.first(where: { $0.name == log.name }) else { return }
    var builder = RunBuilder(first: 1)
    for record in log.records { builder.append(record) }
    guard let run = builder.takeRun() else { return }
    let lines = RecordMirror.lines(of: run).map { line in
      String(decoding: line, as: UTF8.self).split(separator: "\n").joined() + "\n"
    }
    try GoldenFiles.record("spaces/\(golden.file).jsonl", Array(lines.joined().utf8))
    try GoldenFiles.record("spaces/\(golden.file).hash", Array((log.hash + "\n").utf8))
  }
}
