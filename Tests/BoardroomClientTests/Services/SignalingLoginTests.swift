import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

@Suite struct SignalingLoginTests {
  private func loggedIn(_ gate: NamedGate = NamedGate()) -> (world: World, anna: SignalingUser) {
    let world = World(seed: 8, gate: gate)
    let anna = SignalingUser(world, "anna")
    anna.login()
    world.run(for: 2)
    anna.heard.clear()
    return (world, anna)
  }

  @Test(
    "SIG-S0..S2, SIG-4, SIG-8, SIG-9, SIGT-1, SIGT-2, SIGT-8, SIGE-101, SCBK-onLoginSuccess, -onLogout: login and logout, and getStatus at each point"
  )
  func login() {
    let world = World(seed: 8)
    let anna = SignalingUser(world, "anna")
    #expect(anna.getStatus(in: world) == 0)
    anna.login()
    #expect(anna.getStatus(in: world) == 1)
    world.run(for: 1)
    #expect(anna.getStatus(in: world) == 2)
    #expect(anna.heard.texts == ["onLoginSuccess 0 1"])
    anna.client.logout()
    world.run(for: 1)
    #expect(anna.getStatus(in: world) == 0)
    #expect(anna.heard.texts == ["onLoginSuccess 0 1", "onLogout 101"])
  }

  @Test("SIG-6, SIGT-11, X-5: a login while logged in is ignored; after logout it may be asked for at once")
  func again() {
    let (world, anna) = loggedIn()
    anna.login()
    world.run(for: 2)
    #expect(anna.heard.texts.isEmpty)
    anna.client.logout()
    anna.login()
    world.run(for: 2)
    #expect(anna.heard.texts == ["onLogout 101", "onLoginSuccess 0 2"])
  }

  @Test("SIGE-108: a logout without a login")
  func logoutTwice() {
    let world = World(seed: 8)
    let anna = SignalingUser(world, "anna")
    anna.client.logout()
    world.run(for: 1)
    #expect(anna.heard.texts == ["onLogout 108"])
  }

  @Test("SIGT-4, SIGE-203: a logout while logging in cancels it")
  func cancelled() {
    let world = World(seed: 8)
    let anna = SignalingUser(world, "anna")
    anna.network.set(.silent)
    anna.login()
    world.run(for: 1)
    anna.client.logout()
    world.run(for: 60)
    #expect(anna.heard.texts == ["onLoginFailed 203"])
  }

  @Test(
    "SIGT-3, SIGE-202, -204, -206, -207, -209, SCBK-onLoginFailed: a refused login, with the code of the refusal",
    arguments: [
      (RefusalCode.banned, 202), (.forbidden, 202), (.tokenInvalid, 206), (.tokenExpired, 204),
      (.badName, 209),
      (.replaced, 207),
    ])
  func refused(code: RefusalCode, number: Int) {
    let gate = NamedGate()
    gate.refuse("anna", with: code)
    let world = World(seed: 8, gate: gate)
    let anna = SignalingUser(world, "anna")
    anna.login()
    world.run(to: 60)
    #expect(anna.heard.texts == ["onLoginFailed \(number)"])
  }

  @Test(
    "SIG-4, SIGL-names: an account is 1 to 128 visible bytes without spaces",
    arguments: [
      (String(repeating: "a", count: 128), true), (String(repeating: "a", count: 129), false), ("", false),
      ("an na", false), ("an\nna", false), ("änna", true),
    ])
  func accounts(account: String, isGood: Bool) {
    let world = World(seed: 8)
    let anna = SignalingUser(world, account)
    anna.login()
    world.run(for: 1)
    #expect(anna.heard.texts == [isGood ? "onLoginSuccess 0 1" : "onLoginFailed 209"])
  }

