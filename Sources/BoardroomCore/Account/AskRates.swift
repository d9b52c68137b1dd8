import BoardroomModel
import EventLogModel

/// At most so many in any stretch of time: no burst beyond it, wherever the stretch begins. Pure: time comes in. Costs a
/// timestamp for each that counts.
public struct SlidingWindow: Sendable, Hashable {
  public let count: Int
  public let stretch: Duration
  /// Oldest first. Those before `first` no longer count, and go when they are as many as the others.
  private var taken: [Timestamp] = []
  private var first = 0

  public init(_ count: Int, in stretch: Duration) {
    self.count = count
    self.stretch = stretch
  }

  /// Takes one; false if it is one too many.
  public mutating func take(at now: Timestamp) -> Bool {
    // A clock that stepped back begins anew: what it counted lies in its future.
    if let last = taken.last, last > now { (taken, first) = ([], 0) }
    while first < taken.count, taken[first] + stretch <= now { first += 1 }
    if first * 2 > taken.count {
      taken.removeFirst(first)
      first = 0
    }
    guard taken.count - first < count else { return false }
    taken.append(now)
    return true
  }

  func allows(asMuchAs other: SlidingWindow) -> Bool { count == other.count && stretch == other.stretch }

  /// Whether nothing would be lost by forgetting it.
  public func isFull(at now: Timestamp) -> Bool { taken.last.map { $0 + stretch <= now } ?? true }
}

/// How much one account may ask in one service (SIG-M4, PARITY rows RTML, RTMX). Where Signaling names no number, it has RTM's.
public struct AskRates: Sendable {
  private enum Kind { case message, setting, members, reading, leaving }

  private var messages: SlidingWindow
  private var settings: SlidingWindow
  /// 5 in 2 s: lists of members.
  private var members = SlidingWindow(5, in: .seconds(2))
  /// 40 in 5 s: attributes, counts and whether somebody is there.
  private var readings = SlidingWindow(40, in: .seconds(5))
  /// 40 in 5 s, apart from what an app reads: a client asks by itself, and twice as often as a login can be in channels.
  private var leaves = SlidingWindow(40, in: .seconds(5))

  public init(_ service: Service) {
    switch service {
    case .rtm:
      messages = SlidingWindow(180, in: .seconds(3))
    case .signaling, .rtc, .white:
      messages = SlidingWindow(60, in: .seconds(1))
    }
    settings = AccountPolicy.changes(of: service)
  }

  public mutating func pay(for question: Question, at now: Timestamp) throws(Refusal) {
    switch Self.kind(of: question) {
    case .message: try Self.take(&messages, "rate.messages", at: now)
    case .setting: try Self.take(&settings, "rate.attributes", at: now)
    case .members: try Self.take(&members, "rate.members", at: now)
    case .reading: try Self.take(&readings, "rate.readings", at: now)
    case .leaving: try Self.take(&leaves, "rate.leaves", at: now)
    }
  }

  private static func take(
    _ window: inout SlidingWindow, _ limit: String, at now: Timestamp
  ) throws(Refusal) {
    guard window.take(at: now) else {
      throw Refusal(.rateLimited, actual: window.count + 1, allowed: window.count, limit: limit)
    }
  }

  private static func kind(of question: Question) -> Kind {
    switch question {
    case .say, .send, .invite, .moveInvite: .message
    case .setChannelAttributes, .clearChannelAttributes: .setting
    case .channelUsers: .members
    case .userStatus, .usersStatus, .userAttributes, .channelAttributes, .channelCount, .isInChannel: .reading
    case .leaveChannel: .leaving
    }
  }
}

extension Question {
  /// The kind of the event that the question wishes for; nil for those that only read, and for a leave, which nobody is
  /// refused.
  public var wish: EventKind? {
    switch self {
    case .userStatus, .usersStatus, .userAttributes, .channelAttributes, .channelCount, .isInChannel,
      .channelUsers, .leaveChannel:
      nil
    case .setChannelAttributes: .attributesSet
    case .clearChannelAttributes: .attributesCleared
    case .say: .channelMessage
    case .send: .inboxMessage
    case .invite, .moveInvite: .inviteMoved
    }
  }
}
