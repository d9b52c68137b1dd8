import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct RtmClientTests {
  private func pair() -> (world: World, anna: RtmUser, ben: RtmUser) {
    let world = World(seed: 6)
    let (anna, ben) = (RtmUser(world, "anna"), RtmUser(world, "ben"))
    anna.login()
    ben.login()
    world.run(for: 2)
    anna.heard.clear()
    ben.heard.clear()
    return (world, anna, ben)
  }

  @Test("RTM-1..5: RTM's numbers, of reasons and errors too, also of those that nothing here gives")
  func numbers() {
    #expect(RtmConnectionState.allCases.map(\.rawValue) == [1, 2, 3, 4, 5])
    #expect(RtmConnectionReason.allCases.map(\.rawValue) == Array(1...9))
    let logins: [RtmErrorCode] = [
      .ok, .unknown, .rejected, .invalidArgument, .invalidAppId, .invalidToken, .tokenExpired, .notAuthorized,
      .alreadyLogin, .timeout, .tooOften,
    ]
    #expect(logins.map(\.rawValue) == Array(0...10))
    #expect([RtmErrorCode.notInitialized, .notLoggedIn].map(\.rawValue) == [101, 102])
    #expect(
      [RtmErrorCode.ok, .rejected, .notInitialized, .notLoggedIn].map(\.logoutValue) == [0, 1, 101, 102])
  }

  @Test("RTMT-1, RTMT-2, RTML-0, RTMR-1, RTMR-2, RTMR-changed: a login: (2, 1), (3, 2), login block ok")
  func login() {
    let world = World(seed: 6)
    let anna = RtmUser(world, "anna")
    #expect(anna.client.connectionState == .disconnected)
    anna.login()
    world.run(for: 1)
    #expect(anna.heard.texts == ["state 2 1", "state 3 2", "login 0"])
    anna.login()
    world.run(for: 1)
    #expect(anna.heard.texts.last == "login 8")
  }

  @Test(
    "RTMT-3, RTMR-3, RTML-2, RTML-3, RTML-5..7: a refused login: (1, 3), and the block has the error; no attempt follows",
    arguments: [
      (RefusalCode.banned, 2), (.tokenInvalid, 5), (.tokenExpired, 6), (.forbidden, 7), (.badName, 3),
    ])
  func refused(code: RefusalCode, number: Int) {
    let gate = NamedGate()
    gate.refuse("bad", with: code)
    let world = World(seed: 6, gate: gate)
    let anna = RtmUser(world, "anna")
    anna.login(token: "bad")
    world.run(to: 60)
    #expect(anna.heard.texts == ["state 2 1", "state 1 3", "login \(number)"])
    anna.login()
    world.run(to: 61)
    #expect(anna.heard.texts.suffix(3) == ["state 2 1", "state 3 2", "login 0"])
  }

  @Test(
    "RTML-3, RTML-4, RTMX-ids: a bad app id and a bad user id fail at once",
    arguments: [
      ("", "anna", 4), ("app", "", 3), ("app", String(repeating: "a", count: 65), 3),
    ])
  func badNames(appId: String, user: String, number: Int) {
    let world = World(seed: 6)
    let anna = RtmUser(world, user, appId: appId)
    anna.login()
    world.run(for: 1)
    #expect(anna.heard.texts == ["login \(number)"])
    #expect(anna.network.passed(.toServer) == 0)
  }

  @Test(
    "RTMT-13, RTMR-6, RTMQ-0, RTMQ-102: a logout: (1, 6); members have memberLeft at once; again: not logged in"
  )
  func logout() throws {
    let (world, anna, ben) = pair()
    anna.join()
    ben.join()
    world.run(for: 1)
    ben.heard.clear()
    anna.heard.clear()
    let began = world.seconds
    anna.logout()
    world.run(for: 5)
    #expect(anna.heard.texts == ["state 1 6", "logout 0"])
    #expect(ben.heard.texts("member") == ["memberLeft anna"])
    #expect(try #require(ben.heard.second(of: "memberLeft anna")) < began + 0.6)
    anna.logout()
    world.run(for: 1)
    #expect(anna.heard.texts.last == "logout 102")
  }

  @Test("RTMT-9: a logout while reconnecting: (1, 6), and no attempt follows")
  func logoutAway() {
    let (world, anna, _) = pair()
    anna.network.set(.cut)
    world.run(for: 6)
    anna.logout()
    world.run(for: 1)
    anna.network.set(.clear)
    world.run(for: 60)
    #expect(anna.heard.texts == ["state 4 5", "state 1 6", "logout 0"])
  }

  @Test("RTMR-7: removed by the server: (1, 7)")
  func banned() {
    let (world, anna, _) = pair()
    world.kick("rtm", from: .account("anna"))
    world.run(for: 60)
    #expect(anna.heard.texts == ["state 1 7"])
  }

  @Test("RTM channels: join, members, messages to the others, leave; one's own are not told")
  func channels() {
    let (world, anna, ben) = pair()
    anna.join()
    world.run(for: 1)
    let room = ben.join()
    world.run(for: 1)
    #expect(anna.heard.texts == ["join 0", "memberJoined ben"])
    #expect(ben.heard.texts == ["join 0"])
    let members = world.perform {
      await withCheckedContinuation { next in
        room.getMembers { members, _ in next.resume(returning: members) }
      }
    }
    #expect(members == ["anna", "ben"])
    ben.say("hello")
    world.run(for: 1)
    #expect(ben.heard.texts.last == "said hello 0")
    #expect(anna.heard.texts.last == "ben: hello")
    room.leave { [heard = ben.heard] in heard.add("leave \($0.rawValue)") }
    world.run(for: 1)
    #expect(ben.heard.texts.last == "leave 0")
    #expect(anna.heard.texts.last == "memberLeft ben")
    ben.say("late")
    room.leave { [heard = ben.heard] in heard.add("leave \($0.rawValue)") }
    world.run(for: 1)
    #expect(ben.heard.texts.suffix(2) == ["said late 202", "leave 202"])
  }

  @Test("RTMM-offline, X-50: to a user that is not there: kept and delivered, or unreachable")
  func offline() {
    let (world, anna, _) = pair()
    let carl = RtmUser(world, "carl")
    anna.send("kept", to: "carl")
    anna.send("not kept", to: "carl", holds: false)
    world.run(for: 1)
    #expect(anna.heard.texts.sorted() == ["sent kept 0", "sent not kept 203"])
    carl.login()
    world.run(for: 1)
    #expect(carl.heard.texts == ["state 2 1", "state 3 2", "login 0", "peer anna: kept"])
    carl.logout()
    world.run(for: 1)
    carl.login()
    world.run(for: 1)
    #expect(carl.heard.texts("peer").count == 1, "acknowledged, it does not come again")
  }

  @Test("RTM attributes of users and channels, and who is signed in")
  func attributes() throws {
    let (world, anna, ben) = pair()
    anna.client.setLocalUserAttributes(["a": "1", "b": "2"], completion: nil)
    world.run(for: 1)
    anna.client.setLocalUserAttributes(["b": "3"], completion: nil)
    world.run(for: 1)
    anna.client.addOrUpdateLocalUserAttributes(["c": "4"], completion: nil)
    anna.client.deleteLocalUserAttributesByKeys(["b"], completion: nil)
    world.run(for: 1)
    let client = ben.client
    #expect(world.perform { try? await client.getUserAllAttributes("anna") } == ["c": "4"])
    ben.join()
    world.run(for: 1)
    anna.client.addOrUpdateChannel("room", attributes: ["topic": "waves"], completion: nil)
    world.run(for: 1)
    #expect(ben.heard.texts.last == "attributes [\"topic=waves\"]")
    #expect(world.perform { try? await client.getChannelAllAttributes("room") } == ["topic": "waves"])
    let status = world.perform { try? await client.queryPeersOnlineStatus(["anna", "carl"]) }
    #expect(status == ["anna": true, "carl": false])
  }

  @Test("RTML-10, RTMX-login, -send, -attributes, -members: at the limit, and one over")
  func rates() {
    let (world, anna, _) = pair()
    let codes = Box<[String: [Int]]>([:])
    @Sendable func note(_ what: String) -> @Sendable (RtmErrorCode) -> Void {
      { code in codes.change { $0[what, default: []].append(code.rawValue) } }
    }
    world.run(for: 10)
    for _ in 0...180 { anna.client.createChannel("none").sendMessage("x", completion: note("send")) }
    for _ in 0...10 { anna.client.setLocalUserAttributes(["a": "1"], completion: note("set")) }
    world.run(for: 1)
    #expect(codes.value["send"]?.filter { $0 == 10 }.count == 1)
    #expect(codes.value["set"]?.filter { $0 == 10 }.count == 1)
    let room = anna.join("m")
    world.run(for: 1)
    for _ in 0...5 { room.getMembers { note("members")($1) } }
    world.run(for: 1)
    #expect(codes.value["members"] == [0, 0, 0, 0, 0, 10])
    let carl = RtmUser(world, "carl")
    for _ in 0..<2 {
      carl.login()
      carl.logout()
      world.run(for: 0.2)
    }
    carl.login()
    world.run(for: 0.2)
    #expect(carl.heard.texts.last == "login 10")
  }

  @Test("RTMX-message, -attributeSizes, -channels, X-7, X-68: at the limit, and one over")
  func sizes() {
    let (world, anna, _) = pair()
    anna.join()
    world.run(for: 1)
    func code(_ start: (@escaping @Sendable (RtmErrorCode) -> Void) -> Void) -> Int? {
      let box = Box<Int?>(nil)
      start { box.value = $0.rawValue }
      world.run(for: 1)
      return box.value
    }
    let channel = anna.client.createChannel("room")
    let most = String(repeating: "x", count: 32 << 10)
    #expect(code { channel.sendMessage(most, completion: $0) } == 0)
    #expect(code { channel.sendMessage(most + "x", completion: $0) } == 201)
    let key = String(repeating: "k", count: 32)
    let value = String(repeating: "v", count: 8 << 10)
    #expect(code { anna.client.setLocalUserAttributes([key: value], completion: $0) } == 0)
    #expect(code { anna.client.setLocalUserAttributes([key + "k": "v"], completion: $0) } == 3)
    #expect(code { anna.client.setLocalUserAttributes([key: value + "v"], completion: $0) } == 201)
    let many = Dictionary(uniqueKeysWithValues: (0..<33).map { ("k\($0)", "v") })
    #expect(code { anna.client.setLocalUserAttributes(many, completion: $0) } == 206)
    for number in 1..<20 {
      #expect(code { anna.client.createChannel("c\(number)").join(completion: $0) } == 0)
    }
    #expect(code { anna.client.createChannel("c20").join(completion: $0) } == 206)
  }

  @Test("RTMX-join, -invite, -attributeTotals, -status: at the limit, and one over")
  func moreLimits() {
    let (world, anna, ben) = pair()
    let codes = Box<[Int]>([])
    let note: @Sendable (RtmErrorCode) -> Void = { code in codes.change { $0.append(code.rawValue) } }
    func taken() -> [Int] {
      world.run(for: 6)
      defer { codes.value = [] }
      return codes.value
    }
    let room = anna.client.createChannel("room")
    for _ in 0..<3 {
      room.join(completion: note)
      world.run(for: 0.5)
      room.leave(completion: nil)
      world.run(for: 0.5)
    }
    #expect(taken() == [0, 0, 10])
    let half = String(repeating: "v", count: (8 << 10) - 1)
    anna.client.setLocalUserAttributes(["a": half, "b": half], completion: note)
    anna.client.setLocalUserAttributes(["a": half, "b": half + "v"], completion: note)
    #expect(taken().sorted() == [0, 201])
    let client = anna.client
    func status(_ count: Int) -> Int? {
      let users = (1..<count).map { "u\($0)" } + ["ben"]
      return world.perform { try? await client.queryPeersOnlineStatus(users).count { $0.value } }
    }
    #expect(status(257) == nil)
    #expect(status(256) == 1, "one question, one answer")
    func invite(_ bytes: Int) -> Bool {
      let content = String(repeating: "c", count: bytes)
      return world.perform {
        (try? await client.sendLocalInvitation(to: "ben", content: content, channelId: "room")) != nil
      }
    }
    #expect(invite(8 << 10))
    #expect(!invite((8 << 10) + 1))
    #expect(ben.client.connectionState == .connected)
  }

  @Test("RTMX-sendTimeout: a message without a receipt fails after 10 s, with RTM's timeout")
  func sendTimeout() throws {
    let (world, anna, _) = pair()
    anna.join()
    world.run(for: 1)
    anna.network.set(.silent)
    let began = world.seconds
    anna.say("x")
    world.run(for: 12)
    #expect(abs(try #require(anna.heard.second(of: "said x 9")) - began - 10) < 0.1)
  }

  @Test("RTMX-memberCount: once at the join, then once a second however many came")
  func memberCount() {
    let (world, anna, ben) = pair()
    anna.join()
    world.run(for: 2)
    let carl = RtmUser(world, "carl")
    carl.login()
    world.run(for: 2)
    anna.counts.clear()
    ben.join()
    carl.join()
    world.run(for: 3)
    #expect(anna.counts.texts == ["2", "3"])
    let seconds = anna.counts.all.map(\.second)
    #expect(seconds[1] - seconds[0] >= 0.99)
  }

  @Test(
    "RTMX-notices, -memberCount: of 512 members each is told of, of more nobody; the number is told all the same"
  )
  func notices() {
    let (world, anna, ben) = pair()
    world.crowd((1...510).map { "u\($0)" }, .rtm, in: "room")
    anna.join()
    world.run(for: 1)
    ben.join()
    world.run(for: 1)
    #expect(anna.heard.texts("member") == ["memberJoined ben"], "512 of them")
    let carl = RtmUser(world, "carl")
    carl.login()
    carl.join()
    world.run(for: 1)
    carl.join()
    world.run(for: 1)
    #expect(carl.heard.texts.contains("join 0"))
    #expect(anna.heard.texts("member") == ["memberJoined ben"], "513 of them")
    world.run(for: 4)
    #expect(anna.counts.texts.last == "513")
  }

  @Test("RTM invitations: sent, received by the peer, accepted, refused, canceled (7.7 for RTM)")
  func invitations() throws {
    let (world, anna, ben) = pair()
    let (caller, callee) = (anna.client, ben.client)
    func invite() -> RtmInvitation? {
      world.perform { try? await caller.sendLocalInvitation(to: "ben", content: "come", channelId: "room") }
    }
    _ = try #require(invite())
    world.run(for: 1)
    #expect(anna.heard.texts == ["local ben receivedByPeer "])
    #expect(ben.heard.texts == ["remote anna received come"])
    callee.acceptRemoteInvitation(try #require(ben.lastInvitation.value), response: "yes", completion: nil)
    world.run(for: 1)
    #expect(anna.heard.texts.last == "local ben accepted yes")
    #expect(ben.heard.texts.last == "remote anna accepted come")
    _ = try #require(invite())
    world.run(for: 1)
    callee.refuseRemoteInvitation(try #require(ben.lastInvitation.value), response: "no", completion: nil)
    world.run(for: 1)
    #expect(anna.heard.texts.last == "local ben refused no")
    let third = try #require(invite())
    world.run(for: 1)
    caller.cancelLocalInvitation(third, completion: nil)
    world.run(for: 1)
    #expect(anna.heard.texts.last == "local ben canceled ")
    #expect(ben.heard.texts.last == "remote anna canceled come")
  }

  @Test("An RTM invitation is over once it is accepted: a logout later cancels nothing")
  func acceptedIsOver() throws {
    let (world, anna, ben) = pair()
    let (caller, callee) = (anna.client, ben.client)
    let sent = world.perform {
      (try? await caller.sendLocalInvitation(to: "ben", content: "come", channelId: "room")) != nil
    }
    #expect(sent)
    world.run(for: 1)
    callee.acceptRemoteInvitation(try #require(ben.lastInvitation.value), response: "yes", completion: nil)
    world.run(for: 1)
    anna.heard.clear()
    ben.heard.clear()
    anna.logout()
    world.run(for: 2)
    #expect(anna.heard.texts("local").isEmpty)
    #expect(ben.heard.texts("remote").isEmpty)
  }

  @Test("A client that was let go of is gone, and its channels with it")
  func noCircle() {
    let world = World(seed: 6)
    weak var channel: RtmChannel?
    weak var client: RtmClient?
    do {
      let one = RtmClient(configuration: World.services(), context: world.loop, transport: world.network())
      channel = one.createChannel("room")
      client = one
    }
    world.run(for: 1)
    #expect(client == nil)
    #expect(channel == nil)
  }
}
