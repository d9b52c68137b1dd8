import BoardroomCore
import BoardroomModel
import EventLogModel

/// What the host of an account keeps beside the state: nothing that a restart may not forget.
struct AccountWork {
  /// A membership whose end is under way.
  struct EndingMembership {
    var cause: ChannelLeaveCause
    /// When the channel could not do it last, and is to be asked again `patience` later; nil: it is being asked.
    var failed: Timestamp?
  }

  /// How long a channel that could not end a membership is left alone. 5 s: an opening takes milliseconds, and a full log
  /// gets space by its cleaning.
  static let patience = Duration.seconds(5)

  var ending: [MembershipKey: EndingMembership] = [:]
  /// Entries that wait for an end.
  var waiting: [() -> Void] = []
  /// News that their callees may not have yet, counted by the serials of their invitations.
  var news: [UInt64: Int] = [:]
  /// The newest entry of each channel since this host opened, so that a leave of an earlier one does not count.
  var entries: [MembershipKey: UInt64] = [:]
  var lastEntry: UInt64 = 0

  /// Entries are numbered on from the time of the opening, so that those of a later opening are newer. 2^20 a
  /// millisecond are more than there can be.
  static func firstEntry(at opened: Timestamp) -> UInt64 { UInt64(max(0, opened.milliseconds)) << 20 }

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
