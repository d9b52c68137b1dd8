import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import TestKit
import Testing

/// Invitations end, and there is an end to how many.
@Suite struct InvitationBoundTests {
  private func invite(_ callee: String = "ben", to channel: String = "lobby", extra: String = "") -> Question
  {
    .invite(channel: channel, account: callee, extra: extra, needsPeer: false, timeout: nil)
  }

  private func answer(_ number: Int, by caller: String = "anna", _ act: InviteAct) -> Question {
    .moveInvite(caller: caller, serial: UInt64(number), act)
  }

  @Test("INV-5: accepting ends an RTM invitation: the 101st is made, and a logout ends nothing")
  func acceptedIsOver() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna", .rtm), server.login("ben", .rtm))
    for number in 1...101 {
      if number % 50 == 0 { server.advance(by: .seconds(3), with: anna, ben) }
      #expect(anna.reply(to: invite()) == .invite(UInt64(number)))
      #expect(ben.reply(to: answer(number, .accept(extra: "yes"))) == .done)
    }
    anna.receive()
    ben.receive()
    #expect(anna.moves.suffix(2) == [.accepted(extra: "yes"), .ended(byCaller: false, extra: "")])
    #expect(anna.mirror.space?.invitations == [:])
    #expect(ben.mirror.space?.calls == [:])
    #expect(ben.refusal(of: answer(101, .end(extra: ""))) == .noSuchInvite)
    let before = ben.news.count
    anna.say(.leave)
    ben.receive()
    #expect(ben.news.count == before)
  }

  @Test("INV-5: in Signaling 100 accepted calls are open; the next one ends the oldest, on both sides")
  func oldestEnds() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let callees = [server.login("ben"), server.login("carl")]
    for number in 1...101 {
      let callee = callees[number % 2]
      if number % 20 == 0 { server.advance(by: .seconds(1), with: anna, callees[0], callees[1]) }
      #expect(anna.reply(to: invite(number % 2 == 0 ? "ben" : "carl")) == .invite(UInt64(number)))
      #expect(callee.reply(to: answer(number, .accept(extra: ""))) == .done)
    }
    for peer in [anna] + callees { peer.receive() }
    #expect(anna.mirror.space?.invitations.keys.min() == 2)
    #expect(anna.mirror.space?.invitations.count == 100)
    #expect(callees[1].news.contains(.ended(byCaller: true, extra: "")))
    #expect(callees[1].mirror.space?.calls.count == 50)
  }

  @Test("INV-5: a callee has 10 calls of one caller that it has not answered; for the 11th it is not there")
  func callsOfOne() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    for number in 1...11 { #expect(anna.reply(to: invite(to: "c\(number)")) == .invite(UInt64(number))) }
    anna.receive()
    ben.receive()
    #expect(ben.mirror.space?.calls.count == 10)
    #expect(anna.moves.count { $0 == .sent } == 10)
    #expect(anna.moves.last == .waiting)
    let carl = server.login("carl")
    #expect(carl.reply(to: invite()) == .invite(1))
    ben.receive()
    #expect(ben.mirror.space?.calls.count == 11)
    server.advance(by: .seconds(20), with: anna, ben, carl)
    #expect(anna.moves.last == .failed(code: 703))
  }

  @Test("INV-5: 100 calls of all callers, and a mebibyte of them, are the end")
  func callsOfAll() {
    let server = SimulatedServer()
    let ben = server.login("ben")
    let extra = String(repeating: "\u{1}", count: 8_192)
    for caller in 1...12 {
      let peer = server.login("caller\(caller)")
      for number in 1...10 { _ = peer.ask(invite(to: "c\(number)", extra: caller < 12 ? "" : extra)) }
    }
    ben.receive()
    #expect(ben.mirror.space?.calls.count == 100)
    let (anna, other) = (server.login("anna"), server.login("carl"))
    for number in 1...10 { _ = anna.ask(invite("carl", to: "c\(number)", extra: extra)) }
    other.receive()
    #expect(other.mirror.space?.calls.count == 5, "48 KiB of JSON each, and a share is 256 KiB")
  }

  @Test("INV-8: a device rings for 10 minutes at most: 704 then, and the callee hears no more of it")
  func ringingEnds() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    #expect(ben.reply(to: answer(1, .ring)) == .done)
    server.advance(by: .milliseconds(599_750), with: anna, ben)
    #expect(anna.moves.last == .ringing)
    server.advance(by: .milliseconds(250), with: anna, ben)
    #expect(anna.moves.last == .failed(code: 704))
    #expect(ben.news == [.offered(extra: ""), .withdrawn])
  }
}
