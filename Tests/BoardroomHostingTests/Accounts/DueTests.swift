import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@testable import BoardroomHosting

/// What is due comes first, and what no log holds is not told.
@Suite struct DueTests {
  @Test("SPC-6: what is set from outside when the channel's life is over belongs to the next one")
  func outsideAtTheEnd() {
    let server = SimulatedServer()
    let anna = server.login("anna", .rtc)
    let call = server.enter("call", as: "anna", .rtc)
    call.command(.space(.setAttributes(AttributesSet([.init(name: "old", value: "1")]))))
    call.say(.leave)
    server.advance(by: .milliseconds(9_750), with: anna)
    #expect(anna.reply(to: .channelAttributes(channel: "call")) == .attributes(["old": "1"]))
    server.clock.advance(by: .milliseconds(250))
    #expect(anna.reply(to: .channelAttributes(channel: "call")) == .attributes([:]))
    let set = AttributesSet([.init(name: "a", value: "1")])
    #expect(anna.reply(to: .setChannelAttributes(channel: "call", set)) == .done)
    server.advance(by: .milliseconds(250), with: anna)
    #expect(anna.reply(to: .channelAttributes(channel: "call")) == .attributes(["a": "1"]))
  }

  @Test("SPC-6: set from outside at the very end, before anybody read, it stays as well")
  func setAtTheEnd() {
    let server = SimulatedServer()
    let anna = server.login("anna", .rtc)
    server.enter("call", as: "anna", .rtc).say(.leave)
    server.advance(by: .milliseconds(9_750), with: anna)
    server.clock.advance(by: .milliseconds(250))
    let set = AttributesSet([.init(name: "a", value: "1")])
    #expect(anna.reply(to: .setChannelAttributes(channel: "call", set)) == .done)
    server.advance(by: .milliseconds(250), with: anna)
    #expect(anna.reply(to: .channelAttributes(channel: "call")) == .attributes(["a": "1"]))
  }

