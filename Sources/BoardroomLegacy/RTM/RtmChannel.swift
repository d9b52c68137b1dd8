import BoardroomClient
import BoardroomModel

/// One channel of an RTM client. `RtmClient.createChannel` makes it; it is joined and left any number of times. After an outage
/// it is joined again by itself (PARITY rows RTMO).
public final class RtmChannel: Sendable {
  /// The channel's name.
  public let channelId: String
  private let core: ConnectionDomain<RtmCore>
  private let listener = DelegateReference<any RtmChannelDelegate>()

  init(_ channelId: String, core: ConnectionDomain<RtmCore>) {
    (self.channelId, self.core) = (channelId, core)
  }

  /// Who is told of the channel, on the context of the SDK. It is kept weakly.
  public var delegate: (any RtmChannelDelegate)? {
    get { listener.delegate }
    set { listener.set { [weak newValue] in newValue } }
  }

  /// Up to 20 channels at once, each with a name of up to 64 bytes.
  public func join(completion: (@Sendable (RtmErrorCode) -> Void)?) {
    core.enter { [channelId] in $0.join(channelId, completion) }
  }

  /// Leaves the channel. The completion gets what the server answered.
  public func leave(completion: (@Sendable (RtmErrorCode) -> Void)?) {
    core.enter { [channelId] in $0.leave(channelId, completion) }
  }

  /// To everybody else in the channel; up to 32 KiB. Answers once it is in the channel's log, and after 10 s at the latest.
  public func sendMessage(_ text: String, completion: (@Sendable (RtmErrorCode) -> Void)?) {
    core.enter { [channelId] in $0.send(text, channel: channelId, completion) }
  }

  /// Everybody in the channel, oldest first, this user too.
  public func getMembers(completion: @escaping @Sendable ([String], RtmErrorCode) -> Void) {
    core.enter { [channelId] in
      switch $0.members(channelId) {
      case .success(let members): completion(members, .ok)
      case .failure(let code): completion([], code)
      }
    }
  }
}

extension RtmEvent {
  /// The channel that it is of, if it is of one.
  var channel: String? {
    switch self {
    case .memberJoined(_, let channel), .memberLeft(_, let channel), .memberCount(_, let channel),
      .channelMessage(_, _, let channel), .channelMessageDelivered(_, let channel),
      .attributesUpdated(_, let channel), .removed(_, let channel):
      channel
    case .state, .tokenDidExpire, .tokenWillExpire, .peerMessage, .localInvitation, .remoteInvitation: nil
    }
  }
}

extension RtmDelegate {
  func deliver(_ event: RtmEvent) {
    switch event {
    case .state(let state, let reason): connectionStateChanged(state, reason: reason)
    case .tokenDidExpire: rtmKitTokenDidExpire()
    case .tokenWillExpire: rtmKitTokenPrivilegeWillExpire()
    case .peerMessage(let text, let peer): messageReceived(text, fromPeer: peer)
    case .localInvitation(let invitation, let news): localInvitation(invitation, news: news)
    case .remoteInvitation(let invitation, let news): remoteInvitation(invitation, news: news)
    case .memberJoined, .memberLeft, .memberCount, .channelMessage, .channelMessageDelivered,
      .attributesUpdated, .removed:
      break
    }
  }
}

extension RtmChannelDelegate {
  func deliver(_ event: RtmEvent) {
    switch event {
    case .memberJoined(let user, _): memberJoined(user)
    case .memberLeft(let user, _): memberLeft(user)
    case .memberCount(let count, _): memberCount(count)
    case .channelMessage(let text, let user, _): messageReceived(text, fromMember: user)
    case .channelMessageDelivered(let text, _): messageDelivered(text)
    case .attributesUpdated(let attributes, _): attributeUpdate(attributes)
    case .removed(let reason, _): removedFromChannel(reason)
    case .state, .tokenDidExpire, .tokenWillExpire, .peerMessage, .localInvitation, .remoteInvitation: break
    }
  }
}
