import BoardroomHosting
import BoardroomModel
import EventLogModel

/// Lets everybody in with one role: for tests, and for programs that embed the engine without tokens.
public struct OpenGate: Gatekeeper {
  private let role: Role

  public init(role: Role = .admin) { self.role = role }

  public func admit(
    _ hello: Hello, from address: String?, at now: Timestamp
  ) throws(Refusal) -> Admission { Admission(role: role) }
}

/// The gatekeeper of an open server (OPEN-4 to OPEN-6). A client without a token joins as a writer, and the
/// first writer of a room hosts it. A client with a token has the rights of that token and no others.
package struct OpenServerGate: Gatekeeper {
  private let tokens: TokenGatekeeper
  /// Signs tickets. Stays go on after this run of the server, while tokens do not.
  private let tickets: TokenGatekeeper
  private let signer: KeyPair

  /// - Parameters:
  ///   - keys: the ring of this run; its first pair signs the tokens that the server gives out.
  ///   - lasting: the ring that is there at the next start, too.
  package init(keys: KeyRing, lasting: KeyRing, opensAccounts: Bool) {
    tokens = TokenGatekeeper(keys: keys, opensAccounts: opensAccounts)
    tickets = TokenGatekeeper(keys: lasting)
    signer = keys.signer
  }

  package func admit(_ hello: Hello, from address: String?, at now: Timestamp) throws(Refusal) -> Admission {
    let isNone = hello.token.isEmpty || hello.token == TokenGatekeeper.noToken
    guard isNone else { return try tokens.admit(hello, from: address, at: now) }
    // ACC-17: only administrators may read what was said in a channel.
    guard hello.replay == nil || hello.place?.channel == nil else { throw TokenError.teamForbidden.refusal }
    var admission = Admission(role: .writer)
    admission.mayHost = hello.place == nil && hello.replay == nil
    return admission
  }

  package func ticket(for session: SessionID, in room: RoomID) -> String {
    tickets.ticket(for: session, in: room)
  }

  package func hostToken(of room: RoomID, at now: Timestamp) -> String? {
    AccessToken(scope: .room(room), role: .admin, keyID: signer.id, lifespan: 0, at: now)
      .signed(with: signer.secret)
  }
}
