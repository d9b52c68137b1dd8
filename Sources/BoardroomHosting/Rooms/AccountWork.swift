import BoardroomCore
import BoardroomModel
import EventLogModel

/// A login's place in a channel, as its account's host knows it.
struct MembershipKey: Hashable, Comparable {
  var service: Service
  var channel: String

  var isSpecial: Bool { SpaceName.channel(service, channel).isSpecial }

  static func < (left: MembershipKey, right: MembershipKey) -> Bool {
    (left.service.rawValue, left.channel) < (right.service.rawValue, right.channel)
  }
}

/// What the host of an account keeps beside the state: nothing that a restart may not forget.
struct AccountWork {
  /// A membership whose end is under way.
  struct EndingMembership {
    var cause: ChannelLeaveCause
    /// When the channel was asked last.
    var asked: Timestamp
  }

  /// How long an answer is waited for before it is asked again. 5 s: an opening takes milliseconds.
  static let patience = Duration.seconds(5)

  var ending: [MembershipKey: EndingMembership] = [:]
  /// Entries that wait for an end.
  var waiting: [() -> Void] = []
  /// The newest entry of each channel since this host opened, so that a leave of an earlier one does not count.
  var entries: [MembershipKey: UInt64] = [:]
  var lastEntry: UInt64 = 0
  struct MessageKey: Hashable {
    var service: Service
    var version: UInt64
  }
  /// Bytes of held messages, and of calls, in the snapshot.
  var weights: [MessageKey: Int] = [:]
  var callWeights: [CallKey: Int] = [:]
  var rates: [Service: AskRates] = [:]
  var taken = TakenMessages()
  var offers = OfferedInvitations()
  var logins: [Service: SlidingWindow] = [:]

  /// ACC-3: logins of one account and service, each of which may take the one before over. 2 a second (PARITY rows RTML, RTMX).
  mutating func takeLogin(of service: Service, at now: Timestamp) -> Bool {
    logins[service, default: SlidingWindow(2, in: .seconds(1))].take(at: now)
  }
}

extension ChannelLeaveCause {
  /// Why the memberships of a login end with it.
  init(endOfLogin cause: LeaveCause) {
    switch cause {
    case .left: self = .logout
    case .timeout, .serverRestart: self = .offline
    case .kicked: self = .kicked
    case .replaced: self = .replaced
    }
  }

  /// Why a login is no longer in a channel that its member has left.
  init(leftChannel cause: LeaveCause) {
    switch cause {
    case .left: self = .left
    case .timeout, .serverRestart: self = .offline
    case .kicked: self = .kicked
    case .replaced: self = .replaced
    }
  }

  /// What the channel's members see.
  var leaveCause: LeaveCause {
    switch self {
    case .left, .moved, .logout: .left
    case .offline: .timeout
    case .kicked: .kicked
    case .replaced: .replaced
    }
  }
}

extension Place {
  /// RTM and Signaling join by a login; RTC has none.
  var needsLogin: Bool { channel != nil && service.hasLogins }
}

extension Service {
  var hasLogins: Bool {
    switch self {
    case .rtm, .signaling: true
    case .rtc, .white: false
    }
  }
}
