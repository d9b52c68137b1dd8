import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// A leave that is lost with the connection over which it was said.
@Suite struct LostLeaveTests {
  private let world: World

  init() { self.init(seed: 51) }

  private init(seed: UInt64) { world = World(seed: seed) }

  private func isIn(_ account: String, _ service: Service) -> Bool {
    world.state(of: .channel(service, "room"))?.members.values.contains { $0.uid == account } ?? false
  }

  // MARK: Signaling

  /// Anna, over a watched network, and Ben in one channel of Signaling.
  private func signaling(isOld: Bool = false) -> (anna: SignalingUser, ben: SignalingUser, WatchedTransport) {
    let watched = Box<WatchedTransport?>(nil)
    let anna = SignalingUser(world, "anna") { network in
      let transport = WatchedTransport(network, isOld: isOld)
      watched.value = transport
      return transport
    }
    let ben = SignalingUser(world, "ben")
    for user in [anna, ben] {
      user.login()
      world.run(for: 1)
      user.client.channelJoin("room")
      world.run(for: 1)
    }
    for user in [anna, ben] { user.heard.clear() }
    return (anna, ben, watched.value!)
  }

  /// The leave is on its way when all connections break; a second later the network is there again.
  private func loseLeave(of anna: SignalingUser) {
    anna.client.channelLeave("room")
    world.run(for: 0.001)
    anna.network.set(.cut)
    world.run(for: 1)
    anna.network.set(.clear)
    anna.client.networkIsBack()
  }

  @Test("FACE-12, SIG-C4: a leave that is lost with its connection is heard once the login is back, and once")
  func lost() {
    let (anna, ben, transport) = signaling()
    loseLeave(of: anna)
    #expect(anna.heard.texts("onChannelLeaved") == ["onChannelLeaved room 0"])
    #expect(ben.heard.texts.isEmpty)
    world.run(for: 5)
    #expect(anna.heard.texts("onChannelLeaved") == ["onChannelLeaved room 0"])
    #expect(ben.heard.texts == ["onChannelUserLeaved anna 0"])
    #expect(!isIn("anna", .signaling))
    #expect(transport.leaves == ["room"])
    anna.network.set(.cut)
    world.run(for: 1)
    anna.network.set(.clear)
    world.run(for: 10)
    #expect(transport.leaves == ["room"], "what was answered is not asked again")
  }

  @Test("FACE-12: a leave that the server has confirmed is not said again")
  func confirmed() {
    let (anna, ben, transport) = signaling()
    anna.client.channelLeave("room")
    world.run(for: 1)
    #expect(ben.heard.texts == ["onChannelUserLeaved anna 0"])
    anna.client.channelJoin("room")
    world.run(for: 1)
    anna.client.channelJoin("other")
    world.run(for: 1)
    anna.client.logout()
    world.run(for: 1)
    #expect(transport.leaves.isEmpty)
  }