  @Test(
    "SIG-7, SIGT-3, TL-17, SIGE-201, SIGL-login2: 30 s or 15 tries, whichever comes first; no attempt afterwards"
  )
  func login2() throws {
    let world = World(seed: 8)
    let (anna, ben) = (SignalingUser(world, "anna"), SignalingUser(world, "ben"))
    anna.network.set(.silent)
    ben.network.set(.cut)
    anna.client.login2("simulated", account: "anna", token: "token")
    ben.client.login2("simulated", account: "ben", token: "token", retryTimeInS: 300, retryCount: 15)
    world.run(to: 29.9)
    #expect(anna.heard.texts.isEmpty)
    world.run(to: 290)
    #expect(anna.heard.texts == ["onLoginFailed 201"])
    #expect(abs(try #require(anna.heard.second(of: "onLoginFailed 201")) - 30) < 0.1)
    #expect(ben.heard.texts == ["onLoginFailed 201"])
    // The first attempt at once, then after 0.5, 1, 2, 4 and ten times 8 s, each up to a fifth more or less.
    let second = try #require(ben.heard.second(of: "onLoginFailed 201"))
    #expect((66...108).contains(second))
    anna.network.set(.clear)
    world.run(to: 350)
    #expect(anna.heard.texts.count == 1)
  }

  @Test(
    "TL-15, SIG-S3, SIGT-5, SIGT-7, SIGE-102, SIGE-604, SCBK-onReconnecting, -onLog, X-29, X-4: silent from 100: attempts 1, 2, …; others at 220; onLogout(102); then a login works again"
  )
  func outage() throws {
    let world = World(seed: 8)
    let (anna, ben) = (SignalingUser(world, "anna"), SignalingUser(world, "ben"))
    for user in [anna, ben] {
      user.login()
      world.run(for: 1)
      user.client.channelJoin("room")
      world.run(for: 1)
    }
    let last = world.silence(anna.network, at: 100)
    anna.heard.clear()
    ben.heard.clear()
    world.run(to: 110)
    #expect(anna.getStatus(in: world) == 3)
    #expect(anna.heard.texts.prefix(2) == ["onReconnecting 1", "onReconnecting 2"])
    #expect(abs(try #require(anna.heard.second(of: "onReconnecting 1")) - last.client - 4.5) < 0.3)
    world.run(to: 230)
    let attempts = anna.heard.texts("onReconnecting")
    #expect(attempts == (1...attempts.count).map { "onReconnecting \($0)" })
    #expect(attempts.count > 10)
    #expect(anna.heard.texts.suffix(2) == ["onChannelLeaved room 604", "onLogout 102"])
    #expect(abs(try #require(anna.heard.second(of: "onLogout 102")) - last.client - 120) < 0.1)
    #expect(ben.heard.texts == ["onChannelUserLeaved anna 0"])
    let left = try #require(ben.heard.second(of: "onChannelUserLeaved anna 0"))
    #expect(abs(left - last.server - 120) < 0.6)
    #expect(anna.lines.texts.contains("onLog The connection is lost; attempts to come back follow."))
    anna.network.set(.clear)
    anna.heard.clear()
    anna.login()
    world.run(for: 2)
    #expect(anna.heard.texts.count == 1)
    #expect(anna.heard.texts("onLoginSuccess 0").count == 1)
  }

  @Test(
    "X-30: login2's number of tries is the login's own: its channel outlives an outage that the login does")
  func triesAreOfTheLogin() {
    for seed in UInt64(1)...6 {
      let world = World(seed: seed)
      let anna = SignalingUser(world, "anna")
      anna.client.login2("simulated", account: "anna", token: "token", retryTimeInS: 60, retryCount: 4)
      world.run(for: 1)
      anna.client.channelJoin("room")
      world.run(for: 1)
      anna.heard.clear()
      anna.network.set(.silent)
      world.run { anna.heard.texts.contains("onReconnecting 4") }
      anna.network.set(.clear)
      world.run(for: 20)
      #expect(anna.heard.texts.contains("onReconnected 2"), "seed \(seed)")
      #expect(anna.heard.texts("onChannelLeaved").isEmpty, "seed \(seed)")
    }
  }

