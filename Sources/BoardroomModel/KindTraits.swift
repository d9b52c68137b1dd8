/// What one kind of record is: one row of the table in EventKind.swift. What a layer needs to know of a kind beside
/// its words, bytes, decision and fold is looked up here, and stands nowhere else.
public struct KindTraits: Sendable {
  public let kind: EventKind
  public let family: EventFamily
  /// Whether the payload is binary; all others are JSON.
  public let isBinary: Bool
  /// What a command of this kind is; nil where only the server records the kind.
  public let command: CommandTraits?
  /// All that folding one event of this kind can change.
  public let touches: RoomParts
  /// What is left of a member's own event when the member's content is erased (LOG-29).
  public let erasure: ErasureRule
  /// With what the player's timeline shows it.
  public let marker: KindMarker
  /// Whether it says of a member how it came, went, was connected or was let write: the debug track (RP-64).
  public let isOfMemberTrack: Bool
  public let webhook: WebhookTraits

  init(
    _ kind: EventKind, _ family: EventFamily, isBinary: Bool = false, command: CommandTraits? = nil,
    touches: RoomParts = [], erasure: ErasureRule = .stays, marker: KindMarker = .state,
    isOfMemberTrack: Bool = false, webhook: WebhookTraits
  ) {
    self.kind = kind
    self.family = family
    self.isBinary = isBinary
    self.command = command.map { $0.on(family.ground) }
    self.touches = touches
    self.erasure = erasure
    self.marker = marker
    self.isOfMemberTrack = isOfMemberTrack
    self.webhook = webhook
  }
}

/// What kinds belong together: they change the same things, and stand in the same files. `Event` and `Command` have a case
/// of the same name for each.
public enum EventFamily: String, Sendable, Hashable, CaseIterable {
  /// Strokes, pointers and cameras: nearly all of a log.
  case drawing
  case elements, scenes
  /// The global state, members' states and stores.
  case state
  /// Undo and redo.
  case history
  case members
  /// Who may write, and who asks to.
  case moderation
  /// That there is a room, its limits, its end, and the operators' bans.
  case room
  /// What the board hands on and does not keep: magix events and reactions.
  case custom
  /// Spaces without a board: accounts with their messages and calls, and channels.
  case space
  /// What a debugger needs: refusals, and what clients saw while they were away.
  case diagnostics

  /// In which spaces commands of the family can be given.
  public var ground: Ground {
    switch self {
    case .drawing, .elements, .scenes, .state, .history, .members, .moderation, .room, .custom: .board
    case .space: .withoutBoard
    case .diagnostics: .anywhere
    }
  }

  /// The spaces in which something is done.
  public enum Ground: Sendable, Hashable { case board, withoutBoard, anywhere }
}

/// What is to be known of commands of one kind. Asked for with every command: a few bytes, without references.
public struct CommandTraits: Sendable, Hashable {
  /// What the author must be allowed; `Command.need` knows the commands that need something else than their kind.
  public let need: CommandNeed
  /// Whether the server may give it in its own name (DEC-11).
  public let isForServer: Bool
  /// Which limit bounds its payload.
  public let limit: PayloadLimit
  /// How many of them one member may give where nobody has set another rate; nil: as many as of all commands.
  public let rate: CommandRate?
  /// Whether the event's body is the command's own, byte for byte (WIRE-1).
  public let body: EventBody
  /// What of the room an app is shown as changed before the server has answered.
  public let foretells: ForetoldParts
  /// In which spaces it can be given: its family's.
  public private(set) var ground = EventFamily.Ground.board

  init(
    _ need: CommandNeed, server isForServer: Bool = false, limit: PayloadLimit = .element,
    rate: CommandRate? = nil, body: EventBody = .commands, foretells: ForetoldParts = []
  ) {
    self.need = need
    self.isForServer = isForServer
    self.limit = limit
    self.rate = rate
    self.body = body
    self.foretells = foretells
  }

  fileprivate func on(_ ground: EventFamily.Ground) -> CommandTraits {
    var traits = self
    traits.ground = ground
    return traits
  }
}

/// What a command needs of its author.
public enum CommandNeed: Sendable, Hashable {
  /// To be in the room: what concerns a member's own view only (DEC-6).
  case presence
  /// A token that may write, whether or not the member does at present (W-1).
  case token
  /// To be writable (P-12, ME-11).
  case writable
  /// An administrator's token, whether or not the member writes (MOD-5, MOD-6).
  case administration
}

/// One of `WireLimits`: how long the payload of a command may be, in bytes.
public enum PayloadLimit: String, Sendable, Hashable, CaseIterable {
  case stroke, magix, statePatch, element
  /// The whole message: the text of a message to a channel has a limit of its own, which does not count what JSON adds.
  case message

  /// As operators set it and refusals bear it.
  public var name: String { "limits.\(rawValue)" }
}

/// How many commands of one kind a member may give.
public struct CommandRate: Sendable, Hashable {
  /// A second, in the long run.
  public let sustained: Int
  /// At once, after a rest.
  public let burst: Int
}

