import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import ServerTestKit
import StorageTestKit
import Synchronization
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer

extension RunningServer {
  fileprivate func ban(_ body: String) async throws -> JSONValue {
    let answer = try await call("POST", "/v5/bans", token: admin, body: body)
    #expect(answer.status == 201, "\(answer.text)")
    return try #require(answer.json)
  }

  /// The kinds of a room's events. Not the phases: a busy machine may take a member for lost for a while.
  fileprivate func kinds(_ room: RoomID) async throws -> [String] {
    let log = try await call("GET", "/v5/rooms/\(room)/log", token: admin)
    return log.text.split(separator: "\n").compactMap {
      (try? JSONValue.parse(Array($0.utf8)))?["kind"]?.string
    }.filter { $0 != "memberPhase" }
  }
}

@Test("RE-4, RP-9, KICK-roomBan: a ban removes everyone, joins are refused as banned, replay goes on")
func roomsAreBanned() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let path = "/v5/rooms/\(room)"
    let (inside, _) = try await server.knock(room, "ada")
    let banned = try await server.call("PATCH", path, token: server.admin, body: "{\"isBan\":true}")
    #expect(banned.status == 201)
    #expect(banned.json?["isBan"]?.bool == true)
    let farewell = await inside.receive(until: "\"cure\"")
    #expect(farewell.contains("\"kick\":\"roomBan\""), "\(farewell)")
    #expect(try await server.outcome(room, "ada") == "banned")
    #expect(try await server.call("GET", path, token: server.admin).json?["isBan"]?.bool == true)
    let listed = try await server.call("GET", "/v5/rooms", token: server.admin)
    #expect(listed.json?.array?.first?["isBan"]?.bool == true)
    #expect(
      try await server.call("GET", path + "/state", token: server.token(.room(room), .reader)).status == 200)
    let ended = ["roomCreated", "memberJoined", "roomBanned", "memberKicked", "memberLeft"]
    let kinds = try await server.kinds(room)
    #expect(kinds == ended)
    let again = try await server.call("PATCH", path, token: server.admin, body: "{\"isBan\":true}")
    #expect(again.status == 201, "what is so already is no event")
    let lifted = try await server.call("PATCH", path, token: server.admin, body: "{\"isBan\":false}")
    #expect(lifted.json?["isBan"]?.bool == false)
    #expect(try await server.outcome(room, "ada") == "in")
    let after = try await server.kinds(room)
    #expect(after.dropFirst(5).prefix(2) == ["roomBanned", "memberJoined"])
  }
}

@Test("RE-4: what a room became outlasts the server, also what was only read from its log")
func bannedRoomsStayBanned() async throws {
  let store = MemoryLogStore()
  let rooms = Mutex<[RoomID]>([])
  try await RunningServer.with(store: store) { server in
    let (banned, deleted) = (try await server.room(), try await server.room())
    _ = try await server.call("PATCH", "/v5/rooms/\(banned)", token: server.admin, body: "{\"isBan\":true}")
    _ = try await server.call("DELETE", "/v5/rooms/\(deleted)", token: server.admin)
    rooms.withLock { $0 = [banned, deleted] }
  }
  store.restart()
  try await RunningServer.with(store: store) { server in
    let (banned, deleted) = rooms.withLock { ($0[0], $0[1]) }
    #expect(try await server.outcome(banned) == "banned")
    let shown = try await server.call("GET", "/v5/rooms/\(banned)", token: server.admin)
    #expect(shown.json?["isBan"]?.bool == true)
    #expect(try await server.call("GET", "/v5/rooms/\(deleted)", token: server.admin).status == 404)
  }
}

@Test("RE-4: limits of a room are set over the server's, shown, taken back, and rule who comes in")
func roomLimitsAreSet() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let path = "/v5/rooms/\(room)"
    let body = "{\"limits\":{\"members\":1,\"rate\":10}}"
    let set = try await server.call("PATCH", path, token: server.admin, body: body)
    #expect(set.status == 201)
    #expect(set.json?["limits"]?["members"]?.int == 1)
    let (first, heard) = try await server.knock(room, "ada")
    #expect(heard.contains("\"m\":\"live\""))
    let (_, refused) = try await server.knock(room, "bob")
    #expect(refused.contains("\"m\":\"farewell\""), "\(refused)")
    let back = try await server.call(
      "PATCH", path, token: server.admin, body: "{\"limits\":{\"members\":null}}")
    #expect(back.json?["limits"]?.object?.map(\.0) == ["rate"])
    #expect(try await server.outcome(room, "bob") == "in")
    withExtendedLifetime(first) {}
  }
}

