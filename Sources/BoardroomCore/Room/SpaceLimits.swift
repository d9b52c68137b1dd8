import BoardroomModel

/// What a service allows: sizes in bytes, counts and rates (PARITY rows RTML, RTMX, SIGL).
public struct SpaceLimits: Sendable, Hashable {
  /// Of an account's or a channel's name.
  public var account: Int
  /// Of an attribute.
  public var name: Int
  public var value: Int
  /// Of a message, and of an invitation's extra.
  public var text: Int
  public var extra: Int
  /// All attributes of a channel together, names and values.
  public var total: Int
  /// How many attributes a channel has at most.
  public var items: Int
  /// Messages of one account to a channel.
  public var messages: SlidingWindow
  /// Messages a second to one channel, of all accounts; nil: no limit of its own.
  public var channelMessages: Int?
  /// Changes of a channel's attributes by one account; nil: no limit of its own.
  public var changes: SlidingWindow?

  /// Signaling has no limit of all attributes of a channel: 1 MiB as a room's whole state, and 1,024 of them.
  private static let signaling = SpaceLimits(
    account: 128, name: 128, value: 8_096, text: 8_192, extra: 8_192, total: 1 << 20, items: 1_024,
    messages: SlidingWindow(60, in: .seconds(1)), channelMessages: 200, changes: nil)

  private static let rtm = SpaceLimits(
    account: 64, name: 32, value: 8 << 10, text: 32 << 10, extra: 8 << 10, total: 32 << 10, items: 32,
    messages: SlidingWindow(180, in: .seconds(3)), channelMessages: nil,
    changes: SlidingWindow(10, in: .seconds(5)))

  public static func of(_ service: Service) -> SpaceLimits {
    switch service {
    case .signaling: signaling
    // What has no messages of its own has RTM's numbers.
    case .rtm, .rtc, .white: rtm
    }
  }
}

extension SpaceName {
  /// Visible characters only, and at least one.
  static func check(visible name: String, of what: String) throws(Refusal) {
    guard !name.isEmpty, name.unicodeScalars.allSatisfy({ SpaceNameRule.isVisible($0) }) else {
      throw Refusal(
        .badName, cause: "The \(what)'s name is empty, or has spaces or control characters.",
        cure: "Give it a name of visible characters.")
    }
  }
}
