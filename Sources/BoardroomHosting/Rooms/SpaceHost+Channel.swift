import BoardroomCore
import BoardroomModel
import EventLogModel

/// What channels do by themselves, and what others are told of who comes and goes.
extension SpaceHost {
  /// When the channel has something to do by itself; nil: never, or it is none.
  var nextChannelDue: Timestamp? {
    room.state.space == nil ? nil : ChannelClock(room.state)?.deadline
  }

  /// Numbers are told, and a channel that was empty for its whole life is gone: before anything else is decided
  /// or answered, also where that was due while the channel was closed. A full log is asked again at the next tick.
  func recordChannelDue(at now: Timestamp) {
    guard !isClosed, room.state.space != nil, let clock = ChannelClock(room.state) else { return }
    let proposals = clock.due(at: now)
    guard !proposals.isEmpty else { return }
    _ = recordUnlessFull(proposals, at: now)
  }

  // MARK: Presence

  /// Who comes or goes by this event, if that is to be told: logins and logouts of Signaling accounts, joins and
  /// leaves of Signaling channels but the special ones.
  func presence(of proposed: Proposed) -> Presence? {
    guard tellPresence != nil, let name = room.state.space?.name, !name.isSpecial else { return nil }
    if case .members(.joined(let joined)) = proposed.event {
      return joined.uid.flatMap { Self.presence(of: $0, in: name, isHere: true) }
    }
    guard case .members(.left) = proposed.event else { return nil }
    return proposed.actor.member.flatMap { room.state.members[$0]?.uid }
      .flatMap { Self.presence(of: $0, in: name, isHere: false) }
  }

  private static func presence(of uid: String, in name: SpaceName, isHere: Bool) -> Presence? {
    switch name {
    case .account(let account):
      uid == Service.signaling.rawValue ? Presence(account: account, channel: nil, isHere: isHere) : nil
    case .channel(.signaling, let channel): Presence(account: uid, channel: channel, isHere: isHere)
    case .channel: nil
    }
  }

  /// What the log holds is told.
  func tellPresences() {
    if let tellPresence { untold.tell(upTo: durable, to: tellPresence) }
  }
}
