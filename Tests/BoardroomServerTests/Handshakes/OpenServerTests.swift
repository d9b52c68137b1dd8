import BoardroomCodec
import BoardroomModel
import EventLogModel
import Foundation
import ServerTestKit
import StorageTestKit
import Synchronization
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

private let board = "0123456789abcdef0123456789abcdef"

private func withOpen(
  store: MemoryLogStore = MemoryLogStore(), _ change: (inout ServerSettings) -> Void = { _ in },
  _ body: @Sendable (RunningServer) async throws -> Void
) async throws {
  var settings = ServerSettings()
  settings.isOpen = true
  change(&settings)
  try await RunningServer.with(settings, store: store, body)
}

/// Somebody in a room: the welcome, and the connection, which lasts as long as this.
private struct Guest {
  let socket: RawSocket
  let heard: String

  var welcome: JSONValue? { message("welcome") }
  var code: String? { message("farewell")?["code"]?.string }
  /// The role in the event of its own join.
  var role: String? {
    guard let member = welcome?["member"]?.int else { return nil }
    let pieces = heard.components(separatedBy: "\"by\":\(member),\"n\":0,\"kind\":\"memberJoined\"")
    guard pieces.count == 2 else { return nil }
    return ["admin", "writer", "reader"].first { pieces[1].prefix(120).contains("\"role\":\"\($0)\"") }
  }

  private func message(_ name: String) -> JSONValue? {
    guard let start = heard.range(of: "{\"m\":\"\(name)\"") else { return nil }
    var depth = 0
    for place in heard[start.lowerBound...].indices {
      if heard[place] == "{" { depth += 1 }
      if heard[place] == "}" { depth -= 1 }
      if depth == 0 { return try? JSONValue.parse(Array(heard[start.lowerBound...place].utf8)) }
    }
    return nil
  }
}

extension RunningServer {
  fileprivate func guest(
    _ token: String = "", uid: String? = nil, more: String = "", in room: String = board
  ) async throws -> Guest {
    let socket = try #require(RawSocket(port: port))
    socket.askForRoom(offering: "boardroom.json.v1")
    _ = await socket.receive(until: "\r\n\r\n")
    let name = uid.map { ",\"uid\":\"\($0)\"" } ?? ""
    socket.sendFrame("{\"m\":\"hello\",\"room\":\"\(room)\",\"token\":\"\(token)\"\(name)\(more)}")
    let heard = await socket.receive { $0.contains("\"m\":\"live\"") || $0.contains("\"cure\"") }
    return Guest(socket: socket, heard: heard)
  }

  /// The whole answer; of a WebSocket's opening the head and what was refused.
  fileprivate func asked(_ head: String) async throws -> String {
    let socket = try #require(RawSocket(port: port))
    let isOpening = head.contains("Upgrade: websocket")
    socket.send(head + (isOpening ? "" : "\r\nConnection: close") + "\r\n\r\n")
    return await socket.receive { isOpening && $0.contains("\r\n\r\n") && $0.hasPrefix("HTTP/1.1 101") }
  }

  fileprivate func about() async throws -> JSONValue {
    try #require(try await call("GET", "/v5/server").json)
  }
}