/// Where the body of a command's event comes from.
public enum EventBody: Sendable, Hashable {
  /// It is the command's.
  case commands
  /// It is the command's, unless the decision left out a part of what was asked for.
  case commandsIfWhole
  /// The server writes it: it holds what only the server knows.
  case servers
}

/// What an app is shown of a command that is still on its way.
public struct ForetoldParts: OptionSet, Sendable, Hashable {
  public let rawValue: UInt8
  @inlinable public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// The room's states, members, views and pages.
  public static let parts = ForetoldParts(rawValue: 1)
  /// What is drawn.
  public static let board = ForetoldParts(rawValue: 2)
}

/// What becomes of a member's own event when the member's content is erased.
public enum ErasureRule: Sendable, Hashable {
  /// It holds nothing of the member's.
  case stays
  /// It stays without what the member wrote: others need the rest (`ContentErasure`).
  case staysWithoutWords
  /// `contentErased` takes its place.
  case goes
}

/// The sorts of events that the player's timeline tells apart, from below; those from `state` on have markers there, the
/// gravest last.
public enum KindMarker: String, Sendable, Hashable, CaseIterable {
  case draw, pointer, state, custom, phase, join, refused, takeover, kick
}

/// What webhooks call a kind.
public struct WebhookTraits: Sendable, Hashable {
  /// After `net.boardroom.`.
  public let type: String
  /// Whether endpoints get it without asking for it.
  public let isStandard: Bool
  /// Fields of the body that no receiver is told.
  public let hidden: [String]
}

extension WebhookTraits: ExpressibleByStringLiteral {
  /// A type that has to be asked for.
  public init(stringLiteral type: String) { self.init(type: type, isStandard: false, hidden: []) }

  /// A type that is told without being asked for.
  static func standard(_ type: String, hiding hidden: [String] = []) -> WebhookTraits {
    WebhookTraits(type: type, isStandard: true, hidden: hidden)
  }

  static func wanted(_ type: String, hiding hidden: [String]) -> WebhookTraits {
    WebhookTraits(type: type, isStandard: false, hidden: hidden)
  }
}

// MARK: Look-ups

extension EventKind {
  /// The kind's row.
  public var traits: KindTraits { KindTraits.byNumber[Int(rawValue)]! }
  /// What commands of this kind are; nil where clients can send none.
  public var command: CommandTraits? { CommandTraits.byNumber[Int(rawValue)] }
  public var family: EventFamily { Self.families[Int(rawValue)] }
  /// By number: a few bytes, where the row would count references.
  private static let families = (0...UInt8.max).map { EventKind(rawValue: $0)?.traits.family ?? .diagnostics }
  /// Whether clients can send commands of this kind.
  public var isCommand: Bool { command != nil }
  /// Whether it belongs to spaces without a board only.
  public var isOfSpaces: Bool { family.ground == .withoutBoard }
  /// Kinds below 16 have binary bodies: so the number alone says it, also of a kind of a later version.
  public var hasBinaryBody: Bool { rawValue < 16 }
  /// The name in the JSON mirror: the case's own.
  public var name: String { Self.names[Int(rawValue)] }
  /// By number: a name is asked for with every event, and taking it from the case costs a microsecond.
  private static let names = (0...UInt8.max).map {
    EventKind(rawValue: $0).map { String(describing: $0) } ?? ""
  }
  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  /// The kind that the JSON mirror calls so.
  public init?(named name: some StringProtocol) {
    guard let kind = Self.byName[String(name)] else { return nil }
    self = kind
  }

  /// The number of a kind from its name, or from the number itself as text: also of a kind of a later version.
  public static func number(named name: some StringProtocol) -> UInt8? {
    EventKind(named: name)?.rawValue ?? UInt8(name)
  }
}

extension KindTraits {
  fileprivate static let byNumber: [KindTraits?] = {
    var table = [KindTraits?](repeating: nil, count: 256)
    for row in rows { table[Int(row.kind.rawValue)] = row }
    return table
  }()
}

extension CommandTraits {
  fileprivate static let byNumber = KindTraits.byNumber.map { $0?.command }
}

extension Command {
  /// What the command needs of its author: what its kind needs, but for those that only end what a member does by itself.
  public var need: CommandNeed {
    if case .members(let command) = self, command.endsOnlyOwn { return .presence }
    return kind.command?.need ?? .administration
  }
}

extension WireLimits {
  /// Bytes allowed for the payload of a command of this kind; nil for kinds that clients cannot send.
  public func payload(of kind: EventKind) -> Int? {
    guard let limit = kind.command?.limit else { return nil }
    return switch limit {
    case .stroke: stroke
    case .magix: magix
    case .statePatch: statePatch
    case .element: element
    case .message: message
    }
  }

  /// The name of the limit that `payload(of:)` is the value of.
  public static func name(forPayloadOf kind: EventKind) -> String? { kind.command?.limit.name }
}
