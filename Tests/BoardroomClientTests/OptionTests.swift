import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// What a join and an SDK are told (PARITY rows JO, SO), and what becomes of it.
@Suite struct OptionTests {
  @Test(
    "JO-uuid, -roomToken, -completion: room and token are enough; the completion comes once, with the room")
  func whatIsNeeded() throws {
    for (token, writes) in [("writer", true), ("reader", false)] {
      let world = World()
      let anna = world.client("anna")
      let answers = Mutex<[String]>([])
      let joined = Mutex<WhiteRoom?>(nil)
      anna.sdk.joinRoom(withUuid: world.room.description, roomToken: token) { success, room, error in
        answers.withLock { $0.append("\(success) \(error == nil)") }
        joined.withLock { $0 = room }
      }
      world.run(for: 60)
      #expect(answers.withLock { $0 } == ["true true"])
      let room = try #require(joined.withLock { $0 })
      #expect(room.uuid == world.room.description)
      #expect(room.isWritable == writes)
      #expect(world.serverState?.members[0]?.role.rawValue == token)
    }
  }

  @Test("JO-uid, -userPayload, RM-payload, -session: others see what the join gave, for the whole stay")
  func identity() throws {
    let world = World()
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let payload = JSONValue.object([("avatar", .string("a.png")), ("cursorName", .string("Änna"))])
    let uid = String(repeating: "u", count: 1_024)
    let a = try anna.join {
      $0.uid = uid
      $0.userPayload = payload
    }
    let b = try ben.join()
    for _ in 1...2 {
      let seen = try #require(b.state.roomMembers?.first { $0.memberId == a.roomMemberId })
      #expect(seen.uid == uid)
      #expect(seen.payload == payload.text)
      #expect(seen.session == a.sessionId)
      a.setMemberState(WhiteMemberState(), completion: nil)
      anna.network.set(.cut)
      world.run(for: 6)
      anna.network.set(.clear)
      world.run(for: 12)
      #expect(a.phase == .connected)
    }
    #expect(throws: BoardroomError.self) { try world.client("cleo").join { $0.uid = uid + "u" } }
  }

  @Test("JO-isWritable: true unless said; a join that says false reads only, and may ask later")
  func isWritable() throws {
    #expect(WhiteRoomConfig(uuid: "", roomToken: "").isWritable)
    let world = World()
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let (a, b) = (try anna.join(), try ben.join { $0.isWritable = false })
    #expect(a.isWritable)
    #expect(!b.isWritable)
    #expect(a.state.roomMembers?.map(\.uid) == ["anna"])
    #expect(world.perform { try? await b.setWritable(true) } == true)
    world.run(for: 1)
    #expect(a.state.roomMembers?.map(\.uid) == ["anna", "ben"])
  }

  @Test("JO-readOnce: options are read at the join; changing them later has no effect, in an outage neither")
  func readOnce() throws {
    let world = World()
    let anna = world.client("anna")
    let outcome = Mutex<WhiteRoom?>(nil)
    var config = anna.config
    config.timeout = .seconds(45)
    anna.sdk.joinRoom(with: config, callbacks: anna.recorder) { _, room, _ in outcome.withLock { $0 = room } }
    config.uid = "someone else"
    config.isWritable = false
    config.timeout = .seconds(1)
    world.run(for: 5)
    let room = try #require(outcome.withLock { $0 })
    anna.network.set(.cut)
    world.run(for: 20)
    anna.network.set(.clear)
    world.run(for: 12)
    #expect(room.phase == .connected)
    #expect(room.isWritable)
    #expect(room.state.roomMembers?.map(\.uid) == ["anna"])
  }

  /// A network that notes where it was asked to go.
  private final class Watched: Transport {
    let network: SimulatedNetwork
    let asked = Mutex<[Endpoint]>([])
    init(_ network: SimulatedNetwork) { self.network = network }
    func open(
      _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
      asked.withLock { $0.append(endpoint) }
      return network.open(endpoint, subprotocol, events: events)
    }
  }

  @Test("SO-appIdentifier, -region, -apiHosts: kept as given; the endpoint alone says where to connect")
  func sdkOptions() throws {
    let world = World()
    let anna = world.client("anna")
    let watched = Watched(anna.network)
    let endpoint = Endpoint(host: "board.example", port: 4_711, path: "/v1/rooms")
    for region in [nil, "us-sv", "sg", "in-mum", "gb-lon", "eu", "cn-hz", "moon"] {
      let sdk = WhiteSDK(
        sdkConfiguration: WhiteSdkConfiguration(appIdentifier: "app/1", endpoint: endpoint, region: region),
        context: world.loop, transport: watched)
      let room = world.perform { try? await sdk.joinRoom(anna.config) }
      #expect(room?.phase == .connected)
      #expect(sdk.configuration.region == region)
      #expect(sdk.configuration.appIdentifier == "app/1")
    }
    #expect(watched.asked.withLock { Set($0) } == [endpoint])
  }

  private final class Complaints: WhiteCommonCallbackDelegate, Sendable {
    let heard = Mutex<[RefusalCode]>([])
    func throwError(_ error: BoardroomError) { heard.withLock { $0.append(error.code) } }
  }

  @Test("SCB-throwError: the common delegate hears of commands that nobody waits for, and of no others")
  func throwError() throws {
    let world = World()
    let anna = world.client("anna")
    let room = try anna.join()
    let complaints = Complaints()
    anna.sdk.setCommonCallbackDelegate(complaints)
    room.setScenePath("/nowhere", completion: nil)
    room.setSceneIndex(7) { _ in }
    world.run(for: 1)
    #expect(complaints.heard.withLock { $0 } == [.noSuchScene])
    room.setGlobalState(["k": .bool(true)], completion: nil)
    world.run(for: 1)
    #expect(complaints.heard.withLock { $0.count } == 1)
    anna.sdk.setCommonCallbackDelegate(nil)
    room.setScenePath("/nowhere", completion: nil)
    world.run(for: 1)
    #expect(complaints.heard.withLock { $0.count } == 1)
  }

  @Test(
    "ERR-join, SCB-sdkSetupFail: whatever keeps a join out, it fails once, in time, with a code of its own")
  func joinErrors() throws {
    var codes: [RefusalCode] = []
    func fail(_ world: World, _ change: @escaping (SimulatedClient, inout WhiteRoomConfig) -> Void) {
      let client = world.client("late")
      var config = client.config
      change(client, &config)
      let answers = Mutex<[RefusalCode?]>([])
      client.sdk.joinRoom(with: config) { success, room, error in
        #expect(!success)
        #expect(room == nil)
        answers.withLock { $0.append(error?.code) }
      }
      world.run(for: 60)
      let all = answers.withLock { $0 }
      #expect(all.count == 1)
      codes += all.compactMap { $0 }
    }
    fail(World()) { $1.uuid = "no uuid" }
    fail(World()) { $1.uuid = String(repeating: "0", count: 32) }
    fail(World()) { client, _ in client.network.set(.cut) }
    let full = World(created: RoomCreated(name: "full", limit: 1))
    let first = try full.client("first").join()
    fail(full) { $1.roomToken = "writer" }
    #expect(codes == [.badName, .notFound, .timeout, .writerLimit])
    #expect(first.phase == .connected)
  }
}
