import BoardroomCore
import BoardroomModel

/// How one client keeps its connection and gets it back: numbers of the app's own in place of the usual ones. All that is
/// nil is as the service or the server has it.
///
/// The waits between attempts begin with `firstDelay` and double up to `longestDelay`; each is shorter or longer by chance,
/// by up to `jitter` of itself.
public struct ConnectionSettings: Sendable, Hashable {
  /// The wait before the first attempt of an outage: 50 ms to 60 s; 0.5 s as a rule.
  public let firstDelay: Duration
  /// The longest wait between two attempts: from `firstDelay` to 600 s; 8 s as a rule.
  public let longestDelay: Duration
  /// By how much a wait may be shorter or longer, as a part of it: 0 to 0.9; 0.2 as a rule. Clients that lost their server
  /// together do not come back all at once.
  public let jitter: Double
  /// How long an outage may last before the client gives up: 1 s to 30 days. Nil: for a room, `WhiteRoomConfig.timeout`; for
  /// accounts and channels, as their service has it.
  public let giveUpAfter: Duration?
  /// The longest time in which this client sends nothing, also in a quiet room: 0.5 s to 60 s. Where the server asks for a shorter one, that counts:
  /// it would take the client for lost. Nil: as the server says.
  public let heartbeatInterval: Duration?
  /// How long a silence of the server is borne before the connection counts as lost: 1 s to 600 s. It is raised to one and a
  /// half times the interval at which the server speaks. Nil: as the server says.
  public let heartbeatTimeout: Duration?

  /// The usual numbers.
  public static let usual = ConnectionSettings()

  private init() {
    (firstDelay, longestDelay, jitter) = (.milliseconds(500), .seconds(8), 0.2)
    (giveUpAfter, heartbeatInterval, heartbeatTimeout) = (nil, nil, nil)
  }

  /// Makes settings. Throws `badParameter` where a number is out of its range: `cause` names it, what it was and what it may
  /// be, `cure` says what helps.
  public init(
    firstDelay: Duration = .milliseconds(500), longestDelay: Duration = .seconds(8), jitter: Double = 0.2,
    giveUpAfter: Duration? = nil, heartbeatInterval: Duration? = nil, heartbeatTimeout: Duration? = nil
  ) throws(BoardroomError) {
    try Self.check("firstDelay", firstDelay, .milliseconds(50)...(.seconds(60)))
    try Self.check("longestDelay", longestDelay, firstDelay...(.seconds(600)))
    guard (0...0.9).contains(jitter) else {
      throw Self.outOfRange("jitter", "\(jitter)", "0 to 0.9")
    }
    try Self.check("giveUpAfter", giveUpAfter, .seconds(1)...(.seconds(30 * 86_400)))
    try Self.check("heartbeatInterval", heartbeatInterval, .milliseconds(500)...(.seconds(60)))
    let silence = heartbeatInterval.map { max($0 * 3 / 2, .seconds(1)) } ?? .seconds(1)
    try Self.check("heartbeatTimeout", heartbeatTimeout, silence...(.seconds(600)))
    (self.firstDelay, self.longestDelay, self.jitter) = (firstDelay, longestDelay, jitter)
    self.giveUpAfter = giveUpAfter
    self.heartbeatInterval = heartbeatInterval
    self.heartbeatTimeout = heartbeatTimeout
  }

  private static func check(
    _ name: String, _ value: Duration?, _ range: ClosedRange<Duration>
  ) throws(BoardroomError) {
    guard let value, !range.contains(value) else { return }
    throw outOfRange(
      name, "\(value.inSeconds) s", "\(range.lowerBound.inSeconds) s to \(range.upperBound.inSeconds) s")
  }

  private static func outOfRange(_ name: String, _ value: String, _ range: String) -> BoardroomError {
    BoardroomError(
      .badParameter, cause: "ConnectionSettings.\(name) is \(value); it may be \(range).",
      cure: "Give a number of that range, or leave it out for the usual one.")
  }
}

extension ConnectionSettings {
  /// A service's numbers with those of the app.
  package func applied(to policy: ConnectionPolicy) -> ConnectionPolicy {
    guard self != .usual else { return policy }
    var policy = policy
    policy.retryPace = pace
    policy.retrySpread = jitter
    if let giveUpAfter, policy.giveUpAfter != .zero { policy.giveUpAfter = giveUpAfter }
    if let heartbeatTimeout { policy.suspectAfter = heartbeatTimeout }
    return policy
  }

  private var pace: [Duration] {
    var pace = [firstDelay]
    while let last = pace.last, last < longestDelay { pace.append(min(last * 2, longestDelay)) }
    return pace
  }

  /// Whether heartbeats may be rare in a quiet room: not where the app has numbers of its own for them.
  var acceptsQuiet: Bool { heartbeatInterval == nil && heartbeatTimeout == nil }

  /// What the server says of heartbeats, as far as the app leaves it.
  func timings(of server: Timings) -> Timings {
    var timings = server
    if let heartbeatInterval { timings.heartbeat = min(heartbeatInterval, server.heartbeat) }
    if let heartbeatTimeout { timings.suspectAfter = max(heartbeatTimeout, server.heartbeat * 3 / 2) }
    return timings
  }
}
