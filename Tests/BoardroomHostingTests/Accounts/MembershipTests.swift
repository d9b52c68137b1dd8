import BoardroomCodec
import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLog
import EventLogModel
import StorageTestKit
import TestKit
import Testing

@Suite struct MembershipTests {
  @Test("ACC-6: RTM's and Signaling's channels need a login of the same account and service; RTC's do not")
  func needsLogin() {
    let server = SimulatedServer()
    #expect(server.enter("lobby", as: "anna").farewell?.refusal.code == .notConnected)
    _ = server.login("anna", .rtm)
    #expect(server.enter("lobby", as: "anna").farewell?.refusal.code == .notConnected)
    #expect(server.enter("lobby", as: "anna", .rtm).isLive)
    #expect(server.enter("lobby", as: "ben", .rtc).isLive)
  }

  @Test("ACC-9, SIG-C4: entering and leaving a channel stand in the account's log")
  func entriesAreRecorded() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let lobby = server.enter("lobby", as: "anna")
    anna.receive()
    #expect(anna.spaceEvents.contains(.channelEntered("lobby")))
    #expect(anna.slot()?.channels == ["lobby"])
    lobby.say(.leave)
    anna.receive()
    #expect(anna.leftChannels == [ChannelLeft(service: .signaling, channel: "lobby", cause: .left)])
    #expect(anna.slot()?.channels ?? [] == [])
    #expect(server.enter("lobby", as: "anna").isLive)
    anna.receive()
    #expect(anna.slot()?.channels == ["lobby"])
  }

  @Test("SIG-C2, ACC-10: entering another channel leaves the old one by itself")
  func oneAtATime() {
    let server = SimulatedServer(loops: 2)
    let (anna, ben) = (server.login("anna"), server.login("ben", loop: 1))
    let seen = server.enter("first", as: "ben", loop: 1)
    let first = server.enter("first", as: "anna")
    let second = server.enter("second", as: "anna", loop: 1)
    for peer in [anna, ben, seen, first] { peer.receive() }
    #expect(second.isLive)
    #expect(first.farewell != nil)
    #expect(seen.departures == [.left])
    #expect(anna.leftChannels == [ChannelLeft(service: .signaling, channel: "first", cause: .moved)])
    #expect(anna.slot()?.channels == ["second"])
  }

  @Test("SIG-C2, SIG-C8, ACC-10: the special channels are beside the one channel, whichever is entered first")
  func specialOnes() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let first = server.enter("first", as: "anna")
    let special = [SpaceName.userOnline, .channelEvents].map { server.enter($0.text, as: "anna") }
    first.receive()
    #expect(first.isLive)
    #expect(special.allSatisfy { $0.isLive })
    let second = server.enter("second", as: "anna")
    for peer in [anna, first] + special { peer.receive() }
    #expect(second.isLive)
    #expect(first.farewell != nil)
    #expect(special.allSatisfy { $0.farewell == nil })
    #expect(anna.leftChannels.map(\.channel) == ["first"])
    #expect(Set(anna.slot()?.channels ?? []) == ["__agora_user_online", "__agora_channel_event", "second"])
  }

  @Test(
    "SIG-C2, ACC-10: of two channels that are entered at once the account is in one, and a member of no other"
  )
  func twoAtOnce() {
    for loops in [1, 3] {
      let server = SimulatedServer(loops: loops)
      let (anna, ben) = (server.login("anna"), server.login("ben"))
      let places = ["first", "second"].map { Place(service: .signaling, account: "anna", channel: $0) }
      let peers = places.map { _ in server.connect() }
      server.loops[0].perform {
        for (peer, place) in zip(peers, places) {
          let hello = Hello(room: place.space.log, place: place, token: "")
          peer.handle.receive(WireCodec(.binary).encode(client: .hello(hello)), at: server.now)
        }
      }
      server.settle()
      for peer in peers + [anna] { peer.receive() }
      server.advance(by: .seconds(1), with: anna, ben)
      for peer in peers { peer.receive() }
      let own = anna.slot()?.channels ?? []
      #expect(own.count == 1)
      for place in places {
        let isIn = ben.reply(to: .isInChannel(channel: place.channel!, account: "anna"))
        #expect(isIn == .number(own.contains(place.channel!) ? 1 : 0), "\(place.channel!), \(loops) loops")
      }
      #expect(peers.count { $0.isLive && $0.farewell == nil } == 1)
    }
  }

  @Test(
    "SIG-C11, ACC-9: a kick from a channel stands in the account's log as kicked, and its member hears why")
  func kicked() {
    let server = SimulatedServer(loops: 2)
    let (anna, ben) = (server.login("anna"), server.login("ben", loop: 1))
    let (first, seen) = (server.enter("lobby", as: "anna"), server.enter("lobby", as: "ben", loop: 1))
    let (engine, lobby) = (server.engine, SpaceName.channel(.signaling, "lobby"))
    let member = first.welcome!.member
    server.wait { _ = try? await engine.kick(member, from: lobby.log, reason: .kickByAdmin) }
    for peer in [anna, ben, first, seen] { peer.receive() }
    #expect(first.farewell?.kick == .kickByAdmin)
    #expect(first.farewell?.comeBack == false)
    #expect(seen.departures == [.kicked])
    #expect(anna.leftChannels == [ChannelLeft(service: .signaling, channel: "lobby", cause: .kicked)])
    #expect(server.enter("lobby", as: "anna").isLive, "it is not a ban")
  }

  @Test("RTMX-channels, ACC-10: RTM is in 20 channels at once, and the 21st is tooMany")
  func manyChannels() {
    let server = SimulatedServer()
    let anna = server.login("anna", .rtm)
    for number in 1...20 { #expect(server.enter("c\(number)", as: "anna", .rtm).isLive) }
    #expect(server.enter("c21", as: "anna", .rtm).farewell?.refusal.code == .tooMany)
    anna.receive()
    #expect(anna.slot(.rtm)?.channels.count == 20)
  }

  @Test(
    "SIG-C11, ACC-11: a logout ends memberships at once, a takeover as replaced",
    arguments: [Service.signaling, .rtm])
  func endOfLogin(_ service: Service) {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna", service), server.login("ben", service))
    let seen = server.enter("lobby", as: "ben", service)
    let first = server.enter("lobby", as: "anna", service)
    let again = server.login("anna", service)
    for peer in [seen, again, first] { peer.receive() }
    #expect(seen.departures == [.replaced])
    #expect(first.farewell?.refusal.code == .replaced)
    #expect(again.leftChannels.map(\.cause) == [.replaced])
    let second = server.enter("lobby", as: "anna", service)
    again.say(.leave)
    for peer in [seen, second] { peer.receive() }
    #expect(seen.departures == [.replaced, .left])
    #expect(second.farewell?.comeBack == false)
    #expect(ben.reply(to: .userStatus(account: "anna")) == .number(0))
    #expect(anna.farewell == nil || anna.farewell?.refusal.code == .replaced)
  }

  @Test(
    "TL-7, ACC-12: a login that is back after 29.75 s has lost no membership, nor has its silent channel link"
  )
  func shortOutage() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna", .rtm), server.login("ben", .rtm))
    let seen = server.enter("lobby", as: "ben", .rtm)
    let lobby = server.enter("lobby", as: "anna", .rtm)
    anna.cut()
    lobby.cut()
    server.advance(by: .milliseconds(29_750), with: ben, seen)
    let back = server.login("anna", .rtm, change: anna.comeBack)
    #expect(back.welcome?.resumed == true)
    server.advance(by: .seconds(40), with: ben, seen, back)
    #expect(seen.departures == [])
    let again = server.enter("lobby", as: "anna", .rtm, change: lobby.comeBack)
    #expect(again.welcome?.resumed == true)
  }

  @Test("TL-8, TL-9: at exactly 30.0 s the login is gone, and with it its members, before it can come back")
  func boundary() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna", .rtm), server.login("ben", .rtm))
    let seen = server.enter("lobby", as: "ben", .rtm)
    let lobby = server.enter("lobby", as: "anna", .rtm)
    anna.cut()
    lobby.cut()
    server.advance(by: .milliseconds(29_750), with: ben, seen)
    server.clock.advance(by: .milliseconds(250))
    let tooLate = server.enter("lobby", as: "anna", .rtm, change: lobby.comeBack)
    #expect(tooLate.farewell?.refusal.code == .notConnected)
    let back = server.login("anna", .rtm, change: anna.comeBack)
    #expect(back.welcome?.resumed == false)
    seen.receive()
    #expect(seen.departures == [.timeout])
    #expect(server.enter("lobby", as: "anna", .rtm).isLive)
    back.receive()
    #expect(back.leftChannels.map(\.cause) == [.offline])
  }

  @Test(
    "ACC-13: killed between the account's log and the channel's, the membership ends when the account is opened"
  )
  func killBetweenLogs() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let ben = server.login("ben")
    _ = server.enter("lobby", as: "ben")
    _ = server.enter("lobby", as: "anna")
    server.commits = false
    anna.say(.leave)
    // The account's log holds the logout; what the channel made of it is not on disk.
    server.commit()
    server.store.losePending()
    _ = ben
    let next = server.restarted()
    let other = next.login("carl")
    // Opens the channel, which asks after its members then.
    _ = other.ask(.channelCount(channel: "lobby"))
    #expect(other.reply(to: .channelCount(channel: "lobby")) == .number(1))
    let again = next.login("anna")
    #expect(again.slot()?.channels ?? [] == [])
    #expect(again.leftChannels.map(\.cause) == [.offline])
  }

  @Test("ACC-13: killed before the account knows of a leave, it finds out when it is opened")
  func killAfterLeave() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let lobby = server.enter("lobby", as: "anna")
    server.commits = false
    lobby.say(.leave)
    server.commit()
    server.store.losePending()
    let next = server.restarted()
    let back = next.login("anna", change: anna.comeBack)
    back.receive()
    #expect(back.welcome?.resumed == true)
    #expect(back.slot()?.channels ?? [] == [])
  }

  @Test("ACC-12: after a restart members stay for as long as the logins have their grace")
  func restart() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna", .rtm), server.login("ben", .rtm))
    _ = server.enter("lobby", as: "anna", .rtm)
    let seen = server.enter("lobby", as: "ben", .rtm)
    let next = server.restarted()
    let bens = next.login("ben", .rtm, change: ben.comeBack)
    let again = next.enter("lobby", as: "ben", .rtm, change: seen.comeBack)
    #expect(again.welcome?.resumed == true)
    next.advance(by: .milliseconds(29_500), with: bens, again)
    #expect(again.departures == [])
    next.advance(by: .seconds(1), with: bens, again)
    #expect(again.departures == [.timeout])
    _ = anna
  }
}
