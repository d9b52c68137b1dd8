import BoardroomAccess
import BoardroomHosting
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@testable import BoardroomClient
@testable import BoardroomLegacy

/// Tokens that are replaced before they end, in rooms, RTC, RTM and Signaling.
@Suite struct TokenRenewalTests {
  private struct NoToken: Error {}

  /// Lets everybody in as long as its token has not ended, as its text says.
  private struct EndingGate: Gatekeeper {
    let gate = TicketGate()

    func admit(
      _ hello: Hello, from address: String?, at now: Timestamp
    ) throws(Refusal) -> Admission {
      let expires = TokenRenewal.expiry(of: hello.token)
      if let expires, expires <= now { throw Refusal(.tokenExpired) }
      return Admission(role: .admin, expires: expires)
    }

    func ticket(for session: SessionID, in room: RoomID) -> String { gate.ticket(for: session, in: room) }
  }

  /// Makes tokens that end so many seconds after they were asked for, and notes when that was.
  private final class Issuer: Sendable {
    let world: World
    let asked = Box<[Double]>([])
    let lifetime: Int64
    let failures: Box<Int>

    init(_ world: World, lifetime: Int64 = 600, failures: Int = 0) {
      (self.world, self.lifetime, self.failures) = (world, lifetime, Box(failures))
    }

    func token(until seconds: Int64? = nil) -> String {
      AccessToken(
        scope: .account("anna"), role: .writer, keyID: "key", lifespan: (seconds ?? lifetime) * 1_000,
        at: world.loop.now
      ).signed(with: "secret")
    }

    func give() throws -> String {
      let second = world.seconds
      asked.change { $0.append(second) }
      guard failures.value == 0 else {
        failures.change { $0 -= 1 }
        throw NoToken()
      }
      return token()
    }
  }

  /// Small steps, so that a provider, which is asked on threads of the system's, answers within a step or two.
  private func run(_ world: World, for duration: Double, step: Double = 1) async {
    let end = world.seconds + duration
    while world.seconds < end {
      world.run(to: min(end, world.seconds + step))
      for _ in 0..<20 { await Task.yield() }
    }
  }

  private func settle(_ world: World, until isDone: () -> Bool) async {
    for _ in 0..<20_000 where !isDone() {
      world.run(for: 0.01)
      await Task.yield()
    }
  }

  // MARK: When

  @Test("What a token of the server's says of its end, and what is no token says nothing")
  func expiry() {
    let token = AccessToken(
      scope: .room(RoomID(high: 1, low: 2)), role: .writer, keyID: "k",
      expires: Timestamp(milliseconds: 1_700_000_000_123), nonce: "n", uid: "änna & co")
    #expect(TokenRenewal.expiry(of: token.signed(with: "s")) == Timestamp(milliseconds: 1_700_000_000_123))
    let endless = AccessToken(scope: .team, role: .admin, keyID: "k", expires: nil, nonce: "n")
    #expect(TokenRenewal.expiry(of: endless.signed(with: "s")) == nil)
    for text in ["", "token", "NETLESSROOM_", "NETLESSROOM_!!", "_no_need_token", "a_ZXhwaXJlQXQ9eA"] {
      #expect(TokenRenewal.expiry(of: text) == nil, "\(text)")
    }
    #expect(TokenRenewal.expiry(of: "a_" + String(repeating: "A", count: 10_000)) == nil)
  }

