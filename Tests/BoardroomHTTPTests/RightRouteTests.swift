import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation
import ServerTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

extension RunningServer {
  fileprivate func mint(_ path: String, _ token: String, _ body: String) async throws -> AccessToken? {
    let answer = try await call("POST", path, token: token, body: body)
    guard answer.status == 201, let text = answer.json?.string else { return nil }
    return try AccessToken(text, secret: keys.secret(of:))
  }
}

@Test(
  "RIGHT-5: no token outlives the one that it was made with, whatever is asked for, on every route that makes one"
)
func tokensEndWithTheirMakers() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let now = Timestamp.wallClock
    func short(_ scope: TokenScope) -> AccessToken {
      AccessToken(scope: scope, role: .admin, keyID: RunningServer.pair.id, lifespan: 60_000, at: now)
    }
    let makers = [
      ("/v5/tokens/rooms/\(room)", short(.team)), ("/v5/tokens/tasks/\(room)", short(.team)),
      ("/v5/tokens/accounts/anna", short(.team)), ("/v5/rooms/\(room)/tokens", short(.team)),
      ("/v5/rooms/\(room)/tokens", short(.room(room))),
    ]
    for (path, maker) in makers {
      let text = maker.signed(with: RunningServer.pair.secret)
      for (lifespan, isShorter) in [
        ("", false), (",\"lifespan\":0", false), (",\"lifespan\":86400000", false),
        (",\"lifespan\":1000", true),
      ] {
        let made = try await server.mint(path, text, "{\"role\":\"reader\"\(lifespan)}")
        let (ends, limit) = (try #require(made?.expires, "\(path) \(lifespan)"), try #require(maker.expires))
        #expect(isShorter ? ends < limit : ends == limit, "\(path) \(lifespan)")
      }
    }
    let eternal = try await server.mint("/v5/tokens/rooms/\(room)", server.admin, "{\"role\":\"reader\"}")
    #expect(eternal != nil)
    #expect(eternal?.expires == nil)
  }
}

@Test(
  "RIGHT-7: an SDK token binds to anybody, a bound one to its own user only; what is shared is bound to nobody"
)
func tokensAreBound() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let (minting, sharing) = ("/v5/tokens/rooms/\(room)", "/v5/rooms/\(room)/tokens")
    let ana = try #require(
      try await server.mint(minting, server.admin, "{\"role\":\"writer\",\"uid\":\"ana\"}"))
    #expect(ana.uid == "ana")
    #expect(ana.scope == .room(room))
    #expect(ana.role == .writer)
    let bound = ana.signed(with: RunningServer.pair.secret)
    let free = server.token(.room(room), .admin)
    let table: [(String, String, uid: String?, status: Int)] = [
      (server.admin, "\"uid\":\"ben\"", "ben", 201), (bound, "\"uid\":\"ana\"", "ana", 201),
      (bound, "\"uid\":null", nil, 201), (bound, "\"uid\":\"ben\"", nil, 403),
      (free, "\"uid\":\"ana\"", nil, 403), (free, "\"uid\":null", nil, 201),
    ]
    for row in table {
      let body = "{\"role\":\"reader\",\(row.1)}"
      let answer = try await server.call("POST", sharing, token: row.0, body: body)
      #expect(answer.status == row.status, "\(row.1)")
      guard let text = answer.json?.string else { continue }
      #expect(try AccessToken(text, secret: server.keys.secret(of:)).uid == row.uid)
    }
    for (uid, code) in [
      ("", "badName"), ("a\\u0007", "badName"), (String(repeating: "u", count: 1_025), "tooLarge"),
    ] {
      for path in [minting, sharing] {
        let body = "{\"role\":\"reader\",\"uid\":\"\(uid)\"}"
        let answer = try await server.call("POST", path, token: server.admin, body: body)
        #expect(answer.status == 400)
        #expect(answer.json?["code"]?.string == code)
      }
    }
    // The longest that there is goes through a header and back.
    let long = String(repeating: "ü", count: 512)
    let made = try await server.mint(minting, server.admin, "{\"role\":\"reader\",\"uid\":\"\(long)\"}")
    #expect(made?.uid == long)
    let shown = try await server.call(
      "GET", "/v5/rooms/\(room)/state", token: made?.signed(with: RunningServer.pair.secret))
    #expect(shown.status == 200)
  }
}

@Test(
  "RIGHT-6, MOD-10: a ban of a user reaches who holds a token that is bound to it, over HTTP too, and nobody else"
)
func bansReachBoundTokens() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    func token(_ uid: String) async throws -> String? {
      try await server.mint(
        "/v5/tokens/rooms/\(room)", server.admin, "{\"role\":\"writer\",\"uid\":\"\(uid)\"}")?
        .signed(with: RunningServer.pair.secret)
    }
    let (ana, ben) = (try await token("ana"), try await token("ben"))
    let body = "{\"room\":\"\(room)\",\"uid\":\"Ana\"}"
    #expect(try await server.call("POST", "/v5/bans", token: server.admin, body: body).status == 201)
    for path in ["", "/state", "/log"] {
      let refused = try await server.call("GET", "/v5/rooms/\(room)\(path)", token: ana)
      #expect(refused.status == 403, "\(path)")
      #expect(refused.json?["code"]?.string == "banned", "\(path)")
      #expect(try await server.call("GET", "/v5/rooms/\(room)\(path)", token: ben).status == 200)
    }
  }
}

