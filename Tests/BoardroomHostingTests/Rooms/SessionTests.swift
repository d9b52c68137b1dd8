import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@Suite struct SessionTests {
  @Test("TL-22: back within the grace, the member keeps its number and nobody sees a leave or a join")
  func shortOutage() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (first, other) = (server.join(room), server.join(room))
    first.receive()
    first.cut()
    other.command(.set("missed", "1"))
    server.advance(by: .seconds(20)) { other.say(.heartbeat(1)) }
    let back = server.connect()
    var hello = Hello(room: room, token: "")
    first.comeBack(&hello)
    back.takeOver(first)
    back.say(.hello(hello))
    back.receive()
    other.receive()
    #expect(back.welcome?.resumed == true)
    #expect(back.welcome?.member == first.welcome?.member)
    #expect(back.welcome?.generation == 2)
    #expect(back.plan?.mode == .delta)
    #expect(back.mirror == other.mirror)
    let kinds = other.events.map(\.kindName)
    #expect(kinds.count { $0 == "memberJoined" } == 2)
    #expect(!kinds.contains("memberLeft"))
    #expect(kinds.suffix(2) == ["globalState", "memberPhase"])
  }

  @Test("TL-23, SES-9: others lose a member that stays away 30 s after its last byte")
  func longOutage() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (first, other) = (server.join(room), server.join(room))
    let start = server.now
    first.cut()
    server.advance(by: .seconds(31)) { other.say(.heartbeat(1)) }
    other.receive()
    let left = other.events.last
    #expect(left?.event == .members(.left(.timeout)))
    #expect(left?.time == start + .seconds(30))
    #expect(other.mirror.members.count == 1)
  }

  @Test("SES-8: an open but silent connection becomes reconnecting at 4 s, connected with the next byte")
  func silentConnection() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (first, other) = (server.join(room), server.join(room))
    let member = first.welcome?.member ?? 99
    server.advance(by: .seconds(5)) { other.say(.heartbeat(1)) }
    other.receive()
    #expect(other.mirror.members[member]?.phase == .reconnecting)
    first.say(.heartbeat(1))
    other.receive()
    #expect(other.mirror.members[member]?.phase == .connected)
    #expect(other.mirror.members[member]?.generation == 1)
  }

  @Test("TL-9: a resume at exactly the end of the grace finds the session gone and joins anew")
  func boundary() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (first, other) = (server.join(room), server.join(room))
    first.cut()
    server.advance(by: .milliseconds(29_750)) { other.say(.heartbeat(1)) }
    server.clock.advance(by: .milliseconds(250))
    let back = server.join(room, change: first.comeBack)
    #expect(back.welcome?.resumed == false)
    #expect(back.welcome?.member == 2)
    other.receive()
    let kinds = other.events.map(\.kindName)
    #expect(kinds.suffix(2) == ["memberLeft", "memberJoined"])
  }

  @Test("SES-11, 10.3 rule 1: the old connection is replaced; what it says and its late close change nothing")
  func fencing() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let old = server.join(room)
    let new = server.join(room, change: old.comeBack)
    old.receive()
    #expect(old.farewell?.refusal.code == .replaced)
    #expect(old.farewell?.comeBack == false)
    #expect(old.link.closeCode == CloseCode.kicked)
    let revision = new.mirror.revision
    old.command(.set("ghost", "1"))
    old.cut()
    server.advance(by: .seconds(2)) { new.say(.heartbeat(1)) }
    new.receive()
    #expect(new.mirror.revision == revision)
    #expect(new.mirror.globalState.isEmpty)
    new.say(.heartbeat(1))
    let stale = server.join(room, change: old.comeBack)
    #expect(stale.farewell?.refusal.code == .replaced)
    #expect(stale.welcome == nil)
  }

  @Test("KICK-replaceByOther: the same uid elsewhere takes the place, in events and on the connection")
  func takeover() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let first = server.join(room, uid: "ada")
    let second = server.join(room, uid: "ada")
    first.receive()
    #expect(first.farewell?.kick == .replaceByOther)
    #expect(first.farewell?.comeBack == false)
    #expect(first.events.suffix(3).map(\.kindName) == ["memberReplaced", "memberLeft", "memberJoined"])
    #expect(second.mirror.members.count == 1)
    let again = server.join(room, change: first.comeBack)
    #expect(again.welcome?.resumed == false, "the session that was taken over is gone")
  }

  @Test("TL-26, KICK-kickByAdmin: a kick is recorded, told with its reason, and ends the session")
  func kick() throws {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (victim, other) = (server.join(room), server.join(room))
    let engine = server.engine
    let revision = server.wait { try? await engine.kick(0, from: room, reason: .kickByAdmin) }
    victim.receive()
    other.receive()
    #expect(victim.farewell?.kick == .kickByAdmin)
    #expect(victim.farewell?.comeBack == false)
    #expect(victim.link.closeCode == CloseCode.kicked)
    #expect(other.events.suffix(2).map(\.kindName) == ["memberKicked", "memberLeft"])
    #expect(other.mirror.revision == revision)
    #expect(victim.mirror.revision == revision, "it saw its own end")
    let unknown = server.wait { () async -> RefusalCode? in
      do throws(Refusal) {
        try await engine.kick(77, from: room, reason: .kickByAdmin)
        return nil
      } catch { return error.code }
    }
    #expect(unknown == .notMember)
  }

  @Test("SES-14, 10.3 rule 3: a leave is immediate; what was said before it counts and is answered")
  func leave() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (first, other) = (server.join(room), server.join(room))
    first.command(.set("a", "1"))
    first.say(.leave)
    first.receive()
    other.receive()
    #expect(first.receipts.count == 1)
    #expect(first.link.closeCode == CloseCode.left)
    #expect(first.farewell?.comeBack == false)
    #expect(other.events.last?.event == .members(.left(.left)))
  }

  @Test("SES-15, KICK-GatewayAdjust: all are told to come back, no stay ends, sessions go on elsewhere")
  func drain() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (first, idle) = (server.join(room), server.connect())
    first.command(.set("a", "1"))
    let engine = server.engine
    server.wait { await engine.drain() }
    first.receive()
    idle.receive()
    #expect(first.farewell?.kick == .GatewayAdjust)
    #expect(first.farewell?.comeBack == true)
    #expect(first.link.closeCode == CloseCode.goingAway)
    #expect(idle.farewell?.refusal.code == .goingAway)
    #expect(!first.events.contains { $0.kindName == "memberLeft" })
    let late = server.join(room)
    #expect(late.farewell?.refusal.code == .goingAway)
    #expect(late.farewell?.comeBack == true)
    let next = server.restarted()
    let back = next.join(room) { hello in first.comeBack(&hello) }
    #expect(back.welcome?.resumed == true)
    #expect(back.welcome?.member == first.welcome?.member)
  }

  @Test(
    "SES-15: who comes into a room that is being opened when the drain begins is told the same, and is in no log"
  )
  func drainWhileOpening() {
    let first = SimulatedServer()
    let room = first.createRoom()
    let server = first.restarted()
    let peer = server.connect()
    let hello = WireCodec(.binary).encode(client: .hello(Hello(room: room, token: "")))
    // The room is asked for, and the store has not answered yet.
    server.loops[0].perform { peer.handle.receive(hello, at: server.now) }
    let engine = server.engine
    server.wait { await engine.drain() }
    peer.receive()
    #expect(peer.welcome == nil)
    #expect(peer.farewell?.refusal.code == .goingAway)
    #expect(peer.farewell?.comeBack == true)
    let counts = server.wait { await engine.counts() }
    #expect(counts.rooms == 0)
    let next = server.restarted().join(room)
    #expect(next.welcome?.member == 0, "nobody was in before")
  }

  @Test("SES-10: after kill -9 members resume with their numbers; others leave with serverRestart")
  func restart() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let (first, second) = (server.join(room), server.join(room))
    first.command(.set("a", "1"))
    first.receive()
    let next = server.restarted()
    next.clock.advance(by: .seconds(100))
    let back = next.connect()
    var hello = Hello(room: room, token: "")
    first.comeBack(&hello)
    back.takeOver(first)
    back.say(.hello(hello))
    back.receive()
    #expect(back.welcome?.resumed == true)
    #expect(back.welcome?.member == 0)
    #expect(back.welcome?.lastCounter == 1)
    #expect(back.welcome?.generation == 2)
    back.command(.set("b", "2"))
    back.receive()
    #expect(back.receipts.map(\.counter) == [2])
    #expect(back.faults == [])
    next.advance(by: .seconds(31)) { back.say(.heartbeat(1)) }
    back.receive()
    #expect(back.events.last?.event == .members(.left(.serverRestart)))
    #expect(back.events.last?.actor.member == second.welcome?.member)
    #expect(back.mirror.members.count == 1)
  }

  @Test(
    "SES-17: who knows a later generation than the log begins anew with what is there: the log was set back",
    arguments: [true, false])
  func setBack(isOtherLife: Bool) throws {
    let server = SimulatedServer(policy: unlimited())
    let room = server.createRoom()
    let (first, other) = (server.join(room), server.join(room))
    first.command(.set("a", "1"))
    other.receive()
    let next = server.restarted()
    let back = next.connect()
    var hello = Hello(room: room, token: "")
    first.comeBack(&hello)
    // What a later part of the log had told it, which the server does not have.
    hello.resume?.generation = 7
    if isOtherLife { hello.cursor = Cursor(epoch: Epoch(1), revision: 1_000_000) }
    back.say(.hello(hello))
    back.receive()
    #expect(back.welcome?.resumed == true)
    #expect(back.welcome?.member == first.welcome?.member)
    #expect(back.welcome?.generation == 2)
    #expect(back.plan?.from == .zero)
    #expect(back.plan?.reason == (isOtherLife ? .otherEpoch : .wholeLog))
    #expect(back.mirror.globalState["a"]?.text == "1")
    #expect(back.faults == [])
    // A number from that part leaves a gap, and the answer says which one is next (IDEM-7).
    back.count(from: 99)
    back.command(.set("b", "2"))
    back.receive()
    #expect(back.refusals.last?.refusal.code == .outOfOrder)
    #expect(back.refusals.last?.refusal.allowed == 2)
  }

  @Test("A room without members is closed after its time, and opens again from its log")
  func idleClose() {
    let server = SimulatedServer()
    let room = server.createRoom()
    let first = server.join(room)
    first.command(.set("a", "1"))
    first.say(.leave)
    let engine = server.engine
    #expect(server.wait { await engine.counts() }.rooms == 1)
    server.advance(by: .seconds(62))
    #expect(server.wait { await engine.counts() }.rooms == 0)
    let second = server.join(room)
    #expect(second.mirror.globalState["a"]?.text == "1")
    #expect(second.welcome?.member == 1)
  }
}
