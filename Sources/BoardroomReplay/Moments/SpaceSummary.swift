import BoardroomModel

extension SpaceEvent {
  /// What happened, as text, without the texts of members.
  var words: String {
    switch self {
    case .created(let name): "made the \(name.kindWord) \(name.text)"
    case .attributesSet(let set):
      set.fields.map { ($0.value == nil ? "took away " : "set ") + $0.name }.joined(separator: ", ")
    case .attributesCleared: "cleared the attributes"
    case .channelMessage(let message): "said \(message.text.utf8.count) bytes to the channel"
    case .numbersTold(let numbers): "counts \(numbers.members) members"
    case .expired: "was empty for too long, and is gone"
    case .inboxMessage(let message):
      "message \(message.version) from \(message.from), \(message.text.utf8.count) bytes"
    case .inboxAcked(let version): "has the messages up to \(version)"
    case .inboxExpired(_, let version): "messages up to \(version) were kept for long enough"
    case .channelEntered(let channel): "is in the channel \(channel)"
    case .channelLeft(let left): "is in the channel \(left.channel) no longer: \(left.cause.rawValue)"
    case .inviteMoved(let moved): "invitation \(moved.serial): \(moved.move.words)"
    case .inviteHeard(let heard): "invitation \(heard.serial) of \(heard.caller): \(heard.news.words)"
    case .presence(let presence):
      "\(presence.account) " + (presence.channel.map { "in \($0) " } ?? "")
        + (presence.isHere ? "came" : "went")
    case .questionApplied(let question): "answered question \(question.serial) of another node"
    }
  }
}

extension SpaceName {
  var kindWord: String {
    switch self {
    case .account: "account"
    case .channel(let service, _): "\(service.rawValue) channel"
    }
  }
}

extension InviteMoved.Move {
  var words: String {
    switch self {
    case .created(_, let channel, let callee, _, _, _): "\(callee) to \(channel)"
    case .waiting: "waits for the callee"
    case .sent: "sent"
    case .ringing: "the callee has it"
    case .accepted: "accepted"
    case .refused: "refused"
    case .failed(let code): "failed with \(code)"
    case .ended(let byCaller, _): byCaller ? "ended by the caller" : "ended by the callee"
    case .tones(_, let digits): "\(digits.utf8.count) tones"
    }
  }
}

extension InviteHeard.News {
  var words: String {
    switch self {
    case .offered: "offered"
    case .withdrawn: "withdrawn"
    case .accepted: "accepted"
    case .refused: "refused"
    case .ended(let byCaller, _): byCaller ? "ended by the caller" : "ended by the callee"
    case .tones(let digits): "\(digits.utf8.count) tones"
    }
  }
}