@Test(
  "RIGHT-8: one table says who may read the past of a room, and of one that is not recorded, at every door",
  arguments: [true, false])
func pastsAreGuarded(isRecord: Bool) async throws {
  try await RunningServer.with { server in
    let room = try await server.room("{\"isRecord\":\(isRecord)}")
    _ = try await server.join(room, ["ana"])
    let now = Timestamp.wallClock.milliseconds
    let rooms = "/v5/rooms/\(room)"
    let doors: [(HistoryAccess, String)] = [
      (.log, "\(rooms)/log"), (.log, "\(rooms)/log?kinds=memberJoined"), (.log, "\(rooms)/state?at=r1"),
      (.log, "\(rooms)/state?at=r2"), (.log, "\(rooms)/state?at=\(now)"), (.replay, "\(rooms)/replay"),
      (.replay, "\(rooms)/replay/runs"), (.replay, "\(rooms)/replay/snapshots/2"),
      (.replay, "\(rooms)/replay/revision?at=\(now)"), (.presence, "\(rooms)/channel_events"),
    ]
    for (door, path) in doors {
      let found = try await [TokenScope.team, .room(room)].asyncMap { scope in
        try await Role.allCases.asyncMap { role in
          let answer = try await server.call("GET", path, token: server.token(scope, role))
          if answer.status == 403, !isRecord, Action.replay.allows(role, withRoomToken: true),
            door != .presence
          {
            #expect(answer.json?["code"]?.string == "notRecorded", "\(path)")
          }
          return answer.status == 403 || answer.status == 401 ? "n" : "y"
        }.joined()
      }
      #expect(found.joined(separator: " ") == door.row(isRecord: isRecord), "\(path)")
    }
    let reader = server.token(.room(room), .reader)
    let blocks = try await server.call("GET", "\(rooms)/log?format=blocks", token: reader)
    #expect((blocks.status == 403) == !isRecord)
    // The present is no history.
    #expect(try await server.call("GET", "\(rooms)/state", token: reader).status == 200)
    let writer = server.token(.room(room), .writer)
    #expect(try await server.call("GET", "\(rooms)/members", token: writer).status == 200)
    let users = try await server.call("GET", "/v5/user_events?uid=ana", token: server.token(.team, .writer))
    #expect(users.json?["events"]?.array?.count == 1)
  }
}

extension Sequence where Self: Sendable, Element: Sendable {
  fileprivate func asyncMap<Value>(_ body: (Element) async throws -> Value) async throws -> [Value] {
    var values: [Value] = []
    for element in self { values.append(try await body(element)) }
    return values
  }
}

@Test("RIGHT-9: the rooms' port shows measurements to this machine only, and to nobody by way of a proxy")
func measurementsOfThisMachine() async throws {
  let proxied = [
    "x-forwarded-for", "X-Forwarded-Host", "x-forwarded-proto", "X-Real-IP", "Via", "Forwarded",
    "cf-connecting-ip",
    "True-Client-IP", "X-Client-IP", "x-original-url",
  ]
  try await RunningServer.with { server in
    #expect(try await server.call("GET", "/metrics").status == 200)
    for name in proxied {
      let answer = try await server.call("GET", "/metrics", headers: [name: "1.1 proxy"])
      #expect(answer.status == 401, "\(name)")
      let token = server.token(.team, .reader)
      #expect(try await server.call("GET", "/metrics", token: token, headers: [name: "x"]).status == 200)
    }
  }
  var (behind, beside) = (ServerSettings(), ServerSettings())
  behind.proxies = try #require(ProxyList("10.0.0.0/8"))
  beside.metricsListen = ListenAddress(host: "127.0.0.1", port: 0)
  for settings in [behind, beside] {
    try await RunningServer.with(settings) { server in
      let answer = try await server.call("GET", "/metrics")
      #expect(answer.status == 401)
    }
  }
}

@Test("RIGHT-9: a host of another name is not this machine: its name may lead here from anywhere")
func hostsOfThisMachine() {
  for host in ["localhost", "LocalHost:8080", "127.0.0.1", "127.1.2.3:80", "[::1]", "[::1]:8080"] {
    #expect(ThisMachine.isLoopback(host), "\(host)")
  }
  for host in [
    "", "board.example.com", "localhost.example.com", "10.0.0.1:80", "[::2]", "127.0.0.1.nip.io", "::1",
  ] {
    #expect(!ThisMachine.isLoopback(host) || host == "::1", "\(host)")
  }
}

@Test("RIGHT-9: measurements have a port of their own where one is set, with nothing else on it")
func measurementsOfTheirOwnPort() async throws {
  var settings = ServerSettings()
  settings.metricsListen = ListenAddress(host: "127.0.0.1", port: 0)
  let (ports, portsIn) = AsyncStream<Int>.makeStream()
  try await RunningServer.with(settings, measuring: { portsIn.yield($0) }) { server in
    let port = try #require(await ports.first { _ in true })
    let monitored = RunningServer.at(port: port, of: server)
    #expect(try await monitored.call("GET", "/metrics").text.contains("boardroom_ready 1\n"))
    #expect(try await monitored.call("GET", "/readyz").text.hasPrefix("ready\nversion "))
    for path in ["/v5/rooms", "/", "/v1/rooms", "/v5/openapi.json"] {
      #expect(try await monitored.call("GET", path).status == 404, "\(path)")
    }
  }
}
