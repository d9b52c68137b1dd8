import BoardroomClient
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Logging
import TestKit
import Testing

/// `WhiteSdkConfiguration.logger` and `ServiceConfiguration.logger`: what the SDK does on its connections.
@Suite struct ClientLogTests {
  private static let token = "NETLESSROOM_secret"
  private static let payload = "words of a member"

  private func join(
    _ world: World, _ client: SimulatedClient, _ log: KeptLog,
    _ change: (inout WhiteRoomConfig) -> Void = { _ in }
  ) throws -> (sdk: WhiteSDK, room: WhiteRoom) {
    var configuration = client.sdk.configuration
    configuration.logger = log.logger
    let sdk = WhiteSDK(sdkConfiguration: configuration, context: world.loop, transport: client.network)
    var config = client.config
    config.roomToken = Self.token
    config.uid = "somebody"
    change(&config)
    let room = try world.perform { [config] in
      await asResult { () async throws(BoardroomError) in try await sdk.joinRoom(config) }
    }.get()
    return (sdk, room)
  }

  @Test(
    "The log tells attempts, phases, the loss, its cause, the return and the end; never tokens, names or payloads"
  )
  func life() throws {
    let world = World(seed: 5)
    let client = world.client("anna")
    let log = KeptLog()
    let (sdk, room) = try join(world, client, log)
    world.perform { _ = try? await room.setGlobalState(["a": .string(Self.payload)]) }
    client.network.set(.cut)
    world.run(for: 5)
    client.network.set(.clear)
    world.run(for: 15)
    room.renewToken(Self.token + "2")
    world.run(for: 1)
    world.perform { await room.disconnect() }
    let lines = log.lines
    func metadata(of text: String, _ key: String) -> [String?] {
      lines.filter { $0.text == text }.map { $0.metadata[key] }
    }
    #expect(metadata(of: "Connecting.", "attempt").prefix(2) == ["1", "1"])
    #expect(
      metadata(of: "The phase is another one.", "phase")
        == ["connecting", "connected", "reconnecting", "connected", "disconnecting"])
    #expect(metadata(of: "In.", "resumed") == ["false", "true"])
    #expect(metadata(of: "The connection is gone.", "cause").count == 1)
    let failures = lines.filter { $0.text == "An attempt to connect failed." }
    #expect(failures.count > 1)
    #expect(
      failures.map(\.level) == [.warning] + failures.dropFirst().map { _ in .debug }, "one cause, one warning"
    )
    #expect(lines.contains { $0.text == "There is another token." })
    #expect(lines.last?.text == "The connection is over: it was left.")
    #expect(lines.allSatisfy { $0.metadata["place"] == room.uuid })
    for secret in [Self.token, Self.payload, "somebody"] { #expect(!log.everything.contains(secret)) }
    withExtendedLifetime(sdk) {}
  }

  @Test("Giving up is an error with its cause; without a logger nothing is written")
  func givenUp() throws {
    let world = World(seed: 5)
    let client = world.client("anna")
    let log = KeptLog()
    let (sdk, room) = try join(world, client, log) { $0.timeout = .seconds(20) }
    client.network.set(.silent)
    world.run(for: 60)
    #expect(room.phase == .disconnected)
    #expect(room.error?.connection?.cause == .timeout(.connecting))
    #expect(room.error?.cause.contains("does not answer") == true)
    let last = try #require(log.lines.last)
    #expect(last.level == .error)
    #expect(last.metadata["code"] == "networkLost")
    #expect(last.metadata["cause"] == room.error?.cause)
    #expect(World.services().logger.handler is SwiftLogNoOpLogHandler)
    withExtendedLifetime(sdk) {}
  }

  @Test("Accounts: the log names the service and no account")
  func accounts() throws {
    let world = World(seed: 5)
    let log = KeptLog()
    var configuration = World.services()
    configuration.logger = log.logger
    let client = RtmClient(configuration: configuration, context: world.loop, transport: world.network())
    client.loginByToken(Self.token, user: "somebody", completion: nil)
    world.run(for: 2)
    #expect(client.connectionState == .connected)
    #expect(log.lines.contains { $0.text == "In." })
    #expect(log.lines.allSatisfy { $0.metadata["place"] == "rtm" })
    #expect(!log.everything.contains(Self.token))
    #expect(!log.everything.contains("somebody"))
  }
}
