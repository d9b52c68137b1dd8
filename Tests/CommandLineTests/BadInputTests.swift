import Foundation
import Testing

/// A way to call the program that cannot work, with the answer that docs/OPERATIONS.md promises.
struct BadCall: Sendable, CustomTestStringConvertible {
  var arguments: [String]
  var status: Int32
  /// Words of the one sentence on standard error.
  var says: String
  var testDescription: String { arguments.joined(separator: " ") }

  init(_ arguments: String, _ status: Int32, _ says: String) {
    self.arguments = arguments.split(separator: " ").map(String.init)
    self.status = status
    self.says = says
  }
}

private let room = SampleLog.room
private let stranger = "ffffffffffffffffffffffffffffffff"

@Suite("Command line: bad input")
struct BadInputTests {
  /// Made once: none of these calls changes what is there.
  private static let prepared = Task { try await prepare() }
  private let folder: Folder

  init() async throws { folder = try await Self.prepared.value }

  /// `data` holds the sample room; the other files are what is wrong.
  private static func prepare() async throws -> Folder {
    let folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    let answer = try await Program.run("import", "room.jsonl", "--data", "data", "--room", room, in: folder)
    #expect(answer.status == 0, "\(answer.errors)")
    try folder.write("", to: "empty.jsonl")
    try folder.write("\n \n", to: "blank.jsonl")
    try folder.write(SampleLog.lines[0] + "\n{\"rev\":2,\n", to: "torn.jsonl")
    try folder.write(SampleLog.lines[0] + "\n" + SampleLog.lines[2] + "\n", to: "gap.jsonl")
    try folder.write(SampleLog.lines[1] + "\n", to: "middle.jsonl")
    try folder.write("{\"shape\":\"circle\"}\n", to: "strange.ndjson")
    try folder.write("{\"at\":0,\"stroke\":{\"x\":[1],\"y\":[],\"t\":[0]}}\n", to: "uneven.ndjson")
    try folder.write("not JSON\n", to: "text.ndjson")
    try FileManager.default.createDirectory(atPath: folder.path + "/bare", withIntermediateDirectories: true)
    let blocks = try await Program.run("export", room, "--blocks", "-o", "room.blocks", in: folder)
    #expect(blocks.status == 0, "\(blocks.errors)")
    var bytes = try folder.bytes("room.blocks")
    try folder.write(Array(bytes.dropLast(3)), to: "cut.blocks")
    bytes[bytes.count / 2] ^= 4
    try folder.write(bytes, to: "flipped.blocks")
    bytes = try folder.bytes("room.blocks")
    bytes[16] = 9
    try folder.write(bytes, to: "later.blocks")
    return folder
  }

  @Test(
    "A flag, word or value that is not understood: exit status 64 and what is",
    arguments: [
      BadCall("paint", 64, "paint"), BadCall("replay", 64, "room"),
      BadCall("replay \(room) --fast", 64, "--fast"),
      BadCall("replay 123", 64, "123"), BadCall("replay \(room) --scene /init", 64, "--svg"),
      BadCall("replay \(room) --svg - --size 0x9", 64, "0x9"),
      BadCall("import room.jsonl --format paint", 64, "paint"),
      BadCall("import room.jsonl --name x", 64, "--name"),
      BadCall("export \(room) --format excalidraw --blocks", 64, "--blocks"),
      BadCall("export \(room) --scene /init", 64, "--scene"),
      BadCall("replay \(room) --at yesterday", 64, "yesterday"),
      BadCall("replay \(room) --at -5", 64, "--at"), BadCall("replay \(room) --play --step", 64, "exclude"),
      BadCall("replay \(room) --play --speed -1", 64, "speed"),
      BadCall("replay \(room) --play --idle 0", 64, "idle"),
      BadCall("replay \(room) --scene /init", 64, "--svg"),
      BadCall("export \(room) --kind strokes", 64, "strokes"),
      BadCall("export \(room) --kind 256", 64, "kind"),
      BadCall("export \(room) --blocks --from 3", 64, "--blocks"),
      BadCall("export \(room) --from soon", 64, "soon"), BadCall("inspect --block 3", 64, "room"),
      BadCall("verify --level thorough", 64, "thorough"), BadCall("verify \(room) --level full", 64, "deep"),
      BadCall("perform room.jsonl --room \(room) --members 0", 64, "--members"),
      BadCall("perform room.jsonl --room \(room) --speed nan", 64, "speed"),
      BadCall("perform room.jsonl", 64, "--room"),
      BadCall("watch \(room) --until-idle 0", 64, "--until-idle"),
      BadCall("import room.jsonl --room xyz", 64, "xyz"),
      BadCall("serve --set tls.key=key.pem", 64, "tls.certificate"),
      BadCall("serve --set proxies=ten", 64, "proxies"),
    ])
  func notUnderstood(call: BadCall) async throws { try await check(call) }

