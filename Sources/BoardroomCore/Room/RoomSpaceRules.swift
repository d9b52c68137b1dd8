import BoardroomModel
import EventLogModel

/// What commands need in spaces without a board.
extension Room {
  /// The first event of such a space; nothing if it was made before.
  public func create(_ name: SpaceName) -> [Proposed] {
    state.created == nil ? [Proposed(actor: .server, event: .space(.created(name)))] : []
  }

  func space(_ command: SpaceCommand, by member: MemberID) throws(Refusal) -> Outcome {
    switch state.space?.name {
    case .channel(let service, _):
      try check(channel: command, of: service)
    case .account:
      switch command {
      case .setAttributes(let set): return try setOwnAttributes(set, by: member)
      case .acknowledge(let version): return try acknowledge(version, by: member)
      case .clearAttributes: break
      case .say: throw Refusal(.unknownKind)
      }
    case nil: throw Refusal(.unknownKind)
    }
    return Outcome(event: .space(Self.event(of: command, from: nil)), isVerbatim: false)
  }

  /// What a command comes to; `account`: who gives it from outside, nil if its actor does.
  static func event(of command: SpaceCommand, from account: String?) -> SpaceEvent {
    switch command {
    case .setAttributes(let set): .attributesSet(AttributesSet(set.fields, by: account))
    case .clearAttributes: .attributesCleared(by: account)
    case .say(let message): .channelMessage(ChannelMessage(id: message.id, text: message.text, by: account))
    case .acknowledge(let version): .inboxAcked(version)
    }
  }

  /// What has a board has no attributes, and the other way round.
  func checkBoard(for command: Command) throws(Refusal) {
    switch command.kind.command?.ground {
    case .withoutBoard: guard state.space != nil else { throw Refusal(.unknownKind) }
    case .anywhere: return
    case .board, nil: guard state.space == nil else { throw Refusal(.unknownKind) }
    }
  }
}

extension SpaceName {
  public var service: Service? {
    switch self {
    case .account: nil
    case .channel(let service, _): service
    }
  }
}
