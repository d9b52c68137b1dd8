import BoardroomModel
import EventLogModel

/// An event that could not be applied to the state in which it came (CB-16). The room goes on: the state's
/// revision, time and the actor's counter advance all the same.
public struct Anomaly: Sendable, Hashable {
  public var revision: Revision
  public var actor: Actor
  /// What did not fit, in one sentence of ours; never a member's text.
  public var what: String

  public init(revision: Revision, actor: Actor, what: String) {
    self.revision = revision
    self.actor = actor
    self.what = what
  }
}
