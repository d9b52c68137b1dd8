import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

@Suite("Moderation")
struct ModerationTests {
  private func refusal(_ body: () throws -> Void) -> Refusal? {
    do { try body() } catch let refusal as Refusal { return refusal } catch {}
    return nil
  }

  private func trial(_ policy: RoomPolicy = RoomPolicy()) throws -> Trial {
    var trial = Trial(policy)
    try trial.join("ann")
    try trial.join("bob", role: .reader)
    return trial
  }

  private func kicks(_ reason: KickReason) -> [Event] {
    [0, 1].flatMap {
      [.members(.kicked(MemberKicked(member: $0, reason: reason))), .members(.left(.kicked))] as [Event]
    }
  }

  @Test(
    "KICK-roomBan, FOLD-25, RE-4: a ban removes all and lets nobody in, until it is lifted; the board stays")
  func banning() throws {
    var trial = try trial()
    trial.say(begin(1), 0)
    let events = try trial.room.ban(true)
    #expect(events.map(\.event) == [.room(.banned(true))] + kicks(.roomBan))
    trial.record(events)
    #expect(trial.state.members.isEmpty)
    #expect(trial.state.isBanned)
    #expect(trial.anomalies.isEmpty)
    #expect(refusal { _ = try trial.room.join(trial.request()) }?.code == .banned)
    #expect(try trial.room.ban(true).isEmpty)
    #expect(trial.room.decide(serverCommand: pages("/", ["a"])).isDone, "the server may still work on it")
    trial.record(try trial.room.ban(false))
    #expect(try trial.join("ann") == 2)
    #expect(trial.state.elements.count == 1)
  }

  @Test("KICK-roomDelete, MOD-2: a deleted room removes all, lets nobody in and takes no commands, for ever")
  func deleting() throws {
    var trial = try trial()
    let events = try trial.room.delete()
    #expect(events.map(\.event) == [.room(.deleted)] + kicks(.roomDelete))
    trial.record(events)
    #expect(trial.state.members.isEmpty)
    #expect(trial.state.isDeleted)
    #expect(trial.anomalies.isEmpty)
    #expect(try trial.room.delete().isEmpty)
    #expect(refusal { _ = try trial.room.join(trial.request()) }?.code == .notFound)
    #expect(refusal { _ = try trial.room.ban(true) }?.code == .notFound)
    #expect(refusal { _ = try trial.room.setLimits(LimitsPatch([])) }?.code == .notFound)
    #expect(trial.room.decide(serverCommand: pages("/", ["a"])).code == .notFound)
  }

  @Test("MOD-1, MOD-2: nobody bans, deletes or limits a room that was not created")
  func notThere() {
    let trial = Trial(created: false)
    #expect(refusal { _ = try trial.room.ban(true) }?.code == .notFound)
    #expect(refusal { _ = try trial.room.delete() }?.code == .notFound)
    #expect(refusal { _ = try trial.room.setLimits(LimitsPatch([])) }?.code == .notFound)
  }

  @Test("KICK-roomZombie, MOD-3: members are swept once nobody did anything for the time set, and only then")
  func zombies() throws {
    var trial = try trial(RoomPolicy(zombieAfter: .seconds(60)))
    #expect(trial.room.nextSweep == trial.now + .seconds(60))
    trial.wait(50_000)
    trial.say(begin(1), 0)
    trial.wait(30_000)
    trial.record(trial.room.silent(1))
    #expect(trial.room.sweep(at: trial.now).isEmpty, "20 s after the stroke")
    trial.wait(30_000)
    let events = trial.room.sweep(at: trial.now)
    #expect(events.map(\.event) == kicks(.roomZombie), "silence is not an act")
    trial.record(events)
    #expect(trial.room.nextSweep == nil)
    #expect(trial.room.sweep(at: trial.now).isEmpty)
    #expect(try self.trial().room.nextSweep == nil, "off as a rule")
  }

  // MARK: The operators' log

  private func ban(
    room: RoomID? = nil, uid: String? = nil, address: String? = nil, until: Timestamp? = nil,
    token: String? = nil
  ) -> Ban { Ban(number: 0, room: room, uid: uid, address: address, until: until, token: token) }

