import BoardroomCodec
import BoardroomModel
import EventLogModel
import Logging
import ServerTestKit
import Synchronization
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

@Test("A WebSocket is accepted as RFC 6455 says, with the first offered subprotocol that is spoken here")
func webSocketsAreAccepted() async throws {
  try await RunningServer.with { server in
    let table = [
      ("boardroom.v1", "boardroom.v1"), ("boardroom.json.v1", "boardroom.json.v1"),
      ("other, boardroom.json.v1, boardroom.v1", "boardroom.json.v1"),
    ]
    for (offered, chosen) in table {
      let socket = try #require(RawSocket(port: server.port))
      socket.askForRoom(offering: offered)
      let answer = await socket.receive(until: "\r\n\r\n").lowercased()
      #expect(answer.hasPrefix("http/1.1 101 "))
      // The key and its answer are the RFC's own, section 1.3.
      #expect(answer.contains("sec-websocket-accept: s3pplmbitxaq9kygzzhzrbk+xoo=\r\n"))
      #expect(answer.contains("sec-websocket-protocol: \(chosen)\r\n"))
    }
  }
}

private struct Refused: Sendable {
  var request: @Sendable (RawSocket) -> Void
  var code: String
}

@Test("A WebSocket that cannot be is refused with 400 and the reason, and the connection is closed")
func webSocketsAreRefused() async throws {
  let table = [
    Refused(request: { $0.askForRoom(offering: nil) }, code: "unsupportedVersion"),
    Refused(request: { $0.askForRoom(offering: "chat, Boardroom.v1") }, code: "unsupportedVersion"),
    Refused(request: { $0.askForRoom(version: "8", offering: "boardroom.v1") }, code: "unsupportedVersion"),
    Refused(request: { $0.askForRoom(key: "short", offering: "boardroom.v1") }, code: "malformed"),
    Refused(request: { $0.send("GET /v1/rooms HTTP/1.1\r\nHost: a\r\n\r\n") }, code: "badParameter"),
    Refused(
      request: {
        let lines = [
          "GET /v1/rooms HTTP/1.1", "Host: a", "Upgrade: websocket", "Connection: upgrade",
          "Content-Length: 1",
        ]
        $0.send(lines.joined(separator: "\r\n") + "\r\n\r\nx")
      }, code: "malformed"),
    Refused(request: { $0.send("GET /v1/rooms what is this\r\n\r\n") }, code: "malformed"),
    Refused(
      request: {
        $0.send("GET /v1/rooms?x HTTP/1.1\r\nHost: a\r\nUpgrade: h2c\r\nConnection: upgrade\r\n\r\n")
      },
      code: "badParameter"),
  ]
  try await RunningServer.with { server in
    for refused in table {
      let socket = try #require(RawSocket(port: server.port))
      refused.request(socket)
      let text = await socket.receive(until: nil)
      #expect(text.hasPrefix("HTTP/1.1 400 "), "\(text)")
      #expect(text.contains("\"code\":\"\(refused.code)\""), "\(text)")
    }
  }
}

@Test("Where a connection goes is told by its first bytes, however they are cut")
func firstBytesMayBeCut() async throws {
  try await RunningServer.with { server in
    for text in ["GET /v1/room", "GET /v1/roomsmore", "GET /healthz"] {
      for cut in [1, 4, 11, 12] where cut < text.utf8.count {
        let socket = try #require(RawSocket(port: server.port))
        let request = Array((text + " HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n").utf8)
        socket.send(Array(request[..<cut]))
        // A round trip over another connection: by then the first piece was read.
        _ = try await server.call("GET", "/healthz")
        socket.send(Array(request[cut...]))
        let status = text == "GET /healthz" ? "200" : "404"
        let answer = await socket.receive(until: nil)
        #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(text) cut at \(cut)")
      }
    }
  }
}

