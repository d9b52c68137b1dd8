import BoardroomAccess
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
