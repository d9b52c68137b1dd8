import BoardroomCodec
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

extension SimulatedPeer {
  fileprivate func say(_ text: String) {
    command(.space(.say(ChannelMessage(id: "1", text: text))))
    receive()
  }

  fileprivate var heard: [String] {
    spaceEvents.compactMap { if case .channelMessage(let message) = $0 { message.text } else { nil } }
  }
}

@Suite("What accounts and channels send to who comes in")
struct SpaceCatchUpTests {
  private let page = String(repeating: "x", count: 30 << 10)

  @Test(
    "SPC-14, TL-7: what a stay has missed comes in order, however much it was; a restart changes nothing",
    arguments: [false, true])
  func ownStay(restarts: Bool) {
    var server = SimulatedServer()
    let (anna, _) = (server.login("anna", .rtm), server.login("ben", .rtm))
    var (annas, bens) = (server.enter("lobby", as: "anna", .rtm), server.enter("lobby", as: "ben", .rtm))
    bens.say("before")
    annas.receive()
    annas.cut()
    for number in 1...4 { bens.say("\(number)\(page)") }
    if restarts {
      server = server.restarted()
      _ = server.login("anna", .rtm, change: anna.comeBack)
      bens = server.enter("lobby", as: "ben", .rtm, change: bens.comeBack)
    }
    let back = server.enter("lobby", as: "anna", .rtm, change: annas.comeBack)
    back.takeOver(annas)
    annas = back
    annas.receive()
    #expect(annas.plan?.mode == .delta)
    #expect(annas.plan?.reason == .ownStay)
    #expect(annas.heard.map { $0.prefix(1) } == ["1", "2", "3", "4"])
  }

  @Test("SPC-14: who comes into a channel is not told what was said before, whatever cursor it names")
  func newStay() {
    let server = SimulatedServer()
    let ada = server.enter("lobby", as: "ada", .rtc)
    ada.say("secret")
    ada.command(.space(.setAttributes(AttributesSet([.init(name: "topic", value: "tea")]))))
    let cursors: [Cursor?] = [nil, ada.welcome.map { Cursor(epoch: $0.epoch, revision: .zero) }]
    for (number, cursor) in cursors.enumerated() {
      let late = server.enter("lobby", as: "late\(number)", .rtc) { $0.cursor = cursor }
      #expect(late.isLive)
      #expect(late.plan?.mode == .snapshot)
      #expect(late.plan?.reason == .newStay)
      #expect(late.heard == [])
      #expect(late.events.isEmpty)
      #expect(late.mirror.space?.attributes == ["topic": "tea"])
      #expect(late.mirror.members.count == number + 2)
      ada.say("hello \(number)")
      late.receive()
      #expect(late.heard == ["hello \(number)"])
      #expect(late.faults == [])
    }
  }

  @Test("A stay's own cursor counts from its join on, also after a restart", arguments: [false, true])
  func cursorBeforeTheStay(restarts: Bool) throws {
    var server = SimulatedServer()
    let ada = server.enter("lobby", as: "ada", .rtc)
    ada.say("secret")
    server.advance(by: .seconds(1)) { ada.say(.heartbeat(1)) }
    let bob = server.enter("lobby", as: "bob", .rtc)
    let welcome = try #require(bob.welcome)
    bob.cut()
    if restarts { server = server.restarted() }
    let back = server.enter("lobby", as: "bob", .rtc) {
      bob.comeBack(&$0)
      $0.cursor = Cursor(epoch: welcome.epoch, revision: 1)
    }
    #expect(back.welcome?.resumed == true, "\(back.notices)")
    #expect(back.plan?.mode == .snapshot, "\(back.notices)")
    #expect(back.heard == [])
    #expect(back.faults == [])
  }

  @Test(
    "Many who come while the log is slow share one picture, and none hears what was said before it came"
  )
  func crowd() {
    let server = SimulatedServer()
    let ada = server.enter("lobby", as: "ada", .rtc)
    server.commits = false
    var late: [SimulatedPeer] = []
    for number in 0..<5 {
      late.append(server.enter("lobby", as: "late\(number)", .rtc))
      ada.command(.space(.say(ChannelMessage(id: "1", text: "\(number)"))))
    }
    for _ in 0..<4 { server.commit() }
    server.commits = true
    for (number, peer) in late.enumerated() {
      peer.receive()
      #expect(peer.isLive)
      #expect(peer.faults == [])
      #expect(peer.mirror.members.count == 6)
      #expect(peer.heard.allSatisfy { Int($0) ?? 0 >= number })
    }
    ada.say("all")
    for peer in late {
      peer.receive()
      #expect(peer.heard.last == "all")
    }
  }

  @Test(
    "SPC-14, FACE-1: an account's login that is back hears of its invitations, however much else came meanwhile"
  )
  func account() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    _ = anna.ask(.invite(channel: "c", account: "ben", extra: "", needsPeer: false, timeout: nil))
    anna.receive()
    anna.cut()
    #expect(ben.reply(to: .moveInvite(caller: "anna", serial: 1, .accept(extra: "yes"))) == .done)
    for number in 1...20 {
      let text = String(repeating: "x", count: 8_000)
      #expect(ben.reply(to: .send(account: "anna", id: "\(number)", text: text, holds: true)) == .done)
    }
    let back = server.login("anna", change: anna.comeBack)
    back.takeOver(anna)
    back.receive()
    #expect(back.plan?.mode == .delta)
    #expect(back.moves == [.accepted(extra: "yes")])
  }
}
