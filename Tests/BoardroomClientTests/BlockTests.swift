import BoardroomClient
import BoardroomCodec
import BoardroomLegacy
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// Runs that come as LZ4 blocks: what a block says of its records is checked before any of them is believed.
@Suite struct BlockTests {
  enum Forgery: CaseIterable {
    case none
    case lastTime
    case moreRecords
    case fewerRecords
    case moreBytes
    case fewerBytes
  }

  /// A network on which the next run comes as a block, with something wrong about it.
  private final class ForgingNetwork: Transport {
    private struct State {
      var forgery: Forgery?
      var connections = 0
    }
    private let network: SimulatedNetwork
    private let state = Mutex(State())

    init(_ network: SimulatedNetwork) { self.network = network }

    var connections: Int { state.withLock { $0.connections } }

    func forgeNext(_ forgery: Forgery) { state.withLock { $0.forgery = forgery } }

    func open(
      _ endpoint: Endpoint, _ subprotocol: Subprotocol, events: @escaping @Sendable (TransportEvent) -> Void
    ) -> any TransportConnection {
      state.withLock { $0.connections += 1 }
      return network.open(endpoint, subprotocol) { [weak self] event in events(self?.forged(event) ?? event) }
    }

    private func forged(_ event: TransportEvent) -> TransportEvent {
      let codec = WireCodec(.binary)
      guard case .received(let bytes) = event, let notice = try? codec.decodeServer(bytes),
        case .run(let run) = notice
      else { return event }
      let forgery = state.withLock { state in
        defer { state.forgery = nil }
        return state.forgery
      }
      guard let forgery else { return event }
      return .received(codec.encode(server: .block(block(of: run, forgery))))
    }

    /// All of it literals: nothing is packed.
    private func block(of run: Run, _ forgery: Forgery) -> StoredRun {
      var packed: [UInt8] = [0xf0]
      var rest = run.records.count - 15
      while rest >= 255 {
        packed.append(255)
        rest -= 255
      }
      packed.append(UInt8(rest))
      packed += run.records
      var (count, last, length) = (run.count, run.last, run.records.count)
      switch forgery {
      case .none: break
      case .lastTime: last = last + .milliseconds(1)
      case .moreRecords: count += 1
      case .fewerRecords: count -= 1
      case .moreBytes: length += 1
      case .fewerBytes: length -= 1
      }
      return StoredRun(
        first: run.first, count: count, base: run.base, last: last, coding: .lz4, bytes: packed,
        rawLength: length)
    }
  }

  @Test(
    "PROTOCOL: a block that is not what its header says is not believed: the client comes back for what is in the log",
    arguments: Forgery.allCases)
  func blockIsChecked(_ forgery: Forgery) throws {
    let world = World(seed: 41)
    let (anna, ben) = (world.client("anna"), world.client("ben"))
    let network = ForgingNetwork(ben.network)
    let sdk = WhiteSDK(
      sdkConfiguration: ben.sdk.configuration, context: world.loop, transport: network)
    let config = ben.config
    let room = try #require(world.perform { try? await sdk.joinRoom(config) })
    let other = try anna.join()
    world.run(for: 1)
    network.forgeNext(forgery)
    // Several commands of one turn are one run.
    for number in 0..<3 {
      other.setGlobalState(["n": .init(number), "text": .string("0123456789")], completion: nil)
    }
    world.run(for: 20)
    #expect(network.connections == (forgery == .none ? 1 : 2))
    #expect(room.phase == .connected)
    #expect(room.globalState["n"]?.text == "2")
  }
}
