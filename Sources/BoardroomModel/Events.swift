import EventLogModel

/// A fact in the life of a room; past tense.
public enum Event: Sendable, Hashable {
  case drawing(DrawingAct)
  case room(RoomLifeEvent)
  case members(MemberEvent)
  case state(StateEvent)
  case scenes(SceneEvent)
  case elements(ElementEvent)
  case refused(RefusedCommand)
  case clientPhases([ClientPhase])
  case history(HistoryEvent)
  case space(SpaceEvent)
  case moderation(Moderation)
  /// The actor's command was carried out and changed nothing: recorded so that it is known when it is sent again
  /// (IDEM-5). The number is that of the command's kind.
  case nothingChanged(kind: UInt8)
  /// What stood here was erased (LOG-29): in place of the event as it was.
  case contentErased(ErasedContent)
  case custom(Custom)
  /// A kind of a later version: kept and written back as it is. `payload` is what follows the counter.
  case unknown(kind: UInt8, payload: [UInt8])

  public var kind: UInt8 {
    switch self {
    case .drawing(let act): act.kind.rawValue
    case .room(let event): event.kind.rawValue
    case .members(let event): event.kind.rawValue
    case .state(let event): event.kind.rawValue
    case .scenes(let event): event.kind.rawValue
    case .elements(let event): event.kind.rawValue
    case .refused: EventKind.refused.rawValue
    case .clientPhases: EventKind.clientPhases.rawValue
    case .history(let event): event.kind.rawValue
    case .space(let event): event.kind.rawValue
    case .moderation(let event): event.kind.rawValue
    case .nothingChanged: EventKind.nothingChanged.rawValue
    case .contentErased: EventKind.contentErased.rawValue
    case .custom(let event): event.kind.rawValue
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

/// A command that was not carried out; recorded because a debugger must show what was tried.
public struct RefusedCommand: Sendable, Hashable {
  public var kind: UInt8
  public var code: RefusalCode
  /// What its sender called a message to a channel; nil for everything else.
  public var id: String?
  public init(kind: UInt8, code: RefusalCode, id: String? = nil) {
    self.kind = kind
    self.code = code
    self.id = id
  }
}

/// A phase that only the client saw, told on its return (spec 10.3, rule 5).
public struct ClientPhase: Sendable, Hashable {
  public var phase: String
  /// How long before the upload it began, in milliseconds.
  public var ago: Int64
  /// The last event that the client had then; nil if it did not say.
  public var revision: Revision?
  public init(phase: String, ago: Int64, revision: Revision? = nil) {
    self.phase = phase
    self.ago = ago
    self.revision = revision
  }
}
