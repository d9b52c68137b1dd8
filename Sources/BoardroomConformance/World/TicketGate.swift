import BoardroomModel
import BoardroomServer
import EventLogModel

/// Lets everyone in, in the role that the token names (`writer`, `reader`), otherwise as admin; and asks who comes
/// back for a ticket, so that every simulated client has to keep its own.
public struct TicketGate: Gatekeeper {
  public init() {}

  public func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission { Admission(role: Role(rawValue: hello.token) ?? .admin) }

  public func ticket(for session: SessionID, in room: RoomID) -> String { "\(session) may enter \(room)" }
}
