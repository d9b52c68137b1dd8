import EventLogModel

extension PostgresLogStore {
  /// How a node shares its database with others. Each owns the logs that it has claimed; beats tell that it
  /// is alive.
  public struct Sharing: Sendable {
    /// Where other nodes reach this one, as the program understands it.
    public var address: String
    /// How often the node beats, and looks at the beats of others.
    public var beat: Duration = .milliseconds(500)
    /// A node that does not beat for so long is dead. Three beats at least.
    public var silence: Duration = .milliseconds(1_500)
    /// A node whose beats were not seen to change since this one has connected is left alone for so long:
    /// after an outage of the database others may need longer to connect.
    public var grace: Duration = .seconds(15)
    /// The incarnations that this node reaches without the database; they are not dead. Called at each beat.
    public var reachable: @Sendable () -> Set<Int64> = { [] }
    /// Is told what happens to nodes, on threads of the store.
    public var onEvent: @Sendable (NodeEvent) -> Void = { _ in }

    public init(address: String) { self.address = address }
  }

  /// What happens to the nodes that share a database.
  public enum NodeEvent: Sendable, Hashable {
    /// This node has recovered a dead one. The logs, in the order of their creation, have no owner now.
    case recovered(LivingNode, logs: [LogID])
    /// The frames of a dead node cannot be recovered now, and its logs have no owner until they are. It is
    /// tried again; told once for each reason.
    case recoveryFailed(incarnation: Int64, LogError)
    /// Another node was there at the last look and is not any more: it is dead, fenced, or has ended. Not told of one that
    /// is there again under its name and address.
    case gone(LivingNode)
    /// Others have fenced this node. The listeners of its logs were told `nodeFenced`; the store appends
    /// nothing more, and is to be shut down and opened again.
    case fenced
    /// This machine's clock is more than a second ahead of the database's, or behind it if negative. Told once until it is not.
    case clockDiffers(ahead: Duration)
  }

  /// What a node that shares its database has seen and done since its start.
  public struct NodeFigures: Sendable, Hashable {
    /// The number of the start.
    public let incarnation: Int64
    /// The nodes that were alive at the last look, this one included.
    public let nodes: Int
    /// The dead nodes that this one has recovered.
    public let recovered: Int
    /// For how long the database has not answered this node's beats.
    public let silence: Duration
    /// How far this machine's clock is ahead of the database's, at least; negative: behind it.
    public let clockAhead: Duration
  }

  /// A node that shares the database, from one start to its end.
  public struct LivingNode: Sendable, Hashable {
    /// The number of the start.
    public let incarnation: Int64
    public let name: String
    /// Where other nodes reach it; empty for a node that shares its database with none.
    public let address: String
  }

  /// Who owns a log.
  public enum LogOwner: Sendable, Hashable {
    case thisNode
    case node(LivingNode)
    /// Nobody: whoever opens it becomes its owner.
    case nobody
  }
}
