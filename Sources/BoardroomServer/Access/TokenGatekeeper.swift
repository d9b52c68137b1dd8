import BoardroomModel
import Crypto
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
      // Into accounts and channels with a token of the whole server only.
      let token = try keys.admit(hello.token, for: Permission(.joinReadOnly, room: hello.room), at: now)
      return Admission(role: token.role)
    } catch {
      throw error.refusal
    }
  }

  /// 128 bits of an HMAC with the signer's secret, as 32 hexadecimal digits: nothing has to be kept for it, and
  /// it outlasts a restart. Tokens are signatures of JSON objects, so neither can stand for the other.
  public func ticket(for session: SessionID, in room: RoomID) -> String {
    let text = "boardroom.resume.1\n\(room)\n\(session)"
    let mac = HMAC<SHA256>.authenticationCode(
      for: Array(text.utf8), using: SymmetricKey(data: Array(keys.signer.secret.utf8)))
    return TokenText.hex(mac.prefix(16))
  }
}
