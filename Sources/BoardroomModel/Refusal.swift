/// Why something was refused, as one catalogue for sockets, REST, SDK and command line (docs/PROTOCOL.md, section 9).
/// The text of each is what goes onto the wire.
public enum RefusalCode: String, Sendable, Hashable, Codable, CaseIterable {
  // Entering
  case tokenInvalid, tokenExpired, forbidden, banned, writerLimit, notFound, roomsFull, unsupportedVersion
  case membersFull, connectionLimit
  // Names and sizes
  case badName, badParameter, malformed, tooLarge, tooMany, rateLimited, unknownKind, outOfOrder
  // State
  case notConnected, notWritable, notMember, conflict, pending, noBroadcaster, noSuchScene, noSuchElement
  case locked, nothingToUndo, peerOffline, repeatedInvite, noSuchInvite
  // Looking back
  case notRecorded
  // Ends
  case timeout, replaced, kicked, networkLost, logFull, goingAway, tooSlowHello, internalFailure = "internal"
}

/// A refusal: what, why and what helps. Never holds payloads, tokens or texts of members.
public struct Refusal: Error, Sendable, Hashable, Codable {
  public var code: RefusalCode
  /// What was wrong, in one sentence.
  public var cause: String
  /// What to do about it, in one sentence.
  public var cure: String
  /// For sizes, counts and rates: what it was and what is allowed.
  public var actual: Int?
  public var allowed: Int?
  /// The name of the limit, as operators set it.
  public var limit: String?

  public init(
    _ code: RefusalCode, cause: String? = nil, cure: String? = nil, actual: Int? = nil, allowed: Int? = nil,
    limit: String? = nil
  ) {
    self.code = code
    self.cause = cause ?? code.usualCause
    self.cure = cure ?? code.usualCure
    self.actual = actual
    self.allowed = allowed
    self.limit = limit
  }
}

extension Refusal: CustomStringConvertible {
  public var description: String { "\(code.rawValue): \(cause) \(cure)" }
}

extension RefusalCode {
  public var usualCause: String {
    switch self {
    case .tokenInvalid: "The token is not one of this server's, or was changed."
    case .tokenExpired: "The token has expired."
    case .forbidden: "The token does not allow this."
    case .banned: "The room or the user is banned."
    case .writerLimit: "The room has as many writing members as its limit allows."
    case .notFound: "There is no such room."
    case .roomsFull: "The server has as many open rooms as its limit allows."
    case .membersFull: "The room has as many members as its limit allows."
    case .connectionLimit: "There are as many connections as the limit allows."
    case .unsupportedVersion: "The subprotocol or version is not one that this server speaks."
    case .badName: "The name has characters or a form that is not allowed."
    case .badParameter: "A field has a value that is not allowed."
    case .malformed: "The bytes are not what the protocol describes."
    case .tooLarge: "It is larger than the limit."
    case .tooMany: "There are as many as the limit allows."
    case .rateLimited: "It came faster than the limit allows."
    case .unknownKind: "The kind of command is not known here."
    case .outOfOrder: "It came out of order."
    case .notConnected: "The connection is not in the room."
    case .notWritable: "The member is read-only."
    case .notMember: "There is no such member in the room."
    case .conflict: "The room has moved on from the expected revision."
    case .pending: "The same request is still under way."
    case .noBroadcaster: "Nobody is broadcasting."
    case .noSuchScene: "There is no such scene."
    case .noSuchElement: "There is no such element, or it can no longer be changed."
    case .locked: "The element is locked."
    case .nothingToUndo: "There is no step of this member's own to take."
    case .notRecorded: "The room was made not to be recorded, so there is no replay of it."
    case .peerOffline: "The other account is not signed in."
    case .repeatedInvite: "The same invitation is open already."
    case .noSuchInvite: "There is no such invitation, or it is over."
    case .timeout: "It took longer than the limit."
    case .replaced: "The session goes on over another connection."
    case .kicked: "The server removed the member."
    case .networkLost: "The connection was lost for longer than the grace."
    case .logFull: "The log takes no new events at present."
    case .goingAway: "The server is going down or moving the room."
    case .tooSlowHello: "No hello came within the time allowed."
    case .internalFailure: "The server met a fault of its own."
    }
  }

