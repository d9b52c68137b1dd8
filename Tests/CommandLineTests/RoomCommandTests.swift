import BoardroomClient
import BoardroomCodec
import BoardroomModel
import BoardroomVersion
import Foundation
import Testing

@Suite("Command line: tending a room", .serialized)
struct RoomCommandTests {
  private let folder: Folder
  private let server: LiveServer
  private let room: String

  init() async throws {
    folder = try Folder()
    server = LiveServer(in: folder)
    try await server.start()
    let made = try await Program.run(
      "room", "create", "--name", "lesson", "--limit", "3", "--quiet", "--server", server.url, in: folder)
    #expect(made.status == 0, "\(made.errors)")
    room = try #require(made.lines.first)
  }

  /// `boardroom room WORD ROOM …`, which has to end well.
  private func tend(_ word: String, _ more: String...) async throws -> Program.Answer {
    let answer = try await Program.run(["room", word, room, "--server", server.url] + more, in: folder)
    #expect(answer.status == 0, "\(word): \(answer.errors)")
    return answer
  }

  private func json(_ word: String, _ more: String...) async throws -> JSONValue {
    let answer = try await Program.run(
      ["room", word, room, "--server", server.url, "--json"] + more, in: folder)
    #expect(answer.status == 0, "\(word): \(answer.errors)")
    return try JSONValue.parse(Array(answer.output.utf8))
  }

