import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// Lets everyone in as `TicketGate` does, but for those who are banned.
final class BanGate: Gatekeeper {
  private struct State {
    /// Until when; nil: until it is lifted.
    var users: [String: Timestamp?] = [:]
  }
  private let state = Mutex(State())
  private let gate = TicketGate()

  func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission {
    guard !isBanned(hello.uid, at: now) else { throw Refusal(.banned) }
    return try gate.admit(hello, from: address, at: now)
  }

  func ticket(for session: SessionID, in room: RoomID) -> String { gate.ticket(for: session, in: room) }

  func isBanned(_ uid: String?, at now: Timestamp) -> Bool {
    state.withLock { state in
      guard let uid, let until = state.users[uid] else { return false }
      return until.map { now < $0 } ?? true
    }
  }

  func ban(uid: String, until: Timestamp?) { state.withLock { $0.users[uid] = .some(until) } }
  func lift(uid: String) { _ = state.withLock { $0.users.removeValue(forKey: uid) } }
  func liftAll() { state.withLock { $0 = State() } }
}
