import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import TestKit
import Testing

@testable import BoardroomClient

/// `ConnectionSettings`, `pause()` and `resume()`.
@Suite struct ConnectionSettingsTests {
  private static let wrong: [(String, @Sendable () throws(BoardroomError) -> ConnectionSettings)] = [
    ("firstDelay", { () throws(BoardroomError) in try ConnectionSettings(firstDelay: .milliseconds(49)) }),
    ("firstDelay", { () throws(BoardroomError) in try ConnectionSettings(firstDelay: .seconds(61)) }),
    (
      "longestDelay",
      { () throws(BoardroomError) in
        try ConnectionSettings(firstDelay: .seconds(9), longestDelay: .seconds(8))
      }
    ),
    ("longestDelay", { () throws(BoardroomError) in try ConnectionSettings(longestDelay: .seconds(601)) }),
    ("jitter", { () throws(BoardroomError) in try ConnectionSettings(jitter: -0.1) }),
    ("jitter", { () throws(BoardroomError) in try ConnectionSettings(jitter: 0.91) }),
    ("jitter", { () throws(BoardroomError) in try ConnectionSettings(jitter: .nan) }),
    ("giveUpAfter", { () throws(BoardroomError) in try ConnectionSettings(giveUpAfter: .zero) }),
    (
      "giveUpAfter", { () throws(BoardroomError) in try ConnectionSettings(giveUpAfter: .seconds(2_592_001)) }
    ),
    (
      "heartbeatInterval",
      { () throws(BoardroomError) in try ConnectionSettings(heartbeatInterval: .milliseconds(499)) }
    ),
    (
      "heartbeatTimeout",
      { () throws(BoardroomError) in try ConnectionSettings(heartbeatTimeout: .milliseconds(999)) }
    ),
    (
      "heartbeatTimeout",
      { () throws(BoardroomError) in
        try ConnectionSettings(heartbeatInterval: .seconds(10), heartbeatTimeout: .seconds(14))
      }
    ),
  ]

  @Test(
    "A number out of its range: badParameter, with its name, what it was and what it may be",
    arguments: wrong.indices)
  func bounds(_ index: Int) {
    let (name, make) = Self.wrong[index]
    do throws(BoardroomError) {
      _ = try make()
      Issue.record("\(name) was taken")
    } catch {
      #expect(error.code == .badParameter)
      #expect(error.cause.hasPrefix("ConnectionSettings.\(name) is "))
      #expect(error.cause.contains("it may be "))
      #expect(!error.cure.isEmpty)
    }
  }

  @Test("Settings change numbers of the service's table, and nothing where they say nothing")
  func table() throws {
    for policy in [ConnectionPolicy.white(), .rtc, .rtm, .signaling()] {
      #expect(ConnectionSettings.usual.applied(to: policy) == policy)
      #expect(try ConnectionSettings().applied(to: policy) == policy)
    }
    let settings = try ConnectionSettings(
      firstDelay: .milliseconds(100), longestDelay: .seconds(1), jitter: 0, giveUpAfter: .seconds(90),
      heartbeatInterval: .milliseconds(500), heartbeatTimeout: .seconds(2))
    var expected = ConnectionPolicy.white()
    expected.retryPace = [100, 200, 400, 800, 1_000].map { .milliseconds($0) }
    expected.retrySpread = 0
    expected.giveUpAfter = .seconds(90)
    expected.suspectAfter = .seconds(2)
    #expect(settings.applied(to: .white()) == expected)
    #expect(expected.retryDelay(after: 9, chance: 0.99) == .seconds(1))
  }

  @Test(
    "The server's heartbeat bounds the app's: never rarer than it asks, never a silence shorter than 1.5 of it"
  )
  func heartbeats() throws {
    let server = Timings(heartbeat: .seconds(10), suspectAfter: .seconds(25))
    let eager = try ConnectionSettings(heartbeatInterval: .seconds(2), heartbeatTimeout: .seconds(4))
    #expect(eager.timings(of: server).heartbeat == .seconds(2))
    #expect(eager.timings(of: server).suspectAfter == .seconds(15))
    let lazy = try ConnectionSettings(heartbeatInterval: .seconds(30), heartbeatTimeout: .seconds(60))
    #expect(lazy.timings(of: server).heartbeat == .seconds(10))
    #expect(lazy.timings(of: server).suspectAfter == .seconds(60))
    #expect(ConnectionSettings.usual.timings(of: server) == server)
  }

  private struct Scene {
    let world: World
    let transport: CountingTransport
    let room: WhiteRoom
    let ears = Ears()

    init(
      _ settings: ConnectionSettings = .usual, _ change: (inout WhiteRoomConfig) -> Void = { _ in }
    ) throws {
      world = World(seed: 4)
      let client = world.client("anna")
      transport = CountingTransport(world, client.network)
      var configuration = client.sdk.configuration
      configuration.connection = settings
      let sdk = WhiteSDK(
        sdkConfiguration: configuration, context: world.loop, transport: transport,
        commonCallbackDelegate: ears)
      var config = client.config
      change(&config)
      room = try world.perform { [ears, config] in
        await asResult { () async throws(BoardroomError) in try await sdk.joinRoom(config, callbacks: ears) }
      }.get()
      world.run(for: 2)
      transport.clear()
    }

    var network: SimulatedNetwork { transport.network }
  }

