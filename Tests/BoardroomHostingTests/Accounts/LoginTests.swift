import BoardroomCodec
import BoardroomHosting
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@Suite struct LoginTests {
  @Test(
    "SIG-4, ACC-1: a name with spaces, with what cannot be seen, empty or too long is badName",
    arguments: [
      ("", Service.signaling), ("a b", .signaling), ("a\u{7}", .signaling), ("a\u{200B}", .rtm),
      (String(repeating: "x", count: 129), .signaling), (String(repeating: "x", count: 65), .rtm),
    ])
  func badNames(_ name: String, _ service: Service) {
    let peer = SimulatedServer().login(name, service)
    #expect(peer.welcome == nil)
    #expect(peer.farewell?.refusal.code == .badName)
  }

  @Test("SIG-4, RTMX-ids: 128 bytes are a name for Signaling, 64 for RTM, and letters of any script")
  func goodNames() {
    let server = SimulatedServer()
    #expect(server.login(String(repeating: "x", count: 128)).isLive)
    #expect(server.login(String(repeating: "x", count: 64), .rtm).isLive)
    #expect(server.login("Грета").isLive)
  }

  @Test(
    "TL-13, SIG-S2, ACC-2: a second login of a service takes the first over; other services are their own")
  func takeover() {
    let server = SimulatedServer()
    let (first, rtm) = (server.login("anna"), server.login("anna", .rtm))
    let second = server.login("anna")
    first.receive()
    #expect(first.farewell?.refusal.code == .replaced)
    #expect(first.farewell?.kick == .replaceByOther)
    #expect(first.farewell?.comeBack == false)
    #expect(second.isLive)
    rtm.receive()
    #expect(rtm.farewell == nil)
    #expect(rtm.mirror.members.values.map(\.uid).sorted { $0! < $1! } == ["rtm", "signaling"])
  }

  @Test("ACC-3: two logins a second, the third is rateLimited and may come back")
  func takeoverRate() {
    let server = SimulatedServer()
    _ = server.login("anna")
    let second = server.login("anna")
    let third = server.login("anna")
    #expect(third.farewell?.refusal.code == .rateLimited)
    #expect(third.farewell?.comeBack == true)
    second.receive()
    #expect(second.farewell == nil)
    server.advance(by: .seconds(1), with: second)
    #expect(server.login("anna").isLive)
  }

  @Test("ACC-5: Signaling's login ends with its token, tokenExpired and no coming back; RTM's stays")
  func tokenEnd() {
    let server = SimulatedServer(gatekeeper: ShortGate())
    let (signaling, rtm) = (server.login("anna"), server.login("anna", .rtm))
    let other = server.login("ben", change: { $0.token = "long" })
    let channel = server.enter("lobby", as: "anna")
    server.advance(by: .seconds(9), with: signaling, rtm, channel, other)
    #expect(signaling.farewell == nil)
    server.advance(by: .seconds(2), with: rtm, other)
    signaling.receive()
    channel.receive()
    #expect(signaling.farewell?.refusal.code == .tokenExpired)
    #expect(signaling.farewell?.comeBack == false)
    #expect(channel.farewell != nil)
    #expect(rtm.farewell == nil)
    #expect(other.reply(to: .userStatus(account: "anna")) == .number(0))
  }

  @Test("SIG-A2, TL-16, ACC-7: _conn_timeout is clamped to 20 and 120, reads back so, and the grace follows")
  func connectionTimeout() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    let lobby = server.enter("lobby", as: "ben")
    let annas = server.enter("lobby", as: "anna")
    anna.command(.space(.setAttributes(AttributesSet([.init(name: "_conn_timeout", value: "500")]))))
    anna.receive()
    #expect(anna.slot()?.attributes["_conn_timeout"] == "120")
    anna.command(.space(.setAttributes(AttributesSet([.init(name: "_conn_timeout", value: "5")]))))
    anna.receive()
    #expect(
      ben.reply(to: .userAttributes(account: "anna")) == .attributes(["_conn_timeout": "20"]))
    anna.cut()
    annas.cut()
    server.advance(by: .milliseconds(19_750), with: ben, lobby)
    #expect(lobby.departures == [])
    #expect(ben.reply(to: .userStatus(account: "anna")) == .number(1))
    server.advance(by: .milliseconds(250), with: ben, lobby)
    #expect(lobby.departures == [.timeout])
    #expect(ben.reply(to: .userStatus(account: "anna")) == .number(0))
  }

  @Test(
    "SIG-A7, ACC-8: _conn_timeout that is no number, and other names with _, are badParameter",
    arguments: [("_conn_timeout", "soon"), ("_mine", "1")])
  func badAttributes(_ name: String, _ value: String) {
    let anna = SimulatedServer().login("anna")
    anna.command(.space(.setAttributes(AttributesSet([.init(name: name, value: value)]))))
    anna.receive()
    #expect(anna.refusals.map(\.refusal.code) == [.badParameter])
    #expect(anna.slot()?.attributes ?? [:] == [:])
  }

  @Test("SIG-A1, SIG-A3..6, SIG-A8, SIG-A9: attributes are read by all and go with the login")
  func attributes() {
    let server = SimulatedServer()
    let (anna, ben) = (server.login("anna"), server.login("ben"))
    anna.command(
      .space(.setAttributes(AttributesSet([.init(name: "a", value: "1"), .init(name: "b", value: "2")]))))
    anna.command(.space(.setAttributes(AttributesSet([.init(name: "b", value: nil)]))))
    anna.receive()
    #expect(ben.reply(to: .userAttributes(account: "anna")) == .attributes(["a": "1"]))
    #expect(anna.reply(to: .userAttributes(account: "anna")) == .attributes(["a": "1"]))
    #expect(ben.reply(to: .userAttributes(account: "nobody")) == .attributes([:]))
    anna.say(.leave)
    #expect(ben.reply(to: .userAttributes(account: "anna")) == .attributes([:]))
  }

  @Test("SIG-A1: an attribute of 8,096 bytes fits, one more is tooLarge")
  func attributeSize() {
    let anna = SimulatedServer().login("anna")
    for size in [8_096, 8_097] {
      let value = String(repeating: "x", count: size)
      anna.command(.space(.setAttributes(AttributesSet([.init(name: "a", value: value)]))))
    }
    anna.receive()
    #expect(anna.receipts.map(\.counter) == [1])
    #expect(anna.refusals.map(\.refusal.code) == [.tooLarge])
  }

  @Test("A hello that names the log of an account as a room is refused")
  func noWayAround() {
    let server = SimulatedServer()
    let anna = server.login("anna")
    let thief = server.join(Place(service: .rtm, account: "anna").space.log, uid: "signaling")
    #expect(thief.farewell?.refusal.code == .notFound)
    anna.receive()
    #expect(anna.farewell == nil)
  }
}

/// Tokens that end 10 s after the first hello, but for those that say long.
private struct ShortGate: Gatekeeper {
  func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission {
    Admission(role: .writer, expires: hello.token == "long" ? nil : now + .seconds(10))
  }
}