  @Test(
    "SIGT-6, SCBK-onReconnected: back in time: onReconnected, still in the channel, and nobody has noticed")
  func back() {
    let world = World(seed: 8)
    let (anna, ben) = (SignalingUser(world, "anna"), SignalingUser(world, "ben"))
    for user in [anna, ben] {
      user.login()
      world.run(for: 1)
      user.client.channelJoin("room")
      world.run(for: 1)
    }
    anna.heard.clear()
    ben.heard.clear()
    anna.network.set(.silent)
    world.run(for: 50)
    ben.client.messageChannelSend("room", msg: "missed", msgID: "m")
    world.run(for: 50)
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 5)
    let heard = anna.heard.texts.filter { !$0.hasPrefix("onReconnecting") }
    #expect(heard == ["onReconnected 2", "onMessageChannelReceive room ben 0 missed"])
    #expect(ben.heard.texts("onChannelUser").isEmpty)
  }

  @Test(
    "SIGT-9, SIGE-103, SIGE-603, X-5: the same account elsewhere: left and onLogout(103), and no way back by itself"
  )
  func takeover() {
    let (world, anna) = loggedIn()
    anna.client.channelJoin("room")
    world.run(for: 1)
    anna.heard.clear()
    let other = SignalingUser(world, "anna")
    other.login()
    world.run(for: 60)
    #expect(anna.heard.texts == ["onChannelLeaved room 603", "onLogout 103"])
    #expect(other.heard.texts == ["onLoginSuccess 0 1"])
  }

  @Test("SIGT-10, SIGE-105: the token has ended when it comes back: onLogout(105)")
  func expired() {
    let gate = NamedGate()
    let (world, anna) = loggedIn(gate)
    gate.refuse("token", with: .tokenExpired)
    anna.network.set(.cut)
    world.run(for: 1)
    anna.network.set(.clear)
    world.run(for: 60)
    #expect(anna.heard.texts.last == "onLogout 105")
    #expect(anna.heard.texts("onLogout").count == 1)
  }

  @Test("SIG-1, SIG-2, SIG-3: one shared instance, new instances, and none that calls after destroy")
  func instances() {
    let configuration = World.services(appId: "shared")
    let shared = SignalingClient.getInstanceWithoutMedia(configuration)
    #expect(SignalingClient.getInstanceWithoutMedia(configuration) === shared)
    #expect(SignalingClient.createSigInstance(configuration) !== shared)
    shared.destroy()
    #expect(SignalingClient.getInstanceWithoutMedia(configuration) !== shared)
    SignalingClient.getInstanceWithoutMedia(configuration).destroy()
    let (world, anna) = loggedIn()
    let ben = SignalingUser(world, "ben")
    ben.login()
    world.run(for: 1)
    anna.client.destroy()
    world.run(for: 5)
    #expect(anna.heard.texts.isEmpty)
    ben.client.queryUserStatus("anna")
    world.run(for: 1)
    #expect(ben.heard.texts.last == "onQueryUserStatusResult anna 0")
  }

  @Test(
    "SIG-C10, SIGE-604, FACE-2: the server heard nothing for 120 s: back as a new login, and told of the channel that it lost"
  )
  func counted() {
    let world = World(seed: 8)
    let anna = SignalingUser(world, "anna")
    anna.login()
    world.run(for: 1)
    anna.client.channelJoin("room")
    world.run(for: 1)
    anna.heard.clear()
    anna.network.set(.halfOpen(.toServer))
    world.run(for: 123)
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 5)
    let heard = anna.heard.texts.filter { !$0.hasPrefix("onReconnecting") }
    #expect(heard == ["onReconnected 2", "onChannelLeaved room 604"])
  }

  @Test("SIGE-0, -1000, -1002, X-28: the codes have Signaling's numbers")
  func codes() {
    #expect(
      SignalingCode.allCases.map(\.rawValue) == [
        0, 100, 101, 102, 103, 105, 108, 200, 201, 202, 203, 204, 206, 207, 208, 209, 300, 400, 401, 500, 501,
        600, 601, 602, 603, 604, 700, 701, 702, 703, 704, 1_000, 1_001, 1_002, 1_003, 1_004, 1_005,
      ])
    #expect(SignalingCode.general.rawValue == 1_000)
    #expect(SignalingCode.unknown.rawValue == 1_002)
  }

  @Test("SIG-10: the version is encoded as 1010104019 is 1.1.4.19")
  func version() {
    let version = SignalingUser(World(seed: 1), "anna").client.getSdkVersion()
    // 1 | 00 | 04 | 00 | 000: 0.4.0.0, as 1 | 01 | 01 | 04 | 019 is 1.1.4.19.
    #expect(version == 1_000_400_000)
  }
}
