import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation
import ServerTestKit
import StorageTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer

extension RunningServer {
  fileprivate func banned(_ body: String) async throws -> Int {
    let answer = try await call("POST", "/v5/bans", token: admin, body: body)
    #expect(answer.status == 201, "\(answer.text)")
    return try #require(answer.json?["id"]?.int)
  }

  /// "in" or the code of the farewell, with a token of the room.
  fileprivate func outcome(_ room: RoomID, _ uid: String?, with token: String) async throws -> String {
    let (_, heard) = try await knock(room, uid, token: token)
    if heard.contains("\"m\":\"live\"") { return "in" }
    return heard.components(separatedBy: "\"code\":\"").last.map { String($0.prefix { $0 != "\"" }) } ?? heard
  }
}

/// Routes of a room with a token of its administrator, or none where the address is the permission.
private let ofRooms = [
  "GET ", "GET /state", "GET /log", "GET /members", "GET /scenes", "GET /channel_events", "GET /bans",
  "GET /replay", "GET /replay/runs", "GET /replay/snapshots/1", "GET /replay/revision?at=1",
  "POST /tokens", "POST /events", "POST /screenshots", "POST /images", "POST /kick", "DELETE ",
]

@Test(
  "MOD-10: an address that is banned gets nothing of rooms over HTTP: log, state, replay, images and pictures too"
)
func addressesAreRefused() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let own = server.token(.room(room), .admin)
    let path = "/v5/rooms/\(room)"
    let png: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    let image = try await server.call("POST", path + "/images", token: own, bytes: png)
    let picture = try await server.call(
      "POST", path + "/screenshots", token: own, body: "{\"width\":9,\"height\":9,\"format\":\"svg\"}")
    let files = try [image, picture].map { try #require($0.json?["url"]?.string, "\($0.text)") }
    for file in files { #expect(try await server.call("GET", file).status == 200) }
    let id = try await server.banned("{\"ip\":\"127.0.0.1\"}")
    for row in ofRooms {
      let parts = row.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      let answer = try await server.call(
        parts[0], path + parts[1], token: own, body: parts[0] == "POST" ? "{\"role\":\"reader\"}" : nil)
      #expect(answer.status == 403, "\(row): \(answer.text)")
      #expect(answer.json?["code"]?.string == "banned", "\(row): \(answer.text)")
    }
    for file in files + ["/v5/server", "/v5/openapi.json"] {
      let answer = try await server.call("GET", file)
      #expect(answer.status == 403, "\(file)")
      #expect(answer.json?["code"]?.string == "banned", "\(file)")
    }
    #expect(try await server.outcome(room, nil, with: own) == "banned")
    let (_, replay) = try await server.knock(room, "x\",\"replay\":{},\"client\":\"y", token: own)
    #expect(replay.contains("\"banned\""), "\(replay)")
    for open in ["/healthz", "/readyz", "/metrics", "/"] {
      #expect(try await server.call("GET", open).status == 200, "\(open)")
    }
    let pair = RunningServer.pair
    let minted = try await server.call(
      "POST", "/v5/tokens/teams",
      body: "{\"accessKey\":\"\(pair.id)\",\"secretAccessKey\":\"\(pair.secret)\",\"role\":\"admin\"}")
    #expect(minted.status == 201, "who has the key pair is no stranger")
    #expect(try await server.call("GET", path + "/state", token: server.admin).status == 200)
    #expect(try await server.call("GET", files[0], token: server.admin).status == 200)
    #expect(try await server.call("GET", "/v5/rooms", token: server.token(.team, .writer)).status == 403)
    #expect(try await server.call("DELETE", "/v5/bans/\(id)", token: server.admin).status == 200)
    #expect(try await server.call("GET", path + "/state", token: own).status == 200)
  }
}

