import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// WIRE-20 from the client's side, over a simulated network.
@Suite struct QuietRoomClientTests {
  /// Counts messages on their way over a network.
  private final class MessageCounter: Transport {
    private struct Line: TransportConnection {
      let line: any TransportConnection
      let sent: Box<[Double]>
      let now: @Sendable () -> Double
      func send(_ message: [UInt8]) {
        let second = now()
        sent.change { $0.append(second) }
        line.send(message)
      }
      func close() { line.close() }
      func abandon() { line.abandon() }
    }

    let network: SimulatedNetwork
    let sent = Box<[Double]>([])
    let came = Box<[Double]>([])
    private let now: @Sendable () -> Double

    init(_ world: World, _ network: SimulatedNetwork) {
      self.network = network
      now = { world.seconds }
    }

    func open(
      _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
      let line = network.open(endpoint, subprotocol) { [came, now] event in
        if case .received = event {
          let second = now()
          came.change { $0.append(second) }
        }
        events(event)
      }
      return Line(line: line, sent: sent, now: now)
    }

    func counts(_ seconds: ClosedRange<Double>) -> (sent: Int, came: Int) {
      (sent.value.count { seconds.contains($0) }, came.value.count { seconds.contains($0) })
    }
  }

  private struct Scene {
    let world: World
    let counter: MessageCounter
    let recorder: Recorder
    let room: WhiteRoom
    let ben: WhiteRoom

    init(seed: UInt64 = 7, _ settings: ConnectionSettings = .usual) throws {
      let world = World(seed: seed)
      let anna = world.client("anna")
      let counter = MessageCounter(world, anna.network)
      var configuration = anna.sdk.configuration
      configuration.connection = settings
      let sdk = WhiteSDK(sdkConfiguration: configuration, context: world.loop, transport: counter)
      let recorder = Recorder { world.seconds }
      (self.world, self.counter, self.recorder) = (world, counter, recorder)
      let config = anna.config
      room = try world.perform {
        await asResult { () async throws(BoardroomError) in
          try await sdk.joinRoom(config, callbacks: recorder)
        }
      }.get()
      ben = try world.client("ben").join()
      world.run(to: 60)
      recorder.clear()
    }

    var toldReconnecting: Double? { recorder.phases.first { $0.phase == .reconnecting }?.second }
    func draw(_ room: WhiteRoom) { room.setGlobalState(["a": JSONValue(world.seconds)], completion: nil) }
  }

  @Test("In a quiet room a client says and hears something every ten seconds; after an event, every second")
  func messages() throws {
    let scene = try Scene()
    scene.world.run(to: 120)
    let quiet = scene.counter.counts(60...120)
    #expect((5...7).contains(quiet.sent), "\(quiet)")
    #expect((5...7).contains(quiet.came), "\(quiet)")
    scene.draw(scene.ben)
    scene.world.run(to: 126)
    let busy = scene.counter.counts(120...126)
    #expect((4...7).contains(busy.sent), "\(busy)")
    #expect((5...8).contains(busy.came), "\(busy)")
    #expect(scene.recorder.phases.isEmpty)
  }

  @Test("A network that goes silent in a quiet room is noticed within 14 s, with an own command after 4 s")
  func silence() throws {
    let scene = try Scene()
    scene.counter.network.set(.silent)
    scene.world.run(to: 80)
    let alone = try #require(scene.toldReconnecting)
    #expect((64...74.1).contains(alone))

    let active = try Scene(seed: 8)
    active.counter.network.set(.silent)
    active.world.run(to: 61)
    active.draw(active.room)
    active.world.run(to: 70)
    let told = try #require(active.toldReconnecting)
    #expect((64...65.1).contains(told), "\(told)")
  }

  @Test("X-1: while somebody draws, a silent network is noticed four seconds after the last byte")
  func activity() throws {
    let scene = try Scene()
    scene.draw(scene.ben)
    scene.world.run(to: 62)
    scene.counter.network.set(.silent)
    scene.world.run(to: 70)
    let told = try #require(scene.toldReconnecting)
    #expect((65...66.1).contains(told), "\(told)")
  }

  @Test("An app that has numbers of its own for heartbeats has them in a quiet room, too")
  func ownNumbers() throws {
    let scene = try Scene(try ConnectionSettings(heartbeatTimeout: .seconds(5)))
    scene.world.run(to: 70)
    let counts = scene.counter.counts(60...70)
    #expect((9...11).contains(counts.sent), "\(counts)")
    #expect((9...11).contains(counts.came), "\(counts)")
  }

  @Test(
    "Whatever is done when, in and out of quiet, nobody is told of an outage that is none", arguments: 1...20)
  func noFalseAlarm(_ seed: Int) throws {
    let scene = try Scene(seed: UInt64(seed))
    let chance = scene.world.loop.chance
    for _ in 0..<12 {
      scene.world.run(for: 24 * chance())
      switch Int(3 * chance()) {
      case 0: scene.draw(scene.ben)
      case 1: scene.draw(scene.room)
      default:
        scene.world.perform { [room = scene.room] in _ = await room.getBoard() }
        scene.draw(scene.room)
        scene.draw(scene.ben)
      }
    }
    scene.world.run(for: 30)
    #expect(scene.recorder.phases.isEmpty)
    #expect(!scene.world.log.contains { $0.kindName == "memberPhase" })
    let members = scene.world.perform { [room = scene.room] in
      await room.getConfirmedBoard().members.values.map(\.phase)
    }
    #expect(members == [.connected, .connected])
  }
}
