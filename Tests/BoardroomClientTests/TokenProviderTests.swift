import BoardroomClient
import BoardroomModel
import EventLogModel
import TestKit
import Testing

/// `WhiteRoomConfig.tokenProvider`: a room outlives its token.
@Suite struct TokenProviderTests {
  private struct NoToken: Error {}

  /// A member who is cut off for ten seconds, and whose token has ended by the time it comes back.
  private func away(
    _ world: World, _ gate: NamedGate, provider: (@Sendable () async throws -> String)?
  ) throws -> (SimulatedClient, WhiteRoom) {
    let client = world.client("anna")
    let room = try client.join { config in
      config.timeout = .seconds(86_400)
      config.tokenProvider = provider
    }
    client.network.set(.silent)
    world.run(for: 10)
    gate.refuse("token", with: .tokenExpired)
    client.network.set(.clear)
    return (client, room)
  }

  /// The provider is asked on threads of the system's, so that the world's time goes on until it has answered.
  private func run(_ world: World, until isDone: () -> Bool) async {
    for _ in 0..<20_000 where !isDone() {
      world.run(for: 1)
      await Task.yield()
    }
  }

  @Test("The token has ended: the app is asked for another, and the member is back")
  func renewed() async throws {
    let gate = NamedGate()
    let world = World(gate: gate)
    let asked = Box(0)
    let (client, room) = try away(world, gate) {
      asked.change { $0 += 1 }
      return "fresh"
    }
    await run(world) { room.phase == .connected }
    #expect(room.phase == .connected)
    #expect(room.error == nil)
    #expect(asked.value >= 1)
    #expect(client.recorder.phases.map(\.phase).suffix(2) == [.reconnecting, .connected])
  }

  @Test("Without a provider a token that has ended is the end of the room")
  func notRenewed() throws {
    let gate = NamedGate()
    let world = World(gate: gate)
    let (_, room) = try away(world, gate, provider: nil)
    world.run(for: 20)
    #expect(room.phase == .disconnected)
    #expect(room.error?.code == .tokenExpired)
  }

  @Test("A provider that has none is asked again, at most once in tokenPause; the outage goes on")
  func noneGiven() async throws {
    let gate = NamedGate()
    let world = World(gate: gate)
    let asked = Box(0)
    let (_, room) = try away(world, gate) {
      asked.change { $0 += 1 }
      throw NoToken()
    }
    let begin = world.seconds
    await run(world) { asked.value >= 3 }
    #expect(asked.value >= 3)
    #expect(Double(asked.value) <= (world.seconds - begin) / (WhiteRoomConfig.tokenPause / .seconds(1)) + 1)
    #expect(room.phase == .reconnecting)
    room.renewToken("fresh")
    world.run(for: 20)
    #expect(room.phase == .connected)
  }

  @Test("A provider that does not answer is asked once; its answer counts when it comes")
  func lateAnswer() async throws {
    let gate = NamedGate()
    let world = World(gate: gate)
    let asked = Box(0)
    let (answers, answer) = AsyncStream<String>.makeStream()
    let (_, room) = try away(world, gate) {
      asked.change { $0 += 1 }
      for await token in answers { return token }
      throw NoToken()
    }
    await run(world) { asked.value >= 1 }
    for _ in 0..<200 {
      world.run(for: 1)
      await Task.yield()
    }
    #expect(asked.value == 1)
    answer.yield("fresh")
    await run(world) { room.phase == .connected }
    #expect(room.phase == .connected)
  }
}