@Test("MOD-10: behind a proxy of the list the address is the client's, and a ban with a room is of that room")
func addressesBehindProxies() async throws {
  var settings = ServerSettings()
  settings.proxies = try #require(ProxyList("127.0.0.1"))
  try await RunningServer.with(settings) { server in
    let (room, other) = (try await server.room(), try await server.room())
    _ = try await server.banned("{\"ip\":\"2001:db8::7\",\"room\":\"\(room)\"}")
    for (from, place, status) in [
      ("2001:db8:0::0007", room, 403), ("198.51.100.1, 2001:db8::7", room, 403), ("2001:db8::8", room, 200),
      ("2001:db8::7, 198.51.100.1", room, 200), ("2001:db8::7", other, 200),
    ] {
      let answer = try await server.call(
        "GET", "/v5/rooms/\(place)/replay", token: server.token(.room(place), .reader),
        headers: ["x-forwarded-for": from])
      #expect(answer.status == status, "\(from) \(place == room)")
    }
  }
}

@Test("MOD-8: a user is the same in any case and spelling of Unicode: banned, found and lifted so")
func usersAreOne() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let token = server.token(.room(room), .writer)
    _ = try await server.banned("{\"uid\":\"Zoë Straße\"}")
    for uid in ["Zoë Straße", "ZOE\\u0308 STRASSE", "zo\\u00eb strasse", "zo\\u200bë straße"] {
      #expect(try await server.outcome(room, uid, with: token) == "banned", "\(uid)")
      let encoded = uid == "ZOE\\u0308 STRASSE" ? "ZOE%CC%88%20STRASSE" : "zo%C3%AB%20strasse"
      let found = try await server.call("GET", "/v5/bans?uid=\(encoded)", token: server.admin)
      #expect(found.json?.array?.count == 1)
    }
    #expect(try await server.outcome(room, "Zoe Strasse", with: token) == "in")
    _ = try await server.banned("{\"uid\":\"ZOË STRASSE\"}")
    #expect(try await server.call("GET", "/v5/bans", token: server.admin).json?.array?.count == 1, "one ban")
  }
}

@Test(
  "MOD-9: who was banned from a room does not come back under another uid with the same link, nor over HTTP")
func linksAreBanned() async throws {
  let clock = VirtualClock()
  try await RunningServer.with(clock: { clock.now }) { server in
    let room = try await server.room()
    let (own, link) = (server.token(.room(room), .admin), server.token(.room(room), .writer))
    let other = server.token(.room(room), .writer)
    let path = "/v5/rooms/\(room)"
    let (eve, _) = try await server.knock(room, nil, token: link)
    let (friend, friendly) = try await server.knock(room, "friend", token: link)
    let body = "{\"memberId\":0,\"name\":\"Eve\",\"time\":5}"
    let set = try await server.call("POST", path + "/bans", token: own, body: body)
    #expect(set.status == 201, "\(set.text)")
    #expect(set.json?["token"]?.bool == true)
    #expect(set.json?["uid"] == nil)
    #expect(await eve.receive(until: "\"cure\"").contains("\"kick\":\"kickByAdmin\""))
    for uid in [nil, "eve", "somebody"] {
      #expect(try await server.outcome(room, uid, with: link) == "banned", "\(uid ?? "-")")
    }
    #expect(try await server.call("GET", path + "/state", token: link).json?["code"]?.string == "banned")
    #expect(
      try await server.call("POST", path + "/tokens", token: link, body: "{\"role\":\"reader\"}").status
        == 403)
    #expect(try await server.outcome(room, nil, with: other) == "in", "another link")

    let listed = try await server.call("GET", path + "/bans", token: own)
    let ban = try #require(listed.json?.array?.first)
    #expect(ban["name"]?.string == "Eve")
    #expect(ban["memberId"]?.int == 0)
    #expect(ban["token"]?.bool == true)
    let (since, until) = (try #require(ban["since"]?.int), try #require(ban["until"]?.int))
    #expect(until - since == 300_000)
    #expect(!listed.text.contains(String(link.suffix(20))))

    // Who is inside with the same link stays, also over an outage.
    let welcome = try #require(
      friendly.range(of: "\"session\":\"").map { friendly[$0.upperBound...].prefix(32) })
    let ticket = try #require(
      friendly.range(of: "\"ticket\":\"").map { friendly[$0.upperBound...].prefix(32) })
    let resume = "friend\",\"session\":\"\(welcome)\",\"generation\":1,\"ticket\":\"\(ticket)"
    let (back, again) = try await server.knock(room, resume, token: link)
    #expect(again.contains("\"resumed\":true"), "\(again)")
    withExtendedLifetime((friend, back)) {}

    let id = try #require(ban["id"]?.int)
    #expect(try await server.call("DELETE", path + "/bans/\(id)", token: own).text == "{}")
    #expect(try await server.outcome(room, "eve", with: link) == "in")
  }
}

