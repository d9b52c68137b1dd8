import EventLogModel

/// A fact in the life of a room; past tense. One case a family of kinds: the family's own enum says which.
public enum Event: Sendable, Hashable {
  case drawing(DrawingAct)
  case elements(ElementEvent)
  case scenes(SceneEvent)
  case state(StateEvent)
  case history(HistoryEvent)
  case members(MemberEvent)
  case moderation(Moderation)
  case room(RoomLifeEvent)
  case custom(Custom)
  case space(SpaceEvent)
  case diagnostics(DiagnosticEvent)
  /// A kind of a later version: kept and written back as it is. `payload` is what follows the counter.
  case unknown(kind: UInt8, payload: [UInt8])

  public var kind: UInt8 {
    switch self {
    case .drawing(let act): act.kind.rawValue
    case .elements(let event): event.kind.rawValue
    case .scenes(let event): event.kind.rawValue
    case .state(let event): event.kind.rawValue
    case .history(let event): event.kind.rawValue
    case .members(let event): event.kind.rawValue
    case .moderation(let event): event.kind.rawValue
    case .room(let event): event.kind.rawValue
    case .custom(let event): event.kind.rawValue
    case .space(let event): event.kind.rawValue
    case .diagnostics(let event): event.kind.rawValue
    case .unknown(let kind, _): kind
    }
  }
}

/// An event with all that its record says of it.
public struct RoomEvent: Sendable, Hashable {
  public var revision: Revision
  public var time: Timestamp
  public var actor: Actor
  /// The command that caused it, in the actor's session; zero if none did.
  public var counter: CommandCounter
  public var event: Event

  @inlinable public init(
    revision: Revision, time: Timestamp, actor: Actor, counter: CommandCounter, event: Event
  ) {
    self.revision = revision
    self.time = time
    self.actor = actor
    self.counter = counter
    self.event = event
  }
}
