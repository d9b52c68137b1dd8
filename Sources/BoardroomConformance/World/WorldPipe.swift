import BoardroomHosting
import EventLogModel

/// Joins a client that is at one node of a world to the node that owns its space, as `Pipe` and `PrefaceReader` do between servers: messages
/// in place of bytes, one after the other, and each takes `WorldNodes.way`. What the owner has on the way when it dies is lost with it. It is
/// the link of the client at the owner.
///
/// Touched on the world's loop only.
final class WorldPipe: MemberLink, @unchecked Sendable {
  private enum Stage {
    case opening((PipeOpening) -> Bool)
    case open
    case over
  }

  private let nodes: WorldNodes
  private let loop: VirtualLoop
  /// The node to which the client came.
  private let middle: ServerProcess
  private weak var line: SimulatedLine?
  private var stage: Stage

  // At the owner.
  private var owner: ServerProcess?
  private var handle: ConnectionHandle?
  /// The owner has closed the connection, or is dead.
  private var hasEnded = false

  private var passed = (ofClient: 0, ofOwner: 0)

  /// Begins to open it.
  init(
    _ request: PipeRequest, for line: SimulatedLine, from middle: ServerProcess, of nodes: WorldNodes,
    answer: @escaping (PipeOpening) -> Bool
  ) {
    (self.line, self.middle, self.nodes, self.loop) = (line, middle, nodes, nodes.loop)
    stage = .opening(answer)
    loop.execute(after: WorldNodes.way) { self.arrive(request) }
  }

  // MARK: Opening

  private func arrive(_ request: PipeRequest) {
    guard let node = nodes.node(at: request.owner), node.process.isAlive else {
      return back { self.decide(.unreachable) }
    }
    owner = node.process
    node.process.whenKilled { [weak self] in self?.ownerIsKilled() }
    Task(executorPreference: node.process) {
      // Not what this node has heard a moment ago: the other one believes that it is the owner.
      node.engine.owners?.forget(request.log)
      let owner = await node.engine.owners?.owner(of: request.log)
      node.process.execute { self.learn(owner, request, node) }
    }
  }

  private func learn(_ owner: SpaceOwner?, _ request: PipeRequest, _ node: WorldNodes.WorldNode) {
    guard middle.isAlive else { return }
    guard owner == .here else { return back { self.decide(.notHere) } }
    back { self.decide(.joined) }
    let handle = node.engine.connect(
      self, on: node.process, subprotocol: request.subprotocol, from: request.address, isPiped: true,
      at: loop.now)
    self.handle = handle
    handle.receive(request.hello, at: loop.now)
  }

  private func decide(_ opening: PipeOpening) {
    guard case .opening(let answer) = stage else { return }
    stage = .over
    guard opening == .joined else {
      _ = answer(opening)
      return
    }
    guard answer(.joined), let line else { return closeAtOwner() }
    stage = .open
    for message in line.joined(by: self) { passToOwner(message) }
  }

  // MARK: The client's end

  func passToOwner(_ message: [UInt8]) {
    guard case .open = stage else { return }
    passed.ofClient += 1
    if nodes.fault == .dropsOfClients, passed.ofClient.isMultiple(of: 3) { return }
    there { $0.handle?.receive(message, at: $0.loop.now) }
  }

  /// The client takes more again.
  func clientTakes() { there { $0.handle?.drained(at: $0.loop.now) } }

  /// The client is gone, or its node is, or it is to be parted from the owner.
  ///
  /// - Returns: whether the client can be told something.
  @discardableResult
  func end() -> Bool {
    guard case .open = stage else { return false }
    stage = .over
    closeAtOwner()
    return true
  }

  /// The node in the middle is dead, also before the pipe is open.
  func middleIsKilled() {
    stage = .over
    closeAtOwner()
  }

  private func closeAtOwner() { there { $0.handle?.closed(at: $0.loop.now) } }

  /// Does something at the owner, if it lives then.
  private func there(_ work: @escaping @Sendable (WorldPipe) -> Void) {
    owner?.execute(after: WorldNodes.way) {
      if !self.hasEnded { work(self) }
    }
  }

  // MARK: The owner's end

  func write(_ bytes: SharedBytes) {
    guard !hasEnded else { return }
    let message = bytes.payload
    passed.ofOwner += 1
    if nodes.fault == .dropsOfOwners, passed.ofOwner.isMultiple(of: 3) { return }
    line?.departs(message.count)
    back {
      guard case .open = self.stage, self.owner?.isAlive ?? false else {
        self.line?.landed(message.count)
        return
      }
      self.line?.pass(message)
    }
  }

  func flush() {}

  var isFull: Bool { line?.isFull ?? false }

  func close(code: UInt16, reason: String) {
    guard !hasEnded else { return }
    hasEnded = true
    back { self.ownerEnds { $0.ownerHasClosed() } }
  }

  private func ownerIsKilled() {
    guard !hasEnded else { return }
    hasEnded = true
    back {
      self.decide(.unreachable)
      self.ownerEnds { $0.ownerIsGone() }
    }
  }

  private func ownerEnds(_ tell: (SimulatedLine) -> Void) {
    guard case .open = stage else { return }
    stage = .over
    if let line { tell(line) }
  }

  /// Does something at the client's node, if that lives then.
  private func back(_ work: @escaping @Sendable () -> Void) { middle.execute(after: WorldNodes.way, work) }
}