  @Test(
    "margin before the end; half of what is left, if that is later; nothing in the last moment, or after it",
    arguments: [
      (Int64(3_600), Double?.some(3_540)), (120, 60), (100, 50), (40, 20), (2, 1), (1, nil), (-5, nil),
    ])
  func due(_ left: Int64, _ wait: Double?) {
    let now = Timestamp(milliseconds: 1_000_000_000)
    var renewal = TokenRenewal()
    let token = AccessToken(
      scope: .team, role: .writer, keyID: "k", expires: now + .seconds(left), nonce: "n")
    renewal.plan(token.signed(with: "s"), isNew: true, at: now)
    #expect(renewal.due == wait.map { now + .milliseconds(Int64($0 * 1_000)) })
    // The server's clock counts.
    renewal.follow(serverTime: now + .seconds(10), at: now)
    if left == 3_600 { #expect(renewal.due == now + .seconds(3_530)) }
    renewal.stop()
    #expect(renewal.due == nil)
  }

  // MARK: Rooms

  @Test(
    "A room's token is replaced a margin before its end, once for each; an outage after the first end is survived"
  )
  func room() async throws {
    let world = World(gate: EndingGate())
    let issuer = Issuer(world)
    let client = world.client("anna")
    let begin = world.seconds
    let room = try client.join { config in
      config.roomToken = issuer.token()
      config.tokenProvider = { try issuer.give() }
    }
    await run(world, for: 530)
    #expect(issuer.asked.value.isEmpty)
    await run(world, for: 670)
    let asked = issuer.asked.value.map { $0 - begin }
    #expect(asked.count == 2, "\(asked)")
    #expect((538...545).contains(try #require(asked.first)))
    client.network.set(.cut)
    world.run(for: 1)
    client.network.set(.clear)
    world.run(for: 15)
    #expect(room.phase == .connected)
    #expect(issuer.asked.value.count == 2, "nobody had to be asked in the outage")
    #expect(client.recorder.phases.filter { $0.phase == .reconnecting }.count == 1)
  }

  @Test("A provider that fails is asked again when half of the time that is left has passed")
  func failing() async throws {
    let world = World(gate: EndingGate())
    let issuer = Issuer(world, failures: 2)
    let begin = world.seconds
    let room = try world.client("anna").join { config in
      config.roomToken = issuer.token()
      config.tokenProvider = { try issuer.give() }
    }
    await run(world, for: 620)
    let asked = issuer.asked.value.map { $0 - begin }
    #expect(asked.count == 3)
    for (second, expected) in zip(asked, [540.0, 570, 585]) {
      #expect(abs(second - expected) < 5, "\(asked)")
    }
    #expect(room.phase == .connected)
  }

  @Test("A room that was left asks nobody")
  func left() async throws {
    let world = World(gate: EndingGate())
    let issuer = Issuer(world)
    let room = try world.client("anna").join { config in
      config.roomToken = issuer.token()
      config.tokenProvider = { try issuer.give() }
    }
    world.perform { await room.disconnect() }
    await run(world, for: 700)
    #expect(issuer.asked.value.isEmpty)
  }

  // MARK: Services

  private func services(_ issuer: Issuer?) -> ServiceConfiguration {
    var services = World.services()
    if let issuer {
      services.tokenProvider = { account in
        #expect(["anna", "7"].contains(account))
        return try issuer.give()
      }
    }
    return services
  }

  @Test("RTC: the provider keeps a connection's token fresh; told as well")
  func rtc() async throws {
    let world = World(gate: EndingGate())
    let issuer = Issuer(world)
    let network = world.network()
    let ears = RtcEars()
    let rtc = RtcConnection(
      configuration: services(issuer), context: world.loop, transport: network, delegate: ears)
    rtc.joinChannel(byToken: issuer.token(), channelId: "room", uid: 7, rejected: nil)
    await run(world, for: 700)
    #expect(issuer.asked.value.count == 1)
    #expect(ears.warnings.value == 1)
    network.set(.cut)
    world.run(for: 6)
    network.set(.clear)
    world.run(for: 15)
    #expect(rtc.getConnectionState() == .connected)
  }

  @Test("RTC and RTM without a provider: told a margin before, the app renews, as ever")
  func byHand() async throws {
    let world = World(gate: EndingGate())
    let issuer = Issuer(world)
    let (network, rtmNetwork) = (world.network(), world.network())
    let (ears, rtmEars) = (RtcEars(), RtmEars())
    let rtc = RtcConnection(
      configuration: services(nil), context: world.loop, transport: network, delegate: ears)
    rtc.joinChannel(byToken: issuer.token(), channelId: "room", uid: 7, rejected: nil)
    let rtm = RtmClient(
      configuration: services(nil), context: world.loop, transport: rtmNetwork, delegate: rtmEars)
    rtm.loginByToken(issuer.token(), user: "anna", completion: nil)
    world.run(for: 530)
    #expect(ears.warnings.value + rtmEars.warnings.value == 0)
    world.run(for: 40)
    #expect(ears.warnings.value == 1)
    #expect(rtmEars.warnings.value == 1)
    rtc.renewToken(issuer.token())
    rtm.renewToken(issuer.token(), completion: nil)
    world.run(for: 60)
    #expect(ears.warnings.value == 1)
    for network in [network, rtmNetwork] { network.set(.cut) }
    world.run(for: 6)
    for network in [network, rtmNetwork] { network.set(.clear) }
    world.run(for: 15)
    #expect(rtc.getConnectionState() == .connected)
    #expect(rtm.connectionState == .connected)
  }

  @Test("RTM: one answer serves the login and its channels; an expiry is never told")
  func rtm() async throws {
    let world = World(gate: EndingGate())
    let issuer = Issuer(world)
    let network = world.network()
    let ears = RtmEars()
    let rtm = RtmClient(
      configuration: services(issuer), context: world.loop, transport: network, delegate: ears)
    rtm.loginByToken(issuer.token(), user: "anna", completion: nil)
    world.run(for: 1)
    let channel = rtm.createChannel("room")
    channel.join(completion: nil)
    await run(world, for: 650)
    #expect(issuer.asked.value.count == 1)
    network.set(.cut)
    world.run(for: 10)
    network.set(.clear)
    world.run(for: 20)
    #expect(rtm.connectionState == .connected)
    #expect(ears.expiries.value == 0)
    let said = Box<RtmErrorCode?>(nil)
    channel.sendMessage("here") { said.value = $0 }
    world.run(for: 1)
    #expect(said.value == .ok)
  }

  @Test("RTC with a provider outlives a token that has ended in an outage")
  func rtcAfterExpiry() async throws {
    let world = World(gate: EndingGate())
    let issuer = Issuer(world)
    let network = world.network()
    let rtc = RtcConnection(configuration: services(issuer), context: world.loop, transport: network)
    rtc.joinChannel(byToken: issuer.token(until: 30), channelId: "room", uid: 7, rejected: nil)
    world.run(for: 1)
    issuer.failures.value = 9
    network.set(.silent)
    world.run(for: 60)
    issuer.failures.value = 0
    network.set(.clear)
    await settle(world) { rtc.getConnectionState() == .connected }
    #expect(rtc.getConnectionState() == .connected)
  }

  @Test(
    "ACC-5: Signaling's login ends with its token, but not where a provider gives another: taken to the server unnoticed"
  )
  func signaling() async throws {
    let world = World(gate: EndingGate())
    let issuer = Issuer(world)
    let clients = [services(issuer), services(nil)].map {
      SignalingClient.createSigInstance($0, context: world.loop, transport: world.network())
    }
    let heard = clients.map { _ in Box<[String]>([]) }
    for (client, heard) in zip(clients, heard) {
      client.onReconnecting = { _ in heard.change { $0.append("reconnecting") } }
      client.onLogout = { code in heard.change { $0.append("logout \(code.rawValue)") } }
      client.onChannelLeaved = { _, _ in heard.change { $0.append("left") } }
    }
    clients[0].login("simulated", account: "anna", token: issuer.token())
    clients[1].login("simulated", account: "bea", token: issuer.token())
    world.run(for: 1)
    clients[0].channelJoin("room")
    await run(world, for: 1_300)
    #expect(heard[0].value.isEmpty, "\(heard[0].value)")
    #expect(heard[1].value == ["logout \(SignalingCode.logoutTokenExpired.rawValue)"])
    #expect(issuer.asked.value.count == 2)
    #expect(clients[0].shownStatus.with { $0 } == .loggedIn)
  }
}

private final class RtcEars: RtcConnectionDelegate, Sendable {
  let warnings = Box(0)
  func tokenPrivilegeWillExpire() { warnings.change { $0 += 1 } }
}

private final class RtmEars: RtmDelegate, Sendable {
  let warnings = Box(0)
  let expiries = Box(0)
  func rtmKitTokenPrivilegeWillExpire() { warnings.change { $0 += 1 } }
  func rtmKitTokenDidExpire() { expiries.change { $0 += 1 } }
}