@Test(
  "MOD-9, MOD-10: a member whose token names it is banned by that name alone, and over HTTP with any such token"
)
func boundUsersAreBanned() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    func bound(_ uid: String) -> String {
      AccessToken(
        scope: .room(room), role: .writer, keyID: RunningServer.pair.id, lifespan: 0, at: .wallClock, uid: uid
      ).signed(with: RunningServer.pair.secret)
    }
    let (own, first) = (server.token(.room(room), .admin), bound("Eve"))
    let (eve, _) = try await server.knock(room, nil, token: first)
    let set = try await server.call(
      "POST", "/v5/rooms/\(room)/bans", token: own, body: "{\"memberId\":0}")
    #expect(set.json?["uid"]?.string == "Eve", "\(set.text)")
    #expect(set.json?["token"] == nil, "\(set.text)")
    for (token, isOut) in [(first, true), (bound("EVE"), true), (bound("Ada"), false)] {
      let state = try await server.call("GET", "/v5/rooms/\(room)/state", token: token)
      #expect(state.status == (isOut ? 403 : 200))
      #expect(try await server.outcome(room, nil, with: token) == (isOut ? "banned" : "in"))
    }
    withExtendedLifetime(eve) {}
  }
}

@Test("MOD-9: what was made with a banned link, at any remove, or by a banned user, is banned as that is")
func linksOfBannedLinks() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    func made(with token: String, _ body: String = "{\"role\":\"admin\"}") async throws -> String {
      let answer = try await server.call("POST", "/v5/rooms/\(room)/tokens", token: token, body: body)
      return try #require(answer.json?.string, "\(answer.text)")
    }
    let (own, link) = (server.token(.room(room), .admin), server.token(.room(room), .admin))
    let beside = try await made(with: own)
    let child = try await made(with: link)
    let grandchild = try await made(with: child, "{\"role\":\"writer\"}")
    let ofUser = AccessToken(
      scope: .room(room), role: .admin, keyID: RunningServer.pair.id, lifespan: 0, at: .wallClock, uid: "Zoë"
    ).signed(with: RunningServer.pair.secret)
    let usersChild = try await made(with: ofUser)
    let (eve, _) = try await server.knock(room, nil, token: link)
    let (friend, _) = try await server.knock(room, "friend", token: child)
    let path = "/v5/rooms/\(room)/bans"
    let set = try await server.call("POST", path, token: own, body: "{\"memberId\":0}")
    #expect(set.status == 201, "\(set.text)")
    let named = try await server.call("POST", path, token: own, body: "{\"uid\":\"ZOE\u{308}\"}")
    #expect(named.status == 201, "\(named.text)")
    for token in [link, child, grandchild, ofUser, usersChild] {
      #expect(try await server.outcome(room, nil, with: token) == "banned")
      #expect(try await server.call("GET", "/v5/rooms/\(room)/state", token: token).status == 403)
    }
    #expect(try await server.outcome(room, nil, with: beside) == "in")
    let inside = try await server.call("GET", "/v5/rooms/\(room)/members", token: own).json?.array ?? []
    #expect(inside.contains { $0["uid"]?.string == "friend" }, "who is inside with it stays")
    let id = try #require(set.json?["id"]?.int)
    #expect(try await server.call("DELETE", path + "/\(id)", token: own).text == "{}")
    #expect(try await server.outcome(room, nil, with: grandchild) == "in")
    #expect(try await server.outcome(room, nil, with: usersChild) == "banned")
    withExtendedLifetime((eve, friend)) {}
  }
}

