import BoardroomAccess
import BoardroomClient
import BoardroomHosting
import BoardroomLegacy
import BoardroomModel
import TestKit
import Testing

/// Signaling's codes at the places that name them (PARITY rows SIGE), and what rules its outages.
@Suite struct SignalingCodeTests {
  private func scene(_ gate: any Gatekeeper = TicketGate()) -> (world: World, anna: SignalingUser) {
    let world = World(seed: 13, gate: gate)
    let anna = SignalingUser(world, "anna")
    anna.login()
    world.run(for: 1)
    anna.heard.clear()
    return (world, anna)
  }

  @Test("SIGE-100: a login that the server ends")
  func removedLogin() {
    let (world, anna) = scene()
    world.kick("signaling", from: .account("anna"))
    world.run(for: 30)
    #expect(anna.heard.texts == ["onLogout 100"])
  }

  @Test("SIGE-200: a login that fails for what the server cannot say; 201 where it says nothing at all")
  func failure() {
    let gate = NamedGate()
    gate.refuse("anna", with: .internalFailure)
    let world = World(seed: 13, gate: gate)
    let anna = SignalingUser(world, "anna")
    anna.login()
    world.run(to: 60)
    #expect(anna.heard.texts == ["onLoginFailed 200"])
    anna.heard.clear()
    anna.network.set(.cut)
    anna.login()
    world.run(to: 120)
    #expect(anna.heard.texts == ["onLoginFailed 201"])
  }

  @Test("SIGE-500, SIGE-501: a number that was asked for too often, and one that nobody answered")
  func queries() {
    let (world, anna) = scene()
    for _ in 0...40 { anna.client.channelQueryUserNum("room") }
    world.run(for: 1)
    let told = anna.heard.texts("onChannelQueryUserNumResult")
    #expect(told.count == 41)
    #expect(told.count { $0 == "onChannelQueryUserNumResult room 500 0" } == 1)
    world.run(for: 6)
    anna.heard.clear()
    anna.network.set(.silent)
    anna.client.channelQueryUserNum("room")
    world.run(for: 11)
    #expect(
      anna.heard.texts("onChannelQueryUserNumResult") == ["onChannelQueryUserNumResult room 501 0"])
  }

  @Test("SIGE-700: an invitation that fails for none of the reasons with a number")
  func invitation() {
    let (world, anna) = scene()
    for number in 0...60 { anna.client.channelInviteUser("call", account: "u\(number)") }
    world.run(for: 1)
    #expect(anna.heard.texts("onInviteFailed") == ["onInviteFailed call u60 0 700 "])
  }

  @Test("SIG-5: where the server is open for tests, _no_need_token signs in; elsewhere it is a wrong token")
  func noToken() {
    let keys = KeyRing(pairs: [KeyPair(id: "k", secret: "s")])
    for (isOpen, told) in [(true, "onLoginSuccess 0 1"), (false, "onLoginFailed 206")] {
      let world = World(seed: 13, gate: TokenGatekeeper(keys: keys, opensAccounts: isOpen))
      let anna = SignalingUser(world, "anna")
      anna.login(token: SignalingClient.noTokenNeeded)
      world.run(for: 2)
      #expect(anna.heard.texts == [told])
    }
  }

  @Test("X-30: limits that the app set for login2 bound an outage, too, where they are smaller")
  func outage() throws {
    let world = World(seed: 13)
    let (anna, ben) = (SignalingUser(world, "anna"), SignalingUser(world, "ben"))
    anna.client.login2("simulated", account: "anna", token: "token", retryTimeInS: 10, retryCount: 15)
    ben.client.login2("simulated", account: "ben", token: "token", retryTimeInS: 300, retryCount: 3)
    world.run(to: 2)
    ben.network.set(.cut)
    let last = world.silence(anna.network, at: 20)
    world.run(to: 60)
    #expect(anna.heard.texts.last == "onLogout 102")
    #expect(abs(try #require(anna.heard.second(of: "onLogout 102")) - last.client - 10) < 0.6)
    let bens = ben.heard.texts
    #expect(bens.dropFirst() == ["onReconnecting 1", "onReconnecting 2", "onReconnecting 3", "onLogout 102"])
  }

  @Test(
    "SIG-A8: a user's attributes end with its login, and are there again when it is back, without the app")
  func attributes() {
    let (world, anna) = scene()
    let ben = SignalingUser(world, "ben")
    ben.login()
    anna.client.setAttr("mood", value: "fine")
    world.run(for: 1)
    func known() -> String? {
      ben.heard.clear()
      ben.client.getUserAttr("anna", name: "mood")
      world.run(for: 1)
      return ben.heard.texts.last
    }
    #expect(known() == "onUserAttrResult anna mood fine")
    anna.network.set(.halfOpen(.toServer))
    world.run(for: 115)
    #expect(known() == "onUserAttrResult anna mood fine", "for as long as the login has its grace")
    world.run(for: 8)
    #expect(known() == "onUserAttrResult anna mood ")
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 5)
    #expect(anna.heard.texts.last == "onReconnected 2")
    #expect(known() == "onUserAttrResult anna mood fine")
  }

  @Test(
    "SIG-C11, SIGE-601, ACC-9: removed while its network is away, it hears of it when it is back, and is not let in again by itself"
  )
  func removedWhileAway() {
    let (world, anna) = scene()
    let ben = SignalingUser(world, "ben")
    ben.login()
    world.run(for: 1)
    for user in [anna, ben] {
      user.client.channelJoin("room")
      world.run(for: 1)
    }
    anna.heard.clear()
    ben.heard.clear()
    anna.network.set(.silent)
    world.run(for: 10)
    world.kick("anna", from: .channel(.signaling, "room"))
    world.run(for: 10)
    #expect(world.state(of: .account("anna"))?.space?.slots[.signaling]?.channels ?? [] == [])
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 5)
    let heard = anna.heard.texts.filter { !$0.hasPrefix("onReconnecting") }
    #expect(heard == ["onReconnected 2", "onChannelLeaved room 601"])
    #expect(ben.heard.texts == ["onChannelUserLeaved anna 0"])
    anna.heard.clear()
    anna.client.channelJoin("room")
    world.run(for: 1)
    #expect(anna.heard.texts.first == "onChannelJoined room")
  }
}
