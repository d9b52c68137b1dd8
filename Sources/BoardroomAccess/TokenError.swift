import BoardroomModel

/// Why a token is refused; `message` has the texts of PARITY rows TE.
public enum TokenError: Error, Sendable, Hashable {
  /// Prefix, encoding or fields are not a token's.
  case invalidFormat
  case expired
  /// The signature is not that of the key, or the key is not one of this server's.
  case invalidSignature
  /// The role is too low for what was asked.
  case roleForbidden(Role)
  /// The token is for another room.
  case roomForbidden
  /// The token is for another account, or for none.
  case accountForbidden
  /// The token is bound to another user.
  case uidForbidden
  /// The token is for a conversion task.
  case taskForbidden
  /// The action is about the whole server, and needs an SDK token.
  case teamForbidden

  public var message: String {
    switch self {
    case .invalidFormat: "invalid format of token"
    case .expired: "expired token"
    case .invalidSignature: "invalid signature of token"
    case .roleForbidden(let role): "token access role \(role.rawValue) forbidden"
    case .roomForbidden: "token access room forbidden"
    case .accountForbidden: "token access account forbidden"
    case .uidForbidden: "token access uid forbidden"
    case .taskForbidden: "token access task forbidden"
    case .teamForbidden: "token access team forbidden"
    }
  }

  /// The same error as a refusal code (docs/PROTOCOL.md, section 9).
  public var refusal: Refusal {
    switch self {
    case .invalidFormat, .invalidSignature: Refusal(.tokenInvalid, cause: message)
    case .expired: Refusal(.tokenExpired, cause: message)
    case .roleForbidden, .roomForbidden, .accountForbidden, .uidForbidden, .taskForbidden, .teamForbidden:
      Refusal(.forbidden, cause: message)
    }
  }
}
