import BoardroomModel
import EventLogModel

/// The family `space`: accounts that messages, calls and attributes of others name.
extension ContentErasure {
  func names(_ event: SpaceEvent) -> Bool {
    switch event {
    case .attributesSet(let set): isName(set.by)
    case .attributesCleared(let by): isName(by)
    case .channelMessage(let message): isName(message.by)
    case .inboxMessage(let message): isName(message.from)
    case .presence(let presence): isName(presence.account)
    case .inviteHeard(let heard): isName(heard.caller)
    case .inviteMoved(let moved):
      if case .created(_, _, let callee, _, _, _) = moved.move { isName(callee) } else { false }
    case .created, .numbersTold, .expired, .inboxAcked, .inboxExpired, .channelEntered, .channelLeft,
      .questionApplied:
      false
    }
  }
}

extension SpaceState {
  /// What an account holds of others whose name this is.
  mutating func erase(where isName: (String) -> Bool) {
    for service in slots.keys { slots[service]?.inbox.removeAll { isName($0.from) } }
    calls = calls.filter { !isName($0.key.caller) }
    invitations = invitations.filter { !isName($0.value.callee) }
  }
}
