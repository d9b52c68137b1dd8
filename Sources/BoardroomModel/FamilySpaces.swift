import EventLogModel

// Spaces without a board: accounts and channels (ADR 0021). They have a log, members, cursors and replay as rooms
// have; what they hold beside that is here.

/// The four services that one connection machine serves, each by its own numbers.
public enum Service: String, Sendable, Hashable, Codable, CaseIterable {
  case white, rtc, rtm, signaling
}

/// Names a space that is no room. Its log's name follows from it (`SpaceName.log` of the codec).
public enum SpaceName: Sendable, Hashable, Codable {
  /// A name that signs in. One for all services; each service has a slot of its own in it (ADR 0021).
  case account(String)
  /// Channels of two services with one name are two channels.
  case channel(Service, String)

  public var text: String {
    switch self {
    case .account(let name), .channel(_, let name): name
    }
  }

  /// The two channels that tell of everything (SIG-C6, SIG-C7).
  public static let userOnline = SpaceName.channel(.signaling, "__agora_user_online")
  public static let channelEvents = SpaceName.channel(.signaling, "__agora_channel_event")
  public var isSpecial: Bool { self == .userOnline || self == .channelEvents }
}

/// Where a hello for no room wants to go.
public struct Place: Sendable, Hashable, Codable {
  public var service: Service
  public var account: String
  /// Nil: to the account itself.
  public var channel: String?

  public init(service: Service, account: String, channel: String? = nil) {
    self.service = service
    self.account = account
    self.channel = channel
  }

  public var space: SpaceName { channel.map { .channel(service, $0) } ?? .account(account) }
}

// MARK: Events

/// What happens in a space that is no room, beside what happens to its members.
public enum SpaceEvent: Sendable, Hashable {
  /// The first event of its log.
  case created(SpaceName)
  case attributesSet(AttributesSet)
  /// All that are not built in; those are back at their defaults (PARITY rows SIGB).
  case attributesCleared(by: String?)
  /// A message to everybody in the channel (SIG-M3).
  case channelMessage(ChannelMessage)
  /// What `_member_num` and `_total_member_num` say from here on (PARITY rows SIGB).
  case numbersTold(MemberNumbers)
  /// The channel was empty for its whole life: attributes and counts are gone (`_channel_ttl`).
  case expired
  /// A message of one account to this one (SIG-M1).
  case inboxMessage(InboxMessage)
  /// The actor's service has all up to this version.
  case inboxAcked(UInt64)
  /// Those up to this version were kept for as long as messages are kept.
  case inboxExpired(Service, UInt64)
  /// The actor, a login of this account, is in a channel from here on.
  case channelEntered(String)
  case channelLeft(ChannelLeft)
  /// A step of an invitation, in its caller's log: the one place where it is decided.
  case inviteMoved(InviteMoved)
  /// What the callee hears of an invitation, in the callee's log.
  case inviteHeard(InviteHeard)
  /// In the two channels that tell of everything.
  case presence(Presence)
  /// What stands before it in its append answers this question of another node (NODE-15).
  case questionApplied(QuestionApplied)

  public var kind: EventKind {
    switch self {
    case .created: .spaceCreated
    case .attributesSet: .attributesSet
    case .attributesCleared: .attributesCleared
    case .channelMessage: .channelMessage
    case .numbersTold: .numbersTold
    case .expired: .spaceExpired
    case .inboxMessage: .inboxMessage
    case .inboxAcked: .inboxAcked
    case .inboxExpired: .inboxExpired
    case .channelEntered: .channelEntered
    case .channelLeft: .channelLeft
    case .inviteMoved: .inviteMoved
    case .inviteHeard: .inviteHeard
    case .presence: .presence
    case .questionApplied: .questionApplied
    }
  }
}

/// Texts under names: of a channel, or of a login's service in an account.
public struct AttributesSet: Sendable, Hashable, Codable {
  /// In the order given; nil takes one away.
  public var fields: [Field]
  /// The account that did it from outside of the channel; nil: the actor.
  public var by: String?

  public struct Field: Sendable, Hashable, Codable {
    public var name: String
    public var value: String?
    public init(name: String, value: String?) {
      self.name = name
      self.value = value
    }
  }

  public init(_ fields: [Field], by: String? = nil) {
    self.fields = fields
    self.by = by
  }
}

public struct ChannelMessage: Sendable, Hashable, Codable {
  /// What the sender calls it.
  public var id: String
  public var text: String
  /// The account that sent it from outside of the channel (SIG-M5); nil: the actor.
  public var by: String?
  public init(id: String, text: String, by: String? = nil) {
    self.id = id
    self.text = text
    self.by = by
  }
}

public struct MemberNumbers: Sendable, Hashable {
  public var members: Int
  /// Joins so far; nil where it is not asked for.
  public var total: Int?
  public init(members: Int, total: Int?) {
    self.members = members
    self.total = total
  }
}

public struct InboxMessage: Sendable, Hashable, Codable {
  /// Rises by one with each message of this account and service (SIG-M7).
  public var version: UInt64
  public var service: Service
  public var from: String
  /// What the sender calls it.
  public var id: String
  public var text: String
  public init(version: UInt64, service: Service, from: String, id: String, text: String) {
    self.version = version
    self.service = service
    self.from = from
    self.id = id
    self.text = text
  }
}

/// Why a login is in a channel no longer. Signaling's codes: 0, 0, 603, 604, 601, 603 (PARITY rows SIGE).
public enum ChannelLeaveCause: String, Sendable, Hashable, CaseIterable {
  /// It said so.
  case left
  /// It joined another, and the service allows one (SIG-C2).
  case moved
  case logout
  /// Its login was not heard of for too long.
  case offline
  case kicked
  /// Another login took the account over.
  case replaced
}

public struct ChannelLeft: Sendable, Hashable {
  public var service: Service
  public var channel: String
  public var cause: ChannelLeaveCause
  public init(service: Service, channel: String, cause: ChannelLeaveCause) {
    self.service = service
    self.channel = channel
    self.cause = cause
  }
}

/// Somebody came or went, somewhere.
public struct Presence: Sendable, Hashable, Codable {
  public var account: String
  /// Nil: signed in or out.
  public var channel: String?
  public var isHere: Bool
  public init(account: String, channel: String?, isHere: Bool) {
    self.account = account
    self.channel = channel
    self.isHere = isHere
  }
}

/// A question of another node's space that this space has answered: the next owner of the log knows it by that, and does not
/// carry it out again (ADR 0061).
public struct QuestionApplied: Sendable, Hashable {
  /// The engine that asked: a number that it chose by chance at its start.
  public var engine: UInt64
  /// The place of the asking loop among those of its engine, from 0.
  public var loop: Int
  /// The question's number: its loop counts from 1.
  public var serial: UInt64
  /// Of the same loop's questions, all up to this one have their answers, or wait for none any more.
  public var settled: UInt64

  public init(engine: UInt64, loop: Int, serial: UInt64, settled: UInt64) {
    (self.engine, self.loop) = (engine, loop)
    (self.serial, self.settled) = (serial, settled)
  }
}

// MARK: Commands

/// What a member of such a space may ask for. Each has the kind of the event that it wishes for.
public enum SpaceCommand: Sendable, Hashable, Codable {
  /// Of the channel, or of one's own login.
  case setAttributes(AttributesSet)
  case clearAttributes
  case say(ChannelMessage)
  case acknowledge(UInt64)

  public var kind: EventKind {
    switch self {
    case .setAttributes: .attributesSet
    case .clearAttributes: .attributesCleared
    case .say: .channelMessage
    case .acknowledge: .inboxAcked
    }
  }
}
