import BoardroomAccess
import BoardroomCodec
import BoardroomHTTP
import BoardroomHosting
import BoardroomModel
import BoardroomServer
import EventLog
import EventLogModel
import Logging
import ServerTestKit
import Synchronization
import Testing

/// The code with which a call of the program's own is refused; nil: it was done.
private func code<Value>(_ work: () async throws(Refusal) -> Value) async -> RefusalCode? {
  do throws(Refusal) {
    _ = try await work()
    return nil
  } catch {
    return error.code
  }
}

@Test("EMBED-1: a room that the program makes is the one that REST shows, with its name and limit")
func roomsAreMade() async throws {
  try await RunningServer.with { server in
    let room = try await server.rooms.create(name: "lesson", writers: 3, isRecorded: false)
    let shown = try await server.call("GET", "/v5/rooms/\(room)", token: server.admin).json
    #expect(shown?["name"]?.string == "lesson")
    #expect(shown?["limit"]?.int == 3)
    #expect(shown?["isRecord"]?.bool == false)
    #expect(try await server.rooms.state(of: room).created?.name == "lesson")
  }
}

@Test("EMBED-1: a token that the program makes opens its room for its user and role, and has an end")
func tokensAreMade() async throws {
  try await RunningServer.with { server in
    let room = try await server.rooms.create()
    let text = try await server.rooms.token(of: room, role: .reader, lifespan: .seconds(60), uid: "ada")
    let token = try AccessToken(text, secret: server.keys.secret(of:))
    #expect(token.scope == .room(room))
    #expect(token.role == .reader)
    #expect(token.uid == "ada")
    #expect(token.expires != nil)
    let (_, heard) = try await server.knock(room, "ada", token: text)
    #expect(heard.contains("\"m\":\"live\""))
  }
}

@Test("EMBED-1: what the program says is heard by members as a magix event, at the revision that it returns")
func programsSay() async throws {
  try await RunningServer.with { server in
    let room = try await server.rooms.create()
    let (socket, _) = try await server.knock(room, "ada")
    let revision = try await server.rooms.say("opened", ["by": "school"], in: room)
    let heard = await socket.receive { $0.contains("opened") }
    #expect(heard.contains("school"))
    #expect(try await server.rooms.state(of: room).revision >= revision)
  }
}

@Test("EMBED-1: kick, keepOut, ban and close do what REST does")
func membersAreRemoved() async throws {
  try await RunningServer.with { server in
    let room = try await server.rooms.create()
    let (kicked, _) = try await server.knock(room, "ada")
    #expect(try await server.rooms.kick(.user("ada"), from: room).count == 1)
    #expect(await kicked.receive(until: "kicked").contains("kicked"))
    #expect(try await server.outcome(room, "ada") == "in")
    try await server.rooms.keepOut(.user("ada"), of: room, seconds: 600)
    #expect(try await server.outcome(room, "ada") == "banned")
    let bans = try await server.call("GET", "/v5/rooms/\(room)/bans", token: server.admin).json
    #expect(bans?.array?.count == 1)
    #expect(try await server.outcome(room, "bob") == "in")
    try await server.rooms.ban(room)
    #expect(try await server.outcome(room, "bob") == "banned")
    try await server.rooms.liftBan(of: room)
    #expect(try await server.outcome(room, "bob") == "in")
    try await server.rooms.close(room)
    #expect(try await server.call("GET", "/v5/rooms/\(room)", token: server.admin).status == 404)
    #expect(await code { () async throws(Refusal) in try await server.rooms.state(of: room) } == .notFound)
  }
}

@Test("EMBED-2: what cannot be is refused with the code that REST has for it")
func callsAreRefused() async throws {
  try await RunningServer.with { server in
    let rooms = server.rooms
    let room = try await rooms.create()
    let missing = RoomID(high: 7, low: 7)
    let long = String(repeating: "n", count: 2_049)
    #expect(await code { () async throws(Refusal) in try await rooms.state(of: missing) } == .notFound)
    #expect(await code { () async throws(Refusal) in try await rooms.state(of: .operators) } == .notFound)
    #expect(await code { () async throws(Refusal) in try await rooms.say("a", in: missing) } == .notFound)
    #expect(await code { () async throws(Refusal) in try await rooms.close(missing) } == .notFound)
    #expect(
      await code { () async throws(Refusal) in try await rooms.token(of: missing, role: .admin) } == .notFound
    )
    #expect(
      await code { () async throws(Refusal) in try await rooms.kick(.user("nobody"), from: room) }
        == .notMember)
    #expect(await code { () async throws(Refusal) in try await rooms.create(name: long) } == .tooLarge)
    #expect(await code { () async throws(Refusal) in try await rooms.create(writers: -1) } == .badParameter)
    let lives: [Duration] = [.zero, .microseconds(900), .seconds(-1), .seconds(Int64.max / 2)]
    for life in lives {
      #expect(
        await code { () async throws(Refusal) in
          try await rooms.token(of: room, role: .reader, lifespan: life)
        } == .badParameter, "\(life)")
    }
    #expect(
      await code { () async throws(Refusal) in try await rooms.token(of: room, role: .reader, uid: "") }
        == .badName)
    for seconds in [0, 9, 86_431, -1] {
      #expect(
        await code { () async throws(Refusal) in
          try await rooms.keepOut(.user("ada"), of: room, seconds: seconds)
        } == .badParameter, "\(seconds)")
    }
    #expect(await code { () async throws(Refusal) in try await rooms.say("", in: room) } == .badName)
    let large = JSONValue.string(String(repeating: "x", count: 1 << 20))
    #expect(await code { () async throws(Refusal) in try await rooms.say("a", large, in: room) } == .tooLarge)
    let deep = (0..<200).reduce(JSONValue.null) { inner, _ in .array([inner]) }
    #expect(await code { () async throws(Refusal) in try await rooms.say("a", deep, in: room) } != nil)
  }
}

@Test("EMBED-2: before the server listens and after it has ended, every call is refused as goingAway")
func roomsNeedTheServer() async throws {
  let store = MemoryLogStore()
  let idle = BoardroomServer(
    settings: ServerSettings(), store: store, keys: KeyRing(pairs: [RunningServer.pair]),
    logger: Logger(label: "idle"))
  #expect(await code { () async throws(Refusal) in try await idle.rooms.create() } == .goingAway)
  let kept = Mutex<HostedRooms?>(nil)
  try await RunningServer.with { server in
    kept.withLock { $0 = server.rooms }
    _ = try await server.rooms.create()
  }
  let rooms = try #require(kept.withLock { $0 })
  #expect(await code { () async throws(Refusal) in try await rooms.create() } == .goingAway)
}
