import EventLogModel

/// Limits of one room, over those of the server; nil takes one back.
public struct LimitsPatch: Sendable, Hashable {
  public var fields: [Field]

  public struct Field: Sendable, Hashable {
    public var name: String
    public var value: Int?
    public init(name: String, value: Int?) {
      self.name = name
      self.value = value
    }
  }

  public init(_ fields: [Field]) { self.fields = fields }
}

/// Who may not come in (RE-22). Only a room: nobody may join it. Only a uid or an address: not into any room.
/// Several: all of them must fit.
public struct Ban: Sendable, Hashable {
  /// The revision at which it was set first: rising, and never used again.
  public var number: UInt64
  public var room: RoomID?
  public var uid: String?
  /// As text, IPv4 or IPv6 in its shortest form.
  public var address: String?
  /// When it ends; nil: never.
  public var until: Timestamp?

  public init(number: UInt64, room: RoomID?, uid: String?, address: String?, until: Timestamp?) {
    self.number = number
    self.room = room
    self.uid = uid
    self.address = address
    self.until = until
  }

  /// Whether it keeps this one out of this room at this time.
  public func covers(room: RoomID, uid: String?, address: String?, at now: Timestamp) -> Bool {
    guard until.map({ now < $0 }) ?? true else { return false }
    if let banned = self.room, banned != room { return false }
    if let banned = self.uid, banned != uid { return false }
    if let banned = self.address, banned != address { return false }
    return self.room != nil || self.uid != nil || self.address != nil
  }
}

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
