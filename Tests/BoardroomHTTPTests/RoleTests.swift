import BoardroomCodec
import BoardroomModel
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHTTP
@testable import BoardroomServer

private struct Row: Sendable {
  var call: String
  var body: String?
  /// SDK admin, writer, reader; the room's own; another room's; a task's.
  var allowed: String
}

/// Every route that asks for a token. Where an answer would change the room for the next row, the request is one
/// that is allowed and then finds nothing.
private let rows: [Row] = [
  Row(call: "POST /v5/rooms", allowed: "yyn nnn nnn nnn"),
  Row(call: "GET /v5/rooms", allowed: "yyn nnn nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}", allowed: "yyn yyn nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/scenes", allowed: "yyn yyn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/scenes", body: "{}", allowed: "yyn yyn nnn nnn"),
  Row(call: "PATCH /v5/rooms/{uuid}/scene-state", body: "{}", allowed: "yyn yyn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/events", body: "{}", allowed: "yyn yyn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/screenshots", body: "{}", allowed: "yyn yyn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/screenshot-list", body: "{}", allowed: "yyn yyn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/images", body: "no image", allowed: "yyn yyn nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/channel_events", allowed: "yyn yyn nnn nnn"),
  Row(call: "GET /v5/user_events", allowed: "yyn nnn nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/members", allowed: "yyn yyn nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/state", allowed: "yyy yyy nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/log", allowed: "yyy yyy nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/replay", allowed: "yyy yyy nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/replay/runs", allowed: "yyy yyy nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/replay/snapshots/77", allowed: "yyy yyy nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/replay/revision", allowed: "yyy yyy nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/kick", body: "{\"memberId\":99}", allowed: "ynn ynn nnn nnn"),
  Row(
    call: "POST /v5/rooms/{uuid}/writable", body: "{\"memberId\":99,\"isWritable\":true}",
    allowed: "ynn ynn nnn nnn"),
  Row(call: "PUT /v5/rooms/{uuid}/lock", body: "{\"isLocked\":false}", allowed: "ynn ynn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/bans", body: "{}", allowed: "ynn ynn nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/bans", allowed: "ynn ynn nnn nnn"),
  Row(call: "DELETE /v5/rooms/{uuid}/bans/77", allowed: "ynn ynn nnn nnn"),
  Row(call: "PATCH /v5/rooms/{uuid}", body: "{}", allowed: "ynn ynn nnn nnn"),
  Row(call: "DELETE /v5/rooms/{uuid}", allowed: "ynn ynn nnn nnn"),
  Row(call: "DELETE /v5/rooms/{uuid}/log", allowed: "ynn nnn nnn nnn"),
  Row(call: "POST /v5/bans", body: "{}", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/bans", allowed: "ynn nnn nnn nnn"),
  Row(call: "PUT /v5/bans/77", allowed: "ynn nnn nnn nnn"),
  Row(call: "DELETE /v5/bans/77", allowed: "ynn nnn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/trim", body: "{}", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/rooms/{uuid}/kept", allowed: "ynn ynn nnn nnn"),
  Row(call: "PUT /v5/rooms/{uuid}/kept/{moment}", body: "{}", allowed: "ynn ynn nnn nnn"),
  Row(call: "DELETE /v5/rooms/{uuid}/kept/{moment}", allowed: "ynn ynn nnn nnn"),
  Row(call: "GET /v5/store/logs", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/store/logs/{log}", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/store/logs/{log}/runs", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/store/logs/{log}/snapshots/77", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/store/images", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/store/webhooks", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/channels/{service}/{channel}", allowed: "yyn nnn nnn nnn"),
  Row(
    call: "POST /v5/channels/{service}/{channel}/kick", body: "{\"account\":\"nobody\"}",
    allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/accounts/{account}", allowed: "yyn nnn nnn nnn"),
  Row(call: "GET /v5/channels/{service}/{channel}/replay", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/channels/{service}/{channel}/replay/runs", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/channels/{service}/{channel}/replay/snapshots/77", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/channels/{service}/{channel}/replay/revision", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/accounts/{account}/replay", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/accounts/{account}/replay/runs", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/accounts/{account}/replay/snapshots/77", allowed: "ynn nnn nnn nnn"),
  Row(call: "GET /v5/accounts/{account}/replay/revision", allowed: "ynn nnn nnn nnn"),
  Row(call: "POST /v5/tokens/rooms/{uuid}", body: "{\"role\":\"reader\"}", allowed: "yyy nnn nnn nnn"),
  Row(call: "POST /v5/tokens/rooms/{uuid}", body: "{\"role\":\"writer\"}", allowed: "yyn nnn nnn nnn"),
  Row(call: "POST /v5/tokens/rooms/{uuid}", body: "{\"role\":\"admin\"}", allowed: "ynn nnn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/tokens", body: "{\"role\":\"reader\"}", allowed: "yyy yyy nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/tokens", body: "{\"role\":\"writer\"}", allowed: "yyn yyn nnn nnn"),
  Row(call: "POST /v5/rooms/{uuid}/tokens", body: "{\"role\":\"admin\"}", allowed: "ynn ynn nnn nnn"),
  Row(call: "POST /v5/tokens/accounts/a", body: "{\"role\":\"reader\"}", allowed: "yyn nnn nnn nnn"),
  Row(call: "POST /v5/tokens/accounts/a", body: "{\"role\":\"writer\"}", allowed: "yyn nnn nnn nnn"),
  Row(call: "POST /v5/tokens/accounts/a", body: "{\"role\":\"admin\"}", allowed: "ynn nnn nnn nnn"),
  Row(call: "POST /v5/tokens/tasks/{uuid}", body: "{\"role\":\"reader\"}", allowed: "yyy nnn nnn nnn"),
  Row(call: "POST /v5/tokens/tasks/{uuid}", body: "{\"role\":\"writer\"}", allowed: "yyn nnn nnn nnn"),
  Row(call: "POST /v5/tokens/tasks/{uuid}", body: "{\"role\":\"admin\"}", allowed: "ynn nnn nnn nnn"),
]

@Test(
  "ROLE-createRoom, -roomInfo, -insertScene, -switchScene, -ban, -replay, -mint: each route lets in just the roles"
)
func rolesOverHTTP() async throws {
  try await RunningServer.with { server in
    let other = try await server.room()
    for row in rows {
      let parts = row.call.split(separator: " ").map(String.init)
      // A room of its own: some of these calls end it.
      let room = try await server.room()
      let scopes = [TokenScope.team, .room(room), .room(other), .task(room.description)]
      let path = parts[1].replacing("{uuid}", with: room.description)
        .replacing("{service}", with: "rtm").replacing("{channel}", with: "none")
        .replacing("{account}", with: "nobody").replacing("{log}", with: room.description)
      var found: [String] = []
      for scope in scopes {
        var allowed = ""
        for role in Role.allCases {
          let answer = try await server.call(
            parts[0], path, token: server.token(scope, role), body: row.body)
          #expect([200, 201, 400, 403, 404, 409].contains(answer.status), "\(row.call): \(answer.status)")
          if answer.status == 403 {
            #expect(answer.json?["code"]?.string == "forbidden")
            #expect(answer.json?["message"]?.string == message(scope, role, row, room))
          }
          allowed += answer.status == 403 ? "n" : "y"
        }
        found.append(allowed)
      }
      #expect(found.joined(separator: " ") == row.allowed, "\(row.call) \(row.body ?? "")")
      #expect(try await server.call(parts[0], path, body: row.body).status == 401, "\(row.call)")
    }
  }
}

/// PARITY rows TE, to the letter.
private func message(_ scope: TokenScope, _ role: Role, _ row: Row, _ room: RoomID) -> String {
  switch scope {
  case .task: "token access task forbidden"
  case .team: "token access role \(role.rawValue) forbidden"
  case .account: "no such scope in these tables"
  case .room(let own):
    if row.allowed.split(separator: " ")[1] == "nnn" {
      "token access team forbidden"
    } else {
      own == room ? "token access role \(role.rawValue) forbidden" : "token access room forbidden"
    }
  }
}

@Test("No route that asks for a token is left out of the table above")
func everyRouteIsInTheTable() {
  let routes = Set(RestRoutes.table.filter { $0.action != nil }.map { "\($0.method) \($0.path)" })
  #expect(
    routes
      == Set(
        rows.map {
          $0.call.replacing("snapshots/77", with: "snapshots/{revision}").replacing("/77", with: "/{id}")
            .replacing("accounts/a", with: "accounts/{subject}")
        }))
}
