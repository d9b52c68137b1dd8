import BoardroomModel
import EventLogModel

extension RoomID {
  /// The log of the operators' own decisions. A name that no room has: it cannot be joined, and is not listed.
  public static let operators = RoomID(high: 0, low: 0)
}

extension Ban {
  /// Whether somebody who is inside goes by it. Whoever is inside with the same token stays, but for the one for whom it
  /// was set (MOD-9).
  func removes(_ uid: String?, from room: RoomID, _ address: String?) -> Bool {
    var lasting = self
    lasting.until = nil
    return lasting.covers(room: room, uid: uid, address: address, at: .zero)
  }
}
