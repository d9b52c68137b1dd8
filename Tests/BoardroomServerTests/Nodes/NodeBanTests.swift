import BoardroomAccess
import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import Foundation
import NIOPosix
import ServerTestKit
import StorageTestKit
import Synchronization
import Testing

@testable import BoardroomHTTP
@testable import BoardroomServer

@Suite(.timeLimit(.minutes(15))) struct NodeBanTests {
  @Test(
    "NODE-10: a ban of a room is set, listed and lifted at the room's node, wherever the operators' log is")
  func ofRoom() async throws {
    try await TwoNodes.run(operators: { .at($0.address()) }) { nodes in
      let room = try await nodes.middle.room()
      let bans = "/v5/rooms/\(room)/bans"
      let set = try await nodes.middle.call(
        "POST", bans, token: nodes.middle.admin, body: "{\"uid\":\"bo\",\"time\":60,\"name\":\"Bo\"}")
      #expect(set.status == 201, "\(set.text)")
      let number = try #require(set.json?["id"]?.int)
      #expect(try await nodes.middle.outcome(room, "bo") == "banned", "at once, where it was set")
      #expect(try await nodes.middle.outcome(room, "cy") == "in")
      let all = try await nodes.owner.call("GET", "/v5/bans", token: nodes.owner.admin)
      #expect(all.text.contains("\"bo\""), "the owner has it")
      let listed = try await nodes.middle.call("GET", bans, token: nodes.middle.admin)
      #expect(listed.text.contains("\"bo\""))
      let again = try await nodes.middle.call(
        "POST", bans, token: nodes.middle.admin, body: "{\"uid\":\"bo\",\"time\":90}")
      #expect(again.json?["id"]?.int == number, "the same ban with another end")
      let lifted = try await nodes.middle.call("DELETE", "\(bans)/\(number)", token: nodes.middle.admin)
      #expect(lifted.status == 200, "\(lifted.text)")
      #expect(try await nodes.middle.outcome(room, "bo") == "in")
      let gone = try await nodes.middle.call("DELETE", "\(bans)/\(number)", token: nodes.middle.admin)
      #expect(gone.status == 404)
    }
  }

  @Test("NODE-10: a ban that is set at one node removes who is inside at another, and keeps them out there")
  func elsewhere() async throws {
    try await TwoNodes.run(operators: { .at($0.address()) }) { nodes in
      let room = try await nodes.middle.room()
      let client = try await NodeClient(nodes.middle)
      client.hello(room, by: nodes.middle, more: ",\"uid\":\"bo\"")
      #expect(await client.comesIn().contains("\"m\":\"live\""))
      let set = try await nodes.owner.call(
        "POST", "/v5/bans", token: nodes.owner.admin, body: "{\"uid\":\"bo\",\"time\":60}")
      #expect(set.status == 201, "\(set.text)")
      #expect(await client.hears("\"m\":\"farewell\"").contains("kickByAdmin"))
      #expect(try await nodes.middle.outcome(room, "bo") == "banned")
    }
  }

  @Test("NODE-10: a node that becomes the owner of the operators' log reads it again until it can")
  func silentDatabase() async throws {
    let (views, view) = AsyncStream.makeStream(of: SilencedStore.self)
    try await TwoNodes.run(
      operators: { _ in .nobodyYet },
      middleSees: { store, _ in
        let silenced = SilencedStore(store, of: .operators, isSilent: false)
        view.yield(silenced)
        return silenced
      }
    ) { nodes in
      let log = try #require(await views.first { _ in true })
      // Decided by an owner that is lost before this node has heard of it.
      let set = try await nodes.owner.call(
        "POST", "/v5/bans", token: nodes.owner.admin, body: "{\"uid\":\"bo\",\"time\":60}")
      #expect(set.status == 201, "\(set.text)")
      log.silence(true)
      nodes.middleOwners.say(.here, of: .operators)
      for await _ in log.refusals.prefix(2) {}
      log.silence(false)
      while try await !nodes.middle.call("GET", "/v5/bans", token: nodes.middle.admin).text.contains("\"bo\"")
      {
        await Task.yield()
      }
    }
  }

  @Test("NODE-10: an owner of the operators' log that does not answer leaves the bans as they were known")
  func unreachable() async throws {
    let gone = NodeAddress(name: "gone", host: "127.0.0.1", port: 1)
    try await TwoNodes.run(operators: { _ in .at(gone) }) { nodes in
      let room = try await nodes.middle.room()
      let set = try await nodes.middle.call(
        "POST", "/v5/rooms/\(room)/bans", token: nodes.middle.admin, body: "{\"uid\":\"bo\",\"time\":60}")
      #expect(set.status == 504, "it may have been set: \(set.text)")
      #expect(set.json?["code"]?.string == "networkLost")
      #expect(try await nodes.middle.outcome(room, "bo") == "in")
    }
  }

  @Test("NODE-10: a ban that has ended before a node hears of it removes nobody there")
  func ended() async throws {
    let start = Timestamp.wallClock
    let later = Mutex(Duration.zero)
    try await TwoNodes.run(clock: { start + later.withLock { $0 } }, operators: { _ in .nobodyYet }) {
      nodes in
      let room = try await nodes.middle.room()
      for (uid, minutes) in [("bo", 1), ("cy", 60)] {
        let set = try await nodes.owner.call(
          "POST", "/v5/bans", token: nodes.owner.admin, body: "{\"uid\":\"\(uid)\",\"time\":\(minutes)}")
        #expect(set.status == 201, "\(set.text)")
      }
      later.withLock { $0 = .seconds(120) }
      let clients = [try await NodeClient(nodes.middle), try await NodeClient(nodes.middle)]
      for (client, uid) in zip(clients, ["bo", "cy"]) {
        client.hello(room, by: nodes.middle, more: ",\"uid\":\"\(uid)\"")
        #expect(await client.comesIn().contains("\"m\":\"live\""))
      }
      nodes.middleOwners.say(.at(nodes.address()), of: .operators)
      #expect(await clients[1].hears("\"m\":\"farewell\"").contains("kickByAdmin"), "the list was heard")
      clients[0].say("still-here")
      let heard = await clients[0].hears("still-here")
      #expect(!heard.contains("farewell"))
    }
  }

  @Test("LOG-26: damage that a node finds is recorded at the one that owns the operators' log")
  func damage() async throws {
    try await TwoNodes.run { nodes in
      let third = NodeSettings(name: "third", owners: ToldOwners())
      let keys = KeyRing(pairs: [RunningServer.pair])
      let desk = try third.desk(keys, ServerSettings()) { .wallClock }
      let forwarder = HTTPForwarder(
        desk, trust: PipeDesk.trust(nil), group: MultiThreadedEventLoopGroup.singleton)
      let log = OperatorsLog(
        engine: Self.engine(owner: .at(nodes.address())), elsewhere: OperatorsByHTTP(forwarder: forwarder))
      await log.note(damage: "the third block")
      // Before anything can fail: a client that was not ended would end the process.
      await forwarder.shutdown()
      let records = try await nodes.store.runs(of: .operators, after: 0, limit: 1 << 20).flatMap(\.unpacked)
      #expect(records.contains { Data($0.body).range(of: Data("the third block".utf8)) != nil })
    }
  }

  @Test(
    "LOG-26: while nobody owns the operators' log, damage is recorded by nobody, and at the node itself if it does"
  )
  func damageElsewhere() async throws {
    for (owner, isRecorded) in [(SpaceOwner.nobodyYet, false), (.here, true)] {
      let engine = Self.engine(owner: owner)
      await OperatorsLog(engine: engine, elsewhere: NoOperators()).note(damage: "a block")
      let logs = try await engine.store.logs(after: nil, limit: 10)
      #expect(logs.isEmpty != isRecorded, "\(owner)")
    }
  }

  /// An engine that believes somebody to own the operators' log.
  private static func engine(owner: SpaceOwner) -> RoomServerEngine {
    let owners = ToldOwners()
    owners.say(owner, of: .operators)
    return RoomServerEngine(
      store: MemoryLogStore(), gatekeeper: OpenGate(), policy: ServerPolicy(),
      loops: EventLoopHome.all(of: MultiThreadedEventLoopGroup.singleton), storeExecutor: nil, courier: nil,
      owners: owners, clientsReachOwners: false, clock: { .wallClock })
  }

  private struct NoOperators: OperatorsNode {
    func carryOut(_ decision: BanDecision, at node: NodeAddress) async throws(Refusal) -> Ban? { nil }
    func bans(since revision: Revision, at node: NodeAddress) async -> BanList? { nil }
    func note(damage place: String, at node: NodeAddress) async throws(Refusal) {}
  }

  @Test("NODE-10: bans and what is decided about them are the same behind the way between nodes")
  func messages() throws {
    let whole = Ban(
      number: 7, room: .random(), uid: "bo", address: "::1", until: Timestamp(milliseconds: 9), token: "hash",
      since: Timestamp(milliseconds: 3), member: 5, name: "Bo")
    let empty = Ban(number: 8, room: nil, uid: nil, address: "10.0.0.1", until: nil)
    for ban in [whole, empty] {
      let message = try #require(OperatorsMessage(OperatorsMessage(.set(ban)).bytes))
      #expect(message.decision == .set(ban))
      let list = OperatorsMessage.List(BanList(revision: 12, bans: [ban]))
      #expect(OperatorsMessage.NodeAnswer(OperatorsMessage.NodeAnswer.list(list).bytes) == .list(list))
      #expect(list.list == BanList(revision: 12, bans: [ban]))
    }
    for decision in [BanDecision.end(3, until: Timestamp(milliseconds: 4)), .lift(9)] {
      #expect(OperatorsMessage(OperatorsMessage(decision).bytes)?.decision == decision)
    }
    #expect(OperatorsMessage([1, 2]) == nil)
    #expect(OperatorsMessage.NodeAnswer([]) == nil)
  }
}
