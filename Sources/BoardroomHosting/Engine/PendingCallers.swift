import BoardroomModel
import EventLogModel

/// Callers who wait for somebody to sign in. Kept on the loop of the one who is waited for, whose log need not be
/// there. Each is forgotten when its wait is over.
struct PendingCallers {
  struct Caller: Hashable {
    var name: String
    var serial: UInt64
    var service: Service
  }

  private var callers: [RoomID: [Caller: Timestamp]] = [:]

  var count: Int { callers.values.reduce(0) { $0 + $1.count } }
  /// When those whose wait is over are forgotten next.
  private var nextSweep = Timestamp.zero

  mutating func expect(_ account: RoomID, by caller: Caller, until end: Timestamp) {
    callers[account, default: [:]][caller] = end
  }

  /// Forgets whose wait is over, once a second, so that what one invitation costs does not grow with the others.
  mutating func sweep(at now: Timestamp) {
    guard now >= nextSweep, !callers.isEmpty else { return }
    nextSweep = now + .seconds(1)
    callers = callers.compactMapValues { waiting in
      let left = waiting.filter { $0.value > now }
      return left.isEmpty ? nil : left
    }
  }

  /// Those who wait for this account; they say again whom they wait for if it is not there after all.
  mutating func take(_ account: RoomID, at now: Timestamp) -> [Caller] {
    let found = callers.removeValue(forKey: account) ?? [:]
    return found.filter { $0.value > now }.keys.sorted { ($0.name, $0.serial) < ($1.name, $1.serial) }
  }
}
