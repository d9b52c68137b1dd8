import BoardroomModel
import EventLogModel

/// Numbers of accounts that no operator sets (PARITY rows RTML, RTMX, SIG-A, SIG-M, SIGL).
public enum AccountPolicy {
  /// SIG-A2, in seconds.
  public static let connectionTimeouts = 20...120
  /// Attributes of one login, and the bytes of all their names and values (PARITY rows RTML, RTMX). Signaling states neither: as many
  /// as a channel has, in a quarter of its bytes, since anybody who asks gets them in one answer.
  public static func attributes(of service: Service) -> (count: Int, bytes: Int) {
    switch service {
    case .signaling: (1_024, 256 << 10)
    case .rtm, .rtc, .white: (32, 16 << 10)
    }
  }
  /// Changes of attributes by one account (PARITY rows RTML, RTMX; Signaling has the number of its messages).
  public static func changes(of service: Service) -> SlidingWindow {
    switch service {
    case .rtm: SlidingWindow(10, in: .seconds(5))
    case .signaling, .rtc, .white: SlidingWindow(60, in: .seconds(1))
    }
  }
  /// SIG-M6, X-50: how long a message is held for who does not acknowledge it.
  public static let messageLife = Duration.seconds(3_600)
  /// Messages held for one account and service. 200: what RTM 1.x keeps for a receiver that is away. One more is
  /// refused, so that none is lost in silence.
  public static let heldMessages = 200
  /// RTM: channels of one login (PARITY rows RTML, RTMX). Signaling: one (SIG-C2).
  public static func channels(of service: Service) -> Int { service == .rtm ? 20 : 1 }
  /// Accounts that one question may ask about (PARITY rows RTML, RTMX).
  public static let askedAccounts = 256
  /// Bytes of what an account holds of others, in the JSON of its snapshot: all mailboxes together, and as much again of
  /// calls. 1 MiB: half a minute of a slow mobile link before the login is there, and far below the 16 MiB that a client
  /// takes as one message.
  public static let heldBytes = 1 << 20
  /// Of what is held for somebody who is not there to take it, one sender has a quarter, so that others get through.
  public static let shares = 4
  /// Bytes of what a sender calls a message: eight UUIDs.
  public static let messageName = 256
  /// Invitations of one account that are not answered, and as many that were accepted and did not end. 100: far more than
  /// anybody can follow. The same for those that are made to it.
  public static let openInvitations = 100
  /// Of those made to an account, of one caller. 10: to ten channels at once.
  public static let callsOfOneCaller = 10
  /// Digits in one piece of tones. 64: longer than any telephone number.
  public static let digits = 64

  public static func clamped(timeout seconds: Int) -> Int {
    min(max(seconds, connectionTimeouts.lowerBound), connectionTimeouts.upperBound)
  }

  /// What a login's attributes say of its grace; nil where they say nothing.
  public static func connectionTimeout(_ attributes: [String: String]) -> Duration? {
    attributes[BuiltIn.connectionTimeout].flatMap { Int($0) }.map { .seconds(clamped(timeout: $0)) }
  }
}

/// How accounts and channels may be called (SIG-4, PARITY rows RTML, RTMX, SIGL).
public enum SpaceNameRule {
  public static func check(_ place: Place) throws(Refusal) {
    try checkAccount(place.account, of: place.service)
    if let channel = place.channel { try checkChannel(channel, of: place.service) }
  }

  /// The account of a service, or a channel of its own.
  public static func check(_ name: SpaceName, in service: Service) throws(Refusal) {
    switch name {
    case .account(let name): try checkAccount(name, of: service)
    case .channel(let own, let name): try checkChannel(name, of: own)
    }
  }

  /// Visible characters, no spaces.
  public static func checkAccount(_ name: String, of service: Service) throws(Refusal) {
    try checkSize(name, service, of: "account")
    guard name.unicodeScalars.allSatisfy({ isVisible($0) }) else {
      throw wrong("The account's name has spaces or characters that cannot be seen.")
    }
  }

  /// The same; RTC's names may have spaces, and the white service has rooms instead.
  public static func checkChannel(_ name: String, of service: Service) throws(Refusal) {
    guard service != .white else {
      throw Refusal(
        .badParameter, cause: "The service white has no channels.", cure: "Make a room, and enter that.")
    }
    try checkSize(name, service, of: "channel")
    guard name.unicodeScalars.allSatisfy({ $0 == " " && service == .rtc || isVisible($0) }) else {
      throw wrong("The channel's name has characters that are not allowed.")
    }
  }

  private static func checkSize(_ name: String, _ service: Service, of what: String) throws(Refusal) {
    let (actual, allowed) = (name.utf8.count, SpaceLimits.of(service).account)
    guard actual > 0 else { throw wrong("The \(what)'s name is empty.") }
    guard actual <= allowed else {
      throw Refusal(
        .badName, cause: "The \(what)'s name is longer than the service allows.",
        cure: "Use a shorter name.", actual: actual, allowed: allowed,
        limit: what == "account" ? LimitName.account : LimitName.channelName)
    }
  }

  private static func wrong(_ cause: String) -> Refusal {
    Refusal(.badName, cause: cause, cure: "Use letters, digits and signs.")
  }

  static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .unassigned, .spaceSeparator, .lineSeparator, .paragraphSeparator:
      false
    default: true
    }
  }
}
