import BoardroomCodec
import BoardroomModel
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting
@testable import BoardroomServer

private struct Bad: Sendable, CustomTestStringConvertible {
  var call: String
  var body: String?
  var token: Token = .admin
  var status: Int
  var code: String
  enum Token: Sendable { case admin, none, nonsense, expired, foreignKey }
  var testDescription: String { "\(call) \(body?.prefix(40) ?? "") \(token)" }

  init(_ call: String, _ status: Int, _ code: String) { self.init(call, nil, status, code) }

  init(_ call: String, _ body: String?, _ status: Int, _ code: String) {
    self.init(call, body, .admin, status, code)
  }

  init(_ call: String, _ body: String?, _ token: Token, _ status: Int, _ code: String) {
    self.call = call
    self.body = body
    self.token = token
    self.status = status
    self.code = code
  }
}

private let bads: [Bad] = [
  Bad("GET /v5/rooms", nil, .none, 401, "tokenInvalid"),
  Bad("GET /v5/rooms", nil, .nonsense, 401, "tokenInvalid"),
  Bad("GET /v5/rooms", nil, .expired, 401, "tokenExpired"),
  Bad("GET /v5/rooms", nil, .foreignKey, 401, "tokenInvalid"),
  Bad("GET /v5/nowhere", 404, "notFound"),
  Bad("DELETE /v5/rooms", 405, "badMethod"),
  Bad("PUT /healthz", 405, "badMethod"),
  Bad("GET /v1/rooms/more", 404, "notFound"),
  Bad("GET /v5/rooms/short", 400, "badName"),
  Bad("GET /v5/rooms/00000000000000000000000000000001", 404, "notFound"),
  Bad("GET /v5/rooms/00000000000000000000000000000001/members", 404, "notFound"),
  Bad("GET /v5/rooms/00000000000000000000000000000001/log", 404, "notFound"),
  Bad("GET /v5/rooms/00000000000000000000000000000001/state", 404, "notFound"),
  Bad("GET /v5/rooms?limit=0", 400, "badParameter"),
  Bad("GET /v5/rooms?limit=1001", 400, "badParameter"),
  Bad("GET /v5/rooms?limit=-5", 400, "badParameter"),
  Bad("GET /v5/rooms?beginUUID=xyz", 400, "badParameter"),
  Bad("POST /v5/rooms", "{", 400, "malformed"),
  Bad("POST /v5/rooms", "[]", 400, "malformed"),
  Bad("POST /v5/rooms", "{\"name\":1}", 400, "badParameter"),
  Bad("POST /v5/rooms", "{\"name\":\"a\",\"name\":\"b\"}", 400, "malformed"),
  Bad("POST /v5/rooms", "{\"limit\":-1}", 400, "badParameter"),
  Bad("POST /v5/rooms", "{\"limit\":1.5}", 400, "badParameter"),
  Bad("POST /v5/rooms", "{\"isRecord\":\"yes\"}", 400, "badParameter"),
  Bad("POST /v5/rooms", "{\"name\":\"\(String(repeating: "n", count: 2_049))\"}", 400, "tooLarge"),
  Bad("POST /v5/rooms", "{\"name\":\"\(String(repeating: "n", count: 70_000))\"}", 400, "tooLarge"),
  Bad("POST /v5/rooms", String(repeating: "[", count: 5_000), 400, "malformed"),
  Bad("GET /v5/rooms?limit=1&limit=2", 400, "badParameter"),
  Bad("GET /v5/rooms/00000000000000000000000000000001/scenes", 404, "notFound"),
  Bad("GET /v5/rooms/ROOM/scenes?sceneDir=/none", 404, "noSuchScene"),
  Bad("GET /v5/rooms/ROOM/scenes?sceneDir=", 400, "badName"),
  Bad("GET /v5/rooms/ROOM/scenes?sceneDir=/a/", 400, "badName"),
  Bad("POST /v5/rooms/ROOM/scenes", "{}", 400, "badParameter"),
  Bad("POST /v5/rooms/ROOM/scenes", "{\"path\":\"/\",\"scenes\":[]}", 400, "badParameter"),
  Bad("POST /v5/rooms/ROOM/scenes", "{\"path\":\"/\",\"scenes\":[7]}", 400, "badParameter"),
  Bad("POST /v5/rooms/ROOM/scenes", "{\"path\":\"/\",\"scenes\":[{\"name\":\"a/b\"}]}", 400, "badName"),
  Bad("POST /v5/rooms/ROOM/scenes", "{\"path\":\"deck\",\"scenes\":[{\"name\":\"a\"}]}", 400, "badName"),
  Bad("POST /v5/rooms/ROOM/scenes", "{\"path\":\"/init\",\"scenes\":[{\"name\":\"a\"}]}", 400, "badName"),
  Bad(
    "POST /v5/rooms/ROOM/scenes", "{\"path\":\"/\",\"scenes\":[{\"name\":\"a\"},{\"name\":\"a\"}]}", 400,
    "badParameter"),
  Bad(
    "POST /v5/rooms/ROOM/scenes", "{\"path\":\"/\",\"scenes\":[{\"name\":\"a\",\"ppt\":{}}]}", 400,
    "badParameter"),
  Bad(
    "POST /v5/rooms/ROOM/scenes",
    "{\"path\":\"/\",\"scenes\":[{\"name\":\"a\",\"ppt\":{\"src\":\"u\",\"width\":0}}]}", 400, "badParameter"),
  Bad("PATCH /v5/rooms/ROOM/scene-state", "{\"scenePath\":\"init\"}", 400, "badName"),
  Bad("PATCH /v5/rooms/ROOM/scene-state", "{\"scenePath\":\"/none\"}", 404, "noSuchScene"),
  Bad("POST /v5/rooms/ROOM/events", "{\"payload\":1}", 400, "badParameter"),
  Bad("POST /v5/rooms/ROOM/events", "{\"name\":\"a\\u0000b\"}", 400, "badName"),
  Bad("POST /v5/rooms/ROOM/events", "{\"name\":\"\(String(repeating: "n", count: 300))\"}", 400, "tooLarge"),
  Bad(
    "POST /v5/rooms/ROOM/events",
    "{\"name\":\"a\",\"payload\":\"\(String(repeating: "p", count: 40_000))\"}", 400, "tooLarge"),
  Bad("PATCH /v5/rooms/ROOM", "{\"isBan\":1}", 400, "badParameter"),
  Bad("PATCH /v5/rooms/ROOM", "{\"limits\":[]}", 400, "badParameter"),
  Bad("PATCH /v5/rooms/ROOM", "{\"limits\":{\"none\":1}}", 400, "badParameter"),
  Bad("PATCH /v5/rooms/ROOM", "{\"limits\":{\"members\":-1}}", 400, "badParameter"),
  Bad("PATCH /v5/rooms/ROOM", "{\"limits\":{\"members\":\"7\"}}", 400, "badParameter"),
  Bad("PATCH /v5/rooms/00000000000000000000000000000001", "{\"isBan\":true}", 404, "notFound"),
  Bad("DELETE /v5/rooms/00000000000000000000000000000001", 404, "notFound"),
  Bad("GET /v5/rooms/00000000000000000000000000000000", 404, "notFound"),
  Bad("GET /v5/rooms/00000000000000000000000000000000/log", 404, "notFound"),
  Bad("POST /v5/bans", "{}", 400, "badParameter"),
  Bad("POST /v5/bans", "{\"uid\":\"\"}", 400, "badParameter"),
  Bad("POST /v5/bans", "{\"room\":\"x\"}", 400, "badParameter"),
  Bad("POST /v5/bans", "{\"ip\":\"1.2.3\"}", 400, "badParameter"),
  Bad("POST /v5/bans", "{\"ip\":\"localhost\"}", 400, "badParameter"),
  Bad("POST /v5/bans", "{\"uid\":\"a\",\"time\":-1}", 400, "badParameter"),
  Bad("POST /v5/bans", "{\"uid\":\"a\",\"time\":1.5}", 400, "badParameter"),
  Bad("GET /v5/bans?room=", 400, "badParameter"),
  Bad("GET /v5/bans?ip=here", 400, "badParameter"),
  Bad("GET /v5/bans?uid=", 400, "badParameter"),
  Bad("PUT /v5/bans/1", "{\"time\":5}", 404, "notFound"),
  Bad("PUT /v5/bans/x", "{\"time\":5}", 404, "notFound"),
  Bad("DELETE /v5/bans/1", 404, "notFound"),
  Bad("GET /v5/bans?limit=0", 400, "badParameter"),
  Bad("POST /v5/tokens/tasks/ROOM", "{\"role\":1}", 400, "badParameter"),
  Bad("POST /v5/tokens/teams", "{}", .none, 400, "badParameter"),
  Bad(
    "POST /v5/tokens/teams", "{\"accessKey\":\"a\",\"secretAccessKey\":\"b\",\"role\":\"admin\"}", .none, 401,
    "tokenInvalid"),
  Bad("POST /v5/tokens/rooms/00000000000000000000000000000001", "{\"role\":\"admin\"}", 404, "notFound"),
  Bad("POST /v5/tokens/rooms/ROOM", "{\"role\":\"king\"}", 400, "badParameter"),
  Bad("POST /v5/tokens/rooms/ROOM", "{\"role\":\"admin\",\"lifespan\":-1}", 400, "badParameter"),
  Bad("POST /v5/tokens/rooms/ROOM", "{\"role\":\"admin\",\"ak\":\"none\"}", 400, "badParameter"),
  Bad("POST /v5/rooms/ROOM/kick", "{}", 400, "badParameter"),
  Bad("POST /v5/rooms/ROOM/kick", "{\"memberId\":0,\"uid\":\"a\"}", 400, "badParameter"),
  Bad("POST /v5/rooms/ROOM/kick", "{\"memberId\":0,\"reason\":\"dislike\"}", 400, "badParameter"),
  Bad("POST /v5/rooms/ROOM/kick", "{\"memberId\":7}", 404, "notMember"),
  Bad("GET /v5/rooms/ROOM/state?at=soon", 400, "badParameter"),
  Bad("GET /v5/rooms/ROOM/state?at=r99", 400, "badParameter"),
  Bad("GET /v5/rooms/ROOM/state?at=-1", 400, "badParameter"),
  Bad("GET /v5/rooms/ROOM/log?to=99", 400, "badParameter"),
  Bad("GET /v5/rooms/ROOM/log?after=x", 400, "badParameter"),
  Bad("GET /v5/rooms/ROOM/log?kinds=stroke,,pointer", 400, "badParameter"),
  Bad("GET /v5/rooms/ROOM/log?kinds=300", 400, "badParameter"),
  Bad("GET /v5/rooms/ROOM/log?format=xml", 400, "badParameter"),
  Bad("GET /v5/rooms/ROOM/log?format=blocks", 400, "badParameter"),
]

