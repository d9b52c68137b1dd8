import BoardroomModel
import EventLogModel

/// What happens to a channel by itself: its numbers are told, and when it was empty for its whole life it is gone
/// (PARITY rows RTCB, SIGB). All of it follows from the state, so that nothing is lost by a restart.
public struct ChannelClock: Sendable, Hashable {
  /// Signaling's `_channel_ttl` where it was not set (PARITY rows SIGB).
  static let usualLife: Duration = .seconds(7_200)
  /// A call's channel, after its last member (PARITY rows RTCB).
  static let callLife: Duration = .seconds(10)

  /// When the channel is gone if nobody comes before; the instant itself is too late.
  public let expiry: Timestamp?
  /// When `_member_num` is told next.
  public let telling: Timestamp?
  private let numbers: MemberNumbers

  /// Nil in what is no channel.
  public init?(_ state: RoomState) {
    guard let space = state.space, case .channel = space.name else { return nil }
    expiry = space.emptied.flatMap { emptied in space.life.map { emptied + $0 } }
    telling = space.nextTelling
    let total = (space.builtIn(BuiltIn.autoUpdateTotal) ?? 0) > 0 ? space.joins : nil
    numbers = MemberNumbers(members: state.members.count, total: total)
  }

  /// When `due` will have something; nil: not by itself.
  public var deadline: Timestamp? { [expiry, telling].compactMap(\.self).min() }

  /// What has become due. Whoever asks takes it in before anything else is decided.
  public func due(at now: Timestamp) -> [Proposed] {
    // With the channel go its numbers, and nobody is there to hear them.
    if isExpired(at: now) { return [Proposed(actor: .server, event: .space(.expired))] }
    guard let telling, telling <= now else { return [] }
    return [Proposed(actor: .server, event: .space(.numbersTold(numbers)))]
  }

  public func isExpired(at now: Timestamp) -> Bool { expiry.map { $0 <= now } ?? false }
}

extension SpaceState {
  /// How long the channel stays after its last member; nil: for ever.
  fileprivate var life: Duration? {
    guard case .channel(let service, _) = name, !name.isSpecial else { return nil }
    switch service {
    case .signaling: return builtIn(BuiltIn.channelTTL).map { .seconds($0) } ?? ChannelClock.usualLife
    case .rtc: return ChannelClock.callLife
    // At once (SPC-6).
    case .rtm: return .zero
    case .white: return nil
    }
  }

  /// The end of the interval in which somebody first came or went: `_auto_update_num` was set, plus whole
  /// intervals. What happens at that very instant belongs to the next one.
  fileprivate var nextTelling: Timestamp? {
    guard let since = numbersSince, let moved, let every = builtIn(BuiltIn.autoUpdate), every > 0 else {
      return nil
    }
    let interval = Int64(every) * 1_000
    let gone = max(0, moved.milliseconds - since.milliseconds)
    return since + .milliseconds((gone / interval + 1) * interval)
  }
}

extension RoomState {
  /// The newest members of a channel, newest last, and how many there are in all (SIG-C3, PARITY rows RPC).
  public func newestMembers(_ limit: Int) -> (accounts: [String], total: Int) {
    guard limit > 0 else { return ([], members.count) }
    return (members.keys.sorted().suffix(limit).compactMap { members[$0]?.uid }, members.count)
  }

  /// The attributes of a channel as they are shown: with the numbers that were told last (PARITY rows SIGB).
  public var channelAttributes: [String: String] {
    guard let space else { return [:] }
    var shown = space.attributes
    if let told = space.told {
      shown[BuiltIn.memberNumber] = String(told.members)
      shown[BuiltIn.totalNumber] = told.total.map { String($0) }
    }
    return shown
  }
}
