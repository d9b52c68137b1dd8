import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@Suite struct AskTests {
  @Test("SIG-11, SIG-C5, ASK-2: what is asked about accounts and channels, each with one answer")
  func reading() {
    let server = SimulatedServer(loops: 2)
    let (anna, ben) = (server.login("anna"), server.login("ben", loop: 1))
    let lobby = server.enter("lobby", as: "ben", loop: 1)
    lobby.command(.space(.setAttributes(AttributesSet([.init(name: "topic", value: "tea")]))))
    _ = server.enter("lobby", as: "anna")
    #expect(anna.reply(to: .userStatus(account: "ben")) == .number(1))
    #expect(anna.reply(to: .channelCount(channel: "lobby")) == .number(2))
    #expect(anna.reply(to: .isInChannel(channel: "lobby", account: "ben")) == .number(1))
    #expect(anna.reply(to: .isInChannel(channel: "lobby", account: "carl")) == .number(0))
    #expect(
      anna.reply(to: .channelUsers(channel: "lobby", limit: 10)) == .users(["ben", "anna"], total: 2))
    #expect(anna.reply(to: .channelUsers(channel: "lobby", limit: 1)) == .users(["anna"], total: 2))
    #expect(anna.reply(to: .channelAttributes(channel: "lobby")) == .attributes(["topic": "tea"]))
    #expect(ben.reply(to: .userStatus(account: "anna")) == .number(1))
    #expect(anna.answers.count == 7)
  }

  @Test("ASK-3: reading what is not there answers nothing and makes nothing")
  func readingNothing() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    #expect(anna.reply(to: .userStatus(account: "nobody")) == .number(0))
    #expect(anna.reply(to: .channelCount(channel: "nowhere")) == .number(0))
    #expect(anna.reply(to: .isInChannel(channel: "nowhere", account: "anna")) == .number(0))
    #expect(anna.reply(to: .channelUsers(channel: "nowhere", limit: 5)) == .users([], total: 0))
    #expect(anna.reply(to: .channelAttributes(channel: "nowhere")) == .attributes([:]))
    #expect(anna.reply(to: .clearChannelAttributes(channel: "nowhere")) == .done)
    for name in [SpaceName.account("nobody"), .channel(.signaling, "nowhere")] {
      let store = server.store
      #expect(server.wait { (try? await store.info(of: name.log)) == nil })
    }
  }

  @Test("A read that opens nothing does not stand in the way of who makes the space at the same time")
  func readingWhileMaking() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let peer = server.connect()
    let place = Place(service: .signaling, account: "ben")
    anna.handle.receive(
      WireCodec(.binary).encode(
        client: .ask(Ask(number: 1, question: .userStatus(account: "ben")))), at: server.now)
    peer.say(.hello(Hello(room: place.space.log, place: place, token: "")))
    peer.receive()
    anna.receive()
    #expect(peer.isLive)
    #expect(anna.answers.count == 1)
  }

  @Test(
    "RTMX-status: one question about up to 256 accounts; one more is tooMany, and a name that is none badName"
  )
  func manyStatuses() {
    let server = SimulatedServer(loops: 2)
    let (anna, _) = (server.login("anna", .rtm), server.login("ben", .rtm, loop: 1))
    _ = server.login("carl")
    let names = ["ben", "carl", "anna", "ben"]
    #expect(anna.reply(to: .usersStatus(accounts: names)) == .users(["ben", "anna", "ben"], total: 4))
    #expect(anna.reply(to: .usersStatus(accounts: [])) == .users([], total: 0))
    let most = (1...256).map { "u\($0)" }
    #expect(anna.reply(to: .usersStatus(accounts: most)) == .users([], total: 256))
    #expect(anna.refusal(of: .usersStatus(accounts: most + ["u"])) == .tooMany)
    #expect(anna.refusal(of: .usersStatus(accounts: ["ben", "a b"])) == .badName)
    let readings = (1...40).compactMap { _ in anna.refusal(of: .usersStatus(accounts: ["ben"])) }
    #expect(readings.count { $0 == .rateLimited } == 5, "each counts as one reading (ASK-5)")
  }

  @Test(
    "SPC-1, ACC-1: names are checked at every door: hello, each question, by the service's own limit",
    arguments: [Service.signaling, .rtm])
  func names(_ service: Service) {
    let most = service == .signaling ? 128 : 64
    let bad = ["", "a b", "a\u{7}", "a\u{200B}", String(repeating: "n", count: most + 1)]
    for name in bad {
      let server = SimulatedServer()
      let anna = server.login("anna", service)
      #expect(server.login(name, service).farewell?.refusal.code == .badName)
      #expect(server.enter(name, as: "anna", service).farewell?.refusal.code == .badName)
      let set = AttributesSet([.init(name: "a", value: "1")])
      let questions: [Question] = [
        .userStatus(account: name), .usersStatus(accounts: [name]), .userAttributes(account: name),
        .channelAttributes(channel: name), .channelCount(channel: name),
        .isInChannel(channel: name, account: "anna"), .isInChannel(channel: "lobby", account: name),
        .channelUsers(channel: name, limit: 1), .setChannelAttributes(channel: name, set),
        .setChannelAttributes(channel: "lobby", AttributesSet([.init(name: name, value: "1")])),
        .clearChannelAttributes(channel: name), .say(channel: name, ChannelMessage(id: "1", text: "x")),
        .send(account: name, id: "1", text: "x", holds: true),
        .invite(channel: name, account: "ben", extra: "", needsPeer: false, timeout: nil),
        .invite(channel: "lobby", account: name, extra: "", needsPeer: false, timeout: nil),
        .moveInvite(caller: name, serial: 1, .ring),
      ]
      for (number, question) in questions.enumerated() {
        let code = anna.refusal(of: question)
        // An attribute's name that is too long is a size like that of its value.
        #expect(
          code == .badName || number == 9 && code == .tooLarge,
          "question \(number) with \(name.count): \(String(describing: code))")
      }
      #expect(anna.farewell == nil)
    }
  }

  @Test("SIG-M5, ASK-3: attributes and messages from outside of a channel stand in it with who did it")
  func fromOutside() {
    let server = SimulatedServer()
    let (anna, _) = (server.login("anna"), server.login("ben"))
    let lobby = server.enter("lobby", as: "ben")
    let set = AttributesSet([.init(name: "topic", value: "tea")])
    #expect(anna.reply(to: .setChannelAttributes(channel: "lobby", set)) == .done)
    #expect(anna.reply(to: .say(channel: "lobby", ChannelMessage(id: "1", text: "hello"))) == .done)
    #expect(anna.reply(to: .clearChannelAttributes(channel: "lobby")) == .done)
    lobby.receive()
    #expect(
      lobby.spaceEvents.suffix(3) == [
        .attributesSet(AttributesSet(set.fields, by: "anna")),
        .channelMessage(ChannelMessage(id: "1", text: "hello", by: "anna")),
        .attributesCleared(by: "anna"),
      ])
    #expect(lobby.mirror.space?.attributes == [:])
  }

  @Test("SIG-M4, ASK-5: 60 messages a second of one account, the 61st is rateLimited and recorded once")
  func messageRate() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    let send = { (number: Int) in
      anna.refusal(of: .send(account: "ben", id: "\(number)", text: "x", holds: true))
    }
    #expect((1...60).compactMap(send) == [])
    #expect((61...63).compactMap(send) == [.rateLimited, .rateLimited, .rateLimited])
    #expect(anna.events.count { $0.kindName == "refused" } == 1)
    server.advance(by: .seconds(1), with: anna, ben)
    #expect(send(64) == nil)
    ben.receive()
    #expect(ben.slot()?.lastVersion == 61)
  }

  @Test(
    "ASK-5: RTM's 180 messages in 3 s, 5 lists of members in 2 s, 40 readings in 5 s: one more is rateLimited"
  )
  func otherRates() {
    let server = SimulatedServer()
    let anna = server.login("anna", .rtm)
    let messages = (1...181).map {
      anna.refusal(of: .send(account: "ben", id: "\($0)", text: "", holds: false))
    }
    #expect(messages.prefix(180).allSatisfy { $0 == .peerOffline })
    #expect(messages.last == .rateLimited)
    let lists = (1...6).compactMap { _ in anna.refusal(of: .channelUsers(channel: "c", limit: 1)) }
    #expect(lists == [.rateLimited])
    let readings = (1...41).compactMap { _ in anna.refusal(of: .userStatus(account: "ben")) }
    #expect(readings == [.rateLimited])
  }

  @Test("ASK-1: a question before the welcome ends the connection, one in a room or channel is unknownKind")
  func whereAsking() {
    let server = SimulatedServer()
    let (room, _) = (server.createRoom(), server.login("anna"))
    #expect(server.join(room).refusal(of: .userStatus(account: "anna")) == .unknownKind)
    #expect(server.enter("lobby", as: "anna").refusal(of: .userStatus(account: "anna")) == .unknownKind)
  }

  @Test("ASK-4: who may not write may read, and what it wished to change is recorded as refused")
  func readers() {
    let server = SimulatedServer()
    let anna = server.login("anna", change: { $0.token = "reader" })
    #expect(anna.reply(to: .userStatus(account: "anna")) == .number(1))
    #expect(anna.refusal(of: .send(account: "ben", id: "1", text: "x", holds: true)) == .notWritable)
    #expect(anna.events.count { $0.kindName == "refused" } == 1)
  }

  @Test("SIG-M1, SIG-M7, ACC-15: versions rise by one for each service; what is acknowledged is gone")
  func inbox() {
    let server = SimulatedServer(loops: 2)
    let (anna, ben) = (server.login("anna"), server.login("ben", loop: 1))
    for id in ["a", "b"] {
      #expect(anna.reply(to: .send(account: "ben", id: id, text: "text \(id)", holds: false)) == .done)
    }
    ben.receive()
    #expect(ben.slot()?.inbox.map(\.version) == [1, 2])
    #expect(ben.slot()?.inbox.map(\.from) == ["anna", "anna"])
    ben.command(.space(.acknowledge(1)))
    ben.receive()
    #expect(ben.slot()?.inbox.map(\.id) == ["b"])
    ben.command(.space(.acknowledge(7)))
    ben.receive()
    #expect(ben.refusals.map(\.refusal.code) == [.badParameter])
    ben.say(.leave)
    let back = server.login("ben")
    #expect(back.slot()?.inbox.map(\.id) == ["b"])
  }

  @Test(
    "SIG-M6, X-50, ACC-14: an account that is not there gets what was held, for 3,600 s; without holding: peerOffline"
  )
  func away() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    #expect(anna.refusal(of: .send(account: "ben", id: "1", text: "x", holds: false)) == .peerOffline)
    #expect(anna.reply(to: .send(account: "ben", id: "2", text: "x", holds: true)) == .done)
    server.clock.advance(by: .seconds(3_599))
    #expect(server.login("ben").slot()?.inbox.map(\.id) == ["2"])
    server.clock.advance(by: .seconds(1))
    server.advance(by: .milliseconds(250))
    let again = server.restarted().login("ben")
    #expect(again.slot()?.inbox == [])
    #expect(again.spaceEvents.contains(.inboxExpired(.signaling, 1)))
  }

  @Test("SIG-M1, ACC-14: 8 KiB is a message, one byte more is tooLarge; the mailbox holds 200")
  func limits() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let text = String(repeating: "x", count: 8_192)
    #expect(anna.reply(to: .send(account: "ben", id: "1", text: text, holds: true)) == .done)
    #expect(anna.refusal(of: .send(account: "ben", id: "2", text: text + "x", holds: true)) == .tooLarge)
    let others = ["b", "c", "d", "e"].map { server.login($0) }
    for number in 2...200 {
      let sender = number <= 50 ? anna : others[number / 50 - 1]
      #expect(sender.reply(to: .send(account: "ben", id: "\(number)", text: "", holds: true)) == .done)
    }
    let last = server.login("f")
    #expect(last.refusal(of: .send(account: "ben", id: "201", text: "", holds: true)) == .tooMany)
  }
}