extension RunningServer {
  fileprivate func token(_ kind: Bad.Token) -> String? {
    switch kind {
    case .admin: return admin
    case .none: return nil
    case .nonsense: return "NETLESSSDK_nonsense"
    case .expired:
      let past = Timestamp.wallClock + .seconds(-100)
      return AccessToken(scope: .team, role: .admin, keyID: Self.pair.id, lifespan: 1_000, at: past)
        .signed(with: Self.pair.secret)
    case .foreignKey:
      return AccessToken(scope: .team, role: .admin, keyID: "foreign", lifespan: 0, at: .wallClock)
        .signed(with: "foreign")
    }
  }
}

@Test("RES-status: whatever is wrong with a request has its status, message, code, cause and cure")
func badInputsAreNamed() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    for bad in bads {
      let parts = bad.call.split(separator: " ").map(String.init)
      let path = parts[1].replacing("ROOM", with: room.description)
      let answer = try await server.call(parts[0], path, token: server.token(bad.token), body: bad.body)
      #expect(answer.status == bad.status, "\(bad.testDescription): \(answer.text)")
      #expect(answer.json?["code"]?.string == bad.code, "\(bad.testDescription): \(answer.text)")
      for field in ["message", "cause", "cure"] { #expect(answer.json?[field]?.string?.isEmpty == false) }
      #expect(answer.json?["message"] == answer.json?["cause"])
    }
  }
}
