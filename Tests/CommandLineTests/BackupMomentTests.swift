import BoardroomModel
import Foundation
import Testing

@Suite("Command line: a backup of an earlier moment")
struct BackupMomentTests {
  private static let later = "fedcba9876543210fedcba9876543210"

  /// The sample's room, and the same events a day later in another one.
  private func folder() async throws -> Folder {
    let folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    let moved = SampleLog.text.replacingOccurrences(of: "\"t\":1700000", with: "\"t\":1700086")
    try folder.write(moved, to: "later.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--room", SampleLog.room, in: folder).status == 0)
    #expect(try await Program.run("import", "later.jsonl", "--room", Self.later, in: folder).status == 0)
    return folder
  }

  @Test(
    "FILE-4: each room is as it was at the time, with the same state, and rooms that came later are not there"
  )
  func moments() async throws {
    let folder = try await folder()
    // Between the events of revisions 31 and 32; they are 100 ms apart.
    let time = "@\(SampleLog.start + 3_050)"
    let made = try await Program.run("backup", "then", "--at", time, in: folder)
    #expect(made.status == 0, "\(made.errors)")
    #expect(made.errors.contains("1 rooms, 31 events"), "\(made.errors)")
    let lines = try await Program.run("export", SampleLog.room, "--data", "then", in: folder)
    let all = try await Program.run("export", SampleLog.room, in: folder)
    #expect(lines.lines == Array(all.lines.prefix(31)))
    let (was, now) = (
      try await Program.run("replay", SampleLog.room, "--at", time, "--json", in: folder),
      try await Program.run("replay", SampleLog.room, "--at", "end", "--json", "--data", "then", in: folder)
    )
    #expect(try hash(was.output) == hash(now.output))
    #expect(try await Program.run("export", Self.later, "--data", "then", in: folder).status == 66)
    #expect(try await Program.run("verify", "--level", "deep", "--data", "then", in: folder).status == 0)
    // A backup of the backup: to go back further is always possible.
    let further = try await Program.run(
      "backup", "before", "--data", "then", "--at", "@\(SampleLog.start + 50)", in: folder)
    #expect(further.status == 0, "\(further.errors)")
    #expect(further.errors.contains("1 rooms, 1 events"), "\(further.errors)")
    let none = try await Program.run("backup", "none", "--at", "@\(SampleLog.start - 1)", in: folder)
    #expect(none.status == 0, "\(none.errors)")
    #expect(none.errors.contains("0 rooms, 0 events"), "\(none.errors)")
  }

  private func hash(_ json: String) throws -> String {
    let object = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
    return try #require(object?["stateHash"] as? String)
  }

  @Test("A moment is a time: a revision, an end and a kept epoch are refused before anything is made")
  func refused() async throws {
    let folder = try await folder()
    for more in [
      ["--at", "31"], ["--at", "end"], ["--at", "soon"], ["--at", "@1700000000000", "--keep-epochs"],
    ] {
      let refused = try await Program.run(["backup", "then"] + more, in: folder)
      #expect(refused.status == 64, "\(more): \(refused.errors)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/then"))
  }
}
