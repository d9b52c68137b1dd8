import EventLogModel

// The family `room`: what operators do to a room, and to everybody.

/// That there is a room, its limits, its end, and the operators' bans. Only the server records these: there are no such
/// commands.
public enum RoomLifeEvent: Sendable, Hashable {
  case created(RoomCreated)
  /// The room is banned, or no longer (RE-4).
  case banned(Bool)
  case limitsSet(LimitsPatch)
  case deleted
  /// In the operators' log.
  case banSet(Ban)
  /// By its number.
  case banLifted(UInt64)

  public var kind: EventKind {
    switch self {
    case .created: .roomCreated
    case .banned: .roomBanned
    case .limitsSet: .limitsSet
    case .deleted: .roomDeleted
    case .banSet: .banSet
    case .banLifted: .banLifted
    }
  }
}

public struct RoomCreated: Sendable, Hashable {
  public var name: String
  /// How many members with writer or admin tokens may be in the room at once; 0 = no limit (W-5).
  public var limit: Int
  /// Whether replay is offered. The log is kept either way.
  public var isRecord: Bool
  public init(name: String, limit: Int = 0, isRecord: Bool = true) {
    self.name = name
    self.limit = limit
    self.isRecord = isRecord
  }
}

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
/// Several: all of them must fit; but a uid and a token are two names of one person, of whom either is enough (MOD-9).
public struct Ban: Sendable, Hashable {
  /// The revision at which it was set first: rising, and never used again.
  public var number: UInt64
  public var room: RoomID?
  public var uid: String?
  /// As text, IPv4 or IPv6 in its shortest form.
  public var address: String?
  /// When it ends; nil: never.
  public var until: Timestamp?
  /// A hash that names a token and says nothing of it.
  public var token: String?
  /// When it was set first; nil in logs of before.
  public var since: Timestamp?
  /// For whom it was set, where it was for a member: by number, and as the list of bans shall call it.
  public var member: MemberID?
  public var name: String?

  public init(
    number: UInt64, room: RoomID?, uid: String?, address: String?, until: Timestamp?, token: String? = nil,
    since: Timestamp? = nil, member: MemberID? = nil, name: String? = nil
  ) {
    self.number = number
    self.room = room
    self.uid = uid
    self.address = address
    self.until = until
    self.token = token
    self.since = since
    self.member = member
    self.name = name
  }

  /// Whether it keeps this one out of this room at this time. No room: of what belongs to none.
  public func covers(
    room: RoomID?, uid: String?, address: String?, token: String? = nil, at now: Timestamp
  ) -> Bool {
    guard until.map({ now < $0 }) ?? true else { return false }
    if let banned = self.room, banned != room { return false }
    if let banned = self.address, banned != address { return false }
    return namesPerson ? isOf(uid: uid) || isOf(token: token) : self.room != nil || self.address != nil
  }

  /// Whether somebody is meant, and not whoever comes.
  public var namesPerson: Bool { uid != nil || token != nil }

  /// MOD-8.
  public func isOf(uid other: String?) -> Bool {
    guard let uid, let other else { return false }
    return UserName.key(uid) == UserName.key(other)
  }

  private func isOf(token other: String?) -> Bool { token != nil && token == other }
}
