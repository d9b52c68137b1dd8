import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

/// Channels of Signaling beyond joining and leaving: special ones, built-in attributes, rates, lists.
@Suite struct SignalingChannelTests {
  private let world = World(seed: 12)

  private func user(_ account: String, in channel: String? = nil) -> SignalingUser {
    let user = SignalingUser(world, account)
    user.login()
    world.run(for: 1)
    if let channel { user.client.channelJoin(channel) }
    world.run(for: 1)
    user.heard.clear()
    return user
  }

  private func set(_ name: String, _ value: String, by user: SignalingUser) {
    user.client.channelSetAttr("room", name: name, value: value)
    world.run(for: 1)
  }

  /// Updates of one attribute, with the second of each.
  private func updates(of name: String, at user: SignalingUser) -> [(second: Double, value: String)] {
    let start = "onChannelAttrUpdated room \(name) "
    return user.heard.all.filter { $0.text.hasPrefix(start) }.map { line in
      (line.second, String(line.text.dropFirst(start.count).prefix { $0 != " " }))
    }
  }

  // MARK: Special channels

  @Test(
    "SIG-C6, SIG-C7, SIG-C8, X-42: who joins the special channels hears of logins and logouts, joins and leaves, and stays in its own channel"
  )
  func special() {
    let watcher = user("watcher", in: "room")
    for name in ["__agora_user_online", "__agora_channel_event"] {
      watcher.client.channelJoin(name)
      world.run(for: 1)
    }
    #expect(
      watcher.heard.texts.filter { $0.hasPrefix("onChannelJoined") || $0.hasPrefix("onChannelLeaved") } == [
        "onChannelJoined __agora_user_online", "onChannelJoined __agora_channel_event",
      ], "the one channel is not left for them (SIG-C2)")
    watcher.heard.clear()
    let ada = user("ada", in: "lobby")
    ada.client.channelLeave("lobby")
    world.run(for: 1)
    ada.client.logout()
    world.run(for: 1)
    let told = "onMessageChannelReceive __agora_"
    #expect(
      watcher.heard.texts == [
        told + #"user_online ada 0 {"account":"ada","event":"login"}"#,
        told + #"channel_event ada 0 {"account":"ada","channel":"lobby","event":"join"}"#,
        told + #"channel_event ada 0 {"account":"ada","channel":"lobby","event":"leave"}"#,
        told + #"user_online ada 0 {"account":"ada","event":"logout"}"#,
      ])
    watcher.heard.clear()
    watcher.client.messageChannelSend("room", msg: "still here", msgID: "1")
    watcher.client.messageChannelSend("__agora_user_online", msg: "no", msgID: "2")
    world.run(for: 1)
    #expect(
      watcher.heard.texts("onMessageChannelReceive") == ["onMessageChannelReceive room watcher 0 still here"])
    #expect(watcher.heard.texts("onMessageSendError") == ["onMessageSendError 2 400"])
    watcher.client.channelJoin("other")
    world.run(for: 1)
    #expect(watcher.heard.texts("onChannelLeaved") == ["onChannelLeaved room 0"])
    _ = user("ben")
    #expect(watcher.heard.texts.last == told + #"user_online ben 0 {"account":"ben","event":"login"}"#)
    watcher.client.channelLeave("__agora_user_online")
    world.run(for: 1)
    #expect(watcher.heard.texts("onChannelLeaved").last == "onChannelLeaved __agora_user_online 0")
  }

  // MARK: Built-in attributes

  @Test(
    "TL-20, SIGL-channelTtl: at 7,199 s attributes are there and a join stops the countdown; at 7,200 s they are gone"
  )
  func life() {
    let (anna, ben) = (user("anna", in: "room"), user("ben"))
    set("topic", "waves", by: anna)
    anna.client.channelLeave("room")
    let left = world.seconds
    world.run(to: left + 7_199)
    ben.client.channelJoin("room")
    world.run(to: left + 7_205)
    #expect(ben.heard.texts.last == "onChannelAttrUpdated room topic waves update")
    anna.client.channelJoin("room")
    world.run(for: 1)
    #expect(
      anna.heard.texts.last == "onChannelAttrUpdated room topic waves update", "the countdown has stopped")
    ben.client.channelLeave("room")
    anna.client.channelLeave("room")
    world.run(for: 7_201)
    ben.heard.clear()
    ben.client.channelJoin("room")
    world.run(for: 1)
    #expect(ben.heard.texts == ["onChannelJoined room", "onChannelUserList [\"ben\"] [0]"])
  }

  @Test("SIGB-channel_ttl: the seconds that an empty channel stays, as set")
  func ttl() {
    let anna = user("anna", in: "room")
    set("_channel_ttl", "10", by: anna)
    for (wait, isThere) in [(9.0, true), (10.5, false)] {
      anna.client.channelLeave("room")
      world.run(for: wait)
      anna.heard.clear()
      anna.client.channelJoin("room")
      world.run(for: 0.3)
      #expect(anna.heard.texts.contains("onChannelAttrUpdated room _channel_ttl 10 update") == isThere)
    }
  }

  @Test(
    "TL-21, SIGB-member_num, SIGB-auto_update_num: 40 joins in 12 s: one number at 5, 10 and 15 s, none at 20"
  )
  func numbers() throws {
    let anna = user("anna", in: "room")
    anna.client.channelSetAttr("room", name: "_auto_update_num", value: "5")
    world.run(for: 0.1)
    let set = try #require(updates(of: "_auto_update_num", at: anna).first).second
    for number in 0..<40 {
      world.loop.execute(after: .milliseconds(Int64(number) * 300)) { [world] in
        world.enter(Place(service: .signaling, account: "u\(number)", channel: "room"))
      }
    }
    world.run(to: set + 24)
    let told = updates(of: "_member_num", at: anna)
    #expect(told.map { (($0.second - set) / 5).rounded() * 5 } == [5, 10, 15])
    #expect(told.allSatisfy { abs(($0.second - set).truncatingRemainder(dividingBy: 5)) < 0.6 })
    #expect(told.last?.value == "41")
    #expect(updates(of: "_total_member_num", at: anna).isEmpty, "it needs its own switch")
  }

  @Test(
    "SIGB-total_member_num, SIGB-auto_update_total_num, X-31: switched on, the joins so far are told beside the number"
  )
  func totals() {
    let anna = user("anna", in: "room")
    set("_auto_update_total_num", "1", by: anna)
    world.crowd(["u1"], in: "room")
    world.run(for: 10)
    #expect(updates(of: "_total_member_num", at: anna).isEmpty, "without an interval nothing is told")
    set("_auto_update_num", "2", by: anna)
    let ben = user("ben", in: "room")
    ben.client.channelLeave("room")
    world.run(for: 5)
    #expect(updates(of: "_member_num", at: anna).last?.value == "2")
    #expect(updates(of: "_total_member_num", at: anna).last?.value == "3")
    set("_auto_update_total_num", "0", by: anna)
    anna.heard.clear()
    ben.client.channelJoin("room")
    world.run(for: 5)
    #expect(updates(of: "_member_num", at: anna).last?.value == "3")
    #expect(updates(of: "_total_member_num", at: anna).isEmpty)
  }

  @Test("SIGB-sendmsg_limit, SIGB-setattr_limit, X-33: n a second pass and one more does not: 400, 1001")
  func limits() {
    let anna = user("anna", in: "room")
    set("_sendmsg_limit", "3", by: anna)
    set("_setattr_limit", "2", by: anna)
    for id in 1...4 { anna.client.messageChannelSend("room", msg: "x", msgID: "\(id)") }
    for _ in 1...3 { anna.client.channelSetAttr("room", name: "a", value: "1") }
    anna.client.channelSetAttr("room", name: "b", value: "1")
    world.run(for: 0.5)
    #expect(anna.heard.texts("onMessageSendSuccess").count == 3)
    #expect(anna.heard.texts("onMessageSendError") == ["onMessageSendError 4 400"])
    #expect(updates(of: "a", at: anna).count == 2)
    #expect(updates(of: "b", at: anna).count == 1)
    #expect(anna.heard.texts("onError") == ["onError channelSetAttr 1001"])
    world.run(for: 1)
    anna.heard.clear()
    anna.client.messageChannelSend("room", msg: "x", msgID: "5")
    set("a", "2", by: anna)
    #expect(anna.heard.texts("onMessageSendSuccess") == ["onMessageSendSuccess 5"])
    #expect(updates(of: "a", at: anna).map(\.value) == ["2"])
  }

  // MARK: Rates and lists

  @Test("SIGL-rates, SIG-M4: of 61 messages of a user in a second one is refused, of 201 in a channel one")
  func rates() {
    let users = ["a", "b", "c", "d"].map { user($0, in: "room") }
    for id in 1...61 { users[0].client.messageChannelSend("room", msg: "x", msgID: "\(id)") }
    world.run(for: 0.9)
    #expect(users[0].heard.texts("onMessageSendSuccess").count == 60)
    #expect(users[0].heard.texts("onMessageSendError") == ["onMessageSendError 61 400"])
    world.run(for: 2)
    for id in 1...61 { users[0].client.messageInstantSend("b", msg: "x", msgID: "p\(id)") }
    world.run(for: 0.9)
    #expect(
      users[0].heard.texts("onMessageSendError") == [
        "onMessageSendError 61 400", "onMessageSendError p61 400",
      ])
    world.run(for: 2)
    for user in users { user.heard.clear() }
    for (place, user) in users.enumerated() {
      for id in 1...(place == 0 ? 51 : 50) {
        user.client.messageChannelSend("room", msg: "x", msgID: "\(id)")
      }
    }
    world.run(for: 0.9)
    #expect(users.reduce(0) { $0 + $1.heard.texts("onMessageSendSuccess").count } == 200)
    #expect(users.reduce(0) { $0 + $1.heard.texts("onMessageSendError").count } == 1)
  }

  @Test("SIGL-rates: the limit is one of any second: half a second later nothing has come back of it")
  func anySecond() {
    let anna = user("anna", in: "room")
    for id in 1...60 { anna.client.messageChannelSend("room", msg: "x", msgID: "\(id)") }
    world.run(for: 0.5)
    anna.client.messageChannelSend("room", msg: "x", msgID: "61")
    world.run(for: 0.2)
    #expect(anna.heard.texts("onMessageSendError") == ["onMessageSendError 61 400"])
    world.run(for: 0.5)
    anna.client.messageChannelSend("room", msg: "x", msgID: "62")
    world.run(for: 0.2)
    #expect(anna.heard.texts.contains("onMessageSendSuccess 62"))
  }

  @Test(
    "SIGL-userList, SIGL-userListAll, SIG-C3, X-32: the newest 200 after a join and in userlist, all in userlist_all, the whole number in both"
  )
  func lists() throws {
    let crowd = (1...220).map { "u\($0)" }
    world.crowd(crowd, in: "room")
    let anna = user("anna")
    anna.client.channelJoin("room")
    world.run(for: 1)
    let newest = crowd.suffix(199) + ["anna"]
    let zeros = newest.map { _ in 0 }
    #expect(anna.heard.texts("onChannelUserList") == ["onChannelUserList \(Array(newest)) \(zeros)"])
    func list(_ name: String, _ more: String = "") throws -> (Int, [String]) {
      anna.heard.clear()
      anna.client.invoke("io.agora.signal." + name, req: #"{"name":"room"\#(more)}"#, callID: "c")
      world.run(for: 1)
      let answer = try #require(anna.heard.texts("onInvokeRet c  ").first)
      let reply = try JSONValue.parse(Array(answer.dropFirst("onInvokeRet c  ".count).utf8))
      let list = try #require(reply["list"]?.array)
      return (reply["num"]?.int ?? 0, list.compactMap { $0.array?.first?.string })
    }
    #expect(try list("channel_query_userlist") == (221, Array(newest)))
    #expect(try list("channel_query_userlist_all") == (221, crowd + ["anna"]))
    #expect(try list("channel_query_userlist_all", #","num":2"#) == (221, ["u220", "anna"]))
  }

  // MARK: Messages

  @Test("X-24: a message is any text, counted in bytes; a name has neither spaces nor control characters")
  func texts() {
    let (anna, ben) = (user("anna", in: "room"), user("ben"))
    let text = "你好, {\"a\": [1, 2]}\n\t👋 "
    anna.client.messageChannelSend("room", msg: text, msgID: "1")
    anna.client.messageInstantSend("ben", msg: text, msgID: "2")
    let most = String(repeating: "你", count: 2_730) + "ab"
    anna.client.messageInstantSend("ben", msg: most, msgID: "3")
    anna.client.messageInstantSend("ben", msg: most + "c", msgID: "4")
    world.run(for: 1)
    #expect(anna.heard.texts.contains("onMessageChannelReceive room anna 0 " + text))
    #expect(
      ben.heard.texts == ["onMessageInstantReceive anna 0 " + text, "onMessageInstantReceive anna 0 " + most])
    #expect(anna.heard.texts("onMessageSendError") == ["onMessageSendError 4 1005"])
    for name in ["a room", "room\u{1}", ""] {
      anna.heard.clear()
      anna.client.channelJoin(name)
      anna.client.channelSetAttr("room", name: name, value: "1")
      anna.client.messageInstantSend(name, msg: "x", msgID: "5")
      world.run(for: 1)
      #expect(
        anna.heard.texts == [
          "onChannelJoinFailed \(name) 300", "onError channelJoin 1004", "onError channelSetAttr 1004",
          "onMessageSendError 5 1004",
        ])
    }
  }

  @Test("SIG-M6, SIG-M7: what came while the peer was away comes at its login, in order and once")
  func mailbox() {
    let (anna, ben) = (user("anna"), user("ben"))
    ben.client.logout()
    world.run(for: 1)
    for id in 1...3 { anna.client.messageInstantSend("ben", msg: "\(id)", msgID: "\(id)") }
    anna.client.messageInstantSend("ben", msg: "now", msgID: "4", onlineOnly: true)
    world.run(for: 1)
    #expect(
      anna.heard.texts.sorted() == ["onMessageSendError 4 401"] + (1...3).map { "onMessageSendSuccess \($0)" }
    )
    ben.heard.clear()
    ben.login()
    world.run(for: 1)
    let held = (1...3).map { "onMessageInstantReceive anna 0 \($0)" }
    #expect(ben.heard.texts.dropFirst() == held[...])
    ben.network.set(.cut)
    world.run(for: 1)
    ben.network.set(.clear)
    world.run(for: 10)
    ben.client.logout()
    ben.login()
    world.run(for: 1)
    #expect(ben.heard.texts("onMessageInstantReceive") == held, "an older version is not told again")
  }
}
