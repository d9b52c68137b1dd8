import EventLogModel
import StorageTestKit
import Synchronization
import Testing

@testable import EventLog

/// Snapshots and seals are written by one thread.
@Suite(.timeLimit(.minutes(5))) struct SnapshotTurnTests {
  /// Lets the sealer's thread write as many snapshots as a test has said.
  private final class SnapshotGate: Sendable {
    private let state = Mutex((begun: 0, allowed: 0))
    private let signal = Signal()
    var begun: Int { state.withLock { $0.begun } }
    func allow(_ count: Int) {
      state.withLock { $0.allowed = count }
      signal.raise()
    }
    func pass() {
      let number = state.withLock { state in
        state.begun += 1
        return state.begun
      }
      while true {
        let ticket = signal.ticket
        guard state.withLock({ $0.allowed < number }) else { return }
        signal.wait(after: ticket)
      }
    }
  }

  private static let log = LogID(high: 3, low: 1)

  private static func snapshot(_ revision: Revision) -> Snapshot {
    Snapshot(
      revision: revision, time: .zero, stateHash: [UInt8](repeating: 0, count: 32), root: [1], parts: [])
  }

  @Test(
    "NODE-4: who waits for a seal, as a log that is given up does, waits for one snapshot of many at most")
  func sealsBetweenSnapshots() async throws {
    let (disk, trouble, gate) = (SimulatedDisk(), ModelBackend.Trouble(), SnapshotGate())
    trouble.onSnapshot.withLock { $0.tell = { gate.pass() } }
    var options = EmbeddedLogStore.Options()
    options.disk = disk
    options.sealed = ModelBackend.source(disk, trouble: trouble)
    options.minimumCommitInterval = .zero
    let store = try EmbeddedLogStore.open(folder: "/store", options: options)
    func count(_ body: (borrowing EngineState) -> Int) -> Int {
      store.base.engine.state.withLock { body($0) }
    }
    _ = try await store.create(Self.log, at: .zero)
    let records = (1...9).map { Record(kind: 1, time: .zero, actor: 0, body: [UInt8($0)]) }
    try await store.append(records, to: Self.log, expecting: nil, epoch: nil)
    let first = Task { try await store.put(Self.snapshot(1), for: Self.log) }
    while gate.begun < 1 { await Task.yield() }
    let others = (2...5).map { number in
      Task { try await store.put(Self.snapshot(Revision(UInt64(number))), for: Self.log) }
    }
    while count({ $0.snapshots.count }) < others.count { await Task.yield() }
    for seal in 1...2 {
      let sealing = Task { try await store.seal() }
      while count({ $0.sealWaiters.count }) < 1 { await Task.yield() }
      gate.allow(seal)
      try await sealing.value
      #expect(gate.begun <= seal + 1)
    }
    gate.allow(.max)
    for putting in [first] + others { try await putting.value }
    #expect(gate.begun == 5, "each once")
    await store.shutdown()
  }
}
