import BoardroomModel
import EventLogModel

/// An event that a room has decided on and the log does not hold yet. The driver appends it, which gives it
/// its revision, and then tells the room by `Room.apply`.
public struct Proposed: Sendable, Hashable {
  public var actor: Actor
  public var counter: CommandCounter
  public var event: Event
  /// The body of the command as it came (`uv counter | payload`), where the record's body is the same:
  /// to be written as it is. Nil: encode the event.
  public var rawBody: ArraySlice<UInt8>?
  /// Counters of earlier commands of the actor that this event takes the place of (pointers and cameras
  /// gathered to one): they get a receipt with this event's revision.
  public var settles: [CommandCounter]

  public init(
    actor: Actor, counter: CommandCounter = 0, event: Event, rawBody: ArraySlice<UInt8>? = nil,
    settles: [CommandCounter] = []
  ) {
    self.actor = actor
    self.counter = counter
    self.event = event
    self.rawBody = rawBody
    self.settles = settles
  }
}

/// What a room makes of a command.
public enum Decision: Sendable, Hashable {
  /// These events, in this order, in one append. Empty: done, and there is nothing to record (pointers of a
  /// room that does not record them); the receipt names the room's present revision.
  case events([Proposed])
  /// Not carried out. The events, `refused` as a rule, are to be recorded; none when the member is unknown
  /// or floods (DEC-4).
  case refused(Refusal, [Proposed])
  /// Decided before: to be answered with its first receipt, not carried out again.
  case duplicate
  /// Held back to be gathered with those that follow (pointer, camera). Ask `Room.due` at this time.
  case later(Timestamp)
}

/// Who wants to come in. What the token allows was checked before; `role` is what it says.
public struct JoinRequest: Sendable, Hashable {
  public var session: SessionID
  public var uid: String?
  public var role: Role
  /// What the client asked for; a reader's token overrules it (W-1).
  public var isWritable: Bool
  public var payload: JSONText?
  public var client: String?
  /// The token's hash, where bans go by it (MOD-9).
  public var token: String?
  /// The token says that its holder is `uid` (RIGHT-6).
  public var isBound: Bool

  public init(
    session: SessionID, uid: String? = nil, role: Role, isWritable: Bool = true,
    payload: JSONText? = nil, client: String? = nil, token: String? = nil, isBound: Bool = false
  ) {
    self.session = session
    self.uid = uid
    self.role = role
    self.isWritable = isWritable
    self.payload = payload
    self.client = client
    self.token = token
    self.isBound = isBound
  }
}

/// Somebody may come in: the number that the new member will have, and what to record.
public struct JoinDecision: Sendable, Hashable {
  public var member: MemberID
  /// The member that this one takes the place of, because it has the same uid.
  public var replaces: MemberID?
  public var events: [Proposed]
}
