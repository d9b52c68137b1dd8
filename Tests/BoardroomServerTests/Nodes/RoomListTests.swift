import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import Crypto
import EventLogModel
import Foundation
import ServerTestKit
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomHTTP
@testable import BoardroomServer

@Suite(.timeLimit(.minutes(5))) struct RoomListTests {
  private struct Told: OtherNodesRooms {
    let facts: [RoomID: RoomRegistry.RoomFacts]
    func facts(of rooms: [RoomID]) async -> [RoomID: RoomRegistry.RoomFacts] {
      facts.filter { rooms.contains($0.key) }
    }
  }

  private static let rooms = (1...5).map { RoomID(high: 7, low: $0) }

  @Test(
    "FWD-9: rooms of other nodes are as their owners know them; of an owner that is silent as they are sealed"
  )
  func owners() async throws {
    let rooms = Self.rooms
    let owners = ToldOwners()
    for room in rooms[1...] { owners.say(.at(NodeAddress(name: "b", host: "b", port: 1)), of: room) }
    let server = SimulatedServer(seeing: { Unsealed(base: $0, owners: owners) })
    for room in rooms { server.createRoom(room) }
    let told = Told(facts: [
      rooms[1]: .init(created: RoomCreated(name: "new", limit: 3), limits: ["members": 9]),
      rooms[2]: .init(created: RoomCreated(name: "banned"), isBanned: true),
      rooms[3]: .init(created: RoomCreated(name: "deleted"), isDeleted: true),
      // Not asked for: this node has it.
      rooms[0]: .init(created: RoomCreated(name: "wrong")),
    ])
    let engine = server.engine
    let listed = server.wait {
      (try? await RoomRegistry(engine: engine, otherNodes: told).entries(from: nil, limit: 10)) ?? []
    }
    #expect(listed.map(\.room) == [rooms[0], rooms[1], rooms[2]])
    #expect(listed.map(\.facts.created.name) == ["room", "new", "banned"])
    #expect(listed.map(\.facts.isBanned) == [false, false, true])
    #expect(listed.dropFirst().first?.facts.limits == ["members": 9])
    let alone = server.wait {
      (try? await RoomRegistry(engine: engine).entries(from: nil, limit: 10)) ?? []
    }
    #expect(alone.map(\.room) == [rooms[0]])
  }

  @Test("FWD-9: while the database does not answer there is no list, in place of one without its rooms")
  func silentDatabase() async throws {
    let server = SimulatedServer()
    server.createRoom(Self.rooms[0])
    let silenced = SilencedStore(server.store, of: Self.rooms[0])
    let listing = SimulatedServer(store: server.store, seeing: { _ in silenced })
    let engine = listing.engine
    let failed = listing.wait { () async -> LogError? in
      do throws(LogError) {
        _ = try await RoomRegistry(engine: engine).entries(from: nil, limit: 10)
        return nil
      } catch { return error }
    }
    #expect(failed == .full(place: "the database", isSilent: true))
    silenced.silence(false)
    let listed = listing.wait {
      (try? await RoomRegistry(engine: engine).entries(from: nil, limit: 10)) ?? []
    }
    #expect(listed.map(\.room) == [Self.rooms[0]])
  }

  @Test("FWD-9, RE-24: a user's logins in rooms of other nodes are found before anything of them is sealed")
  func logins() async throws {
    try await TwoNodes.run(middleSees: { Unsealed(base: $0, owners: $1) }) { nodes in
      let (room, silent) = (try await nodes.room(), try await nodes.room(through: 1))
      let (socket, heard) = try await nodes.owner.knock(room, "ana")
      #expect(heard.contains("live"))
      let found = try await nodes.middle.call("GET", "/v5/user_events?uid=ana", token: nodes.middle.admin)
      #expect(found.status == 200)
      #expect(found.text.contains("\"\(room)\""), "\(found.text)")
      #expect(found.text.ranges(of: "\"Login\"").count == 1)
      let known = #""room":"\#(silent)""#
      #expect(!found.text.contains(known), "nothing is known of it while its owner cannot be reached")
      withExtendedLifetime(socket) {}
    }
  }

  @Test("FWD-9: a node tells other nodes, and nobody else, the facts of rooms that it owns")
  func told() async throws {
    try await TwoNodes.run { nodes in
      let (own, others) = (try await nodes.room(), try await nodes.room())
      nodes.ownerOwners.lack(others)
      let path = "/v5/rooms/\(own)"
      let set = try await nodes.owner.call(
        "PATCH", path, token: nodes.owner.admin, body: "{\"limits\":{\"members\":9}}")
      #expect(set.status == 201, "\(set.text)")
      let bytes = RoomsQuestion.bytes(of: [own, others, RoomID(high: 1, low: 1)])
      func ask(_ bytes: [UInt8], isProved: Bool = true) async throws -> RunningServer.Answer {
        let target = "\(RestRoutes.listQuestions)?sha256=\(SHA256.hash(data: bytes).hexadecimal)"
        let proof = NodeProof(KeyRing(pairs: [RunningServer.pair]))
        let header = RequestHeader(
          time: nodes.now(), nonce: .random(), key: proof.signer, node: "owner", address: "")
        return try await nodes.owner.call(
          "POST", target, token: nodes.owner.admin, bytes: bytes,
          headers: isProved ? [RequestHeader.name: header.value(for: "POST", target, proving: proof)] : [:])
      }
      let answer = try await ask(bytes)
      #expect(answer.status == 200)
      let facts = RoomsQuestion.facts(in: answer.body)
      #expect(facts.keys.sorted() == [own])
      #expect(facts[own]?.limits == ["members": 9])
      #expect(try await ask(bytes, isProved: false).status == 404, "also for an administrator")
      #expect(try await ask(Array("{}".utf8)).status == 400)
      let many = RoomsQuestion.bytes(
        of: (0...UInt64(RestRoutes.largestPage)).map { RoomID(high: 1, low: $0) })
      #expect(try await ask(many).status == 400, "more than a page")
    }
  }
}
