import EventLogModel

/// A room's name: the uuid of its log.
public typealias RoomID = LogID

/// A member's number in its room: 0, 1, 2… in order of joining, never used again (PARITY rows RM).
public struct MemberID: Hashable, Sendable, Comparable, RawRepresentable, CustomStringConvertible,
  ExpressibleByIntegerLiteral
{
  public let rawValue: UInt64
  @inlinable public init(rawValue: UInt64) { self.rawValue = rawValue }
  @inlinable public init(_ value: UInt64) { rawValue = value }
  @inlinable public init(integerLiteral value: UInt64) { rawValue = value }
  @inlinable public static func < (left: MemberID, right: MemberID) -> Bool {
    left.rawValue < right.rawValue
  }
  public var description: String { String(rawValue) }
}

/// Who did something: the server itself (also for those who act through it by REST), or a member.
/// In a record: `uv` 0 for the server, member number + 1 otherwise.
public enum Actor: Hashable, Sendable {
  case server
  case member(MemberID)

  @inlinable public init(code: UInt64) {
    self = code == 0 ? .server : .member(MemberID(code - 1))
  }
  @inlinable public var code: UInt64 {
    switch self {
    case .server: 0
    case .member(let member): member.rawValue &+ 1
    }
  }
  public var member: MemberID? {
    switch self {
    case .server: nil
    case .member(let member): member
    }
  }
}

/// One stay of a member, across its reconnections: 128 random bits, 32 hexadecimal digits.
public typealias SessionID = LogID

/// Counts the connections of one session: 1 at the join. What carries an older generation is refused.
public typealias Generation = UInt32

/// Numbers the commands of one session: 1, 2, 3… Zero marks an event that no command asked for.
public typealias CommandCounter = UInt64

/// A scene's number in its room, never used again. The scene `/init` of a new room has number 1.
public typealias SceneID = UInt32

/// Names an element: the member that made it and that member's own count. Text form `3.17`.
public struct ElementID: Hashable, Sendable, Comparable, CustomStringConvertible, LosslessStringConvertible {
  public let member: MemberID
  public let number: UInt64

  @inlinable public init(member: MemberID, number: UInt64) {
    self.member = member
    self.number = number
  }

  /// Two decimal numbers without leading zeros, joined by a full stop.
  public init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, let member = UInt64(parts[0]), let number = UInt64(parts[1]),
      "\(member).\(number)" == text
    else { return nil }
    self.init(member: MemberID(member), number: number)
  }

  /// One word instead of two: every segment of a stroke is looked up by its id.
  @inlinable public func hash(into hasher: inout Hasher) {
    hasher.combine(member.rawValue &* 0x9E37_79B9_7F4A_7C15 ^ number)
  }

  public static func < (left: ElementID, right: ElementID) -> Bool {
    (left.member, left.number) < (right.member, right.number)
  }
  public var description: String { "\(member.rawValue).\(number)" }
}
