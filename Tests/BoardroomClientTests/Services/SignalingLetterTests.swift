import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// Where a row of the source system names more than a code: arguments, order, what is passed through.
@Suite struct SignalingLetterTests {
  private let world = World(seed: 51)
  private let anna: SignalingUser
  private let ben: SignalingUser

  init() {
    (anna, ben) = (SignalingUser(world, "anna"), SignalingUser(world, "ben"))
    for user in [anna, ben] {
      user.login()
      world.run(for: 1)
    }
    anna.heard.clear()
    ben.heard.clear()
  }

  @Test(
    "SIG-I7, SIG-I8: destMediaUid and srcNum reach the callee to the byte, and a telephone's call needs no peer"
  )
  func passedThrough() {
    let extras = [
      #"{"destMediaUid":"77","_timeout":9}"#, #"{"srcNum":"+49 30 1"}"#,
      #"{ "srcNum" : "1", "destMediaUid" : 7, "x" : [1, {"y":null}] }"#,
    ]
    for (number, extra) in extras.enumerated() {
      anna.client.channelInviteUser2("call\(number)", account: "ben", extra: extra)
      world.run(for: 1)
      #expect(ben.heard.texts.last == "onInviteReceived call\(number) anna 0 \(extra)")
    }
    anna.heard.clear()
    anna.client.channelInviteUser2(
      "phone", account: "nobody", extra: #"{"srcNum":"1","_require_peer_online":1}"#)
    world.run(for: 5)
    #expect(anna.heard.texts("onInviteFailed").isEmpty, "a telephone's call waits for its peer")
    world.run(for: 20)
    #expect(
      anna.heard.texts("onInviteFailed phone") == [
        #"onInviteFailed phone nobody 0 703 {"srcNum":"1","_require_peer_online":1}"#
      ])
  }

  @Test("SCBK-onError: the method's name, its code, and a sentence that says what was wrong, in this order")
  func errors() throws {
    let told = Box<[(String, SignalingCode, String)]>([])
    anna.client.onError = { name, code, what in told.change { $0.append((name, code, what)) } }
    anna.client.setAttr("_mine", value: "1")
    anna.client.channelInviteEnd("none", account: "ben")
    anna.client.channelInviteDTMF("none", phoneNum: "ben", dtmf: "x")
    world.run(for: 1)
    let names = ["channelInviteDTMF", "channelInviteEnd", "setAttr"]
    #expect(told.value.map(\.0).sorted() == names)
    let codes = Dictionary(told.value.map { ($0.0, $0.1.rawValue) }) { first, _ in first }
    #expect(codes == ["channelInviteDTMF": 1_004, "channelInviteEnd": 1_001, "setAttr": 1_004])
    #expect(told.value.allSatisfy { $0.2.contains(" ") && $0.2.hasSuffix(".") })
    let values = anna.events.all.compactMap { event -> String? in
      if case .error(let name, let code, let what) = event { "\(name) \(code.rawValue) \(what)" } else { nil }
    }
    #expect(values == told.value.map { "\($0.0) \($0.1.rawValue) \($0.2)" })
  }

  @Test(
    "SIG-I9, SIG-I10: an answer's extra is a JSON object or nothing, up to 8,192 bytes, as an invitation's is"
  )
  func answers() {
    anna.client.channelInviteUser("call", account: "ben")
    world.run(for: 1)
    ben.heard.clear()
    ben.client.channelInviteAccept("call", account: "anna", extra: "yes")
    ben.client.channelInviteRefuse("call", account: "anna", extra: "[1]")
    let long = #"{"x":"\#(String(repeating: "y", count: 8_192))"}"#
    ben.client.channelInviteRefuse("call", account: "anna", extra: long)
    world.run(for: 1)
    #expect(
      ben.heard.texts == [
        "onError channelInviteAccept 1004", "onError channelInviteRefuse 1004",
        "onError channelInviteRefuse 1005",
      ])
    #expect(anna.heard.texts == ["onInviteReceivedByPeer call ben 0"])
    ben.client.channelInviteRefuse("call", account: "anna", extra: #"{"why":"busy"}"#)
    world.run(for: 1)
    #expect(anna.heard.texts.last == #"onInviteRefusedByPeer call ben 0 {"why":"busy"}"#)
  }

  /// From where nothing can be awaited.
  private static func status(_ client: SignalingClient) -> Int { client.getStatus() }

  @Test("SIG-9: getStatus answers at once, from any place, and inside a callback what that callback says")
  func statusAtOnce() {
    #expect(Self.status(anna.client) == 2)
    let seen = Box<[Int]>([])
    let client = anna.client
    @Sendable func note(_ client: SignalingClient?) {
      let now = client.map(Self.status) ?? -1
      seen.change { $0.append(now) }
    }
    anna.client.onReconnecting = { [weak client] _ in note(client) }
    anna.client.onReconnected = { [weak client] _ in note(client) }
    anna.client.onLogout = { [weak client] _ in note(client) }
    anna.network.set(.cut)
    world.run(for: 0.7)
    #expect(Self.status(anna.client) == 3)
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 1)
    anna.client.logout()
    world.run(for: 1)
    #expect(seen.value.first == 3)
    #expect(seen.value.suffix(2) == [2, 0])
    #expect(Self.status(anna.client) == 0)
  }

  @Test("SCBK-onLog: what the connection does, a line each, without texts, tokens and accounts")
  func lines() {
    anna.network.set(.cut)
    world.run(for: 0.7)
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 1)
    anna.client.logout()
    world.run(for: 1)
    let lines = anna.lines.texts
    #expect(
      lines.prefix(3) == [
        "onLog Logging in: up to 30 s, 15 attempts.", "onLog Connecting.", "onLog Logged in.",
      ])
    #expect(lines.contains("onLog The connection is lost; attempts to come back follow."))
    #expect(lines.contains("onLog Attempt 1 to come back."))
    #expect(lines.suffix(2) == ["onLog Connected again; the login goes on.", "onLog Logged out."])
    #expect(lines.allSatisfy { !$0.contains("anna") && !$0.contains("token of") })
  }
}