  @Test("INV-7, promise 1: a callee forgets a call only by what the caller's log holds")
  func goneButNotHeld() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(.invite(channel: "c", account: "ben", extra: "", needsPeer: false, timeout: nil))
    #expect(ben.reply(to: .moveInvite(caller: "anna", serial: 1, .ring)) == .done)
    let log = SpaceName.account("ben").log
    func calls() -> Int? {
      server.loops[0].perform {
        server.engine.loopRooms(for: log).value.host(log)?.room.state.space?.calls.count
      }
    }
    server.commits = false
    ben.say(.leave)
    server.commit()
    #expect(calls() == 1, "ben's log holds the logout, anna's not yet what follows from it")
    server.commit()
    #expect(calls() == 0)
  }

  @Test("A hello that waits for the end of a membership is answered, also where the host closes meanwhile")
  func waitingWhileClosing() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    _ = server.enter("one", as: "anna")
    server.commits = false
    let waiting = ["two", "three"].map { server.enter($0, as: "anna") }
    let (loopRooms, log) = (
      server.engine.loopRooms(for: SpaceName.account("anna").log), SpaceName.account("anna").log
    )
    loopRooms.loop.execute { loopRooms.value.failed([log], .stopped(reason: "a test")) }
    server.commits = true
    server.settle()
    for peer in waiting + [anna] {
      peer.receive()
      #expect(peer.farewell != nil)
    }
  }

  @Test("Who waits for an account is forgotten when its wait is over, once a second")
  func expected() {
    var expected = PendingCallers()
    let ben = SpaceName.account("ben").log
    func caller(_ serial: UInt64) -> PendingCallers.Caller {
      .init(name: "anna", serial: serial, service: .rtm)
    }
    expected.expect(ben, by: caller(1), until: Timestamp(milliseconds: 500))
    expected.expect(ben, by: caller(2), until: Timestamp(milliseconds: 9_000))
    #expect(expected.count == 2)
    expected.sweep(at: Timestamp(milliseconds: 600))
    #expect(expected.count == 1)
    expected.expect(ben, by: caller(3), until: Timestamp(milliseconds: 700))
    expected.sweep(at: Timestamp(milliseconds: 1_500))
    #expect(expected.count == 2, "not more often than once a second")
    expected.sweep(at: Timestamp(milliseconds: 1_600))
    #expect(expected.count == 1)
    #expect(expected.take(ben, at: Timestamp(milliseconds: 1_700)).map(\.serial) == [2])
    #expect(expected.count == 0)
  }

  @Test("PROTOCOL 6a: the service white has no channels, for hellos and for questions")
  func white() {
    let server = SimulatedServer()
    let place = Place(service: .white, account: "anna", channel: "lobby")
    #expect(server.join(place).farewell?.refusal.code == .badParameter)
    let anna = server.login("anna", .white)
    let set = AttributesSet([.init(name: "a", value: "1")])
    #expect(anna.refusal(of: .setChannelAttributes(channel: "lobby", set)) == .badParameter)
    #expect(anna.refusal(of: .channelCount(channel: "lobby")) == .badParameter)
  }

  @Test("ACC-16, SIG-11: after a restart the logins that nobody comes back to end by their graces, unasked")
  func leftLogins() {
    let server = SimulatedServer()
    _ = server.createRoom()
    _ = (server.login("anna"), server.login("ben", .rtm), server.enter("lobby", as: "anna"))
    server.login("carl").say(.leave)
    let next = server.restarted()
    let engine = next.engine
    next.wait { await engine.takeUpLogins() }
    #expect(next.wait { await engine.counts().rooms } == 3, "anna, ben, and the lobby, which anna's asked")
    next.advance(by: .seconds(31))
    #expect(
      next.wait { await engine.durableState(of: SpaceName.account("ben").log)?.members.isEmpty } == true)
    next.advance(by: .seconds(90))
    let anna = next.wait { await engine.durableState(of: SpaceName.account("anna").log) }
    #expect(anna?.members.isEmpty == true)
    let lobby = next.wait { await engine.durableState(of: SpaceName.channel(.signaling, "lobby").log) }
    #expect(lobby?.members.isEmpty == true)
  }

  @Test(
    "NODE-11, ACC-16: while the database does not answer, logins that were left are looked for again",
    arguments: [true, false])
  func silentDatabase(some: Bool) {
    let server = SimulatedServer()
    _ = server.login("ben", .rtm)
    let log = SpaceName.account("ben").log
    let (seconds, second) = AsyncStream.makeStream(of: Void.self)
    let pause = WaitingTime(
      now: { .zero }, pause: { _ in for await _ in seconds.prefix(1) {} })
    let silenced = SilencedStore(server.store)
    let next = SimulatedServer(
      clock: server.clock, store: server.store, seeing: { _ in silenced }, time: pause)
    let engine = next.engine
    let taken = next.begin { () async -> Bool in
      if some { await engine.takeUpLogins(of: [log]) } else { await engine.takeUpLogins() }
      return true
    }
    for _ in 1...3 {
      next.settle()
      second.yield()
    }
    #expect(taken.value == nil)
    silenced.silence(false)
    second.yield()
    while taken.value == nil { next.settle() }
    #expect(next.wait { await engine.counts().rooms } == 1)
    next.advance(by: .seconds(31))
    #expect(next.wait { await engine.durableState(of: log)?.members.isEmpty } == true)
  }

  @Test("ACC-16, NODE-11: of some logs only the accounts among them that have logins are taken up")
  func leftLoginsOfSome() {
    let server = SimulatedServer()
    let room = server.createRoom()
    _ = (server.login("anna"), server.login("ben", .rtm))
    server.login("carl").say(.leave)
    let next = server.restarted()
    let engine = next.engine
    let logs = [room, SpaceName.account("ben").log, SpaceName.account("carl").log, RoomID(high: 1, low: 1)]
    next.wait { await engine.takeUpLogins(of: logs) }
    #expect(next.wait { await engine.counts().rooms } == 1, "ben's account")
    next.advance(by: .seconds(31))
    #expect(
      next.wait { await engine.durableState(of: SpaceName.account("ben").log)?.members.isEmpty } == true)
  }
}
