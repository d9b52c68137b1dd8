import EventLogModel

/// What a space that is no room holds beside its members: the log, folded. Part of `RoomState`.
public struct SpaceState: Sendable, Hashable {
  public var name: SpaceName
  /// Of a channel.
  public var attributes: [String: String]
  /// When the last member left; nil while anybody is here, and before the first came.
  public var emptied: Timestamp?
  /// Joins so far, and what was told last.
  public var joins: Int
  public var told: MemberNumbers?
  /// When `_auto_update_num` was set: its intervals count from there.
  public var numbersSince: Timestamp?
  /// Since then somebody has come or gone without the numbers having been told; nil where nobody has.
  public var moved: Timestamp?
  /// Of an account, by service.
  public var slots: [Service: AccountSlot]
  /// Invitations that this account made and that are not over.
  public var invitations: [UInt64: Invitation]
  public var lastInvitation: UInt64
  /// Invitations of others that this account has heard of and that are not over.
  public var calls: [CallKey: Call]
  /// Questions of other nodes that were carried out lately, oldest first.
  public var applied: [AppliedQuestion]

  public init(_ name: SpaceName) {
    self.name = name
    attributes = [:]
    emptied = nil
    joins = 0
    told = nil
    numbersSince = nil
    moved = nil
    slots = [:]
    invitations = [:]
    lastInvitation = 0
    calls = [:]
    applied = []
  }

  /// For how long a question of another node is remembered. 60 s: who asks gives up after 20 s, and a message between nodes
  /// is on its way for seconds at most.
  public static let remembersQuestions = Duration.seconds(60)
  /// How many of them at most; then the oldest go. 1,024: ten times as many as are on their way at once where 10,000 a second
  /// are answered within 10 ms.
  public static let mostQuestions = 1_024

  /// Whether the log holds what this question asked for.
  public func hasApplied(_ question: QuestionApplied) -> Bool {
    applied.contains { $0.isOfLoop(of: question) && $0.serial == question.serial }
  }
}

/// A question of another node, as the state remembers it.
public struct AppliedQuestion: Sendable, Hashable {
  public var engine: UInt64
  public var loop: Int
  public var serial: UInt64
  /// When the log took it.
  public var time: Timestamp

  public init(engine: UInt64, loop: Int, serial: UInt64, time: Timestamp) {
    (self.engine, self.loop) = (engine, loop)
    (self.serial, self.time) = (serial, time)
  }

  public func isOfLoop(of question: QuestionApplied) -> Bool {
    engine == question.engine && loop == question.loop
  }
}

/// What an account has in one service.
public struct AccountSlot: Sendable, Hashable {
  /// Gone when the login is (SIG-A8).
  public var attributes: [String: String]
  /// Channels that it is in, and its member there is not known to be gone.
  public var channels: [String]
  /// Messages that were not acknowledged, oldest first.
  public var inbox: [HeldMessage]
  /// Of the newest message ever.
  public var lastVersion: UInt64
  /// Of the newest message that was acknowledged.
  public var acked: UInt64

  public init(
    attributes: [String: String] = [:], channels: [String] = [], inbox: [HeldMessage] = [],
    lastVersion: UInt64 = 0, acked: UInt64 = 0
  ) {
    self.attributes = attributes
    self.channels = channels
    self.inbox = inbox
    self.lastVersion = lastVersion
    self.acked = acked
  }

  public var isEmpty: Bool { self == AccountSlot() }
}

public struct HeldMessage: Sendable, Hashable {
  public var version: UInt64
  public var time: Timestamp
  public var from: String
  public var id: String
  public var text: String
  public init(version: UInt64, time: Timestamp, from: String, id: String, text: String) {
    self.version = version
    self.time = time
    self.from = from
    self.id = id
    self.text = text
  }
}

/// Names an invitation of another account.
public struct CallKey: Sendable, Hashable, Comparable {
  public var caller: String
  public var serial: UInt64
  public init(caller: String, serial: UInt64) {
    self.caller = caller
    self.serial = serial
  }
  public static func < (left: CallKey, right: CallKey) -> Bool {
    (left.caller, left.serial) < (right.caller, right.serial)
  }
}

/// An invitation as its callee knows it.
public struct Call: Sendable, Hashable {
  public var service: Service
  public var channel: String
  public var extra: String
  public var isAccepted: Bool
  public var since: Timestamp
  public init(service: Service, channel: String, extra: String, isAccepted: Bool = false, since: Timestamp) {
    self.service = service
    self.channel = channel
    self.extra = extra
    self.isAccepted = isAccepted
    self.since = since
  }
}

/// Attributes that begin with `_` mean something to the server (PARITY rows SIG-A, SIGB).
public enum BuiltIn {
  public static let connectionTimeout = "_conn_timeout"
  public static let userNotification = "_userNotification"
  public static let channelTTL = "_channel_ttl"
  public static let memberNumber = "_member_num"
  public static let autoUpdate = "_auto_update_num"
  public static let totalNumber = "_total_member_num"
  public static let autoUpdateTotal = "_auto_update_total_num"
  public static let messageLimit = "_sendmsg_limit"
  public static let attributeLimit = "_setattr_limit"

  public static func isReserved(_ name: String) -> Bool { name.utf8.first == UInt8(ascii: "_") }
}
