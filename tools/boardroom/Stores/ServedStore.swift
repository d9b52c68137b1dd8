import BoardroomHosting
import BoardroomServer
import EventLog
import EventLogModel

/// A store that commands write to and a server serves: a folder's, or a database's.
protocol ServedStore: ImportStore, ChainedStore, ErasingStore {
  /// 32 hexadecimal digits, chosen when the store was made; empty if it has none.
  var identity: String { get }
  var statistics: StoreStatistics { get }
  /// Why the store takes no events at present; nil if it takes them.
  var refusal: LogError? { get }
  /// The age of the group commit that is under way.
  var commitUnderWay: Duration { get }
  /// Damage that was found when the store was opened.
  var damages: [Damage] { get }
  /// A last frame of the journal that is not whole, where it cannot be known whether it was acknowledged.
  var remains: Damage? { get }
  /// What became of its commits; nil for a folder.
  var commitOutcomes: CommitOutcomes? { get }
  /// What it has seen of other nodes; nil for a store that shares with none.
  var node: NodeMeasurements? { get }
  /// Whether what it acknowledges is on the disks of more than one machine, as far as it knows; true for a store that does not
  /// promise that.
  var isReplicated: Bool { get }
  /// Know which node owns which log; nil: this one owns all.
  var owners: (any SpaceOwners)? { get }
  /// What it has seen of all nodes; nil for a store that shares with none.
  var seenNodes: SeenNodes? { get }
  /// Others have fenced this node, and the server has heard of it from them.
  func heardThatItIsFenced()

  /// Seals everything that is durable now; returns when it is in blocks.
  func seal() async throws(LogError)
}

/// Commits of a database whose outcome was not known at first.
struct CommitOutcomes: Sendable, Hashable {
  var unknown = 0
  /// Those of them that had not been written, and were sent again.
  var resent = 0
}

/// What one of several nodes has seen and done since its start.
struct NodeMeasurements: Sendable, Hashable {
  /// The number of the start.
  var incarnation = 0
  /// Living nodes, this one included.
  var nodes = 0
  /// Lost nodes that this one has recovered.
  var recovered = 0
  /// Seconds since the database answered last.
  var silence = 0.0
  /// Seconds that this machine's clock is ahead of the database's.
  var clockAhead = 0.0
}

extension EmbeddedLogStore: ServedStore {
  var node: NodeMeasurements? { nil }
  var commitOutcomes: CommitOutcomes? { nil }
  var isReplicated: Bool { true }
  var owners: (any SpaceOwners)? { nil }
  var seenNodes: SeenNodes? { nil }
  func heardThatItIsFenced() {}
}
