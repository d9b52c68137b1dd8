import BoardroomHosting
import BoardroomModel

extension HistoryAccess {
  /// Whether a token of this kind and role may read this of its own room.
  public func allows(_ role: Role, withRoomToken: Bool, isRecord: Bool) -> Bool {
    Action.allows(role, withRoomToken: withRoomToken, by: row(isRecord: isRecord))
  }
}
