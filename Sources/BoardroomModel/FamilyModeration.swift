import EventLogModel

/// Who may write, and who asks to: what hosts of a room say, and what members say to them. As a command and as an event
/// it is the same.
public enum Moderation: Sendable, Hashable {
  /// The actor raises its hand, or takes it down.
  case hand(Bool)
  /// Whether a member may write.
  case writing(MemberID, isAllowed: Bool)
  /// The room is locked, or no longer.
  case lock(Bool)

  public var kind: EventKind {
    switch self {
    case .hand: .handRaised
    case .writing: .writingAllowed
    case .lock: .roomLocked
    }
  }
}

/// A locked room: only who locked it writes, and when that one has left, administrators.
public struct RoomLock: Sendable, Hashable {
  /// Nil: by REST.
  public var by: MemberID?
  public init(by: MemberID?) { self.by = by }
}
