import BoardroomModel
import EventLogModel

/// What a token allows, once it has been checked.
public struct Admission: Sendable, Hashable {
  public var role: Role
  /// The user that the token is bound to; wins over the `uid` of the hello.
  public var uid: String?
  /// What tells the token from all others, its nonce; empty: there was no token.
  public var tokenID: String
  /// When the token ends; nil: never. Rooms do not mind, a login of Signaling ends with it (spec 8.1).
  public var expires: Timestamp?

  public init(role: Role, uid: String? = nil, tokenID: String = "", expires: Timestamp? = nil) {
    self.role = role
    self.uid = uid
    self.tokenID = tokenID
    self.expires = expires
  }
}

/// Decides who may enter: signature, expiry, role and ban of the hello's token for the hello's room.
public protocol Gatekeeper: Sendable {
  /// Throws the refusal that the client is told. Called on an event loop: must not block.
  func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission

  /// What only the client of `session` is told, and must present to come back to it: the session's name stands
  /// in the log, so it proves nothing. Always the same for the same session, also after a restart. Empty: whoever
  /// names the session may have it. Called on an event loop: must not block.
  func ticket(for session: SessionID, in room: RoomID) -> String
}

extension Gatekeeper {
  /// No ticket: for gates that tell nobody from anybody.
  public func ticket(for session: SessionID, in room: RoomID) -> String { "" }
}

/// Lets everyone in with one role; for tests and for a server without tokens.
public struct OpenGate: Gatekeeper {
  private let role: Role
  private let tokens: (any Gatekeeper)?

  public init(role: Role = .admin) {
    self.role = role
    tokens = nil
  }

  /// Whoever shows a token of `tokens` is taken at its word, so that links for readers can be tried on an open
  /// server; whatever else stands in its place counts as none.
  public init(unless tokens: any Gatekeeper) {
    role = .admin
    self.tokens = tokens
  }

  public func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission {
    guard let tokens else { return Admission(role: role) }
    do throws(Refusal) {
      return try tokens.admit(hello, from: address, at: now)
    } catch {
      guard error.code == .tokenInvalid else { throw error }
      return Admission(role: role)
    }
  }
}
