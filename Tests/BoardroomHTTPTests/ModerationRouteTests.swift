import BoardroomCodec
import BoardroomModel
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomServer

/// A magix event as command `counter`: what a member that may not write cannot send.
private func command(_ counter: Int) -> String {
  "{\"m\":\"commands\",\"commands\":[{\"n\":\(counter),\"kind\":\"magix\",\"body\":{\"event\":\"e\"}}]}"
}

private func receipt(_ counter: Int) -> String { "\"receipts\":[[\(counter)," }

@Test(
  "MOD-5: an administrator's token of the room takes the pen from a member and gives it back; the server refuses what it sends meanwhile"
)
func pensAreTakenAndGiven() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let (path, own) = ("/v5/rooms/\(room)/writable", server.token(.room(room), .admin))
    let (ada, _) = try await server.knock(room, "ada", token: server.token(.room(room), .writer))
    let taken = try await server.call("POST", path, token: own, body: "{\"memberId\":0,\"isWritable\":false}")
    #expect(taken.status == 200)
    #expect(taken.json?.array?.map { $0["isWritable"]?.bool } == [false])
    #expect(taken.json?.array?.first?["isBarred"]?.bool == true)
    #expect(await ada.receive(until: "writingAllowed").contains("{\"member\":0,\"allowed\":false}"))
    ada.sendFrame(command(1))
    let refused = await ada.receive(until: "\"cure\"")
    #expect(refused.contains("notWritable"))
    #expect(refused.contains("does not let this member write"))
    let given = try await server.call("POST", path, token: own, body: "{\"uid\":\"ada\",\"isWritable\":true}")
    #expect(given.json?.array?.map { $0["isWritable"]?.bool } == [true])
    #expect(given.json?.array?.first?["isBarred"] == nil)
    ada.sendFrame(command(2))
    #expect(await ada.receive(until: receipt(2)).contains(receipt(2)))
    for body in [
      "{\"isWritable\":true}", "{\"memberId\":0}", "{\"memberId\":0,\"uid\":\"ada\",\"isWritable\":true}",
    ] {
      #expect(try await server.call("POST", path, token: own, body: body).status == 400, "\(body)")
    }
  }
}

@Test(
  "MOD-6: a room that is locked by REST refuses writers and lets administrators write, until it is unlocked")
func roomsAreLocked() async throws {
  try await RunningServer.with { server in
    let room = try await server.room()
    let (path, own) = ("/v5/rooms/\(room)/lock", server.token(.room(room), .admin))
    let (ada, _) = try await server.knock(room, "ada", token: server.token(.room(room), .writer))
    let (host, _) = try await server.knock(room, "host", token: own)
    let locked = try await server.call("PUT", path, token: own, body: "{\"isLocked\":true}")
    #expect(locked.status == 200)
    #expect(try await server.call("PUT", path, token: own, body: "{\"isLocked\":true}").status == 200)
    let log = try await server.call("GET", "/v5/rooms/\(room)/log", token: own).text
    #expect(log.ranges(of: "\"roomLocked\"").count == 1, "what is locked is locked once")
    ada.sendFrame(command(1))
    #expect(await ada.receive(until: "\"cure\"").contains("The room is locked."))
    host.sendFrame(command(1))
    #expect(await host.receive(until: receipt(1)).contains(receipt(1)))
    let (late, welcome) = try await server.knock(room, "late", token: server.token(.room(room), .writer))
    #expect(welcome.contains("\"writable\":false"), "who comes into a locked room is told so at once")
    #expect(try await server.call("PUT", path, token: own, body: "{\"isLocked\":false}").status == 200)
    ada.sendFrame(command(2))
    #expect(await ada.receive(until: receipt(2)).contains(receipt(2)))
    #expect(try await server.call("PUT", path, token: own, body: "{}").status == 400)
    withExtendedLifetime(late) {}
  }
}

@Test(
  "MOD-7: a room's own administrator keeps a user out of this room and of no other, sees these bans only, and lifts them"
)
func roomsHaveBansOfTheirOwn() async throws {
  try await RunningServer.with { server in
    let (room, other) = (try await server.room(), try await server.room())
    let (path, own) = ("/v5/rooms/\(room)/bans", server.token(.room(room), .admin))
    for (keys, status) in [("\"uid\":\"bob\"", 201), ("\"room\":\"\(room)\"", 201)] {
      let answer = try await server.call("POST", "/v5/bans", token: server.admin, body: "{\(keys)}")
      #expect(answer.status == status)
    }
    let operators = try await server.call("GET", "/v5/bans", token: server.admin)
    #expect(try await server.call("GET", path, token: own).text == "[]", "those of operators are not theirs")
    for ban in operators.json?.array ?? [] {
      let id = try #require(ban["id"]?.int)
      #expect(try await server.call("DELETE", "\(path)/\(id)", token: own).status == 404)
      #expect(try await server.call("DELETE", "/v5/bans/\(id)", token: server.admin).status == 200)
    }

    let (ada, _) = try await server.knock(room, "ada")
    let (nobody, _) = try await server.knock(room)
    let set = try await server.call("POST", path, token: own, body: "{\"memberId\":0,\"time\":5}")
    #expect(set.status == 201)
    #expect(set.json?["uid"]?.string == "ada")
    #expect(set.json?["room"]?.string == room.description)
    #expect(await ada.receive(until: "\"cure\"").contains("\"kick\":\"kickByAdmin\""))
    #expect(try await server.outcome(room, "ada") == "banned")
    #expect(try await server.outcome(other, "ada") == "in")
    let listed = try await server.call("GET", path, token: own)
    #expect(listed.json?.array?.map { $0["uid"]?.string } == ["ada"])
    let nameless = try await server.call("POST", path, token: own, body: "{\"memberId\":1}")
    #expect(nameless.status == 400)
    #expect(nameless.text.contains("no uid"))
    for (body, status) in [("{}", 400), ("{\"uid\":\"\"}", 400), ("{\"memberId\":99}", 404)] {
      #expect(try await server.call("POST", path, token: own, body: body).status == status, "\(body)")
    }
    let id = try #require(set.json?["id"]?.int)
    let foreign = server.token(.room(other), .admin)
    #expect(
      try await server.call("DELETE", "/v5/rooms/\(other)/bans/\(id)", token: foreign).status == 404)
    #expect(try await server.call("DELETE", "\(path)/\(id)", token: own).text == "{}")
    #expect(try await server.outcome(room, "ada") == "in")
    withExtendedLifetime(nobody) {}
  }
}
