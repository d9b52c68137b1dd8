import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct SignalingCallTests {
  struct Scene {
    let world = World(seed: 9)
    let anna: SignalingUser
    let ben: SignalingUser

    init(inRoom: Bool = true) {
      (anna, ben) = (SignalingUser(world, "anna"), SignalingUser(world, "ben"))
      for user in [anna, ben] {
        user.login()
        world.run(for: 1)
        if inRoom { user.client.channelJoin("room") }
        world.run(for: 1)
      }
      clear()
    }

    func clear() {
      anna.heard.clear()
      ben.heard.clear()
    }
  }

  // MARK: Calls that outlive a process

  @Test("INV-6: what was accepted before a takeover is not offered again, and can be ended and heard to end")
  func acceptedGoesOn() {
    for endsByCaller in [true, false] {
      let scene = Scene()
      scene.anna.client.channelInviteUser("room", account: "ben")
      scene.world.run(for: 1)
      scene.ben.client.channelInviteAccept("room", account: "anna", extra: "")
      scene.world.run(for: 1)
      let next = SignalingUser(scene.world, "ben")
      next.login()
      scene.world.run(for: 2)
      #expect(next.heard.texts("onInvite").isEmpty)
      scene.clear()
      if endsByCaller {
        scene.anna.client.channelInviteEnd("room", account: "ben")
      } else {
        next.client.channelInviteEnd("room", account: "anna")
      }
      scene.world.run(for: 1)
      let ends = next.heard.texts("onInvite").map { $0.split(separator: " ")[0] }
      #expect(ends == [endsByCaller ? "onInviteEndByPeer" : "onInviteEndByMyself"])
      #expect(scene.anna.heard.texts("onInviteEndBy").count == 1)
    }
  }

  // MARK: Channels

  @Test("SIG-C1, SIG-C3, SIG-C9, SCBK-onChannelJoined, -onChannelUserList, -onChannelUserJoined: a join")
  func join() {
    let scene = Scene(inRoom: false)
    scene.anna.client.channelJoin("room")
    scene.world.run(for: 1)
    scene.anna.client.channelSetAttr("room", name: "topic", value: "waves")
    scene.world.run(for: 1)
    scene.clear()
    scene.ben.client.channelJoin("room")
    scene.world.run(for: 1)
    #expect(
      scene.ben.heard.texts == [
        "onChannelJoined room", "onChannelUserList [\"anna\", \"ben\"] [0, 0]",
        "onChannelAttrUpdated room topic waves update",
      ])
    #expect(scene.anna.heard.texts == ["onChannelUserJoined ben 0"])
  }

  @Test("SIG-C1: joining the channel that one is in, awaited, gives its list again")
  func joinAgain() {
    let scene = Scene(inRoom: false)
    let client = scene.anna.client
    for _ in 0..<2 {
      #expect(scene.world.perform(atMost: 30) { try? await client.join("room") } == ["anna"])
    }
  }

  @Test("SIG-6: an awaited login while the login is on its way back throws that there is one")
  func loginWhileReconnecting() {
    let scene = Scene()
    let client = scene.anna.client
    scene.anna.network.set(.silent)
    scene.world.run(for: 10)
    #expect(scene.anna.getStatus(in: scene.world) == 3)
    let code = scene.world.perform(atMost: 30) { () async -> SignalingCode? in
      do throws(SignalingCode) {
        try await client.login(account: "anna", token: "token")
        return nil
      } catch { return error }
    }
    #expect(code == .loginAlready)
  }

  @Test(
    "SIG-C4, SCBK-onChannelLeaved, -onChannelUserLeaved, SIGE-602, X-26: a leave is told to all; twice: 602")
  func leave() {
    let scene = Scene()
    scene.ben.client.channelLeave("room")
    scene.world.run(for: 1)
    #expect(scene.ben.heard.texts == ["onChannelUserLeaved ben 0", "onChannelLeaved room 0"])
    #expect(scene.anna.heard.texts == ["onChannelUserLeaved ben 0"])
    scene.ben.client.channelLeave("room")
    scene.world.run(for: 1)
    #expect(scene.ben.heard.texts.last == "onChannelLeaved room 602")
  }

  @Test("SIG-C2, SIGL-channels, X-7: joining another leaves the first by itself")
  func move() {
    let scene = Scene()
    scene.ben.client.channelJoin("other")
    scene.world.run(for: 1)
    #expect(
      scene.ben.heard.texts == [
        "onChannelUserLeaved ben 0", "onChannelLeaved room 0", "onChannelJoined other",
        "onChannelUserList [\"ben\"] [0]",
      ])
    #expect(scene.anna.heard.texts == ["onChannelUserLeaved ben 0"])
  }

  @Test("SIG-C11, SIGE-601, SIGE-603: removed by an administrator 601, by logout 603")
  func removed() {
    let scene = Scene()
    scene.world.kick("ben", from: .channel(.signaling, "room"))
    scene.world.run(for: 2)
    #expect(scene.ben.heard.texts == ["onChannelLeaved room 601"])
    #expect(scene.anna.heard.texts == ["onChannelUserLeaved ben 0"])
    scene.anna.client.logout()
    scene.world.run(for: 2)
    #expect(scene.anna.heard.texts.suffix(2) == ["onChannelLeaved room 603", "onLogout 101"])
  }

  @Test(
    "SIG-C20..C24, SCBK-onChannelAttrUpdated, X-6: update, del and clear are told to all, the setter too; never set"
  )
  func attributes() {
    let scene = Scene()
    let client = scene.anna.client
    client.channelSetAttr("room", name: "topic", value: "waves")
    scene.world.run(for: 1)
    client.channelDelAttr("room", name: "topic")
    scene.world.run(for: 1)
    client.channelClearAttr("room")
    scene.world.run(for: 1)
    let told = [
      "onChannelAttrUpdated room topic waves update", "onChannelAttrUpdated room topic  del",
      "onChannelAttrUpdated room   clear",
    ]
    #expect(scene.anna.heard.texts == told)
    #expect(scene.ben.heard.texts == told)
  }

  @Test("SIGB-userNotification: 0: who comes and goes is not told; what is said still is")
  func quiet() {
    let scene = Scene()
    scene.anna.client.channelSetAttr("room", name: "_userNotification", value: "0")
    scene.world.run(for: 1)
    scene.clear()
    scene.ben.client.channelLeave("room")
    scene.world.run(for: 1)
    scene.ben.client.channelJoin("room")
    scene.world.run(for: 1)
    scene.ben.client.messageChannelSend("room", msg: "hi", msgID: "1")
    scene.world.run(for: 1)
    #expect(scene.anna.heard.texts == ["onMessageChannelReceive room ben 0 hi"])
    #expect(scene.ben.heard.texts.first == "onChannelLeaved room 0")
  }

  @Test(
    "SIG-C5, SCBK-onChannelQueryUserNumResult, SCBK-onQueryUserStatusResult, SIG-11: numbers and who is there"
  )
  func queries() {
    let scene = Scene()
    scene.anna.client.channelQueryUserNum("room")
    scene.anna.client.queryUserStatus("ben")
    scene.anna.client.queryUserStatus("nobody")
    scene.world.run(for: 1)
    #expect(
      scene.anna.heard.texts.sorted() == [
        "onChannelQueryUserNumResult room 0 2", "onQueryUserStatusResult ben 1",
        "onQueryUserStatusResult nobody 0",
      ])
  }

  @Test(
    "SIGE-300, SIGE-1003..1005, SIG-A7, SIGL-value, SCBK-onChannelJoinFailed, -onError, X-23: what cannot work is told with its code"
  )
  func errors() {
    let scene = Scene()
    let client = scene.anna.client
    let long = String(repeating: "n", count: 129)
    client.channelJoin(long)
    client.channelSetAttr("room", name: long, value: "v")
    client.channelSetAttr("room", name: "n", value: String(repeating: "v", count: 8_097))
    client.channelSetAttr("room", name: "_member_num", value: "9")
    client.setAttr("_mine", value: "1")
    scene.world.run(for: 1)
    let most = (String(long.dropLast()), String(repeating: "v", count: 8_096))
    scene.ben.client.channelSetAttr("room", name: most.0, value: most.1)
    scene.world.run(for: 1)
    #expect(scene.ben.heard.texts.last == "onChannelAttrUpdated room \(most.0) \(most.1) update")
    #expect(
      scene.anna.heard.texts.dropLast() == [
        "onChannelJoinFailed \(long) 300", "onError channelJoin 1005", "onError channelSetAttr 1005",
        "onError channelSetAttr 1005", "onError channelSetAttr 1004", "onError setAttr 1004",
      ], "the last but one and the last: SIG-A7, names that begin with _ are built in")
    scene.clear()
    let stranger = SignalingUser(scene.world, "carl")
    stranger.client.channelJoin("room")
    stranger.client.setAttr("a", value: "1")
    stranger.client.queryUserStatus("anna")
    scene.world.run(for: 1)
    #expect(
      stranger.heard.texts == [
        "onChannelJoinFailed room 300", "onError channelJoin 1003", "onError setAttr 1003",
        "onError queryUserStatus 1003",
      ])
  }

  // MARK: Messages and attributes

  @Test(
    "SIG-M1, SIG-M3, SIG-M5, SIGE-400, SCBK-onMessageSendSuccess, -onMessageInstantReceive, -onMessageChannelReceive"
  )
  func messages() {
    let scene = Scene()
    scene.anna.client.messageInstantSend("ben", msg: "psst", msgID: "1")
    scene.world.run(for: 1)
    scene.anna.client.messageChannelSend("room", msg: "all", msgID: "2")
    scene.world.run(for: 1)
    #expect(
      scene.anna.heard.texts.sorted() == [
        "onMessageChannelReceive room anna 0 all", "onMessageSendSuccess 1", "onMessageSendSuccess 2",
      ])
    #expect(
      scene.ben.heard.texts == [
        "onMessageInstantReceive anna 0 psst", "onMessageChannelReceive room anna 0 all",
      ])
    scene.clear()
    scene.ben.client.channelLeave("room")
    scene.world.run(for: 1)
    scene.ben.client.messageChannelSend("room", msg: "no", msgID: "3")
    scene.ben.client.messageChannelSendForce("room", msg: "yes", msgID: "4")
    scene.world.run(for: 1)
    #expect(scene.ben.heard.texts.suffix(2) == ["onMessageSendError 3 400", "onMessageSendSuccess 4"])
    #expect(scene.anna.heard.texts.last == "onMessageChannelReceive room ben 0 yes")
  }

  @Test("SIG-M2: an empty msgID is made one, and each another")
  func madeNames() {
    let scene = Scene()
    for _ in 0..<2 { scene.anna.client.messageInstantSend("ben", msg: "x", msgID: "") }
    scene.world.run(for: 1)
    let names = scene.anna.heard.texts("onMessageSendSuccess ")
    #expect(Set(names).count == 2)
    #expect(names.allSatisfy { $0.count > "onMessageSendSuccess ".count })
  }

  @Test(
    "SIGE-401, SIGL-message, SCBK-onMessageSendError, X-23: reconnecting 401 at once; 8,192 bytes pass, one more is 1005"
  )
  func sendErrors() {
    let scene = Scene()
    let most = String(repeating: "m", count: 8_192)
    scene.anna.client.messageChannelSend("room", msg: most, msgID: "most")
    scene.anna.client.messageChannelSend("room", msg: most + "m", msgID: "more")
    scene.world.run(for: 1)
    #expect(
      scene.anna.heard.texts("onMessageSend").sorted() == [
        "onMessageSendError more 1005", "onMessageSendSuccess most",
      ])
    scene.anna.network.set(.silent)
    scene.anna.client.messageInstantSend("ben", msg: "lost", msgID: "lost")
    scene.world.run(for: 6)
    scene.anna.client.messageInstantSend("ben", msg: "late", msgID: "late")
    scene.world.run(for: 0.01)
    let errors = ["onMessageSendError late 401", "onMessageSendError lost 401"]
    #expect(scene.anna.heard.texts("onMessageSendError l").sorted() == errors)
  }

  @Test("SIG-A1, SIG-A3..A6, SIG-A9, SCBK-onUserAttrResult, -onUserAttrAllResult, X-21: attributes of users")
  func userAttributes() {
    let scene = Scene()
    scene.anna.client.setAttr("mood", value: "fine")
    scene.anna.client.setAttr("age", value: "7")
    scene.world.run(for: 1)
    scene.anna.client.getAttr("mood")
    scene.anna.client.getAttrAll()
    scene.ben.client.getUserAttr("anna", name: "mood")
    scene.ben.client.getUserAttr("anna", name: "none")
    scene.ben.client.getUserAttrAll("anna")
    scene.world.run(for: 1)
    let all = "onUserAttrAllResult anna {\"age\":\"7\",\"mood\":\"fine\"}"
    #expect(scene.anna.heard.texts == ["onUserAttrResult anna mood fine", all], "SIG-A3, SIG-A4")
    #expect(
      scene.ben.heard.texts == ["onUserAttrResult anna mood fine", "onUserAttrResult anna none ", all],
      "SIG-A5, SIG-A9: what is not there is told as empty, SIG-A6")
  }

  @Test(
    "SIG-A2, TL-16, SIGL-connTimeout: _conn_timeout 5 and 500 read back as 20 and 120, and an outage ends at 20 s"
  )
  func timeout() throws {
    let scene = Scene()
    for given in ["500", "5"] {
      scene.anna.client.setAttr("_conn_timeout", value: given)
      scene.world.run(for: 1)
      scene.ben.client.getUserAttr("anna", name: "_conn_timeout")
      scene.world.run(for: 1)
    }
    #expect(
      scene.ben.heard.texts("onUserAttr") == [
        "onUserAttrResult anna _conn_timeout 120", "onUserAttrResult anna _conn_timeout 20",
      ])
    let last = scene.world.silence(scene.anna.network, at: 100)
    scene.world.run(to: 125)
    #expect(abs(try #require(scene.anna.heard.second(of: "onLogout 102")) - last.client - 20) < 0.1)
    let left = try #require(scene.ben.heard.second(of: "onChannelUserLeaved anna 0"))
    #expect(abs(left - last.server - 20) < 0.6)
  }

  // MARK: Functions

  @Test(
    "SIG-12, RPC-user_query_user_status, -user_set_attr, -user_get_attr, -user_get_attr_all, -channel_query_num, -channel_query_user_isin, -channel_query_userlist, -channel_query_userlist_all, -channel_clear_attr, -channel_del_attr, -channel_set_attr, SCBK-onInvokeRet, X-22: the eleven, the shape of their replies, one answer each"
  )
  func functions() {
    let scene = Scene()
    func invoke(_ name: String, _ request: String) -> String? {
      scene.anna.heard.clear()
      scene.anna.client.invoke("io.agora.signal." + name, req: request, callID: "c")
      scene.world.run(for: 1)
      let answers = scene.anna.heard.texts("onInvokeRet")
      return answers.count == 1 ? answers[0] : nil
    }
    let ok = "onInvokeRet c  {\"result\":\"ok\""
    let rows: [(String, String, String)] = [
      ("user_query_user_status", #"{"account":"ben"}"#, ok + ",\"status\":1}"),
      ("user_set_attr", #"{"name":"a","value":"1"}"#, ok + "}"),
      ("user_get_attr", #"{"account":"anna","name":"a"}"#, ok + ",\"value\":\"1\"}"),
      ("user_get_attr_all", #"{"account":"anna"}"#, ok + #","json":"{\"a\":\"1\"}"}"#),
      ("channel_query_num", #"{"name":"room"}"#, ok + ",\"num\":2}"),
      ("channel_query_user_isin", #"{"name":"room","account":"ben"}"#, ok + ",\"isin\":1}"),
      ("channel_query_user_isin", #"{"name":"room","account":"carl"}"#, ok + ",\"isin\":0}"),
      ("channel_query_userlist", #"{"name":"room"}"#, ok + #","num":2,"list":[["anna",0],["ben",0]]}"#),
      ("channel_query_userlist_all", #"{"name":"room","num":1}"#, ok + #","num":2,"list":[["ben",0]]}"#),
      ("channel_set_attr", #"{"channel":"room","name":"k","value":"v"}"#, ok + "}"),
      ("channel_del_attr", #"{"channel":"room","name":"k"}"#, ok + "}"),
      ("channel_clear_attr", #"{"channel":"room"}"#, ok + "}"),
      ("no_such_function", "{}", "onInvokeRet c 1004 "),
      ("channel_query_num", "{}", "onInvokeRet c 1004 "),
      ("channel_query_num", "not JSON", "onInvokeRet c 1004 "),
    ]
    for (name, request, answer) in rows { #expect(invoke(name, request) == answer, "\(name)") }
    #expect(scene.ben.heard.texts.contains("onChannelAttrUpdated room k v update"))
    scene.anna.network.set(.cut)
    scene.world.run(for: 1)
    #expect(invoke("channel_query_num", #"{"name":"room"}"#) == "onInvokeRet c 1003 ")
  }

  // MARK: Calls

  @Test(
    "SIG-I1..I3, SIG-I9, SIG-I11, SIG-I12, SCBK-onInviteReceived, -onInviteReceivedByPeer, -onInviteAcceptedByPeer, -onInviteEndByPeer, -onInviteEndByMyself, -onInviteMsg, X-20: a call from the invitation to its end, as both sides hear it"
  )
  func call() {
    let scene = Scene(inRoom: false)
    scene.anna.client.channelInviteUser2("call", account: "ben", extra: #"{"srcNum":"1"}"#)
    scene.world.run(for: 1)
    scene.ben.client.channelInviteAccept("call", account: "anna", extra: #"{"yes":1}"#)
    scene.world.run(for: 1)
    scene.anna.client.channelInviteDTMF("call", phoneNum: "ben", dtmf: "12*#")
    scene.world.run(for: 1)
    scene.ben.client.channelInviteEnd("call", account: "anna")
    scene.world.run(for: 1)
    #expect(
      scene.anna.heard.texts == [
        "onInviteReceivedByPeer call ben 0", #"onInviteAcceptedByPeer call ben 0 {"yes":1}"#,
        "onInviteEndByPeer call ben 0 ",
      ], "SIG-I2: received, SIG-I9: accepted, SIG-I11: ended by the other side")
    #expect(
      scene.ben.heard.texts == [
        #"onInviteReceived call anna 0 {"srcNum":"1"}"#, "onInviteMsg call anna 0 DTMF 12*# ",
        "onInviteEndByMyself call anna 0",
      ])
  }

  @Test(
    "SIG-I10, SIG-I13, SIG-I14, SIGE-701, SCBK-onInviteRefusedByPeer, X-25: refused; invited again while it is open; ended before an answer"
  )
  func refuse() {
    let scene = Scene(inRoom: false)
    scene.anna.client.channelInviteUser("call", account: "ben")
    scene.world.run(for: 1)
    scene.anna.client.channelInviteUser("call", account: "ben")
    scene.world.run(for: 1)
    scene.ben.client.channelInviteRefuse("call", account: "anna", extra: "{}")
    scene.world.run(for: 1)
    scene.anna.client.channelInviteUser("call", account: "ben")
    scene.world.run(for: 1)
    scene.anna.client.channelInviteEnd("call", account: "ben")
    scene.world.run(for: 1)
    #expect(
      scene.anna.heard.texts == [
        "onInviteReceivedByPeer call ben 0", "onInviteFailed call ben 0 701 ",
        "onInviteRefusedByPeer call ben 0 {}", "onInviteReceivedByPeer call ben 0",
        "onInviteEndByMyself call ben 0",
      ])
    #expect(scene.ben.heard.texts.last == "onInviteEndByPeer call anna 0 ")
  }

  @Test(
    "TL-18, SIG-I4, SIG-I5, SIG-I8, SIGE-703, SCBK-onInviteFailed, X-49: the peer is offline: 703 at 20 s, or at once; coming at 21 s it sees nothing"
  )
  func offline() throws {
    let scene = Scene(inRoom: false)
    let began = scene.world.seconds
    scene.anna.client.channelInviteUser("call", account: "carl")
    scene.anna.client.channelInviteUser2("now", account: "carl", extra: #"{"_require_peer_online":1}"#)
    let phone = #"{"_require_peer_online":1,"srcNum":"1"}"#
    scene.anna.client.channelInviteUser2("phone", account: "carl", extra: phone)
    scene.world.run(to: began + 19)
    #expect(scene.anna.heard.texts("onInviteFailed").count == 1)
    scene.world.run(to: began + 21)
    #expect(scene.anna.heard.texts.contains("onInviteFailed phone carl 0 703 " + phone))
    let failed = try #require(scene.anna.heard.second(of: "onInviteFailed call carl 0 703 "))
    #expect(abs(failed - began - 20) < 0.6)
    let atOnce = try #require(
      scene.anna.heard.second(of: #"onInviteFailed now carl 0 703 {"_require_peer_online":1}"#))
    #expect(atOnce - began < 0.6)
    let carl = SignalingUser(scene.world, "carl")
    carl.login()
    scene.world.run(for: 10)
    #expect(carl.heard.texts == ["onLoginSuccess 0 1"])
  }

  @Test(
    "TL-19, SIG-I6, SIGE-704, SIGE-1001, FACE-3: _timeout 10: received by the peer, then 704 at 10 s; a later accept is refused"
  )
  func inviteTimeout() throws {
    let scene = Scene(inRoom: false)
    let began = scene.world.seconds
    scene.anna.client.channelInviteUser2("call", account: "ben", extra: #"{"_timeout":10}"#)
    scene.world.run(to: began + 12)
    let lines = ["onInviteReceivedByPeer call ben 0", #"onInviteFailed call ben 0 704 {"_timeout":10}"#]
    #expect(scene.anna.heard.texts == lines)
    #expect(abs(try #require(scene.anna.heard.second(of: lines[1])) - began - 10) < 0.6)
    #expect(scene.ben.heard.texts.last == "onInviteEndByPeer call anna 0 ")
    scene.ben.heard.clear()
    scene.ben.client.channelInviteAccept("call", account: "anna")
    scene.world.run(for: 1)
    #expect(scene.ben.heard.texts == ["onError channelInviteAccept 1001"])
    #expect(scene.anna.heard.texts == lines)
  }

  @Test(
    "SIGE-702, SIGL-invite: an invitation that cannot leave, and what extra cannot be",
    arguments: [
      (#"{"_timeout":-1}"#, 1_004), (#"{"_timeout":"soon"}"#, 1_004), ("not JSON", 1_004),
      (String(repeating: "x", count: 8_193), 1_005),
    ])
  func badInvites(extra: String, code: Int) {
    let scene = Scene(inRoom: false)
    scene.anna.client.channelInviteUser2("call", account: "ben", extra: extra)
    scene.world.run(for: 1)
    #expect(scene.anna.heard.texts == ["onInviteFailed call ben 0 \(code) \(extra)"])
    scene.anna.network.set(.cut)
    scene.world.run(for: 1)
    scene.anna.heard.clear()
    scene.anna.client.channelInviteUser("call", account: "ben")
    scene.world.run(for: 0.1)
    #expect(scene.anna.heard.texts("onInvite") == ["onInviteFailed call ben 0 702 "])
  }

  @Test(
    "SIGD-messageDTMFSend, -channelInvitePhone, -channelInvitePhone2, -channelInvitePhone3, -isOnline: the deprecated five do what takes their place"
  )
  @available(*, deprecated)
  func deprecated() {
    let scene = Scene(inRoom: false)
    let client = scene.anna.client
    client.channelInvitePhone("call", phoneNum: "ben")
    scene.world.run(for: 1)
    scene.ben.client.channelInviteAccept("call", account: "anna")
    scene.world.run(for: 1)
    client.messageDTMFSend(0, msg: "5", msgID: "tone")
    client.channelInvitePhone2("two", phoneNum: "ben", sourcesNum: "7")
    client.channelInvitePhone3("three", phoneNum: "ben", sourcesNum: "7", extra: #"{"srcNum":"8"}"#)
    scene.world.run(for: 1)
    #expect(scene.world.perform { await client.isOnline() })
    #expect(Self.isOnline(client))
    #expect(scene.anna.heard.texts("onMessageSend") == ["onMessageSendSuccess tone"])
    client.messageDTMFSend(0, msg: "x", msgID: "wrong")
    scene.ben.client.channelInviteEnd("call", account: "anna")
    scene.world.run(for: 1)
    client.messageDTMFSend(0, msg: "5", msgID: "nobody")
    scene.world.run(for: 1)
    #expect(
      scene.anna.heard.texts("onMessageSendError") == [
        "onMessageSendError wrong 1004", "onMessageSendError nobody 400",
      ])
    #expect(
      scene.ben.heard.texts.sorted() == [
        "onInviteEndByMyself call anna 0", "onInviteMsg call anna 0 DTMF 5 ",
        #"onInviteReceived call anna 0 {"srcNum":""}"#,
        #"onInviteReceived three anna 0 {"srcNum":"8"}"#, #"onInviteReceived two anna 0 {"srcNum":"7"}"#,
      ])
  }

  /// From where nothing can be awaited.
  @available(*, deprecated)
  private static func isOnline(_ client: SignalingClient) -> Bool { client.isOnline() }

  @Test("SIGE-208: the awaited calls answer with what the callbacks say")
  func awaited() {
    let scene = Scene(inRoom: false)
    let client = scene.anna.client
    let lines = scene.world.perform { () async -> [String] in
      var lines: [String] = []
      do throws(SignalingCode) { try await client.login(account: "anna", token: "token") } catch {
        lines.append("\(error.rawValue)")
      }
      lines.append("\((try? await client.join("room")) ?? [])")
      do throws(SignalingCode) { try await client.send("hi", to: "ben", msgID: "1") } catch {
        lines.append("no")
      }
      do throws(SignalingCode) { try await client.send("hi", in: "none", msgID: "2") } catch {
        lines.append("\(error.rawValue)")
      }
      lines.append(
        (try? await client.invoke("io.agora.signal.channel_query_num", req: #"{"name":"room"}"#)) ?? "")
      lines.append("\(await client.logoutAndWait().rawValue)")
      return lines
    }
    #expect(lines == ["208", "[\"anna\"]", "400", #"{"result":"ok","num":1}"#, "101"])
  }
}
