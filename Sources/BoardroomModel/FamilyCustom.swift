import EventLogModel

// What the board hands on and does not keep: the family `custom`.

/// Shown or told to everybody, in the log, and in no state. As a command and as an event it is the same.
public enum Custom: Sendable, Hashable {
  /// An app's own event (ME-1).
  case magix(MagixEvent)
  /// REACT-1.
  case reaction(Reaction)

  public var kind: EventKind {
    switch self {
    case .magix: .magix
    case .reaction: .reaction
    }
  }
}

extension Event {
  public static func magix(_ event: MagixEvent) -> Event { .custom(.magix(event)) }
  public static func reaction(_ reaction: Reaction) -> Event { .custom(.reaction(reaction)) }
}

extension Command {
  public static func magix(_ event: MagixEvent) -> Command { .custom(.magix(event)) }
  public static func react(_ reaction: Reaction) -> Command { .custom(.reaction(reaction)) }
}

/// A custom event, opaque to us (ME-1, ME-2).
public struct MagixEvent: Sendable, Hashable {
  public var name: String
  public var payload: JSONText
  /// The whole body as it came.
  public var raw: JSONText
  public init(name: String, payload: JSONText, raw: JSONText) {
    self.name = name
    self.payload = payload
    self.raw = raw
  }
}

/// An emoji that a member shows to everybody for some seconds, at a place or on an element (REACT-1). As a command and
/// as an event it is the same; the room's state keeps nothing of it.
public struct Reaction: Sendable, Hashable {
  /// Where it is shown.
  public enum Target: Sendable, Hashable {
    /// A place on a page, in whole pixels of the board.
    case page(SceneID, x: Int64, y: Int64)
    /// The middle of an element.
    case element(ElementID)
  }

  /// One emoji, as text; `Reaction.isEmoji` says what is one.
  public var emoji: String
  public var target: Target

  public init(_ emoji: String, at target: Target) {
    self.emoji = emoji
    self.target = target
  }
}

extension Reaction {
  /// How long an emoji may be, in code points: those of two people with a skin tone each and a heart between them.
  public static let longest = 10

  /// Whether a text is one emoji and nothing else (REACT-2): one character for its reader, of at most `longest` code
  /// points, each of which belongs into emoji, and shown as a picture rather than as a sign of text.
  public static func isEmoji(_ text: String) -> Bool {
    let points = text.unicodeScalars
    guard let first = points.first, points.count <= longest, text.count == 1, first.properties.isEmoji,
      points.allSatisfy({ $0.properties.isEmoji || belongs($0) })
    else { return false }
    // A digit and an arrow are emoji to Unicode, too; what follows them makes a picture of them.
    return first.properties.isEmojiPresentation || points.contains { $0.value == 0xfe0f }
      || points.dropFirst().contains { $0.properties.isEmojiModifier }
  }

  /// What joins and varies emoji: the joiner, the wish for a picture, the keycap, and the letters of a region's flag.
  private static func belongs(_ point: Unicode.Scalar) -> Bool {
    switch point.value {
    case 0x200d, 0xfe0f, 0x20e3, 0xe0020...0xe007f: true
    default: false
    }
  }
}
