import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@testable import BoardroomAccess
@testable import BoardroomHosting

@Suite struct ReplayGroupTests {
  private func count(_ server: SimulatedServer) -> EngineCounts {
    server.wait { [engine = server.engine] in await engine.counts() }
  }

  @Test("RPL-15: those of one group see one place: what one who may does, all see; readers may not")
  func together() throws {
    let server = SimulatedServer(policy: unlimited { $0.snapshotEvents = 12 })
    let recorded = RecordedRoom(server)
    let teacher = recorded.watch(2, group: "4b", role: .writer)
    recorded.advance(1, teacher)
    let pupil = recorded.watch(9, speed: 7, group: "4b", role: .reader, .json)
    #expect(pupil.statuses.last?.at == recorded.time(3))
    #expect(pupil.statuses.last?.speed == 1)
    recorded.expectTruth(pupil, at: recorded.revision(at: recorded.time(3)))
    #expect(count(server).replays == 1)
    for control in [ReplayControl.pause, .seek(.revision(5)), .speed(3), .play] {
      pupil.say(.replay(control))
      pupil.receive()
      let answer = try #require(pupil.statuses.last)
      #expect(answer.refusal?.code == .forbidden)
      #expect(answer.refusal?.cure.isEmpty == false)
      #expect(answer.phase == .playing)
      #expect(answer.speed == 1)
    }
    teacher.receive()
    #expect(teacher.statuses.allSatisfy { $0.refusal == nil })
    teacher.say(.replay(.seek(.time(recorded.time(11)))))
    teacher.say(.replay(.speed(2)))
    recorded.advance(1, teacher, pupil)
    for peer in [teacher, pupil] {
      recorded.expectTruth(peer, at: recorded.revision(at: recorded.time(13)))
      #expect(peer.statuses.last?.speed == 2)
    }
    let other = recorded.watch(5, group: "4a")
    #expect(other.statuses.last?.at == recorded.time(5))
    #expect(count(server).replays == 2)
    teacher.cut()
    pupil.say(.replay(.pause))
    pupil.receive()
    #expect(pupil.statuses.last?.phase == .paused, "alone, a reader may")
  }

  @Test(
    "RPL-15: who comes while a seek is under way, or before the replay is open, sees the same as the others")
  func meanwhile() {
    let server = SimulatedServer(policy: unlimited { $0.snapshotEvents = 12 })
    let recorded = RecordedRoom(server)
    let peers = (0..<4).map { _ in server.connect() }
    func hello() -> Hello {
      Hello(room: recorded.room, token: "admin", replay: ReplayWish(place: .revision(9), group: "g"))
    }
    let codec = WireCodec(.binary)
    // Nothing of the store is answered between these.
    for peer in peers[..<2] {
      server.loops[0].perform { peer.handle.receive(codec.encode(client: .hello(hello())), at: server.now) }
    }
    server.settle()
    server.loops[0].perform {
      let seek = ClientNotice.replay(.seek(.time(recorded.time(8))))
      peers[0].handle.receive(codec.encode(client: seek), at: server.now)
      for peer in peers[2...] {
        peer.handle.receive(codec.encode(client: .hello(hello())), at: server.now)
      }
    }
    server.settle()
    for peer in peers {
      peer.receive()
      recorded.expectTruth(peer, at: recorded.revision(at: recorded.time(8)))
    }
    #expect(count(server).replays == 1)
  }

  @Test(
    "RPL-15: a group that nobody watches stands still, goes on when somebody comes, and ends when nobody does"
  )
  func idle() {
    let server = SimulatedServer(policy: unlimited { $0.idleClose = .seconds(10) })
    let recorded = RecordedRoom(server)
    let first = recorded.watch(2, group: "g")
    recorded.advance(1, first)
    first.cut()
    server.advance(by: .seconds(5))
    #expect(count(server).replays == 1)
    let second = recorded.watch(9, group: "g")
    #expect(second.statuses.last?.at == recorded.time(3))
    #expect(second.statuses.last?.phase == .playing)
    second.cut()
    server.advance(by: .seconds(11))
    #expect(count(server).replays == 0)
    #expect(count(server).connections == 0)
    let third = recorded.watch(9, group: "g")
    #expect(third.statuses.last?.at == recorded.time(9), "another one, from its own beginning")
  }

