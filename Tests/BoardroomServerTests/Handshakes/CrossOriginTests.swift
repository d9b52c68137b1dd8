import BoardroomModel
import ServerTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

private let page = "https://board.example.org"

@Test("Origins are read as none, *, or a list; anything that is no origin is refused")
func originsAreRead() {
  #expect(OriginRule("none") == OriginRule.none)
  #expect(OriginRule("*") == .any)
  #expect(
    OriginRule("https://a.example, HTTP://B.example:8080")?.text == "https://a.example,http://b.example:8080")
  let wrong = [
    "", "a.example", "https://", "https://a/", "https://a,", ",", "ftp://a", "https://*.a", "https://a b",
  ]
  for text in wrong { #expect(OriginRule(text) == nil, "\(text)") }
  let rule = OriginRule("https://a.example")
  for origin in ["https://a.example.evil", "https://b.a.example", "http://a.example", "null", ""] {
    #expect(rule?.allows(origin) == false, "\(origin)")
  }
}

private struct Row: Sendable {
  var setting: OriginRule
  var allowed: String?
}

@Test("cors.origins: pages of the origins that are set may, others are told nothing, and all get an answer")
func pagesOfOtherOriginsAreAnswered() async throws {
  let rows = [
    Row(setting: .none, allowed: nil), Row(setting: .any, allowed: "*"),
    Row(setting: .listed([page]), allowed: page),
    Row(setting: .listed(["https://other.example"]), allowed: nil),
  ]
  for row in rows {
    var settings = ServerSettings()
    settings.corsOrigins = row.setting
    try await RunningServer.with(settings) { server in
      let question = [
        "origin": page, "access-control-request-method": "PATCH",
        "access-control-request-headers": "token",
      ]
      let asked = try await server.call("OPTIONS", "/v5/rooms", headers: question)
      #expect(asked.status == 204)
      #expect(asked.headers["access-control-allow-origin"] == row.allowed)
      #expect(
        asked.headers["access-control-allow-headers"]?.contains("token") == (row.allowed == nil ? nil : true))
      for token in [server.admin, nil] {
        let answer = try await server.call("GET", "/v5/rooms", token: token, headers: ["origin": page])
        #expect(answer.status == (token == nil ? 401 : 200))
        #expect(answer.headers["access-control-allow-origin"] == row.allowed, "also of a refusal")
        #expect(answer.headers["vary"] == "Origin")
      }
      let plain = try await server.call("GET", "/v5/rooms", token: server.admin)
      #expect(plain.headers["access-control-allow-origin"] == nil)
    }
  }
}

@Test("origins: only pages of the origins that are set open rooms; a program without an origin does")
func roomsAreOpenedFromListedOrigins() async throws {
  var settings = ServerSettings()
  settings.origins = .listed([page])
  try await RunningServer.with(settings) { server in
    let table: [(origins: [String], status: String)] = [
      ([], "101"), ([page], "101"), (["https://evil.example"], "403"), (["null"], "403"),
      ([page, "https://evil.example"], "403"),
    ]
    for row in table {
      let socket = try #require(RawSocket(port: server.port))
      let origins = row.origins.map { "Origin: \($0)\r\n" }.joined()
      socket.send(
        "GET /v1/rooms HTTP/1.1\r\nHost: a\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\(origins)"
          + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
          + "Sec-WebSocket-Protocol: boardroom.v1\r\n\r\n")
      let answer = await socket.receive(until: "\r\n\r\n")
      #expect(answer.hasPrefix("HTTP/1.1 \(row.status) "), "\(row.origins)")
    }
  }
}
