import BoardroomAccess
import BoardroomHTTP
import BoardroomHosting
import EventLogModel
import NIOSSL

/// What makes a server one node of several that have the same rooms and the same keys. Each takes any client, and joins
/// it to the node that owns its room.
public struct NodeSettings: Sendable {
  /// By what others know this node: 1 to 255 bytes, the same as in their `NodeAddress`.
  public var name: String
  /// Knows which node owns which log, and claims what nobody owns.
  public var owners: any SpaceOwners
  /// A file in PEM with the authorities that sign the certificates of other nodes; nil: those that the system trusts. Used
  /// for nodes whose address says TLS.
  public var trust: String?
  /// Whether clients reach the other nodes where this one does. Then a client that says in its hello that it follows addresses is
  /// sent to the owner of its room, in place of being joined to it by a pipe.
  public var clientsReachNodes = false
  /// The logs of nodes that were lost, each time that this node has recovered some. It opens the accounts among them whose
  /// logins that node has left, so that their graces run.
  public var recovered: AsyncStream<[LogID]>?
  /// Nodes that are gone, as soon as this one knows: dead, fenced or ended, and not there again at the same address. It parts
  /// from them for the clients that it has joined to them, and waits for no answer of theirs.
  public var gone: AsyncStream<NodeAddress>?
  /// What this node has seen of all nodes; nil: the others are not asked whether they take it for dead, nor for their rooms in a list.
  public var seen: (@Sendable () -> SeenNodes)?
  /// Others have taken this node for dead, and it has heard of that from them: its store is to take nothing more, so that the
  /// server sends everybody off and ends.
  public var endAsFenced: (@Sendable () -> Void)?

  public init(name: String, owners: any SpaceOwners, trust: String? = nil) {
    self.name = name
    self.owners = owners
    self.trust = trust
  }

  /// - Parameter keys: those that all nodes have.
  func desk(
    _ keys: KeyRing, _ settings: ServerSettings, _ clock: @escaping @Sendable () -> Timestamp
  ) throws(ServerStartError) -> PipeDesk {
    guard (1...PrefaceHeader.longestName).contains(name.utf8.count) else { throw .nodeName(name) }
    guard let trusted = try? NIOSSLContext(configuration: PipeDesk.trust(trust)) else {
      throw .nodeTrust(path: trust ?? "")
    }
    let gate = PrefaceGate(
      node: name, proof: NodeProof(keys), largestHello: settings.limits.message, clock: clock)
    return PipeDesk(
      gate: gate, limits: PipeLimits(pipes: settings.pipes), trust: trusted, clock: clock)
  }
}

extension BoardroomServer {
  /// Why the store takes no more events for good; nil if it takes them, or will again.
  static func whyForGood(_ refusal: LogError) -> String? {
    switch refusal {
    case .stopped(let reason): reason
    case .nodeFenced: refusal.description
    default: nil
    }
  }

  /// What goes on at a node beside its clients, until the task is cancelled.
  func followNodes(_ engine: RoomServerEngine, _ bans: BanService, _ forwarder: HTTPForwarder?) async {
    guard let node else { return }
    async let ends: Void = bans.follow()
    async let parts: Void = part(from: node.gone, engine, forwarder)
    async let isolation: Void = endWhenIsolated(forwarder)
    if let recovered = node.recovered {
      for await logs in recovered { await engine.takeUpLogins(of: logs) }
    }
    await ends
    await parts
    await isolation
  }

  func roomsByHTTP(_ forwarder: HTTPForwarder?) -> (any OtherNodesRooms)? {
    guard let seen = node?.seen, let forwarder else { return nil }
    return FactsByHTTP(seen: seen, forwarder: forwarder)
  }

  private func endWhenIsolated(_ forwarder: HTTPForwarder?) async {
    guard let seen = node?.seen, let forwarder else { return }
    do { try await IsolationWatch(seen: seen, forwarder: forwarder).untilFenced() } catch { return }
    node?.endAsFenced?()
  }

  private func part(
    from gone: AsyncStream<NodeAddress>?, _ engine: RoomServerEngine, _ forwarder: HTTPForwarder?
  ) async {
    guard let gone else { return }
    for await node in gone {
      await engine.part(from: node)
      forwarder?.part(from: node)
    }
  }

  /// Of several nodes one that ends gives its rooms to the others. With a database that does not answer, or more rooms than
  /// that, those that are left are given up when it has ended.
  func handOver(_ engine: RoomServerEngine, within limit: Duration) async {
    if node != nil { _ = await returns(within: limit) { await engine.handOver() } }
  }
}
