import BoardroomModel
import EventLogModel

/// What a token allows, once it has been checked.
public struct Admission: Sendable, Hashable {
  public var role: Role
  /// The user that the token names; wins over the `uid` of the hello.
  public var uid: String?

  public init(role: Role, uid: String? = nil) {
    self.role = role
    self.uid = uid
  }
}

/// Decides who may enter: signature, expiry, role and ban of the hello's token for the hello's room.
public protocol Gatekeeper: Sendable {
  /// Throws the refusal that the client is told. Called on an event loop: must not block.
  func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission
}

/// Lets everyone in with one role; for tests and for a server without tokens.
public struct OpenGate: Gatekeeper {
  private let role: Role
  public init(role: Role = .admin) { self.role = role }
  public func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission { Admission(role: role) }
}
