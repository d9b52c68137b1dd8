import BoardroomModel
import EventLogModel

/// The family `members`: that somebody joined stays, without a name.
extension ContentErasure {
  mutating func meet(_ event: MemberEvent, by actor: Actor) {
    if case .joined(let joined) = event, isName(joined.uid), let member = actor.member {
      members.insert(member)
    }
  }

  func withoutWords(_ event: MemberEvent, _ hash: () -> String) -> MemberEvent? {
    guard case .joined(let joined) = event else { preconditionFailure(Self.nothingSaid) }
    let isLeft = joined.erased != nil
    return isLeft
      ? nil
      : .joined(
        MemberJoined(
          session: joined.session, uid: nil, role: joined.role, writable: joined.writable, payload: nil,
          client: nil, erased: hash()))
  }
}
