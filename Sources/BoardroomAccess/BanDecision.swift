import BoardroomHosting
import BoardroomModel
import EventLogModel

/// What somebody decides about bans, as a value: the node that owns the operators' log carries it out.
package enum BanDecision: Sendable, Hashable {
  /// Sets a ban. One with the same keys gets the new end, and keeps its number and its begin.
  case set(Ban)
  /// Gives the ban of this number another end.
  case end(UInt64, until: Timestamp)
  case lift(UInt64)
}

/// All bans of the operators' log, in no order.
package struct BanList: Sendable, Hashable {
  /// The log's revision at which they are these.
  package var revision: Revision
  package var bans: [Ban]

  package init(revision: Revision, bans: [Ban]) { (self.revision, self.bans) = (revision, bans) }
}

/// The way to the node that owns the operators' log.
package protocol OperatorsNode: Sendable {
  /// Has a decision carried out there. Nil for a ban that was lifted. A decision without an answer may have been carried
  /// out: then it throws `networkLost`.
  func carryOut(_ decision: BanDecision, at node: NodeAddress) async throws(Refusal) -> Ban?
  /// All bans; nil if they are still those of this revision, or there is no answer.
  func bans(since revision: Revision, at node: NodeAddress) async -> BanList?
  /// Has damage recorded there. Throws if there is no answer.
  func note(damage place: String, at node: NodeAddress) async throws(Refusal)
}