@Test(
  "OPEN-1: the measurements of an open server are shown under this machine's names only, on their own port too"
)
func strangersMeasure() async throws {
  var settings = ServerSettings()
  settings.isOpen = true
  settings.metricsListen = ListenAddress(host: "127.0.0.1", port: 0)
  let (ports, portsIn) = AsyncStream<Int>.makeStream()
  try await RunningServer.with(settings, measuring: { portsIn.yield($0) }) { server in
    let monitored = RunningServer.at(port: try #require(await ports.first { _ in true }), of: server)
    for path in ["/metrics", "/readyz", "/healthz"] {
      let ask = "GET \(path) HTTP/1.1\r\nHost: HOST"
      #expect(try await monitored.asked(ask.replacing("HOST", with: "localhost")).hasPrefix("HTTP/1.1 200"))
      let stranger = try await monitored.asked(ask.replacing("HOST", with: "evil.example"))
      #expect(stranger.hasPrefix("HTTP/1.1 403"), "\(stranger)")
    }
  }
}

@Test(
  "OPEN-1: whatever is asked of an open server under a stranger's name, or by another site's page, is forbidden"
)
func strangersNames() async throws {
  let upgrade =
    "Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
    + "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Protocol: boardroom.json.v1"
  let asks = [
    "GET /v5/server HTTP/1.1\r\nHOST", "GET /v5/rooms HTTP/1.1\r\nHOST", "GET / HTTP/1.1\r\nHOST",
    "GET /metrics HTTP/1.1\r\nHOST", "GET /nothing HTTP/1.1\r\nHOST",
    "DELETE /v5/rooms/\(board) HTTP/1.1\r\nHOST",
    "GET /v1/rooms HTTP/1.1\r\nHOST\r\n\(upgrade)",
  ]
  try await withOpen { server in
    let own = "127.0.0.1:\(server.port)"
    let strange = [
      "Host: evil.example", "Host: evil.example:\(server.port)", "Host: \(own)\r\nHost: evil.example",
      "Host: \(own)\r\nOrigin: http://evil.example", "Host: \(own)\r\nOrigin: null",
      "Host: \(own)\r\nOrigin: http://localhost:\(server.port)",
    ]
    for ask in asks {
      for host in strange {
        let answer = try await server.asked(ask.replacing("HOST", with: host))
        #expect(answer.hasPrefix("HTTP/1.1 40"), "\(ask) \(host): \(answer)")
        #expect(
          answer.contains("\"forbidden\"") || answer.hasPrefix("HTTP/1.1 400"), "\(ask) \(host): \(answer)")
        #expect(!answer.contains("NETLESS"))
      }
      for host in ["Host: \(own)", "Host: localhost:1", "Host: \(own)\r\nOrigin: http://\(own)"] {
        let answer = try await server.asked(ask.replacing("HOST", with: host))
        #expect(!answer.contains("open.hosts"), "\(ask) \(host)")
      }
    }
    let joins = try await server.asked(
      asks[6].replacing("HOST", with: "Host: \(own)\r\nOrigin: http://\(own)"))
    #expect(joins.hasPrefix("HTTP/1.1 101"))
  }
  try await RunningServer.with { server in
    let answer = try await server.asked("GET /v5/server HTTP/1.1\r\nHost: evil.example")
    #expect(answer.hasPrefix("HTTP/1.1 200"))
  }
}

