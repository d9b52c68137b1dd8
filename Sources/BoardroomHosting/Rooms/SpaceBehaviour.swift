import BoardroomCore
import BoardroomModel
import EventLogModel

/// What an account or a channel does beside the round of a command. Its host calls it on the host's loop. A room with a
/// board has none.
protocol SpaceBehaviour: AnyObject {
  // MARK: Members

  /// The account to which the space belongs; nil: it belongs to nobody.
  var owner: String? { get }
  /// Whether whoever comes in is sent the events of its own stay only.
  var tellsOwnStayOnly: Bool { get }
  /// The clocks that a client is told.
  func timings(of uid: String?) -> Timings
  /// The clocks by which a stay is kept.
  func graces(of uid: String?) -> Timings
  /// Records what is overdue before anybody comes in.
  func prepareEntrance(at now: Timestamp)
  /// Refuses a new stay that comes too soon after others.
  func checkEntrance(to place: Place, at now: Timestamp) throws(Refusal)
  /// A member came in by an entry of this number in its account's list, or nobody came in after all.
  func settle(entry: UInt64, of account: String)
  /// Nobody came in by an entry that the account may have noted. `entry`: its number; nil: it was not told.
  func giveBack(entry: UInt64?, of account: String)

  // MARK: Events

  /// Who comes or goes by this event, if special channels are told of it. Called before the state has the event.
  func presence(of proposed: Proposed) -> Presence?
  /// Does what follows from an event that the state has now. The log may not hold it yet. `member`: the member that
  /// the event is about, as it was before the event.
  func follow(_ proposed: Proposed, of member: Member?, at now: Timestamp)

  // MARK: Time

  /// Does what a crash left undone. Called once, after the opening.
  func takeUp(at now: Timestamp)
  /// Another node is gone, and with it perhaps what it was about to tell: asks for that.
  func nodeIsGone()
  /// When there is something to do without an input; nil: never.
  var nextDue: Timestamp? { get }
  /// Does what is due, in a tick of the host.
  func tick(at now: Timestamp)
  /// Records what the space itself owes by now, before anything else is decided or answered.
  func recordDue(at now: Timestamp)
  /// Whether something is under way that an idle host must not close upon.
  var isBusy: Bool { get }
  /// The host has closed.
  func hostClosed()

  // MARK: Questions

  /// Answers a question of another space, or of this one, once. What changes something is answered when the log holds it.
  /// `number`: of a question of another node, which is to be in the log with all that follows from it.
  func answer(
    _ question: SpaceQuestion, noting number: QuestionApplied?, at now: Timestamp,
    done: @escaping @Sendable (SpaceAnswer) -> Void)
  /// Considers a question of a member; false: members cannot ask anything here.
  func consider(_ ask: Ask, from session: MemberSession, over line: ConnectionOutput, at now: Timestamp)
    -> Bool
}

/// Makes the behaviour of a host that is being opened; nil: it has a board.
typealias BehaviourMaking = (SpaceHost) -> (any SpaceBehaviour)?