  private func join(_ uid: String) async throws -> WhiteRoom {
    let token = try await Program.run("token", "room", room, "--role", "writer", in: folder)
    let sdk = WhiteSDK(
      sdkConfiguration: WhiteSdkConfiguration(endpoint: Endpoint(host: "127.0.0.1", port: server.port)))
    var config = WhiteRoomConfig(uuid: room, roomToken: try #require(token.lines.first))
    config.uid = uid
    return try await sdk.joinRoom(config)
  }

  private func refusal(of uid: String) async throws -> RefusalCode? {
    do {
      await (try await join(uid)).disconnect()
      return nil
    } catch let error as BoardroomError { return error.code }
  }

  @Test("RE-2, RE-20, RE-21: show and members say what the room is and who is in it; kick ends a stay")
  func members() async throws {
    let shown = try await tend("show").lines
    #expect(shown.prefix(2) == ["room      \(room)", "name      lesson"])
    #expect(shown.contains("banned    no"))
    #expect(shown.contains("writers   3 at once"))
    #expect(try await json("show")["uuid"]?.string == room)
    #expect(try await tend("members").output.isEmpty)
    let ada = try await join("ada")
    let line = try #require(try await tend("members").lines.first)
    #expect(line.contains(" ada "))
    #expect(line.contains("writer, may write, connected, since 20"))
    #expect(line.hasSuffix("with boardroom-swift/" + ProductVersion.current), "\(line)")
    let number = try #require(try await tend("members", "--quiet").lines.first)
    #expect(try await json("members")[0]?["memberId"]?.int.map(String.init) == number)
    #expect(try await tend("kick", "--member", number).lines == ["removed: \(number)"])
    #expect(try await tend("members").output.isEmpty)
    await ada.disconnect()
    #expect(try await server.interrupt() == 0)
  }

  @Test("RE-4, MOD-7: a banned user comes in no more until the ban is lifted, nobody into a banned room")
  func bans() async throws {
    let id = try #require(try await tend("ban", "--uid", "ada", "--for", "2h", "--quiet").lines.first)
    #expect(try await refusal(of: "ada") == .banned)
    #expect(try await refusal(of: "bob") == nil)
    let listed = try await tend("bans").lines
    #expect(listed.count == 1)
    #expect(listed[0].hasPrefix(id))
    #expect(listed[0].contains("uid ada"))
    #expect(try await json("bans")["uid"]?.string == "ada")
    #expect(try await tend("unban", "--ban", id).lines == ["lifted: \(id)"])
    #expect(try await tend("bans", "--quiet").output.isEmpty)
    #expect(try await refusal(of: "ada") == nil)
    #expect(try await tend("ban").lines == ["banned: \(room)"])
    #expect(try await tend("show").lines.contains("banned    yes"))
    #expect(try await refusal(of: "bob") != nil)
    #expect(try await json("unban")["isBan"]?.bool == false)
    #expect(try await refusal(of: "bob") == nil)
    #expect(try await server.interrupt() == 0)
  }

  @Test("MOD-6, RE-4: lock and limits hold until they are taken back")
  func lockAndLimits() async throws {
    let ada = try await join("ada")
    #expect(try await tend("lock").output.hasPrefix("locked at revision "))
    await #expect(throws: BoardroomError.self) { try await ada.setGlobalState(["key": .bool(true)]) }
    #expect(try await json("unlock")["revision"]?.int != nil)
    _ = try await ada.setGlobalState(["key": .bool(true)])
    await ada.disconnect()
    let none = try await tend("limits")
    #expect(none.output.isEmpty)
    #expect(none.errors.contains("no limits of its own"))
    let set = try await tend("limits", "--set", "members=7", "--set", "rate=50").lines
    #expect(set.map { $0.split(separator: " ") } == [["members", "7"], ["rate", "50"]])
    #expect(try await json("limits", "--unset", "rate").text.text == #"{"members":7}"#)
    #expect(try await tend("limits", "--set", "members=8", "--quiet").output.isEmpty)
    #expect(try await json("limits")["members"]?.int == 8)
    let wrong = try await Program.run(
      "room", "limits", room, "--set", "heads=7", "--server", server.url, in: folder)
    #expect(wrong.status == 65, "\(wrong.errors)")
    #expect(wrong.errors.contains("There is no limit of this name."))
    #expect(try await server.interrupt() == 0)
  }

  @Test("LOG-28: a deleted room is not found, and its log is removed for good only if that is asked for")
  func delete() async throws {
    #expect(try await tend("delete").lines == ["deleted: \(room)"])
    let gone = try await Program.run("room", "show", room, "--server", server.url, in: folder)
    #expect(gone.status == 66, "\(gone.errors)")
    let log = try await Program.run("export", room, "--server", server.url, in: folder)
    #expect(log.status == 0, "\(log.errors)")
    #expect(log.lines.last?.contains("roomDeleted") == true)
    #expect(try await json("delete", "--with-log")["withLog"]?.bool == true)
    let removed = try await Program.run("export", room, "--server", server.url, in: folder)
    #expect(removed.status == 66, "\(removed.errors)")
    #expect(try await server.interrupt() == 0)
  }

  @Test(
    "What cannot be asked for ends with 64 and says why",
    arguments: [
      (["ban", "--uid", "a", "--member", "1"], "Name either --member or --uid."),
      (["ban", "--for", "2h"], "--for and --name are of one user"),
      (["ban", "--uid", "a", "--for", "soon"], "is invalid for '--for <duration>'"),
      (["limits", "--set", "rate=1", "--unset", "rate"], "Name each limit once."),
      (["limits", "--set", "rate=many"], "rate=many"),
    ])
  func usage(words: [String], says: String) async throws {
    let answer = try await Program.run(
      ["room", words[0], room, "--server", server.url] + words.dropFirst(), in: folder)
    #expect(answer.status == 64)
    #expect(answer.errors.contains(says), "\(answer.errors)")
  }

  @Test("A reader's token tends no room: 77; without a server there is no answer: 69")
  func refused() async throws {
    let token = try await Program.run("token", "room", room, "--role", "reader", in: folder)
    let reader = try #require(token.lines.first)
    for word in ["lock", "unban", "delete", "bans"] {
      let answer = try await Program.run(
        "room", word, room, "--server", server.url, "--token", reader, in: folder)
      #expect(answer.status == 77, "\(word): \(answer.errors)")
      #expect(answer.output.isEmpty)
      #expect(!answer.errors.contains(reader))
    }
    #expect(try await server.interrupt() == 0)
    #expect(try await Program.run("room", "lock", room, "--server", server.url, in: folder).status == 69)
  }
}
