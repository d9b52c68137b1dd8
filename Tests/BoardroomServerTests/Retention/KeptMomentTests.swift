import BoardroomAccess
import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import ServerTestKit
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomHTTP
@testable import BoardroomHosting
@testable import BoardroomServer

@Suite("LOG-33: kept moments")
struct KeptMomentTests {
  @Test("LOG-33: a moment is marked, listed, moved and released, and only the log says so")
  func marks() async throws {
    try await RunningServer.with { server in
      let room = try await server.room()
      for number in 1...4 {
        let sent = try await server.call(
          "POST", "/v5/rooms/\(room)/events", token: server.admin,
          body: "{\"name\":\"n\",\"payload\":\(number)}")
        #expect(sent.status == 201)
      }
      func put(_ name: String, _ at: Int) async throws -> RunningServer.Answer {
        try await server.call(
          "PUT", "/v5/rooms/\(room)/kept/\(name)", token: server.token(.room(room), .admin),
          body: "{\"at\":\(at)}")
      }
      func list() async throws -> String {
        try await server.call("GET", "/v5/rooms/\(room)/kept", token: server.admin).text
      }
      #expect(try await list() == "[]")
      #expect(try await put("lesson%203", 3).text == #"{"name":"lesson 3","at":3}"#)
      #expect(try await put("b", 2).status == 200)
      #expect(try await list() == #"[{"name":"b","at":2},{"name":"lesson 3","at":3}]"#)
      let before = try await server.store.info(of: room).last
      #expect(try await put("b", 2).status == 200)
      #expect(try await server.store.info(of: room).last == before, "what is so already is recorded")
      #expect(try await put("b", 4).status == 200)
      #expect(try await list() == #"[{"name":"lesson 3","at":3},{"name":"b","at":4}]"#)
      for (name, at, status) in [("x", 0, 400), ("x", 99, 400), ("%00", 1, 400), ("%ff", 1, 400)] {
        #expect(try await put(name, at).status == status, "\(name) \(at)")
      }
      #expect(try await put(String(repeating: "n", count: 65), 1).status == 400)
      let gone = try await server.call("DELETE", "/v5/rooms/\(room)/kept/b", token: server.admin)
      #expect(gone.status == 200)
      #expect(try await server.call("DELETE", "/v5/rooms/\(room)/kept/b", token: server.admin).status == 404)
      // A fold of the log alone, and a mark of a name that a limit cannot have.
      let state = try await RoomHistory(store: server.store).state(
        of: room, at: server.store.info(of: room).last)
      #expect(KeptMoment.all(in: state.limits) == [KeptMoment(name: "lesson 3", revision: 3)])
      let patch = try await server.call(
        "PATCH", "/v5/rooms/\(room)", token: server.admin, body: "{\"limits\":{\"keep.at.x\":1}}")
      #expect(patch.status == 400)
    }
  }

  @Test("LOG-33: a room has 100 kept moments at most")
  func most() throws {
    var room = Room(policy: RoomPolicy())
    var state = RoomState()
    var revision: Revision = 0
    func record(_ events: [Proposed]) {
      for event in events {
        revision = revision.next
        state.apply(
          RoomEvent(revision: revision, time: .zero, actor: event.actor, counter: 0, event: event.event))
      }
      room = Room(state: state, policy: RoomPolicy())
    }
    record([Proposed(actor: .server, event: .room(.created(RoomCreated(name: ""))))])
    for number in 1...KeptMoment.most {
      record(try room.keep(KeptMoment(name: "\(number)", revision: 1)))
    }
    #expect(throws: Refusal.self) { try room.keep(KeptMoment(name: "more", revision: 1)) }
    record(try room.keep(KeptMoment(name: "7", revision: 2)))
    record(try room.releaseMoment("8"))
    record(try room.keep(KeptMoment(name: "more", revision: 1)))
    #expect(KeptMoment.all(in: state.limits).count == KeptMoment.most)
  }

  @Test("LOG-33: retention removes nothing at or behind the oldest kept moment until its mark is gone")
  func kept() async throws {
    let host = try RoomsOnDisk()
    let room = try await host.room()
    try await host.write(400, to: room)
    func mark(_ deciding: @escaping Deciding) async throws {
      host.registry.note(try await host.engine.carryOut(in: room, deciding), of: room)
    }
    try await mark { room throws(Refusal) in try room.keep(KeptMoment(name: "late", revision: 350)) }
    try await mark { room throws(Refusal) in try room.keep(KeptMoment(name: "early", revision: 130)) }
    try await host.store.seal()
    let then = try await RoomHistory(store: host.store).state(of: room, at: 130)
    #expect(try await host.round(keeping: HistoryKeeping(events: 10)).events > 50)
    var low = try await host.store.info(of: room).low
    #expect(low > 60)
    #expect(low <= 130)
    // The moment is what it was, from what is left.
    let now = try await RoomHistory(store: host.store).state(of: room, at: 130)
    #expect(StateEncoder.hash(of: now) == StateEncoder.hash(of: then))
    #expect(try await host.round(keeping: HistoryKeeping(events: 10)).events == 0)
    // Who marks, and who removes, has the room alone.
    #expect(host.registry.hold(room))
    #expect(!host.registry.hold(room))
    try await mark { room throws(Refusal) in try room.releaseMoment("early") }
    #expect(try await host.round(keeping: HistoryKeeping(events: 10)).events == 0)
    host.registry.release(room)
    #expect(try await host.round(keeping: HistoryKeeping(events: 10)).events > 0)
    low = try await host.store.info(of: room).low
    #expect(low > 200)
    #expect(low <= 350)
    // A server that starts anew knows the marks by the log alone.
    let facts = try await RoomRegistry(engine: host.engine).facts(of: host.store.info(of: room))
    #expect(facts.map { KeptMoment.all(in: $0.limits) } == [KeptMoment(name: "late", revision: 350)])
    try await host.end()
    #expect(try Verify.database(folder: host.folder.path, level: .full).findings.isEmpty)
  }
}
