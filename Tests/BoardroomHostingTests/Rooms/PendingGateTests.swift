import BoardroomCore
import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization
import TestKit
import Testing

/// Decides when a test tells it to.
private final class SlowGate: Gatekeeper {
  private let waiting = Mutex<[CheckedContinuation<Result<Admission, Refusal>, Never>]>([])

  var isAsked: Bool { waiting.withLock { !$0.isEmpty } }

  func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission {
    throw Refusal(.internalFailure)
  }

  func decide(_ hello: Hello, from address: String?, at now: Timestamp) -> EntryDecision {
    .pending { () async throws(Refusal) in
      let decided = await withCheckedContinuation { continuation in
        self.waiting.withLock { $0.append(continuation) }
      }
      return try decided.get()
    }
  }

  /// All who wait hear the same.
  func answer(_ decided: Result<Admission, Refusal>) {
    let heard = waiting.withLock { waiting in
      defer { waiting = [] }
      return waiting
    }
    for continuation in heard { continuation.resume(returning: decided) }
  }
}

@Suite("A gatekeeper that takes time")
struct PendingGateTests {
  private let gate = SlowGate()
  private let server: SimulatedServer
  private let room = RoomID(high: 1, low: 1)

  init() {
    server = SimulatedServer(gatekeeper: gate)
    server.createRoom(room)
  }

  private func knocked() -> SimulatedPeer {
    let peer = server.join(room)
    #expect(gate.isAsked)
    #expect(peer.notices.isEmpty, "something was told before the decision")
    return peer
  }

  private func settle(_ peer: SimulatedPeer) {
    server.settle()
    peer.receive()
  }

  @Test("GATE-1: a client is told nothing until it is admitted, and then it is in")
  func admitted() {
    let peer = knocked()
    peer.say(.heartbeat(0))
    peer.receive()
    #expect(peer.notices.isEmpty)
    gate.answer(.success(Admission(role: .writer)))
    settle(peer)
    #expect(peer.isLive)
    peer.command(.set("said", "1"))
    settle(peer)
    #expect(peer.receipts.count == 1)
    #expect(peer.faults == [])
  }

  @Test(
    "GATE-1: a command that comes while the gatekeeper decides is one before the welcome, as it always is")
  func tooEarly() {
    let peer = knocked()
    peer.command(.set("said", "1"))
    gate.answer(.success(Admission(role: .writer)))
    settle(peer)
    #expect(peer.farewell?.refusal.code == .outOfOrder)
  }

  @Test("GATE-1: a client that is refused is told why, and its connection is closed")
  func refused() {
    let peer = knocked()
    gate.answer(.failure(Refusal(.forbidden)))
    settle(peer)
    #expect(peer.farewell?.refusal.code == .forbidden)
    #expect(peer.link.closeCode == CloseCode.refused)
    #expect(peer.welcome == nil)
  }

  @Test("GATE-2: without a decision in time the client is refused, and a later one lets nobody in")
  func late() {
    let peer = knocked()
    server.advance(by: ServerPolicy().helloWithin)
    peer.receive()
    #expect(peer.farewell?.refusal.code == .timeout)
    gate.answer(.success(Admission(role: .admin)))
    settle(peer)
    #expect(peer.welcome == nil)
    let counts = server.wait { [engine = server.engine] in await engine.counts() }
    #expect(counts.members == 0)
  }

  @Test("GATE-2: a client that is gone before the decision becomes no member")
  func gone() {
    let peer = knocked()
    peer.cut()
    gate.answer(.success(Admission(role: .admin)))
    settle(peer)
    let counts = server.wait { [engine = server.engine] in await engine.counts() }
    #expect(counts.members == 0)
    #expect(counts.connections == 0)
  }

  @Test("GATE-3: what is held for a client that waits is bounded, in messages and in bytes")
  func bounded() {
    let talkative = knocked()
    for _ in 0..<ConnectionHandle.mostHeld { talkative.say(.heartbeat(1)) }
    talkative.receive()
    #expect(talkative.farewell == nil)
    talkative.say(.heartbeat(1))
    talkative.receive()
    #expect(talkative.farewell?.refusal.code == .outOfOrder)
    let large = knocked()
    large.say(bytes: [UInt8](repeating: 0, count: ConnectionHandle.mostHeldBytes + 1))
    large.receive()
    #expect(large.farewell?.refusal.code == .outOfOrder)
  }

  @Test("GATE-2: a server that drains sends off who waits for a decision")
  func draining() {
    let peer = knocked()
    server.wait { [engine = server.engine] in await engine.drain() }
    peer.receive()
    #expect(peer.farewell?.refusal.code == .goingAway)
    gate.answer(.success(Admission(role: .admin)))
    settle(peer)
    #expect(peer.welcome == nil)
  }
}
