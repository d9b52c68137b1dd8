import BoardroomModel
import EventLogModel

/// What a token allows, once it has been checked.
public struct Admission: Sendable, Hashable {
  public var role: Role
  /// The user that the token is bound to; wins over the `uid` of the hello.
  public var uid: String?
  /// What tells the token from all others, its nonce; empty: there was no token.
  public var tokenID: String
  /// When the token ends; nil: never. Rooms do not mind, a login of Signaling ends with it (ACC-5).
  public var expires: Timestamp?
  /// By what a ban knows the holder of a token that names no user: a hash of it (MOD-9).
  package var tokenHash: String?
  /// With what its token was made (MOD-9).
  package var makers: [String] = []
  /// The link that it came with is banned: a stay that goes on may, nobody new comes in (MOD-9).
  package var onlyResumes = false
  /// It came without a token to an open server: its role is the room's to say (OPEN-4).
  package var mayHost = false

  public init(role: Role, uid: String? = nil, tokenID: String = "", expires: Timestamp? = nil) {
    self.role = role
    self.uid = uid
    self.tokenID = tokenID
    self.expires = expires
  }

  /// Whether a member that joined with other words of its token has the same rights as with these (SES-13).
  func continues(_ member: Member) -> Bool {
    goesOn(as: member.role) && member.isBound == (uid != nil) && (uid == nil || uid == member.uid)
  }

  /// Whether a stay in this role goes on with it.
  private func goesOn(as role: Role) -> Bool { mayHost ? role != .reader : role == self.role }
}

/// What a gatekeeper answers to a hello.
public enum EntryDecision: Sendable {
  case admitted(Admission)
  /// The client is told the refusal, and its connection is closed.
  case refused(Refusal)
  /// The gatekeeper has to ask somebody. The work is run once, in a task of its own, off the event loops. The client
  /// waits for it for `ServerPolicy.helloWithin` at most; after that it is refused, whatever the work returns.
  case pending(@Sendable () async throws(Refusal) -> Admission)
}

/// Decides who may enter: signature, expiry, role and ban of the hello's token for the hello's room.
public protocol Gatekeeper: Sendable {
  /// Throws the refusal that the client is told. Called on an event loop: must not block.
  func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission

  /// The same, for gatekeepers that may take time. By default `admit` decides at once. Called on an event loop: must
  /// not block.
  func decide(_ hello: Hello, from address: String?, at now: Timestamp) -> EntryDecision

  /// What only the client of `session` is told, and must present to come back to it: the session's name stands
  /// in the log, so it proves nothing. Always the same for the same session, also after a restart. Empty: whoever
  /// names the session may have it. Called on an event loop: must not block.
  func ticket(for session: SessionID, in room: RoomID) -> String

  /// What the host of a room of an open server is given with its welcome, to do over HTTP what a host may, and to come
  /// back as host. Nil elsewhere.
  func hostToken(of room: RoomID, at now: Timestamp) -> String?
}

extension Gatekeeper {
  /// What `admit` says, at once.
  public func decide(_ hello: Hello, from address: String?, at now: Timestamp) -> EntryDecision {
    do throws(Refusal) {
      return .admitted(try admit(hello, from: address, at: now))
    } catch {
      return .refused(error)
    }
  }

  /// No ticket: for gates that tell nobody from anybody.
  public func ticket(for session: SessionID, in room: RoomID) -> String { "" }
  /// No token: for gates of servers that are not open.
  public func hostToken(of room: RoomID, at now: Timestamp) -> String? { nil }
}
