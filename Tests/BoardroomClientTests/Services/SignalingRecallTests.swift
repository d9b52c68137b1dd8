import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct SignalingRecallTests {
  private let world = World(seed: 33)

  private func told(to account: String) -> [SignalingEvent] {
    let home = world.log(of: .account(account))
    var channels: [String: [RoomEvent]] = [:]
    for name in SignalingRecall.channels(in: home) {
      channels[name] = world.log(of: .channel(.signaling, name))
    }
    return SignalingRecall.told(to: account, home: home, channels: channels).map(\.event)
  }

  private func users(_ names: String...) -> [SignalingUser] {
    names.map { name in
      let user = SignalingUser(world, name)
      user.login()
      world.run(for: 2)
      return user
    }
  }

  private func expectSame(_ user: SignalingUser, _ heard: [SignalingEvent]? = nil) {
    let told = told(to: user.account)
    let heard = heard ?? user.events.all
    let place = zip(told, heard).prefix { $0 == $1 }.count
    #expect(
      told.count == heard.count,
      "they differ at \(place): \(told.dropFirst(place).prefix(3)), heard \(heard.dropFirst(place).prefix(3))"
    )
    #expect(
      place == heard.count,
      "they differ at \(place): \(told.dropFirst(place).prefix(3)), heard \(heard.dropFirst(place).prefix(3))"
    )
  }

  @Test("FACE-6: the logs tell both sides what they heard of invitations, channels, attributes and messages")
  func whole() {
    let pair = users("anna", "carl")
    let (anna, carl) = (pair[0], pair[1])
    for act: @Sendable () -> Void in [
      { anna.client.channelInviteUser2("lobby", account: "carl", extra: "{\"a\":1}") },
      { carl.client.channelInviteAccept("lobby", account: "anna", extra: "{}") },
      { carl.client.channelJoin("lobby") }, { anna.client.channelSetAttr("lobby", name: "a", value: "1") },
      { anna.client.channelJoin("lobby") }, { carl.client.channelDelAttr("lobby", name: "a") },
      { for n in 1...61 { anna.client.messageChannelSend("lobby", msg: "\(n)", msgID: "id\(n)") } },
      { carl.client.channelInviteDTMF("lobby", phoneNum: "anna", dtmf: "12#") },
      { anna.client.channelInviteEnd("lobby", account: "carl") }, { carl.client.channelJoin("other") },
      { anna.client.channelLeave("lobby") },
      { anna.client.channelInviteUser("lobby", account: "carl") },
      { carl.client.channelInviteRefuse("lobby", account: "anna", extra: "{\"no\":1}") },
      { anna.client.channelJoin("other") },
    ] {
      world.loop.execute(act)
      world.run(for: 2)
    }
    world.kick("carl", from: .channel(.signaling, "other"))
    world.run(for: 2)
    anna.client.logout()
    world.run(for: 2)
    expectSame(anna)
    expectSame(carl)
    let home = world.log(of: .account("anna")).compactMap { event -> ChannelLeaveCause? in
      if case .space(.channelLeft(let left)) = event.event { left.cause } else { nil }
    }
    #expect(home == [.left, .logout], "the login was over before its channel was left")
    #expect(anna.events.all.contains(.messageSendError(messageID: "id61", ecode: .sendMessageOther)))
    #expect(carl.events.all.contains(.channelLeaved(channelID: "other", ecode: .leaveChannelKicked)))
  }

  @Test(
    "FACE-6: messages of other accounts, those that came while the client was there and those that waited for it"
  )
  func instant() {
    let pair = users("anna", "bert")
    let (anna, bert) = (pair[0], pair[1])
    for act: @Sendable () -> Void in [
      { anna.client.messageInstantSend("bert", msg: "one", msgID: "1") },
      { anna.client.messageInstantSend("bert", msg: "two", msgID: "2") }, { bert.client.logout() },
      { anna.client.messageInstantSend("bert", msg: "three", msgID: "3") }, { bert.login() },
      { anna.client.messageInstantSend("bert", msg: "four", msgID: "4") },
    ] {
      world.loop.execute(act)
      world.run(for: 2)
    }
    // A login of what is read begins with fd 1.
    func unnumbered(_ events: [SignalingEvent]) -> [SignalingEvent] {
      events.filter { if case .loginSuccess = $0 { false } else { true } }
    }
    let heard = unnumbered(bert.events.all)
    #expect(
      heard.filter { if case .messageInstantReceive = $0 { true } else { false } }.count == 4, "\(heard)")
    #expect(unnumbered(told(to: "bert")) == heard)
  }

  @Test(
    "FACE-6: an outage that a client lived through, with what it missed after it; how often it tried is told as once"
  )
  func outage() {
    let pair = users("anna", "bert")
    for user in pair {
      user.client.channelJoin("lobby")
      world.run(for: 2)
    }
    pair[0].network.set(.cut)
    world.run(for: 10)
    pair[1].client.messageChannelSend("lobby", msg: "still there?", msgID: "1")
    world.run(for: 5)
    pair[0].network.set(.clear)
    world.run(for: 20)
    let heard = pair[0].events.all.filter { event in
      if case .reconnecting(let number) = event { number == 1 } else { true }
    }
    #expect(heard.count < pair[0].events.all.count)
    expectSame(pair[0], heard)
    expectSame(pair[1])
  }

  @Test(
    "FACE-6: clients of one account follow one another: one that was killed, one that took its place, a takeover"
  )
  func several() {
    let stays = StayMemory()
    let bert = users("bert")[0]
    bert.client.channelJoin("lobby")
    var clients: [SignalingUser] = []
    for (seconds, keeps) in [(0.0, true), (25, true), (130, true), (2, false)] {
      if keeps { clients.last?.network.set(.cut) }
      world.run(for: seconds)
      let anna = SignalingUser(world, "anna", stays: keeps ? stays : nil)
      anna.login()
      world.run(for: 2)
      anna.client.channelJoin("lobby")
      world.run(for: 2)
      clients.append(anna)
    }
    let heard = clients.flatMap { $0.events.all.filter { !$0.isOfAnOutage } }
    expectSame(clients[0], heard)
    expectSame(bert)
  }
}

extension SignalingEvent {
  /// What a killed program would not have said any more.
  fileprivate var isOfAnOutage: Bool {
    switch self {
    case .reconnecting, .logout(ecode: .logoutNet), .channelLeaved(_, ecode: .leaveChannelDisconnected): true
    default: false
    }
  }
}