@Test(
  "KICK-roomDelete: a deleted room removes everyone and is gone for REST and joins; its log stays readable"
)
func roomsAreDeleted() async throws {
  try await RunningServer.with { server in
    let (room, other) = (try await server.room(), try await server.room())
    let path = "/v5/rooms/\(room)"
    let (inside, _) = try await server.knock(room)
    #expect(try await server.call("DELETE", path, token: server.admin).text == "{}")
    #expect(await inside.receive(until: "\"cure\"").contains("\"kick\":\"roomDelete\""))
    #expect(try await server.outcome(room) == "notFound")
    let listed = try await server.call("GET", "/v5/rooms?limit=1", token: server.admin)
    #expect(listed.json?.array?.map { $0["uuid"]?.string } == [other.description], "a full page all the same")
    let calls = [
      ("DELETE", "", nil), ("GET", "", nil), ("GET", "/members", nil), ("GET", "/scenes", nil),
      ("PATCH", "", "{\"isBan\":true}"), ("PATCH", "/scene-state", "{\"scenePath\":\"/init\"}"),
      ("POST", "/events", "{\"name\":\"x\"}"), ("POST", "/kick", "{\"memberId\":0}"),
      ("POST", "/screenshots", "{\"width\":9,\"height\":9}"), ("POST", "/images", "GIF89a"),
    ]
    for (method, place, body) in calls {
      let answer = try await server.call(method, path + place, token: server.admin, body: body)
      #expect(answer.status == 404, "\(method) \(place): \(answer.text)")
    }
    #expect(try await server.kinds(room).suffix(3) == ["roomDeleted", "memberKicked", "memberLeft"])
    #expect(try await server.call("GET", path + "/state", token: server.admin).status == 200)
  }
}

private struct Banned: Sendable {
  var keys: String
  /// Whether ada and bob come into room one and room two: "in" is i, "banned" is b.
  var outcome: String
}

@Test(
  "RE-22: a ban keeps out what its keys name: a room for all, a user everywhere, an address, or all together")
func bansAreKeyed() async throws {
  let rows = [
    Banned(keys: "\"room\":\"ONE\"", outcome: "bb ii"), Banned(keys: "\"uid\":\"ada\"", outcome: "bi bi"),
    Banned(keys: "\"ip\":\"127.0.0.1\"", outcome: "bb bb"),
    Banned(keys: "\"ip\":\"::ffff:127.0.0.1\"", outcome: "bb bb"),
    Banned(keys: "\"ip\":\"192.0.2.1\"", outcome: "ii ii"),
    Banned(keys: "\"room\":\"ONE\",\"uid\":\"ada\"", outcome: "bi ii"),
    Banned(keys: "\"uid\":\"ada\",\"ip\":\"192.0.2.1\"", outcome: "ii ii"),
    Banned(keys: "\"room\":\"ONE\",\"uid\":\"ada\",\"ip\":\"127.0.0.1\"", outcome: "bi ii"),
  ]
  for row in rows {
    try await RunningServer.with { server in
      let (one, two) = (try await server.room(), try await server.room())
      let ban = try await server.ban("{\(row.keys.replacing("ONE", with: one.description))}")
      var found: [String] = []
      for room in [one, two] {
        var outcomes = ""
        for uid in ["ada", "bob"] { outcomes += try await server.outcome(room, uid).prefix(1) }
        found.append(outcomes)
      }
      #expect(found.joined(separator: " ") == row.outcome, "\(row.keys)")
      let id = try #require(ban["id"]?.int)
      #expect(try await server.call("DELETE", "/v5/bans/\(id)", token: server.admin).status == 200)
      #expect(try await server.outcome(one, "ada") == "in")
    }
  }
}

@Test(
  "RE-22, KICK-kickByAdmin: who is inside and covered by a new ban is removed with kickByAdmin, others stay")
func bansRemoveWhoIsInside() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let (ada, _) = try await server.knock(room, "ada")
    let (bob, _) = try await server.knock(room, "bob")
    _ = try await server.ban("{\"uid\":\"ada\"}")
    #expect(await ada.receive(until: "\"cure\"").contains("\"kick\":\"kickByAdmin\""))
    let roster = try await server.call("GET", "/v5/rooms/\(room)/members", token: server.admin)
    #expect(roster.json?.array?.compactMap { $0["uid"]?.string } == ["bob"])
    withExtendedLifetime(bob) {}
  }
}

@Test(
  "RE-22: times are minutes or seconds, brought into their ranges, an hour by default; bans end by the clock")