  @Test("FACE-12: a leave of which only the confirmation is lost is heard once")
  func heardBefore() {
    let (anna, ben, transport) = signaling()
    anna.network.set(.halfOpen(.toClient))
    anna.client.channelLeave("room")
    world.run(for: 1)
    #expect(ben.heard.texts == ["onChannelUserLeaved anna 0"])
    world.run(for: 10)
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 5)
    #expect(transport.leaves == ["room"])
    #expect(ben.heard.texts == ["onChannelUserLeaved anna 0"])
    #expect(anna.heard.texts("onChannelLeaved") == ["onChannelLeaved room 0"])
  }

  @Test("FACE-12: who joins again as soon as the login is back is in, and is not left by the leave before")
  func joinedAgain() {
    let (anna, ben, _) = signaling()
    loseLeave(of: anna)
    world.run { !anna.heard.texts("onReconnected").isEmpty }
    anna.client.channelJoin("room")
    world.run(for: 10)
    #expect(anna.heard.texts("onChannelJoined") == ["onChannelJoined room"])
    #expect(ben.heard.texts == ["onChannelUserLeaved anna 0", "onChannelUserJoined anna 0"])
    #expect(isIn("anna", .signaling))
  }

  @Test(
    "FACE-12, ACC-12: a server that does not know the question is not asked: the member stays for as long as the login, which goes on"
  )
  func oldServer() {
    let (anna, ben, transport) = signaling(isOld: true)
    loseLeave(of: anna)
    world.run(for: 10)
    #expect(transport.leaves.isEmpty)
    #expect(anna.heard.texts("onLogout").isEmpty)
    #expect(ben.heard.texts.isEmpty)
    #expect(isIn("anna", .signaling))
    anna.client.channelJoin("room")
    world.run(for: 2)
    #expect(anna.heard.texts("onChannelJoined") == ["onChannelJoined room"])
    anna.client.logout()
    world.run(for: 1)
    #expect(!isIn("anna", .signaling))
  }

  // MARK: RTM

  /// Anna, over a watched network, and Ben in one channel of RTM.
  private func rtm() -> (anna: RtmUser, ben: RtmUser, WatchedTransport) {
    let watched = Box<WatchedTransport?>(nil)
    let anna = RtmUser(world, "anna") { network in
      let transport = WatchedTransport(network)
      watched.value = transport
      return transport
    }
    let ben = RtmUser(world, "ben")
    for user in [anna, ben] {
      user.login()
      world.run(for: 1)
      user.join()
      world.run(for: 1)
    }
    for user in [anna, ben] { user.heard.clear() }
    return (anna, ben, watched.value!)
  }

  @Test("FACE-12, FACE-10: a leave while no socket is there is heard with the next one of the login")
  func withoutSocket() {
    let (anna, ben, transport) = rtm()
    anna.network.set(.cut)
    world.run(for: 0.1)
    anna.leave()
    world.run(for: 1)
    #expect(anna.heard.texts == ["leave 0"])
    #expect(ben.heard.texts.isEmpty)
    anna.network.set(.clear)
    world.run(for: 3)
    #expect(ben.heard.texts == ["memberLeft anna"])
    #expect(!isIn("anna", .rtm))
    #expect(transport.leaves == ["room"])
  }

  @Test("FACE-12: a join that follows such a leave waits until the leave is heard, and is not ended by it")
  func joinWaits() {
    for seed in UInt64(1)...8 {
      let scene = LostLeaveTests(seed: seed)
      let (anna, ben, transport) = scene.rtm()
      anna.network.set(.cut)
      scene.world.run(for: 0.1)
      anna.leave()
      scene.world.run(for: 0.1)
      // The login waits for its next attempt; the join would not.
      anna.network.set(.clear)
      anna.join()
      scene.world.run(for: 10)
      #expect(anna.heard.texts == ["leave 0", "join 0"], "seed \(seed)")
      #expect(ben.heard.texts == ["memberLeft anna", "memberJoined anna"], "seed \(seed)")
      #expect(scene.isIn("anna", .rtm), "seed \(seed)")
      #expect(transport.leaves == ["room"], "seed \(seed)")
    }
  }

  @Test("FACE-12: a join that waits so is given up as any other, and can be left")
  func waitingJoin() {
    let (anna, _, transport) = rtm()
    anna.network.set(.cut)
    world.run(for: 0.1)
    anna.leave()
    world.run(for: 0.1)
    anna.join()
    world.run(for: 0.1)
    anna.leave()
    world.run(for: 0.1)
    #expect(anna.heard.texts.sorted() == ["join 102", "leave 0", "leave 0"])
    anna.heard.clear()
    anna.join()
    world.run(for: 13)
    #expect(anna.heard.texts("join").count == 1)
    #expect(anna.heard.texts("join") != ["join 0"])
    anna.network.set(.clear)
    world.run(for: 10)
    #expect(!isIn("anna", .rtm))
    #expect(transport.leaves == ["room"])
  }

  @Test("FACE-12: who left while it was joining, and was in without knowing it, is out")
  func leftWhileJoining() {
    let (anna, ben, transport) = rtm()
    anna.leave()
    world.run(for: 1)
    ben.heard.clear()
    anna.join()
    world.run { transport.hellos.count == 2 }
    // The welcome does not arrive.
    anna.network.set(.halfOpen(.toClient))
    world.run(for: 1)
    #expect(ben.heard.texts == ["memberJoined anna"])
    anna.leave()
    world.run(for: 1)
    anna.network.set(.clear)
    world.run(for: 10)
    #expect(ben.heard.texts == ["memberJoined anna", "memberLeft anna"])
    #expect(!isIn("anna", .rtm))
  }

  @Test("FACE-12, ACC-11: where the login has ended meanwhile there is nothing to leave")
  func newLogin() {
    let (anna, ben, transport) = rtm()
    anna.network.set(.cut)
    world.run(for: 0.1)
    anna.leave()
    world.run(for: 40)
    #expect(ben.heard.texts == ["memberLeft anna"])
    anna.network.set(.clear)
    anna.client.networkIsBack()
    world.run(for: 5)
    #expect(anna.client.connectionState == .connected)
    #expect(transport.leaves.isEmpty)
    anna.join()
    world.run(for: 2)
    #expect(anna.heard.texts.last == "join 0")
    #expect(isIn("anna", .rtm))
  }
}
