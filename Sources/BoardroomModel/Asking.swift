import EventLogModel

// Questions that an account's connection asks beside its commands: about others, and to others. Each has exactly one
// answer, or the connection ends first (PARITY rows RPC; ASK-2).

public struct Ask: Sendable, Hashable {
  /// The asker's own number for it, told back in the answer.
  public var number: UInt64
  public var question: Question
  public init(number: UInt64, question: Question) {
    self.number = number
    self.question = question
  }
}

public enum Question: Sendable, Hashable {
  /// 1 if it is signed in to the asker's service (SIG-11).
  case userStatus(account: String)
  /// Which of these are signed in to the asker's service, in this order, and how many were asked about. Up to 256 (PARITY rows RTML, RTMX).
  case usersStatus(accounts: [String])
  /// All attributes that the account has in the asker's service.
  case userAttributes(account: String)
  case channelAttributes(channel: String)
  /// How many are in the channel (SIG-C5).
  case channelCount(channel: String)
  case isInChannel(channel: String, account: String)
  /// The newest members, newest last, and how many there are (PARITY rows RPC).
  case channelUsers(channel: String, limit: Int)
  // What one does to a channel without being in it.
  case setChannelAttributes(channel: String, AttributesSet)
  case clearChannelAttributes(channel: String)
  case say(channel: String, ChannelMessage)
  /// To one account. `holds`: whether it is kept for an account that is not there.
  case send(account: String, id: String, text: String, holds: Bool)
  // Invitations.
  case invite(channel: String, account: String, extra: String, needsPeer: Bool, timeout: Duration?)
  /// Moves an invitation on: one's own (`caller` nil) or another's.
  case moveInvite(caller: String?, serial: UInt64, InviteAct)
  /// The login leaves the channel, of which the channel's own connection could not tell. Asking twice is harmless.
  case leaveChannel(channel: String)

  /// The name on the wire.
  public var name: String {
    switch self {
    case .userStatus: "userStatus"
    case .usersStatus: "usersStatus"
    case .userAttributes: "userAttributes"
    case .channelAttributes: "channelAttributes"
    case .channelCount: "channelCount"
    case .isInChannel: "isInChannel"
    case .channelUsers: "channelUsers"
    case .setChannelAttributes: "setChannelAttributes"
    case .clearChannelAttributes: "clearChannelAttributes"
    case .say: "say"
    case .send: "send"
    case .invite: "invite"
    case .moveInvite: "moveInvite"
    case .leaveChannel: "leaveChannel"
    }
  }
}

/// What one side of an invitation wants of it.
public enum InviteAct: Sendable, Hashable {
  /// The callee's device has it.
  case ring
  case accept(extra: String)
  case refuse(extra: String)
  case end(extra: String)
  case tones(digits: String)
}

public struct Answer: Sendable, Hashable {
  public var number: UInt64
  public var result: Result<Reply, Refusal>
  public init(number: UInt64, result: Result<Reply, Refusal>) {
    self.number = number
    self.result = result
  }
}

public enum Reply: Sendable, Hashable, Codable {
  case done
  case number(Int)
  case attributes([String: String])
  /// Newest last, and how many there are in all.
  case users([String], total: Int)
  /// The serial of a new invitation.
  case invite(UInt64)
}