  @Test(
    "What was named and is not there: exit status 66 and where to look",
    arguments: [
      BadCall("replay \(room) --data nowhere", 66, "nowhere"),
      BadCall("inspect --data room.jsonl", 66, "not a folder"),
      BadCall("replay \(stranger)", 66, stranger), BadCall("export \(stranger)", 66, stranger),
      BadCall("replay \(room) --at 61", 66, "ends at revision 60"),
      BadCall("inspect \(room) --block 61", 66, "60"),
      BadCall("inspect \(room) --snapshot 1", 66, "no snapshot"),
      BadCall("replay \(room) --svg out.svg --scene /no/such", 66, "/no/such"),
      BadCall("import nothing.jsonl --data copy", 66, "nothing.jsonl"),
      BadCall("import data --data copy", 66, "data"), BadCall("sample nothing", 66, "nothing"),
      BadCall("perform nothing.ndjson --room \(room)", 66, "nothing.ndjson"),
      BadCall("verify --data bare", 66, "no log"), BadCall("verify --salvage new --data bare", 66, "no log"),
      BadCall("export \(room) --data bare", 66, "no log"), BadCall("backup copy --data bare", 66, "no log"),
      BadCall("serve --set tls.certificate=no.pem --set tls.key=no.pem", 66, "no.pem"),
      BadCall("watch \(room) --token x --trust no.pem", 66, "no.pem"),
      BadCall("verify --data nowhere", 66, "nowhere"), BadCall("backup copy --data nowhere", 66, "nowhere"),
    ])
  func notThere(call: BadCall) async throws { try await check(call) }

  @Test(
    "A file that is not of its form: exit status 65, with the place, and nothing is written",
    arguments: [
      BadCall("import empty.jsonl --data copy", 65, "no events"),
      BadCall("import blank.jsonl --data copy", 65, "no events"),
      BadCall("import torn.jsonl --data copy", 65, "line 2"),
      BadCall("import gap.jsonl --data copy", 65, "revision 3 where 2"),
      BadCall("import middle.jsonl --data copy", 65, "revision 2 where 1"),
      BadCall("import cut.blocks --data copy", 65, "too early"),
      BadCall("import flipped.blocks --data copy", 65, "flipped.blocks"),
      BadCall("import later.blocks --data copy", 65, "version 9"),
      BadCall("import room.jsonl --data copy --keep-epoch", 65, "epoch"),
      BadCall("import - --data copy", 65, "read twice"),
      BadCall("perform strange.ndjson --room \(room)", 65, "line 1"),
      BadCall("perform uneven.ndjson --room \(room)", 65, "line 1"),
      BadCall("perform text.ndjson --room \(room)", 65, "line 1"),
      BadCall("perform empty.jsonl --room \(room)", 65, "nothing to draw"),
      BadCall("serve --set tls.certificate=text.ndjson --set tls.key=text.ndjson", 65, "no certificate"),
      BadCall("watch \(room) --token x --trust text.ndjson", 65, "text.ndjson"),
    ])
  func badFiles(call: BadCall) async throws {
    try await check(call)
    let rooms = try await Program.run("inspect", "--data", "copy", in: folder)
    #expect(rooms.status == 66, "a folder was made")
  }

  @Test(
    "What exists already is not written over: exit status 73",
    arguments: [
      BadCall("import room.jsonl --data data --room \(room)", 73, "exists already"),
      BadCall("backup data", 73, "exists already"), BadCall("verify --salvage data", 73, "exists already"),
      BadCall("export \(room) --output nowhere/out.jsonl", 73, "nowhere/out.jsonl"),
      BadCall("backup room.jsonl/saved", 73, "cannot be made"),
      BadCall("import room.jsonl --data room.jsonl/new", 73, "cannot be made"),
    ])
  func existing(call: BadCall) async throws {
    try await check(call)
    #expect(try await Program.run("export", room, in: folder).output == SampleLog.text)
  }

