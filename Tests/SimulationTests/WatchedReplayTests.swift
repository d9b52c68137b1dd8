import BoardroomClient
import BoardroomCodec
import BoardroomCore
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// A network on which an app's SDK, which knows nothing of it, asks for a replay: the hello gets the wish on its way.
private final class ReplayNetwork: Transport {
  private let network: SimulatedNetwork
  private let wish: ReplayWish
  private let world: World
  private let newest = Mutex<(any TransportConnection)?>(nil)

  init(_ world: World, _ network: SimulatedNetwork, _ wish: ReplayWish) {
    (self.world, self.network, self.wish) = (world, network, wish)
  }

  func open(
    _ endpoint: Endpoint, _ subprotocol: Subprotocol,
    events: @escaping @Sendable (TransportEvent) -> Void
  ) -> any TransportConnection {
    let line = Line(network.open(endpoint, subprotocol, events: events), WireCodec(subprotocol), wish)
    newest.withLock { $0 = line }
    return line
  }

  func steer(_ control: ReplayControl, _ subprotocol: Subprotocol) {
    let line = newest.withLock { $0 }
    world.loop.execute { line?.send(WireCodec(subprotocol).encode(client: .replay(control))) }
  }

  private struct Line: TransportConnection {
    let base: any TransportConnection
    let codec: WireCodec
    let wish: ReplayWish

    init(_ base: any TransportConnection, _ codec: WireCodec, _ wish: ReplayWish) {
      (self.base, self.codec, self.wish) = (base, codec, wish)
    }

    func send(_ message: [UInt8]) {
      guard case .hello(var hello)? = try? codec.decodeClient(message) else { return base.send(message) }
      hello.replay = wish
      base.send(codec.encode(client: .hello(hello)))
    }
    func close() { base.close() }
  }
}

@Suite struct WatchedReplayTests {
  @Test(
    "RPL-10, RPL-13: an app's SDK watches a replay as it does a room, through seeks back and forth, and sees the truth",
    arguments: Subprotocol.allCases)
  func ordinaryClient(_ subprotocol: Subprotocol) throws {
    let world = World(seed: 5)
    let teacher = try world.client("teacher").join()
    for second in 1...20 {
      teacher.setGlobalState(["n": JSONValue(second)], completion: nil)
      world.run(for: 1)
    }
    world.perform { await teacher.disconnect() }
    let (log, start) = (world.log, world.start)
    let network = ReplayNetwork(
      world, SimulatedNetwork(loop: world.loop) { world.engine },
      ReplayWish(place: .time(start + .seconds(6))))
    let configuration = WhiteSdkConfiguration(
      endpoint: Endpoint(host: "simulated", port: 1), subprotocol: subprotocol, client: "watcher")
    let sdk = WhiteSDK(sdkConfiguration: configuration, context: world.loop, transport: network)
    let recorder = Recorder { world.seconds }
    let config = WhiteRoomConfig(uuid: world.room.description, roomToken: "reader", uid: "watcher")
    let room = try world.perform {
      do throws(BoardroomError) {
        return Result<WhiteRoom, BoardroomError>.success(
          try await sdk.joinRoom(config, callbacks: recorder))
      } catch { return .failure(error) }
    }.get()
    func expectTruth(_ seconds: ClosedRange<Int>, _ comment: Comment) {
      let board = world.perform { await room.getBoard() }
      var state = RoomState()
      for event in log where event.revision <= board.revision { state.apply(event) }
      #expect(StateEncoder.hash(of: board) == StateEncoder.hash(of: state), comment)
      let n = board.globalState["n"].flatMap { Int($0.text) } ?? 0
      #expect(seconds.contains(n), comment)
      #expect(room.globalState["n"]?.text == "\(n)", comment)
    }
    expectTruth(5...7, "at the beginning")
    world.run(for: 4)
    expectTruth(9...11, "after four seconds")
    network.steer(.seek(.time(start + .seconds(3))), subprotocol)
    world.run(for: 0.5)
    expectTruth(2...4, "back")
    network.steer(.seek(.time(start + .seconds(15))), subprotocol)
    world.run(for: 2)
    expectTruth(16...18, "forth")
    network.steer(.pause, subprotocol)
    world.run(for: 30)
    expectTruth(16...18, "paused, for longer than any silence may last")
    #expect(recorder.phases.map(\.phase) == [.connecting, .connected])
    #expect(recorder.disconnects.isEmpty)
    #expect(room.phase == .connected)
    #expect(world.log == log, "nothing of it is in the log")
  }
}
