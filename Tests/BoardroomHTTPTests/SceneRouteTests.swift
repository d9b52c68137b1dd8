import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

@Test(
  "RE-5, RE-6, RE-7: scenes are put, listed by directory and switched, and the log shows the server's hand")
func scenesAreServed() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let path = "/v5/rooms/\(room)/scenes"
    #expect(try await server.call("GET", path, token: server.admin).text == "[\"/init\"]")
    let ppt = "{\"src\":\"https://example.org/1.png\",\"width\":1024,\"height\":768}"
    let body = "{\"path\":\"/deck\",\"scenes\":[{\"name\":\"1\",\"ppt\":\(ppt)},{\"name\":\"2\"}]}"
    let put = try await server.call("POST", path, token: server.admin, body: body)
    #expect(put.status == 201)
    #expect(put.text == "{}")
    #expect(
      try await server.call("GET", path, token: server.admin).text == "[\"/init\",\"/deck/1\",\"/deck/2\"]")
    let deck = try await server.call("GET", path + "?sceneDir=/deck", token: server.admin)
    #expect(deck.text == "[\"/deck/1\",\"/deck/2\"]")
    let more = "{\"path\":\"/deck\",\"index\":1,\"scenes\":[{\"name\":\"between\"}]}"
    #expect(try await server.call("POST", path, token: server.admin, body: more).status == 201)
    let all = try await server.call("GET", path + "?sceneDir=/deck", token: server.admin)
    #expect(all.text == "[\"/deck/1\",\"/deck/between\",\"/deck/2\"]")

    let state = "/v5/rooms/\(room)/scene-state"
    let paged = try await server.call(
      "PATCH", state, token: server.admin, body: "{\"scenePath\":\"/deck/2\"}")
    #expect(paged.status == 201)
    #expect(paged.text == "{\"currentScenePath\":\"/deck/2\"}")
    let entered = try await server.call(
      "PATCH", state, token: server.admin, body: "{\"scenePath\":\"/deck\"}")
    #expect(entered.text == "{\"currentScenePath\":\"/deck/1\"}", "SC-5")
    let log = try await server.call("GET", "/v5/rooms/\(room)/log?after=1", token: server.admin)
    let lines = log.text.split(separator: "\n").compactMap { try? JSONValue.parse(Array($0.utf8)) }
    #expect(
      lines.compactMap { $0["kind"]?.string } == ["scenesPut", "scenesPut", "sceneSwitched", "sceneSwitched"])
    #expect(lines.first?["body"]?["scenes"]?.array?.first?["ppt"]?["width"]?.int == 1_024)
  }
}

@Test("X-62: a writer's token switches scenes by REST, an SDK token's and the room's own")
func writersSwitchScenes() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    for scope in [TokenScope.team, .room(room)] {
      let answer = try await server.call(
        "PATCH", "/v5/rooms/\(room)/scene-state", token: server.token(scope, .writer),
        body: "{\"scenePath\":\"/init\"}")
      #expect(answer.status == 201)
    }
  }
}

@Test(
  "X-63: a scene of a name that is there is an error by REST, unless overwrite is set: then it is empty anew")
func scenesAreOverwrittenIfMeant() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let path = "/v5/rooms/\(room)/scenes"
    func put(_ more: String) async throws -> RunningServer.Answer {
      try await server.call(
        "POST", path, token: server.admin, body: "{\"path\":\"/\",\"scenes\":[{\"name\":\"init\"}]\(more)}")
    }
    let refused = try await put("")
    #expect(refused.status == 400)
    #expect(refused.json?["code"]?.string == "badParameter")
    #expect(try await put(",\"overwrite\":false").status == 400)
    #expect(try await put(",\"overwrite\":true").status == 201)
    #expect(try await server.call("GET", path, token: server.admin).text == "[\"/init\"]")
  }
}

@Test("RE-23, ME-3: an event by REST stands in the log under the server's name, with its payload as it came")
func eventsAreSent() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let path = "/v5/rooms/\(room)/events"
    let body = "{\"name\":\"bell\",\"payload\":{\"loud\":[1.50,null,\"é\"]}}"
    let sent = try await server.call("POST", path, token: server.admin, body: body)
    #expect(sent.status == 201)
    #expect(sent.text == "{\"revision\":2}")
    #expect(try await server.call("POST", path, token: server.admin, body: "{\"name\":\"x\"}").status == 201)
    let log = try await server.call("GET", "/v5/rooms/\(room)/log?after=1&to=2", token: server.admin)
    let event = try #require(log.json)
    #expect(event["by"]?.isNull == true, "the server itself")
    #expect(event["body"]?["event"]?.string == "bell")
    #expect(event["body"]?["payload"].map { $0.compact } == Array("{\"loud\":[1.50,null,\"é\"]}".utf8))
  }
}

@Test("RE-12: a task token is minted up to the minter's role, and opens nothing of a room")
func taskTokensAreMinted() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let path = "/v5/tokens/tasks/\(room)"
    let writer = server.token(.team, .writer)
    #expect(try await server.call("POST", path, token: writer, body: "{\"role\":\"admin\"}").status == 403)
    let minted = try await server.call("POST", path, token: writer, body: "{\"role\":\"writer\"}")
    #expect(minted.status == 201)
    let text = try #require(minted.json?.string)
    #expect(text.hasPrefix("NETLESSTASK_"))
    let token = try AccessToken(text, secret: server.keys.secret(of:))
    #expect(token.scope == .task(room.description))
    #expect(token.role == .writer)
    let refused = try await server.call("GET", "/v5/rooms/\(room)", token: text)
    #expect(refused.status == 403)
    #expect(refused.json?["message"]?.string == "token access task forbidden")
  }
}

@Test("A full log refuses kicks, scenes and events by REST with 503 logFull, and the room lives on")
func fullLogsKeepTheRoom() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    _ = try await server.join(room, ["ada"])
    let opened = try await server.call(
      "POST", "/v5/rooms/\(room)/events", token: server.admin, body: "{\"name\":\"a\"}")
    #expect(opened.status == 201)
    server.store.refuse(.full(place: "the disk"))
    let calls = [
      ("POST", "kick", "{\"uid\":\"ada\"}"), ("POST", "events", "{\"name\":\"a\"}"),
      ("PATCH", "scene-state", "{\"scenePath\":\"/init\"}"),
      ("POST", "scenes", "{\"path\":\"/\",\"scenes\":[{\"name\":\"n\"}]}"),
    ]
    for (method, place, body) in calls {
      let answer = try await server.call(
        method, "/v5/rooms/\(room)/\(place)", token: server.admin, body: body)
      #expect(answer.status == 503, "\(place): \(answer.text)")
      #expect(answer.json?["code"]?.string == "logFull")
    }
    let roster = try await server.call("GET", "/v5/rooms/\(room)/members", token: server.admin)
    #expect(roster.json?.array?.first?["uid"]?.string == "ada")
    let metrics = try await server.call("GET", "/metrics")
    #expect(metrics.text.contains("boardroom_rooms_open 1\n"), "the room was not closed")
    server.store.refuse(nil)
    let kicked = try await server.call(
      "POST", "/v5/rooms/\(room)/kick", token: server.admin, body: "{\"uid\":\"ada\"}")
    #expect(kicked.text == "{\"kicked\":[0]}")
  }
}
