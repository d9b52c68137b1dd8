import BoardroomHosting
import BoardroomModel
import EventLogModel
import Synchronization

/// Lets everybody in, in the role that the token names (`writer`, `reader`), otherwise as admin. A resume
/// needs its ticket, so that every simulated client has to keep its own.
public struct TicketGate: Gatekeeper {
  public init() {}

  public func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission { Admission(role: Role(rawValue: hello.token) ?? .admin) }

  public func ticket(for session: SessionID, in room: RoomID) -> String { "\(session) may enter \(room)" }
}

/// Refuses tokens and accounts by name, and lets in everybody else as `TicketGate` does.
public final class NamedGate: Gatekeeper {
  private let refusals = Mutex<[String: RefusalCode]>([:])
  private let gate = TicketGate()
  public init() {}

  /// Refuses this token or account with `code`; nil: lets it in again.
  public func refuse(_ name: String, with code: RefusalCode?) { refusals.withLock { $0[name] = code } }

  public func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission {
    let names = [hello.token, hello.place?.account].compactMap(\.self)
    let known = refusals.withLock { $0 }
    let code = names.compactMap { known[$0] }.first
    if let code { throw Refusal(code) }
    return try gate.admit(hello, from: address, at: now)
  }

  public func ticket(for session: SessionID, in room: RoomID) -> String {
    gate.ticket(for: session, in: room)
  }
}