  @Test("An outage: attempts after the app's waits, without jitter to the tick, up to its own give-up time")
  func pace() throws {
    let settings = try ConnectionSettings(
      firstDelay: .milliseconds(100), longestDelay: .milliseconds(400), jitter: 0, giveUpAfter: .seconds(3))
    let scene = try Scene(settings) { $0.timeout = .seconds(45) }
    scene.network.set(.cut)
    let begin = scene.world.seconds
    scene.world.run(for: 2.9)
    #expect(scene.room.phase == .reconnecting)
    scene.world.run(for: 0.2)
    #expect(scene.room.phase == .disconnected)
    let first = scene.transport.seconds.prefix(4).map { (($0 - begin) * 10).rounded() / 10 }
    #expect(first == [0.1, 0.3, 0.7, 1.1], "\(scene.transport.seconds)")
  }

  @Test("heartbeatTimeout: a silence is told after as long as the app bears it")
  func silence() throws {
    let scene = try Scene(try ConnectionSettings(heartbeatTimeout: .seconds(9)))
    scene.network.set(.silent)
    scene.world.run(for: 7.5)
    #expect(scene.room.phase == .connected)
    scene.world.run(for: 2)
    #expect(scene.room.phase == .reconnecting)
  }

  @Test(
    "pause: no attempts, no end of the room however long it lasts; resume: back at once, as a new member by then"
  )
  func paused() throws {
    let scene = try Scene()
    let (world, room) = (scene.world, scene.room)
    let member = room.roomMemberId
    room.pause()
    scene.network.set(.cut)
    world.run(for: 10)
    scene.network.set(.clear)
    world.run(for: 600)
    #expect(room.phase == .reconnecting)
    #expect(scene.transport.seconds.isEmpty)
    let begin = world.seconds
    room.resume()
    world.run(for: 0.5)
    #expect(room.phase == .connected)
    #expect(scene.transport.seconds.count == 1)
    #expect(scene.transport.seconds[0] - begin < 0.01)
    #expect(room.roomMemberId != member)
  }

  @Test("A pause within the grace: the same member, and what was given meanwhile is done")
  func shortPause() throws {
    let scene = try Scene()
    let (world, room) = (scene.world, scene.room)
    let member = room.roomMemberId
    room.pause()
    scene.network.set(.cut)
    world.run(for: 1)
    let outcome = Outcome()
    room.setGlobalState(["k": .bool(true)]) { outcome.set($0) }
    world.run(for: 15)
    scene.network.set(.clear)
    room.resume()
    world.run(for: 1)
    #expect(room.roomMemberId == member)
    #expect((try? outcome.value?.get()) != nil)
  }

  @Test("A connection that stands is kept in a pause, and after it")
  func standing() throws {
    let scene = try Scene()
    let (world, room) = (scene.world, scene.room)
    room.pause()
    world.run(for: 60)
    #expect(room.phase == .connected)
    #expect(scene.transport.seconds.isEmpty)
    room.resume()
    world.run(for: 1)
    #expect(scene.transport.seconds.isEmpty)
    #expect(scene.ears.heard.phases.filter { $0 == .reconnecting }.isEmpty)
  }

  @Test("The time outside of the pause counts as ever: an outage of 45 s without it is the end")
  func countsOutside() throws {
    let scene = try Scene()
    let (world, room) = (scene.world, scene.room)
    scene.network.set(.cut)
    world.run(for: 20)
    room.pause()
    world.run(for: 300)
    room.resume()
    world.run(for: 24)
    #expect(room.phase == .reconnecting)
    world.run(for: 2)
    #expect(room.phase == .disconnected)
  }

  @Test("A token that comes in a pause makes no attempt; leaving in a pause ends at once")
  func leaving() throws {
    let scene = try Scene()
    let (world, room) = (scene.world, scene.room)
    room.pause()
    scene.network.set(.cut)
    world.run(for: 1)
    room.renewToken("fresh")
    room.networkIsBack()
    world.run(for: 5)
    #expect(scene.transport.seconds.isEmpty)
    world.perform(atMost: 0.1) { await room.disconnect() }
    #expect(room.phase == .disconnected)
  }

  @Test("RTM and its channels, RTC and Signaling pause, too")
  func services() {
    let world = World(seed: 4)
    let rtm = RtmUser(world, "anna")
    rtm.login()
    world.run(for: 1)
    rtm.join()
    let rtc = RtcUser(world, 1)
    rtc.join()
    let signaling = SignalingUser(world, "anna")
    signaling.login()
    world.run(for: 2)
    let networks = [rtm.network, rtc.network, signaling.network]
    rtm.client.pause()
    rtc.connection.pause()
    signaling.client.pause()
    for network in networks { network.set(.cut) }
    world.run(for: 20)
    for network in networks { network.set(.clear) }
    world.run(for: 200)
    #expect(rtm.client.connectionState == .reconnecting)
    #expect(rtc.connection.getConnectionState() == .reconnecting)
    #expect(signaling.getStatus(in: world) == 3)
    rtm.client.resume()
    rtc.connection.resume()
    signaling.client.resume()
    world.run(for: 1)
    #expect(rtm.client.connectionState == .connected)
    #expect(rtc.connection.getConnectionState() == .connected)
    #expect(signaling.getStatus(in: world) == 2)
    rtm.heard.clear()
    rtm.say("here")
    world.run(for: 1)
    #expect(rtm.heard.texts == ["said here 0"])
  }
}
