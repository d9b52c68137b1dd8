import BoardroomModel
import EventLogModel

/// Lets in who holds a token of this server: a room token for the room, or an SDK token. Expiry counts at the
/// door only: who is inside stays when the token expires (specification 4.3).
public struct TokenGatekeeper: Gatekeeper {
  private let keys: KeyRing

  public init(keys: KeyRing) { self.keys = keys }

  public func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission {
    do throws(TokenError) {
      // A reader's token joins read-only, whatever the hello asked for (W-1); so read-only is what is checked.
      let token = try keys.admit(hello.token, for: .joinReadOnly(hello.room), at: now)
      return Admission(role: token.role)
    } catch {
      throw error.refusal
    }
  }
}
