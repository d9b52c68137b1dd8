import BoardroomHosting
import BoardroomModel
import Crypto
import EventLogModel

/// Lets clients in that have a token of this server: a room token for the room, or an SDK token. Expiry is
/// checked at the join only: a member stays when its token expires (PARITY rows TK).
public struct TokenGatekeeper: Gatekeeper {
  let keys: KeyRing
  /// Whether accounts sign in without a token: for tests only (SIG-5).
  private let opensAccounts: Bool

  /// The text that Signaling's clients send if they have no token.
  public static let noToken = "_no_need_token"

  public init(keys: KeyRing, opensAccounts: Bool = false) {
    self.keys = keys
    self.opensAccounts = opensAccounts
  }

  public func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission {
    if let place = hello.place {
      let admission = try admit(hello.token, to: place, at: now)
      if hello.replay != nil, place.channel != nil { try allowReplay(hello.token) }
      return admission
    }
    do throws(TokenError) {
      // A reader's token joins read-only, whatever the hello asked for (W-1), so `joinReadOnly` is checked.
      let action: Action = hello.replay == nil ? .joinReadOnly : .replay
      let token = try keys.admit(hello.token, for: Permission(action, room: hello.room), at: now)
      try Self.check(token.uid, against: hello.uid)
      var admission = Admission(role: token.role, uid: token.uid, tokenID: token.nonce)
      admission.tokenHash = admission.uid == nil ? token.hash : nil
      admission.makers = token.makers
      return admission
    } catch {
      throw error.refusal
    }
  }

  /// RIGHT-6: a client with a token that is bound to a user is that user.
  static func check(_ bound: String?, against uid: String?) throws(TokenError) {
    guard let bound, let uid else { return }
    guard bound.utf8.elementsEqual(uid.utf8) else { throw .uidForbidden }
  }

  /// ACC-4: needs a token of this account, or one of the whole server that may write, because signing in
  /// takes over the account's login and reads its messages.
  func admit(
    _ text: String, to place: Place, at now: Timestamp
  ) throws(Refusal) -> Admission {
    if text == Self.noToken {
      guard opensAccounts else { throw TokenError.invalidFormat.refusal }
      return Admission(role: .writer)
    }
    do throws(TokenError) {
      let token = try AccessToken(text, secret: keys.secret(of:))
      guard !token.hasExpired(at: now) else { throw .expired }
      switch token.scope {
      case .team: guard token.role != .reader else { throw .roleForbidden(token.role) }
      // Compared by bytes, as the names of logs are made: canonically equivalent texts are two accounts.
      case .account(let name):
        guard name.utf8.elementsEqual(place.account.utf8) else { throw .accountForbidden }
      case .room: throw .accountForbidden
      case .task: throw .taskForbidden
      }
      return Admission(role: token.role, tokenID: token.nonce, expires: token.expires)
    } catch {
      throw error.refusal
    }
  }

  /// ACC-17: a member of a channel gets nothing of what was said before it joined (SPC-14), so only
  /// administrators may replay a channel.
  func allowReplay(_ text: String) throws(Refusal) {
    guard let token = try? AccessToken(text, secret: keys.secret(of:)), token.scope == .team else {
      throw TokenError.teamForbidden.refusal
    }
    guard token.role == .admin else { throw TokenError.roleForbidden(token.role).refusal }
  }

  /// 128 bits of an HMAC with the signer's secret, as 32 hexadecimal digits. The server stores nothing for
  /// it, and it is valid after a restart. Tokens are signatures of JSON objects, so a ticket cannot be used
  /// as a token or the other way round.
  public func ticket(for session: SessionID, in room: RoomID) -> String {
    let text = "boardroom.resume.1\n\(room)\n\(session)"
    let mac = HMAC<SHA256>.authenticationCode(
      for: Array(text.utf8), using: SymmetricKey(data: Array(keys.signer.secret.utf8)))
    return TokenText.hex(mac.prefix(16))
  }
}
