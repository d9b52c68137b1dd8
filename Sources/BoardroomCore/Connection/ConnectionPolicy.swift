import BoardroomModel
import EventLogModel

/// The numbers that one service gives to the one connection machine.
public struct ConnectionPolicy: Sendable, Hashable {
  /// What the give-up clock counts from.
  public enum Anchor: Sendable, Hashable {
    /// Entry into reconnecting. Each outage has a clock of its own (TL-25).
    case reconnecting
    /// The last byte heard.
    case lastByte
  }

  /// Where a connection stands after it has given up.
  public enum AfterGiveUp: Sendable, Hashable { case closed, failed }

  /// Where a connection stands after its session goes on elsewhere.
  public enum AfterTakeover: Sendable, Hashable { case closed, failed, aborted }

  /// Silence before the client announces reconnecting. 4 s for all, until a server's welcome says otherwise.
  public var suspectAfter: Duration
  /// Silence before the client is told "connection lost"; RTC only, 10 s.
  public var lostNotice: Duration?
  /// When the server counts a silent member as gone: 30, 20, 30, 120 s. The client only shows it.
  public var offlineAfter: Duration
  /// How long reconnecting goes on: 45 s, 20 min, for ever, 120 s.
  public var giveUpAfter: Duration?
  public var giveUpAnchor: Anchor
  public var afterGiveUp: AfterGiveUp
  public var afterTakeover: AfterTakeover
  /// Where it stands after it was refused or removed for good: RTC fails and wants a leave first (PARITY rows RTCT).
  public var afterRefusal = AfterGiveUp.closed
  /// Whether an outage goes on when the token has ended, until there is another (RTM, TL-11).
  public var outlivesToken = false
  /// Whether a socket that closes is silence like any other: the connection counts as connected until `suspectAfter` has
  /// passed since the last byte, and tries again meanwhile (RTC and RTM: T4, TL-2). Otherwise the outage is told at once.
  public var toldAfterSilence = false
  /// How long the first entry may take: 45, 45, 12, 30 s.
  public var joinLimit: Duration
  /// How many attempts the first entry may take; Signaling's login2, 15.
  public var joinTries: Int?
  /// How many attempts one outage may take; none by default.
  public var reconnectTries: Int?
  /// How long an empty space is kept; nil for ever.
  public var emptyTtl: Duration?
  /// Waits before the attempts of one episode; the last one repeats.
  public var retryPace: [Duration] = [
    .milliseconds(500), .seconds(1), .seconds(2), .seconds(4), .seconds(8),
  ]
  /// The longest wait before the first attempt of who was in and was sent off (`Farewell.sendsOff`): another server has the room,
  /// or soon will. Zero: no other than that of `retryPace`.
  ///
  /// 0.1 s, anywhere in which chance puts the attempt: members of one room come half as far apart as after a lost connection,
  /// where the first waits differ by 0.2 s. What spreads the members of a whole node is not this but its drain: it sends off those of
  /// 64 rooms, and then of the next 64 (`RoomServerEngine.givenUpTogether`). Whoever does not get in waits at the pace of
  /// every outage, so that each costs a server one attempt more, and never two at once.
  public var sentOffWait: Duration = .milliseconds(100)
  /// By how much a wait may be shorter or longer, as a part of it, so that members do not come back all at once.
  public var retrySpread = 0.2
  /// How long a leave waits for the server's farewell: as long as silence is borne.
  public var leaveLimit: Duration { suspectAfter }

  /// White. `timeout` is the join option, which rules both the join and every outage; 45 s (P-21).
  public static func white(timeout: Duration = .seconds(45)) -> ConnectionPolicy {
    ConnectionPolicy(
      suspectAfter: .seconds(4), lostNotice: nil, offlineAfter: .seconds(30), giveUpAfter: timeout,
      giveUpAnchor: .reconnecting, afterGiveUp: .closed, afterTakeover: .closed, joinLimit: timeout,
      joinTries: nil, reconnectTries: nil, emptyTtl: nil)
  }

