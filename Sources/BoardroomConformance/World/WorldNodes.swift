import BoardroomHosting
import EventLogModel
import MemoryLog
import Synchronization

/// The two nodes of a world, on one log store. Each log is one node's: those that are apart are the second one's, all others the
/// first one's, and what a killed node had is the other one's from some seconds later on.
final class WorldNodes: Sendable {
  /// A node, as the others see it.
  struct WorldNode: Sendable {
    let number: Int
    let process: ServerProcess
    let engine: RoomServerEngine
    var address: NodeAddress { WorldNodes.address(number) }
  }

  /// What is wrong between the nodes, on purpose: a test that holds all the same proves nothing.
  enum PlantedFault: Sendable, Hashable, CaseIterable {
    /// No question reaches another node.
    case losesQuestions
    /// Each comes once more, under a number of its own, so that nobody can know it again.
    case repeatsQuestions
    /// Each third message of a client does not reach the owner.
    case dropsOfClients
    /// The same of the owner's messages.
    case dropsOfOwners
    /// Nobody recovers the logs of a lost node.
    case leavesLogs
    /// Nobody opens the accounts of a lost node.
    case leavesLogins
  }

  private struct State {
    var nodes: [WorldNode] = []
    /// The number of the node that has the logs of the first part, and of those that are apart.
    var owners = [0, 1]
    var fallen: [Int: Timestamp] = [:]
  }

  /// How long anything takes from one node to the other.
  static let way = Duration.milliseconds(1)
  /// From a node's death until the other one knows of it (NODE-1).
  private static let noticedAfter = Duration.milliseconds(1_500)

  let fault: PlantedFault?
  let loop: VirtualLoop
  private let store: MemoryLogStore
  private let apart: Set<LogID>
  private let state = Mutex(State())

  /// - Parameters:
  ///   - apart: the logs of the second node.
  ///   - make: makes the engine of a node.
  init(
    loop: VirtualLoop, store: MemoryLogStore, apart: Set<LogID>, fault: PlantedFault?,
    make: (ServerProcess, WorldCourier, WorldOwners) -> RoomServerEngine
  ) {
    (self.loop, self.store, self.apart, self.fault) = (loop, store, apart, fault)
    for number in 0...1 {
      let process = ServerProcess(loop)
      let engine = make(process, WorldCourier(number, of: self), WorldOwners(number, of: self))
      let node = WorldNode(number: number, process: process, engine: engine)
      state.withLock { $0.nodes.append(node) }
    }
  }

  func start() { for node in state.withLock({ $0.nodes }) { node.engine.start() } }

  private static func address(_ number: Int) -> NodeAddress {
    NodeAddress(name: "node-\(number)", host: "simulated", port: number + 1)
  }

  // MARK: Who is where

  /// The node to which clients come, as behind a balancer: the first one that lives.
  var front: WorldNode {
    state.withLock { state in
      guard let node = state.nodes.first(where: { state.fallen[$0.number] == nil }) else {
        preconditionFailure("all nodes of a world were killed")
      }
      return node
    }
  }

  func node(_ number: Int) -> WorldNode { state.withLock { $0.nodes[number] } }

  func node(at address: NodeAddress) -> WorldNode? {
    state.withLock { $0.nodes.first { $0.address == address } }
  }

  /// The node whose questions say this.
  func node(asking engine: UInt64) -> WorldNode? {
    state.withLock { $0.nodes.first { $0.engine.questionOrigin == engine } }
  }

  /// The node that has a log, or had it last.
  func node(with log: LogID) -> WorldNode { state.withLock { $0.nodes[$0.owners[part(of: log)]] } }

  private func part(of log: LogID) -> Int { apart.contains(log) ? 1 : 0 }

  /// What a node is told who owns a log: a dead node, until that is noticed; then nobody, until its logs are recovered.
  func owner(of log: LogID, for asker: Int) -> SpaceOwner {
    let now = loop.now
    return state.withLock { state in
      let owner = state.owners[part(of: log)]
      if owner == asker { return .here }
      if let death = state.fallen[owner], now >= death + Self.noticedAfter { return .nobodyYet }
      return .at(Self.address(owner))
    }
  }

  // MARK: The end of a node

  /// Kills the node that has the first part, or what is apart, as by `kill -9`. Its sockets close, and what its logs do not hold yet is
  /// gone with it. The other one does what a node does that hears of it (`BoardroomServer.followNodes`).
  ///
  /// - Parameter seconds: from the death until the other node has its logs.
  func kill(part: Int, for seconds: Double) {
    loop.execute {
      let number = self.state.withLock { $0.owners[part] }
      self.end(number)
      let survivor = self.front
      self.loop.execute(after: Self.noticedAfter) {
        Task(executorPreference: survivor.process) { await survivor.engine.part(from: Self.address(number)) }
      }
      self.loop.execute(after: .milliseconds(Int64(seconds * 1_000))) { self.recover(number, by: survivor) }
    }
  }

  private func end(_ number: Int) {
    let now = loop.now
    let (process, owners) = state.withLock { state in
      state.fallen[number] = now
      return (state.nodes[number].process, state.owners)
    }
    store.losePending { owners[part(of: $0)] == number }
    process.kill()
  }

  private func recover(_ number: Int, by survivor: WorldNode) {
    guard fault != .leavesLogs else { return }
    let lost = state.withLock { state in
      defer { state.owners = state.owners.map { $0 == number ? survivor.number : $0 } }
      return state.owners
    }
    guard fault != .leavesLogins else { return }
    Task(executorPreference: survivor.process) {
      let all = (try? await self.store.logs(after: nil, limit: .max)) ?? []
      await survivor.engine.takeUpLogins(of: all.map(\.log).filter { lost[self.part(of: $0)] == number })
    }
  }
}

/// What one node of a world knows of owners.
struct WorldOwners: SpaceOwners {
  private let number: Int
  private unowned let nodes: WorldNodes

  init(_ number: Int, of nodes: WorldNodes) { (self.number, self.nodes) = (number, nodes) }

  func owner(of log: LogID) async -> SpaceOwner { nodes.owner(of: log, for: number) }
}

extension WaitingTime {
  /// The time of a world, as long as the process lives.
  static func of(_ process: ServerProcess, _ loop: VirtualLoop) -> WaitingTime {
    let start = loop.now
    return WaitingTime(now: { loop.now - start }) { duration in
      await withUnsafeContinuation { continuation in
        process.execute(after: duration) { continuation.resume() }
      }
    }
  }
}
