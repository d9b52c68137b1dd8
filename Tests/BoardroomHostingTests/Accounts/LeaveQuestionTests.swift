import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

/// A login leaves a channel by a question of its own, because the channel's connection is not there to say it.
@Suite struct LeaveQuestionTests {
  private static let lobby = SpaceName.channel(.signaling, "lobby")

  @Test(
    "ACC-18: a login that asks to leave a channel is out of it, once, and the others see it leave",
    arguments: [Service.signaling, .rtm])
  func once(_ service: Service) {
    let server = SimulatedServer(loops: 2)
    let (anna, ben) = (server.login("anna", service), server.login("ben", service, loop: 1))
    let seen = server.enter("lobby", as: "ben", service, loop: 1)
    server.enter("lobby", as: "anna", service).cut()
    #expect(anna.reply(to: .leaveChannel(channel: "lobby")) == .done)
    seen.receive()
    #expect(seen.departures == [.left])
    #expect(anna.leftChannels == [ChannelLeft(service: service, channel: "lobby", cause: .left)])
    #expect(anna.slot(service)?.channels ?? [] == [])
    #expect(ben.reply(to: .isInChannel(channel: "lobby", account: "anna")) == .number(0))
    #expect(anna.reply(to: .leaveChannel(channel: "lobby")) == .done)
    seen.receive()
    #expect(seen.departures == [.left])
    #expect(anna.leftChannels.count == 1)
  }

  @Test("ACC-18: the channel's own connection, if it is still there, is told that the member has left")
  func ownConnection() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let lobby = server.enter("lobby", as: "anna")
    #expect(anna.reply(to: .leaveChannel(channel: "lobby")) == .done)
    lobby.receive()
    #expect(lobby.farewell?.refusal.code == .notMember)
    #expect(lobby.farewell?.comeBack == false)
  }

  @Test("ACC-18: who has left over the channel's connection, or never was there, is answered done")
  func notThere() {
    let server = SimulatedServer()
    let (anna, _) = (server.login("anna"), server.login("ben"))
    let seen = server.enter("lobby", as: "ben")
    server.enter("lobby", as: "anna").say(.leave)
    for channel in ["lobby", "nowhere"] {
      #expect(anna.reply(to: .leaveChannel(channel: channel)) == .done)
    }
    seen.receive()
    #expect(seen.departures == [.left])
    let (store, nowhere) = (server.store, SpaceName.channel(.signaling, "nowhere"))
    #expect(server.wait { (try? await store.info(of: nowhere.log)) == nil }, "nothing is made (ASK-3)")
  }

  @Test("ACC-18, ASK-2: the answer comes once both logs hold that the member is gone")
  func answeredOnceKept() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    server.enter("lobby", as: "anna").cut()
    server.commits = false
    anna.say(.ask(Ask(number: 1, question: .leaveChannel(channel: "lobby"))))
    anna.receive()
    var commits = 0
    while anna.answers.isEmpty, commits < 10 {
      let isOut =
        server.events(of: Self.lobby).contains(.members(.left(.left)))
        && server.events(of: .account("anna")).contains { event in
          if case .space(.channelLeft) = event { true } else { false }
        }
      #expect(!isOut, "nothing but the answer is missing after \(commits) commits")
      server.commit()
      anna.receive()
      commits += 1
    }
    #expect(anna.answers == [Answer(number: 1, result: .success(.done))])
  }

  @Test("ACC-18: who comes in again after it is in, also where the end before is not known yet")
  func enteredAgain() {
    let server = SimulatedServer(loops: 2)
    let (anna, _) = (server.login("anna"), server.login("ben"))
    let seen = server.enter("lobby", as: "ben")
    server.enter("lobby", as: "anna").cut()
    server.commits = false
    anna.say(.ask(Ask(number: 1, question: .leaveChannel(channel: "lobby"))))
    let again = server.enter("lobby", as: "anna", loop: 1)
    server.commits = true
    server.settle()
    for peer in [anna, again, seen] { peer.receive() }
    #expect(anna.answers == [Answer(number: 1, result: .success(.done))])
    #expect(again.isLive)
    #expect(again.farewell == nil)
    #expect(seen.departures == [.left])
    #expect(anna.slot()?.channels == ["lobby"])
  }

  @Test(
    "ACC-18, ACC-13: killed before the answer, it is asked again of the next host, and the member leaves once"
  )
  func killed() {
    for commits in 0...3 {
      let server = SimulatedServer()
      let (anna, ben) = (server.login("anna"), server.login("ben"))
      let seen = server.enter("lobby", as: "ben")
      server.enter("lobby", as: "anna").cut()
      server.commits = false
      anna.say(.ask(Ask(number: 1, question: .leaveChannel(channel: "lobby"))))
      for _ in 0..<commits { server.commit() }
      server.store.losePending()
      let next = server.restarted()
      let (back, bens) = (
        next.login("anna", change: anna.comeBack), next.login("ben", change: ben.comeBack)
      )
      let again = next.enter("lobby", as: "ben", change: seen.comeBack)
      #expect(back.welcome?.resumed == true)
      #expect(back.reply(to: .leaveChannel(channel: "lobby")) == .done)
      #expect(bens.reply(to: .isInChannel(channel: "lobby", account: "anna")) == .number(0))
      again.receive()
      let departures = next.events(of: Self.lobby).filter { event in
        if case .members(.left) = event { true } else { false }
      }
      #expect(departures == [.members(.left(.left))], "after \(commits) commits")
      #expect(back.slot()?.channels ?? [] == [])
    }
  }

  @Test("ACC-18, ASK-4: a reader leaves as well, and where channels follow no login it is unknownKind")
  func whoMay() {
    let server = SimulatedServer()
    let reader = server.login("anna", change: { $0.token = "reader" })
    server.enter("lobby", as: "anna", change: { $0.token = "reader" }).cut()
    #expect(reader.reply(to: .leaveChannel(channel: "lobby")) == .done)
    #expect(reader.slot()?.channels ?? [] == [])
    #expect(reader.refusal(of: .leaveChannel(channel: "a b")) == .badName)
    for service in [Service.rtc, .white] {
      #expect(server.login("ben", service).refusal(of: .leaveChannel(channel: "lobby")) == .unknownKind)
    }
  }

  @Test("ASK-5: 40 leaves in 5 s, beside 40 readings: one more is rateLimited")
  func rate() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let leaves = (1...41).compactMap { _ in anna.refusal(of: .leaveChannel(channel: "lobby")) }
    #expect(leaves == [.rateLimited])
    #expect(anna.reply(to: .userStatus(account: "anna")) == .number(1))
  }

  @Test("ACC-18: the welcome says whether the question is answered: to logins of RTM and Signaling")
  func announced() {
    let server = SimulatedServer()
    let room = server.createRoom()
    for service in [Service.signaling, .rtm] {
      #expect(server.login("anna", service).welcome?.acceptsLeaveChannel == true)
      #expect(server.enter("lobby", as: "anna", service).welcome?.acceptsLeaveChannel == false)
    }
    for service in [Service.rtc, .white] {
      #expect(server.login("ben", service).welcome?.acceptsLeaveChannel == false)
    }
    // A member may have the name of a service.
    #expect(server.join(room, uid: "rtm").welcome?.acceptsLeaveChannel == false)
    _ = server.login("rtm", .rtm)
    #expect(server.enter("lobby", as: "rtm", .rtm).welcome?.acceptsLeaveChannel == false)
  }
}