  /// RTC: T0 to T7 of the seed; 20 minutes from the last byte.
  public static let rtc: ConnectionPolicy = {
    var policy = ConnectionPolicy(
      suspectAfter: .seconds(4), lostNotice: .seconds(10), offlineAfter: .seconds(20),
      giveUpAfter: .seconds(1_200), giveUpAnchor: .lastByte, afterGiveUp: .failed, afterTakeover: .failed,
      joinLimit: .seconds(45), joinTries: nil, reconnectTries: nil, emptyTtl: .seconds(10))
    policy.afterRefusal = .failed
    policy.toldAfterSilence = true
    return policy
  }()

  /// RTM: a login takes 12 s at most, an outage may take for ever.
  public static let rtm: ConnectionPolicy = {
    var policy = ConnectionPolicy(
      suspectAfter: .seconds(4), lostNotice: nil, offlineAfter: .seconds(30), giveUpAfter: nil,
      giveUpAnchor: .lastByte, afterGiveUp: .closed, afterTakeover: .aborted, joinLimit: .seconds(12),
      joinTries: nil, reconnectTries: nil, emptyTtl: .zero)
    policy.outlivesToken = true
    policy.toldAfterSilence = true
    return policy
  }()

  /// Signaling. `timeout` is the attribute `_conn_timeout`, raised or lowered into 20 to 120 s.
  public static func signaling(timeout: Duration = .seconds(120)) -> ConnectionPolicy {
    let timeout = min(max(timeout, .seconds(20)), .seconds(120))
    return ConnectionPolicy(
      suspectAfter: .seconds(4), lostNotice: nil, offlineAfter: timeout, giveUpAfter: timeout,
      giveUpAnchor: .lastByte, afterGiveUp: .closed, afterTakeover: .closed, joinLimit: .seconds(30),
      joinTries: 15, reconnectTries: nil, emptyTtl: .seconds(7_200))
  }

  /// How long to wait before the next attempt. `tries` counts the attempts of this episode so far, `chance`
  /// is a random number from 0 up to 1.
  public func retryDelay(after tries: Int, chance: Double) -> Duration {
    guard let last = retryPace.last else { return .zero }
    let pace = tries < retryPace.count ? retryPace[max(tries, 0)] : last
    let factor = 1 + retrySpread * (2 * min(max(chance, 0), 1) - 1)
    return .milliseconds(Int64((Double(pace.wholeMilliseconds) * factor).rounded()))
  }

  /// How long who was sent off waits before the first attempt: never longer than after a lost connection.
  func sentOffDelay(chance: Double) -> Duration {
    let soon = Double(sentOffWait.wholeMilliseconds) * min(max(chance, 0), 1)
    return min(.milliseconds(Int64(soon.rounded())), retryDelay(after: 0, chance: chance))
  }
}

extension Farewell {
  /// Whether the server goes down or moves the room (`GatewayAdjust`), and does not say where to: then it is at once wherever its members
  /// come back (PIPE-13).
  var sendsOff: Bool { refusal.code == .goingAway && kick == .GatewayAdjust && address == nil }
}

extension ConnectionPolicy {
  /// Where a connection stands once it is over.
  public func phase(after end: ConnectionEnd) -> ConnectionPhase {
    switch end {
    case .left: return .closed(end)
    case .joinLimit, .gaveUp: return afterGiveUp == .failed ? .failed(end) : .closed(end)
    case .refused(let farewell):
      guard farewell.refusal.code == .replaced || farewell.kick == .replaceByOther else {
        return afterRefusal == .failed ? .failed(end) : .closed(end)
      }
      switch afterTakeover {
      case .closed: return .closed(end)
      case .failed: return .failed(end)
      case .aborted: return .aborted(end)
      }
    }
  }
}
