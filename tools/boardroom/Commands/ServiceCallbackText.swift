import BoardroomCodec
import BoardroomLegacy
import BoardroomModel

extension RtcEvent {
  /// The callback of `RtcConnectionDelegate`, and its arguments in their order.
  var callback: (name: String, arguments: [JSONValue]) {
    switch self {
    case .state(let state, let reason):
      ("connectionChangedToState", [JSONValue(state.rawValue), JSONValue(reason.rawValue)])
    case .connectionDidLost: ("rtcEngineConnectionDidLost", [])
    case .joinedChannel(let channel, let uid, let elapsed):
      ("didJoinChannel", [.string(channel), JSONValue(uid: uid), JSONValue(elapsed)])
    case .rejoinedChannel(let channel, let uid, let elapsed):
      ("didRejoinChannel", [.string(channel), JSONValue(uid: uid), JSONValue(elapsed)])
    case .userJoined(let uid, let elapsed): ("didJoinedOfUid", [JSONValue(uid: uid), JSONValue(elapsed)])
    case .userOffline(let uid, let reason):
      ("didOfflineOfUid", [JSONValue(uid: uid), JSONValue(reason.rawValue)])
    case .leftChannel: ("didLeaveChannel", [])
    case .tokenWillExpire: ("tokenPrivilegeWillExpire", [])
    }
  }
}

extension RtmEvent {
  /// The callback of `RtmDelegate` or `RtmChannelDelegate`, and its arguments in their order; of a channel's, the channel last.
  var callback: (name: String, arguments: [JSONValue]) {
    switch self {
    case .state(let state, let reason):
      ("connectionStateChanged", [JSONValue(state.rawValue), JSONValue(reason.rawValue)])
    case .tokenDidExpire: ("rtmKitTokenDidExpire", [])
    case .tokenWillExpire: ("rtmKitTokenPrivilegeWillExpire", [])
    case .peerMessage(let text, let peer): ("messageReceivedFromPeer", [.string(text), .string(peer)])
    case .channelMessageDelivered(let text, let channel):
      ("messageDelivered", [.string(text), .string(channel)])
    case .memberJoined(let user, let channel): ("memberJoined", [.string(user), .string(channel)])
    case .memberLeft(let user, let channel): ("memberLeft", [.string(user), .string(channel)])
    case .memberCount(let count, let channel): ("memberCount", [JSONValue(count), .string(channel)])
    case .channelMessage(let text, let user, let channel):
      ("messageReceivedFromMember", [.string(text), .string(user), .string(channel)])
    case .attributesUpdated(let attributes, let channel):
      (
        "attributeUpdate",
        [
          .object(attributes.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }),
          .string(channel),
        ]
      )
    case .removed(let reason, let channel):
      ("removedFromChannel", [JSONValue(reason.rawValue), .string(channel)])
    case .localInvitation(let invitation, let news):
      ("localInvitation", [invitation.json] + news.arguments)
    case .remoteInvitation(let invitation, let news):
      ("remoteInvitation", [invitation.json, .string("\(news)")])
    }
  }
}

extension JSONValue {
  fileprivate init(uid: UInt) { self = .number(String(uid)) }
}

extension RtmInvitation {
  fileprivate var json: JSONValue {
    .object([
      ("callerId", .string(callerId)), ("calleeId", .string(calleeId)), ("channelId", .string(channelId)),
      ("content", .string(content)), ("response", .string(response)),
    ])
  }
}

extension RtmLocalInvitationNews {
  /// Its name, and the number of a failure.
  fileprivate var arguments: [JSONValue] {
    switch self {
    case .receivedByPeer, .accepted, .refused, .canceled: [.string("\(self)")]
    case .failure(let reason): [.string("failure"), JSONValue(reason.rawValue)]
    }
  }
}
