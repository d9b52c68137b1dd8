import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import ServerTestKit
import Testing

@testable import BoardroomHosting
@testable import BoardroomServer

@Suite("Bounds over HTTP")
struct BoundRouteTests {
  @Test("BOUND-6: custom events by REST obey the rate of their kind, and are told so with 429")
  func eventsAreRated() async throws {
    var settings = ServerSettings()
    settings.room.rates[.magix] = RoomPolicy.Rate(sustained: 1, burst: 4)
    let start = Timestamp.wallClock
    try await RunningServer.with(settings, clock: { start }) { server in
      let room = try await server.room()
      let path = "/v5/rooms/\(room)/events"
      var statuses: [Int] = []
      for number in 0..<6 {
        let body = "{\"name\":\"n\",\"payload\":\(number)}"
        let answer = try await server.call("POST", path, token: server.admin, body: body)
        statuses.append(answer.status)
        if answer.status != 201 {
          #expect(answer.json?["code"]?.string == "rateLimited", "\(answer.text)")
          #expect(answer.json?["limit"]?.string == "rate.magix", "\(answer.text)")
        }
      }
      #expect(statuses == [201, 201, 201, 201, 429, 429])
    }
  }

  @Test("BOUND-3: a state that is sent as it is made is the one that its hash says")
  func statesAreWhole() async throws {
    try await RunningServer.with { server in
      let room = try await server.room()
      _ = try await server.join(room, ["a"])
      let answer = try await server.call("GET", "/v5/rooms/\(room)/state", token: server.admin)
      #expect(answer.status == 200)
      let body = try #require(answer.json)
      #expect(body["snapshot"]?["m"]?.string == "snapshotRoot")
      #expect(body["parts"]?.array?.isEmpty == true)
      #expect(body["snapshot"]?["stateHash"]?.string?.count == 64)
      #expect(answer.headers["content-type"]?.hasPrefix("application/json") == true)
    }
  }
}
