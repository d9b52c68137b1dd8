import BoardroomCodec
import BoardroomCore
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@Suite struct InvitationTests {
  private func invite(
    _ callee: String = "ben", extra: String = "", needsPeer: Bool = false, timeout: Duration? = nil
  ) -> Question {
    .invite(channel: "lobby", account: callee, extra: extra, needsPeer: needsPeer, timeout: timeout)
  }

  private func answer(_ act: InviteAct) -> Question { .moveInvite(caller: "anna", serial: 1, act) }
  private func own(_ act: InviteAct) -> Question { .moveInvite(caller: nil, serial: 1, act) }

  @Test("SIG-I1..3, SIG-I9, SIG-I11, SIG-I12: offered, ringing, accepted, tones both ways, ended")
  func wholeCall() {
    let server = SimulatedServer(loops: 2)
    let (anna, ben) = (server.login("anna"), server.login("ben", loop: 1))
    #expect(anna.reply(to: invite(extra: "{\"a\":1}")) == .invite(1))
    ben.receive()
    #expect(ben.news == [.offered(extra: "{\"a\":1}")])
    #expect(ben.reply(to: answer(.ring)) == .done)
    #expect(ben.reply(to: answer(.accept(extra: "yes"))) == .done)
    #expect(anna.reply(to: own(.tones(digits: "1*#"))) == .done)
    #expect(ben.reply(to: answer(.tones(digits: "2"))) == .done)
    #expect(anna.refusal(of: own(.tones(digits: "x"))) == .badParameter)
    #expect(ben.reply(to: answer(.end(extra: "bye"))) == .done)
    for peer in [anna, ben] { peer.receive() }
    #expect(
      anna.moves.dropFirst() == [
        .sent, .ringing, .accepted(extra: "yes"), .tones(byCaller: true, digits: "1*#"),
        .tones(byCaller: false, digits: "2"), .ended(byCaller: false, extra: "bye"),
      ])
    #expect(
      ben.news.dropFirst() == [
        .accepted, .tones(digits: "1*#"), .ended(byCaller: false, extra: "bye"),
      ])
    #expect(anna.mirror.space?.invitations == [:])
    #expect(ben.mirror.space?.calls == [:])
  }

  @Test("SIG-I10: refused with a reason, and no answer after it")
  func refusal() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    #expect(ben.reply(to: answer(.refuse(extra: "busy"))) == .done)
    #expect(ben.refusal(of: answer(.accept(extra: ""))) == .noSuchInvite)
    anna.receive()
    #expect(anna.moves.last == .refused(extra: "busy"))
    #expect(ben.events.count { $0.kindName == "refused" } == 1)
  }

  @Test("SIG-I4: a callee that is not there and has to be: failed at once with 703")
  func needsPeer() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    #expect(anna.reply(to: invite(needsPeer: true)) == .invite(1))
    anna.receive()
    #expect(anna.moves.last == .failed(code: 703))
  }

  @Test("SIG-I5, TL-18: not there for 20 s is 703; who comes at +21 hears of nothing, ever")
  func waitInVain() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    _ = anna.ask(invite())
    server.advance(by: .milliseconds(19_750), with: anna)
    #expect(anna.moves.last == .waiting)
    server.advance(by: .milliseconds(250), with: anna)
    #expect(anna.moves.last == .failed(code: 703))
    server.advance(by: .seconds(1), with: anna)
    let ben = server.login("ben")
    server.advance(by: .seconds(5), with: anna, ben)
    #expect(ben.news == [])
  }

  @Test("SIG-I5, INV-4: a callee that comes within the wait gets the offer then", arguments: [1, 2])
  func waitForCallee(_ loops: Int) {
    let server = SimulatedServer(loops: loops)
    let anna = server.login("anna")
    _ = anna.ask(invite(extra: "x"))
    server.advance(by: .seconds(19), with: anna)
    let ben = server.login("ben", loop: loops - 1)
    ben.receive()
    anna.receive()
    #expect(ben.news == [.offered(extra: "x")])
    #expect(anna.moves.suffix(2) == [.waiting, .sent])
    #expect(ben.reply(to: answer(.ring)) == .done)
  }

  @Test("X-10, INV-4: a login that is only reconnecting cannot be reached; it gets the offer when it is back")
  func reconnectingCallee() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    ben.cut()
    _ = anna.ask(invite())
    #expect(anna.moves.last == .waiting)
    server.advance(by: .seconds(5), with: anna)
    let back = server.login("ben", change: ben.comeBack)
    back.takeOver(ben)
    back.receive()
    anna.receive()
    #expect(anna.moves.last == .sent)
  }

  @Test("No acknowledgement by the callee's device in 20 s is 703, and the offer is withdrawn")
  func noRing() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    server.advance(by: .seconds(20), with: anna, ben)
    #expect(anna.moves.last == .failed(code: 703))
    #expect(ben.news.last == .withdrawn)
  }

  @Test("SIG-I6, TL-19: a timeout of 10 s is 704 at +10; a later accept is refused")
  func timeout() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite(timeout: .seconds(10)))
    #expect(ben.reply(to: answer(.ring)) == .done)
    server.advance(by: .milliseconds(9_750), with: anna, ben)
    #expect(anna.moves.last == .ringing)
    server.advance(by: .milliseconds(250), with: anna, ben)
    #expect(anna.moves.last == .failed(code: 704))
    #expect(ben.news == [.offered(extra: ""), .withdrawn])
    #expect(ben.refusal(of: answer(.accept(extra: ""))) == .noSuchInvite)
  }

  @Test(
    "SIG-I13, INV-5: the same invitation while one is pending is repeatedInvite; after its end it may be made"
  )
  func repeated() {
    let server = SimulatedServer()
    let (anna, _) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    #expect(anna.refusal(of: invite()) == .repeatedInvite)
    #expect(anna.reply(to: own(.end(extra: ""))) == .done)
    #expect(anna.reply(to: invite()) == .invite(2))
  }

  @Test("SIG-I14: ended by its caller before an answer; the callee hears it")
  func cancelled() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    #expect(anna.reply(to: own(.end(extra: "no"))) == .done)
    ben.receive()
    #expect(ben.news.last == .ended(byCaller: true, extra: "no"))
    #expect(ben.refusal(of: answer(.accept(extra: ""))) == .noSuchInvite)
  }

  @Test("INV-3: only its own two sides move an invitation, and each only as its side may")
  func strangers() {
    let server = SimulatedServer()
    let (anna, carl) = (server.login("anna"), server.login("carl"))
    let ben = server.login("ben")
    _ = anna.ask(invite())
    #expect(carl.refusal(of: answer(.accept(extra: ""))) == .noSuchInvite)
    #expect(carl.refusal(of: .moveInvite(caller: "nobody", serial: 1, .ring)) == .noSuchInvite)
    #expect(anna.refusal(of: own(.accept(extra: ""))) == .badParameter)
    #expect(ben.refusal(of: answer(.end(extra: ""))) == .noSuchInvite)
    #expect(ben.reply(to: answer(.ring)) == .done)
  }

  @Test("INV-6: a login that ends takes its invitations along, on either side")
  func logouts() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    _ = anna.ask(.invite(channel: "other", account: "ben", extra: "", needsPeer: false, timeout: nil))
    #expect(ben.reply(to: answer(.accept(extra: ""))) == .done)
    ben.say(.leave)
    anna.receive()
    #expect(anna.moves.suffix(2) == [.ended(byCaller: false, extra: ""), .failed(code: 703)])
    let back = server.login("ben")
    #expect(back.mirror.space?.calls == [:])
    _ = anna.ask(invite())
    anna.say(.leave)
    back.receive()
    #expect(back.news.suffix(2) == [.offered(extra: ""), .withdrawn])
  }

  @Test("INV-7: a restart in the middle of an invitation: it goes on, and its clocks end it")
  func restart() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    #expect(ben.reply(to: answer(.ring)) == .done)
    _ = anna.ask(.invite(channel: "other", account: "carl", extra: "", needsPeer: false, timeout: nil))
    let next = server.restarted()
    next.advance(by: .seconds(5))
    let again = next.login("anna", change: anna.comeBack)
    let bens = next.login("ben", change: ben.comeBack)
    #expect(bens.reply(to: answer(.accept(extra: "late"))) == .done)
    next.advance(by: .seconds(15), with: again, bens)
    #expect(again.moves.suffix(2) == [.accepted(extra: "late"), .failed(code: 703)])
  }

  @Test("INV-7: killed between the two logs, a callee hears no more of an invitation that is over")
  func killBetweenLogs() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    ben.receive()
    server.commits = false
    anna.say(.ask(Ask(number: 9, question: own(.end(extra: "")))))
    server.commit()
    server.store.losePending()
    let next = server.restarted()
    let back = next.login("ben", change: ben.comeBack)
    back.receive()
    #expect(
      back.spaceEvents.contains {
        if case .inviteHeard(let heard) = $0 { heard.news == .withdrawn } else { false }
      })
    #expect(back.mirror.space == nil || back.mirror.space?.calls == [:])
  }

  @Test(
    "INV-6, INV-7: killed when the caller's login had ended and its invitations had not: 702, however late it is found"
  )
  func killAfterLogout() {
    let server = SimulatedServer()
    let joined = MemberJoined(
      session: SessionID(high: 1, low: 2), uid: "signaling", role: .writer, writable: true, payload: nil,
      client: nil)
    func made(_ callee: String, until seconds: Int64?) -> InviteMoved.Move {
      .created(
        service: .signaling, channel: "lobby", callee: callee, extra: "", needsPeer: false,
        until: seconds.map { server.now + .seconds($0) })
    }
    // What followed from the leave in the same turn was lost.
    let moves: [(UInt64, InviteMoved.Move)] = [
      (1, made("ben", until: nil)), (1, .sent), (1, .ringing), (2, made("carl", until: 9)), (2, .waiting),
    ]
    server.write(
      .account("anna"),
      [(.member(0), .members(.joined(joined)))]
        + moves.map { (.member(0), .space(.inviteMoved(InviteMoved(serial: $0, move: $1)))) }
        + [(.member(0), .members(.left(.left)))])
    server.clock.advance(by: .seconds(60))
    let back = server.login("anna")
    #expect(back.mirror.space?.invitations == [:])
    let events = server.events(of: .account("anna"))
    #expect(
      events.suffix(3).prefix(2) == [
        .space(.inviteMoved(InviteMoved(serial: 1, move: .failed(code: 702)))),
        .space(.inviteMoved(InviteMoved(serial: 2, move: .failed(code: 702)))),
      ])
  }

  @Test("INV-6, INV-7: killed when the callee's login had ended: the caller's opening finds it out, 703")
  func killAfterCalleesLogout() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(invite())
    #expect(ben.reply(to: answer(.ring)) == .done)
    server.commits = false
    ben.say(.leave)
    // The callee's log holds the logout; the caller never heard of it.
    server.commit()
    server.store.losePending()
    let next = server.restarted()
    let back = next.login("anna", change: anna.comeBack)
    back.receive()
    #expect(back.moves.last == .failed(code: 703))
    #expect(next.login("ben").mirror.space?.calls == [:])
  }
}
