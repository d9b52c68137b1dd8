import BoardroomModel
import EventLog
import Foundation
import Testing

@Suite("Command line: one member's name and content are erased")
struct EraseTests {
  private static let room = SampleLog.room
  private static let secret = "my-secret-text"
  private static let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A, 1, 2, 3]
  /// SHA-256 of these bytes.
  private static let image = "7f47b756761a46e6d4a4d96f0d8a4448f8449235009d1f3ad1493f5c773c19e8.png"
  private static let imagePath = "data/images/\(room)/\(image)"

  private static func line(_ revision: Int, _ by: Int, _ counter: Int, _ kind: String, _ body: String)
    -> String
  {
    "{\"rev\":\(revision),\"t\":1700000006000,\"by\":\(by),\"n\":\(counter),\"kind\":\"\(kind)\",\"body\":\(body)}\n"
  }

  /// Ada's room, and Bob, who came later; Ada has put an image on the board.
  private func folder() async throws -> Folder {
    let folder = try Folder()
    let session =
      "{\"session\":\"\(String(repeating: "0", count: 31))9\",\"role\":\"writer\",\"writable\":true,\"uid\":\"bob\"}"
    let source = "/v5/rooms/\(Self.room)/images/\(Self.image)"
    let lines = [
      Self.line(61, 0, 59, "magix", "{\"event\":\"\(Self.secret)\",\"payload\":{\"src\":\"\(source)\"}}"),
      Self.line(62, 1, 0, "memberJoined", session),
      Self.line(63, 1, 1, "magix", "{\"event\":\"of bob\",\"payload\":1}"),
      Self.line(64, 0, 60, "globalState", "{\"note\":\"\(Self.secret)\"}"),
    ]
    try folder.write(SampleLog.text + lines.joined(), to: "room.jsonl")
    let made = try await Program.run("import", "room.jsonl", "--room", Self.room, "--quiet", in: folder)
    #expect(made.status == 0, "\(made.errors)")
    try FileManager.default.createDirectory(
      atPath: folder.path + "/data/images/\(Self.room)", withIntermediateDirectories: true)
    try folder.write(Self.png, to: Self.imagePath)
    return folder
  }

  /// Files of the data folder in which a text stands.
  private func places(of text: String, in folder: Folder, _ name: String = "data") throws -> [String] {
    let data = URL(filePath: folder.path + "/" + name)
    let files = FileManager.default.enumerator(at: data, includingPropertiesForKeys: nil)
    var found: [String] = []
    while let file = files?.nextObject() as? URL {
      let bytes = (try? Data(contentsOf: file)) ?? Data()
      if bytes.range(of: Data(text.utf8)) != nil { found.append(file.lastPathComponent) }
    }
    return found
  }

  private func expectWell(_ folder: Folder) async throws {
    let verified = try await Program.run("verify", "--level", "deep", "--quiet", in: folder)
    #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
  }

  @Test(
    "LOG-29: no file of the folder has a byte of it; the certificate says what was erased, and others' events stay"
  )
  func erases() async throws {
    let folder = try await folder()
    #expect(try !places(of: Self.secret, in: folder).isEmpty)
    let dry = try await Program.run("erase", "--uid", "Ada", "--dry-run", in: folder)
    #expect(dry.status == 0, "\(dry.errors)")
    #expect(dry.output.contains("would be erased"), "\(dry.errors)")
    #expect(try !places(of: Self.secret, in: folder).isEmpty)
    let erased = try await Program.run("erase", "--uid", "Ada", "--certificate", "ada.json", in: folder)
    #expect(erased.status == 0, "\(erased.errors)\(erased.output)")
    #expect(erased.output.contains("ada.json"), "\(erased.errors)\(erased.output)")
    for text in [Self.secret, "\"ada\"", "tests/1"] {
      #expect(try places(of: text, in: folder).isEmpty, "\(text)")
    }
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/" + Self.imagePath))
    let export = try await Program.run("export", Self.room, in: folder)
    #expect(export.status == 0)
    #expect(export.lines.count == 64)
    #expect(export.output.contains("of bob"))
    #expect(export.output.contains("contentErased"))
    try await expectWell(folder)
    let data = try Data(contentsOf: URL(filePath: folder.path + "/ada.json"))
    let certificate = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    #expect(certificate["images"] as? [String] == ["images/\(Self.room)/\(Self.image)"])
    let rooms = try #require(certificate["rooms"] as? [[String: Any]])
    // 28 strokes and 28 custom events, joining, an image and a note.
    try #require(rooms.count == 1)
    #expect((rooms[0]["records"] as? [Any])?.count == 59)
    #expect(rooms[0]["isDone"] as? Bool == true)
    #expect((rooms[0]["blocks"] as? [Any])?.isEmpty == false)
    #expect((rooms[0]["epochs"] as? [String])?.count == 2)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/ada.json.part"))
    let again = try await Program.run("erase", "--uid", "Ada", "--certificate", "2.json", in: folder)
    #expect(again.status == 0, "\(again.output)")
    #expect(again.output.contains("Nothing of this member is there."), "\(again.output)")
  }

  @Test(
    "LOG-29: a member without a name is erased by its number; what the log holds goes on to be exported and imported"
  )
  func byNumber() async throws {
    let folder = try await folder()
    let answer = try await Program.run(
      "erase", "--room", Self.room, "--member", "1", "--certificate", "one.json", "--json", in: folder)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(answer.output.contains("\"members\""), "\(answer.errors)")
    #expect(try places(of: "of bob", in: folder).isEmpty)
    #expect(try !places(of: Self.secret, in: folder).isEmpty)
    let export = try await Program.run("export", Self.room, "-o", "out.jsonl", in: folder)
    #expect(export.status == 0, "\(export.errors)")
    let imported = try await Program.run(
      "import", "out.jsonl", "--room", Self.room, "--data", "other", in: folder)
    #expect(imported.status == 0, "\(imported.errors)")
  }

  @Test("LOG-29: an erasure that was cut short goes on with its certificate, and has it all in the end")
  func isGoneOnWith() async throws {
    let folder = try await folder()
    // As it stands when the plan was written and nothing was erased yet.
    let key = String(repeating: "ab", count: 32)
    let part = """
      {"format":"boardroom erasure 1","uid":"ada","key":"\(key)","begun":"2026-01-01T00:00:00.000Z","rooms":[{"room":\
      "\(Self.room)","members":[0],"epochs":["00"],"first":1,"last":64,"records":[{"revision":61,"kind":30,"hash":"aa"}],\
      "blocks":[],"isDone":false}],"removed":[],"images":[]}
      """
    try folder.write(part, to: "ada.json.part")
    let other = try await Program.run("erase", "--uid", "bob", "--certificate", "ada.json", in: folder)
    #expect(other.status == 64, "\(other.errors)")
    #expect(other.errors.contains("of another member"), "\(other.errors)")
    let erased = try await Program.run("erase", "--uid", "ada", "--certificate", "ada.json", in: folder)
    #expect(erased.status == 0, "\(erased.errors)")
    let text = try String(contentsOfFile: folder.path + "/ada.json", encoding: .utf8)
    #expect(text.contains(key))
    #expect(text.contains("\"hash\" : \"aa\""))
    #expect(text.contains("\"00\""))
    #expect(try places(of: Self.secret, in: folder).isEmpty)
    try await expectWell(folder)
  }

  @Test("FILE-5, LOG-29: a copy that follows erases what was erased at its source, images too, and goes on")
  func follows() async throws {
    let folder = try await folder()
    #expect(try await Program.run("follow", "copy", "--once", in: folder).status == 0)
    let erased = try await Program.run("erase", "--uid", "ada", "--certificate", "ada.json", in: folder)
    #expect(erased.status == 0, "\(erased.errors)")
    let pass = try await Program.run("follow", "copy", "--once", "--json", in: folder)
    #expect(pass.status == 0, "\(pass.output)\(pass.errors)")
    #expect(pass.output.contains("\"erased\":1"), "\(pass.output)\(pass.errors)")
    #expect(try places(of: Self.secret, in: folder, "copy").isEmpty)
    #expect(!FileManager.default.fileExists(atPath: folder.path + "/copy/images/\(Self.room)/\(Self.image)"))
    let (ours, theirs) = (
      try await Program.run("export", Self.room, "--data", "copy", in: folder),
      try await Program.run("export", Self.room, in: folder)
    )
    #expect(ours.status == 0)
    #expect(ours.output == theirs.output)
    let verified = try await Program.run("verify", "--level", "deep", "--quiet", "--data", "copy", in: folder)
    #expect(verified.status == 0, "\(verified.output)")
    let none = try await Program.run("follow", "copy", "--once", "--json", in: folder)
    #expect(none.output.contains("\"erased\":0"), "\(none.output)")
    #expect(none.output.contains("\"events\":0"), "\(none.output)")
  }

  @Test("LOG-29: what cannot be done is said before anything is changed")
  func refusals() async throws {
    let folder = try await folder()
    let before = try await Program.run("export", Self.room, in: folder)
    for (words, status, says) in [
      (["--certificate", "c.json"], 64, "Name a member"), (["--uid", "ada"], 64, "--certificate"),
      (["--member", "1", "--certificate", "c.json"], 64, "--room"),
      (["--uid", "ada", "--certificate", "data/c.json"], 64, "inside of the data folder"),
      (["--uid", "ada", "--certificate", "room.jsonl"], 73, "exists already"),
      (["--uid", "ada", "--certificate", "c.json", "--data", "none"], 66, "none"),
    ] as [([String], Int32, String)] {
      let answer = try await Program.run(["erase"] + words, in: folder)
      #expect(answer.status == status, "\(words): \(answer.errors)")
      #expect(answer.errors.contains(says), "\(words): \(answer.errors)")
    }
    let held = try EmbeddedLogStore.open(folder: folder.path + "/data")
    let locked = try await Program.run("erase", "--uid", "ada", "--certificate", "c.json", in: folder)
    #expect(locked.status == 75, "\(locked.errors)")
    await held.shutdown()
    #expect(try await Program.run("export", Self.room, in: folder).output == before.output)
    let copies = folder.path + "/data/damaged"
    try FileManager.default.createDirectory(atPath: copies, withIntermediateDirectories: true)
    try folder.write("x", to: "data/damaged/1-log.db")
    let left = try await Program.run("erase", "--uid", "ada", "--certificate", "c.json", in: folder)
    #expect(left.status == 1, "\(left.errors)")
    #expect(left.errors.contains("damaged"), "\(left.errors)")
  }
}
