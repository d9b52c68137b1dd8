import BoardroomCodec
import EventLog
import EventLogModel
import Foundation
import Testing

private let room = SampleLog.room

/// With a program that has no PostgreSQL, which is the one that these tests are built with.
@Suite("Command line: databases")
struct DatabaseTests {
  @Test(
    "DB-6: a program that was built without PostgreSQL says so, and what helps, at every use of a database",
    arguments: [
      "serve --data", "verify --data", "inspect --data", "export \(room) --data", "replay \(room) --data",
      "backup copy --data", "repair mended --data", "archive \(room) room.tar --data", "database make",
      "database newlife",
      "migrate rooms",
    ])
  func without(_ words: String) async throws {
    let folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    #expect(
      try await Program.run("import", "room.jsonl", "--room", room, "--data", "rooms", in: folder).status == 0
    )
    let address = "postgres://anna:geheim@db.example/rooms"
    let answer = try await Program.run(
      words.split(separator: " ").map(String.init) + [address, "--json"], in: folder)
    #expect(answer.status == 64, "\(answer.errors)")
    let error = try JSONValue.parse(Array(try #require(answer.errors.split(separator: "\n").last).utf8))
    #expect(error["code"]?.string == "withoutPostgreSQL")
    #expect(error["where"]?.string == "postgresql://db.example/rooms")
    #expect(error["help"]?.string?.contains("BOARDROOM_POSTGRES=1") == true)
    #expect(!(answer.errors + answer.output).contains("heim"))
  }

  @Test(
    "DB-3: settings, errors and logs show no password of a database",
    arguments: [
      (["serve", "--show-settings", "--data", "postgres://anna:geheim@db/rooms"], 0),
      (["serve", "--show-settings", "--json", "--data", "postgres://db/rooms?password=geheim"], 0),
      (["serve", "--data", "postgres://anna:ge/heim@db/rooms"], 64),
      (["verify", "--data", "postgres://anna:ge/heim@db/rooms"], 64),
      (["migrate", "postgres://anna:ge/heim@db/rooms", "postgres://anna:geheim@db/rooms"], 64),
      (["database", "make", "postgres://anna:geheim"], 64),
      (["database", "make", "host=db user=anna password=geheim"], 64),
      (["database", "make", "postgre://anna:geheim@db/rooms"], 64),
      (["inspect", "--data", "host=db password=geheim"], 64),
      (["inspect", "postgres://anna:geheim@db/rooms"], 64),
      (["inspect", "postgres://anna:geheim@db/rooms", "--json"], 64),
      (["inspect", "host=db user=anna password=geheim"], 64),
      (["serve", "--date=postgres://anna:geheim@db/rooms"], 64),
      (["serve", "--port", "postgres://anna:geheim@db/rooms"], 64),
      (["erase", "--uid", "ada", "--data", "postgres://anna:geheim@db/rooms"], 64),
      (["repair", "new", "--data", "postgres://anna:geheim@db/rooms"], 64),
      (["verify", "--salvage", "new", "--data", "postgres://anna:geheim@db/rooms"], 64),
    ])
  func hidden(_ words: [String], _ status: Int) async throws {
    let answer = try await Program.run(words, in: try Folder())
    #expect(answer.status == Int32(status), "\(answer.errors)")
    #expect(!(status == 0 ? answer.output : answer.errors).isEmpty)
    #expect(!(answer.errors + answer.output).contains("heim"))
    #expect(!(answer.errors + answer.output).contains("anna"))
  }

  @Test(
    "A salvage works on files, and no database is repaired in place",
    arguments: [
      (["verify", "--salvage", "new"], "works on the files of a folder"),
      (["repair", "--in-place"], "not repaired in place"),
    ])
  func needFolder(_ words: [String], _ told: String) async throws {
    let answer = try await Program.run(words + ["--data", "postgres://db/rooms"], in: try Folder())
    #expect(answer.status == 64)
    #expect(answer.errors.contains(told), "\(answer.errors)")
  }

  @Test(
    "NODE-8: a node of several needs a database, a name and an address, and says which of them is wrong",
    arguments: [
      (["--node", "a", "--address", "127.0.0.1:1", "--data", "rooms"], "shares a database"),
      (["--node", "a", "--data", "postgres://db/rooms"], "shares a database"),
      (["--address", "127.0.0.1:1", "--data", "postgres://db/rooms"], "shares a database"),
      (["--node", "a", "--address", "nowhere", "--data", "postgres://db/rooms"], "--address is not one"),
      (["--node", "a", "--address", "ftp://a:1", "--data", "postgres://db/rooms"], "--address is not one"),
      (
        ["--node", "a", "--address", "https://[::1]:1", "--data", "postgres://db/rooms"],
        "built without PostgreSQL"
      ),
    ])
  func nodePlaces(_ flags: [String], _ told: String) async throws {
    let answer = try await Program.run(["serve"] + flags, in: try Folder())
    #expect(answer.status == 64)
    #expect(answer.errors.contains(told), "\(answer.errors)")
  }

  // MARK: Migration

  private func migrated(_ words: String..., in folder: Folder) async throws -> (Program.Answer, [JSONValue]) {
    let answer = try await Program.run(["migrate"] + words + ["--json"], in: folder)
    return (answer, try answer.lines.map { try JSONValue.parse(Array($0.utf8)) })
  }

  private func served() async throws -> Folder {
    let folder = try Folder()
    try folder.write(SampleLog.text, to: "room.jsonl")
    for room in [room, "22222222222222222222222222222222"] {
      let made = try await Program.run("import", "room.jsonl", "--room", room, in: folder)
      #expect(made.status == 0, "\(made.errors)")
    }
    let server = LiveServer(in: folder)
    try await server.start()
    try await server.kill()
    return folder
  }

  @Test("DB-5: a migration keeps names, epochs, revisions and states, proves them, and can be done again")
  func migration() async throws {
    let folder = try await served()
    let (answer, lines) = try await migrated("data", "new", in: folder)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(lines.count == 3)
    for line in lines.dropLast() {
      #expect(line["equal"]?.bool == true)
      #expect(line["revision"]?.int == SampleLog.count)
      #expect(line["stateHash"]?.string?.count == 64)
    }
    #expect(lines.last?["rooms"]?.int == 2)
    #expect(lines.last?["equal"]?.int == 2)
    for data in ["data", "new"] {
      let shown = try await Program.run("inspect", "--data", data, "--json", in: folder)
      #expect(shown.status == 0, "\(shown.errors)")
      #expect(shown.lines.count == 2, "a line for each room")
      try folder.write(shown.lines.map { String($0.prefix(90)) }.joined(), to: data + ".txt")
    }
    #expect(try folder.text("data.txt") == folder.text("new.txt"), "name, epoch and time of making")
    #expect(try folder.bytes("data/keys.json") == folder.bytes("new/keys.json"))
    #expect(try await Program.run("verify", "--level", "deep", "--data", "new", in: folder).status == 0)
    let (again, same) = try await migrated("data", "new", in: folder)
    #expect(again.status == 0)
    #expect(same.last?["equal"]?.int == 2)
    let text = try await Program.run("migrate", "new", "data", in: folder)
    #expect(text.lines.filter { $0.hasSuffix("  equal") }.count == 2)
  }

  @Test("DB-5: a migration that was cut short goes on where it stopped")
  func cutShort() async throws {
    let folder = try await served()
    let old = try EmbeddedLogStore.open(folder: folder.path + "/data")
    let log = try #require(LogID(SampleLog.room))
    let info = try await old.info(of: log)
    let records = try await old.runs(of: log, after: .zero, limit: 1 << 20).flatMap(\.unpacked)
    await old.shutdown()
    let new = try EmbeddedLogStore.open(folder: folder.path + "/new")
    _ = try await new.beginImport(log, epoch: info.epoch, through: info.last, at: info.created)
    try await new.append(Array(records.prefix(7)), to: log, expecting: .zero, epoch: info.epoch)
    await new.shutdown()
    let (answer, lines) = try await migrated("data", "new", in: folder)
    #expect(answer.status == 0, "\(answer.errors)")
    #expect(lines.last?["equal"]?.int == 2)
    #expect(try await Program.run("verify", "--data", "new", in: folder).status == 0)
  }

  @Test("DB-5: a target with other logs or other keys is refused, and so is a store that is in use")
  func refused() async throws {
    let folder = try await served()
    let other = try await Program.run("import", "room.jsonl", "--data", "other", in: folder)
    #expect(other.status == 0)
    let (answer, _) = try await migrated("data", "other", in: folder)
    #expect(answer.status == 73)
    #expect(answer.errors.contains("\"code\":\"notEmpty\""), "\(answer.errors)")
    // The same name in another life.
    let life = try await Program.run("import", "room.jsonl", "--room", room, "--data", "life", in: folder)
    #expect(life.status == 0)
    #expect(try await migrated("data", "life", in: folder).0.status == 73)
    try FileManager.default.createDirectory(atPath: folder.path + "/keyed", withIntermediateDirectories: true)
    try folder.write("{}", to: "keyed/keys.json")
    let (keyed, _) = try await migrated("data", "keyed", in: folder)
    #expect(keyed.errors.contains("\"code\":\"otherKeys\""), "\(keyed.errors)")
    let left = try FileManager.default.contentsOfDirectory(atPath: folder.path + "/keyed")
    #expect(left == ["keys.json"], "it is refused before anything is copied")
    #expect(try await migrated("data", "data", in: folder).0.status == 64)
    #expect(try await migrated("none", "new", in: folder).0.status == 66)
    let server = LiveServer(in: folder)
    try await server.start()
    #expect(try await migrated("data", "new", in: folder).0.status == 75)
    try await server.kill()
  }
}
