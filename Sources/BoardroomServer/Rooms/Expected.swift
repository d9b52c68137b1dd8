import BoardroomModel
import EventLogModel

/// Callers who wait for somebody to sign in. Kept by the desk of the one who is waited for, whose log need not be
/// there. Each is forgotten when its wait is over.
struct Expected {
  struct Caller: Hashable {
    var name: String
    var serial: UInt64
    var service: Service
  }

  private var callers: [RoomID: [Caller: Timestamp]] = [:]

  mutating func expect(_ account: RoomID, by caller: Caller, until end: Timestamp, at now: Timestamp) {
    for key in Array(callers.keys) {
      callers[key] = callers[key]?.filter { $0.value > now }
      if callers[key]?.isEmpty ?? true { callers[key] = nil }
    }
    callers[account, default: [:]][caller] = end
  }

  /// Those who wait for this account; they say again whom they wait for if it is not there after all.
  mutating func take(_ account: RoomID, at now: Timestamp) -> [Caller] {
    let found = callers.removeValue(forKey: account) ?? [:]
    return found.filter { $0.value > now }.keys.sorted { ($0.name, $0.serial) < ($1.name, $1.serial) }
  }
}