func bansEnd() async throws {
  let clock = VirtualClock()
  try await RunningServer.with(clock: { clock.now }) { server in
    let room = try await server.room()
    let table: [(time: String, seconds: Int)] = [
      ("", 3_600), (",\"time\":1", 60), (",\"time\":5000", 86_400), (",\"time_in_seconds\":3", 10),
      (",\"time_in_seconds\":99999", 86_430), (",\"time_in_seconds\":61", 61), (",\"time\":null", 3_600),
    ]
    var ids: Set<Int> = []
    for row in table {
      let ban = try await server.ban("{\"uid\":\"ada\"\(row.time)}")
      let until = Int(clock.now.milliseconds) + row.seconds * 1_000
      #expect(ban["until"]?.int == until, "\(row.time)")
      ids.insert(try #require(ban["id"]?.int))
    }
    #expect(ids.count == 1, "a ban of the same keys takes the new time")
    #expect(try await server.outcome(room, "ada") == "banned")
    clock.advance(by: .milliseconds(3_599_999))
    #expect(try await server.outcome(room, "ada") == "banned")
    clock.advance(by: .milliseconds(1))
    #expect(try await server.outcome(room, "ada") == "in")
    #expect(try await server.call("GET", "/v5/bans", token: server.admin).text == "[]")
    let id = try #require(ids.first)
    let late = try await server.call("PUT", "/v5/bans/\(id)", token: server.admin, body: "{\"time\":5}")
    #expect(late.status == 404, "a ban that has ended is none")
  }
}

@Test(
  "RE-22: 0 removes now and lets come back; PUT gives another time from now on; GET shows what is in force")
func bansAreChanged() async throws {
  let clock = VirtualClock()
  try await RunningServer.with(clock: { clock.now }) { server in
    let room = try await server.room()
    let (ada, _) = try await server.knock(room, "ada")
    let out = try await server.ban("{\"uid\":\"ada\",\"time\":0}")
    #expect(out["id"] == nil)
    #expect(await ada.receive(until: "\"cure\"").contains("\"kick\":\"kickByAdmin\""))
    #expect(try await server.outcome(room, "ada") == "in")

    let id = try #require(try await server.ban("{\"uid\":\"bob\"}")["id"]?.int)
    _ = try await server.ban("{\"room\":\"\(room)\",\"uid\":\"carl\"}")
    func list(_ query: String) async throws -> [String?] {
      let answer = try await server.call("GET", "/v5/bans\(query)", token: server.admin)
      return (answer.json?.array ?? []).map { $0["uid"]?.string }
    }
    #expect(try await list("") == ["bob", "carl"])
    #expect(try await list("?uid=bob") == ["bob"])
    #expect(try await list("?room=\(room)") == ["carl"])
    #expect(try await list("?after=\(id)") == ["carl"])
    #expect(try await list("?limit=1") == ["bob"])
    clock.advance(by: .seconds(1_800))
    let changed = try await server.call("PUT", "/v5/bans/\(id)", token: server.admin, body: "{\"time\":60}")
    #expect(changed.status == 200)
    clock.advance(by: .seconds(3_599))
    #expect(try await server.outcome(room, "bob") == "banned")
    let lifted = try await server.call("PUT", "/v5/bans/\(id)", token: server.admin, body: "{\"time\":0}")
    #expect(lifted.status == 200)
    #expect(try await server.outcome(room, "bob") == "in")
  }
}

@Test("RE-22: bans are events of the operators' log, which outlasts the server and is no room")
func bansOutlastTheServer() async throws {
  let store = MemoryLogStore()
  let rooms = Mutex<RoomID?>(nil)
  try await RunningServer.with(store: store) { server in
    let room = try await server.room()
    rooms.withLock { $0 = room }
    let id = try #require(try await server.ban("{\"uid\":\"bob\"}")["id"]?.int)
    _ = try await server.ban("{\"uid\":\"ada\"}")
    _ = try await server.call("DELETE", "/v5/bans/\(id)", token: server.admin)
    #expect(try await server.outcome(.operators) == "notFound")
    let listed = try await server.call("GET", "/v5/rooms", token: server.admin)
    #expect(listed.json?.array?.map { $0["uuid"]?.string } == [room.description])
  }
  store.restart()
  try await RunningServer.with(store: store) { server in
    let room = try #require(rooms.withLock { $0 })
    #expect(try await server.outcome(room, "ada") == "banned")
    #expect(try await server.outcome(room, "bob") == "in")
    var kinds: [UInt8] = []
    for run in try await store.allRuns(of: .operators) {
      run.forEach { view, _ in kinds.append(view.kind) }
    }
    #expect(kinds == [EventKind.banSet, .banSet, .banLifted].map(\.rawValue))
  }
}

@Test("RE-22: a full log takes no ban: 503, and nobody is removed")
func fullLogsTakeNoBans() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    _ = try await server.ban("{\"uid\":\"bob\"}")
    let (ada, _) = try await server.knock(room, "ada")
    server.store.refuse(.full(place: "the disk"))
    let refused = try await server.call("POST", "/v5/bans", token: server.admin, body: "{\"uid\":\"ada\"}")
    #expect(refused.status == 503)
    #expect(refused.json?["code"]?.string == "logFull")
    let closed = try await server.call(
      "PATCH", "/v5/rooms/\(room)", token: server.admin, body: "{\"isBan\":true}")
    #expect(closed.status == 503)
    let roster = try await server.call("GET", "/v5/rooms/\(room)/members", token: server.admin)
    #expect(roster.json?.array?.compactMap { $0["uid"]?.string } == ["ada"])
    server.store.refuse(nil)
    withExtendedLifetime(ada) {}
  }
}
