import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLogModel
import Testing

/// Who may write (MOD-5, MOD-6), and who asks to (HAND-1).
@Suite("Who may write")
struct WritingTests {
  private let host: MemberID = 0
  private let ada: MemberID = 1

  /// A host and a writer.
  private func trial() throws -> Trial {
    var trial = Trial()
    try trial.join("host", role: .admin)
    try trial.join("ada")
    return trial
  }

  private func allow(_ member: MemberID, _ isAllowed: Bool) -> Command {
    .moderation(.writing(member, isAllowed: isAllowed))
  }
  private func lock(_ isLocked: Bool) -> Command { .moderation(.lock(isLocked)) }
  private func hand(_ isRaised: Bool) -> Command { .moderation(.hand(isRaised)) }

  private func writers(_ trial: Trial) -> [MemberID] { trial.state.roster.filter(\.writable).map(\.id) }

  private func cause(_ decision: Decision) -> String? {
    guard case .refused(let refusal, _) = decision else { return nil }
    return refusal.cause
  }

  @Test(
    "MOD-5: who is not allowed to write is read-only at once, its strokes end and its broadcast, and it cannot change that itself"
  )
  func barred() throws {
    var trial = try trial()
    trial.say(begin(1), ada)
    trial.say(.members(.viewMode(.broadcaster)), ada)
    #expect(trial.say(allow(ada, false), host).isDone)
    #expect(writers(trial) == [host])
    #expect(trial.state.broadcaster == nil)
    #expect(trial.state.elements.openStrokes.isEmpty)
    let refused = trial.say(begin(2), ada)
    #expect(refused.code == .notWritable)
    #expect(cause(refused) == "An administrator does not let this member write.")
    #expect(trial.say(.members(.setWritable(true)), ada).code == .notWritable)
    #expect(trial.say(allow(ada, true), ada).code == .forbidden)
    #expect(trial.say(camera(1), ada).isDone, "DEC-6 goes on")
    #expect(trial.say(.members(.setWritable(false)), ada).isDone, "DEC-6 goes on")
    #expect(trial.say(allow(ada, true), host).isDone)
    #expect(writers(trial) == [host, ada], "who is handed the pen has it, whatever it wanted before")
    #expect(trial.say(begin(3), ada).isDone)
    #expect(trial.anomalies.isEmpty)
  }

