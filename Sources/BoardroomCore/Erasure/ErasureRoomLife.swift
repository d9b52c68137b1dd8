import BoardroomModel
import EventLogModel

/// The family `room`: bans name whom they are for.
extension ContentErasure {
  func names(_ event: RoomLifeEvent) -> Bool {
    guard case .banSet(let ban) = event else { return false }
    return isName(ban.uid) || (ban.member.map(members.contains) ?? false)
  }
}