@Test("OPEN-3: what an open server signs ends with it; tokens of the key file go on")
func tokensEnd() async throws {
  let store = MemoryLogStore()
  let kept = Mutex<[String]>([])
  try await withOpen(store: store) { server in
    let page = try #require(try await server.about()["token"]?.string)
    let host = try await server.guest()
    let own = try #require(host.welcome?["token"]?.string)
    let path = "/v5/rooms/\(board)/tokens"
    let look = try await server.call("POST", path, token: page, body: "{\"role\":\"reader\"}").json?.string
    let made = try await server.call(
      "POST", "/v5/tokens/rooms/\(board)", token: page, body: "{\"role\":\"writer\"}"
    ).json?.string
    let all = try [page, own, #require(look), #require(made)]
    kept.withLock { $0 = all }
    #expect(try await server.call("GET", "/v5/rooms", token: page).status == 200)
    #expect(try await server.call("GET", "/v5/rooms", token: server.admin).status == 200)
  }
  store.restart()
  let given = kept.withLock { $0 }
  for isOpen in [true, false] {
    let change = { (settings: inout ServerSettings) in settings.isOpen = isOpen }
    try await withOpen(store: store, change) { server in
      for token in given {
        let state = try await server.call("GET", "/v5/rooms/\(board)/state", token: token)
        let guest = try await server.guest(token)
        #expect(state.status == 401)
        #expect(guest.code == "tokenInvalid", "and it does not count as none")
      }
      let rooms = try await server.call("GET", "/v5/rooms", token: server.admin)
      #expect(rooms.status == 200)
    }
    store.restart()
  }
}

@Test("OPEN-4: the first hosts, whoever comes then writes, and a uid makes nobody host")
func firstHosts() async throws {
  try await withOpen { server in
    let page = try #require(try await server.about()["token"]?.string)
    let host = try await server.guest(uid: "ada")
    #expect(host.role == "admin")
    let own = try #require(host.welcome?["token"]?.string)
    let other = try await server.guest(uid: "bob")
    #expect(other.role == "writer")
    #expect(other.welcome?["token"] == nil)
    #expect(try await server.guest(page, uid: "eve").role == "writer", "the page's token hosts nothing")
    let path = "/v5/rooms/\(board)"
    for (token, status) in [(page, 403), (own, 201)] {
      let ban = try await server.call("POST", path + "/bans", token: token, body: "{\"uid\":\"mal\"}")
      #expect(ban.status == status)
    }
    host.socket.sendFrame("{\"m\":\"leave\"}")
    _ = await host.socket.receive(until: "farewell")
    #expect(try await server.guest(uid: "ada").role == "writer", "others are there")
    let back = try await server.guest(own, uid: "ada")
    #expect(back.role == "admin", "by the token of its welcome")
    let elsewhere = try await server.guest(in: "ff" + board.dropFirst(2))
    #expect(elsewhere.role == "admin", "each room has a host of its own")
    #expect(
      try await server.call("GET", path + "/members", token: elsewhere.welcome?["token"]?.string).status
        == 403)
    withExtendedLifetime((other, back)) {}
  }
}

@Test("OPEN-4: when all who may write have left, the next one hosts; who only looks on holds nobody off")
func nextHost() async throws {
  try await withOpen { server in
    let first = try await server.guest()
    let token = server.token(.room(try #require(RoomID(board))), .reader)
    let looking = try await server.guest(token)
    #expect(looking.role == "reader")
    first.socket.sendFrame("{\"m\":\"leave\"}")
    _ = await first.socket.receive(until: "farewell")
    #expect(try await server.guest().role == "admin")
    withExtendedLifetime(looking) {}
  }
}

@Test("OPEN-5: a token counts as what it is, and one that is not good is refused")
func tokensCount() async throws {
  try await withOpen { server in
    let id = try #require(RoomID(board))
    let reader = server.token(.room(id), .reader)
    let host = try await server.guest()
    for (token, outcome) in [
      (reader, "reader"), (server.token(.room(id), .writer), "writer"), (server.admin, "admin"),
    ] {
      #expect(try await server.guest(token).role == outcome)
    }
    let other = server.token(.room(.random()), .admin)
    for (token, code) in [
      (other, "forbidden"), (reader + "x", "tokenInvalid"), ("none", "tokenInvalid"), (" ", "tokenInvalid"),
      ("NETLESSROOM_", "tokenInvalid"),
    ] {
      #expect(try await server.guest(token).code == code, "\(token)")
    }
    withExtendedLifetime(host) {}
  }
}

@Test("OPEN-6: a stay without a token goes on with its ticket, and without it nobody takes the host's place")
func staysGoOn() async throws {
  try await withOpen { server in
    let host = try await server.guest()
    let welcome = try #require(host.welcome)
    let session = try #require(welcome["session"]?.string)
    let ticket = try #require(welcome["ticket"]?.string)
    #expect(ticket.count == 32)
    let resume = ",\"session\":\"\(session)\",\"generation\":1"
    let thief = try await server.guest(more: resume)
    #expect(thief.welcome?["resumed"]?.bool == false)
    #expect(thief.role == "writer")
    let back = try await server.guest(more: resume + ",\"ticket\":\"\(ticket)\"")
    #expect(back.welcome?["resumed"]?.bool == true)
    #expect(back.welcome?["member"]?.int == 0)
    #expect(back.welcome?["token"]?.string != nil, "still the host")
    withExtendedLifetime(thief) {}
  }
}