  public var usualCure: String {
    switch self {
    case .tokenInvalid: "Ask the application's server for a room token."
    case .tokenExpired: "Ask the application's server for a fresh token."
    case .forbidden: "Use a token with the role or for the room that is needed."
    case .banned: "Wait until the ban ends, or ask an administrator to lift it."
    case .writerLimit: "Join with a reader's token, or come back when somebody has left."
    case .notFound: "Create the room first, or check its uuid."
    case .roomsFull: "Try again later, or ask the operator to raise the limit."
    case .membersFull: "Come back when somebody has left, or ask the operator to raise the limit."
    case .connectionLimit: "Close connections that are not needed, or ask the operator to raise the limit."
    case .unsupportedVersion: "Use boardroom.v1 or boardroom.json.v1."
    case .badName: "Use a name as docs/PROTOCOL.md describes it."
    case .badParameter: "Send a value as docs/PROTOCOL.md describes it."
    case .malformed: "Encode it as docs/PROTOCOL.md describes it."
    case .tooLarge: "Send less at once, or ask the operator to raise the limit."
    case .tooMany: "Remove what is not needed, or ask the operator to raise the limit."
    case .rateLimited: "Send more slowly, or gather several in one."
    case .unknownKind: "Use a kind that docs/PROTOCOL.md lists."
    case .outOfOrder: "Send commands with rising counters, and hello first."
    case .notConnected: "Join first, or wait until the phase is connected."
    case .notWritable: "Ask to become writable, with a token that allows it."
    case .notMember: "Check the member's number against the roster."
    case .conflict: "Read on and decide again."
    case .pending: "Wait for the answer to the first request."
    case .noBroadcaster: "Stay in freedom until somebody broadcasts."
    case .noSuchScene: "Put the scene first, or check the path."
    case .noSuchElement: "Check the id; strokes can be extended only by their author, until they end."
    case .locked: "Unlock it first."
    case .nothingToUndo: "Ask for a history first (historySet); what others changed since is not taken back."
    case .notRecorded: "Make rooms that are to be replayed with isRecord true."
    case .peerOffline: "Try again when it is there."
    case .repeatedInvite: "Wait for its answer, or end it first."
    case .noSuchInvite: "Check whom it is from, and its number."
    case .timeout: "Try again."
    case .replaced: "Go on in the other place, or join again."
    case .kicked: "Do not come back by yourself; ask the room's host."
    case .networkLost: "Join again."
    case .logFull: "Tell the operator; reading goes on meanwhile."
    case .goingAway: "Connect again: the room goes on."
    case .tooSlowHello: "Send hello right after connecting."
    case .internalFailure: "Connect again; if it happens again, tell the operator the time of it."
    }
  }
}

/// The server's last word on a connection: why it ends, and whether to come back.
public struct Farewell: Sendable, Hashable {
  public var refusal: Refusal
  /// Set when it is a kick (PARITY rows KICK).
  public var kick: KickReason?
  /// Whether the client should reconnect by itself.
  public var comeBack: Bool
  /// Where it should do so, if it has this address itself; only for a client that said so (`Hello.acceptsAddress`).
  public var address: ServerAddress?

  public init(_ refusal: Refusal, kick: KickReason? = nil, comeBack: Bool, address: ServerAddress? = nil) {
    self.refusal = refusal
    self.kick = kick
    self.comeBack = comeBack
    self.address = address
  }
}

/// Where clients reach a server.
public struct ServerAddress: Sendable, Hashable {
  /// A name or an IP address; one of version 6 without brackets. At most `longestHost` bytes.
  public var host: String
  public var port: Int
  /// Whether TLS is spoken there.
  public var isSecure: Bool

  /// The longest name of DNS.
  public static let longestHost = 255

  public init(host: String, port: Int, isSecure: Bool) {
    self.host = host
    self.port = port
    self.isSecure = isSecure
  }
}