  @Test("MOD-5: who joined to look can be handed the pen, a reader cannot")
  func handed() throws {
    var trial = try trial()
    let (guest, reader) = (try trial.join(isWritable: false), try trial.join(role: .reader))
    #expect(trial.say(allow(guest, true), host).isDone)
    #expect(writers(trial).contains(guest))
    for isAllowed in [true, false] { #expect(trial.say(allow(reader, isAllowed), host).code == .forbidden) }
    #expect(trial.say(allow(9, true), host).code == .notMember)
    #expect(trial.room.decide(serverCommand: allow(ada, false)).isDone, "by REST")
    trial.record([
      Proposed(actor: .server, event: .moderation(.writing(reader, isAllowed: true))),
      Proposed(actor: .server, event: .moderation(.writing(9, isAllowed: true))),
    ])
    #expect(trial.anomalies.count == 2)
    #expect(!writers(trial).contains(reader))
  }

  @Test(
    "MOD-5: going and coming back, or taking over, is no way out for a user; the last 1,000 are remembered")
  func comingBack() throws {
    var trial = try trial()
    trial.say(allow(ada, false), host)
    let second = try trial.join("ada")
    #expect(trial.state.members[second]?.isBarred == true, "a takeover")
    #expect(!writers(trial).contains(second), "a takeover")
    trial.record(trial.room.leave(second, .left))
    #expect(trial.state.barredUsers == ["ada"])
    let third = try trial.join("ada")
    #expect(trial.say(begin(1), third).code == .notWritable)
    #expect(trial.state.barredUsers.isEmpty)
    trial.say(allow(third, true), host)
    #expect(trial.say(begin(1), third).isDone)
    trial.record(trial.room.leave(third, .left))
    #expect(trial.state.barredUsers.isEmpty)
    for number in 0...RoomState.mostBarred {
      let member = try trial.join("u\(number)")
      trial.record([Proposed(actor: .server, event: .moderation(.writing(member, isAllowed: false)))])
      trial.record(trial.room.leave(member, .left))
    }
    #expect(trial.state.barredUsers.count == RoomState.mostBarred)
    #expect(trial.state.barredUsers.first == "u1")
    #expect(trial.state.barredUsers.last == "u1000")
  }

  @Test("MOD-6: in a locked room only who locked it writes; the others do again when it is unlocked")
  func locked() throws {
    var trial = try trial()
    let (other, guest) = (try trial.join(role: .admin), try trial.join(isWritable: false))
    trial.say(begin(1), ada)
    #expect(trial.say(lock(true), ada).code == .forbidden)
    #expect(trial.say(lock(true), host).isDone)
    #expect(writers(trial) == [host])
    #expect(trial.state.elements.openStrokes.isEmpty)
    #expect(cause(trial.say(begin(2), ada)) == "The room is locked.")
    #expect(trial.say(.members(.setWritable(true)), other).code == .notWritable, "an administrator neither")
    let late = try trial.join()
    #expect(!writers(trial).contains(late), "who comes later neither")
    #expect(trial.say(lock(true), other).isDone, "it can be taken over")
    #expect(writers(trial) == [other], "it can be taken over")
    #expect(trial.say(lock(false), host).isDone)
    #expect(writers(trial) == [host, ada, other, late], "\(guest) wanted to look")
    #expect(trial.state.lock == nil)
    #expect(trial.anomalies.isEmpty)
  }

  @Test("MOD-6: when who locked it has left, and where the server did, administrators write and nobody else")
  func lockedByNobody() throws {
    var trial = try trial()
    let other = try trial.join(role: .admin)
    trial.say(lock(true), host)
    trial.record(trial.room.leave(host, .timeout))
    #expect(writers(trial) == [other])
    #expect(trial.say(begin(1), ada).code == .notWritable)
    #expect(trial.say(lock(false), other).isDone)
    #expect(writers(trial) == [ada, other])
    guard case .events(let events) = trial.room.decide(serverCommand: lock(true)) else {
      Issue.record("the server may lock")
      return
    }
    trial.record(events)
    #expect(writers(trial) == [other])
    #expect(trial.state.lock == RoomLock(by: nil))
  }

  @Test(
    "MOD-5, MOD-6: unlocking gives the pen to nobody who is not allowed to write, nor the other way round")
  func both() throws {
    var trial = try trial()
    trial.say(allow(ada, false), host)
    trial.say(lock(true), host)
    trial.say(allow(ada, true), host)
    #expect(writers(trial) == [host])
    trial.say(allow(ada, false), host)
    trial.say(lock(false), host)
    #expect(writers(trial) == [host])
    trial.say(allow(ada, true), host)
    #expect(writers(trial) == [host, ada])
  }

  @Test(
    "HAND-1: anybody who is here raises a hand, readers too; it keeps its time, goes down, and goes with its member"
  )
  func hands() throws {
    var trial = try trial()
    let reader = try trial.join(role: .reader)
    trial.wait(5_000)
    let raised = trial.now
    #expect(trial.say(hand(true), reader).isDone)
    trial.wait(5_000)
    #expect(trial.say(hand(true), reader).changesNothing)
    #expect(trial.state.members[reader]?.hand == raised)
    trial.say(hand(false), reader)
    #expect(trial.state.members[reader]?.hand == nil)
    trial.say(hand(true), ada)
    #expect(trial.room.decide(serverCommand: hand(true)).code == .badParameter)
    trial.record(trial.room.leave(ada, .left))
    trial.record([Proposed(actor: .member(ada), event: .moderation(.hand(true)))])
    #expect(trial.anomalies.count == 1)
  }

  @Test("HAND-1, LIM-4: hands have a rate of their own, one a second and 10 at once")
  func handsHaveARate() throws {
    var trial = try trial()
    let codes = (0..<12).map { trial.say(hand($0 % 2 == 0), ada).code }
    #expect(codes == Array(repeating: nil, count: 10) + [.rateLimited, .rateLimited])
  }

  @Test("LIM-4: each kind of command has a bit of its own among those that floods are told by")
  func bitsDiffer() {
    var trial = Trial()
    let kinds = EventKind.allCases.filter(\.isCommand)
    let limits = kinds.map { LimitsPatch.Field(name: "rate.\($0.name)", value: 1) }
    #expect(throws: Never.self) { trial.record(try trial.room.setLimits(LimitsPatch(limits))) }
    #expect(kinds.allSatisfy { trial.room.inForce.rates[$0]?.sustained == 1 })
  }

  @Test(
    "What is not allowed, locked or raised is in snapshots; a room without has the bytes that it always had")
  func snapshots() throws {
    var trial = try trial()
    let plain = String(decoding: root(trial.state), as: UTF8.self)
    for field in ["kept", "barred", "hand", "lock"] { #expect(!plain.contains("\"\(field)\"")) }
    try trial.join("bob")
    trial.say(allow(2, false), host)
    trial.record(trial.room.leave(2, .left))
    trial.say(hand(true), ada)
    trial.say(allow(ada, false), host)
    trial.say(lock(true), host)
    try trial.join("eve")
    var encoder = StateEncoder()
    let read = try StateDecoder.state(of: encoder.snapshot(of: trial.state))
    #expect(read == trial.state)
    #expect(read.lock?.by == host)
    #expect(read.barredUsers == ["bob"])
    #expect(read.members[3]?.isKept == true)
    #expect(read.members[ada]?.hand == trial.now)
  }

  private func root(_ state: RoomState) -> [UInt8] {
    var encoder = StateEncoder()
    return encoder.snapshot(of: state).root
  }
}

@Suite("Pages in another order")
struct SceneOrderTests {
  private func paths(_ trial: Trial) -> [String] { trial.state.scenes.map(\.path) }

  @Test(
    "PAGE-1: a page goes to a place among the other pages of its directory, or of another; pages of others stay",
    arguments: [
      ("/d/a", "/d", 1, ["/init", "/d/b", "/d/a", "/d/c"]),
      ("/d/c", "/d", 0, ["/init", "/d/c", "/d/a", "/d/b"]),
      ("/d/a", "/d", 99, ["/init", "/d/b", "/d/c", "/d/a"]),
      ("/init", "/d", 1, ["/d/a", "/d/init", "/d/b", "/d/c"]),
      ("/d/b", "/d/x", 0, ["/init", "/d/x", "/d/a", "/d/c"]),
      ("/d/b", "/d/b", 2, ["/init", "/d/a", "/d/c", "/d/b"]),
    ] as [(String, String, Int, [String])])
  func placed(path: String, target: String, index: Int, order: [String]) throws {
    var trial = Trial()
    let one = try trial.join()
    trial.say(pages("/d", ["a", "b", "c"]), one)
    trial.say(.scenes(.switchTo(.path("/d/b"))), one)
    let shown = trial.state.currentScene
    #expect(trial.say(.scenes(.move(path: path, target: target, index: index)), one).isDone)
    #expect(paths(trial) == order)
    #expect(trial.anomalies.isEmpty)
    #expect(trial.state.currentScene == shown, "what is shown stays")
  }

  @Test("PAGE-1, DEC-18: to move a page that is at its place already changes nothing")
  func thereAlready() throws {
    var trial = Trial()
    let one = try trial.join()
    trial.say(pages("/d", ["a", "b", "c"]), one)
    let scenes = trial.state.scenes
    for index in [2, 3, 99] {
      #expect(trial.say(.scenes(.move(path: "/d/c", target: "/d", index: index)), one).changesNothing)
    }
    #expect(trial.state.scenes == scenes)
  }
}
