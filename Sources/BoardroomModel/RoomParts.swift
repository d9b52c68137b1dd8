/// The parts of a `RoomState` that an event changed. A part is named only if its value is another than
/// before, so that setting what is there already tells nobody anything.
public struct RoomParts: OptionSet, Sendable, Hashable {
  public let rawValue: UInt32
  @inlinable public init(rawValue: UInt32) { self.rawValue = rawValue }

  public static let created = RoomParts(rawValue: 1 << 0)
  public static let globalState = RoomParts(rawValue: 1 << 1)
  /// A listed member came, went, became listed or ceased to be (W-4: writable members are listed).
  public static let roster = RoomParts(rawValue: 1 << 2)
  public static let memberState = RoomParts(rawValue: 1 << 3)
  /// A member's phase or generation, which no other member is told of (TL-22).
  public static let phase = RoomParts(rawValue: 1 << 4)
  public static let writable = RoomParts(rawValue: 1 << 5)
  public static let viewModes = RoomParts(rawValue: 1 << 6)
  public static let broadcaster = RoomParts(rawValue: 1 << 7)
  public static let scenes = RoomParts(rawValue: 1 << 8)
  public static let currentScene = RoomParts(rawValue: 1 << 9)
  public static let camera = RoomParts(rawValue: 1 << 10)
  public static let pointer = RoomParts(rawValue: 1 << 11)
  public static let elements = RoomParts(rawValue: 1 << 12)
  /// A member that is not listed came or went.
  public static let audience = RoomParts(rawValue: 1 << 13)
  public static let stores = RoomParts(rawValue: 1 << 14)
  /// The actor's own steps to undo or redo.
  public static let history = RoomParts(rawValue: 1 << 15)
  /// Steps of others than the actor.
  public static let struck = RoomParts(rawValue: 1 << 16)
  public static let limits = RoomParts(rawValue: 1 << 17)
  /// Whether the room is banned or deleted.
  public static let closing = RoomParts(rawValue: 1 << 18)
  /// In the operators' log.
  public static let bans = RoomParts(rawValue: 1 << 19)
  /// What a space without a board holds beside its members.
  public static let space = RoomParts(rawValue: 1 << 20)
  /// Who raises a hand.
  public static let hands = RoomParts(rawValue: 1 << 21)
  /// Whether the room is locked, and by whom; who is not allowed to write.
  public static let lock = RoomParts(rawValue: 1 << 22)
}