  @Test(
    "RPL-17: one replay more than the limit is refused with the limit's name; when one ends there is room")
  func limited() {
    let server = SimulatedServer(policy: unlimited { $0.replays = 2 })
    let recorded = RecordedRoom(server, seconds: 4)
    let first = recorded.watch(1)
    _ = recorded.watch(1, group: "g")
    let refused = recorded.watch(1)
    #expect(refused.farewell?.refusal.code == .roomsFull)
    #expect(refused.farewell?.comeBack == true)
    #expect(refused.farewell?.refusal.limit == "replays")
    #expect(refused.farewell?.refusal.allowed == 2)
    #expect(recorded.watch(1, group: "g").isLive, "who joins one is no other")
    first.cut()
    #expect(recorded.watch(1).isLive)
    #expect(server.join(recorded.room).isLive, "the room itself is not counted")
  }

  @Test(
    "RP-8, RP-9, RPL-10: who may watch: not what was not recorded, but what is banned; others are told why")
  func doors() throws {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server, seconds: 2)
    let secret = RoomID(high: 3, low: 3)
    let (engine, now) = (server.engine, server.now)
    _ = server.wait {
      try? await engine.create(secret, as: RoomCreated(name: "", isRecord: false), at: now)
    }
    let room = recorded.room
    func refusal(_ room: RoomID) -> RefusalCode? {
      server.join(room) { $0.replay = ReplayWish() }.farewell?.refusal.code
    }
    #expect(refusal(secret) == .notRecorded)
    #expect(refusal(RoomID(high: 9, low: 9)) == .notFound)
    let banned = server.wait { () async -> Bool in
      let decided = try? await engine.carryOut(in: room, removing: .roomBan) { room throws(Refusal) in
        try room.ban(true)
      }
      return decided != nil
    }
    try #require(banned)
    #expect(server.join(recorded.room).farewell?.refusal.code == .banned)
    #expect(recorded.watch(1).isLive)
    let summary = server.wait { await engine.summary(of: room) }
    #expect(summary?.connections ?? 0 == 0)
  }

  @Test("RP-9: a ban of the room keeps nobody from its replay, a ban of a user or an address does")
  func bans() throws {
    let (book, room) = (BanIndex(), RoomID(high: 1, low: 1))
    func ban(_ room: RoomID?, _ uid: String? = nil, _ address: String? = nil) -> Ban {
      Ban(number: 1, room: room, uid: uid, address: address, until: nil)
    }
    func keepsOut(_ ban: Ban, isReplay: Bool) -> Bool {
      var state = RoomState()
      state.bans = [ban.number: ban]
      book.read(state)
      let ada = Visitor(uid: "ada", address: "192.0.2.1")
      return book.answer(to: ada, of: room, isJoin: !isReplay, at: .zero) != .open
    }
    let table: [(ban: Ban, isOut: Bool)] = [
      (ban(room), false), (ban(nil, "ada"), true), (ban(nil, nil, "192.0.2.1"), true),
      (ban(room, "ada"), true),
    ]
    for row in table {
      #expect(keepsOut(row.ban, isReplay: false))
      #expect(keepsOut(row.ban, isReplay: true) == row.isOut)
    }
  }

  @Test(
    "RPL-14: who steers without watching a replay, or before the welcome, is parted from, and a drain sends all off"
  )
  func wrong() {
    let server = SimulatedServer(policy: unlimited())
    let recorded = RecordedRoom(server, seconds: 2)
    let member = server.join(recorded.room)
    member.say(.replay(.pause))
    member.receive()
    #expect(member.farewell?.refusal.code == .badParameter)
    let hasty = server.connect()
    let codec = WireCodec(.binary)
    let hello = Hello(room: recorded.room, token: "", replay: ReplayWish())
    server.loops[0].perform {
      hasty.handle.receive(codec.encode(client: .hello(hello)), at: server.now)
      hasty.handle.receive(codec.encode(client: .replay(.play)), at: server.now)
    }
    server.settle()
    hasty.receive()
    #expect(hasty.farewell?.refusal.code == .outOfOrder)
    #expect(hasty.welcome == nil)
    let watchers = [recorded.watch(1), recorded.watch(1, group: "g")]
    server.wait { [engine = server.engine] in await engine.drain() }
    for watcher in watchers {
      watcher.receive()
      #expect(watcher.farewell?.refusal.code == .goingAway)
      #expect(watcher.farewell?.comeBack == true)
      #expect(watcher.link.closeCode == CloseCode.goingAway)
    }
  }
}