@Test("MOD-9: tokens are made with tokens that were made with tokens eight times, and no more often")
func chainsOfLinksEnd() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    var token = server.token(.room(room), .admin)
    for _ in 0..<AccessToken.mostMakers {
      let answer = try await server.call(
        "POST", "/v5/rooms/\(room)/tokens", token: token, body: "{\"role\":\"admin\"}")
      token = try #require(answer.json?.string, "\(answer.text)")
      #expect(try await server.outcome(room, "adam", with: token) == "in")
    }
    let answer = try await server.call(
      "POST", "/v5/rooms/\(room)/tokens", token: token, body: "{\"role\":\"admin\"}")
    #expect(answer.status == 400, "\(answer.text)")
    #expect(answer.json?["code"]?.string == "tooMany", "\(answer.text)")
    #expect(answer.json?["limit"]?.string == "makers")
    #expect(answer.json?["allowed"]?.int == 8)
  }
}

@Test("MOD-9: a ban of a member with a uid names uid and link, and either is enough; it outlasts the server")
func eitherIsEnough() async throws {
  let store = MemoryLogStore()
  try await RunningServer.with(store: store) { server in
    let room = try await server.room()
    let (own, link) = (server.token(.room(room), .admin), server.token(.room(room), .reader))
    let (eve, _) = try await server.knock(room, "eve", token: link)
    let set = try await server.call(
      "POST", "/v5/rooms/\(room)/bans", token: own, body: "{\"memberId\":0}")
    #expect(set.json?["uid"]?.string == "eve", "\(set.text)")
    #expect(set.json?["token"]?.bool == true, "\(set.text)")
    let fresh = server.token(.room(room), .reader)
    #expect(try await server.outcome(room, "EVE", with: fresh) == "banned")
    #expect(try await server.outcome(room, "adam", with: link) == "banned")
    #expect(try await server.outcome(room, "adam", with: fresh) == "in")
    withExtendedLifetime(eve) {}
  }
  store.restart()
  try await RunningServer.with(store: store) { server in
    let listed = try await server.call("GET", "/v5/bans", token: server.admin)
    #expect(listed.json?.array?.first?["token"]?.bool == true)
  }
}

@Test("MOD-9: a member that came before the last restart is banned by the link that the log has of it")
func linksOutlastTheServer() async throws {
  let (store, room) = (MemoryLogStore(), RoomID(high: 7, low: 7))
  let link = AccessToken(
    scope: .room(room), role: .writer, keyID: RunningServer.pair.id, lifespan: 0, at: .wallClock
  ).signed(with: RunningServer.pair.secret)
  try await RunningServer.with(store: store) { server in
    _ = try await RoomOpening.create(
      room, with: .room(.created(RoomCreated(name: ""))), in: store, at: .wallClock)
    let (eve, heard) = try await server.knock(room, nil, token: link)
    #expect(heard.contains("\"token\":\""), "the join has it")
    withExtendedLifetime(eve) {}
  }
  store.restart()
  try await RunningServer.with(store: store) { server in
    let own = server.token(.room(room), .admin)
    let set = try await server.call("POST", "/v5/rooms/\(room)/bans", token: own, body: "{\"memberId\":0}")
    #expect(set.status == 201, "\(set.text)")
    #expect(set.json?["token"]?.bool == true, "\(set.text)")
    #expect(try await server.outcome(room, "eve", with: link) == "banned")
  }
}
