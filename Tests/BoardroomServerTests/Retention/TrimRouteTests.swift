import BoardroomAccess
import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import ServerTestKit
import StorageTestKit
import Testing

@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

@Test(
  "LOG-28: an operator trims a room: the answer proves what is left, the board stays, and a kept moment is not passed"
)
func roomsAreTrimmedByCall() async throws {
  let folder = TemporaryFolder()
  let store = try EmbeddedLogStore.open(folder: folder.path)
  try await RunningServer.with(over: store) { server in
    let room = try await server.room()
    let text = String(repeating: "text ", count: 200)
    var generator = SeededGenerator(seed: 28)
    for batch in 0..<4 {
      let records = (0..<100).map { number in
        let chance = UInt64.random(in: 0 ... .max, using: &generator)
        let patch = "{\"k\(number % 7)\":\"\(batch) \(number) \(text)\(chance)\"}"
        return Record(
          kind: EventKind.globalState.rawValue, time: Timestamp(milliseconds: 1_000_000), actor: 0,
          body: [0] + Array(patch.utf8))
      }
      try await store.append(records, to: room, expecting: nil, epoch: nil)
    }
    try await store.seal()
    func trim(_ body: String, _ token: String? = nil) async throws -> RunningServer.Answer {
      try await server.call("POST", "/v5/rooms/\(room)/trim", token: token ?? server.admin, body: body)
    }
    let history = RoomHistory(store: store)
    let hash = StateEncoder.hash(of: try await history.state(of: room, at: 401))
    // 2^53 is the first number that not every JSON program reads exactly; as all below 1 it is no revision and no time.
    let beyond = "9007199254740992"
    for body in [
      "{}", "{\"before\":1,\"beforeTime\":1}", "{\"before\":403}", "{\"before\":-1}", "{\"before\":0}",
      "{\"beforeTime\":0}", "{\"beforeTime\":\(beyond)}", "{\"before\":\(beyond)}", "{\"beforeTime\":1e300}",
    ] {
      #expect(try await trim(body).status == 400, "\(body)")
    }
    #expect(try await trim("{\"before\":9}", server.token(.room(room), .admin)).status == 403)
    let kept = try await server.call(
      "PUT", "/v5/rooms/\(room)/kept/lesson", token: server.admin, body: "{\"at\":300}")
    #expect(kept.status == 200)
    let refused = try await trim("{\"before\":301}")
    #expect(refused.status == 409, "\(refused.text)")
    #expect(refused.text.contains("revision 300"), "\(refused.text)")
    #expect(try await store.info(of: room).low == 1)

    let done = try await trim("{\"before\":300}")
    let low = try await store.info(of: room).low
    #expect(done.status == 200, "\(done.text)")
    #expect(low > 200, "\(done.text)")
    #expect(low <= 300, "\(done.text)")
    #expect(done.json?["removed"]?.int == Int(low.rawValue) - 1)
    #expect(done.json?["first"]?.int == Int(low.rawValue))
    #expect(done.json?["state"]?["revision"]?.int == 299)
    let at = StateEncoder.hash(of: try await history.state(of: room, at: 299))
    #expect(done.json?["state"]?["hash"]?.string == TokenText.hex(at))
    let chain = done.json?["chain"]
    #expect(chain?["before"]?.string?.count == 64, "\(done.text)")
    #expect(chain?["value"]?.string?.count == 64, "\(done.text)")
    #expect(chain?["first"]?.int.map { $0 <= Int(low.rawValue) } == true)
    #expect(try await StateEncoder.hash(of: history.state(of: room, at: 401)) == hash)
    // Once more: nothing is left to remove, and the chain is the same.
    let again = try await trim("{\"before\":300}")
    #expect(again.status == 200, "\(again.text)")
    #expect(again.json?["removed"]?.int == 0, "\(again.text)")
  }
  await store.shutdown()
  #expect(try Verify.database(folder: folder.path, level: .full).findings.isEmpty)
}