  private let room = RoomID(high: 1, low: 2)
  private let other = RoomID(high: 3, low: 4)

  @Test("RE-22: a ban of a room, a uid, an address or several of them; all that it names must fit")
  func covering() throws {
    let rows: [(room: RoomID?, uid: String?, address: String?, covers: [Bool])] = [
      (room, nil, nil, [true, true, true, false]), (nil, "eve", nil, [true, false, false, true]),
      (nil, nil, "10.0.0.1", [true, true, false, false]), (room, "eve", nil, [true, false, false, false]),
      (other, "eve", nil, [false, false, false, true]),
    ]
    for row in rows {
      var trial = Trial(created: false)
      trial.record(try trial.room.setBan(ban(room: row.room, uid: row.uid, address: row.address)))
      let comers: [(RoomID, String?, String?)] = [
        (room, "eve", "10.0.0.1"), (room, "ann", "10.0.0.1"), (room, nil, nil), (other, "eve", "10.0.0.9"),
      ]
      let covers = comers.map {
        trial.state.ban(covering: $0.0, uid: $0.1, address: $0.2, at: trial.now) != nil
      }
      #expect(covers == row.covers, "\(row)")
    }
  }

  @Test(
    "MOD-8, MOD-9: of a uid and a token in one ban either is enough; the room and the address must fit too")
  func persons() {
    let table: [(ban: Ban, uid: String?, token: String?, address: String?, covers: Bool)] = [
      (ban(room: room, uid: "Eve", token: "t"), "eve", nil, nil, true),
      (ban(room: room, uid: "Eve", token: "t"), "ada", "t", nil, true),
      (ban(room: room, uid: "Eve", token: "t"), nil, "t", nil, true),
      (ban(room: room, uid: "Eve", token: "t"), "ada", "u", nil, false),
      (ban(room: room, uid: "Eve", token: "t"), nil, nil, nil, false),
      (ban(room: other, uid: "Eve", token: "t"), "eve", "t", nil, false),
      (ban(address: "10.0.0.1", token: "t"), nil, "t", "10.0.0.2", false),
      (ban(address: "10.0.0.1", token: "t"), nil, "t", "10.0.0.1", true),
      (ban(token: "t"), "x", nil, nil, false),
    ]
    for row in table {
      let covers = row.ban.covers(room: room, uid: row.uid, address: row.address, token: row.token, at: .zero)
      #expect(covers == row.covers, "\(row)")
    }
    #expect(
      !ban(room: room).covers(room: nil, uid: "eve", address: nil, at: .zero), "of what belongs to no room")
    #expect(ban(uid: "eve").covers(room: nil, uid: "eve", address: nil, at: .zero))
  }

  @Test("OPEN-4: the role of who comes to an open room without a token")
  func nextComer() throws {
    var trial = Trial(created: false)
    trial.record(trial.room.create(RoomCreated(name: "")))
    #expect(trial.room.roleOfNextComer == .admin)
    func come(_ role: Role) throws {
      trial.record(try trial.room.join(JoinRequest(session: .random(), role: role)).events)
    }
    try come(.reader)
    #expect(trial.room.roleOfNextComer == .admin)
    try come(.writer)
    #expect(trial.room.roleOfNextComer == .writer)
    trial.record(trial.room.leave(1, .left))
    #expect(trial.room.roleOfNextComer == .admin)
  }

  @Test("RE-22, MOD-4: bans have numbers of their own, are changed and lifted by them, and end by themselves")
  func numbers() throws {
    var trial = Trial(created: false)
    #expect(refusal { _ = try trial.room.setBan(ban()) }?.code == .badParameter)
    trial.record(try trial.room.setBan(ban(uid: "eve", until: trial.now + .seconds(10))))
    trial.record(try trial.room.setBan(ban(uid: "eve")))
    #expect(trial.state.bans.keys.sorted() == [1, 2])
    #expect(
      trial.state.ban(covering: room, uid: "eve", address: nil, at: trial.now)?.number == 2, "the longest")
    trial.record(try trial.room.liftBan(2))
    #expect(refusal { _ = try trial.room.liftBan(2) }?.code == .notFound)
    #expect(refusal { _ = try trial.room.setBan(ban(uid: "x"), over: 2) }?.code == .notFound)
    trial.record(try trial.room.setBan(ban(uid: "mal"), over: 1))
    #expect(trial.state.ban(covering: room, uid: "eve", address: nil, at: trial.now) == nil)
    trial.record(try trial.room.setBan(ban(uid: "eve", until: trial.now + .seconds(5))))
    #expect(trial.state.bans.keys.sorted() == [1, 5], "a number is never given again")
    trial.wait(5_000)
    #expect(trial.state.ban(covering: room, uid: "eve", address: nil, at: trial.now) == nil)
    trial.record(trial.room.liftEndedBans(at: trial.now))
    #expect(trial.state.bans.keys.sorted() == [1])
    #expect(trial.anomalies.isEmpty)
  }

  static let tries: [(Command, reader: RefusalCode?, mute: RefusalCode?, server: RefusalCode?)] = [
    (camera(1), nil, nil, .badParameter), (phases, nil, nil, .badParameter),
    (.history(.keep(scenes: 1)), nil, nil, .badParameter),
    (.members(.setWritable(false)), nil, nil, .badParameter),
    (.members(.setWritable(true)), .forbidden, nil, .badParameter),
    (.members(.viewMode(.freedom)), nil, nil, .badParameter),
    (.members(.viewMode(.broadcaster)), .notWritable, .notWritable, .badParameter),
    (begin(9), .notWritable, .notWritable, .badParameter),
    (pointer(1), .notWritable, .notWritable, .badParameter),
    (.state(.member(patch([]))), .notWritable, .notWritable, .badParameter),
    (.history(.undo(nil)), .notWritable, .notWritable, .badParameter),
    (.history(.redo(nil)), .notWritable, .notWritable, .badParameter),
    (.state(.global(patch([]))), .notWritable, .notWritable, nil),
    (pages("/", ["x"]), .notWritable, .notWritable, nil),
    (.scenes(.switchTo(.index(0))), .notWritable, .notWritable, nil),
    (erase("0.1"), .notWritable, .notWritable, nil),
    (magix(), .notWritable, .notWritable, nil), (change("0.1", ("x", "1")), .notWritable, .notWritable, nil),
    (rectangle("0.1"), .notWritable, .notWritable, nil),
    (copy("0.1", as: "9.1"), .notWritable, .notWritable, .noSuchElement),
    (.scenes(.clean(SceneClean())), .notWritable, .notWritable, nil),
    (.scenes(.remove(path: "/init")), .notWritable, .notWritable, nil),
    (.scenes(.move(path: "/init", target: "/b")), .notWritable, .notWritable, nil),
    (.scenes(.stepPPT(.next)), .notWritable, .notWritable, nil),
    (store("a", []), .notWritable, .notWritable, nil),
    (.state(.deleteStore("a")), .notWritable, .notWritable, nil),
  ]

  @Test("DEC-6, DEC-11, W-1: who may give which command, in one table", arguments: tries.indices)
  func authority(row: Int) throws {
    let (command, forReader, forMute, forServer) = Self.tries[row]
    var trial = try trial()
    trial.say(rectangle("0.1"), 0)
    let ppt = json("{\"steps\":2}")
    let page = SceneSpec(id: 2, name: "p", ppt: ppt)
    trial.record([
      Proposed(actor: .server, event: .scenes(.put(ScenesPut(directory: "/", index: 0, scenes: [page])))),
      Proposed(actor: .server, event: .scenes(.switched(2))),
    ])
    let mute = try trial.join(isWritable: false)
    let before = trial.state.elements
    #expect(trial.say(command, 1).code == forReader, "\(command) by a reader")
    #expect(trial.say(command, mute).code == forMute, "\(command) by a writer who is read-only")
    #expect(trial.state.elements == before)
    if forMute != nil {
      #expect(
        trial.log.last?.event
          == .diagnostics(.refused(RefusedCommand(kind: command.kind.rawValue, code: forMute!))))
    }
    #expect(trial.room.decide(serverCommand: command).code == forServer, "\(command) by the server")
  }
}