@Test("After other requests on the same connection the rooms' path answers, and says what to do")
func upgradesNeedFreshConnections() async throws {
  try await RunningServer.with { server in
    let socket = try #require(RawSocket(port: server.port))
    socket.send("GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
    let health = await socket.receive(until: "ok\n")
    #expect(health.hasPrefix("HTTP/1.1 200 "))
    socket.askForRoom(offering: "boardroom.v1")
    let rooms = await socket.receive(until: "cure")
    #expect(rooms.hasPrefix("HTTP/1.1 400 "))
  }
}

/// A JSON connection that has come to `live`.
private func joined(_ server: RunningServer, _ room: RoomID, _ role: Role) async throws -> RawSocket {
  let socket = try #require(RawSocket(port: server.port))
  socket.askForRoom(offering: "boardroom.json.v1")
  _ = await socket.receive(until: "\r\n\r\n")
  socket.sendFrame("{\"m\":\"hello\",\"room\":\"\(room)\",\"token\":\"\(server.token(.room(room), role))\"}")
  let greeting = await socket.receive(until: "\"m\":\"live\"")
  #expect(greeting.contains("\"m\":\"welcome\""))
  return socket
}

@Test("At the join: a room's token lets in, another room's and a changed one do not")
func roomsAreGuarded() async throws {
  try await RunningServer.with { server in
    let (room, other) = (try await server.room(), try await server.room())
    _ = try await joined(server, room, .reader)
    let wrong = [
      (server.token(.room(other), .admin), "token access room forbidden"),
      (server.admin + "A", "invalid"),
    ]
    for (token, message) in wrong {
      let socket = try #require(RawSocket(port: server.port))
      socket.askForRoom(offering: "boardroom.json.v1")
      _ = await socket.receive(until: "\r\n\r\n")
      socket.sendFrame("{\"m\":\"hello\",\"room\":\"\(room)\",\"token\":\"\(token)\"}")
      let answer = await socket.receive(until: "\"cure\"")
      #expect(answer.contains("\"m\":\"farewell\""), "\(answer)")
      #expect(answer.contains(message), "\(answer)")
    }
  }
}

@Test("KICK-kickByAdmin: who is kicked by REST hears the reason, and the roster is without them")
func kickedMembersHearIt() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let socket = try await joined(server, room, .writer)
    let answer = try await server.call(
      "POST", "/v5/rooms/\(room)/kick", token: server.admin, body: "{\"memberId\":0}")
    #expect(answer.text == "{\"kicked\":[0]}")
    let farewell = await socket.receive(until: "\"cure\"")
    #expect(farewell.contains("\"kick\":\"kickByAdmin\""), "\(farewell)")
    #expect(try await server.call("GET", "/v5/rooms/\(room)/members", token: server.admin).text == "[]")
  }
}

@Test("What goes out to members is measured: deliveries, their bytes, and what waits for the slow")
func fanOutIsMeasured() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let socket = try await joined(server, room, .writer)
    // The second member's join is delivered to the first.
    let other = try await joined(server, room, .reader)
    _ = await socket.receive(until: "memberJoined")
    let text = try await server.call("GET", "/metrics").text
    func value(_ name: String) -> Int? {
      text.split(separator: "\n").first { $0.hasPrefix(name + " ") }.flatMap {
        Int($0.split(separator: " ")[1])
      }
    }
    #expect(value("boardroom_deliveries_total") ?? 0 > 0)
    #expect(value("boardroom_delivered_bytes_total") ?? 0 > 50)
    #expect(value("boardroom_left_behind_total") == 0)
    #expect(value("boardroom_outbox_bytes") == 0)
    #expect(value("boardroom_sockets") ?? 0 >= 3)
    #expect(value("boardroom_sockets_refused_address_total") == 0)
    _ = other
  }
}

@Test("KICK-GatewayAdjust: a drain: all are told to come back, the stay goes on, the server ends by itself")
func drainsAreOrderly() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let socket = try await joined(server, room, .writer)
    await server.shutDown()
    let farewell = await socket.receive(until: nil)
    #expect(farewell.contains("\"code\":\"goingAway\""), "\(farewell)")
    #expect(farewell.contains("\"comeBack\":true"), "\(farewell)")
    #expect(farewell.contains("\"kick\":\"GatewayAdjust\""))
  }
}

@Test("A connection that will not go does not hold up the end beyond the time to drain")
func drainsEndInTime() async throws {
  var settings = ServerSettings()
  settings.drain = .milliseconds(100)
  let lines = Mutex("")
  let kept = Mutex<RawSocket?>(nil)
  try await RunningServer.with(
    settings,
    logs: { line in
      lines.withLock { $0 += String(decoding: line, as: UTF8.self) }
    }
  ) { server in
    // Never answers the close frame; a room's connection alone would wait 2 s for that.
    let socket = try await joined(server, try await server.room(), .writer)
    kept.withLock { $0 = socket }
  }
  #expect(lines.withLock { $0.contains("warning the time to drain is over") })
  #expect(kept.withLock { $0 } != nil)
}

@Test("A port in use is one clear error that names it")
func usedPortsAreNamed() async throws {
  try await RunningServer.with { server in
    var settings = ServerSettings()
    settings.port = server.port
    settings.threads = 1
    let second = BoardroomServer(
      settings: settings, store: server.store, keys: server.keys,
      logger: .init(label: "second") { _ in
        LogLines(label: "second", level: .critical, format: .text)
      })
    let expected = ServerStartError.portInUse(host: "127.0.0.1", port: server.port)
    await #expect(throws: expected) { try await second.run() }
    #expect(expected.description.contains("\(server.port)"))
  }
}