  @Test("Without a key or a token there is no way into a room: exit status 66 and what to name")
  func noKey() async throws {
    try folder.write("{\"at\":0,\"stroke\":{\"x\":[1],\"y\":[1],\"t\":[0]}}\n", to: "dot.ndjson")
    try await check(BadCall("perform dot.ndjson --room \(room)", 66, "no key"))
    try await check(BadCall("watch \(room) --server localhost --token x", 64, "http://HOST:PORT"))
    let list = "http://a.example,http://a.example"
    try await check(BadCall("watch \(room) --server \(list) --token x", 64, "twice"))
    try await check(BadCall("room list --server http://a.example, --token x", 64, "http://HOST:PORT"))
  }

  @Test("Damage in the database is found and named: exit status 1; the rest can be rescued")
  func damage() async throws {
    // The backup is sealed, so that its events lie in the database.
    #expect(try await Program.run("backup", "saved", "--quiet", in: folder).status == 0)
    var bytes = try folder.bytes("saved/log.db")
    let magic = Array("BRB1".utf8)
    let start = try #require(
      bytes.indices.first { bytes[$0...].starts(with: magic) }, "no block in the database")
    bytes[start + 120] ^= 0xff
    try folder.write(bytes, to: "saved/log.db")
    let answer = try await Program.run("verify", "--data", "saved", "--quiet", in: folder)
    #expect(answer.status == 1, "\(answer.output) \(answer.errors)")
    #expect(answer.output.contains("damage: "))
    #expect(answer.output.contains(room))
    let rescue = try await Program.run(
      "verify", "--data", "saved", "--salvage", "rescued", "--quiet", in: folder)
    #expect(rescue.status == 0, "\(rescue.errors)")
    #expect(rescue.output.contains("lost: "))
  }

  @Test(
    "A server that does not answer, and an address that cannot be had: exit status 69, soon, and what helps",
    arguments: [
      BadCall("serve --data spare --host 999.1.1.1", 69, "neither an address nor a name"),
      BadCall("serve --data spare --host 192.0.2.1", 69, "not an address of this machine"),
      BadCall("watch \(room) --token x --server http://127.0.0.1:1", 69, "--server"),
      BadCall("watch \(room) --token x --server wss://[::1]:1", 69, "boardroom serve"),
      BadCall("perform dot.ndjson --room \(room) --token x --server http://127.0.0.1:1", 69, "--server"),
      BadCall("room list --token x --server http://127.0.0.1:1", 69, "--server"),
      BadCall("watch \(room) --token x --server http://127.0.0.1:1,http://[::1]:1", 69, "--server"),
    ])
  func noAnswer(call: BadCall) async throws {
    let folder = try Folder()
    try folder.write("{\"at\":0,\"stroke\":{\"x\":[1],\"y\":[1],\"t\":[0]}}\n", to: "dot.ndjson")
    let answer = try await Program.run(call.arguments, in: folder)
    #expect(answer.status == call.status, "\(answer.errors)")
    #expect(answer.errors.contains(call.says), "\(answer.errors)")
  }

  @Test(
    "Without log.db beside a journal: verify says damage, serve refuses it with 65, and nothing is changed")
  func noDatabase() async throws {
    let folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(try await Program.run("import", "room.jsonl", "--data", "data", in: folder).status == 0)
    for name in ["log.db", "log.db-wal", "log.db-shm"] {
      try? FileManager.default.removeItem(atPath: folder.path + "/data/" + name)
    }
    let before = try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/data").sorted()
    let verify = try await Program.run("verify", in: folder)
    #expect(verify.status == 1)
    #expect(verify.output.contains("the database is missing beside its journal"))
    for extra in [[], ["--accept-loss"]] {
      let serve = try await Program.run(["serve", "--port", "0"] + extra, in: folder)
      #expect(serve.status == 65, "\(serve.errors)")
      #expect(serve.errors.contains("the database is missing"), "\(serve.errors)")
    }
    let salvage = try await Program.run("verify", "--salvage", "new", in: folder)
    #expect(salvage.status == 66, "\(salvage.errors)")
    #expect(salvage.errors.contains("Restore a backup"), "\(salvage.errors)")
    #expect(try FileManager.default.subpathsOfDirectory(atPath: folder.path + "/data").sorted() == before)
  }

  private func check(_ call: BadCall) async throws {
    let answer = try await Program.run(call.arguments, in: folder)
    #expect(answer.status == call.status, "\(answer.errors)")
    #expect(answer.errors.contains(call.says), "\(answer.errors)")
    #expect(answer.output.isEmpty)
  }
}
